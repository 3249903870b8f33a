// Where everything is in a plot of a measure against X. No line of it asks a browser, so tests need none.
import { scaleLinear, scaleLog, scalePoint } from 'd3-scale';
import { widthOf } from '../export/svg';
import { headed, sizes, spread, type Line } from './text';
import type { Algorithm, Axis, Question, Spread } from './types';
import { caption, heading, note, number, spreads, told } from './values';

// Point is a value in the plot. Low and high are the ends of its whisker; "never" is at the top.
export interface Point { x: number; y: number; value: number | 'never'; low?: number; high?: number | 'never'; says: string; larger: number }
export interface Series { algorithm: Algorithm; points: Point[]; measured: boolean; label: Label }
export interface Bound { name: string; points: [x: number, y: number][]; label: Label }
export interface Label { x: number; y: number; from?: [x: number, y: number] }
export interface Tick { at: number; text: string }

export interface Lines {
  width: number; height: number; lines: Line[]; left: number; right: number; top: number; bottom: number;
  strip?: number; xs: Tick[]; ys: Tick[]; x: Line; series: Series[]; bounds: Bound[];
}

const never = { step: 11, base: 16 }; // marks of what never came stand above the plot
const floor = 9;                      // so far is the least above the axis
const labelHeight = 17;
export const narrow = 560;            // a plot that is narrower has its labels below

// From what a series is drawn, before there is room for it.
interface Raw { x: number; value: number | 'never'; low?: number; high?: number | 'never'; says: string }

function rawOf(q: Question, m: number, name: string): Raw[] {
  const axis = q.axes[m]!;
  const shown = (v: number): number => (axis.log ? Math.max(v, 1) : v);
  return q.rows.filter((row) => row.algorithm === name && row.runs > 0).flatMap((row): Raw[] => {
    const v = row.values![m]!;
    const value = v[axis.stat];
    if (value === null) return [];
    const says = `${name}: ${told(value, axis.unit)} at ${row.setting}${rangeOf(q, m, v)}, of ${row.runs} ${row.runs === 1 ? 'run' : 'runs'}`;
    if (value === 'never') return [{ x: row.x, value, says }];
    const raw: Raw = { x: row.x, value: shown(value), says };
    if (spreads(q, m) && v.least !== v.p99 && typeof v.least === 'number' && v.p99 !== null) {
      raw.low = shown(v.least);
      raw.high = v.p99 === 'never' ? v.p99 : shown(v.p99);
    }
    return [raw];
  }).sort((a, b) => a.x - b.x);
}

function rangeOf(q: Question, m: number, v: Spread): string {
  const { unit } = q.axes[m]!;
  return spreads(q, m) && v.least !== v.p99 ? `, from ${told(v.least, unit)} to ${told(v.p99, unit)}` : '';
}

// within returns the values of bounds that are not far from those measured.
function within(q: Question, m: number, values: number[]): number[] {
  if (m > 0 || values.length === 0) return [];
  const [low, high] = [Math.min(...values) / 10, Math.max(...values) * 10];
  return (q.bounds ?? []).flatMap(({ points }) => points.map(([, y]) => y)).filter((y) => y >= low && y <= high);
}

// scaleOf returns the scale of Y, which ends at round numbers. What is not logarithmic begins at 0.
function scaleOf(axis: Axis, values: number[]) {
  const high = Math.max(...values, axis.log ? 10 : 0);
  return axis.log ? scaleLog([Math.min(...values, high), high], [1, 0]).nice() : scaleLinear([0, high || 1], [1, 0]).nice(5);
}

// ticksOf returns round numbers: on a logarithmic axis powers of ten, with those of 2 and 5 if there is room.
function ticksOf(axis: Axis, scale: ReturnType<typeof scaleOf>): number[] {
  if (!axis.log) return scale.ticks(5);
  const [from, to] = scale.domain() as [number, number];
  const [low, high] = [Math.floor(Math.log10(from)), Math.ceil(Math.log10(to))];
  return Array.from({ length: high - low + 1 }, (_, i) => low + i)
    .flatMap((power) => (high - low > 2 ? [1] : [1, 2, 5]).map((f) => Number(`${f}e${power}`))).filter((v) => v >= from && v <= to);
}

// xScale places the numbers of X: by their logarithms, or evenly.
function xScale(q: Question, xs: number[], from: number, to: number): (x: number) => number {
  if (q.log && xs.length > 1) return scaleLog([xs[0]!, xs.at(-1)!], [from, to]);
  const even = scalePoint(xs, [from, to]);
  return (x) => even(x)!;
}

// xTicks names as many numbers of X as have room, the last first.
function xTicks(xs: number[], at: (x: number) => number): Tick[] {
  let free = Infinity;
  return [...xs].reverse().flatMap((x) => {
    const [text, half] = [number(x), widthOf(number(x), sizes.small) / 2];
    if (at(x) + half > free) return [];
    free = at(x) - half - 4;
    return [{ at: at(x), text }];
  });
}

