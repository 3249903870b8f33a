// Where each frame of a recording is, from the top down. In a recording with times that is its time, with long gaps squeezed, and
// always a step below the frame before; in a recording without times each frame is a row.
import { lastUpTo, type Recording } from '../recording';
import type { Frame } from '../types';
import { time } from '../words';

// Break is a gap in time that is shown shorter than it was.
export interface Break { from: number; to: number; time: number }

export const step = 14;         // pixels between two frames, at least, unless zoomed
const row = 24;                 // in recordings without times
const journey = 56;             // that a message usually takes
export const longest = 64;      // of a gap
const sample = 256;             // frames by which the scale is chosen, at most: from then on it stays

// shown reports whether people see a frame as one that they step to.
export function shown(frame: Frame, upkeep: boolean): boolean {
  return upkeep || frame.upkeep !== true || (frame.indicators?.length ?? 0) > 0;
}

// rowed reports whether a frame has a row of its own: if it is shown, or an arrow that is shown begins or ends there.
function rowed(recording: Recording, frame: Frame, upkeep: boolean): boolean {
  if (shown(frame, upkeep)) return true;
  if (frame.sends?.some((m) => !m.upkeep)) return true;
  return frame.takes !== undefined && recording.flights[frame.takes - 1]?.upkeep !== true;
}

// when returns when something was, so that moments near each other can be told apart: "1.204 s", "2:11.402"; in a recording
// without times its place.
export function when(recording: Recording, place: number): string {
  if (!recording.header.timed) return String(place + 1);
  const at = recording.frames[place]?.at ?? 0;
  if (at < 1e6) return time(at);
  const ms = Math.round(at / 1e3);
  const seconds = (ms % 60_000 / 1e3).toFixed(3);
  return ms < 60_000 ? `${seconds} s` : `${Math.floor(ms / 60_000)}:${seconds.padStart(6, '0')}`;
}

function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

// Axis is the places of the frames of one recording. It grows with the recording: call update when there are more.
export class Axis {
  readonly recording: Recording;
  readonly upkeep: boolean;
  readonly y: number[] = [];        // of each frame; never less than that of the frame before
  readonly rows: number[] = [];     // the frames that have rows
  readonly breaks: Break[] = [];    // from the top down
  #scale = 0;                       // pixels for a microsecond
  #scaledBy = 0;                    // how many frames there were when it was chosen
  #at = 0;                          // when the last row was
  #bottom = 0;                      // where the last row is

  constructor(recording: Recording, upkeep: boolean) {
    this.recording = recording;
    this.upkeep = upkeep;
    this.update();
  }

  // bottom is where the last frame is.
  get bottom(): number { return this.y.at(-1) ?? 0; }

  // update takes in the frames that have come, and reports whether those before are somewhere else now.
  update(): boolean {
    const length = this.recording.frames.length;
    const by = length === 0 ? 0 : Math.min(sample, 2 ** Math.floor(Math.log2(length)));
    const moved = this.recording.header.timed && by !== this.#scaledBy && this.#rescale(by);
    for (let place = this.y.length; place < length; place++) this.#add(place);
    return moved;
  }

  // #rescale chooses by the first frames how much room time has: a message that is under way for as long as most goes down by
  // one journey. It depends on those frames only: a branch of a run has the scale of the run.
  #rescale(by: number): boolean {
    this.#scaledBy = by;
    const times: number[] = [];
    for (const flight of this.recording.flights) {
      if (!flight || flight.sent >= by || flight.lost || (flight.upkeep && !this.upkeep)) continue;
      const came = flight.taken && flight.ended! < by ? flight.endedAt! : flight.due ?? 0;
      if (came > flight.sentAt) times.push(came - flight.sentAt);
    }
    let scale = journey / median(times);
    if (times.length === 0) {
      const frames = this.recording.frames.slice(0, by);
      scale = journey / 2 / median(frames.slice(1).map((f, i) => f.at - frames[i]!.at).filter((t) => t > 0));
    }
    if (!Number.isFinite(scale)) scale = 0; // there are no times to go by: frames are a step apart
    if (scale === this.#scale) return false;
    this.#scale = scale;
    this.y.length = this.rows.length = this.breaks.length = 0;
    return true;
  }

  #add(place: number): void {
    const { recording } = this;
    const frame = recording.frames[place]!;
    if (place === 0) { this.#at = frame.at; this.#bottom = 0; }
    const own = rowed(recording, frame, this.upkeep);
    if (!own) {
      // Nobody sees it. Still the cursor may be there: between two rows. The next row, which is later, is not above it.
      this.y.push(Math.max(this.y.at(-1) ?? 0, this.#bottom + 0.95 * (recording.header.timed ? this.#room(frame.at) : 0)));
      return;
    }
    if (this.rows.length > 0) {
      const from = this.#bottom;
      this.#bottom += recording.header.timed ? Math.max(step, this.#room(frame.at)) : row;
      const passed = frame.at - this.#at;
      if (recording.header.timed && passed * this.#scale > 1.25 * longest) this.breaks.push({ from, to: this.#bottom, time: passed });
    }
    this.#at = frame.at;
    this.rows.push(place);
    this.y.push(this.#bottom);
  }

  // gaps returns the breaks, and that after the last row, if so much time has passed since.
  gaps(): Break[] {
    const last = this.recording.frames.at(-1);
    const passed = last ? last.at - this.#at : 0;
    if (!this.recording.header.timed || passed * this.#scale <= 1.25 * longest) return this.breaks;
    return [...this.breaks, { from: this.#bottom, to: this.bottom, time: passed }];
  }

  // #room returns how far below the last row a time is.
  #room(at: number): number { return Math.min(longest, Math.max(0, at - this.#at) * this.#scale); }

  // beyond returns where a time after the last frame is, as far as one can say now.
  beyond(at: number): number { return this.bottom + (this.recording.header.timed ? Math.max(step, this.#room(at)) : row); }

  // cursor returns where we are after so many frames.
  cursor(count: number): number { return count <= 0 ? -step : this.y[Math.min(count, this.y.length) - 1] ?? -step; }

  // lastAbove returns the last place in rows that is not below y; -1 if there is none.
  lastAbove(y: number): number {
    const { rows } = this;
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.y[rows[middle]!]! <= y) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  // visible returns the places in rows from the first that is not above top to the one after the last that is not below bottom.
  visible(top: number, bottom: number): [from: number, to: number] {
    let from = this.lastAbove(top);
    while (from > 0 && this.y[this.rows[from - 1]!]! >= top) from--; // those exactly there
    if (from < 0 || this.y[this.rows[from]!]! < top) from++;
    return [from, Math.max(from, this.lastAbove(bottom) + 1)];
  }

  // rowOf returns the place in rows of a frame, or of the last row before it; -1 if there is none.
  rowOf(place: number): number { return lastUpTo(this.rows, place); }
}
