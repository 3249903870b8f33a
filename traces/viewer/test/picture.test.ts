// What is drawn of a run beside nodes and messages: the resource, the lease of a leader, who acts, and the letters of the legend.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { meaning } from '../src/glossary';
import { Recording } from '../src/recording';
import { actingWords } from '../src/ring/acting';
import { plan } from '../src/ring/geometry';
import { legend } from '../src/ring/legend';
import { fenceWords } from '../src/ring/Resource';
import { flown, half, leaseOf, left, resourceAt, Writes } from '../src/ring/writes';
import { gallery } from '../src/store';
import { Phases } from '../src/transport/phases';
import type { Frame, Gallery, Header, Look, NodeState, Writing } from '../src/types';
import { leaseWords } from '../src/ring/tip';
import { clusters, groupOf, isMessage, letters } from '../src/words';

const header: Header = { recording: 1, title: 't', source: 'run', algorithm: 'bully', nodes: ['1', '2', '3'], timed: true, resource: 'fenced' };
const is = (look: Look, leader = -1, epoch = 1, more: Partial<NodeState> = {}): NodeState => ({ look, role: look, leader, epoch, ...more });
const frame = (at: number, node: number, more: Partial<Frame> = {}): Frame => ({ at, kind: 'step', node, text: '', ...more });
const write = (at: number, node: number, wrote: Writing): Frame => frame(at, node, { kind: 'write', wrote });
const of = (...frames: Frame[]): Recording => {
  const recording = new Recording(header);
  recording.add(frames);
  return recording;
};

afterEach(() => { gallery.value = null; });

const writes = [
  write(10, 2, { epoch: 1, looked: 9, fate: 'taken' }), frame(11, 0), write(20, 1, { epoch: 2, looked: 19, fate: 'taken' }), write(30, 2, { epoch: 1, looked: 12, fate: 'refused' }),
];

test('the resource has the highest epoch that it has taken, and counts what it takes and refuses, at every frame', () => {
  const all = new Writes();
  const after = (count: number) => { const { highest, taken, refused, last } = all.after(writes, count); return [highest, taken, refused, last?.fate]; };
  assert.deepEqual([0, 1, 2, 3, 4].map(after), [[0, 0, 0, undefined], [1, 1, 0, 'taken'], [1, 1, 0, 'taken'], [2, 2, 0, 'taken'], [2, 2, 1, 'refused']]);
  assert.deepEqual(all.between(writes, 1, 4).map((w) => w.at), [20, 30]);
  assert.match(fenceWords(clusters(header)[0]!, all.after(writes, 4)), /refuses a write of an epoch below 2.*taken 2 writes, and refused 1/);
});

test('what has no fence takes stale writes, and says so', () => {
  const [bare] = clusters({ ...header, algorithm: 'textbook', resource: 'unfenced' });
  const tally = new Writes().after([write(1, 0, { looked: 0, fate: 'taken' }), write(2, 1, { looked: 0, fate: 'stale' })], 2);
  assert.deepEqual([tally.taken, tally.stale, tally.highest], [2, 1, 0]);
  assert.match(fenceWords(bare!, tally), /has no fence.*taken 2 writes, 1 of them stale/);
});

test('a write flies to the resource, and is there when its frame comes', () => {
  const written = new Writes().after([write(1000, 0, { looked: 990, fate: 'taken' })], 1).last!;
  assert.equal(flown(written, 0, 0, 1000), null, 'a moment is long enough to see it');
  assert.equal(flown(written, 800, 0, 1000), 0.5);
  assert.equal(flown(written, 1000, 0, 1000), 1);
  assert.equal(flown(written, 1001, 0, 1500), null);
  const held = { ...written, looked: 100 };
  assert.equal(flown(held, 550, 0, 1000), 0.5, 'who was paused has had it in hand for longer');
});

test('the resource covers no node, and is in the picture', () => {
  for (const [width, height] of [[360, 300], [440, 400], [780, 464], [1200, 640]] as const) {
    for (let nodes = 1; nodes <= 9; nodes++) {
      for (const servers of nodes > 3 ? [0, 1] : [0]) {
        const placed = plan(width, height, nodes, servers);
        const at = resourceAt(placed, servers);
        const what = `${nodes} nodes, ${servers} servers, ${width} × ${height}`;
        assert.ok(at.x - half.x >= 0 && at.x + half.x <= width && at.y - half.y >= 0 && at.y + half.y <= height, `${what}: ${at.x}, ${at.y}`);
        placed.places.forEach((p, k) => {
          const [dx, dy] = [Math.max(0, Math.abs(p.x - at.x) - half.x), Math.max(0, Math.abs(p.y - at.y) - half.y)];
          assert.ok(Math.hypot(dx, dy) >= p.r - 1, `${what}: node ${k}`);
        });
      }
    }
  }
});

