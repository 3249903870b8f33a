// What is drawn in a film: the shapes of the ring, in light colours, each a text of SVG that needs no style.
import type { Line } from '../embed/verdict';
import { outline } from '../members/KindMark';
import { besideOf, wideOf } from '../ring/lines';
import { shapes, size } from '../ring/Messages';
import { between, lane, pairs, type Pair, type Place, type Point } from '../ring/geometry';
import { fence, half, type Tally } from '../ring/writes';
import type { Flight, Recording } from '../recording';
import type { Header, Look, MemberKind, NodeState, Side } from '../types';
import { epochColour, epochName, epochWord, groupOf, isServer, letters, messageWord, nodeId, together } from '../words';
import { lightColour } from './light';
import { escape, n } from './svg';

// Appearance is what a node looks like: lines are the words beside it; kind is what it is among the members, where they come and go (changing); bound, that it is known how long it
// may act as a leader.
export interface Appearance { recording: Recording; node: number; state: NodeState; place: Place; kind: MemberKind | null; changing: boolean; bound: boolean; lines: string[] }

const looks: Record<Look, string> = {
  leads: '--leads', stands: '--stands', waits: '--waits', follows: '--follows', idle: '--idle', down: '--down', serves: '--idle',
};

export function colourOf(epoch: number): string { return lightColour(epochColour(epoch).slice(4, -1)); }

// faint are the links, which are always there.
export function faint(header: Header, places: Place[]): string {
  return pairs(places.length, header.servers ?? 0, []).filter((pair) => pair.usual && together(header, pair.a, pair.b)).map(({ a, b }) => stroke(lane(places[a]!, places[b]!, 0), '--line', 1)).join('');
}

function stroke([from, to]: [Point, Point], colour: string, width: number, more = ''): string {
  return `<path d="M${n(from.x)} ${n(from.y)}L${n(to.x)} ${n(to.y)}" stroke="${lightColour(colour)}" stroke-width="${width}"${more}/>`;
}

// cutLink is a link of which one direction, or both, carry nothing.
export function cutLink(a: Place, b: Place, { there, back }: Pair): string {
  const both = there && back;
  const ends = both ? lane(a, b, 0) : there ? lane(a, b, 6) : lane(b, a, 6);
  const at = between(ends, 0.5);
  const turn = n((Math.atan2(ends[1].y - ends[0].y, ends[1].x - ends[0].x) * 180) / Math.PI);
  const gap = `<path d="${both ? 'M-4 9L2 -9M2 9L8 -9' : 'M-12 -5L-4 0L-12 5M1 -9V9'}" transform="translate(${n(at.x)} ${n(at.y)}) rotate(${turn})" ` +
    `stroke="${lightColour('--red')}" stroke-width="2.2" stroke-linecap="round"/>`;
  return `${both ? stroke(ends, '--card', 3) : ''}${stroke(ends, '--red', 1.5, ' stroke-dasharray="5 4"')}${gap}`;
}

// tie is the band from a node to whom it takes for its leader.
export function tie(from: Place, to: Place, { epoch, look }: NodeState): string {
  const [a, b] = lane(from, to, 0);
  const follows = look === 'follows';
  return `<path d="M${n(a.x)} ${n(a.y)}L${n(b.x)} ${n(b.y)}" stroke="${epoch > 0 ? colourOf(epoch) : lightColour('--line')}" stroke-width="${follows ? 7 : 3.5}" opacity=".65"/>`;
}

// nodeMark is a node, at its place.
export function nodeMark(of: Appearance): string {
  const { recording, node, state, place, lines } = of;
  const { x, y, r } = place;
  const id = nodeId(recording, node);
  return `<g data-node="${node}" data-look="${state.look}" data-words="${escape(lines.join(' | '))}" transform="translate(${n(x)} ${n(y)})">${body(of)}` +
    text(id, 0, state.epoch > 0 ? 1 : 6, `font-size="${id.length > 3 ? 13 : 18}" font-weight="700"`) + epoch(recording, state, r) + badges(state, r) + words(of) + '</g>';
}

