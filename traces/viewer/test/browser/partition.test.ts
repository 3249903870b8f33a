// A cluster is cut in two: the textbook form has two leaders then, ours has not.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { dragBetween, inPage, leaders, ready, run, settled, shown, stepUntil } from './kit';

// part lets all follow 5, and cuts 4 and 5 off from the rest.
async function part(page: Page): Promise<void> {
  await ready(page);
  await stepUntil(page, 'all follow 5', (now) => now.looks.join() === 'follows,follows,follows,follows,leads');
  for (const node of [3, 4]) await page.locator(`.ring-node[data-node="${node}"] [role=button]`).click({ modifiers: ['Shift'] });
  await page.getByRole('button', { name: 'Cut 4, 5 off from the rest' }).click();
  assert.equal(await page.locator('.ring-link[data-cut=both]').count(), 6, 'two times three links are cut');
}

inPage('textbook: after a partition two lead, the indicator goes red, and leads to the step', { hash: run({ algorithm: 'textbook' }) }, async (page) => {
  await part(page);
  assert.equal((await shown(page)).indicators['OneActing'], 'green');
  const red = await stepUntil(page, 'the indicator of OneActing is red', (now) => now.indicators['OneActing'] === 'red');
  assert.deepEqual(leaders(red), [2, 4], 'the highest of each side leads');
  await page.keyboard.press('Shift+ArrowRight');
  assert.ok((await shown(page)).count > red.count);
  await page.locator('[data-indicator=OneActing] button').click();
  const there = await shown(page);
  assert.equal(there.count, red.count, 'the indicator leads to where it went red');
  assert.match(await page.locator('.panel-indicators').innerText(), /One acting: broken/);
  await page.keyboard.press('ArrowLeft');
  assert.equal((await shown(page)).indicators['OneActing'], 'green', 'the step before it was green');
  assert.equal(await page.locator('.tr-red').count() > 0, true, 'the slider has a mark there');
});

inPage('ours: the same partition has no two leaders, and the indicators stay green', { hash: run({ algorithm: 'bully' }) }, async (page) => {
  await part(page);
  const before = await shown(page);
  for (let now = before, led = false; !led;) {
    now = await stepUntil(page, 'something more happens', (next) => next.count > now.count);
    assert.ok(leaders(now).length <= 1, `at step ${now.count} only one leads: ${now.looks.join()}`);
    assert.equal(now.indicators['OneActing'], 'green', `step ${now.count}`);
    led = now.looks[2] === 'leads' && now.looks[0] === 'follows' && now.looks[1] === 'follows';
    assert.ok(now.count < before.count + 1000, 'the larger side has a leader within a thousand steps');
  }
  const now = await shown(page);
  assert.deepEqual(leaders(now), [2], 'the highest of the larger side leads, and 5 does not any more');
  for (const [indicator, light] of Object.entries(now.indicators)) assert.equal(light, 'green', indicator);
});

inPage('a drag from node to node cuts their link, both ways or one way; another heals it', { hash: run({}) }, async (page) => {
  await ready(page);
  const link = page.locator('.ring-link[data-link="0,2"]');
  await dragBetween(page, 2, 0);
  assert.equal(await link.getAttribute('data-cut'), 'both');
  assert.match((await shown(page)).caption, /1 ↔ 3|3 ↔ 1|1.*3/);
  await dragBetween(page, 2, 0);
  assert.equal(await link.getAttribute('data-cut'), null);
  await page.keyboard.down('Shift');
  await dragBetween(page, 2, 0);
  await page.keyboard.up('Shift');
  assert.equal(await link.getAttribute('data-cut'), 'one');
  await page.getByRole('button', { name: 'Heal all links' }).click();
  await settled(page);
  assert.equal(await page.locator('.ring-link[data-cut]').count(), 0);
});
