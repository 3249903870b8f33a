import assert from 'node:assert/strict';
import test from 'node:test';
import { Recording } from '../src/recording';
import type { NodeState } from '../src/types';
import {
  capital, doing, epochColour, epochName, epochWord, groupNames, groupOf, groupWord, letters, lightWord, linkWords, messageWord, messageWords, moment, nodeId, nodeName, noResource,
  sentence, shorten, shortIds, time, timerWord,
} from '../src/words';

const uuids = { header: { nodes: ['3', '18446744073709551615', '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed', '1b9d77aa-bbfd-4b2d-9b5d-ab8dfbbd4bed'], servers: 0 } };
const five = { header: { nodes: ['1', '2', '3', '4', '5', '6'], servers: 1 } };

test('times are short, and round to no unit that they have outgrown', () => {
  for (const [us, want] of [
    [0, '0 ms'], [40, '40 µs'], [99, '99 µs'], [100, '0.1 ms'], [1000, '1 ms'], [12_500, '12.5 ms'], [12_540, '12.5 ms'], [323_000, '323 ms'],
    [999_949, '999.9 ms'], [999_950, '1 s'], [1_204_000, '1.204 s'], [1_200_000, '1.2 s'], [10_000_000, '10 s'], [59_999_000, '59.999 s'],
    [90_000_000, '1.5 min'], [-5000, '-5 ms'],
  ] as const) assert.equal(time(us), want, String(us));
});

test('a moment is a place in the order where there are no times', () => {
  assert.equal(moment({ header: { timed: true } }, 12_500), '12.5 ms');
  assert.equal(moment({ header: { timed: false } }, 17), 'event 17');
});

test('of a node that is not heard is said since when', () => {
  const recording = new Recording({ recording: 1, title: '', source: 'trace', nodes: ['1', '2'], timed: true });
  const unheard = (role: string): NodeState => ({ look: 'down', role, leader: -1, epoch: 4, unheard: true });
  recording.add([
    { at: 0, kind: 'step', node: 0, text: '', state: unheard('not heard') },
    { at: 1_204_000, kind: 'step', node: 1, text: '', state: unheard('heard no more') },
  ]);
  assert.equal(doing(recording, recording.stateOf(0, 2)), 'not heard');
  assert.equal(doing(recording, recording.stateOf(1, 2)), 'heard no more from 1.204 s on');
  assert.equal(doing(recording, { ...unheard('down'), unheard: false }), 'down');
});

test('short ids are short, and each is nobody else’s', () => {
  assert.deepEqual(shortIds(uuids.header.nodes), ['3', '18…15', '1b9d6…', '1b9d7…']);
  const same = ['aaaaaaaa-1', 'aaaaaaaa-2', 'aaaaaaaa'];
  assert.equal(new Set(shortIds(same)).size, 3);
  assert.deepEqual(shortIds(['1234567', '1299967']), ['1234567', '1299967'], 'two numbers that are cut alike are not cut');
  assert.equal(nodeId(uuids, 9), '?');
});

test('names say what is a server', () => {
  assert.equal(nodeName(five, 0), 'node 1');
  assert.equal(nodeName(five, 5), 'server 6');
  assert.equal(nodeName({ header: { nodes: ['1', 'store'], servers: 1 } }, 1), 'store');
});

test('long ids in the words of others become short', () => {
  assert.equal(shorten(uuids, 'takes GRANT from 1b9d77aa-bbfd-4b2d-9b5d-ab8dfbbd4bed'), 'takes GRANT from 1b9d7…');
  assert.equal(shorten(five, 'takes GRANT from 3'), 'takes GRANT from 3');
});

test('every type of every algorithm has a group of its own meaning, and letters that no other of its algorithm has', () => {
  const algorithms = {
    bully: ['ELECTION', 'OK', 'ASSENT', 'CLAIM', 'GRANT', 'REFUSE', 'COORDINATOR', 'HEARTBEAT', 'ACK', 'RESIGN', 'IM_BACK'],
    raft: ['REQUESTPREVOTE', 'PREVOTE', 'NOPREVOTE', 'REQUESTVOTE', 'VOTE', 'NOVOTE', 'ANNOUNCE', 'ACK of ANNOUNCE', 'HEARTBEAT', 'NOTAPPENDED'],
    ring: ['ELECTION', 'ELECTED', 'COORDINATOR', 'ACK', 'HEARTBEAT'],
    lease: ['CREATE', 'RENEW', 'WATCH', 'DELETE', 'CREATED', 'HELD', 'RENEWED', 'GONE'],
  };
  for (const [name, kinds] of Object.entries(algorithms)) {
    assert.equal(new Set(kinds.map(letters)).size, kinds.length, name);
    for (const kind of kinds) {
      assert.ok(groupNames.includes(groupOf(kind)), kind);
      assert.ok(letters(kind).length <= 2, kind);
    }
  }
  assert.equal(groupOf('ACK of HEARTBEAT'), 'upkeep');
  assert.equal(groupOf('CLAIM'), 'claim');
  assert.equal(groupOf('NOVEL'), 'ask');
  assert.equal(letters('NOVEL'), 'NO');
  assert.equal(new Set(groupNames.map(groupWord)).size, groupNames.length);
});

