// All of it can be done without a mouse.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { inPage, leaders, pick, ready, run, settled, shown, stepUntil, until } from './kit';

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

inPage('the slider goes from one step that is shown to the next, however many heartbeats are between them; and the list says where one is among those', { hash: run({}) }, async (page) => {
  await ready(page);
  await stepUntil(page, 'all follow 5', (now) => now.looks.join() === 'follows,follows,follows,follows,leads');
  await pick(page, 0, 'Kill');
  await page.keyboard.press('ArrowRight');
  await pick(page, 0, 'Restart');
  const at = async (): Promise<number> => Number(await page.getByRole('slider', { name: 'Step' }).inputValue());
  await page.keyboard.press('Home');
  let jumps = 0;
  for (let was = await shown(page), now = was, k = 1; ; was = now, k++) {
    await page.keyboard.press('ArrowRight');
    now = await shown(page);
    if (now.count > was.count + 1) jumps++;
    assert.equal(await at(), k, `after ${now.count} steps`);
    if (now.count === now.seen) break;
  }
  assert.ok(jumps > 0, 'heartbeats were passed over');
  const heartbeats = page.getByRole('checkbox', { name: 'Heartbeats' });
  await heartbeats.check();
  await stepUntil(page, 'a heartbeat', ({ caption }) => /HEARTBEAT/.test(caption));
  assert.equal(await page.locator('.list-current').count(), 1);
  await heartbeats.uncheck();
  assert.deepEqual([await page.locator('.list-current').count(), await page.locator('.list-before').count()], [0, 1], 'where one is has no row: it is after one');
});

inPage('a key that does not fit says that there is more of it, until its end is seen', { hash: run({}) }, async (page) => {
  await ready(page);
  await page.locator('.ring-key summary').click();
  const list = page.locator('.ring-key ul');
  const more = (): Promise<string> => list.evaluate((el) => { const after = getComputedStyle(el, '::after'); return after.display === 'none' ? '' : after.content; });
  await settled(page);
  assert.match(await more(), /more/);
  await list.evaluate((el) => { el.scrollTop = el.scrollHeight; });
  await page.waitForFunction(() => !document.querySelector('.ring-key ul')!.hasAttribute('data-more'));
  assert.doesNotMatch(await more(), /more/);
});
