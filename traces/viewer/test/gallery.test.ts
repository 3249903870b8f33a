import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readdirSync, readFileSync } from 'node:fs';
import { entries, firsts, found } from '../src/gallery/entries';
import { bars, leadersOf } from '../src/gallery/Sketch';
import { longest, tagged } from '../src/gallery/titles';
import { recordingText, fileName } from '../src/menu/save';
import { openPlain } from '../src/open/plain';
import { Recording } from '../src/recording';
import type { Gallery } from '../src/types';
import fixture from '../src/fixtures/failover.json';

const gallery: Gallery = {
  algorithms: [], profiles: [], rules: [], actions: {},
  refused: [{ name: 'R14-claims-without-support', nodes: 3, events: 9, watch: 'The rules do not allow line 7.' }],
  golden: [{ name: 'failover-by-proof', nodes: 3, events: 30, watch: 'The leader crashes; others are told.' }],
  scenarios: [
    { name: 'split', title: 'Two lead', algorithm: 'textbook-tcoord', algorithms: ['bully'], nodes: 5, flaw: 'two leaders', watch: 'w', cause: 'a network partition', remedy: 'quorums' },
    { name: 'herd', title: 'A herd', algorithm: 'raft-plain', algorithms: [], nodes: 5, flaw: 'a herd', watch: 'w', cause: 'c', remedy: 'r' },
  ],
};

test('the gallery is searched by the beginnings of words', () => {
  const all = entries(gallery);
  const titles = (group: Parameters<typeof found>[1], search: string) => found(all, group, search).map((e) => e.title);
  assert.deepEqual(titles('all', ''), ['Failover by proof', 'Split', 'A herd: all ask at once', 'Claims without support']);
  assert.deepEqual(titles('all', ' LEAD crash '), ['Failover by proof']);
  assert.deepEqual(titles('all', 'partit'), ['Split']);
  assert.deepEqual(titles('textbook', ''), ['Split']);
  assert.deepEqual(titles('others', 'herd'), ['A herd: all ask at once']);
  assert.deepEqual(titles('golden', 'herd'), []);
  assert.deepEqual(titles('all', 'r14'), ['Claims without support']);
});

