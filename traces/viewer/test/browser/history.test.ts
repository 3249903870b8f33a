// The page of workbench history -html: it has the look of the viewer, the ids of nodes, and runs no script.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { axe, judged } from './accessible';
import { workbench } from './built';
import { current } from './browsers';
import { test, visit, type Options } from './kit';

const header = { format: 1, source: 'a history with a stale read', commit: 'none', raises: [] };
const operations = [
  { client: '3', kind: 'led', epoch: 4, call: 1000, return: 1000 },
  { client: '1', kind: 'followed', epoch: 4, leader: '3', call: 1400, return: 1400 },
  { client: '3', kind: 'write', epoch: 4, resource: 'printer', value: 17, outcome: 'done', call: 2e6, return: 4e6 },
  { client: '3', kind: 'write', epoch: 4, resource: 'printer', value: 18, outcome: 'unknown', call: 5e6 },
  { client: '2', kind: 'write', epoch: 5, resource: 'printer', value: 19, outcome: 'done', call: 10e6, return: 12e6 },
  { client: '3', kind: 'write', epoch: 4, resource: 'printer', value: 20, outcome: 'fenced', admitted: 5, call: 12.5e6, return: 14e6 },
  { client: 'reader', kind: 'read', epoch: 4, resource: 'printer', value: 17, call: 15e6, return: 16e6 },
];

let made = '';

// drawn writes the page, once, and returns its address.
function drawn(): string {
  if (made) return made;
  const [from, to] = ['ndjson', 'html'].map((end) => join(process.env['BULLY_BUILT']!, `history-${current}.${end}`)) as [string, string];
  writeFileSync(from, [header, ...operations].map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { status, stderr } = spawnSync(workbench(), ['history', '-html', to, from], { encoding: 'utf8' });
  assert.equal(status, 1, `it is refused: ${stderr}`);
  return (made = pathToFileURL(to).href);
}

const sizes: [name: string, options: Options, width: number][] = [['a desk', {}, 1440], ['a desk, dark', { dark: true }, 1024], ['a phone', { phone: true }, 390], ['a phone, dark', { phone: true, dark: true }, 390]];

for (const [name, options, width] of sizes) {
  test(`a history on ${name}: who are the nodes, what fits into no order, and axe finds nothing`, { timeout: 120_000 }, async () => {
    const seen = await visit({ url: drawn(), ...options });
    try {
      const { page } = seen;
      await page.setViewportSize({ width, height: 800 });
      assert.deepEqual(await page.locator('.who').first().locator('span').allInnerTexts(), ['node 1', 'node 2', 'node 3']);
      assert.ok((await page.locator('.who').last().locator('span').allInnerTexts()).includes('reader'));
      assert.match(await page.locator('.misfit title').first().textContent() ?? '', /^reader reads 17 of epoch 4 .*fits into no order/);
      const [paper, font] = await page.evaluate(() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).fontFamily] as const);
      assert.equal(paper, options.dark ? 'rgb(18, 22, 27)' : 'rgb(247, 246, 242)');
      assert.match(font, /^system-ui/);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'only drawings scroll aside');
      await page.locator('summary').first().click();
      assert.match(await page.locator('table').first().innerText(), /node 3\s+leads epoch 4/);
      await page.evaluate(axe);
      const { wrong, checks } = await judged(page, name);
      assert.deepEqual(wrong, []);
      assert.ok(checks > 8, `${checks} checks`);
      assert.deepEqual(seen.faults, []);
    } finally {
      await seen.close();
    }
  });
}
