// Who the members are, where they come and go: what is said of it, and what is painted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Layout } from '../src/diagram/layout';
import { paint } from '../src/diagram/paint';
import { viewOf } from '../src/diagram/view';
import { Recording } from '../src/recording';
import { interventionWords } from '../src/menu/Branches';
import fixture from '../src/fixtures/members.json';
import { outline } from '../src/members/KindMark';
import { changes, changeWords, configurationOf, kindIn, memberships, membershipWords, memberWord, newer, newest, settled, stampWord, stampWords, summary } from '../src/members/who';
import { rows } from '../src/panel/changes';
import { about } from '../src/ring/menus';
import { marks } from '../src/transport/marks';
import type { Configuration, Frame, Header } from '../src/types';
import { messageWord } from '../src/words';
import { Watcher } from './watcher';

const recording = new Recording(fixture.header as Header);
recording.add(fixture.frames as Frame[]);

// after returns how many frames have happened when the first that says so has.
function after(says: RegExp, from = 0): number {
  const at = recording.frames.findIndex((f, i) => i >= from && says.test(`${recording.header.nodes[f.node]} ${f.text}; ${f.note}`));
  assert.ok(at >= 0, `${says} is nowhere in the fixture`);
  return at + 1;
}

const added = after(/is called to add 4/);
const voter = after(/is called to make 4 a voter/);
const spoken = after(/^3 has not heard .*IM_BACK/);
const removed = after(/is called to remove 2/);

test('configurations are numbered, and ordered by epoch, and then by version', () => {
  assert.equal(configurationOf(recording, 0), null);
  assert.equal(configurationOf(recording, undefined), null);
  assert.equal(configurationOf(recording, 99), null);
  const of = (epoch: number, version: number): Configuration => ({ epoch, version, members: [] });
  assert.ok(newer(of(2, 1), of(1, 7)) && newer(of(1, 2), of(1, 1)));
  assert.ok(!newer(of(1, 1), of(1, 1)) && !newer(of(1, 9), of(2, 1)));
  const stamps = recording.configurations.map((c) => [c.epoch, c.version]);
  assert.equal(new Set(stamps.map(String)).size, stamps.length, 'each is told once');
});

test('a change makes a newer configuration, of which the others have not heard', () => {
  const scene = recording.scene(added);
  const all = memberships(recording, scene)!;
  assert.deepEqual(all.map((m) => m.behind), [true, false, true, true, true]);
  assert.deepEqual(all.map((m) => m.kind), ['voter', 'voter', 'witness', 'observer', null]);
  assert.deepEqual(all.map(memberWord), ['', '', 'witness', 'observer', 'no member']);
  assert.deepEqual([7, 0].map((rank) => memberWord({ ...all[0]!, rank })), ['rank 7', 'rank 0'], 'ranks, and not ids, say who is higher');
  assert.equal(memberWord({ ...all[2]!, rank: 3 }), 'witness, rank 3');
  assert.equal(membershipWords({ ...all[1]!, rank: 7 }), 'voter, rank 7');
  assert.equal(membershipWords(all[0]), 'voter, knows only version 1 of epoch 1');
  assert.equal(membershipWords(all[3]), 'observer, knows of no members yet');
  assert.equal(membershipWords(all[1]), 'voter');
  assert.equal(membershipWords(null), '');
  assert.equal(settled(recording, scene.nodes), false);
  const shown = configurationOf(recording, newest(recording, scene.nodes))!;
  assert.equal(stampWords(shown), 'version 2 of epoch 1');
  assert.equal(summary(shown), '2 voters, 1 witness, 1 observer');
  assert.equal(changeWords(recording, all[0]!.own, shown), '+4 observer');
  assert.equal(stampWord(all[0]!.own!, shown), 'v1');
  assert.match(about(recording, scene.nodes[2]!, all[2]), / · witness, knows only version 1 of epoch 1$/);
});

test('it is settled when the leader’s support says so, and not known when nobody leads', () => {
  assert.equal(settled(recording, recording.scene(after(/version 2 is settled/)).nodes), true);
  assert.equal(settled(recording, recording.scene(voter).nodes), false);
  assert.equal(settled(recording, recording.scene(spoken).nodes), null);
});

test('who runs says what the newest is; if nobody does, all disks do', () => {
  const scene = recording.scene(voter);
  const leads = scene.nodes[1]!;
  const only = scene.nodes.map((n, i) => (i === 1 ? { ...n, look: 'down' as const } : n));
  assert.notEqual(newest(recording, only), leads.configuration, 'the others have not heard of it');
  assert.equal(newest(recording, scene.nodes.map((n) => ({ ...n, look: 'down' as const }))), leads.configuration);
  assert.equal(newest(recording, []), 0);
});

