// Room for texts: who is first has the place, and nobody else.

const tall = 32; // of a strip, in pixels

interface Box { x0: number; y0: number; x1: number; y1: number }

export class Room {
  readonly #strips = new Map<number, Box[]>();

  // free reports whether nothing is in a box.
  free(x0: number, y0: number, x1: number, y1: number): boolean {
    for (let s = Math.floor(y0 / tall); s <= Math.floor(y1 / tall); s++) {
      for (const box of this.#strips.get(s) ?? []) {
        if (box.x0 < x1 && box.x1 > x0 && box.y0 < y1 && box.y1 > y0) return false;
      }
    }
    return true;
  }

  // take keeps a box.
  take(x0: number, y0: number, x1: number, y1: number): void {
    for (let s = Math.floor(y0 / tall); s <= Math.floor(y1 / tall); s++) {
      const strip = this.#strips.get(s);
      if (strip) strip.push({ x0, y0, x1, y1 });
      else this.#strips.set(s, [{ x0, y0, x1, y1 }]);
    }
  }

  // claim keeps a box if it is free, and reports whether it was.
  claim(x0: number, y0: number, x1: number, y1: number): boolean {
    if (!this.free(x0, y0, x1, y1)) return false;
    this.take(x0, y0, x1, y1);
    return true;
  }

  // claimSlanted keeps the place of a text of some width and height around a point, which is turned by an angle.
  claimSlanted(x: number, y: number, width: number, height: number, angle: number): boolean {
    const parts = Math.max(1, Math.ceil(width / height));
    const half = height / 2;
    const at = (i: number): Box => {
      const along = (parts === 1 ? 0 : i / (parts - 1) - 0.5) * Math.max(0, width - height);
      const cx = x + along * Math.cos(angle);
      const cy = y + along * Math.sin(angle);
      return { x0: cx - half, y0: cy - half, x1: cx + half, y1: cy + half };
    };
    const boxes = Array.from({ length: parts }, (_, i) => at(i));
    if (boxes.some((b) => !this.free(b.x0, b.y0, b.x1, b.y1))) return false;
    for (const b of boxes) this.take(b.x0, b.y0, b.x1, b.y1);
    return true;
  }
}
