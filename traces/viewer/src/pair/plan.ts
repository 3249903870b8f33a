// Where the nodes of a pair are: two rings, beside one another, or, where there is no room for that, one below the other.
import { plan, type Place, type Plan } from '../ring/geometry';
import type { Pair } from './merge';

// planPair places the nodes of both.
export function planPair(width: number, height: number, sides: Pair): Plan {
  const across = width >= height * 0.9;
  const [w, h] = across ? [width / 2, height] : [width, height / 2];
  const places: Place[] = [];
  sides.forEach((side, k) => {
    const all = [...side.nodes, ...side.servers];
    const own = plan(w, h, all.length, side.servers.length);
    all.forEach((place, i) => {
      const at = own.places[i]!;
      places[place] = { ...at, x: at.x + (across ? k * w : 0), y: at.y + (across ? 0 : k * h) };
    });
  });
  return { width, height, places };
}

// between is the line that parts the two rings.
export function between(width: number, height: number): { x1: number; y1: number; x2: number; y2: number } {
  return width >= height * 0.9 ? { x1: width / 2, y1: 8, x2: width / 2, y2: height - 8 } : { x1: 8, y1: height / 2, x2: width - 8, y2: height / 2 };
}
