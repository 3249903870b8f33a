// The plots of workbench compare: where numbers stand, what is told of them, and that algorithms can be told apart.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { barsOf } from '../src/compare/bars';
import { linesOf } from '../src/compare/lines';
import { lookOf, outline } from '../src/compare/look';
import { spread, wrapped } from '../src/compare/text';
import type { Algorithm, Axis, Question, Row, Value } from '../src/compare/types';
import { note, number, table } from '../src/compare/values';
import { colours, contrast } from './colours';

const algorithms: Algorithm[] = ['bully', 'other'].map((name, place) => ({ name, title: name, place, ours: place === 0 }));

function row(algorithm: string, x: number, median: Value, least: Value = median, p99: Value = median): Row {
  return { algorithm, setting: `${x} %`, x, runs: 7, worst: 3, values: [{ least, median, mean: median, p99, most: p99 }] };
}

function question(rows: Row[], axis: Partial<Axis> = {}, more: Partial<Question> = {}): Question {
  return {
    id: 'q', title: 'Question', asks: 'Why?', how: 'So.', x: 'loss, %', log: false, single: false, seeds: 7, first_seed: 1, bounds: null, command: 'workbench compare',
    settings: [...new Set(rows.map((r) => r.setting))], measures: ['time, ms'], rows, axes: [{ name: 'time', unit: 'ms', stat: 'median', log: false, ...axis }], ...more,
  };
}

const linear = question([row('bully', 0, 100, 50, 200), row('bully', 1, 200), row('bully', 5, 'never', 400, 'never'), row('other', 0, 150), row('other', 1, 1000), row('other', 5, 300, 200, 'never')]);

test('numbers are written as people read them', () => {
  assert.deepEqual([0, 1234, 99.96, 123.4, 0.214, 'never', null].map((v) => number(v as Value)), ['0', '1,234', '100.0', '123', '0.21', 'never', '–']);
});

test('a linear plot begins at 0, X stands evenly, and a greater number is higher', () => {
  const plot = linesOf(linear, 0, algorithms, 700);
  const [ours, other] = plot.series.map((s) => s.points);
  const zero = plot.ys.find((tick) => tick.text === '0')!.at;
  const thousand = plot.ys.find((tick) => tick.text === '1,000')!.at;
  const near = (a: number, b: number): void => assert.ok(Math.abs(a - b) < 0.01, `${a} is ${b}`);
  near(other![1]!.y, thousand);
  near(ours![1]!.y, zero + (thousand - zero) * 0.2);
  near(ours![1]!.x - ours![0]!.x, ours![2]!.x - ours![1]!.x);
  for (const p of plot.series.flatMap((s) => s.points)) assert.ok(p.x > plot.left && p.x < plot.right && p.y < plot.bottom);
});

test('whiskers go from the least to the 99th percentile, to the top if that never came; they stand side by side', () => {
  const plot = linesOf(linear, 0, algorithms, 700);
  const [ours, other] = plot.series.map((s) => s.points);
  assert.ok(ours![0]!.low! > ours![0]!.y && (ours![0]!.high as number) < ours![0]!.y);
  assert.equal(ours![1]!.low, undefined);
  assert.equal(other![2]!.high, 'never');
  assert.equal(ours![0]!.says, 'bully: 100 ms at 0 %, from 50 ms to 200 ms, of 7 runs');
  assert.notEqual(ours![0]!.x, other![0]!.x);
  assert.equal(note(linear, 0), 'Median of 7 runs; the range is from the least to the 99th percentile.');
});

test('what never came stands in a strip above the plot, one mark above the other', () => {
  const both = question([row('bully', 0, 1), row('bully', 1, 'never'), row('other', 0, 1), row('other', 1, 'never')]);
  const plot = linesOf(both, 0, algorithms, 700);
  const [a, b] = plot.series.map((s) => s.points[1]!);
  assert.ok(a!.y < plot.top && b!.y < a!.y && plot.strip! < plot.top);
  assert.equal(linesOf(question([row('bully', 0, 1)]), 0, algorithms.slice(0, 1), 700).strip, undefined);
  const none = linesOf(question([row('bully', 0, 'never'), row('bully', 1, 'never')]), 0, algorithms.slice(0, 1), 700);
  assert.deepEqual(none.ys, [], 'nothing came, so there is no scale');
});

test('logarithms: equal factors are equally far apart, ticks are round, and what is below 1 is drawn as 1', () => {
  const q = question([row('bully', 3, 0), row('bully', 30, 10), row('bully', 300, 10_000)], { log: true, stat: 'most' }, { log: true, x: 'nodes' });
  const plot = linesOf(q, 0, algorithms.slice(0, 1), 700);
  const points = plot.series[0]!.points;
  assert.ok(Math.abs((points[0]!.y - points[1]!.y) * 3 - (points[1]!.y - points[2]!.y)) < 0.01);
  assert.ok(Math.abs(points[1]!.x - points[0]!.x - (points[2]!.x - points[1]!.x)) < 0.01);
  assert.deepEqual(plot.ys.map((t) => t.text), ['1', '10', '100', '1,000', '10,000']);
  const few = linesOf(question([row('bully', 3, 20), row('bully', 4, 90)], { log: true, stat: 'most' }), 0, algorithms.slice(0, 1), 700);
  assert.deepEqual(few.ys.map((t) => t.text), ['10', '20', '50', '100']);
});