test('a write has room between the highest node and the resource, in a low picture too', () => {
  for (const [width, height] of [[548, 285], [560, 300], [780, 464]] as const) {
    for (const nodes of [3, 5]) {
      const placed = plan(width, height, nodes, 0);
      const [at, highest] = [resourceAt(placed, 0), placed.places[nodes - 1]!];
      assert.ok(at.y - half.y - 6 - (highest.y + highest.r) >= 24, `${nodes} nodes, ${width} × ${height}: ${at.y}, below ${highest.y}`);
    }
  }
});

test('the lease of a leader is a share of what is between its question and its end, and is that of the last step, shown or not', () => {
  const lease = { question: 3, asked: 100, ends: 200 };
  assert.deepEqual([90, 100, 150, 199, 200, 300].map((at) => left(lease, at)), [1, 1, 0.5, 0.01, 0, 0]);
  assert.equal(left({ asked: 100 }, 120), null, 'a trace does not say how long it is');
  const frames = [frame(100, 2, { state: is('leads', 2, 1, { lease }) }), frame(150, 2, { upkeep: true, state: is('leads', 2, 1, { lease: { question: 4, asked: 140, ends: 240 } }) }), frame(160, 0)];
  const at = (moment: number, progress = 0.5) => leaseOf(frames, 2, frames[0]!.state!, { count: 1, progress, at: moment, timed: true }, 3)?.question;
  assert.equal(at(149), 3);
  assert.equal(at(155), 4, 'heartbeats are not shown, and renew it');
  assert.equal(at(155, 0), 3, 'what has not happened yet does not');
});

test('a leader without a lease says why it has none', () => {
  const say = (algorithm: string, more: Partial<NodeState> = {}) => {
    const recording = new Recording({ ...header, algorithm });
    recording.add([frame(0, 2, { state: is('leads', 2, 1, more) })]);
    return leaseWords(recording, recording.scene(1), 2);
  };
  assert.match(say('raft'), /^Raft has no lease: a leader acts until it hears of a later term, or finds that more than half do not answer\.$/);
  assert.match(say('raft-plain'), /until it hears of a later term\.$/);
  assert.match(say('textbook'), /^No time bounds how long it acts/);
  assert.equal(say('bully'), '', 'a trace of ours does not always tell');
  assert.doesNotMatch(say('lease', { lease: { asked: 1, ends: 9 } }), /no lease|No time/);
});

test('two crowns say of themselves who acts', () => {
  const say = (frames: Frame[]) => { const recording = of(...frames); return actingWords(recording, recording.scene(frames.length)); };
  const [three, two] = [frame(0, 2, { state: is('leads', 2) }), frame(1, 1, { state: is('leads', 1, 2) })];
  const paused = frame(0, 2, { kind: 'pause', state: is('leads', 2, 1, { paused: true }) });
  assert.equal(say([three]), '');
  assert.equal(say([paused]), '3 is paused: it takes itself for the leader, and does nothing. So nobody acts.');
  assert.equal(say([paused, two]), '3 is paused: it takes itself for the leader, and does nothing. So one acts: 2.');
  assert.equal(say([three, two]), 'Two act at once: 2 and 3.');
  const woken = frame(5, 2, { kind: 'resume', state: is('leads', 2, 1, { timers: [{ timer: 'reign', at: 4 }] }) });
  assert.match(say([paused, two, woken]), /^3 has just gone on, and its time has run out: .* So one acts: 2\.$/);
  const resumed = frame(5, 2, { kind: 'resume', state: is('leads', 2) });
  assert.equal(say([paused, two, resumed, frame(5, 0, {})]), '3 has gone on in this moment, and still takes itself for the leader. So one acts: 2.');
  assert.equal(say([paused, two, resumed, frame(6, 0, {})]), 'Two act at once: 2 and 3.');
  assert.equal(say([paused, resumed]), '', 'nobody else leads');
});

