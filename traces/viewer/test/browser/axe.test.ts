// The page is accessible, as far as a program can tell: axe finds nothing against WCAG 2 A and AA, in what people mostly see.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { axe, judged } from './accessible';
import { changing } from './changing';
import { file, golden, inPage, menu, ready, run, shown, stepUntil, until, type Options } from './kit';

type State = [name: string, to: (page: Page) => Promise<unknown>];

const dialogs = ['New run', 'Tours', 'Gallery', 'Open', 'Share', 'Export'];
const states: State[] = [
  ['a run at its start', ready],
  ['a leader', (page) => stepUntil(page, 'all follow 5', (now) => now.looks.join() === 'follows,follows,follows,follows,leads')],
  ['a menu of a node', async (page) => { await page.locator('.ring-node[data-node="4"] [role=button]').click(); await page.getByRole('menu').waitFor(); }],
  ['killed, and a link cut', async (page) => {
    await page.getByRole('menuitem', { name: 'Kill' }).click();
    await page.locator('.ring-node[data-node="0"] [role=button]').click();
    await page.getByRole('menuitem', { name: 'Cut or heal a link' }).click();
    await page.getByRole('menuitem', { name: 'to node 3' }).click();
    await page.getByRole('menuitem', { name: 'Cut both ways' }).click();
  }],
  ['messages under way', (page) => stepUntil(page, 'somebody stands', (now) => now.looks.includes('stands'))],
  ['another run', async (page) => {
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Tab');
    await page.locator('.ring-node[data-node="2"] [role=button]').click();
    await page.getByRole('menuitem', { name: 'Pause' }).click();
    await page.locator('.branches').waitFor();
  }],
  ['the keys of the diagram and the ring', async (page) => {
    await page.getByRole('button', { name: 'Key', exact: true }).click();
    await page.locator('.ring-key summary').click();
  }],
  ...dialogs.map((word): State => [`the dialog ${word}`, (page) => menu(page, word)]),
  ['help', async (page) => { await page.keyboard.press('?'); await page.getByRole('dialog', { name: 'Help' }).waitFor(); }],
  ['members that come and go', async (page) => {
    await page.evaluate((hash) => { location.hash = hash; }, `${file('members.recording.ndjson', changing().text)}&at=${changing().added}`);
    await page.locator('.mem-line').waitFor();
  }],
  ['the members of a node', async (page) => {
    await page.locator('.ring-node[data-node="0"] [role=button]').click();
    await page.locator('.mem-behind').waitFor();
  }],
  ['a red indicator, and a problem', async (page) => {
    await page.evaluate((hash) => { location.hash = hash; }, golden('R20-wins-with-half'));
    await until(page, 'a red indicator', (now) => Object.values(now.indicators).includes('red'));
    await page.evaluate(() => { location.hash = '#r=broken'; });
    await until(page, 'a problem', (now) => now.problem !== '');
  }],
];

const looks: [name: string, options: Options][] = [
  ['light', {}], ['dark', { dark: true }], ['light, phone', { phone: true }], ['dark, phone', { dark: true, phone: true }],
];

for (const [name, options] of looks) {
  inPage(`nothing is against WCAG 2 A and AA: ${name}`, { ...options, hash: run({}) }, async (page, t) => {
    await page.evaluate(axe);
    const wrong: string[] = [];
    let checks = 0;
    for (const [state, to] of states) {
      if (!state.startsWith('killed')) await page.keyboard.press('Escape'); // that begins with a menu that is open
      await page.locator('dialog').waitFor({ state: 'detached' }); // closed, and the page knows it: keys count again
      await to(page);
      const found = await judged(page, state);
      assert.ok(found.checks > 10, `${state}: ${found.checks} checks`);
      checks += found.checks;
      wrong.push(...found.wrong);
    }
    t.diagnostic(`${states.length} states, ${checks} checks`);
    assert.deepEqual(wrong, []);
    assert.ok((await shown(page)).problem !== '');
  });
}

inPage('without motion: nothing moves between frames', { hash: run({}), still: true }, async (page) => {
  await ready(page);
  assert.equal(await page.evaluate(() => matchMedia('(prefers-reduced-motion: reduce)').matches), true);
  await stepUntil(page, 'messages are under way', (now) => now.looks.includes('stands'));
  const places = () => page.locator('.ring-trail').evaluateAll((lines) => lines.map((line) => line.getAttribute('points')).join(' '));
  const before = await places();
  const { count } = await shown(page);
  assert.ok(before.length > 0, 'there are messages');
  await page.keyboard.press('-');
  await page.keyboard.press(' ');
  let moved = false;
  for (let i = 0; i < 20 && (await shown(page)).count === count; i++) {
    const now = await places();
    if ((await shown(page)).count === count && now !== before) moved = true;
  }
  assert.equal(moved, false);
});