test('bounds are drawn where they are, and stretch the scale only when they are near', () => {
  const rows = [row('bully', 10, 10), row('bully', 100, 100)];
  const bounds = [{ name: 'n', points: [[10, 10], [100, 100]] as [number, number][] }, { name: 'far', points: [[10, 1e9], [100, 1e9]] as [number, number][] }];
  const plot = linesOf(question(rows, { log: true, stat: 'most' }, { log: true, bounds }), 0, algorithms.slice(0, 1), 700);
  assert.deepEqual(plot.bounds[0]!.points.map(([x, y]) => [Math.round(x), Math.round(y)]), plot.series[0]!.points.map((p) => [Math.round(p.x), Math.round(p.y)]));
  assert.equal(plot.ys.at(-1)!.text, '100');
  assert.equal(plot.bounds[1]!.label.from, undefined, 'it cannot be seen');
});

test('labels do not overlap, beside the plot or below it', () => {
  const ys = spread([100, 101, 102, 20], 17, 10, 110).sort((a, b) => a - b);
  ys.forEach((y, i) => assert.ok(i === 0 || y - ys[i - 1]! >= 17));
  assert.ok(ys[0]! >= 10 && ys.at(-1)! <= 110 - 8.5);
  const many = Array.from({ length: 9 }, (_, place) => ({ name: `algorithm-${place}`, title: '', place, ours: false }));
  const rows = many.map((a) => row(a.name, 1, 5));
  for (const width of [330, 700]) {
    const plot = linesOf(question(rows), 0, many, width);
    const places = plot.series.map((s) => `${s.label.x} ${s.label.y}`);
    assert.equal(new Set(places).size, many.length);
    plot.series.forEach((s) => assert.ok(s.label.y < plot.height && s.label.x < width - 60, `${width}: ${places.join()}`));
  }
  assert.deepEqual(wrapped('one two three', 50, 12), ['one two', 'three']);
});

test('bars: as long as the number says, wrong beyond the limit, a frame for never, a word for what was not measured', () => {
  const rows = [row('bully', 0, 1), row('other', 0, 2), row('bully', 1, null), row('other', 1, 'never')];
  const { x: _, ...unordered } = question(rows, { stat: 'most', unit: '', limit: 1 });
  const plot = barsOf(unordered, 0, algorithms, 700);
  const [first, second] = plot.panels.map((panel) => panel.bars);
  assert.ok(Math.abs(first![1]!.long - 2 * first![0]!.long) < 0.01);
  assert.deepEqual([...first!, ...second!].map((bar) => bar.wrong), [false, true, false, true]);
  assert.ok(Math.abs(plot.panels[0]!.limit! - (plot.panels[0]!.x + first![0]!.long)) < 0.01, 'the limit is where 1 is');
  assert.deepEqual(second!.map((bar) => [bar.long > 0, bar.says]), [[false, 'bully, 1 %: not measured'], [true, 'other, 1 %: never']]);
  for (const width of [300, 340, 700]) for (const p of barsOf(unordered, 0, algorithms, width).panels) for (const bar of p.bars) assert.ok(p.x + bar.long < width);
});

test('bars of all panels have one scale: what is twice as much is twice as long, in whichever panel', () => {
  const { x: _, ...unordered } = question([row('bully', 0, 10), row('other', 0, 20), row('bully', 1, 40), row('other', 1, 5)], { stat: 'most', unit: '' });
  const [ten, twenty, forty, five] = barsOf(unordered, 0, algorithms, 700).panels.flatMap((panel) => panel.bars.map((bar) => bar.long)) as [number, number, number, number];
  for (const [long, of] of [[twenty, 2], [forty, 4], [five, 0.5]] as const) assert.ok(Math.abs(long - of * ten) < 0.01, `${long} is ${of} times ${ten}`);
});

test('the table has every number that was measured, and the seed to look at', () => {
  const { head, rows } = table(linear);
  assert.deepEqual(head, ['setting', 'algorithm', 'time, ms', '99 %', 'seed of the most']);
  assert.deepEqual(rows[0], ['0 %', 'bully', '100', '200', '3']);
  assert.equal(rows.length, 6);
});

test('each algorithm has a look of its own, in colours that are seen on card', () => {
  const looks = Array.from({ length: 18 }, (_, place) => lookOf(place));
  assert.equal(new Set(looks.map((l) => `${l.shape} ${l.hollow}`)).size, 18, 'nobody needs colours to tell them apart');
  assert.equal(new Set(looks.slice(0, 9).map((l) => outline(l.shape, 4))).size, 9);
  const [light, dark] = readFileSync(new URL('../src/compare/compare.css', import.meta.url), 'utf8').split("[data-theme='dark']") as [string, string];
  const palette = readFileSync(new URL('../src/palette.css', import.meta.url), 'utf8').split("[data-theme='dark']") as [string, string];
  [light, dark].forEach((part, i) => {
    const hues = [...colours(part)].filter(([name]) => name.startsWith('hue-'));
    assert.equal(hues.length, 9);
    for (const [name, hue] of hues) assert.ok(contrast(hue, colours(palette[i]!).get('card')!) >= 3, `${i === 0 ? 'light' : 'dark'}: --${name}`);
  });
});
