import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { Ends, lineOf, neverHeard, theEnd } from '../src/live/ends';
import { elsewhere, headline, heirsOf, kindOf, members, newestOf, outlived, rankOf, waiting, type Member } from '../src/live/members';
import { Lag } from '../src/live/lag';
import { byRank, idsOf, Merger, type Members, type Step } from '../src/live/merge';
import { mostFrames, Reel } from '../src/live/reel';
import * as store from '../src/store';
import type { Engine, Frame, Opened } from '../src/types';

// --- The order of steps ---

const heartbeat = (from: string, to: string) => ({ from, to, type: 'HEARTBEAT' });

function step(node: string, at: number, more: Partial<Step> = {}): Step {
  return { seq: 1, at, node, action: 'HeartbeatTimeout', state: { role: 'follower', leader: null, lease: 0, epoch: 1, grantee: null, support: [], asked: 0, latest: 1 }, ...more };
}

// push gives steps to a merger, as if all had come at a time.
function push(merger: Merger, now: number, ...steps: Step[]): void {
  for (const s of steps) merger.push(s, JSON.stringify(s), now);
}

const order = (merger: Merger, now: number) => merger.release(now).map((h) => `${h.step.node}@${h.step.at}`);

test('steps come in the order of their times, whatever the order in which nodes are heard', async () => {
  const merger = new Merger();
  push(merger, 0, step('1', 10), step('1', 30));
  push(merger, 40, step('2', 5), step('2', 20));
  assert.deepEqual(order(merger, 100), [], 'too early: something that happened before may come yet');
  assert.deepEqual(order(merger, 190), ['2@5', '1@10', '2@20', '1@30']);
  assert.deepEqual(order(merger, 1000), []);
});

test('a late step holds up what happened after it, and nothing else', async () => {
  const merger = new Merger();
  push(merger, 0, step('1', 10), step('1', 30));
  push(merger, 140, step('2', 20));
  assert.deepEqual(order(merger, 150), ['1@10']);
  assert.deepEqual(order(merger, 290), ['2@20', '1@30']);
});

test('what one node says is never reordered, though its clock goes back', async () => {
  const merger = new Merger();
  push(merger, 0, step('1', 30), step('1', 10), step('2', 20));
  assert.deepEqual(order(merger, 150), ['2@20', '1@30', '1@10']);
});

test('nothing is received before it is sent, though clocks differ', async () => {
  const merger = new Merger();
  const message = heartbeat('1', '2');
  push(merger, 0, step('2', 10, { action: 'OnHeartbeat', input: { message } }), step('2', 11));
  push(merger, 0, step('1', 500, { sent: [message] }), step('1', 501, { sent: [message] }), step('1', 502));
  assert.deepEqual(order(merger, 150), ['1@500', '2@10', '2@11', '1@501', '1@502']);
});

test('what was sent before the page came, or never heard of, is received when time says so', async () => {
  const merger = new Merger();
  const message = heartbeat('1', '2');
  const received = { action: 'OnHeartbeat', input: { message } };
  push(merger, 0, step('2', 10, received), step('3', 20));
  assert.deepEqual(order(merger, 150), ['2@10', '3@20']);
  // Both take what only the other sends later: something is missing, and nothing waits for ever.
  const back = heartbeat('2', '1');
  push(merger, 200, step('2', 30, received), step('2', 31, { sent: [back] }));
  push(merger, 200, step('1', 40, { action: 'OnHeartbeat', input: { message: back } }), step('1', 41, { sent: [message] }));
  assert.deepEqual(order(merger, 350), ['2@30', '2@31', '1@40', '1@41']);
});

test('a node that is heard no more ends after its last step, and before what others make of that', async () => {
  const merger = new Merger();
  const last = step('3', 100, { seq: 7, state: { role: 'leader', leader: '3', lease: 0, epoch: 4, grantee: '3', support: ['2'], asked: 0, latest: 9 } });
  push(merger, 0, last);
  assert.deepEqual(order(merger, 200), ['3@100']);
  push(merger, 200, step('2', 105));
  push(merger, 204, theEnd(last));
  assert.deepEqual(order(merger, 400), ['3@101', '2@105']);
  assert.equal(lineOf(theEnd(last)), `{"unheard":"3","last":${JSON.stringify(last)}}`, 'what it was last is told, and no state that nobody has seen');
});

const reached = (id: string, reach: Member['reach']): Member => ({ id, url: '', reach, now: null, status: null });