// linesOf lays out the plot of a measure of a question, as wide as is said.
export function linesOf(q: Question, m: number, algorithms: Algorithm[], width: number): Lines {
  const axis = q.axes[m]!;
  const raws = algorithms.map((a) => rawOf(q, m, a.name));
  const all = raws.flat();
  const values = all.flatMap((p) => [p.value, p.low, p.high]).filter((v): v is number => typeof v === 'number');
  const y = scaleOf(axis, [...values, ...within(q, m, values)]);
  const xs = [...new Set(q.rows.map((row) => row.x))].sort((a, b) => a - b);
  const stacked = Math.max(...xs.map((x) => all.filter((p) => p.x === x && p.value === 'never').length));

  const names = [...algorithms.map((a, i) => named(a.name, raws[i]!)), ...(m === 0 ? q.bounds ?? [] : []).map((b) => b.name)];
  const beside = width >= narrow;
  const widest = Math.max(...names.map((name) => widthOf(name, sizes.label, true)));
  const right = beside ? width - widest - 50 : width - 8;
  const ticks = values.length > 0 ? ticksOf(axis, y) : [];
  const left = Math.max(...[...ticks.map(number), 'never'].map((text) => widthOf(text, sizes.small))) + 12;
  const { lines, end } = headed(width, heading(q, m), note(q, m), caption(axis));
  const top = end + (stacked > 0 ? never.base + never.step * stacked : 6);
  const high = values.length === 0 ? 30 : Math.max(Math.min(0.62 * (right - left), 300), 210);
  const bottom = top + Math.max(high, beside ? names.length * labelHeight - (top - end) : 0);
  y.range([bottom - floor, top]);

  const whiskers = all.some((p) => p.low !== undefined);
  const step = whiskers ? Math.min(5, 0.5 * (right - left) / xs.length / raws.length) : 0;
  const aside = step * (raws.length - 1) / 2;
  const at = xScale(q, xs, left + 8 + aside, right - 8 - aside);
  const above = new Map<number, number>(); // how many marks stand above an X
  const place = (p: Raw, i: number): Point => {
    const x = at(p.x) + step * i - aside;
    if (p.value !== 'never') return { ...p, x, y: y(p.value), ...(p.low !== undefined && { low: y(p.low), high: typeof p.high === 'number' ? y(p.high) : p.high! }), larger: 0 };
    const before = above.get(p.x) ?? 0;
    above.set(p.x, before + 1);
    return { ...p, x, y: top - never.base - never.step * before, larger: 0 };
  };
  const points = raws.map((raw, i) => raw.map((p) => place(p, i)));
  enlarge(points.flat());

  const bounds = (m === 0 ? q.bounds ?? [] : []).map((b) => ({ name: b.name, points: b.points.map(([bx, by]): [number, number] => [at(bx), y(by)]) }));
  const ends = [...points.map((of) => of.at(-1)), ...bounds.map((b) => lastWithin(b.points, top, bottom))].map((p) => p && ('value' in p ? [p.x, p.y] as const : p));
  const { labels, below } = beside ? asideOf(ends, right, end, bottom) : belowOf(names, width, bottom + 54);
  const x = { text: q.x!, y: bottom + 35, kind: 'small' as const };
  return {
    width, height: Math.ceil(below ?? x.y + 8), lines, left, right, top, bottom, ...(stacked > 0 && { strip: top - never.base }), x,
    xs: xTicks(xs, at), ys: ticks.map((v) => ({ at: y(v), text: tickText(v) })),
    series: algorithms.map((algorithm, i) => ({ algorithm, points: points[i]!, measured: raws[i]!.length > 0, label: labels[i]! })),
    bounds: bounds.map((b, i) => ({ ...b, label: labels[algorithms.length + i]! })),
  };
}

function tickText(v: number): string { return v.toLocaleString('en', { maximumFractionDigits: 6 }); }

export function named(name: string, points: unknown[]): string { return points.length > 0 ? name : `${name} (not measured)`; }

// enlarge makes marks larger that others will cover, so that all can be seen.
function enlarge(all: Point[]): void {
  const over = new Map<string, number>();
  for (const p of all.reverse()) {
    const key = `${Math.round(p.x)} ${Math.round(p.y)}`;
    p.larger = 1.6 * Math.min(over.get(key) ?? 0, 3);
    over.set(key, (over.get(key) ?? 0) + 1);
  }
}

// lastWithin returns where a bound is seen last.
function lastWithin(points: [number, number][], top: number, bottom: number): [number, number] | undefined {
  return points.findLast(([, y]) => y >= top && y <= bottom);
}

type Ends = (readonly [number, number] | undefined)[];

// asideOf puts labels beside the ends of their lines.
function asideOf(ends: Ends, right: number, top: number, bottom: number): { labels: Label[]; below?: number } {
  const ys = spread(ends.map((end) => end?.[1] ?? bottom), labelHeight, top, bottom);
  return { labels: ends.map((end, i): Label => ({ x: right + 18, y: ys[i]!, ...(end && { from: [end[0], end[1]] }) })) };
}

// belowOf puts labels in lines below the plot.
function belowOf(names: string[], width: number, from: number): { labels: Label[]; below: number } {
  let [x, y] = [4, from];
  const labels = names.map((name): Label => {
    const room = widthOf(name, sizes.label, true) + 42;
    if (x > 4 && x + room > width) [x, y] = [4, y + labelHeight];
    const label = { x, y };
    x += room;
    return label;
  });
  return { labels, below: y + 16 };
}

