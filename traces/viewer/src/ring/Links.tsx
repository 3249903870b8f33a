// Links, and who follows whom.
import type { Recording, Scene } from '../recording';
import { epochColour, linkWord, nodeId, nodeName, together } from '../words';
import { between, lane, pairs, type Pair, type Place } from './geometry';

interface Props { recording: Recording; scene: Scene; places: Place[] }

// Ties are bands from each node to whom it takes for its leader, in the colour of the epoch that it knows; a narrow one is of
// who only waits for that node to lead.
export function Ties({ recording, scene, places }: Props) {
  return (
    <g class="ring-ties" aria-hidden="true">
      {scene.nodes.map((state, node) => {
        const from = places[node];
        const to = places[state.leader];
        if (!from || !to || state.leader === node || state.look === 'down') return null;
        const [a, b] = lane(from, to, 0);
        return (
          <line key={node} data-look={state.look} x1={a.x} y1={a.y} x2={b.x} y2={b.y} style={{ stroke: epochColour(state.epoch) }}>
            <title>{`${nodeName(recording, node)} takes ${nodeName(recording, state.leader)} for its leader`}</title>
          </line>
        );
      })}
    </g>
  );
}

export function Links({ recording, scene, places, onPick }: Props & { onPick: ((a: number, b: number, event: MouseEvent) => void) | null }) {
  const all = pairs(places.length, recording.header.servers ?? 0, scene.cut).filter((p) => (p.usual || p.there || p.back) && together(recording.header, p.a, p.b));
  return (
    <g class="ring-links">
      {all.map((pair) => <LinkMark key={`${pair.a},${pair.b}`} recording={recording} pair={pair} places={places} onPick={onPick} />)}
    </g>
  );
}

function LinkMark({ recording, pair, places, onPick }: { recording: Recording; pair: Pair; places: Place[]; onPick: ((a: number, b: number, event: MouseEvent) => void) | null }) {
  const a = places[pair.a];
  const b = places[pair.b];
  if (!a || !b) return null;
  const [from, to] = lane(a, b, 0);
  const cut = pair.there || pair.back;
  const word = pair.there && pair.back ? `cut: ${nodeId(recording, pair.a)} ↔ ${nodeId(recording, pair.b)}`
    : cut ? `cut: ${linkWord(recording, pair.there ? [pair.a, pair.b] : [pair.b, pair.a])}, and whole the other way`
      : `link ${nodeId(recording, pair.a)} ↔ ${nodeId(recording, pair.b)}`;
  return (
    <g class={`ring-link${onPick ? ' ring-pick' : ''}`} data-link={`${pair.a},${pair.b}`} data-cut={cut ? (pair.there && pair.back ? 'both' : 'one') : undefined} aria-hidden={!cut || undefined}
      onClick={onPick ? (event) => onPick(pair.a, pair.b, event) : undefined}>
      <title>{word}</title>
      <line class="ring-near" x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
      {!cut && <line class="ring-line" x1={from.x} y1={from.y} x2={to.x} y2={to.y} />}
      {pair.there && pair.back && <Broken from={a} to={b} />}
      {cut && !(pair.there && pair.back) && <OneWay from={pair.there ? a : b} to={pair.there ? b : a} />}
    </g>
  );
}

// Broken is a link that carries nothing: two stumps, and two strokes across the gap.
function Broken({ from, to }: { from: Place; to: Place }) {
  const ends = lane(from, to, 0);
  const [p, q] = [between(ends, 0.44), between(ends, 0.56)];
  const turn = (Math.atan2(ends[1].y - ends[0].y, ends[1].x - ends[0].x) * 180) / Math.PI;
  return (
    <>
      <line class="ring-stump" x1={ends[0].x} y1={ends[0].y} x2={p.x} y2={p.y} />
      <line class="ring-stump" x1={q.x} y1={q.y} x2={ends[1].x} y2={ends[1].y} />
      {[p, q].map((at, k) => <path key={k} class="ring-gap" d="M-3 9 L3 -9" transform={`translate(${at.x} ${at.y}) rotate(${turn})`} />)}
    </>
  );
}

// OneWay is a link one direction of which carries nothing: an arrow that runs into a bar, beside a line that is whole.
function OneWay({ from, to }: { from: Place; to: Place }) {
  const stopped = lane(from, to, 6);
  const whole = lane(to, from, 4);
  const at = between(stopped, 0.55);
  const turn = (Math.atan2(stopped[1].y - stopped[0].y, stopped[1].x - stopped[0].x) * 180) / Math.PI;
  return (
    <>
      <line class="ring-line" x1={whole[0].x} y1={whole[0].y} x2={whole[1].x} y2={whole[1].y} />
      <line class="ring-stump" x1={stopped[0].x} y1={stopped[0].y} x2={at.x} y2={at.y} />
      <path class="ring-gap" d="M-12 -5 L-4 0 L-12 5 M1 -9 V9" transform={`translate(${at.x} ${at.y}) rotate(${turn})`} />
    </>
  );
}
