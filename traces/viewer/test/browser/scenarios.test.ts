// Every scenario of the gallery plays, and shows what it says it shows.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Gallery, Scenario } from '../../src/types';
import { titleOf } from '../../src/gallery/titles';
import { golden, inPage, menu, ready, settled, shown, toEnd, until, walked } from './kit';

// scenarios returns what the engine says that there is.
async function scenarios(page: Page): Promise<Scenario[]> {
  const gallery = await page.evaluate(() => globalThis.bullyEngine?.call('gallery', '[]'));
  return (JSON.parse(gallery ?? '{"scenarios":[]}') as Gallery).scenarios;
}

// The indicator that each flaw turns red.
const indicatorOf: Record<string, string> = { 'two leaders': 'OneActing', 'two leaders in one epoch': 'OneLeaderPerEpoch', 'a stale write': 'StaleWrite' };

// choose plays a scenario, as its card in the gallery has it.
async function choose(page: Page, title: string, button: string): Promise<void> {
  await menu(page, 'Gallery');
  await page.getByRole('radio', { name: 'All' }).check({ force: true });
  const card = page.locator('.gal-card').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
  await card.getByRole('button', { name: button, exact: true }).click();
  await settled(page);
}

const byCard = 12; // so many are played from their cards: the gallery is long, and takes most of the time

// go plays a scenario by its address, as a link does.
async function go(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => new Promise<void>((done) => {
    addEventListener('hashchange', () => setTimeout(done), { once: true });
    location.hash = to;
  }), hash);
  await settled(page);
  await settled(page);
}

// red plays what is shown to its end, and reports whether an indicator is red there, or was on the way, which it remembers: then it leads to
// where it was.
async function red(page: Page, indicator: string | undefined): Promise<boolean> {
  const all = await toEnd(page, 5);
  if (!indicator) return false;
  assert.ok(indicator in all[0]!.indicators, `${indicator} is watched`);
  const end = all.at(-1)!;
  if (end.indicators[indicator] !== 'red' && !end.was.includes(indicator)) return false;
  await page.locator(`[data-indicator="${indicator}"] button`).click();
  await until(page, `${indicator} is red where it leads to`, (now) => now.indicators[indicator] === 'red');
  return true;
}

inPage('the gallery has every scenario, and finds it by its name', { hash: golden('failover'), small: true }, async (page) => {
  await ready(page);
  const told = await scenarios(page);
  await menu(page, 'Gallery');
  const cards = page.locator('.gal-card');
  await page.getByRole('radio', { name: 'Flaws of the textbook' }).check({ force: true });
  const textbook = await cards.count();
  await page.getByRole('radio', { name: 'Other algorithms' }).check({ force: true });
  assert.equal(textbook + await cards.count(), told.length, 'every scenario is in the gallery');
  await page.getByRole('radio', { name: 'All' }).check({ force: true });
  await page.getByRole('searchbox', { name: 'Search the gallery' }).fill('split brain');
  await page.getByRole('status').filter({ hasText: /^[1-9] of / }).waitFor(); // a search finds few
  for (const { name } of told) {
    const title = titleOf(name);
    await page.getByRole('searchbox', { name: 'Search the gallery' }).fill(title);
    await cards.filter({ has: page.getByRole('heading', { name: title, exact: true }) }).waitFor();
  }
});

inPage('every scenario opens, plays to its end, and its flaw is seen; with ours it is not', { hash: golden('failover'), small: true }, async (page, t) => {
  await ready(page);
  const told = await scenarios(page);
  assert.ok(told.length >= 10, `${told.length} scenarios`);
  const chosen = walked(told);
  let ours = 0;
  for (const [k, { name, flaw, algorithm, algorithms }] of chosen.entries()) {
    const title = titleOf(name);
    if (k < byCard) await choose(page, title, `Play ${title}`);
    else await go(page, `#s=${name}`);
    const now = await until(page, `${name} is shown`, ({ looks, problem }) => looks.length > 0 || problem !== '');
    assert.equal(now.problem, '', name);
    assert.ok(now.count > 0, `${name} opens after its beginning`);
    const indicator = indicatorOf[flaw];
    assert.equal(await red(page, indicator), indicator !== undefined, `${name}: ${indicator} goes red`);
    if (!indicator || algorithm === 'bully' || !algorithms.includes('bully')) continue;
    if (k < byCard) await choose(page, title, 'Play it with ours instead');
    else await go(page, `#s=${name}&by=bully`);
    assert.equal(await red(page, indicator), false, `${name} with ours: ${indicator} stays green`);
    assert.equal((await shown(page)).indicators['Rules'], 'green', `${name} with ours is by the rules`);
    ours++;
  }
  assert.ok(ours > 0, 'none was played with ours');
  t.diagnostic(`${chosen.length} of ${told.length} scenarios, of which ${chosen.filter(({ flaw }) => indicatorOf[flaw]).length} have an indicator for their flaw, and ${ours} were played with ours, too`);
});
