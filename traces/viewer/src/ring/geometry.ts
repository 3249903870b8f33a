// Where things are on the ring: pure functions, in pixels of the picture.
import type { Flight } from '../recording';
import type { Frame, Link } from '../types';

export interface Point { x: number; y: number }

// Side is where the words of a node are.
export type Side = 'above' | 'below' | 'left' | 'right';

// Place is where a node is, where its words are, and how many lines of them there is room for; whether the picture is low; and the edges that no word of it goes
// beyond: those of the picture, and of a server, the next node. Long words above or below it lean to one side: outward, out of the way of messages.
export interface Place extends Point { r: number; side: Side; lines: number; low: boolean; from: number; to: number; lean: -1 | 0 | 1 }

export interface Plan { width: number; height: number; places: Place[] }

const high = [36, 58] as const; // of words below a node, in a low picture and in others: role, what it is about, a button or a timer
const crown = 22; // above who leads, between it and its words
const wide = 108; // of words beside it
const rimRoom = 30; // below a node that has its words beside it: its lease, the mark of a tour, and a button
const low = 360;  // the height of a low picture

// plan places nodes on an ellipse, ascending with the clock, the highest at the top, where a leader is looked for. Servers stand
// in the middle, above what leaders write to. Words are outside of the ring where there is room, so that messages do not cross them.
export function plan(width: number, height: number, nodes: number, servers: number): Plan {
  const on = nodes - servers;
  const isLow = height < low;
  const r = (Math.min(width, height) < 400 ? 25 : width < 560 ? 29 : 31) - (on > 6 ? 3 : 0) - (on > 8 ? 2 : 0);
  const words = high[isLow ? 0 : 1];
  const lowest = on % 2 === 0 ? 1 : Math.cos(Math.PI / on); // how far below the middle, of what the highest is above it
  const tall = (below: number): number => Math.max(r, (height - 2 * r - words - crown - below) / (1 + lowest));
  const beside = on > 2 && width / 2 - r - wide >= 0.9 * tall(words);
  const ry = tall(beside && (on === 3 || on === 5) ? rimRoom : words); // these have no words below a node
  const rx = Math.max(r, Math.min(width / 2 - r - (beside ? wide : 30), ry * (on > 6 ? 1.9 : isLow ? 2 : 1.6)));
  const lines = on > 10 ? 0 : isLow ? 1 : beside || on < 3 ? 3 : on > 5 ? 1 : 2;
  const centre = { x: width / 2, y: on === 1 ? (height + crown) / 2 : words + crown + r + ry };
  const own = { r, lines, low: isLow, from: 0, to: width, lean: 0 as const };
  const places: Place[] = [];
  for (let k = 0; k < nodes; k++) {
    if (k >= on) {
      const apart = Math.min(rx, 2 * r + 44);
      places.push({ x: centre.x + (k - on - (servers - 1) / 2) * apart, y: Math.max(centre.y - r * 1.2, Math.min(centre.y, centre.y - ry + 2 * r + 4)), ...own, side: 'right', lines: 1 });
    } else if (on === 1) places.push({ ...centre, ...own, side: 'below' });
    else {
      const angle = (((k + 1) % on) / on - 0.25) * 2 * Math.PI;
      const [across, down] = [Math.cos(angle), Math.sin(angle)];
      const aside = beside && Math.abs(across) > 0.55;
      const side: Side = aside ? (across > 0 ? 'right' : 'left') : down < -0.1 ? 'above' : 'below';
      places.push({ ...own, x: centre.x + rx * across, y: centre.y + ry * down, side, lines: aside && lines > 0 ? 3 : lines, lean: Math.abs(across) < 0.5 ? 0 : across > 0 ? 1 : -1 });
    }
  }
  const nearest = Math.min(...places.slice(0, on).flatMap((a, k) => places.slice(k + 1, on).map((b) => distance(a, b))));
  if (!beside && nearest < 2 * r + 36) for (const place of places) place.lines = 0; // words would be on the next node
  for (const place of places) if (place.side === 'left' || place.side === 'right') place.lines = Math.min(place.lines, Math.max(1, Math.floor((apart(places, place) - 4) / 14)));
  for (const server of places.slice(on)) server.to = Math.min(width, ...places.filter((other) => other.x > server.x && Math.abs(other.y - server.y) < other.r + 14).map((other) => other.x - other.r));
  return { width, height, places };
}

// apart returns how far above or below a node the next one is that has its words on the same side.
function apart(places: Place[], place: Place): number {
  return Math.min(...places.filter((other) => other !== place && other.side === place.side).map((other) => Math.abs(other.y - place.y)));
}

// lane returns the ends of one direction of a link: beside the other direction, from rim to rim but for a gap.
export function lane(a: Place, b: Place, aside = 6, gap = 7): [Point, Point] {
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const along = { x: (b.x - a.x) / length, y: (b.y - a.y) / length };
  const right = { x: -along.y * aside, y: along.x * aside };
  return [
    { x: a.x + along.x * (a.r + gap) + right.x, y: a.y + along.y * (a.r + gap) + right.y },
    { x: b.x - along.x * (b.r + gap) + right.x, y: b.y - along.y * (b.r + gap) + right.y },
  ];
}

// way returns the lane of messages from a node to another: it begins and ends at a distance from their rims, and beyond the words above or below them.
export function way(a: Place, b: Place): [Point, Point] {
  const [from, to] = lane(a, b, 7, 15);
  const clear = (place: Place, end: Point, other: Point): Point => {
    let at = end;
    for (let share = 0.05; share < 0.5 && onWords(place, at); share += 0.05) at = between([end, other], share);
    return at;
  };
  return [clear(a, from, to), clear(b, to, from)];
}

