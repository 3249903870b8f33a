import assert from 'node:assert/strict';
import type { Brush } from '../src/diagram/brush';

// Watcher is a brush that looks whether everything has a place, and counts.
export class Watcher implements Brush {
  painted = 0;
  texts: string[] = [];
  #see(...all: number[]): void {
    this.painted++;
    for (const x of all) assert.ok(Number.isFinite(x), `${x} is no place`);
  }
  width(text: string, size: number): number { return text.length * size * 0.6; }
  box(x: number, y: number, w: number, h: number): void { this.#see(x, y, w, h); assert.ok(w >= 0 && h >= 0, `a box of ${w} by ${h}`); }
  band(x: number, y: number, w: number, h: number): void { this.#see(x, y, w, h); assert.ok(h > 0, `a band of height ${h}`); }
  line(x0: number, y0: number, x1: number, y1: number): void { this.#see(x0, y0, x1, y1); }
  head(x: number, y: number, dx: number, dy: number): void { this.#see(x, y, dx, dy); }
  mark(_: unknown, x: number, y: number, r: number): void { this.#see(x, y, r); }
  text(text: string, x: number, y: number): void { this.#see(x, y); this.texts.push(text); }
  flush(): void { /* it keeps nothing */ }
}