function body({ recording, node, state, place: { r }, kind, changing, bound }: Appearance): string {
  const { look, unheard, paused } = state;
  const none = changing && kind === null && look !== 'serves';
  const colour = lightColour(none || paused ? '--idle' : looks[look]);
  const dash = look === 'idle' ? ' stroke-dasharray="6 4"' : look === 'down' ? ' stroke-dasharray="3 4"' : paused ? ' stroke-dasharray="2 4"' : '';
  const fill = look === 'idle' || look === 'down' || paused || none ? 0 : look === 'leads' ? 0.22 : 0.13;
  const d = isServer(recording, node) ? `M${n(-r)} ${n(-0.8 * r)}H${n(r)}V${n(0.8 * r)}H${n(-r)}Z`
    : look === 'stands' ? `M0 ${n(-1.2 * r)}L${n(0.92 * r)} ${n(-0.42 * r)}V${n(0.86 * r)}H${n(-0.92 * r)}V${n(-0.42 * r)}Z` : outline(kind, r);
  const halo = look === 'leads' ? `<path d="${outline(kind, r + 4.5)}" stroke="${colourOf(state.epoch)}" stroke-width="7"${bound ? ' opacity=".28"' : paused ? ' opacity=".4"' : ''}/>` : '';
  const shape = `<path d="${d}" fill="${lightColour('--card')}"/><path d="${d}" fill="${colour}" fill-opacity="${fill}" stroke="${colour}" stroke-width="${look === 'leads' ? 3.5 : 2.5}" stroke-linejoin="round"${dash}/>`;
  const arm = n(0.68 * r);
  const cross = look === 'down' && !unheard ? `<path d="M-${arm} -${arm}L${arm} ${arm}M${arm} -${arm}L-${arm} ${arm}" stroke="${colour}" stroke-width="2.5" stroke-linecap="round" opacity=".75"/>` : '';
  const asks = unheard ? text('?', 0.78 * r, -0.62 * r + 7, 'font-size="22" font-weight="700"', '--down') : '';
  const crown = look === 'leads' ? `<path transform="translate(0 ${n(-r - 1)})" d="M-15 4L-17 -13L-8 -5L0 -17L8 -5L17 -13L15 4Z" fill="${paused ? lightColour('--card') : colour}" ` +
    `stroke="${paused ? colour : lightColour('--card')}" stroke-width="1.5" stroke-linejoin="round"/>` : '';
  return halo + shape + cross + asks + crown;
}

function epoch(recording: Recording, state: NodeState, r: number): string {
  if (state.epoch <= 0) return '';
  const name = epochName(recording);
  const says = r > 24 && state.epoch < 100 ? `${name === 'revision' ? 'rev.' : name} ${epochWord(state.epoch)}` : `${name.charAt(0)} ${epochWord(state.epoch)}`;
  const wide = says.length * 6.1 + 10;
  return `<rect x="${n(-wide / 2)}" y="${n(r - 13.5)}" width="${n(wide)}" height="17" rx="8.5" fill="${colourOf(state.epoch)}" stroke="#ffffff" stroke-width="1.5"/>` +
    text(says, 0, r - 1, 'font-size="11" font-weight="600"');
}

function badges(state: NodeState, r: number): string {
  const out = 0.78 * r;
  const waits = state.look === 'waits' ? `<g transform="translate(${n(-out)} ${n(-out)})"><circle r="9" fill="#ffffff" stroke="${lightColour('--waits')}" stroke-width="1.8"/><path d="M-4 -5H4L-4 5H4Z" stroke="${lightColour('--waits')}" stroke-width="1.8"/></g>` : '';
  const pauses = state.paused ? `<g transform="translate(${n(out)} ${n(-out)})"><circle r="10" fill="${lightColour('--ink')}"/><path d="M-3 -4.5V4.5M3 -4.5V4.5" stroke="#ffffff" stroke-width="3"/></g>` : '';
  return waits + pauses;
}

