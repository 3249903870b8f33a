import assert from 'node:assert/strict';
import { deflateRawSync } from 'node:zlib';
import { test } from 'node:test';
import { fragment, linked, pack, unpack, type Linked } from '../src/share/link';

const runSpec = {
  runSpec: 1 as const, algorithm: 'bully', nodes: 5, profile: 'lan', seed: 2 ** 53 - 1,
  do: [{ after: 17, do: 'crash' as const, node: 4 }, { after: 30, do: 'cut' as const, links: [[0, 1], [1, 0]] as [number, number][] }],
};

test('what goes into a link comes out of it, to the last character', async () => {
  const all: Linked[] = [
    { what: 'runSpec', runSpec }, { what: 'runSpec', runSpec, at: 0 }, { what: 'golden', name: 'five-nodes & more=1', at: 12 },
    { what: 'file', file: { name: 'a "b" – ü.ndjson', text: '{"format":1}\n{"seq":1,"x":"</script> \u2028 😀"}\n' }, at: 999_999_999 },
    { what: 'tour', name: 'a & b=1' }, { what: 'story', name: 'split-brain' }, { what: 'story', name: 's', by: 'a=b', beside: 'c&d', at: 7 },
    { what: 'file', file: { name: '', text: 'x'.repeat(300_000) } },
  ];
  for (const one of all) {
    const text = await fragment(one);
    assert.match(text, /^[\w=&%.-]+$/, 'it needs no escaping');
    assert.deepEqual(await linked(text), one);
    assert.deepEqual(await linked(`#${text}`), one);
  }
});

test('what a chat adds at the end is no part of a link', async () => {
  const text = await fragment({ what: 'runSpec', runSpec });
  for (const more of ['.', ').', '\n', '">']) assert.deepEqual(await linked(text + more), { what: 'runSpec', runSpec });
});

test('a fragment of others is none of ours', async () => {
  for (const hash of ['', '#', '#new', '#section-3', '#=']) assert.equal(await linked(hash), null);
});

test('a broken link says what is wrong with it', async () => {
  const whole = await fragment({ what: 'runSpec', runSpec });
  const wrong: [string, RegExp][] = [
    ['r=', /cut short/], ['r=%%%', /characters/], [whole.slice(0, whole.length >> 1), /unpacked/], ['r=AAAA', /unpacked/],
    [`r=${await pack('no JSON')}`, /not JSON/], [`r=${await pack('null')}`, /no run/], [`r=${await pack('{"runSpec":2,"do":[]}')}`, /no run/],
    [`f=${await pack('["a"]')}`, /no file/], ['g=%E0%A4%A', /golden|name/],
  ];
  for (const [hash, says] of wrong) await assert.rejects(linked(hash), says, hash);
});

test('a link that does not say well where to begin still holds what it holds', async () => {
  const whole = await fragment({ what: 'runSpec', runSpec });
  for (const at of ['soon', '-1', '']) {
    const found = await linked(`${whole}&at=${at}`);
    assert.deepEqual(found && { ...found, wrong: '' }, { what: 'runSpec', runSpec, wrong: '' });
    assert.match(found?.wrong ?? '', /frame ".*": that is no number/);
  }
});

test('a few bytes that unpack to very much are refused', async () => {
  const bomb = deflateRawSync(Buffer.alloc(80 * 1024 * 1024)).toString('base64url');
  await assert.rejects(unpack(bomb), /more than 64 MB/);
});