test('the recording is told once of each node that is not heard, and of one that never was, too', async () => {
  const ends = new Ends();
  const last = step('1', 100);
  ends.heard(last);
  const heard = [reached('1', 'heard'), reached('2', 'connecting'), reached('3', 'again')];
  assert.deepEqual(ends.of(heard), [], 'who may be heard in a moment has no end');
  const silent = [reached('1', 'silent'), reached('2', 'away'), reached('3', 'unseen')];
  assert.deepEqual(ends.of(silent), [theEnd(last), neverHeard('2'), neverHeard('3')]);
  assert.deepEqual(ends.of(silent), []);
  ends.heard(step('2', 200));
  assert.deepEqual(ends.of(heard), []);
  assert.deepEqual(ends.of(silent), [theEnd(step('2', 200))], 'it was back, and is gone again');
});

test('the end of a node that was never heard comes before all, at no time', async () => {
  const merger = new Merger();
  push(merger, 0, step('1', 100), neverHeard('2'));
  assert.deepEqual(order(merger, 200), ['2@0', '1@100']);
  assert.equal(lineOf(neverHeard('2')), '{"unheard":"2"}');
});

// --- The recording ---

let opened: number[] = [];
let closed: number[] = [];
const asked: [string[], boolean][] = [];

// The engine makes a frame of each line, whose text is the line.
const engine = {
  live: async (nodes: string[], changing: boolean): Promise<Opened> => {
    asked.push([[...nodes], changing]);
    opened.push(opened.length + 1);
    return { handle: opened.length, header: { recording: 1, title: 'live', source: 'live', nodes, timed: true }, frames: [], ended: true };
  },
  feed: async (_: number, line: string) => ({ frames: [{ at: 1, kind: 'step', node: 0, text: line } as Frame], ended: true }),
  close: (handle: number) => { closed.push(handle); },
} as unknown as Engine;

const heard = (line: string, action = 'OnClaim', node = '1') => ({ step: step(node, 1, { action }), line, came: 0 });
const lines = () => store.recording.value!.frames.map((f) => f.text);

let reel: Reel;
beforeEach(async () => {
  opened = [];
  closed = [];
  store.engine.value = engine;
  reel = new Reel(['1', '2']);
  await reel.begin();
});

test('who looks on sees each step as it comes', async () => {
  assert.deepEqual(lines(), []);
  await reel.take([heard('a'), heard('b')]);
  assert.deepEqual([lines(), store.count.value, waiting.value], [['a', 'b'], 2, 0]);
});

test('who looks back is not disturbed: steps wait until the way back to now', async () => {
  await reel.take([heard('a'), heard('b')]);
  await store.jump(1);
  await reel.take([heard('c'), heard('d')]);
  assert.deepEqual([lines(), store.count.value, waiting.value], [['a', 'b'], 1, 2]);
  await reel.goToNow();
  assert.deepEqual([lines(), store.count.value, waiting.value], [['a', 'b', 'c', 'd'], 4, 0]);
  await store.jump(1);
  await reel.take([heard('e')]);
  await store.jump(4); // by hand: whoever has come to the end goes on
  await reel.take([heard('f')]);
  assert.deepEqual([lines(), store.count.value, waiting.value], [['a', 'b', 'c', 'd', 'e', 'f'], 6, 0]);
});

test('a long recording begins anew, with what tells most, and the last step of each node', async () => {
  await reel.take([heard('first'), heard('quiet one', 'OnAck', '2')]);
  for (let n = 0; n < mostFrames; n += 1000) await reel.take(Array.from({ length: 1000 }, (_, i) => heard(`heartbeat ${n + i}`, 'HeartbeatTimeout')));
  assert.equal(opened.length, 2);
  assert.deepEqual(closed, [1]);
  const now = lines();
  assert.deepEqual(now.slice(0, 2), ['first', 'quiet one']);
  assert.ok(now.length < 2000, `${now.length} frames`);
  assert.equal(now.at(-1), `heartbeat ${mostFrames - 1}`);
  assert.equal(store.count.value, now.length);
  await reel.take([heard('more')]);
  assert.equal(lines().at(-1), 'more');
});

