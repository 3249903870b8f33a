// Where the nodes of a pair are: two rings, beside one another, or, where there is no room for that, one below the other.
import { plan, type Place, type Plan } from '../ring/geometry';
import type { Header } from '../types';
import { clusters } from '../words';
import type { Pair } from './merge';

const isAcross = (width: number, height: number): boolean => width >= height * 0.9;

// planPair places the nodes of both.
export function planPair(width: number, height: number, sides: Pair): Plan {
  const across = isAcross(width, height);
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
  return isAcross(width, height) ? { x1: width / 2, y1: 8, x2: width / 2, y2: height - 8 } : { x1: 8, y1: height / 2, x2: width - 8, y2: height / 2 };
}

// part is the part of the picture that is of one cluster, which is all of it where there is only one: its places are those in the whole picture.
export function part({ width, height, places }: Plan, header: Header, k: number): Plan & { left: number; top: number } {
  const { nodes, servers } = clusters(header)[k]!;
  const own = [...nodes, ...servers].map((node) => places[node]!);
  if (!header.sides) return { width, height, places: own, left: 0, top: 0 };
  return isAcross(width, height) ? { width: width / 2, height, places: own, left: k * width / 2, top: 0 } : { width, height: height / 2, places: own, left: 0, top: k * height / 2 };
}
