// What a diagram is painted with. There are two brushes, one for a canvas and one for SVG: what is painted is the same.
import type { Shape } from './shapes';

export type Stroke =
  | 'flight' | 'upkeep' | 'lost' | 'open' | 'up' | 'down' | 'paused' | 'saving' | 'cut' | 'edge' | 'break' | 'dots' | 'faint' | 'faintest'
  | 'outside' | 'members' | 'unheard';

// Line is how a stroke looks: its colour, by its name in palette.css.
export interface Line { colour: string; width: number; dash: number[] }

export const lines: Record<Stroke, Line> = {
  flight: { colour: '--flight', width: 1.5, dash: [] },
  open: { colour: '--flight', width: 1.5, dash: [5, 3] },
  lost: { colour: '--flight', width: 1.25, dash: [2, 2.5] },
  upkeep: { colour: '--upkeep', width: 0.8, dash: [] },
  up: { colour: '--edge', width: 1.75, dash: [] },
  down: { colour: '--down', width: 1.25, dash: [1.5, 6] },
  unheard: { colour: '--down', width: 1, dash: [8, 4, 1.5, 4] },
  paused: { colour: '--amber', width: 1.5, dash: [] },
  saving: { colour: '--edge', width: 4, dash: [2, 2] },
  outside: { colour: '--edge', width: 1, dash: [1, 4] },
  cut: { colour: '--red', width: 1, dash: [7, 4] },
  members: { colour: '--accent', width: 1, dash: [2, 3] },
  edge: { colour: '--line', width: 1, dash: [] },
  break: { colour: '--soft', width: 1.25, dash: [] },
  dots: { colour: '--red', width: 1, dash: [1, 5] },
  faint: { colour: '--flight', width: 0.75, dash: [] },    // there are very many
  faintest: { colour: '--upkeep', width: 0.4, dash: [] },
};

export interface Words {
  size: number;                        // in pixels
  colour: string;                      // by its name in palette.css
  align?: 'left' | 'center' | 'right';
  bold?: boolean;
  angle?: number;                      // radians, around the point
  halo?: string;                       // a colour around it, so that it can be read across lines
}

// Brush paints. All is in pixels of the screen; y is that of the middle of a text.
export interface Brush {
  width(text: string, size: number, bold?: boolean): number;
  box(x: number, y: number, w: number, h: number, colour: string): void;
  band(x: number, y: number, w: number, h: number, epoch: number): void;
  line(x0: number, y0: number, x1: number, y1: number, stroke: Stroke): void;
  head(x: number, y: number, dx: number, dy: number, stroke: Stroke): void; // of an arrow that goes in direction (dx, dy)
  mark(shape: Shape, x: number, y: number, r: number, colour: string, ring: boolean): void;
  text(text: string, x: number, y: number, words: Words): void;
  flush(): void;                       // what was painted is below what will be
}

// hatches are the patterns of reigns, besides their colours: the directions of their lines.
export const hatches: readonly (readonly number[])[] = [[45], [-45], [0], [45, -45], [90], [0, 90]];

// hatchOf returns the pattern of an epoch. Two that follow each other never have the same.
export function hatchOf(epoch: number): number { return epoch % hatches.length; }

// bandColour returns the colour of the reign of an epoch.
export function bandColour(epoch: number): string { return epoch > 0 ? `--epoch-${epoch % 8}` : '--line'; }

// cut shortens a text until it fits, and returns '' if hardly anything of it would be left.
export function cut(brush: Brush, text: string, room: number, size: number, bold = false): string {
  if (brush.width(text, size, bold) <= room) return text;
  let length = Math.floor(text.length * room / brush.width(text, size, bold));
  while (length > 3 && brush.width(`${text.slice(0, length)}…`, size, bold) > room) length--;
  return length > 3 ? `${text.slice(0, length).trimEnd()}…` : '';
}