test('the legend has every letter that is on the ring, in the shape that it has there', () => {
  const kinds = ['ELECTION', 'OK', 'ASSENT', 'REFUSE', 'CLAIM', 'GRANT', 'COORDINATOR', 'HEARTBEAT', 'ACK of HEARTBEAT', 'ACK', 'RESIGN', 'IM_BACK', 'NEW_KIND'];
  const recording = of(frame(1, 0, { sends: kinds.map((kind, k) => ({ number: k + 1, to: 1, kind })) }));
  const all = legend(recording);
  for (const kind of kinds) assert.deepEqual(all.filter((l) => l.letters === letters(kind) && l.group === groupOf(kind)).length, 1, kind);
  assert.equal(all.length, kinds.length - 1, 'an ACK is an ACK, whatever it answers');
  recording.add([frame(2, 0, { sends: [{ number: 14, to: 1, kind: 'VOTE' }] })]);
  assert.ok(legend(recording).some((l) => l.letters === 'V'), 'and what is sent later');
});

test('a word means what the specification says, in what is ours; and what others mean elsewhere', () => {
  gallery.value = { glossary: [
    { word: 'lease', kind: 'term, field', meaning: 'a vow to help nobody but one other (R5)' }, { word: 'question', kind: 'term, field', meaning: 'what a node asks' },
    { word: 'reign', kind: 'term, timer', meaning: 'an epoch and its leader' }, { word: 'ACK', kind: 'message', meaning: 'I keep your lease' },
  ] } as unknown as Gallery;
  assert.equal(meaning(header, 'lease'), 'A vow to help nobody but one other (R5).');
  assert.equal(meaning(undefined, 'questions'), 'What a node asks.');
  assert.equal(meaning(header, 'reign', 'timer'), 'An epoch and its leader.');
  assert.equal(meaning(header, 'ACK of HEARTBEAT', 'message'), 'I keep your lease.');
  assert.equal(meaning(header, 'lease', 'message'), '');
  const raft = { algorithm: 'raft' };
  assert.match(meaning(raft, 'ACK of HEARTBEAT', 'message'), /^A message that keeps a reign alive\.$/);
  assert.match(meaning(raft, 'term'), /Raft/);
  assert.match(meaning(raft, 'fence'), /refuses whatever is below/);
  assert.equal(meaning(header, 'nonsense'), '');
  assert.ok(isMessage('ACK of HEARTBEAT') && !isMessage('lease'));
});

// follow returns what begins at each frame.
const follow = (...frames: Frame[]): string[] => {
  const phases = new Phases(header, header.nodes.map((_, node) => (node === 2 ? is('leads', 2) : is('follows', 2))));
  return frames.map((f) => phases.next(f));
};

test('a failover has six phases, whatever its steps are', () => {
  assert.deepEqual(follow(
    frame(1, 2, { kind: 'crash', state: is('down') }), frame(2, 0, { upkeep: true }),
    frame(3, 0, { state: is('stands', -1) }), frame(4, 1, { state: is('stands', -1) }), frame(5, 0, { state: is('waits', 1) }),
    frame(6, 1, { state: is('stands', -1, 1, { role: 'claimant' }) }), frame(7, 0, { state: is('waits', 1, 2) }),
    frame(8, 1, { state: is('leads', 1, 2) }), frame(9, 0, { state: is('follows', 1, 2) }), write(10, 1, { epoch: 2, looked: 9, fate: 'taken' }), write(11, 1, { epoch: 2, looked: 10, fate: 'taken' }),
    write(12, 2, { epoch: 1, looked: 0, fate: 'refused' }),
  ), ['3 crashes', '', '1 looks for a leader', '', '', '2 claims', '', '2 leads', 'more than half follow', 'the leader, 2, writes for the first time', '', 'a write of 3 is refused']);
});

test('a leader that steps down, and one that another follows, begin a phase', () => {
  assert.deepEqual(follow(frame(1, 2, { state: is('idle', -1) }), frame(2, 1, { state: is('stands', -1) })), ['nobody leads any more', '2 looks for a leader']);
  assert.deepEqual(follow(frame(1, 1, { state: is('leads', 1, 2) }), frame(2, -1, { kind: 'links' }), frame(3, 0, { indicators: [{ name: 'OneActing', light: 'red' }] })),
    ['another leads', 'links change', 'a property is broken']);
});
