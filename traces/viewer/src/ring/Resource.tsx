// The resource, in the middle of the ring: what leaders write to. Its fence is the row of pickets round it; where there is none, it is bare.
import { widthOf } from '../export/svg';
import type { Recording, Scene } from '../recording';
import { coming } from '../store';
import { marked } from '../tours/guide';
import { part } from '../pair/plan';
import type { Fate, Side } from '../types';
import { capital, clusters, epochColour, epochName, epochWord, nodeName } from '../words';
import { between, distance, lane, type Place, type Plan, type Point } from './geometry';
import { now } from './hand';
import { fence, flown, half, resourceAt, writesOf, type Tally, type Written } from './writes';

interface Props { recording: Recording; scene: Scene; placed: Plan }

// Resource is what each cluster writes to: one of it, or two in a pair.
export function Resource(props: Props) {
  return <>{clusters(props.recording.header).map((side, k) => <Of key={k} {...props} side={side} placed={part(props.placed, props.recording.header, k)} all={props.placed} />)}</>;
}

interface SideProps extends Props { side: Side; all: Plan }

function Of({ recording, scene, placed, side, all }: SideProps) {
  const kind = side.resource;
  if (!kind) return null;
  const at = resourceAt(placed, side.servers.length);
  const tally = writesOf(recording, side).after(recording.frames, scene.count);
  const here = comeTo(recording, scene, side)?.last;
  return (
    <g class="ring-resource" data-resource={kind} data-fate={here?.fate} data-highest={tally.highest} data-taken={tally.taken} data-refused={tally.refused} aria-hidden="true">
      <title>{fenceWords(side, tally)}</title>
      <Fence at={at} kind={kind} />
      {marked.value.resource && <rect class="ring-marked" x={at.x - half.x - 10} y={at.y - half.y - 10} width={2 * half.x + 20} height={2 * half.y + 20} rx={16} />}
      <text class={`ring-resource-name${here ? ` ring-fate-${here.fate}` : ''}`} x={at.x} y={at.y - 11}>{here ? comeWords(here, tally) : 'resource'}</text>
      <Highest side={side} tally={tally} at={at} />
      <Counts tally={tally} at={at} />
      {here && <Come written={here} from={all.places[here.node]} at={at} />}
    </g>
  );
}

// Sheets are all writes that are to be seen: over messages, which are many where a node takes none.
export function Sheets({ recording, scene, placed }: Props) {
  const all = clusters(recording.header).flatMap((side, k) => (side.resource ? sheetsOf(recording, scene, side, placed, resourceAt(part(placed, recording.header, k), side.servers.length)).map((sheet) => ({ ...sheet, key: `${k} ${sheet.key}` })) : []));
  return <g class="ring-writes" aria-hidden="true">{all.map(({ key, ...sheet }) => <Sheet key={key} {...sheet} />)}</g>;
}

// Fence is the body, and the pickets round what is fenced.
function Fence({ at, kind }: { at: Place; kind: string }) {
  const box = (by: number) => ({ x: at.x - half.x - by, y: at.y - half.y - by, width: 2 * (half.x + by), height: 2 * (half.y + by), rx: 8 + by });
  return (
    <>
      <rect class="ring-resource-body" {...box(0)} />
      {kind === 'fenced' && <rect class="ring-fence" {...box(fence)} />}
    </>
  );
}

// nameIn returns what the algorithm of a side calls its epochs.
const nameIn = (side: Side): string => epochName({ header: side });

function Highest({ side, tally, at }: { side: Side; tally: Tally; at: Place }) {
  if (side.resource !== 'fenced') return <text class="ring-resource-count" x={at.x} y={at.y + 5}>no fence</text>;
  const text = tally.highest > 0 ? `${nameIn(side)} ≥ ${epochWord(tally.highest)}` : 'nothing yet';
  const width = text.length * 6 + 12;
  return (
    <>
      <rect class="ring-epoch" x={at.x - width / 2} y={at.y - 6} width={width} height={16} rx={8} style={{ fill: epochColour(tally.highest) }} />
      <text class="ring-epoch-word" x={at.x} y={at.y + 6}>{text}</text>
    </>
  );
}

function Counts({ tally, at }: { tally: Tally; at: Place }) {
  const { taken, refused, stale } = tally;
  return (
    <text class="ring-resource-count" x={at.x} y={at.y + 22}>
      <tspan>✓ {taken - stale}</tspan>
      {refused > 0 && <tspan class="ring-refused" dx="6">✕ {refused}</tspan>}
      {stale > 0 && <tspan class="ring-stale" dx="5">stale {stale}</tspan>}
    </text>
  );
}

// ends returns the way of a write: from the rim of its node to the fence.
function ends(from: Place | undefined, at: Place): [Point, Point] | null {
  if (!from) return null;
  const away = Math.hypot(at.x - from.x, at.y - from.y) || 1;
  const [across, down] = [Math.abs(at.x - from.x) / away, Math.abs(at.y - from.y) / away];
  const rim = Math.min(across > 0 ? (half.x + fence) / across : Infinity, down > 0 ? (half.y + fence) / down : Infinity);
  return lane(from, { ...at, r: rim }, 0, 12);
}

