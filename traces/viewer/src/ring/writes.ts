// What has come to the resource, frame by frame: pure functions.
import { lastUpTo, type Recording } from '../recording';
import type { Fate, Frame, NodeState, Side } from '../types';
import type { Now, Place, Plan } from './geometry';

// Written is a write that has come to the resource.
export interface Written { count: number; at: number; node: number; epoch: number; looked: number; fate: Fate }

// Tally is what the resource has taken and refused, and the highest epoch that it has taken a write of.
export interface Tally { highest: number; taken: number; refused: number; stale: number; last: Written | undefined }

const none: Tally = { highest: 0, taken: 0, refused: 0, stale: 0, last: undefined };

// Writes are those of a recording, as far as it has been read; of a pair, those of the nodes of one side.
export class Writes {
  #read = 0;
  readonly #nodes: readonly number[] | undefined;
  readonly #counts: number[] = []; // after how many frames each has come
  readonly #tallies: Tally[] = [];

  constructor(nodes?: readonly number[]) { this.#nodes = nodes; }

  #go(frames: Frame[]): void {
    for (; this.#read < frames.length; this.#read++) {
      const { wrote, node, at } = frames[this.#read]!;
      if (!wrote?.fate || (this.#nodes && !this.#nodes.includes(node))) continue;
      const was = this.#tallies.at(-1) ?? none;
      const last: Written = { count: this.#read + 1, at, node, epoch: wrote.epoch ?? 0, looked: wrote.looked, fate: wrote.fate };
      const [taken, refused, stale] = [Number(wrote.fate !== 'refused'), Number(wrote.fate === 'refused'), Number(wrote.fate === 'stale')];
      this.#counts.push(last.count);
      this.#tallies.push({ highest: Math.max(was.highest, taken * last.epoch), taken: was.taken + taken, refused: was.refused + refused, stale: was.stale + stale, last });
    }
  }

  // after returns what there is after so many frames.
  after(frames: Frame[], count: number): Tally {
    this.#go(frames);
    return this.#tallies[lastUpTo(this.#counts, count)] ?? none;
  }

  // between returns the writes of the frames from one count to another, the first excluded.
  between(frames: Frame[], from: number, to: number): Written[] {
    this.#go(frames);
    return this.#tallies.slice(lastUpTo(this.#counts, from) + 1, lastUpTo(this.#counts, to) + 1).map((tally) => tally.last!);
  }
}

const known = new WeakMap<Recording | Side, Writes>();

// writesOf returns the writes of a recording; of a pair, those of one of its sides.
export function writesOf(recording: Recording, side: Side): Writes {
  const of = recording.header.sides ? side : recording;
  let writes = known.get(of);
  if (!writes) known.set(of, (writes = new Writes(recording.header.sides && side.nodes)));
  return writes;
}

const flies = 0.4; // of the time between two frames that are shown: so long a write is seen under way that takes no time to speak of

// flown returns how much of its way a write has come, while the frames between from and to pass; null if it is not under way then.
export function flown(write: Written, now: number, from: number, to: number): number | null {
  if (now > write.at || to <= from) return null;
  const begins = Math.max(from, Math.min(write.looked, write.at - flies * (to - from)));
  return now < begins ? null : write.at > begins ? (now - begins) / (write.at - begins) : 1;
}

// half is half of the width and of the height of the resource; fence is how far round it its fence is, and sheet what a write takes between it and a node.
export const half = { x: 46, y: 27 };
export const fence = 6;
const sheet = 24;

// resourceAt returns where the resource is: in the middle of the ring, or a little lower, if a write has no room there below the highest node, which leads; below a
// server if there is one, beside a node that is alone; and in the corner where the ring is too small for it.
export function resourceAt({ width, places, left: from = 0, top = 0 }: Plan & { left?: number; top?: number }, servers: number): Place {
  const on = places.length - servers;
  const ring = places.slice(0, on);
  const middle = { x: ring.reduce((sum, p) => sum + p.x, 0) / on, y: (Math.min(...ring.map((p) => p.y)) + Math.max(...ring.map((p) => p.y))) / 2 };
  const place = (x: number, y: number): Place => ({ x, y, r: half.y, side: 'below', lines: 0, low: false, from, to: from + width, lean: 0 });
  if (on === 1) return place(Math.min(from + width - half.x - 4, middle.x + ring[0]!.r + 60 + half.x), middle.y);
  const server = places[on];
  const free = (at: Place): boolean =>
    places.every((p) => Math.hypot(Math.max(0, Math.abs(p.x - at.x) - half.x - fence), Math.max(0, Math.abs(p.y - at.y) - half.y - fence)) >= p.r - 1);
  const highest = Math.min(...ring.map((p) => p.y + p.r));
  const heights = server ? [server.y + server.r + 14 + half.y] : [Math.max(middle.y, highest + sheet + fence + half.y), middle.y];
  return heights.map((y) => place(middle.x, y)).find(free) ?? place(from + half.x + 12, top + half.y + 12);
}

// leaseOf returns how long a leader may act; undefined if nothing says so. Between two frames that are shown others may come, which are not, and
// renew it: those up to a moment are looked at.
export function leaseOf(frames: Frame[], node: number, state: NodeState, { count, progress, at }: Now, coming: number): NodeState['lease'] {
  let lease = state.lease;
  for (let k = count; progress > 0 && k < coming - 1 && k < frames.length && frames[k]!.at <= at; k++) {
    if (frames[k]!.node === node && frames[k]!.state) lease = frames[k]!.state!.lease;
  }
  return lease;
}

// left returns the share of a lease that is left, from 1 to 0; null if its end is not known.
export function left(lease: NodeState['lease'], at: number): number | null {
  if (!lease?.ends || lease.ends <= lease.asked) return null;
  return Math.max(0, Math.min(1, (lease.ends - at) / (lease.ends - lease.asked)));
}
