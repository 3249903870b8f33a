// The clock of a film: which frames it has, and when each comes. Something of a film is there from a time to another, again and again, as the film
// does not end.
import type { Recording } from '../recording';
import { pace } from '../transport/pacing';

// Still is what a film shows after so many frames, from when on, in milliseconds.
export interface Still { count: number; at: number }

// Clock has the stills of a film, and how long it is, in milliseconds.
export interface Clock { stills: Still[]; long: number }

const rests = 2500;     // at its end, before it begins again
const longest = 60_000; // beyond, it goes faster

// clockOf returns the clock of the frames that are shown, of those after from: so many at most.
export function clockOf(recording: Recording, from: number, most: number, shows: (place: number) => boolean): Clock {
  const stills: Still[] = [{ count: from, at: 0 }];
  const { frames, header } = recording;
  let last = frames[from - 1]?.at ?? frames[0]?.at ?? 0;
  let at = 700;
  for (let place = from; place < frames.length && stills.length <= most; place++) {
    if (!shows(place)) continue;
    at += pace(frames[place]!, last, { speed: 1, timed: header.timed });
    last = frames[place]!.at;
    stills.push({ count: place + 1, at });
  }
  const long = at + rests;
  const by = Math.min(1, longest / long);
  return { stills: stills.map((still) => ({ ...still, at: Math.round(still.at * by) })), long: Math.round(long * by) };
}

// Shown collects when each of some things is there, by a name: those that are the same at two stills are one.
export class Shown<T> {
  readonly #clock: Clock;
  readonly #of = new Map<string, { what: T; stills: number[] }>();

  constructor(clock: Clock) { this.#clock = clock; }

  add(still: number, name: string, what: T): void {
    const known = this.#of.get(name);
    if (!known) this.#of.set(name, { what, stills: [still] });
    else if (known.stills.at(-1) !== still) known.stills.push(still);
  }

  // drawn draws each, and what shows it at its time and no other.
  drawn(draw: (what: T) => string): string {
    return [...this.#of.values()].map(({ what, stills }) => blink(this.#clock, stills, draw(what))).join('\n');
  }
}

// blink is something that is there at some stills. Who shows the film as a picture that stands still shows its end.
export function blink(clock: Clock, stills: number[], inside: string, attributes = ''): string {
  const { long, stills: all } = clock;
  const there = new Set(stills);
  if (there.size === all.length) return `<g${attributes}>${inside}</g>`;
  const values: number[] = [];
  const times: number[] = [];
  all.forEach(({ at }, i) => {
    const is = there.has(i) ? 1 : 0;
    if (values.at(-1) === is) return;
    values.push(is);
    times.push(at);
  });
  return `<g${attributes} opacity="${there.has(all.length - 1) ? 1 : 0}"><animate attributeName="opacity" calcMode="discrete" dur="${long}ms" repeatCount="indefinite" ` +
    `values="${values.join(';')}" keyTimes="${times.map((at) => share(at, long)).join(';')}"/>${inside}</g>`;
}

// share writes a time as a share of the film.
export function share(at: number, long: number): string { return String(Math.round((1e5 * at) / long) / 1e5); }
