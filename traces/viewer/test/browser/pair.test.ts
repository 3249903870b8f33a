// Two algorithms in one story, on one clock: what is said of them is what workbench compare has counted.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { axe, judged } from './accessible';
import { compared, viewed, workbench } from './built';
import { inPage, menu, ready, settled, shown, until } from './kit';

const sides = (page: Page): Promise<string[]> => page.locator('.verdict-side').allInnerTexts();

// middles returns where the nodes of each ring are.
const middles = (page: Page): Promise<{ x: number; y: number }[]> => page.locator('.ring-node [role=button]').evaluateAll((all) => all.map((node) => {
  const box = node.getBoundingClientRect();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}));

for (const [name, options] of [['a desk', {}], ['a phone, dark', { phone: true, dark: true }]] as const) {
  inPage(`a story with two algorithms: two rings, one clock, one verdict: ${name}`, { ...options, hash: '#s=split-brain&beside=bully' }, async (page) => {
    await ready(page);
    assert.equal((await shown(page)).looks.length, 10);
    const all = await middles(page);
    const axis = 'phone' in options ? 'y' : 'x';
    assert.ok(Math.max(...all.slice(0, 5).map((at) => at[axis])) < Math.min(...all.slice(5).map((at) => at[axis])), 'the two rings are apart');
    assert.deepEqual(await page.locator('.pair-name').allTextContents(), ['Textbook Bully', 'Bully with epochs and quorum (ours)'], 'each ring says whose it is');
    assert.equal(await page.locator('.ring-acting').count(), 0, 'each of the two has one leader');
    await page.keyboard.press('End');
    await settled(page);
    assert.equal(await page.locator('.ring-acting').innerText(), 'Two act at once: 3 and 5.');
    const [textbook, ours] = await sides(page);
    assert.match(textbook!, /two leaders for 1\.\d+ s, \d+ stale writes/);
    assert.match(ours!, /\(ours\): never two leaders, no stale writes/);
    assert.deepEqual((await shown(page)).looks.flatMap((look, k) => (look === 'leads' && k < 5 ? [k] : [])), [2, 4]);
    await page.evaluate(axe);
    assert.deepEqual((await judged(page, 'a pair')).wrong, []);
    await page.keyboard.press('Home');
    await settled(page);
    assert.match((await sides(page))[0]!, /no leader yet, no stale writes/, 'it is counted as far as the run has gone');
  });
}

inPage('each of a pair has its resource, and its own phases', { hash: '#s=lease-pause&by=lease-unfenced&beside=bully' }, async (page) => {
  await ready(page);
  const resources = (): Promise<string[]> => page.locator('.ring-resource').evaluateAll((all) => all.map((g) => (g as SVGElement).dataset['resource'] ?? ''));
  assert.deepEqual(await resources(), ['unfenced', 'fenced']);
  const boxes = await page.locator('.ring-resource-body').evaluateAll((all) => all.map((body) => body.getBoundingClientRect().x));
  const middle = await page.locator('.pair-line').evaluate((line) => line.getBoundingClientRect().x);
  assert.ok(boxes[0]! < middle && boxes[1]! > middle, 'one in each ring');
  await page.keyboard.press('Home');
  const said: string[] = [];
  for (let i = 0; i < 30; i++) {
    await page.keyboard.press('n');
    said.push(await page.locator('.tr-passing').first().innerText());
    if (/^That is all/.test(said.at(-1)!)) break;
  }
  assert.match(said.at(-1)!, /^That is all/);
  for (const whose of [/^[^:]*lease[^:]*: /i, /^[^:]*\(ours\)[^:]*: /]) {
    const own = said.filter((text) => whose.test(text));
    for (const wanted of [/ leads\./, /more than half follow/, /writes for the first time/]) assert.ok(own.some((text) => wanted.test(text)), `${whose}, ${wanted}: ${said.join(' ')}`);
  }
  assert.ok(said.some((text) => /: a stale write of \d is taken/.test(text)), said.join(' '));
  const [first, second] = await page.locator('.ring-says').filter({ hasText: 'resource' }).allInnerTexts();
  assert.match(first!, /has no fence: .* of them stale/);
  assert.match(second!, /\(ours\): the resource is behind a fence/);
});

interface Counted { name: string; runs: { algorithm: string; two: number; none: number; same_epoch: number; stale: number; refused: number; reigns: number; messages: number }[] }

inPage('of every story is counted what workbench compare counts', { hash: '#s=split-brain&beside=bully', small: true }, async (page, t) => {
  const text = readFileSync(fileURLToPath(compared('stories.html', ['-question', 'leaders', '-algorithm', 'bully', '-seeds', '1'])), 'utf8');
  const { scenarios } = JSON.parse(/id="answers">(.*?)<\/script>/s.exec(text)![1]!) as { scenarios: Counted[] };
  await ready(page);
  let checked = 0;
  for (const { name, runs } of scenarios) {
    if (runs.length < 2) continue;
    await page.evaluate((hash) => { location.hash = hash; }, `#s=${name}&beside=bully`);
    await page.locator(`.verdict[data-story="${name}"]`).waitFor();
    await page.keyboard.press('End');
    await settled(page);
    const counted = JSON.parse((await page.locator('.verdict').getAttribute('data-counted'))!) as Record<string, number>[];
    runs.forEach((run, k) => {
      const of = `${name}, ${run.algorithm}`;
      const { two, none, ...rest } = counted[k]!;
      assert.deepEqual(rest, { same: run.same_epoch, stale: run.stale, refused: run.refused, reigns: run.reigns, elections: run.messages }, of);
      const ends = 2 * (run.reigns + 1); // of stretches of time: frames have each in whole microseconds
      for (const [what, here, there] of [['two lead', two!, run.two], ['nobody leads', none!, run.none]] as const) assert.ok(Math.abs(here - there * 1000) <= ends, `${of}: ${what} for ${here} µs here, and for ${there} ms there`);
      checked++;
    });
  }
  t.diagnostic(`${checked} runs`);
  assert.ok(checked >= 40, `${checked} runs`);
});

inPage('the gallery opens a story with ours beside it, and its link opens it again', {}, async (page) => {
  await ready(page);
  await menu(page, 'Gallery');
  await page.getByRole('searchbox', { name: 'Search the gallery' }).fill('split brain');
  await page.getByRole('button', { name: 'Beside ours' }).first().click();
  await page.locator('.verdict').waitFor();
  assert.match(page.url(), /#s=split-brain&beside=bully$/);
  await page.reload();
  await until(page, 'the pair again', (now) => now.looks.length === 10);
});

inPage('a story that is not there is refused', { hash: '#s=nothing&beside=bully' }, async (page) => {
  await ready(page);
  assert.match((await shown(page)).problem, /There is no story “nothing”/);
});

inPage('workbench view -beside and -tour write pages that open so', {}, async (page) => {
  await page.goto(viewed(workbench(), '-beside', 'bully', 'split-brain'));
  await until(page, 'the pair', (now) => now.looks.length === 10);
  await page.goto(viewed(workbench(), '-tour', 'fencing'));
  await page.getByRole('region', { name: 'Tour: Fencing' }).waitFor();
});
