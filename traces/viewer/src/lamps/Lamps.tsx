// Lamps: what must hold, and whether it does. A red one leads to where it went red, and so does one that was red: what has been
// broken once is not forgotten because it holds again.
import type { Film, Why } from '../film';
import { film as shownFilm, jump, scene as shownScene } from '../store';
import type { Lamp } from '../types';
import { capital, lampWord, moment, shorten } from '../words';
import { Sign } from './Sign';
import { stateWords } from './words';
import './lamps.css';

export function Lamps() {
  const film = shownFilm.value;
  const scene = shownScene.value;
  if (!film || !scene || scene.lamps.length === 0) return null;
  return (
    <ul class="lamp-all" aria-label="Properties">
      {scene.lamps.map((lamp) => <One key={lamp.name} film={film} lamp={lamp} why={scene.why[lamp.name]} was={scene.was[lamp.name]} />)}
    </ul>
  );
}

interface Props { film: Film; lamp: Lamp; why: Why | undefined; was: Why | undefined }

function One({ film, lamp, why, was }: Props) {
  const property = capital(shorten(film, lamp.says ?? lamp.name));
  const past = lamp.light === 'green' ? was : undefined;
  const there = why ?? past;
  const frame = there ? film.frames[there.frame] : undefined;
  const when = frame ? moment(film, frame.at) : '';
  const state = stateWords(lamp, when, past !== undefined);
  const reason = there?.says ? ` ${capital(shorten(film, there.says))}` : '';
  const title = `${lamp.name}: ${property}${reason}${lamp.once && lamp.light === 'red' ? ' Once broken, it stays so.' : ''}`;
  const face = (
    <>
      <Sign light={past ? 'was' : lamp.light} />
      <span class="lamp-name">{lampWord(lamp.name)}</span>{' '}
      <span class="lamp-state">{state}</span>
    </>
  );
  return (
    <li class="lamp" data-light={lamp.light} data-lamp={lamp.name} data-was={past ? 'red' : undefined} title={title}>
      {there
        ? <button type="button" class="lamp-face" aria-label={`${lampWord(lamp.name)} ${state}. Go there.`} onClick={() => jump(there.frame + 1)}>{face}</button>
        : <span class="lamp-face" tabIndex={0} role="note" aria-label={`${lampWord(lamp.name)} ${state}. ${property}`}>{face}</span>}
    </li>
  );
}