// words are those beside a node, where there is room for them on the page.
function words({ state, place, kind, lines }: Appearance): string {
  return besideOf(lines, place, state, { wide: wideOf({ kind }, place.r) }).lines.map(({ text: says, x, y, anchor, bold }) =>
    text(says, x, y, bold ? 'font-weight="650"' : 'font-size="12"', bold ? '--ink' : '--soft', anchor)).join('');
}

function text(says: string, x: number, y: number, attributes: string, colour = '--ink', anchor = 'middle'): string {
  return `<text x="${n(x)}" y="${n(y)}" text-anchor="${anchor}" fill="${lightColour(colour)}" stroke="#ffffff" stroke-width="3" stroke-linejoin="round" paint-order="stroke" ${attributes}>${escape(says)}</text>`;
}

// passing is a message under way, round its middle.
export function passing(flight: Flight, ends: [Point, Point]): string {
  const group = groupOf(flight.kind);
  const colour = lightColour(flight.upkeep ? '--upkeep' : '--flight');
  const turn = n((Math.atan2(ends[1].y - ends[0].y, ends[1].x - ends[0].x) * 180) / Math.PI);
  const below = ends[1].x > ends[0].x ? 24 : -16;
  return `<path d="M${size + 2} -4L${size + 9} 0L${size + 2} 4Z" transform="rotate(${turn})" fill="${colour}"/>` +
    `<path d="${shapes[group]}" fill="${flight.epoch ? colourOf(flight.epoch) : '#ffffff'}" stroke="${colour}" stroke-width="1.8" stroke-linejoin="round"/>` +
    `<text y="${group === 'upkeep' ? 1 : 3.2}" text-anchor="middle" font-size="9" font-weight="700" fill="${lightColour('--ink')}">${escape(letters(flight.kind))}</text>` +
    text(messageWord(flight), 0, below, 'font-size="11" font-weight="600"');
}

// resourceMark is the resource of a cluster, with what it has taken and refused.
export function resourceMark(side: Side, { highest, taken, refused, stale }: Tally, at: Place): string {
  const fenced = side.resource === 'fenced';
  const box = (by: number, more: string): string =>
    `<rect x="${n(-half.x - by)}" y="${n(-half.y - by)}" width="${2 * (half.x + by)}" height="${2 * (half.y + by)}" rx="${8 + by}" stroke="${lightColour('--ink')}" ${more}/>`;
  const knows = !fenced ? 'no fence' : highest > 0 ? `${epochName({ header: side })} ≥ ${epochWord(highest)}` : 'nothing yet';
  const counts = [`✓ ${taken - stale}`, refused > 0 ? `✕ ${refused}` : '', stale > 0 ? `stale ${stale}` : ''].filter(Boolean).join('  ');
  return `<g transform="translate(${n(at.x)} ${n(at.y)})">${box(0, 'stroke-width="1.8" fill="#ffffff"')}${fenced ? box(fence, 'stroke-width="5" stroke-dasharray="2.5 5"') : ''}` +
    text('resource', 0, -11, 'font-size="11" font-weight="650"', '--soft') + text(knows, 0, 5, 'font-size="11" font-weight="600"') +
    text(counts, 0, 20, 'font-size="11" font-weight="650"', stale > 0 ? '--red' : '--ink') + '</g>';
}

const signs: Record<Line['light'], [string, string]> = { green: ['✓', '--follows'], amber: ['–', '--amber'], red: ['✕', '--red'], was: ['✓', '--red'] };

// verdictLine says which properties hold.
export function verdictLine({ light }: Line, says: string): string {
  const [sign, colour] = signs[light];
  return `<text x="14" y="66" font-size="12" font-weight="600" fill="${lightColour(colour)}">${sign} ${escape(says)}</text>`;
}
