// Indicators: what must hold, and whether it does. A red one leads to where it went red, and so does one that was red: what has been
// broken once is not forgotten because it holds again.
import type { Recording, Why } from '../recording';
import { recording as shownRecording, seek, scene as shownScene } from '../store';
import { marked } from '../tours/guide';
import type { Indicator } from '../types';
import { capital, indicatorWord, moment, shorten } from '../words';
import { Said } from '../help/Term';
import { Sign } from './Sign';
import { asShown, stateWords } from './words';
import './indicators.css';

export function Indicators() {
  const recording = shownRecording.value;
  const scene = shownScene.value;
  if (!recording || !scene || scene.indicators.length === 0) return null;
  const somebodyLeads = scene.nodes.some(({ look }) => look === 'leads');
  return (
    <ul class="indicator-all" aria-label="Properties">
      {scene.indicators.map((indicator) => <One key={indicator.name} recording={recording} indicator={asShown(indicator, somebodyLeads)} why={scene.why[indicator.name]} was={scene.was[indicator.name]} />)}
    </ul>
  );
}

// Marked are the signs that a tour speaks of, once more, for its card: on a phone the others are far below it.
export function Marked() {
  const scene = shownScene.value;
  const somebodyLeads = scene?.nodes.some(({ look }) => look === 'leads') ?? false;
  return (
    <>
      {scene?.indicators.filter(({ name }) => marked.value.signs.has(name)).map((indicator) => {
        const { name, light } = asShown(indicator, somebodyLeads);
        return <span key={name} class="tour-sign" aria-hidden="true"><Sign light={light} /> {indicatorWord(name)} {stateWords({ ...indicator, light }, '', false)}</span>;
      })}
    </>
  );
}

interface Props { recording: Recording; indicator: Indicator; why: Why | undefined; was: Why | undefined }

function One({ recording, indicator, why, was }: Props) {
  const property = capital(shorten(recording, indicator.says ?? indicator.name));
  const past = indicator.light === 'green' ? was : undefined;
  const there = why ?? past;
  const frame = there ? recording.frames[there.frame] : undefined;
  const when = frame ? moment(recording, frame.at) : '';
  const state = stateWords(indicator, when, past !== undefined);
  const reason = there?.says ? ` ${capital(shorten(recording, there.says))}` : '';
  const title = `${indicator.name}: ${property}${reason}${indicator.once && indicator.light === 'red' ? ' Once broken, it stays so.' : ''}`;
  const face = (
    <>
      <Sign light={past ? 'was' : indicator.light} />
      <span class="indicator-name">{indicatorWord(indicator.name)}</span>{' '}
      <span class="indicator-state">{state}</span>
    </>
  );
  return (
    <li class="indicator" data-light={indicator.light} data-indicator={indicator.name} data-was={past ? 'red' : undefined} data-marked={marked.value.signs.has(indicator.name) || undefined} title={there ? title : undefined}>
      {there
        ? <button type="button" class="indicator-face" aria-label={`${indicatorWord(indicator.name)} ${state}. Go there.`} onClick={() => seek(there.frame + 1)}>{face}</button>
        : <Said of="indicator-face" title={indicatorWord(indicator.name)} says={property}>{face}</Said>}
    </li>
  );
}
