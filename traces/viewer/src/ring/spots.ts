// Where the words for what moves on the ring stand: beside what they are for, and on nothing else. A word for which there is no such place is not drawn: its shape has its
// letters, and says what it is under the pointer.
import type { Box, Disc } from './beside';
import { boxOf, type Anchor, type Line } from './lines';
import type { Point } from './geometry';

// Spot is a place for a word.
export interface Spot extends Point { anchor: Anchor }

// Wanted is a word that is to have a place: at the first of its spots that is free; if none is, in shorter words.
export interface Wanted { key: string; kind: string; texts: string[]; spots: Spot[] }

export interface Label extends Line { key: string; kind: string }

// Taken is what words must not lie on.
export interface Taken { discs: Disc[]; boxes: Box[] }

const size = 11;
const gap = 2; // pixels round a word that are free, too

// settle returns a place for each word that has one. A word stays where it was as long as it can: was has the spots, by their keys.
export function settle(wanted: Wanted[], { discs, boxes }: Taken, frame: Box, was: Map<string, number>): Label[] {
  const taken = [...boxes];
  const free = (box: Box): boolean => box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom &&
    !taken.some((other) => box.left < other.right + gap && other.left - gap < box.right && box.top < other.bottom + gap && other.top - gap < box.bottom) &&
    !discs.some(({ x, y, r }) => Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom)) < r + gap);
  const labels: Label[] = [];
  const now = new Map<string, number>();
  for (const { key, kind, texts, spots } of wanted) {
    const before = was.get(key);
    const order = [...spots.keys()].sort((a, b) => Number(b === before) - Number(a === before));
    const all = texts.flatMap((text) => order.map((spot) => ({ spot, label: { key, kind, text, ...spots[spot]!, size, bold: true } })));
    const found = all.find(({ label }) => free(boxOf(label)));
    if (!found) continue;
    taken.push(boxOf(found.label));
    labels.push(found.label);
    now.set(key, found.spot);
  }
  was.clear();
  for (const [key, spot] of now) was.set(key, spot);
  return labels;
}

// round returns the spots round a point, so far from it: right, left, below, above, and across.
export function round({ x, y }: Point, far: number): Spot[] {
  const [above, below] = [y - far - 3, y + far + 9];
  return [
    { x: x + far, y: y + 4, anchor: 'start' }, { x: x - far, y: y + 4, anchor: 'end' }, { x, y: below, anchor: 'middle' }, { x, y: above, anchor: 'middle' },
    { x, y: below, anchor: 'start' }, { x, y: below, anchor: 'end' }, { x, y: above, anchor: 'start' }, { x, y: above, anchor: 'end' },
  ];
}