// inner is how far words above or below a node reach towards the middle of the ring, if they lean outward.
export const inner = 0.9; // of its radius

// onWords reports whether a message at a point would lie on the words above or below a node.
function onWords({ x, y, r, side, lines, lean }: Place, at: Point): boolean {
  const beyond = side === 'below' ? at.y - y - r : side === 'above' ? y - r - at.y : -1;
  const half = lines > 1 ? 47 : 35;
  const off = lean === 0 ? Math.abs(at.x - x) - half : (x - at.x) * lean - inner * r;
  return off < 12 && beyond > 0 && beyond < 22 + lines * 14 && lines > 0;
}

// between returns the point at a share of the way.
export function between([a, b]: [Point, Point], share: number): Point {
  return { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share };
}

export function distance(a: Point, b: Point): number { return Math.hypot(b.x - a.x, b.y - a.y); }

// Now is the moment that is shown: after so many frames, and when.
export interface Now { count: number; progress: number; at: number; timed: boolean }

// moment returns the moment that lies a share of the way to the next frame that is shown, by which coming frames have happened.
export function moment(frames: Frame[], count: number, progress: number, timed: boolean, coming = count + 1): Now {
  const at = frames[count - 1]?.at ?? 0;
  const then = progress > 0 ? frames[coming - 1]?.at ?? at : at;
  return { count, progress, at: at + Math.max(0, then - at) * progress, timed };
}

// share returns how much of its way a message has come. Where there are no times, it has come as far as the frames since it was
// sent, of those until it is taken; where it is never taken, it comes ever nearer.
export function share(flight: Flight, now: Now): number {
  const due = flight.due && flight.due > flight.sentAt ? flight.due : flight.endedAt;
  if (now.timed && due !== undefined && due > flight.sentAt) return clamp((now.at - flight.sentAt) / (due - flight.sentAt));
  const gone = Math.max(0, now.count - 1 - flight.sent + now.progress);
  if (flight.ended !== undefined && flight.ended > flight.sent) return clamp(gone / (flight.ended - flight.sent));
  return gone / (gone + 4);
}

function clamp(n: number): number { return Math.max(0, Math.min(1, n)); }

// spread keeps those on one lane apart, in their order: shares of the way, the first one the furthest. If there is no room for
// the gap, they share what there is.
export function spread(shares: number[], gap: number): number[] {
  const room = shares.length > 1 ? Math.min(gap, 1 / (shares.length - 1)) : 0;
  const out = [...shares];
  for (let k = 1; k < out.length; k++) out[k] = Math.min(out[k]!, out[k - 1]! - room);
  for (let k = out.length - 1, least = 0; k >= 0; k--, least += room) out[k] = Math.min(1, Math.max(out[k]!, least));
  return out;
}

// byLane returns the messages of each direction, in the order in which they were sent.
export function byLane(flights: Flight[]): Map<string, Flight[]> {
  const lanes = new Map<string, Flight[]>();
  for (const flight of flights) {
    const key = String([flight.from, flight.to]);
    const lane = lanes.get(key);
    if (lane) lane.push(flight);
    else lanes.set(key, [flight]);
  }
  return lanes;
}

// Pair is a link, and which of its directions carry nothing.
export interface Pair { a: number; b: number; there: boolean; back: boolean; usual: boolean }

// pairs returns every link. Where there are servers, nodes speak with them and not with each other, so that a link between two
// nodes is not usual.
export function pairs(nodes: number, servers: number, cut: Link[]): Pair[] {
  const gone = new Set(cut.map(String));
  const out: Pair[] = [];
  for (let a = 0; a < nodes; a++) {
    for (let b = a + 1; b < nodes; b++) {
      const serves = Number(a >= nodes - servers) + Number(b >= nodes - servers);
      out.push({ a, b, there: gone.has(String([a, b])), back: gone.has(String([b, a])), usual: servers === 0 || serves === 1 });
    }
  }
  return out;
}

// isolating returns the links, in both directions, between some nodes and all others.
export function isolating(group: Iterable<number>, nodes: number): Link[] {
  const inside = new Set(group);
  const links: Link[] = [];
  for (let a = 0; a < nodes; a++) {
    for (let b = 0; b < nodes; b++) if (inside.has(a) !== inside.has(b)) links.push([a, b]);
  }
  return links;
}

// nearest returns the node that a point is on, or near; -1 if there is none.
export function nearest(places: Place[], point: Point, near = 14): number {
  let best = -1;
  let least = Infinity;
  places.forEach((place, node) => {
    const away = distance(place, point) - place.r;
    if (away < near && away < least) { least = away; best = node; }
  });
  return best;
}

// neighbour returns the node that an arrow key leads to: with the clock or against it.
export function neighbour(node: number, nodes: number, key: string): number {
  if (key === 'Home') return 0;
  if (key === 'End') return nodes - 1;
  const by = key === 'ArrowRight' || key === 'ArrowDown' ? 1 : -1;
  return (node + by + nodes) % nodes;
}

// Longest keeps how long each timer of a recording runs at most, as far as the recording has been read: a timer's arc is a share of it.
export class Longest {
  #read = 0;
  readonly #of = new Map<string, number>();

  of(frames: Frame[], timer: string): number {
    for (; this.#read < frames.length; this.#read++) {
      const frame = frames[this.#read]!;
      for (const due of frame.state?.timers ?? []) {
        if (due.at) this.#of.set(due.timer, Math.max(this.#of.get(due.timer) ?? 0, due.at - frame.at));
      }
    }
    return this.#of.get(timer) ?? 0;
  }
}
