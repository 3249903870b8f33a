// The brush of a canvas. Lines of one stroke are painted together, which is much quicker than one by one.
import { bandColour, hatches, hatchOf, lines, type Brush, type Stroke, type Words } from './brush';
import type { Shape } from './shapes';

// Palette returns what a colour is, by its name in palette.css: "--ink".
export type Palette = (name: string) => string;

export const font = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif';
const turn = Math.PI / 120; // texts are turned by a multiple of this: then their letters need not be drawn anew for each
const together = 200; // lines in one path: beyond, paths become slow

export class CanvasBrush implements Brush {
  readonly #to: CanvasRenderingContext2D;
  readonly #palette: Palette;
  readonly #lines = new Map<Stroke, number[]>();
  readonly #heads = new Map<Stroke, number[]>();
  readonly #patterns = new Map<number, CanvasPattern | null>();
  readonly #widths = new Map<string, number>();
  readonly #dpr: number;
  #font = '';

  constructor(to: CanvasRenderingContext2D, palette: Palette, dpr: number) {
    this.#to = to;
    this.#palette = palette;
    this.#dpr = dpr;
  }

  // begin makes it ready for a new picture: what else was painted with the canvas has left nothing behind.
  begin(): void {
    this.#to.setTransform(this.#dpr, 0, 0, this.#dpr, 0, 0);
    this.#to.globalAlpha = 1;
    this.#to.lineJoin = 'round';
    this.#to.textBaseline = 'middle';
    this.#font = '';
  }

  #setFont(size: number, bold: boolean): void {
    const wanted = `${bold ? '600 ' : ''}${size}px ${font}`;
    if (wanted !== this.#font) this.#to.font = this.#font = wanted;
  }

