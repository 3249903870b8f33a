// A link holds a whole run, and whoever opens it sees the same.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { frames, golden, inPage, menu, pick, ready, run, shown, stepUntil, toEnd, until, visit } from './kit';

// theLink returns the link that the page makes.
async function theLink(page: Page): Promise<string> {
  await menu(page, 'Share');
  const field = page.getByRole('textbox', { name: 'The link' });
  const link = await field.inputValue();
  await page.keyboard.press('Escape');
  return link;
}

async function same(page: Page, link: string): Promise<void> {
  const [title, now] = [await page.title(), await shown(page)];
  const other = await visit({ url: link });
  try {
    await ready(other.page);
    const there = await until(other.page, `step ${now.count} of the same run`, (next) => next.count === now.count);
    assert.deepEqual({ ...there, seen: 0, more: 0, hint: '', caption: '', quiet: false }, { ...now, seen: 0, more: 0, hint: '', caption: '', quiet: false });
    assert.equal(await other.page.title(), title);
    for (const each of [page, other.page]) for (let i = 0; i < 5; i++) await each.keyboard.press('Shift+ArrowRight');
    const [a, b] = [await frames(page), await frames(other.page)];
    assert.ok(a.length > now.count && b.length > now.count, 'there are frames to compare');
    const many = Math.min(a.length, b.length);
    assert.deepEqual(b.slice(0, many), a.slice(0, many), 'the same frames, to the last, and those that come then');
    assert.deepEqual(other.faults, []);
  } finally {
    await other.close();
  }
}

inPage('a link to a run with what was done to it: the same frames, and the same place', { hash: run({ nodes: 4, seed: 7, profile: 'lossy' }) }, async (page) => {
  await ready(page);
  await stepUntil(page, 'all follow 4', (now) => now.looks.join() === 'follows,follows,follows,leads');
  await pick(page, 3, 'Kill');
  await stepUntil(page, '3 leads', (now) => now.looks[2] === 'leads');
  await pick(page, 0, 'Pause');
  for (let i = 0; i < 7; i++) await page.keyboard.press('ArrowRight');
  const link = await theLink(page);
  assert.ok(link.length < 1000, `${link.length} characters can be sent in a chat`);
  await same(page, link);
});

inPage('a link to a golden trace, and one to a file that was pasted', { hash: golden('failover', 30) }, async (page) => {
  await ready(page);
  assert.equal((await shown(page)).count, 30);
  const link = await theLink(page);
  assert.match(link, /#g=failover&at=30$/);
  await same(page, link);
  const text = [JSON.stringify({ recording: 1, title: 'Handmade', source: 'trace', nodes: ['1', '2'], timed: false }),
    JSON.stringify({ at: 1, kind: 'start', node: 0, text: 'starts' }), JSON.stringify({ at: 2, kind: 'start', node: 1, text: 'starts' })].join('\n');
  await menu(page, 'Open');
  await page.locator('dialog textarea').fill(text);
  await page.getByRole('button', { name: 'Open what is pasted' }).click();
  await until(page, 'what was pasted', (now) => now.title === 'Handmade');
  await toEnd(page);
  const other = await visit({ url: await theLink(page) });
  await until(other.page, 'the same in another page', (now) => now.title === 'Handmade' && now.count === 2);
  assert.deepEqual([...other.faults], []);
  await other.close();
});

const bad: [hash: string, why: RegExp][] = [
  ['#r=', /cut short/], ['#r=abc', /cut short, or was changed/], ['#r=a%b', /characters that do not belong/],
  [run({ seed: 3 }).slice(0, -20), /cut short|changed/], [run({ nodes: 99 }), /99/], [run({ algorithm: 'paxos' }), /paxos/],
  [run({ do: [{ after: 3, do: 'crash', node: 7 }] }), /node|7/], ['#g=nothing', /no golden trace "nothing". What there is stands in the gallery/], ['#s=..%2f', /none of the name "..\/". What there is stands in the gallery/], ['#g=failover&at=x', /no number/], ['#f=abcd', /cannot be unpacked|not JSON/],
];

inPage('a broken link says why, and the page begins a run of its own', { hash: bad[0]![0] }, async (page) => {
  const now = await until(page, 'a problem', ({ problem, looks }) => problem !== '' && looks.length === 5);
  assert.match(now.problem, bad[0]![1]);
  await page.getByRole('button', { name: 'Close this notice' }).click();
  assert.equal((await shown(page)).problem, '');
});

inPage('a broken link in a page that shows something says why, and the page goes on to show it', { hash: golden('failover', 30) }, async (page) => {
  await ready(page);
  const before = await shown(page);
  for (const [hash, why] of bad) {
    await page.evaluate((to) => { location.hash = to; }, hash);
    const { problem, ...now } = await until(page, `a problem of ${hash}`, (next) => next.problem !== '');
    assert.match(problem, why, hash);
    assert.deepEqual({ ...now, problem: '' }, before);
    await page.getByRole('button', { name: 'Close this notice' }).click();
  }
});