test('however long somebody looks back, memory is bounded, and nothing is told twice', async () => {
  await reel.take([heard('a'), heard('b')]);
  await store.jump(1);
  for (let n = 0; n < 90; n++) await reel.take(Array.from({ length: 1000 }, (_, i) => heard(`heartbeat ${n * 1000 + i}`, 'HeartbeatTimeout')));
  assert.ok(waiting.value <= 41_000, `${waiting.value} wait`);
  assert.deepEqual(lines(), ['a', 'b']);
  await reel.goToNow();
  assert.equal(lines().at(-1), 'heartbeat 89999');
  assert.equal(new Set(lines()).size, lines().length);
  assert.deepEqual(lines().slice(0, 2), ['a', 'b']);
});

test('who opens something else keeps it, and finds back', async () => {
  await reel.take([heard('a')]);
  await store.show({ handle: 99, header: { recording: 1, title: 'other', source: 'trace', nodes: ['1'], timed: true }, frames: [], ended: true });
  await reel.take([heard('b')]);
  assert.deepEqual([store.recording.value!.header.title, lines(), elsewhere.value], ['other', [], true]);
  await reel.goToNow();
  assert.deepEqual([store.recording.value!.header.title, lines(), elsewhere.value], ['live', ['a', 'b'], false]);
});

test('a selected node stays selected when the recording begins anew', async () => {
  store.selection.value = { node: 1 };
  await reel.begin();
  assert.deepEqual(store.selection.value, { node: 1 });
});

test('a page without an engine still says how the cluster does', async () => {
  store.engine.value = null;
  await new Reel(['1']).take([heard('a')]);
});

// --- The headline ---

function member(id: string, role: string, leader: string | null, epoch: number, more: Partial<Member> = {}): Member {
  return { id, url: '', reach: 'heard', now: { role, leader, epoch, grantee: null, lease: 0, support: [], asked: 0, latest: 1 }, status: null, ...more };
}

test('the headline says who leads, as far as it is known', async () => {
  const says = (...all: Member[]) => { members.value = all; return headline.value.says; };
  const leader = member('3', 'leader', '3', 4);
  assert.match(says(), /No node has answered yet/);
  assert.equal(says(member('1', 'follower', '3', 4), member('2', 'electing', '3', 4), leader), 'Node 3 leads epoch 4; 2 of 3 say so.');
  assert.equal(says(member('1', 'follower', '3', 4), { ...leader, reach: 'away' }), 'Node 3 leads epoch 4, as node 1 says.');
  assert.equal(says(member('1', 'electing', '3', 4), member('2', 'follower', null, 4), { ...leader, reach: 'silent' }),
    'Nobody leads. 2 of 3 nodes are reached; 2 are a quorum.', 'a lease that a node keeps is no reign');
  assert.equal(says({ ...leader, status: { id: '3', role: 'leader', leader: null, epoch: 4, leading: false, stopped: true, error: 'disk', links: [] } }),
    'Nobody leads. 1 of 1 nodes are reached; 1 are a quorum.');
  assert.equal(says(member('2', 'leader', '2', 3), leader), 'Node 3 leads epoch 4; 1 of 2 say so.', 'the highest epoch');
  assert.equal(says({ ...leader, reach: 'away' }), 'No node is reached.');
  assert.equal(says({ ...leader, now: null, reach: 'connecting' }), 'Connecting to the nodes.');
});

test('a leader whose last word is that it leads is outlived by one of a higher epoch, while that is heard', () => {
  const [old, next] = [member('3', 'leader', '3', 4), member('2', 'leader', '2', 5)];
  const is = (...all: Member[]) => { members.value = all; return all.map(outlived); };
  assert.deepEqual(is(old, next), [true, false]);
  assert.deepEqual(is(old, { ...next, reach: 'away' }), [false, false]);
  assert.deepEqual(is(member('3', 'follower', '2', 5), next), [false, false]);
});

// --- Members that come and go ---

const conf = (version: number, ...ids: string[]): Members => ({ epoch: 1, version, members: ids.map((id, i) => ({ id, kind: i < 2 ? 'voter' : 'observer' })) });
const changing = (node: string, configuration: Members, line: string) =>
  ({ step: step(node, 1, { action: 'OnHeartbeat', state: { role: 'follower', leader: '2', lease: 1, epoch: 1, grantee: null, support: [], asked: 0, latest: 1, configuration } }), line, came: 0 });

test('a step names whoever is in it, and ids are in the order of their rank', async () => {
  const of = step('1', 1, { input: { message: { from: '2', to: '1', type: 'HEARTBEAT', configuration: conf(2, '1', '3') } }, sent: [{ from: '1', to: '4', type: 'ACK' }] });
  assert.deepEqual([...new Set(idsOf(of))].sort(byRank), ['1', '2', '3', '4']);
  const uuids = ['f4000000-0000-4000-8000-000000000000', '0a000000-0000-4000-8000-000000000000'];
  assert.deepEqual(['10', uuids[0]!, '9', uuids[1]!].sort(byRank), ['9', '10', uuids[1], uuids[0]]);
  assert.equal(byRank('7', '7'), 0);
});

