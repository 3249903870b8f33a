// How algorithms look: each has a colour, a shape and dashes of its own, so that nobody needs colours to tell them apart.

const hues = 9;
const dashes = ['', '8 3', '3 3', '10 3 2 3'];

export interface Look { colour: string; dash: string; shape: number; hollow: boolean }

// lookOf returns how the algorithm at a place among all looks.
export function lookOf(place: number): Look {
  const [shape, round] = [place % hues, Math.floor(place / hues)];
  return { colour: `var(--hue-${shape})`, dash: dashes[(shape + round) % dashes.length]!, shape, hollow: round % 2 === 1 };
}

// boundDash returns the dashes of a bound: no algorithm has them.
export function boundDash(i: number): string { return ['5 5', '1 4', '12 5', '7 4 1 4 1 4'][i % 4]!; }

// Shapes of radius 1: a disc, a square, triangles up and down, a diamond, a cross, a plus, a flat box and a tall one.
const shapes: ((r: number) => string)[] = [
  (r) => `M${-r} 0A${r} ${r} 0 1 1 ${r} 0A${r} ${r} 0 1 1 ${-r} 0Z`,
  (r) => corners(r, [-1, -1], [1, -1], [1, 1], [-1, 1]),
  (r) => corners(r, [0, -1.2], [1.15, 0.8], [-1.15, 0.8]),
  (r) => corners(r, [0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]),
  (r) => corners(r, [0, 1.2], [1.15, -0.8], [-1.15, -0.8]),
  (r) => corners(r, [-1, -1], [1, 1], [0, 0], [1, -1], [-1, 1], [0, 0]),
  (r) => corners(r, [0, -1.2], [0, 1.2], [0, 0], [1.2, 0], [-1.2, 0], [0, 0]),
  (r) => corners(r, [-1.3, -0.5], [1.3, -0.5], [1.3, 0.5], [-1.3, 0.5]),
  (r) => corners(r, [-0.5, -1.3], [0.5, -1.3], [0.5, 1.3], [-0.5, 1.3]),
];

function corners(r: number, ...at: [x: number, y: number][]): string {
  return `M${at.map(([x, y]) => `${(r * x).toFixed(2)} ${(r * y).toFixed(2)}`).join('L')}Z`;
}

// outline returns the path of a mark round 0, 0.
export function outline(shape: number, r: number): string { return shapes[shape]!(r); }
