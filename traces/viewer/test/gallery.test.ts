import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entries, found } from '../src/gallery/entries';
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
  assert.deepEqual(titles('all', ''), ['Failover by proof', 'Two lead', 'A herd', 'R14: claims without support']);
  assert.deepEqual(titles('all', ' LEAD crash '), ['Failover by proof']);
  assert.deepEqual(titles('all', 'partit'), ['Two lead']);
  assert.deepEqual(titles('textbook', ''), ['Two lead']);
  assert.deepEqual(titles('others', 'herd'), ['A herd']);
  assert.deepEqual(titles('golden', 'herd'), []);
  assert.deepEqual(titles('all', 'r14'), ['R14: claims without support']);
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
