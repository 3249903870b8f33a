// Where the nodes of a pair are: two rings, beside one another, or, where there is no room for that, one below the other.
import { plan, type Place, type Plan } from '../ring/geometry';
import type { Header } from '../types';
import { clusters } from '../words';
import type { Pair } from './merge';

export const nameHigh = 22; // of the strip above each ring, for the name of its algorithm

const isAcross = (width: number, height: number): boolean => width >= height * 0.9;

// planPair places the nodes of both.
export function planPair(width: number, height: number, sides: Pair): Plan {
  const across = isAcross(width, height);
  const [w, h] = across ? [width / 2, height] : [width, height / 2];
  const places: Place[] = [];
  sides.forEach((side, k) => {
    const all = [...side.nodes, ...side.servers];
    const own = plan(w, h - nameHigh, all.length, side.servers.length);
    all.forEach((place, i) => {
      const at = own.places[i]!;
      const [right, down] = across ? [k * w, nameHigh] : [0, k * h + nameHigh];
      places[place] = { ...at, x: at.x + right, y: at.y + down, from: at.from + right, to: at.to + right, lines: at.side === 'above' || at.side === 'below' ? Math.min(1, at.lines) : at.lines };
    });
  });
  return { width, height, places };
}

// between is the line that parts the two rings.
export function between(width: number, height: number): { x1: number; y1: number; x2: number; y2: number } {
  return isAcross(width, height) ? { x1: width / 2, y1: 8, x2: width / 2, y2: height - 8 } : { x1: 8, y1: height / 2, x2: width - 8, y2: height / 2 };
}

// named returns where the name of each of the two is.
export function named(width: number, height: number): { x: number; y: number }[] {
  const across = isAcross(width, height);
  return [0, 1].map((k) => (across ? { x: (k + 0.5) * width / 2, y: 14 } : { x: width / 2, y: k * height / 2 + 16 }));
}

// part is the part of the picture that is of one cluster, which is all of it where there is only one: its places are those in the whole picture.
export function part({ width, height, places }: Plan, header: Header, k: number): Plan & { left: number; top: number } {
  const { nodes, servers } = clusters(header)[k]!;
  const own = [...nodes, ...servers].map((node) => places[node]!);
  if (!header.sides) return { width, height, places: own, left: 0, top: 0 };
  return isAcross(width, height) ? { width: width / 2, height, places: own, left: k * width / 2, top: nameHigh } : { width, height: height / 2, places: own, left: 0, top: k * height / 2 + nameHigh };
}
