import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Recording } from '../src/recording';
import { tipFor, tipOf } from '../src/ring/tip';
import type { NodeState } from '../src/types';

const state = (look: NodeState['look'], more: Partial<NodeState> = {}): NodeState => ({ look, role: look, leader: -1, epoch: 2, ...more });
const recording = new Recording({ recording: 1, title: '', source: 'run', algorithm: 'bully', nodes: ['1', '2', '3'], timed: true });
recording.add([
  { at: 1000, kind: 'timer', node: 0, text: 'asks', state: state('stands', { role: 'candidate' }), sends: [{ number: 1, to: 1, kind: 'CLAIM', epoch: 2, due: 5000 }] },
  { at: 5000, kind: 'receive', node: 1, text: 'takes', takes: 1 },
  { at: 6000, kind: 'timer', node: 0, text: 'wins', state: state('leads', { role: 'leader' }) },
  { at: 7000, kind: 'crash', node: 0, text: 'crashes', state: state('down', { role: 'down', disk: 'epoch 2' }) },
]);

test('what is said of a node is what it is now, and what a click does to it', () => {
  const said = (count: number) => tipFor(recording, recording.scene(count), 0, true);
  assert.match(said(0), /^It has not started yet\. Node 1: not started\./);
  assert.match(said(1), /^Click to kill, pause, cut it … Node 1: candidate · wants to lead · epoch 2\. Drag it/);
  assert.match(said(3), /^Click to kill it\. Node 1: leader · leads epoch 2\./);
  assert.match(said(4), /^Click to restart it\. Node 1: down · epoch 2\. On disk: epoch 2\./);
  assert.match(tipFor(recording, recording.scene(3), 0, false), /^Click for its state\. Node 1: leader · leads epoch 2\.$/, 'of what has been recorded nothing can be done');
});

test('what is said of a message is how long it is under way still; once it has arrived, nothing', () => {
  const said = (count: number, at: number) => tipOf(recording, recording.scene(count), 1, at);
  assert.equal(said(1, 1000), 'CLAIM of epoch 2 from 1 to 2: arrives in 4 ms');
  assert.equal(said(1, 4000), 'CLAIM of epoch 2 from 1 to 2: arrives in 1 ms');
  assert.equal(said(2, 5000), '');
});