// The names are those of the repository; what there is to read of each is left out.
const named = (file: string, pattern: RegExp): string[] => [...readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8').matchAll(pattern)].map((m) => m[1]!);
const golden = named('traces/README.md', /^\| \[([\w-]+)\]/gm).filter((name) => readdirSync(new URL('../../valid', import.meta.url)).includes(`${name}.ndjson`));
const refused = readdirSync(new URL('../../invalid', import.meta.url)).filter((name) => name.endsWith('.ndjson')).map((name) => name.replace('.ndjson', ''));
const scenarios = ['five-nodes', 'cascade', 'late-coordinator', 'herd', 'ok-then-die', 'split-brain', 'same-stamp', 'one-way', 'deaf-follower', 'stale-return', 'paused-leader', 'top-flap',
  'raft-rejoin', 'raft-partial', 'raft-one-way', 'raft-minority-leader', 'raft-split-vote', 'lease-herd', 'lease-pause', 'lease-store-down', 'lease-slow-store', 'lease-drift',
  'ring-two-starters', 'ring-herd', 'ring-partition', 'ring-lost-ack', 'ring-lost-list', 'ring-orphan', 'ring-return', 'ring-stale-return'];
const bare = (name: string) => ({ name, nodes: 5, events: 9, watch: '' });
const whole: Gallery = {
  ...gallery, golden: golden.map(bare), refused: refused.map(bare),
  scenarios: scenarios.map((name) => ({ name, title: '', algorithm: name.split('-')[0]!, algorithms: [], nodes: 5, flaw: '', watch: '', cause: '', remedy: '' })),
};

test('every title is short, and no two are the same', () => {
  const all = entries(whole);
  assert.ok(all.length > 230, `${all.length} entries`);
  for (const { title } of all) assert.ok(title.length <= longest, `${title}: ${title.length} characters`);
  const titles = all.filter((e) => e.group !== 'refused').map((e) => e.title);
  assert.equal(new Set(titles).size, titles.length);
});

test('what people look for is found first, whatever it is called here', () => {
  const all = entries(whole);
  const wanted: Record<string, string[]> = {
    preempt: ['g hand-over', 'g flapping-highest-node', 'g pre-emption-by-the-second'], fencing: ['s paused-leader', 's lease-pause', 'g stale-leader-is-refused'],
    'restart race': ['s stale-return', 'g restart-silence', 'g all-restart-at-once'], flapping: ['g flapping-highest-node', 's top-flap'],
    zombie: ['s paused-leader', 's lease-pause'], 'stale leader': ['g stale-leader-is-refused', 's paused-leader', 's split-brain'],
    'network partition': ['s split-brain', 'g partition-and-heal', 's ring-partition'], 'split brain': ['s split-brain', 's same-stamp'], 'gc pause': ['s paused-leader', 's lease-pause'],
    'clock skew': ['s lease-drift'], 'thundering herd': ['s herd', 's lease-herd'], 'split vote': ['s raft-split-vote', 'g split-claim'], 'pre-vote': ['s raft-rejoin'],
    failover: ['g failover', 'g failover-by-proof-of-death'], asymmetric: ['s one-way', 'g one-way-link'], 'add node': ['g members-grow'], R17: ['g R17-grants-amid-the-silence-after-a-restart'],
  };
  for (const [search, keys] of Object.entries(wanted)) {
    const best = found(all, 'all', search).slice(0, 12).map((e) => e.key);
    for (const key of keys) assert.ok(best.includes(key), `${search}: ${key} is not among ${best.join(', ')}`);
  }
  assert.equal(found(all, 'all', 'split brain')[0]?.key, 's split-brain');
  assert.equal(found(all, 'all', 'failover')[0]?.key, 'g failover');
});

test('the dozen that teach come first, and every name that has other words is in the gallery', () => {
  const all = entries(whole);
  assert.equal(firsts.length, 12);
  assert.deepEqual(all.slice(0, 12).map((e) => e.key), firsts);
  assert.deepEqual(found(all, 'first', '').map((e) => e.key), firsts);
  const names = new Set(all.map((e) => e.key.slice(2)));
  assert.deepEqual(tagged.filter((name) => !names.has(name)), []);
});

test('a picture of a run has a bar for each time, and says who leads', () => {
  assert.deepEqual(bars('ff11d'), [{ from: 0, to: 2, is: 'f' }, { from: 2, to: 4, is: '1' }, { from: 4, to: 5, is: 'd' }]);
  assert.equal(leadersOf(['ffff2', 'i1ddd', 'i1121']), 'Who leads, from the beginning to the end: nobody, 2 and 3, 3, 1 and 3.');
});

test('a recording is read as it was saved, and a broken one up to the line that is wrong', () => {
  const opened = openPlain(fixture.frames.reduce((text, frame) => `${text}${JSON.stringify(frame)}\n`, `${JSON.stringify(fixture.header)}\n`));
  assert.equal(opened.problem, undefined);
  assert.deepEqual(opened.frames, fixture.frames);
  const recording = new Recording(opened.header);
  recording.add(opened.frames);
  const text = recordingText(recording);
  assert.deepEqual(openPlain(text), { ...opened });
  const broken = text.split('\n').map((line, i) => (i === 4 ? line.slice(0, 20) : line)).join('\n');
  const part = openPlain(broken);
  assert.equal(part.problem?.line, 5);
  assert.equal(part.frames.length, 3);
  assert.equal(openPlain('nonsense').problem?.line, 1);
  assert.equal(fileName(recording, 'recording.ndjson'), 'failover.recording.ndjson');
});
