// All of it can be done without a mouse.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { inPage, leaders, ready, run, shown, stepUntil, until } from './kit';

// tabTo presses the Tab key until what has the focus fits.
async function tabTo(page: Page, what: string, fits: string): Promise<void> {
  for (let i = 0; i < 80; i++) {
    const [found, ring] = await page.evaluate((wanted) => {
      const on = document.activeElement;
      const style = on && getComputedStyle(on);
      return [on?.matches(wanted) ?? false, style !== null && (style.outlineStyle !== 'none' || style.boxShadow !== 'none' || style.strokeWidth !== '0px')] as const;
    }, fits);
    if (found) {
      assert.ok(ring, `${what} shows that it has the focus`);
      return;
    }
    await page.keyboard.press('Tab');
  }
  assert.fail(`the Tab key does not lead to ${what}`);
}

const focused = (page: Page): Promise<string> => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '');

inPage('the leader is killed, and is back, with keys only', { hash: run({}) }, async (page) => {
  await ready(page);
  await stepUntil(page, 'all follow 5', (now) => now.looks.join() === 'follows,follows,follows,follows,leads');
  await tabTo(page, 'the ring', '.ring-node [role=button]');
  await page.keyboard.press('End');
  assert.match(await focused(page), /^node 5: leader/);
  await page.keyboard.press('Enter');
  await page.getByRole('menu').waitFor();
  for (let i = 0; i < 20 && !(await focused(page)).startsWith('Kill'); i++) await page.keyboard.press('ArrowDown');
  assert.match(await focused(page), /^Kill/);
  await page.keyboard.press('Enter');
  const killed = await shown(page);
  assert.equal(killed.looks[4], 'down');
  assert.match(await focused(page), /^node 5/, 'the focus is back where it was');
  assert.match(await page.locator('[aria-live=polite]').innerText(), /crashes/i, 'who does not see the page is told');
  await page.keyboard.press('ArrowLeft');
  assert.match(await focused(page), /^node 4/);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  assert.equal(await page.getByRole('menu').count(), 0, 'Escape closes a menu');
  for (let i = 0; i < 4; i++) await page.keyboard.press('+');
  await tabTo(page, 'Play', '.tr-play');
  await page.keyboard.press('Enter');
  const next = await until(page, '4 leads', (now) => now.looks[3] === 'leads');
  assert.deepEqual(leaders(next), [3]);
});

inPage('keys for the whole page: play, step, jump, kill, help', { hash: run({}) }, async (page) => {
  await ready(page);
  await page.keyboard.press(' ');
  assert.equal(await page.getByRole('button', { name: 'Stop', exact: true }).count(), 1);
  await page.keyboard.press(' ');
  assert.equal(await page.getByRole('button', { name: 'Play', exact: true }).count(), 1);
  await stepUntil(page, '5 leads', (now) => leaders(now).includes(4));
  await page.keyboard.press('k');
  assert.equal((await shown(page)).looks[4], 'down');
  const now = await shown(page);
  await page.keyboard.press('Shift+ArrowLeft');
  const back = await shown(page);
  assert.ok(back.count <= now.count - 10);
  await page.keyboard.press('End');
  assert.equal((await shown(page)).count, now.count);
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Help' }).waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('dialog[open]').count(), 0);
});