test('changes are told in few words', () => {
  const of = (...members: Configuration['members']): Configuration => ({ epoch: 1, version: 1, members });
  const [one, two] = [{ node: 0, kind: 'voter' }, { node: 1, kind: 'voter', address: 'h:1' }] as const;
  assert.equal(changeWords(recording, of(one, two), of(one)), '−2');
  assert.equal(changeWords(recording, of(one), of(one, two)), '+2 voter');
  assert.equal(changeWords(recording, of(one, two), of(one, { node: 1, kind: 'witness', address: 'h:1' })), '2 voter → witness');
  assert.equal(changeWords(recording, of(one, two), of(one, { ...two, address: 'h:2' })), '2 at h:2');
  assert.equal(changeWords(recording, of(one, two), of(one, { node: 1, kind: 'voter' })), '2 without an address');
  assert.equal(changeWords(recording, of(one, two), of(one, { ...two, rank: 7 })), '2 rank 7');
  assert.equal(changeWords(recording, of(one, { ...two, rank: 7 }), of(one, two)), '2 rank 0');
  assert.equal(changeWords(recording, of(one, two), of(one, { node: 1, kind: 'witness', address: 'h:1', rank: 7 })), '2 voter → witness rank 7');
  assert.equal(changeWords(recording, of(one), of(one, { ...two, rank: 7 })), '+2 voter');
  assert.equal(changeWords(recording, of(one, two), of(one, two)), 'the same members');
  assert.deepEqual(changes(null, of(one)).map((c) => c.was), [null]);
  assert.equal(kindIn(of(one), 1), null);
  assert.equal(stampWords(of()), 'no members known');
  assert.equal(summary(of()), 'nobody');
  assert.equal(stampWord({ epoch: 2, version: 3, members: [one] }, of(one)), 'v3 e2');
});

test('each kind has an outline of its own', () => {
  const all = (['voter', 'witness', 'observer'] as const).map((kind) => outline(kind, 20));
  assert.equal(new Set(all).size, 3);
  assert.equal(outline(null, 20), all[0]);
});

test('a message says what it carries, if its receiver has something else', () => {
  const told = recording.frames[added - 1]!.sends!.map((m) => messageWord(recording.flights[m.number - 1]!));
  assert.deepEqual(told, ['HEARTBEAT 1 v2', 'HEARTBEAT 1 v2', 'HEARTBEAT 1 v2']);
  const acks = recording.flights.filter((f) => f.kind === 'ACK' && f.sent >= added && f.sent < voter).map(messageWord);
  assert.ok(acks.length > 0);
  assert.deepEqual(new Set(acks), new Set(['ACK 1']));
});

test('the state says whose members a node knows, and what has changed', () => {
  const scene = recording.scene(after(/^4 .*adopts version 3/));
  const row = rows(recording, 3, scene.nodes[3]!, scene.before).find(({ name }) => name === 'members')!;
  assert.deepEqual(row, { name: 'members', is: 'version 3 of epoch 1', was: 'version 2 of epoch 1' });
  const kind = rows(recording, 3, scene.nodes[3]!, scene.before).find(({ name }) => name === 'kind')!;
  assert.deepEqual(kind, { name: 'kind', is: 'voter', was: 'observer' });
});

test('the diagram says where the members change, and who has heard of it', () => {
  const layout = new Layout(recording, false);
  assert.deepEqual(layout.told.filter((t) => t.made).map((t) => t.place + 1), [added, voter, removed]);
  assert.deepEqual(layout.told.filter((t) => !t.made && t.place + 1 > removed).map((t) => [t.node, t.word]), [[0, 'v4'], [1, 'v4'], [2, 'v4']]);
  assert.ok(layout.stretches(1, -99, 1e9).some((s) => s.life === 'outside'), '2 knows that it is no member');
  assert.ok(layout.stretches(3, -99, 1e9).every((s) => s.life !== 'outside' || s.from < 24 * added), '4 is one when it has heard');
  const watcher = new Watcher();
  paint(layout, viewOf(1100, layout.height + 120, 5), watcher);
  for (const text of ['version 2: +4 observer', 'version 3: 4 observer → voter', 'version 4: −2', 'v2', 'v3', 'v4']) {
    assert.ok(watcher.texts.includes(text), `it does not say ${text}: ${watcher.texts.join(', ')}`);
  }
});

test('changes are marked under the slider', () => {
  assert.deepEqual(marks(recording.frames).filter(({ mark }) => mark === 'members').map(({ place }) => place), [added, voter, removed]);
});

test('what was done to members is told in a few words', () => {
  const words = (kind: 'voter' | 'observer' | 'removed') => interventionWords(recording, { after: 9, do: 'change', node: 3, kind });
  assert.deepEqual([words('voter'), words('observer'), words('removed')], ['make 4 a voter', 'make 4 an observer', 'remove 4']);
});

test('a recording of fixed members says nothing of all this', () => {
  const fixed = new Recording({ recording: 1, title: 't', source: 'run', nodes: ['1'], timed: false });
  fixed.add([{ at: 1, kind: 'start', node: 0, text: 'starts', state: { look: 'idle', role: 'follower', leader: -1, epoch: 0 } }]);
  const scene = fixed.scene(1);
  assert.equal(memberships(fixed, scene), null);
  assert.equal(settled(fixed, scene.nodes), null);
  assert.deepEqual(new Layout(fixed, false).told, []);
  assert.ok(rows(fixed, 0, scene.nodes[0]!).every(({ name }) => name !== 'members' && name !== 'kind'));
});
