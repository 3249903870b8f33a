// What a finger does on the ring: a drag from node to node cuts their link, and scrolls nothing.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { stroke } from './finger';
import { inPage, middle, ready, run, shown } from './kit';

// dragTouch drags with one finger from a node to another.
async function dragTouch(page: Page, from: number, to: number): Promise<void> {
  const [a, b] = [await middle(page, from), await middle(page, to)];
  await stroke(page, Array.from({ length: 13 }, (_, i) => ({ x: a.x + (b.x - a.x) * i / 12, y: a.y + (b.y - a.y) * i / 12 })));
}

inPage('a phone: a finger that drags from node to node cuts their link, and another time heals it; nothing scrolls', { phone: true, hash: run({}) }, async (page) => {
  await ready(page);
  const before = await page.evaluate(() => scrollY);
  for (const [from, to] of [[4, 1], [2, 0], [0, 3]] as const) { // down, across, up
    const link = page.locator(`.ring-link[data-link="${Math.min(from, to)},${Math.max(from, to)}"]`);
    await dragTouch(page, from, to);
    await page.waitForFunction((of) => document.querySelector(`.ring-link[data-link="${of}"]`)?.getAttribute('data-cut') === 'both', [from, to].sort().join());
    await dragTouch(page, from, to);
    await page.waitForFunction((of) => !document.querySelector(`.ring-link[data-link="${of}"]`)?.hasAttribute('data-cut'), [from, to].sort().join());
    assert.equal(await link.getAttribute('data-cut'), null);
    assert.equal(await page.evaluate(() => scrollY), before, 'the page has not scrolled under the finger');
  }
  assert.equal(await page.getByRole('menu').count(), 0, 'a drag is no tap');
  assert.ok((await shown(page)).count > 0);
});
