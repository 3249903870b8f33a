import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Recording, lastUpTo } from '../src/recording';
import type { Frame, Header, NodeState } from '../src/types';

const header: Header = {
  recording: 1, title: 't', source: 'run', nodes: ['1', '2', '3', 'store'], servers: 1, timed: true,
  indicators: [{ name: 'OneActing', says: 'One acts.', light: 'green' }, { name: 'Rules', says: 'By the rules.', light: 'green', once: true }],
};
const state = (look: NodeState['look'], epoch = 0, leader = -1): NodeState => ({ look, role: look, leader, epoch });
const frame = (at: number, node: number, more: Partial<Frame> = {}): Frame => ({ at, kind: 'step', node, text: '', ...more });
const shown = (...frames: Frame[]): Recording => {
  const recording = new Recording(header);
  recording.add(frames);
  return recording;
};

test('before it begins no node runs, and a server serves', () => {
  const scene = shown(frame(1, 0, { state: state('idle') })).scene(0);
  assert.deepEqual(scene.nodes.map((n) => n.look), ['down', 'down', 'down', 'serves']);
  assert.equal(scene.frame, undefined);
  assert.deepEqual(scene.flights, []);
});

test('a message is under way from when it is sent to when it is taken, or lost', () => {
  const recording = shown(
    frame(10, 0, { sends: [{ number: 1, to: 1, kind: 'CLAIM' }, { number: 2, to: 2, kind: 'CLAIM' }, { number: 3, to: 1, kind: 'CLAIM', lost: true }] }),
    frame(20, 1, { kind: 'receive', takes: 1 }),
    frame(30, 2, { kind: 'lose', takes: 2 }),
  );
  const under = (count: number) => recording.scene(count).flights.map((f) => f.number);
  assert.deepEqual([under(0), under(1), under(2), under(3)], [[], [1, 2], [2], []]);
  assert.deepEqual(recording.flights.map((f) => [f.ended, f.endedAt, f.taken]), [[1, 20, true], [2, 30, false], [0, 10, false]]);
});

test('a crash and a cut lose what is under way', () => {
  const sends = (to: number, number: number) => ({ sends: [{ number, to, kind: 'OK' }] });
  const recording = shown(frame(1, 0, sends(1, 1)), frame(2, 1, sends(2, 2)), frame(3, 2, sends(0, 3)),
    frame(4, -1, { kind: 'links', cut: [[2, 0]] }), frame(5, 0, { kind: 'crash', state: state('down') }));
  assert.deepEqual(recording.scene(4).flights.map((f) => f.number), [1, 2]);
  assert.deepEqual(recording.scene(4).cut, [[2, 0]]);
  assert.deepEqual(recording.scene(5).flights.map((f) => f.number), [2], 'between 2 and 3, which both run');
});

test('a reign is while a node leads one epoch', () => {
  const recording = shown(frame(1, 0, { state: state('leads', 1) }), frame(2, 0, { state: state('leads', 1) }), frame(3, 0, { state: state('leads', 2) }),
    frame(4, 1, { state: state('leads', 3) }), frame(5, 0, { kind: 'crash', state: state('down', 2) }));
  assert.deepEqual(recording.reigns.map((r) => [r.node, r.epoch, r.fromAt, r.toAt]), [[0, 1, 1, 3], [0, 2, 3, 5], [1, 3, 4, undefined]]);
});

test('what has changed is known, and only of the node of the frame', () => {
  const recording = shown(frame(1, 0, { state: state('idle') }), frame(2, 0, { state: state('stands', 1) }), frame(3, 1));
  assert.equal(recording.scene(2).before?.look, 'idle');
  assert.equal(recording.scene(3).before, undefined);
  assert.equal(recording.scene(1).nodes[0]?.look, 'idle', 'a step back is a look at the same recording');
});

test('indicators change, say why, and some stay red', () => {
  const recording = shown(frame(1, 0, { indicators: [{ name: 'OneActing', light: 'red', says: '1 and 2 act' }] }), frame(2, 0, { indicators: [{ name: 'OneActing', light: 'green' }] }),
    frame(3, 0, { indicators: [{ name: 'Rules', light: 'red', says: 'R7' }, { name: 'unheard', light: 'red' }] }), frame(4, 0, { indicators: [{ name: 'Rules', light: 'green' }] }));
  const lights = (count: number) => recording.scene(count).indicators.map((l) => l.light).join(' ');
  assert.deepEqual([0, 1, 2, 3, 4].map(lights), ['green green', 'red green', 'green green', 'green red', 'green red']);
  assert.deepEqual(recording.scene(1).why, { OneActing: { says: '1 and 2 act', frame: 0 } });
  assert.deepEqual(recording.scene(4).why, { Rules: { says: 'R7', frame: 2 } });
  assert.equal(recording.scene(4).indicators[1]?.says, 'By the rules.', 'what it says is the header\'s');
});

test('ten thousand frames do not hold anybody up', () => {
  const recording = new Recording(header);
  for (let i = 0; i < 10_000; i++) {
    recording.add([frame(i, i % 3, { ...(i > 50 && { takes: i - 50 }), state: state('follows', i >> 6), sends: [{ number: i + 1, to: (i + 1) % 3, kind: 'HEARTBEAT' }] })]);
  }
  const before = performance.now();
  for (let i = 0; i < 100; i++) assert.ok(recording.scene(i * 100 + 99).flights.length <= 51);
  const each = (performance.now() - before) / 100;
  assert.ok(each < 4, `a scene takes ${each.toFixed(2)} ms: a sixtieth of a second has 16`);
});

test('lastUpTo finds the last number that is not above a bound', () => {
  assert.deepEqual([0, 1, 2, 3, 9].map((bound) => lastUpTo([1, 3, 3, 7], bound)), [-1, 0, 0, 2, 3]);
  assert.equal(lastUpTo([], 3), -1);
});
