// The bar at the bottom: where we are in the recording, what has just happened, and play, stop, step, jump.
import { computed, useComputed } from '@preact/signals';
import { Rows } from '../list/rows';
import { Icon } from '../menu/Icon';
import { count, ended, recording, length, seek, playing, scene, seen, speed, upkeep } from '../store';
import { moment, sentence, shorten, time } from '../words';
import { marks } from './marks';
import { faster, speeds } from './pacing';
import { halt, passing, phaseOn, toggle, walk } from './player';
import './transport.css';

// Caption says what has just happened, as under a recording.
function Caption() {
  const now = scene.value;
  const shown = recording.value;
  if (!now || !shown) return <p class="tr-caption" />;
  const frame = now.frame;
  return (
    <p class="tr-caption">
      <span class="tr-at">{frame ? moment(shown, frame.at) : 'Before it begins'}</span>{' '}
      {frame && <span class="tr-text">{sentence(shown, frame)}{frame.note && <span class="tr-note"> – {shorten(shown, frame.note)}</span>}</span>}{' '}
      {halt.value?.of === shown && halt.value.at === now.count && <span class="tr-passing">{halt.value.says}</span>}
      {passing.value > 0 && playing.value && <span class="tr-passing">{time(passing.value)} pass …</span>}
    </p>
  );
}

// shownRows are the steps that are shown: the slider goes from one to the next, however many heartbeats are between them.
const shownRows = computed(() => recording.value && new Rows(recording.value, { node: -1, text: '', upkeep: upkeep.value }));

function Slider() {
  const places = useComputed(() => (void length.value, recording.value ? marks(recording.value.frames) : []));
  const shown = recording.value;
  const rows = shownRows.value;
  if (length.value >= 0) rows?.update();
  const at = shown && scene.value?.frame ? sentence(shown, scene.value.frame) : '';
  const rowAt = (after: number): number => (rows ? rows.rowOf(after) + 1 : 0);
  const most = Math.max(1, rowAt(seen.value));
  return (
    <div class="tr-slider">
      <input type="range" min={0} max={most} value={rowAt(count.value)} aria-label="Step" aria-valuetext={`step ${count} of ${seen}: ${at}`}
        onInput={(event) => { playing.value = false; seek((rows?.places[event.currentTarget.valueAsNumber - 1] ?? -1) + 1); }} />
      <div class="tr-marks" aria-hidden="true">
        {places.value.filter(({ place }) => place <= seen.value).map(({ place, mark }) => <span key={place} class={`tr-mark tr-${mark}`} style={{ left: `${(100 * rowAt(place)) / most}%` }} />)}
      </div>
    </div>
  );
}

function Speed() {
  return (
    <div class="tr-speed" role="group" aria-label="Speed">
      <button type="button" class="quiet" aria-label="Slower" title="Slower (-)" disabled={speed.value <= speeds[0]} onClick={() => { speed.value = faster(speed.value, -1); }}>−</button>
      <output aria-label="Speed">{speed.value < 1 ? `1/${1 / speed.value}` : speed.value}×</output>
      <button type="button" class="quiet" aria-label="Faster" title="Faster (+)" disabled={speed.value >= speeds.at(-1)!} onClick={() => { speed.value = faster(speed.value, 1); }}>+</button>
    </div>
  );
}

// counted says in words what the counter says.
function counted(): string {
  return `Step ${count} of the ${seen} that you have seen${ended.value ? '' : '; the run goes on when you play'}`;
}

export function Transport() {
  const none = recording.value === null;
  const atEnd = ended.value && count.value >= length.value;
  const button = (name: 'first' | 'back' | 'on' | 'last', label: string, does: () => void, off: boolean) => (
    <button type="button" class={name === 'first' || name === 'last' ? 'quiet tr-end' : 'quiet'} aria-label={label} title={label} disabled={off} onClick={() => { playing.value = false; does(); }}><Icon name={name} /></button>
  );
  return (
    <section class="transport" aria-label="Play and step">
      <Caption />
      <Slider />
      <div class="tr-row">
        <div class="tr-buttons">
          {button('first', 'To the beginning (Home)', () => seek(0), none || count.value === 0)}
          {button('back', 'A step back (←)', () => void walk(1, -1), none || count.value === 0)}
          <button type="button" class="main tr-play" title="Space" disabled={none} onClick={toggle}>
            <Icon name={playing.value ? 'stop' : 'play'} />{playing.value ? 'Stop' : 'Play'}
          </button>
          {button('on', 'A step on (→)', () => void walk(1, 1), none || atEnd)}
          <button type="button" class="quiet tr-phase" aria-label="To the next phase (N)" title="To where the next phase of the election begins: a crash, somebody asks, claims, leads, is followed, writes (N; back: P)" disabled={none || atEnd} onClick={() => void phaseOn()}><Icon name="phase" /><span>Next phase</span></button>
          {button('last', 'To the last step (End)', () => seek(seen.value), none || count.value >= seen.value)}
        </div>
        <span class="tr-count" title={counted()}>{count}<span class="soft"> / {seen}{!ended.value && ' …'}</span></span>
        <Speed />
        <label class="check tr-upkeep" title="Heartbeats and their answers: what a reign costs"><input type="checkbox" checked={upkeep.value} onChange={(event) => { upkeep.value = event.currentTarget.checked; }} /> Heartbeats</label>
      </div>
    </section>
  );
}