  width(text: string, size: number, bold = false): number {
    const key = `${size}${bold ? 'b' : ' '}${text}`;
    let width = this.#widths.get(key);
    if (width === undefined) {
      if (this.#widths.size > 4000) this.#widths.clear();
      this.#setFont(size, bold);
      this.#widths.set(key, (width = this.#to.measureText(text).width));
    }
    return width;
  }

  box(x: number, y: number, w: number, h: number, colour: string): void {
    this.#to.fillStyle = this.#palette(colour);
    this.#to.fillRect(x, y, w, h);
  }

  band(x: number, y: number, w: number, h: number, epoch: number): void {
    const to = this.#to;
    const colour = this.#palette(bandColour(epoch));
    to.globalAlpha = 0.55;
    to.fillStyle = colour;
    to.fillRect(x, y, w, h);
    to.globalAlpha = 1;
    const pattern = this.#pattern(epoch);
    if (pattern && h > 4) {
      to.fillStyle = pattern;
      to.fillRect(x, y, w, h);
    }
    to.fillStyle = colour;
    to.fillRect(x, y, 2, h);
    to.fillRect(x + w - 2, y, 2, h);
    to.fillRect(x, y, w, Math.min(2, h));
  }

  // #pattern returns the pattern of an epoch: 12 by 12 pixels that fit to each other.
  #pattern(epoch: number): CanvasPattern | null {
    const key = (epoch % 8) * hatches.length + hatchOf(epoch) + (epoch > 0 ? 0 : 1e6);
    let pattern = this.#patterns.get(key);
    if (pattern !== undefined) return pattern;
    const side = Math.round(12 * this.#dpr);
    const tile = document.createElement('canvas');
    tile.width = tile.height = side;
    const on = tile.getContext('2d');
    if (!on) return null;
    on.strokeStyle = this.#palette(bandColour(epoch));
    on.lineWidth = 1.5 * this.#dpr;
    on.beginPath();
    for (const angle of hatches[hatchOf(epoch)]!) {
      const [dx, dy] = angle === 0 ? [1, 0] : angle === 90 ? [0, 1] : angle > 0 ? [1, -1] : [1, 1];
      for (const off of dx && dy ? [-side, 0, side] : [0]) {
        const [x, y] = dx && dy ? [off, dy < 0 ? side : 0] : [dx ? 0 : side / 2, dy ? 0 : side / 2];
        on.moveTo(x - dx * side, y - dy * side);
        on.lineTo(x + dx * 2 * side, y + dy * 2 * side);
      }
    }
    on.stroke();
    pattern = this.#to.createPattern(tile, 'repeat');
    pattern?.setTransform(new DOMMatrix().scale(1 / this.#dpr));
    this.#patterns.set(key, pattern);
    return pattern;
  }

  line(x0: number, y0: number, x1: number, y1: number, stroke: Stroke): void {
    const all = this.#lines.get(stroke);
    if (all) all.push(x0, y0, x1, y1);
    else this.#lines.set(stroke, [x0, y0, x1, y1]);
  }

  head(x: number, y: number, dx: number, dy: number, stroke: Stroke): void {
    const all = this.#heads.get(stroke);
    if (all) all.push(x, y, dx, dy);
    else this.#heads.set(stroke, [x, y, dx, dy]);
  }

  mark(shape: Shape, x: number, y: number, r: number, colour: string, ring: boolean): void {
    const to = this.#to;
    if (r < 1.6 && !shape.open) { // nobody could see its shape, and there are thousands
      to.fillStyle = this.#palette(colour);
      to.fillRect(x - r, y - r, 2 * r, 2 * r);
      return;
    }
    to.setLineDash([]);
    to.beginPath();
    if (!shape.corners) {
      to.arc(x, y, r, 0, 2 * Math.PI);
    } else if (shape.open) {
      const c = shape.corners;
      for (let i = 0; i < c.length; i += 4) {
        to.moveTo(x + r * c[i]!, y + r * c[i + 1]!);
        to.lineTo(x + r * c[i + 2]!, y + r * c[i + 3]!);
      }
    } else {
      shape.corners.forEach((v, i, c) => { if (i % 2 === 0) to.lineTo(x + r * v, y + r * c[i + 1]!); });
      to.closePath();
    }
    this.#fill(shape, r, colour);
    if (!ring) return;
    to.beginPath();
    to.arc(x, y, r + 3, 0, 2 * Math.PI);
    to.strokeStyle = this.#palette('--accent');
    to.lineWidth = 1.25;
    to.stroke();
  }

  // #fill fills the path of a mark, with an edge that sets it off from lines; or strokes it.
  #fill(shape: Shape, r: number, colour: string): void {
    const to = this.#to;
    if (shape.open) {
      if (r > 2.5) {
        to.strokeStyle = this.#palette('--card');
        to.lineWidth = Math.max(2, 0.5 * r) + 2;
        to.stroke();
      }
      to.strokeStyle = this.#palette(colour);
      to.lineWidth = Math.max(1.25, 0.5 * r);
      to.stroke();
      return;
    }
    if (r > 2.5) {
      to.strokeStyle = this.#palette('--card');
      to.lineWidth = 2;
      to.stroke();
    }
    to.fillStyle = this.#palette(colour);
    to.fill();
  }

  text(text: string, x: number, y: number, words: Words): void {
    const to = this.#to;
    this.#setFont(words.size, words.bold === true);
    to.textAlign = words.align ?? 'left';
    const turned = words.angle !== undefined && words.angle !== 0;
    if (turned) {
      to.save();
      to.translate(x, y);
      to.rotate(Math.round(words.angle! / turn) * turn);
      x = y = 0;
    }
    if (words.halo) {
      const width = this.width(text, words.size, words.bold) + 2; // a box: to stroke letters takes ten times as long
      const left = words.align === 'center' ? x - width / 2 : words.align === 'right' ? x - width + 1 : x - 1;
      to.globalAlpha = 0.78;
      to.fillStyle = this.#palette(words.halo);
      to.fillRect(left, y - words.size / 2, width, words.size);
      to.globalAlpha = 1;
    }
    to.fillStyle = this.#palette(words.colour);
    to.fillText(text, x, y);
    if (turned) to.restore();
  }

  flush(): void {
    for (const [stroke, all] of this.#lines) {
      if (all.length > 0) this.#strokeAll(stroke, all);
      all.length = 0;
    }
    for (const [stroke, all] of this.#heads) {
      if (all.length > 0) this.#headAll(stroke, all);
      all.length = 0;
    }
  }

  #strokeAll(stroke: Stroke, all: number[]): void {
    const to = this.#to;
    const { colour, width, dash } = lines[stroke];
    to.strokeStyle = this.#palette(colour);
    to.lineWidth = width;
    to.setLineDash(dash);
    for (let i = 0; i < all.length;) {
      to.beginPath();
      for (const end = Math.min(all.length, i + 4 * together); i < end; i += 4) {
        to.moveTo(all[i]!, all[i + 1]!);
        to.lineTo(all[i + 2]!, all[i + 3]!);
      }
      to.stroke();
    }
    to.setLineDash([]);
  }

  #headAll(stroke: Stroke, all: number[]): void {
    const to = this.#to;
    const long = stroke === 'upkeep' ? 5 : 7;
    to.fillStyle = this.#palette(lines[stroke].colour);
    to.beginPath();
    for (let i = 0; i < all.length; i += 4) {
      const [x, y, dx, dy] = [all[i]!, all[i + 1]!, all[i + 2]! * long, all[i + 3]! * long];
      to.moveTo(x, y);
      to.lineTo(x - dx - 0.42 * dy, y - dy + 0.42 * dx);
      to.lineTo(x - dx + 0.42 * dy, y - dy - 0.42 * dx);
      to.closePath();
    }
    to.fill();
  }
}
