// What is told by the picture: the resource with its fence, the lease of a leader, a leader that is paused, the letters, and the words.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { tap } from './finger';
import { golden, inPage, leaders, menu, phone, pick, ready, run, settled, shown, stepUntil, until } from './kit';

const story = (scenario: string, algorithm: string): string => run({ algorithm, nodes: 5, profile: '', seed: 0, scenario });

// tally is what the picture says of the resource.
const tally = (page: Page) => page.locator('.ring-resource').evaluate((g) => ({ ...(g as SVGElement).dataset }));

const next = async (page: Page, says: RegExp): Promise<void> => {
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press('n');
    if (says.test(await page.locator('.tr-passing').first().innerText().catch(() => ''))) return;
  }
  assert.fail(`no phase says ${says}`);
};

inPage('a paused leader has a write in hand, another leads, and the fence refuses it: the picture says so', { hash: story('paused-leader', 'bully'), still: true }, async (page) => {
  await ready(page); // it opens where 5 is paused
  const paused = page.locator('.ring-node[data-paused]');
  assert.equal(await paused.count(), 1);
  assert.equal(await page.locator('.ring-write').count(), 1, 'its write is in its hand');
  assert.match(await paused.locator('[role=button]').getAttribute('aria-label') ?? '', /paused: does not act/);
  assert.match(await page.locator('.ring-acting').innerText(), /^5 is paused: it takes itself for the leader, and does nothing\. So nobody acts\. Node 5 was about to write/);
  const now = await stepUntil(page, 'two have a crown', (each) => leaders(each).length === 2);
  assert.equal(now.indicators['OneActing'], 'green');
  assert.match(await page.locator('.ring-acting').innerText(), /So one acts: 4\./, 'and a green "One acting" beside two crowns explains itself');
  await next(page, /refused/);
  const { resource, fate, highest, refused } = await tally(page);
  assert.deepEqual([resource, fate, highest, refused], ['fenced', 'refused', '2', '1']);
  assert.equal(await page.locator('.ring-fate-refused').textContent(), 'refused: 1 < 2');
  assert.match(await page.locator('.ring-says').last().innerText(), /behind a fence: \d+ writes? taken, 1 refused\. It refuses what is below epoch 2\./);
});

inPage('without a fence the same write is taken', { hash: story('paused-leader', 'textbook'), still: true }, async (page) => {
  await ready(page);
  assert.equal(await page.locator('.ring-resource .ring-fence').count(), 0);
  await next(page, /stale write/i);
  const { resource, fate } = await tally(page);
  assert.deepEqual([resource, fate], ['unfenced', 'stale']);
  assert.equal(await page.locator('.ring-fate-stale').textContent(), 'taken: stale');
  assert.match(await page.locator('.ring-says').last().innerText(), /has no fence: .*1 of them stale/);
});

inPage('the lease round a leader is as long as its state says, and shrinks until a quorum answers', { hash: run({}), still: true }, async (page) => {
  await ready(page);
  await page.getByRole('checkbox', { name: 'Heartbeats' }).check();
  await stepUntil(page, 'all follow 5', (now) => now.looks.join() === 'follows,follows,follows,follows,leads');
  let [shrinks, grows, was] = [0, 0, 1];
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('ArrowRight');
    await settled(page);
    const share = Number(await page.locator('.ring-node[data-node="4"] .ring-lease').getAttribute('data-left'));
    await page.locator('.ring-node[data-node="4"] [role=button]').hover();
    const said = /may act for ([\d.]+) ms still, counted from question \d+, which it asked (?:([\d.]+) (ms|µs)) ago/.exec(await page.locator('.ring-tip').innerText());
    assert.ok(said, 'the tooltip says so, too');
    const [still, ago] = [Number(said[1]), Number(said[2]) / (said[3] === 'µs' ? 1000 : 1)];
    assert.ok(Math.abs(share - still / (still + ago)) < 0.01, `${share} is drawn, and ${still} of ${still + ago} ms are left`);
    if (share < was) shrinks++;
    if (share > was) grows++;
    was = share;
  }
  assert.ok(shrinks > 10 && grows > 1, `it shrinks ${shrinks} times, and grows ${grows} times`);
});

inPage('every letter on the ring is in its legend, from the first step of a run on', { hash: run({}), small: true }, async (page) => {
  await ready(page);
  await page.getByRole('checkbox', { name: 'Heartbeats' }).check();
  await page.locator('.ring-key summary').click();
  const seen = new Set<string>();
  for (let i = 0; i < 80; i++) {
    const missing = await page.evaluate(() => {
      const known = new Set([...document.querySelectorAll<HTMLElement>('.ring-key [data-letters]')].map((item) => item.dataset['letters']));
      const drawn = [...document.querySelectorAll('.ring-messages .ring-letter')].map((text) => text.textContent ?? '');
      return { drawn, missing: drawn.filter((letters) => !known.has(letters)) };
    });
    assert.deepEqual(missing.missing, []);
    for (const letters of missing.drawn) seen.add(letters);
    await page.keyboard.press('ArrowRight');
  }
  for (const letters of ['E', 'A', 'C', 'G', 'CO', 'AK']) assert.ok(seen.has(letters), `${letters} was on the ring: ${[...seen].join(' ')}`);
  assert.match(await page.locator('.ring-key [data-letters=G]').innerText(), /GRANT: I have promised it to you/);
});

// scrolls tells the page that an element scrolls.
async function scrolls(page: Page, element: string): Promise<void> {
  await page.locator(element).evaluate((el) => { el.dispatchEvent(new Event('scroll')); });
  await settled(page);
}

