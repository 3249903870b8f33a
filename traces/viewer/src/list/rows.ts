// Which frames of a recording the list has as rows.
import { shown } from '../diagram/axis';
import { lastUpTo, type Recording } from '../recording';
import type { Frame } from '../types';
import { sentence, shorten } from '../words';

// Filter is what people look for. Node -1 is all nodes; text is in any case of letters.
export interface Filter { node: number; text: string; upkeep: boolean }

// Rows grows with its recording: call update when there are more frames.
export class Rows {
  readonly recording: Recording;
  readonly filter: Filter;
  readonly places: number[] = [];  // of the frames, ascending
  readonly #text: string;
  #taken = 0;

  constructor(recording: Recording, filter: Filter) {
    this.recording = recording;
    this.filter = filter;
    this.#text = filter.text.trim().toLowerCase();
    this.update();
  }

  update(): void {
    for (; this.#taken < this.recording.frames.length; this.#taken++) {
      if (this.#fits(this.#taken)) this.places.push(this.#taken);
    }
  }

  // #fits reports whether a frame is a row. Of a node are those that befall it, and those in which a message of its is lost.
  #fits(place: number): boolean {
    const { recording, filter } = this;
    const frame = recording.frames[place]!;
    if (!shown(frame, filter.upkeep)) return false;
    if (filter.node >= 0 && frame.node !== filter.node) {
      const flight = frame.node < 0 && frame.takes ? recording.flights[frame.takes - 1] : undefined;
      if (flight?.from !== filter.node && flight?.to !== filter.node) return false;
    }
    if (this.#text === '') return true;
    const words = [sentence(recording, frame), frame.note && shorten(recording, frame.note), frame.rule, frame.action];
    return words.some((word) => word?.toLowerCase().includes(this.#text));
  }

  // rowOf returns the row where we are after so many frames: the last that has happened; -1 if none has.
  rowOf(count: number): number { return lastUpTo(this.places, count - 1); }
}

// Part is a part of the rows: from the first to before the last.
export interface Part { from: number; to: number }

// partOf returns which rows are to be in the page: those to be seen, and a few more on both sides.
export function partOf(rows: number, scroll: number, height: number, row: number, more = 6): Part {
  const from = Math.max(0, Math.min(rows, Math.floor(scroll / row) - more));
  return { from, to: Math.max(from, Math.min(rows, Math.ceil((scroll + height) / row) + more)) };
}

// scrollTo returns how far to scroll so that a row is to be seen with some room, and as little as need be.
export function scrollTo(place: number, rows: number, scroll: number, height: number, row: number): number {
  const margin = Math.min(2 * row, Math.max(0, (height - row) / 2));
  const top = place * row - margin;
  const bottom = (place + 1) * row + margin - height;
  const to = scroll > top ? top : scroll < bottom ? bottom : scroll;
  return Math.max(0, Math.min(to, rows * row - height));
}

// inBrief returns what a frame says, in fewer words: "COORDINATOR 1 from 5" for "takes COORDINATOR of epoch 1 from 5".
export function inBrief(frame: Frame, words: string): string {
  return frame.kind === 'receive' ? words.replace(/^takes /, '').replace(/ of (epoch|term|revision) (\d+)/, ' $2').replace(/ \(question \d+\)/, '') : words;
}
