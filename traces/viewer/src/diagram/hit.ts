// What is at a point of the diagram.
import type { Layout } from './layout';
import { columnX, layoutY, screenY, type View } from './view';

export type Hit = { frame: number } | { message: number } | null;

// hitAt returns what is at a point, or so near that people mean it: marks before arrows.
export function hitAt(layout: Layout, view: View, x: number, y: number, reach: number): Hit {
  if (y < view.header) return null;
  return markAt(layout, view, x, y, reach) ?? arrowAt(layout, view, x, y, reach);
}

function markAt(layout: Layout, view: View, x: number, y: number, reach: number): Hit {
  const { axis, recording } = layout;
  let best = reach + 4;
  let found = -1;
  const [from, to] = axis.visible(layoutY(view, y - best), layoutY(view, y + best));
  for (let i = from; i < to; i++) {
    const place = axis.rows[i]!;
    const { node, cut, indicators } = recording.frames[place]!;
    const dy = screenY(view, axis.y[place]!) - y;
    let dx = node < 0 ? (cut && x > view.left - 6 ? 0 : Infinity) : columnX(view, node) - x;
    if (x > view.width - view.right && indicators?.some((indicator) => indicator.light === 'red')) dx = 0;
    const distance = Math.hypot(dx, dy);
    if (distance < best) { best = distance; found = place; }
  }
  return found < 0 ? null : { frame: found };
}

function arrowAt(layout: Layout, view: View, x: number, y: number, reach: number): Hit {
  let best = reach;
  let found = 0;
  layout.arrows.each(layoutY(view, y - reach), layoutY(view, y + reach), (flight, a) => {
    const distance = away(x, y, columnX(view, a.x0), screenY(view, a.y0), columnX(view, a.x1), screenY(view, a.y1));
    if (distance < best) { best = distance; found = flight.number; }
  });
  return found > 0 ? { message: found } : null;
}

// away returns how far a point is from a line between two points.
export function away(x: number, y: number, x0: number, y0: number, x1: number, y1: number): number {
  const dx = x1 - x0;
  const dy = y1 - y0;
  const square = dx * dx + dy * dy;
  const t = square === 0 ? 0 : Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) * dy) / square));
  return Math.hypot(x - x0 - t * dx, y - y0 - t * dy);
}

// frameAt returns how many frames have happened at some height: up to the last row that is not below it.
export function frameAt(layout: Layout, view: View, y: number): number {
  const i = layout.axis.lastAbove(layoutY(view, y) + 3 / view.k);
  return i < 0 ? 0 : layout.axis.rows[i]! + 1;
}

// countOf returns how many frames have happened when there is something to see of what was hit: a message has been sent.
export function countOf(layout: Layout, hit: NonNullable<Hit>): number {
  if ('frame' in hit) return hit.frame + 1;
  return (layout.recording.flights[hit.message - 1]?.sent ?? 0) + 1;
}
