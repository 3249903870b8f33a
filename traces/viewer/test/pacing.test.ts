import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faster, hold, pace, speeds } from '../src/transport/pacing';
import { marks } from '../src/transport/marks';
import type { Frame } from '../src/types';

const sends = [{ number: 1, to: 1, kind: 'OK' }];
const frame = (more: Partial<Frame> = {}): Frame => ({ at: 0, kind: 'step', node: 0, text: 'steps', sends, ...more });
const usual = { speed: 1, timed: true };

test('people follow frames, not time', () => {
  assert.equal(pace(frame({ at: 5_000 }), 4_000, usual), 700);
  assert.equal(pace(frame({ at: 4_000 }), 4_000, usual), 300, 'the same moment takes less');
  assert.equal(pace(frame({ at: 5_000, sends: [] }), 4_000, usual), 300, 'so does what changes nothing');
  const wait = pace(frame({ at: 325_000 }), 0, usual);
  assert.ok(wait > 1000 && wait < 1600, `a wait of 325 ms takes longer, but not by much: ${wait}`);
  assert.equal(pace(frame({ at: 3_600_000_000 }), 0, usual), 1600, 'nor does an hour');
  assert.equal(pace(frame({ at: 5 }), 900, usual), 300, 'time that goes back is no wait');
});

test('speed divides all of it', () => {
  for (const speed of speeds) assert.equal(pace(frame({ at: 5_000 }), 4_000, { ...usual, speed }), 700 / speed);
  assert.equal(pace(frame({ at: 9 }), 1, { ...usual, timed: false, speed: 2 }), 350);
});

test('faster and slower end somewhere', () => {
  assert.equal(faster(1, 1), 2);
  assert.equal(faster(1, -1), 0.5);
  assert.equal(faster(16, 1), 16);
  assert.equal(faster(0.25, -1), 0.25);
});

test('marks say where to look', () => {
  const frames = [
    frame(), frame({ state: { look: 'leads', role: 'leader', leader: 0, epoch: 1 } }), frame({ state: { look: 'leads', role: 'leader', leader: 0, epoch: 1 } }),
    frame({ kind: 'crash', by: 'you', state: { look: 'down', role: 'down', leader: -1, epoch: 1 } }), frame({ kind: 'links', node: -1, cut: [] }),
    frame({ indicators: [{ name: 'OneActing', light: 'red' }] }), frame({ indicators: [{ name: 'OneActing', light: 'green' }] }),
  ];
  assert.deepEqual(marks(frames), [{ place: 2, mark: 'leads' }, { place: 4, mark: 'yours' }, { place: 5, mark: 'fault' }, { place: 6, mark: 'red' }]);
});

test('of very many marks some are left, and the first red one', () => {
  const many = Array.from({ length: 9_999 }, (_, i) => frame({ kind: 'crash', node: i % 5, ...(i === 4_321 && { indicators: [{ name: 'OneActing', light: 'red' as const }] }) }));
  const left = marks(many);
  assert.ok(left.length <= 242, `${left.length}`);
  assert.deepEqual(left.filter((m) => m.mark === 'red'), [{ place: 4_322, mark: 'red' }]);
});

test('a crash that people have caused is to be seen for a while, before anything follows', () => {
  const crash = frame({ kind: 'crash', by: 'you' });
  assert.deepEqual([1, 2, 4].map((speed) => hold(crash, speed)), [3000, 3000, 1500]);
  assert.equal(hold(frame({ kind: 'crash', by: 'plan' }), 1), 0);
  assert.equal(hold(frame({ kind: 'links', by: 'you' }), 1), 0);
  assert.equal(hold(undefined, 1), 0);
});