test('the recording begins anew when members turn out to come and go, and when a node is new', async () => {
  const before = opened.length;
  await reel.take([changing('1', conf(1, '1', '2'), 'a')]);
  assert.deepEqual([opened.length, asked.at(-1)], [before + 1, [['1', '2'], true]]);
  await reel.take([changing('1', conf(1, '1', '2'), 'b')]);
  assert.equal(opened.length, before + 1, 'nothing is new');
  await reel.take([changing('2', conf(2, '1', '2', '3'), 'c')]);
  assert.deepEqual([opened.length, asked.at(-1)], [before + 2, [['1', '2', '3'], true]]);
  assert.deepEqual(lines(), ['a', 'b', 'c'], 'nothing is lost');
  assert.equal(reel.meets(['2']), false);
  assert.equal(reel.meets(['10']), true);
});

test('the end of a node keeps its configuration', async () => {
  assert.deepEqual(theEnd(changing('1', conf(4, '1', '2'), '').step).state.configuration, conf(4, '1', '2'));
});

test('who votes is who counts, by the newest configuration', async () => {
  const member = (id: string, configuration: Members, role = 'follower'): Member =>
    ({ id, url: '', reach: 'heard', status: null, now: { role, leader: null, epoch: 1, grantee: null, lease: 0, support: [], asked: 0, latest: 1, configuration } });
  members.value = [member('1', conf(1, '1', '2')), member('2', conf(2, '1', '2', '3')), member('3', conf(2, '1', '2', '3')), member('4', conf(1, '1', '2'))];
  assert.equal(newestOf(members.value)?.version, 2);
  assert.deepEqual(members.value.map(kindOf), ['', '', 'observer', 'no member']);
  assert.match(headline.value.says, /Nobody leads\. 2 of 2 nodes that vote are reached; 2 are a quorum\./);
});

test('ranks are shown once any member has one, and a leader hands over to other voters that are heard', async () => {
  const with7: Members = { epoch: 1, version: 3, members: [{ id: '1', kind: 'voter', rank: 7 }, { id: '2', kind: 'voter' }, { id: '3', kind: 'observer' }] };
  const member = (id: string, configuration: Members, reach: Member['reach'] = 'heard'): Member =>
    ({ id, url: '', reach, status: null, now: { role: 'follower', leader: null, epoch: 1, grantee: null, lease: 0, support: [], asked: 0, latest: 1, configuration } });
  members.value = ['1', '2', '3'].map((id) => member(id, conf(2, '1', '2', '3')));
  assert.deepEqual(members.value.map(rankOf), ['', '', '']);
  members.value = [...['1', '2', '3', '4'].map((id) => member(id, with7))];
  assert.deepEqual(members.value.map(rankOf), ['rank 7', 'rank 0', 'rank 0', '']);
  assert.deepEqual(heirsOf(members.value[0]!).map((m) => m.id), ['2']);
  members.value = members.value.map((m) => (m.id === '2' ? { ...m, reach: 'away' } : m));
  assert.deepEqual(heirsOf(members.value[0]!), []);
});

test('how far behind the page is does not depend on the clocks of nodes, nor on what happened before it came', () => {
  const lag = new Lag();
  const hour = 3_600_000;
  const at = (ms: number): number => (hour + ms) * 1000; // by the clock of a node, which is an hour ahead
  lag.heard('1', at(-90_000), 1000); // what it keeps
  lag.heard('1', at(1000), 1005);    // and what it does
  assert.equal(lag.of('1', at(-90_000), 1006), 0, 'what happened before is no delay');
  assert.equal(lag.of('1', at(1000), 1005), 0);
  assert.equal(lag.of('1', at(2000), 4105), 2100);
  assert.equal(lag.of('2', at(2000), 4105), 0, 'of a node that is not heard nothing is known');
  lag.heard('1', at(3000), 5105);
  assert.equal(lag.of('1', at(3000), 5105), 2100, 'a delay that lasts is one still');
  lag.forget('1');
  lag.heard('1', at(5000), 9000);
  assert.equal(lag.of('1', at(5000), 9000), 0, 'a node that is back may have another clock');
});
