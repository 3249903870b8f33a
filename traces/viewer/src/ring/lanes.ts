// The lanes of messages: straight, but for those that would lead over a resource, which go round it, so that nothing ever lies on what it says.
import { away } from '../diagram/hit';
import type { Flight } from '../recording';
import { part } from '../pair/plan';
import type { Header } from '../types';
import { clusters } from '../words';
import { between, distance, way, type Place, type Plan, type Point } from './geometry';
import { fence, half, resourceAt } from './writes';

export type Ends = [Point, Point];

// Lane is a way from node to node, from corner to corner.
export interface Lane { points: Point[]; long: number }

// Spot is a place on a lane: the straight part that it is on, and the way up to there.
export interface Spot { at: Point; ends: Ends; gone: Point[] }

const clear = fence + 12; // from the resource to the middle of a message that passes it
const apart = 10;         // from there to the other direction, if both pass on the same side

// lanesOf returns what gives a message its lane; null if it has none.
export function lanesOf(header: Header, placed: Plan): (flight: Pick<Flight, 'from' | 'to'>) => Lane | null {
  const resources = clusters(header).flatMap((side, k) => (side.resource ? [resourceAt(part(placed, header, k), side.servers.length)] : []));
  return ({ from, to }) => {
    const [a, b] = [placed.places[from], placed.places[to]];
    if (!a || !b || a === b) return null;
    const points = resources.map((at) => round(a, b, at, placed.places)).find((found) => found !== null) ?? way(a, b);
    return { points, long: points.slice(1).reduce((sum, point, k) => sum + distance(points[k]!, point), 0) };
  };
}

// along returns the place at a share of a lane.
export function along({ points, long }: Lane, share: number): Spot {
  let left = share * long;
  let k = 1;
  for (; k < points.length - 1 && left > distance(points[k - 1]!, points[k]!); k++) left -= distance(points[k - 1]!, points[k]!);
  const ends: Ends = [points[k - 1]!, points[k]!];
  const at = between(ends, left / Math.max(1, distance(...ends)));
  return { at, ends, gone: [...points.slice(0, k), at] };
}

// cornersBetween returns the corners of a lane between two shares of it, each with its own.
export function cornersBetween({ points, long }: Lane, from: number, to: number): { share: number; at: Point }[] {
  let gone = 0;
  return points.slice(1, -1).flatMap((at, k) => {
    gone += distance(points[k]!, at);
    const share = gone / long;
    return share > from && share < to ? [{ share, at }] : [];
  });
}

// round returns the way round a resource; null if the straight way does not lead over it. Of its two sides it takes the one on which no node is in the way, then the shorter, then the right.
function round(a: Place, b: Place, resource: Point, places: Place[]): Point[] | null {
  if (!over(a, b, resource, clear + apart / 2)) return null;
  const sides = [1, -1].map((side) => {
    const points = [a, ...corners(a, b, resource, side, clear + (side > 0 ? apart : 0)), b];
    const legs = points.slice(1).map((point, k): Ends => [points[k]!, point]);
    const blocked = places.filter((place) => place !== a && place !== b && legs.some(([p, q]) => away(place.x, place.y, p.x, p.y, q.x, q.y) < place.r + 10)).length;
    return { points, cost: 10_000 * blocked + legs.reduce((sum, leg) => sum + distance(...leg), 0) };
  });
  const { points } = sides[0]!.cost <= sides[1]!.cost + 0.01 ? sides[0]! : sides[1]!;
  const inner = points.slice(1, -1);
  if (inner.length === 0) return null; // on this side it is clear of it already
  const end = (of: Place, bend: Point, other: Point, which: 0 | 1): Point =>
    [0.35, 0.7, 1].map((share) => aim(of, other, bend, share)).map((at) => (which === 0 ? way(of, at) : way(at, of))[which]).find((at) => !over(at, bend, resource, 13)) ?? bend;
  const bent = [end(a, inner[0]!, b, 0), ...inner, end(b, inner.at(-1)!, a, 1)];
  return bent.filter((at, k) => k === 0 || distance(at, bent[k - 1]!) > 1);
}

// aim returns a point between two directions from a node: a lane that bends leaves it there, where no straight lane does.
function aim(from: Place, one: Point, other: Point, share: number): Place {
  const far = 100;
  const toward = (at: Point): Point => between([from, at], far / Math.max(1, distance(from, at)));
  return { ...from, ...between([toward(one), toward(other)], share), r: 0, lines: 0 };
}

// cross tells on which side of the way from a to b a point is: above 0 on its right.
function cross(a: Point, b: Point, at: Point): number { return (b.x - a.x) * (at.y - a.y) - (b.y - a.y) * (at.x - a.x); }

function box({ x, y }: Point, by: number): Point[] {
  return [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([right, down]) => ({ x: x + right! * (half.x + by), y: y + down! * (half.y + by) }));
}

// corners returns those of the box round a resource at which the shortest way on one side of it turns.
function corners(a: Point, b: Point, resource: Point, side: number, by: number): Point[] {
  const square = (b.x - a.x) ** 2 + (b.y - a.y) ** 2;
  const ahead = (at: Point): number => ((at.x - a.x) * (b.x - a.x) + (at.y - a.y) * (b.y - a.y)) / square;
  const turns: Point[] = [];
  for (const next of [...box(resource, by).filter((at) => side * cross(a, b, at) > 0).sort((p, q) => ahead(p) - ahead(q)), b]) {
    while (turns.length > 0 && side * cross(turns.at(-2) ?? a, next, turns.at(-1)!) <= 0) turns.pop();
    turns.push(next);
  }
  return turns.slice(0, -1);
}

// over reports whether the straight way from a to b leads over the box round a resource.
function over(a: Point, b: Point, resource: Point, by: number): boolean {
  let [from, to] = [0, 1];
  for (const [at, end, middle, reach] of [[a.x, b.x, resource.x, half.x + by], [a.y, b.y, resource.y, half.y + by]] as const) {
    const [s, t] = [(middle - reach - at) / (end - at), (middle + reach - at) / (end - at)];
    if (end === at ? Math.abs(middle - at) >= reach : ([from, to] = [Math.max(from, Math.min(s, t)), Math.min(to, Math.max(s, t))])[0] >= to) return false;
  }
  return true;
}