const words: Record<Fate, string> = { taken: 'taken', refused: 'refused', stale: 'taken: stale' };

// comeWords say what has become of a write that has just come: in the resource, where there always is room, in the place of its name.
function comeWords({ fate, epoch }: Written, { highest }: Tally): string {
  const long = `refused: ${epoch} < ${highest}`;
  return fate === 'refused' && widthOf(long, 10, true) < 2 * half.x - 6 ? long : words[fate];
}

// Come is a write that has just come, and what has become of it: an arrow into the resource, or a cross at its fence.
function Come({ written, from, at }: { written: Written; from: Place | undefined; at: Place }) {
  const way = ends(from, at);
  if (!way) return null;
  const turn = (Math.atan2(way[1].y - way[0].y, way[1].x - way[0].x) * 180) / Math.PI;
  const refused = written.fate === 'refused';
  return (
    <g class={`ring-wrote ring-wrote-${written.fate}`}>
      <line x1={way[0].x} y1={way[0].y} x2={way[1].x} y2={way[1].y} />
      <path d={refused ? 'M-7 -7 L7 7 M7 -7 L-7 7' : 'M-9 -5 L0 0 L-9 5'} transform={`translate(${way[1].x} ${way[1].y})${refused ? '' : ` rotate(${turn})`}`} />
    </g>
  );
}

// comeTo returns what the resource has taken by now, if a write has come in the last frame.
function comeTo(recording: Recording, scene: Scene, side: Side): Tally | null {
  const is = side.resource && scene.frame?.wrote?.fate && side.nodes.includes(scene.frame.node) && now.value.progress === 0;
  const tally = is ? writesOf(recording, side).after(recording.frames, scene.count) : null;
  return tally?.last ? tally : null;
}

// Sheet is a write: a sheet of paper in the colour of the epoch of its leader.
function Sheet({ at, epoch }: Omit<SheetAt, 'key'>) {
  return (
    <g class="ring-write" transform={`translate(${at.x} ${at.y})`}>
      <path d="M-8 -10 H4 L8 -6 V10 H-8 Z" style={{ fill: epoch > 0 ? epochColour(epoch) : 'var(--card)' }} />
      <text class="ring-letter" y="4">W</text>
    </g>
  );
}

// SheetAt is where a write is that is on its way: those that come until the next frame that is shown, and those that a node has in hand, be it paused; and what has just come.
export interface SheetAt { key: string; at: Point; epoch: number }

// sheetsOf returns those to a resource.
export function sheetsOf(recording: Recording, scene: Scene, side: Side, { places }: Plan, at: Place): SheetAt[] {
  const moment = now.value;
  const to = recording.frames[coming.value - 1]?.at ?? moment.at;
  const some = moment.progress > 0 ? writesOf(recording, side).between(recording.frames, scene.count, coming.value) : [];
  const under = some.flatMap((written) => {
    const way = ends(places[written.node], at);
    const share = flown(written, moment.at, scene.at, to);
    return way && share !== null ? [{ key: String(written.count), node: written.node, epoch: written.epoch, at: between(way, share) }] : [];
  });
  const held = side.nodes.flatMap((node) => {
    const way = ends(places[node], at);
    const state = scene.nodes[node]!;
    return way && state.writing && !under.some((write) => write.node === node) ? [{ key: `held ${node}`, epoch: state.epoch, at: way[0] }] : [];
  });
  const here = comeTo(recording, scene, side)?.last;
  const come = here && ends(places[here.node], at);
  return [...(here && come ? [{ key: 'come', epoch: here.epoch, at: between(come, distance(...come) > 30 ? 0.9 : 0.5) }] : []), ...under, ...held];
}

// fenceWords says what the resource has taken and refused, and why it could.
export function fenceWords(side: Side, tally: Tally): string {
  const { highest, taken, refused, stale } = tally;
  const name = `${nameIn(side) === 'epoch' ? 'an' : 'a'} ${nameIn(side)}`;
  const writes = (n: number) => `${n} ${n === 1 ? 'write' : 'writes'}`;
  const took = `It has taken ${writes(taken)}${stale > 0 ? `, ${stale} of them stale: a leader of the past wrote after its successor` : ''}`;
  if (side.resource === 'unfenced') return `The resource has no fence: this algorithm has no ${nameIn(side)} by which it could tell an old leader from a new one. ${took}.`;
  const least = highest > 0 ? ` of ${name} below ${highest}, the highest that it has taken` : ' that is of the past';
  return `The resource is behind a fence: it refuses a write${least}. ${took}, and refused ${refused}.`;
}

// heldWords says of nodes that they have a write in hand; '' if none has.
export function heldWords(recording: Recording, scene: Scene): string {
  return scene.nodes.flatMap((state, node) =>
    (state.writing && state.paused ? [`${capital(nodeName(recording, node))} was about to write when it was paused: it will, when it goes on.`] : [])).join(' ');
}
