// The arrows: where each message begins and ends, and which of them cross a part of the diagram.
import type { Recording, Flight } from '../recording';
import { shown, type Axis } from './axis';

export type End = 'taken' | 'lost' | 'open';

// Arrow is a message, in columns (which may be a fraction) across, and as the axis has it down.
export interface Arrow { x0: number; y0: number; x1: number; y1: number; end: End }

const stub = 12;     // how far down a message gets that is lost when it is sent
const patience = 480; // how far down a message is followed that does not arrive
const block = 64;

// arrowOf finds out where the arrow of a message is, and puts it into an Arrow that is there already: it is called often.
export function arrowOf(axis: Axis, flight: Flight, into: Arrow): Arrow {
  const y0 = axis.y[flight.sent] ?? 0;
  const across = flight.to - flight.from;
  into.x0 = flight.from;
  into.y0 = y0;
  if (flight.ended !== undefined && flight.taken) {
    into.x1 = flight.to;
    into.y1 = axis.y[flight.ended] ?? y0;
    into.end = 'taken';
  } else if (flight.ended !== undefined) {
    const share = flight.lost ? 0.22 : way(flight);
    into.x1 = flight.from + across * share;
    into.y1 = Math.max(axis.y[flight.ended] ?? y0, y0 + stub);
    into.end = 'lost';
  } else {
    openEnd(axis, flight, into, across);
  }
  return into;
}

// way returns how much of its way a message had made that was lost on it.
function way(flight: Flight): number {
  const whole = (flight.due ?? 0) - flight.sentAt;
  if (whole <= 0) return 0.6;
  return Math.min(0.85, Math.max(0.22, ((flight.endedAt ?? 0) - flight.sentAt) / whole));
}

// openEnd ends the arrow of a message under way at the last frame, on its way to where it is due. One that has been under
// way for long is a stub: else it would cross all that has happened since.
function openEnd(axis: Axis, flight: Flight, into: Arrow, across: number): void {
  const { bottom } = axis;
  const long = bottom - into.y0 > patience;
  const due = axis.beyond(flight.due ?? 0);
  const share = long ? 0.3 : Math.max(0.2, (bottom - into.y0) / (due - into.y0));
  into.x1 = flight.from + across * share;
  into.y1 = long ? into.y0 + 2 * stub : Math.max(into.y0 + (due - into.y0) * share, into.y0 + 4);
  into.end = 'open';
}

// visible reports whether a message is shown: those of a reign's upkeep only if upkeep is, or if what ends them is shown.
export function visible(axis: Axis, flight: Flight): boolean {
  if (axis.upkeep || !flight.upkeep) return true;
  const end = flight.ended === undefined ? undefined : axis.recording.frames[flight.ended];
  return end !== undefined && end.takes === flight.number && shown(end, false);
}

// Arrows finds the arrows that are somewhere between two heights. Messages are in the order in which they were sent, so
// their upper ends are in order; of the lower ends it knows the lowest of each block.
export class Arrows {
  readonly #recording: Recording;
  readonly #axis: Axis;
  readonly #top: number[] = [];
  readonly #bottom: number[] = [];
  #open: number[] = [];     // blocks in which some message is under way, or missing: they change
  #blocks = 0;
  readonly #arrow: Arrow = { x0: 0, y0: 0, x1: 0, y1: 0, end: 'open' };

  constructor(axis: Axis) {
    this.#recording = axis.recording;
    this.#axis = axis;
    this.update();
  }

  // update takes in the messages that have come, and those that have ended.
  update(): void {
    const blocks = Math.ceil(this.#recording.flights.length / block);
    while (this.#blocks < blocks) this.#open.push(this.#blocks++);
    this.#open = this.#open.filter((b) => !this.#measure(b));
  }

  // again forgets what it knows: the axis has changed.
  again(): void {
    this.#open = [];
    this.#blocks = 0;
    this.update();
  }

  // #measure looks how high and low the arrows of a block are, and reports whether that is for good.
  #measure(b: number): boolean {
    const { flights } = this.#recording;
    let top = Infinity;
    let bottom = -Infinity;
    let closed = flights.length >= (b + 1) * block;
    for (let i = b * block; i < Math.min(flights.length, (b + 1) * block); i++) {
      const flight = flights[i];
      if (!flight) { closed = false; continue; }
      if (flight.ended === undefined) closed = false;
      const { y0, y1 } = arrowOf(this.#axis, flight, this.#arrow);
      top = Math.min(top, y0);
      bottom = Math.max(bottom, y1);
    }
    this.#top[b] = top;
    this.#bottom[b] = bottom;
    return closed;
  }

  // each calls a function with every arrow that is somewhere between two heights, in the order in which they were sent. The
  // Arrow is the same object each time.
  each(top: number, bottom: number, call: (flight: Flight, arrow: Arrow) => void): void {
    const { flights } = this.#recording;
    for (let b = 0; b < this.#blocks; b++) {
      if (this.#bottom[b]! < top || this.#top[b]! > bottom) continue;
      for (let i = b * block; i < Math.min(flights.length, (b + 1) * block); i++) {
        const flight = flights[i];
        if (!flight || !visible(this.#axis, flight)) continue;
        const arrow = arrowOf(this.#axis, flight, this.#arrow);
        if (arrow.y1 >= top && arrow.y0 <= bottom) call(flight, arrow);
      }
    }
  }
}
