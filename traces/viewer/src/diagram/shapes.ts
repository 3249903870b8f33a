// The mark of each kind of frame: a shape, so that nobody needs its colour, and a letter where there is room for one.
import type { Kind, Look } from '../types';

// Corners are the points of a polygon around (0, 0), at most 1 away from it in each direction: x, y, x, y…
export type Corners = readonly number[];

export interface Shape {
  letter: string;
  corners: Corners | null; // null: a circle
  open?: boolean;          // it is strokes, each of two points, and not an area
}

const square = [-0.85, -0.85, 0.85, -0.85, 0.85, 0.85, -0.85, 0.85];
const diamond = [0, -1.15, 1.15, 0, 0, 1.15, -1.15, 0];
const right = [-0.7, -1, 1.1, 0, -0.7, 1];
const up = [0, -1.1, 1.1, 0.9, -1.1, 0.9];
const down = [0, 1.1, 1.1, -0.9, -1.1, -0.9];
const hexagon = [-1.1, 0, -0.55, -0.95, 0.55, -0.95, 1.1, 0, 0.55, 0.95, -0.55, 0.95];
const disk = [-1.1, -0.6, 1.1, -0.6, 1.1, 0.6, -1.1, 0.6];
const cross = [-1, -1, 1, 1, 1, -1, -1, 1];
const bars = [-0.5, -1, -0.5, 1, 0.5, -1, 0.5, 1];

export const shapes: Record<Kind, Shape> = {
  start: { letter: 'S', corners: up },
  restart: { letter: 'R', corners: up },
  receive: { letter: 'M', corners: null },
  timer: { letter: 'T', corners: diamond },
  call: { letter: 'C', corners: square },
  save: { letter: 'D', corners: disk },
  crash: { letter: 'X', corners: cross, open: true },
  pause: { letter: 'P', corners: bars, open: true },
  resume: { letter: 'G', corners: right },
  lose: { letter: 'L', corners: cross, open: true },
  links: { letter: 'K', corners: hexagon },
  write: { letter: 'W', corners: down },
  intervene: { letter: 'Y', corners: hexagon },
  step: { letter: 'A', corners: null },
};

// lookColour returns the colour of what a node is, by its name in palette.css.
export function lookColour(look: Look): string { return look === 'serves' ? '--idle' : `--${look}`; }

// kindColour returns the colour of the mark of a frame: what its node is after it, or what befell it.
export function kindColour(kind: Kind, look: Look): string {
  if (kind === 'crash' || kind === 'lose') return '--red';
  if (kind === 'links' || kind === 'intervene') return '--accent';
  return lookColour(look);
}