inPage('a word says what it means to the pointer, to keys and to a voice; a rule in it is opened', { hash: golden('failover') }, async (page) => {
  await ready(page);
  const word = page.locator('.panel-state .term', { hasText: 'lease' }).first();
  const id = await word.getAttribute('aria-describedby');
  assert.match(await page.locator(`[id="${id}"]`).textContent() ?? '', /^Lease\. A node's vow to help nobody but one other/, 'a voice says it with the word');
  await word.scrollIntoViewIfNeeded();
  await settled(page); // what scrolls shuts a tip
  await word.hover();
  await page.locator('.term-tip:not([hidden])').waitFor();
  await scrolls(page, '.transport');
  assert.equal(await page.locator('.term-tip:not([hidden])').count(), 1, 'what scrolls elsewhere leaves it open');
  await scrolls(page, 'body');
  assert.equal(await page.locator('.term-tip:not([hidden])').count(), 0, 'the word is elsewhere now');
  await page.mouse.move(2, 2);
  await word.hover();
  await page.locator('.term-tip:not([hidden])').waitFor();
  await page.mouse.move(2, 2);
  assert.equal(await page.locator('.term-tip:not([hidden])').count(), 0);
  await word.focus();
  await page.keyboard.press('Enter');
  const tip = page.locator('.term-tip:not([hidden])');
  await tip.waitFor();
  const box = await tip.boundingBox();
  assert.ok(box && box.y + box.height <= 800 && box.x >= 0);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const rule = page.getByRole('dialog', { name: /^R5: The lease/ });
  await rule.waitFor();
  assert.match(await rule.innerText(), /A node keeps at most one lease at a time/);
  await rule.getByRole('button', { name: 'R17', exact: true }).first().click();
  await page.getByRole('dialog', { name: /^R17:/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Home');
  await next(page, /claims/);
  await stepUntil(page, 'somebody takes a CLAIM', ({ caption }) => caption.includes('takes CLAIM'));
  assert.deepEqual(await page.locator('.panel-sentence .term').allInnerTexts(), ['CLAIM'], 'the sentence has its word, too');
  assert.ok((await page.locator('.panel-note .term').allInnerTexts()).includes('epoch'));
});

inPage('a finger reads a word, too', { hash: golden('failover'), phone: true }, async (page) => {
  await ready(page);
  const word = page.locator('.panel-state .term', { hasText: 'support' }).first();
  await word.scrollIntoViewIfNeeded();
  await tap(word);
  const tip = page.locator('.term-tip:not([hidden])');
  await tip.waitFor();
  const box = await tip.boundingBox();
  assert.ok(box && box.x >= 0 && box.x + box.width <= phone.width, 'all of it is on the screen');
});

inPage('the next phase is a key and a button: a failover has few of them', { hash: run({}) }, async (page) => {
  await ready(page);
  await stepUntil(page, 'all follow 5', (now) => now.looks.join() === 'follows,follows,follows,follows,leads');
  await pick(page, 4, 'Kill');
  const said: string[] = [];
  for (let i = 0; i < 12 && !/writes/.test(said.at(-1) ?? ''); i++) {
    if (i % 2 === 0) await page.keyboard.press('n');
    else await page.getByRole('button', { name: 'To the next phase' }).click();
    await settled(page);
    said.push(await page.locator('.tr-passing').first().innerText());
  }
  assert.ok(said.length <= 7, said.join(' '));
  for (const wanted of [/looks? for a leader/, /4 claims/, /4 leads/, /more than half follow/i, /writes for the first time/]) assert.ok(said.some((text) => wanted.test(text)), `${wanted}: ${said.join(' ')}`);
  await page.keyboard.press('p');
  assert.match(await page.locator('.tr-passing').first().innerText(), /more than half follow/i, 'and back');
});

inPage('the gallery: short titles, a picture of each run, and Play plays', { hash: golden('failover') }, async (page) => {
  await ready(page);
  await menu(page, 'Gallery');
  assert.equal(await page.locator('.gal-card').count(), 12, 'the dozen that teach');
  await page.locator('.gal-sketch svg').nth(5).waitFor();
  const first = page.locator('.gal-card').nth(1);
  assert.match(await first.locator('svg').getAttribute('aria-label') ?? '', /^Who leads, from the beginning to the end: .*5.*3 and 5\.$/);
  assert.ok(await first.locator('svg rect').count() > 8);
  await page.getByRole('radio', { name: 'All' }).check({ force: true });
  for (const title of await page.locator('.gal-card h3').allInnerTexts()) assert.ok(title.length <= 40, title);
  await page.getByRole('searchbox', { name: 'Search the gallery' }).fill('fencing');
  await page.locator('.gal-card', { hasText: 'A paused leader writes' }).first().getByRole('button', { name: /^Play A paused/ }).click();
  const from = (await shown(page)).count;
  await until(page, 'it plays', (now) => now.count > from);
});

inPage('at 1024 pixels what has happened is in sight beside the ring; on a phone the menu is above the bar', { hash: run({}) }, async (page) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  await ready(page);
  const bar = await page.locator('.transport').boundingBox();
  const panel = await page.locator('.pane-panel').boundingBox();
  assert.ok(bar && panel && panel.y + 200 < bar.y, `the panel begins at ${panel?.y}, the bar at ${bar?.y}`);
  await page.setViewportSize({ width: 390, height: 700 });
  for (const node of [1, 2]) {
    await page.locator(`.ring-node[data-node="${node}"] [role=button]`).click();
    await page.getByRole('menu').waitFor();
    const low = await page.locator('.transport').boundingBox();
    const box = await page.getByRole('menu').boundingBox();
    assert.ok(box && low && box.y + box.height <= low.y, `node ${node + 1}: the menu ends at ${box && box.y + box.height}, the bar begins at ${low?.y}`);
    await page.keyboard.press('Escape');
  }
});
