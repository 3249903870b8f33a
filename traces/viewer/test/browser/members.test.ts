// Members that come and go are seen: what each node is, whose members it knows, and what a change comes to.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { file, golden, inPage, leaders, menu, pick, ready, run, settled, shown, stepUntil, until, type Options } from './kit';
import { changing } from './changing';

const { text, added, adopted, spoken } = changing();
const at = (count: number): string => `${file('members.recording.ndjson', text)}&at=${count}`;

const kinds = (page: Page): Promise<(string | null)[]> =>
  page.locator('.ring-node[data-node]').evaluateAll((all) => all.sort((a, b) => Number(a.getAttribute('data-node')) - Number(b.getAttribute('data-node'))).map((n) => n.getAttribute('data-member')));

// labels returns what each node is called by a screen reader.
const labels = (page: Page): Promise<(string | null)[]> =>
  page.locator('.ring-node[data-node]').evaluateAll((all) => all.map((n) => n.querySelector('[role=button]')!.getAttribute('aria-label')));

inPage('each node is told apart by its kind, and who has not heard of a change is marked', { hash: at(added) }, async (page) => {
  await ready(page);
  assert.deepEqual(await kinds(page), ['voter', 'voter', 'witness', 'observer', 'none']);
  assert.deepEqual(await page.locator('.ring-behind').allInnerTexts().then((all) => all.length), 4);
  const said = (await labels(page)).join('\n');
  assert.match(said, /node 3: .*witness, knows only version 1 of epoch 1/);
  assert.match(said, /node 5: .*no member/);
  assert.match(await page.locator('.mem-line').innerText(), /^Version 2 of epoch 1: 2 voters, 1 witness, 1 observer · … not settled$/);
  assert.match(await page.locator('.panel-sentence').innerText(), /^Node 2 is called to add 4 as an observer\.$/);
  assert.match(await page.locator('.panel-rule').innerText(), /R47/);
  const row = page.locator('.mem-table tr.panel-changed');
  assert.match((await row.innerText()).replaceAll(/\s+/g, ' '), /^4 observer 10\.0\.0\.4:7400 new$/);
});

inPage('a step on, the change is adopted, and holds for good', { hash: at(adopted) }, async (page) => {
  await ready(page);
  assert.match(await page.locator('.panel-note').first().innerText(), /^Adopts version 2 of epoch 1/);
  assert.match(await page.locator('.panel-rule summary').allInnerTexts().then((all) => all.join(' ')), /R43.*R23/);
  await until(page, 'the shape of 4', ({ looks }) => looks.length === 5);
  for (let i = 0; i < 12 && !/✓ settled/.test(await page.locator('.mem-line').innerText()); i++) { await page.keyboard.press('ArrowRight'); await settled(page); }
  assert.match(await page.locator('.mem-line').innerText(), /✓ settled/);
  assert.match(await page.locator('.panel-note').first().innerText(), /version 2 is settled: it holds for good/);
});

inPage('a node that is chosen says whom it takes for members, and how far that is behind', { hash: at(added) }, async (page) => {
  await ready(page);
  await page.locator('.ring-node[data-node="0"] [role=button]').focus();
  await page.keyboard.press('Enter'); // by keys, as by hand
  const members = page.getByRole('region', { name: 'Members' });
  assert.match(await members.innerText(), /version 1 of epoch 1/);
  assert.equal(await members.locator('tbody tr').count(), 3);
  assert.match(await members.locator('.mem-behind').innerText(), /^The newest is version 2 of epoch 1: \+4 observer\. This node has not heard of it yet\.$/);
  await page.getByRole('button', { name: /What has just happened/ }).click();
  await page.locator('.panel-flight .panel-link').last().click();
  assert.match(await page.locator('.panel').innerText(), /It carries version 2 of epoch 1, and so tells node 4 who the members are: 2 voters, 1 witness, 1 observer\./);
});

inPage('a witness speaks, and is told in a sentence with its rule', { hash: at(spoken) }, async (page) => {
  await ready(page);
  assert.match(await page.locator('.panel-note').first().innerText(), /it is a witness, and may not stand: says IM_BACK to all other members/);
  assert.match(await page.locator('.panel-rule').innerText(), /R46/);
  assert.match(await page.locator('.panel-sent').first().innerText(), /I do not lead: who does\?/);
});

inPage('the gallery has the traces in which members come and go, and they open at a change', { hash: golden('members-grow') }, async (page) => {
  await ready(page);
  assert.match(await page.locator('.panel-sentence').innerText(), /is called to/);
  const { count } = await shown(page);
  await page.evaluate((hash) => { location.hash = hash; }, golden('failover'));
  await until(page, 'another is open', ({ title }) => title === 'Failover');
  await menu(page, 'Gallery');
  await page.getByRole('radio', { name: 'Members come and go' }).check({ force: true });
  assert.ok(await page.locator('.gal-card').count() >= 5);
  await page.locator('.gal-card').filter({ has: page.getByRole('heading', { name: 'Members: grow', exact: true }) }).getByRole('button', { name: /^Play/ }).click();
  const now = await until(page, 'it is open, and plays', (shows) => shows.title === 'Members grow' && shows.count > count);
  assert.equal(now.problem, '');
});

inPage('in a run the leader is asked to add a node, and then to remove another', { hash: run({ algorithm: 'bully-members', seed: 3 }) }, async (page) => {
  await ready(page);
  assert.deepEqual(await kinds(page), ['voter', 'voter', 'voter', 'none', 'none']);
  await stepUntil(page, 'the highest of the first members leads, and is followed', (now) => leaders(now).join() === '2' && now.looks.filter((look) => look === 'follows').length === 2);
  for (let i = 0; i < 60 && !/✓ settled/.test(await page.locator('.mem-line').innerText()); i++) { await page.keyboard.press('ArrowRight'); await settled(page); }
  await pick(page, 3, 'Add it as an observer');
  assert.equal((await shown(page)).problem, '');
  assert.match(await page.locator('.panel-sentence').innerText(), /^Node 3 is called to add 4 as an observer\.$/);
  assert.deepEqual(await kinds(page), ['voter', 'voter', 'voter', 'observer', 'none']);
  for (let i = 0; i < 60 && !/✓ settled/.test(await page.locator('.mem-line').innerText()); i++) { await page.keyboard.press('ArrowRight'); await settled(page); }
  await pick(page, 0, 'Remove it');
  assert.equal((await shown(page)).problem, '');
  assert.deepEqual(await kinds(page), ['none', 'voter', 'voter', 'observer', 'none']);
  await pick(page, 2, 'Remove it');
  assert.match((await shown(page)).problem, /not settled|waits for its disk|does not stay an elector/);
});

const small: Options = { hash: at(added), phone: true };
inPage('on a phone all of it is there, and nothing is wider than the window', small, async (page) => {
  await ready(page);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  assert.ok(await page.locator('.mem-table').isVisible());
  assert.equal((await shown(page)).problem, '');
});
