// The rows of the list: which there are, and which are in the page.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Recording } from '../src/recording';
import { inBrief, partOf, Rows, scrollTo, type Filter } from '../src/list/rows';
import type { Frame } from '../src/types';

const frames: Frame[] = [
  { at: 0, kind: 'start', node: 0, text: 'starts' },
  { at: 1, kind: 'timer', node: 1, text: 'says HEARTBEAT', upkeep: true, sends: [{ number: 1, to: 2, kind: 'HEARTBEAT', upkeep: true }] },
  { at: 2, kind: 'timer', node: 1, text: 'says HEARTBEAT', upkeep: true, indicators: [{ name: 'OneActing', light: 'red' }], sends: [{ number: 2, to: 2, kind: 'CLAIM' }] },
  { at: 3, kind: 'lose', node: -1, text: 'CLAIM is lost', takes: 2 },
  { at: 4, kind: 'receive', node: 0, text: 'takes GRANT', note: 'leads Epoch 4', rule: 'R20', action: 'OnGrant' },
];

function rowsOf(filter: Partial<Filter> = {}): Rows {
  const recording = new Recording({ recording: 1, title: '', source: 'run', nodes: ['1', '2', '3'], timed: true });
  recording.add(frames);
  return new Rows(recording, { node: -1, text: '', upkeep: false, ...filter });
}

describe('rows', () => {
  it('leave out upkeep unless an indicator changes', () => {
    assert.deepEqual(rowsOf().places, [0, 2, 3, 4]);
    assert.deepEqual(rowsOf({ upkeep: true }).places, [0, 1, 2, 3, 4]);
  });

  it('are of one node, with what it loses', () => {
    assert.deepEqual(rowsOf({ node: 0 }).places, [0, 4]);
    assert.deepEqual(rowsOf({ node: 1 }).places, [2, 3]);
    assert.deepEqual(rowsOf({ node: 2 }).places, [3]);
  });

  it('have a text in them, or in what stands beside them', () => {
    for (const text of ['grant', 'EPOCH 4', 'r20', 'ongrant', ' GRANT ']) assert.deepEqual(rowsOf({ text }).places, [4], text);
    assert.deepEqual(rowsOf({ text: 'node 1' }).places, [0, 4]);
    assert.deepEqual(rowsOf({ text: 'nothing like it' }).places, []);
  });

  it('grow with the recording, and know where we are', () => {
    const rows = rowsOf();
    rows.recording.add([{ at: 5, kind: 'crash', node: 2, text: 'crashes' }]);
    rows.update();
    assert.deepEqual(rows.places, [0, 2, 3, 4, 5]);
    assert.deepEqual([0, 1, 2, 3, 6, 99].map((count) => rows.rowOf(count)), [-1, 0, 0, 1, 4, 4]);
  });
});

describe('part', () => {
  it('is what is to be seen, and a little more', () => {
    assert.deepEqual(partOf(10_000, 3200, 320, 32, 6), { from: 94, to: 116 });
    assert.deepEqual(partOf(10_000, 0, 320, 32, 6), { from: 0, to: 16 });
    assert.deepEqual(partOf(5, 0, 320, 32, 6), { from: 0, to: 5 });
    assert.deepEqual(partOf(0, 0, 320, 32, 6), { from: 0, to: 0 });
    assert.deepEqual(partOf(3, 9999, 320, 32, 6), { from: 3, to: 3 });
  });

  it('is scrolled to no farther than need be', () => {
    assert.equal(scrollTo(5, 100, 0, 320, 32), 0, 'it is to be seen');
    assert.equal(scrollTo(20, 100, 0, 320, 32), 21 * 32 + 64 - 320);
    assert.equal(scrollTo(3, 100, 3000, 320, 32), 32);
    assert.equal(scrollTo(99, 100, 0, 320, 32), 100 * 32 - 320, 'there is nothing below the last');
    assert.equal(scrollTo(0, 2, 50, 320, 32), 0);
  });
});

describe('a narrow list', () => {
  it('says of a message that is taken only which, and from whom', () => {
    const of = (kind: Frame['kind'], text: string) => inBrief({ at: 0, kind, node: 0, text }, text);
    assert.equal(of('receive', 'takes COORDINATOR of epoch 1 from 5'), 'COORDINATOR 1 from 5');
    assert.equal(of('receive', 'takes VOTE of term 12 from 2'), 'VOTE 12 from 2');
    assert.equal(of('receive', 'takes OK from 2'), 'OK from 2');
    assert.equal(of('step', 'takes its time'), 'takes its time');
  });
});
