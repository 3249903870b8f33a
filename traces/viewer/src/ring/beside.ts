// Where a menu is: beside what it is about, so that this and its neighbours stay to be seen.
import type { Point } from './geometry';

// Box is a part of the picture, in pixels.
export interface Box { left: number; top: number; right: number; bottom: number }

// Disc is a node, with the words beside it.
export interface Disc extends Point { r: number }

const gap = 10; // pixels between a node and its menu

// within moves a box of some size into another as far as it fits.
function within(left: number, top: number, wide: number, high: number, room: Box): Box {
  const x = Math.max(room.left, Math.min(left, room.right - wide));
  const y = Math.max(room.top, Math.min(top, room.bottom - high));
  return { left: x, top: y, right: x + wide, bottom: y + high };
}

// covered returns how much of a disc a box covers, in pixels of the square around it.
function covered({ x, y, r }: Disc, box: Box): number {
  const wide = Math.min(x + r, box.right) - Math.max(x - r, box.left);
  const high = Math.min(y + r, box.bottom) - Math.max(y - r, box.top);
  return wide > 0 && high > 0 ? wide * high : 0;
}

// beside returns where a menu of some size covers least: of its own node above all, then of the others. What is as good is on the
// side away from the middle.
export function beside(node: Disc, others: Disc[], middle: Point, wide: number, high: number, room: Box): Point {
  const off = node.r + gap;
  const right = [node.x + off, node.y - high / 2] as const;
  const left = [node.x - off - wide, node.y - high / 2] as const;
  const above = [node.x - wide / 2, node.y - off - high] as const;
  const below = [node.x - wide / 2, node.y + off] as const;
  const sides = [...(node.x > middle.x ? [right, left] : [left, right]), ...(node.y > middle.y ? [below, above] : [above, below])];
  const boxes = sides.map(([x, y]) => within(x, y, wide, high, room));
  const cost = boxes.map((box) => 1000 * covered(node, box) + others.reduce((sum, other) => sum + covered(other, box), 0));
  const best = boxes[cost.indexOf(Math.min(...cost))]!;
  return { x: best.left, y: best.top };
}