test('messages, in a word and in full', () => {
  assert.equal(messageWord({ kind: 'CLAIM', epoch: 4 }), 'CLAIM 4');
  assert.equal(messageWord({ kind: 'OK' }), 'OK');
  assert.equal(messageWords(five, { kind: 'CLAIM', epoch: 4, from: 1, to: 2 }), 'CLAIM of epoch 4 from 2 to 3');
  assert.equal(messageWords(five, { kind: 'ELECTION', text: 'list 1, 2', from: 1, to: 2 }), 'ELECTION from 2 to 3 (list 1, 2)');
});

test('links are one where both directions are there', () => {
  assert.equal(linkWords(five, [[0, 1], [1, 0], [2, 0]]), '1 ↔ 2, 3 → 1');
  assert.equal(linkWords(five, [[1, 0], [0, 1]]), '1 ↔ 2');
});

test('what a node is about', () => {
  const state = (more: Partial<NodeState>): NodeState => ({ look: 'idle', role: 'follower', leader: -1, epoch: 4, ...more });
  assert.equal(doing(five, state({ look: 'leads', leader: 2 })), 'leads epoch 4');
  assert.equal(doing(five, state({ look: 'leads', epoch: 0 })), 'leads');
  assert.equal(doing(five, state({ look: 'follows', leader: 2 })), 'follows 3');
  assert.equal(doing(five, state({ look: 'waits', leader: 2 })), 'waits for 3');
  assert.equal(doing(five, state({ look: 'down', role: 'not started' })), 'not started');
  assert.equal(doing(five, state({ look: 'stands', role: 'claimant', saving: true })), 'wants to lead');
  assert.equal(doing(five, state({ look: 'stands', role: 'leader', saving: true })), 'leads once that is on disk');
});

test('a sentence begins with a capital, and the name of a file is as it is', () => {
  assert.equal(capital('node 3'), 'Node 3');
  assert.equal(capital('blank.ndjson is empty.'), 'blank.ndjson is empty.');
  assert.equal(capital('empty.'), 'Empty.');
  assert.equal(capital(''), '');
});

test('a frame is a sentence, with the node’s name in front if there is one', () => {
  assert.equal(sentence(five, { at: 0, kind: 'receive', node: 1, text: 'takes CLAIM of epoch 4 from 3' }), 'Node 2 takes CLAIM of epoch 4 from 3');
  assert.equal(sentence(five, { at: 0, kind: 'links', node: -1, text: 'all links are whole' }), 'All links are whole');
});

test('each algorithm has its own word for an epoch', () => {
  const raft = { header: { ...five.header, algorithm: 'raft-plain' } };
  assert.equal(messageWords(raft, { kind: 'VOTE', epoch: 4, from: 1, to: 2 }), 'VOTE of term 4 from 2 to 3');
  assert.equal(doing(raft, { look: 'leads', role: 'leader', leader: 2, epoch: 4 }), 'leads term 4');
  assert.equal(epochName({ header: { algorithm: 'lease' } }), 'revision');
  assert.equal(epochName({ header: {} }), 'epoch');
});

test('why no resource is drawn is said of records of real nodes, and of traces', () => {
  assert.equal(noResource({ source: 'trace' }), 'A trace does not say');
  assert.equal(noResource({ source: 'live' }), 'Nodes do not say');
  assert.equal(noResource({ source: 'run', resource: 'fenced' }), '');
  assert.equal(noResource({ source: 'counterexample' }), '', 'a model has what it has');
});

test('small words', () => {
  assert.equal(lightWord('green'), 'holds');
  assert.equal(lightWord('red'), 'broken');
  assert.equal(epochWord(9007199254740990), '…0990');
  assert.equal(epochWord(12), '12');
  assert.equal(epochColour(9), 'var(--epoch-1)');
  assert.equal(epochColour(0), 'var(--line)');
  assert.equal(timerWord({ header: { algorithm: 'raft-plain' } }, 'election'), 'its patience');
  assert.equal(timerWord({ header: { algorithm: 'bully' } }, 'election'), 'its wait for answers');
  assert.equal(timerWord({ header: {} }, 'unheard'), '');
});
