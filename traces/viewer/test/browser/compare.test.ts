// The page of workbench compare -html, as the command writes it: plots, numbers and scenarios are there, on a desk and on a phone.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { axe, judged } from './accessible';
import { compared } from './built';
import { download } from './download';
import { desk, test, visit, type Options } from './kit';

const wide = { width: 1440, height: 900 };

// inComparison opens the page of two seeds, which has plots of lines and of bars, bounds, whiskers, a limit, and what never came.
function inComparison(name: string, options: Options & { wide?: boolean }, does: (page: Page) => Promise<void>): void {
  test(name, { timeout: 300_000 }, async () => {
    const url = compared('compare.html', ['-question', 'messages-herd,failover-loss,leaders', '-algorithm', 'bully,textbook,ring-chang-roberts,raft', '-seeds', '2']);
    const seen = await visit({ ...options, url });
    try {
      if (options.wide) await seen.page.setViewportSize(wide);
      await seen.page.locator('figure svg[role=img]').nth(9).waitFor();
      await does(seen.page);
      assert.deepEqual(seen.faults, []);
    } finally {
      await seen.close();
    }
  });
}

// outside lists texts of plots that are not within their plot, texts that stand on each other, and what is wider than the page.
const outside = (page: Page): Promise<string[]> => page.evaluate(() => {
  const wrong: string[] = [];
  for (const svg of document.querySelectorAll<SVGElement>('figure svg[role=img]')) {
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].map((text) => ({ says: text.textContent, box: text.getBoundingClientRect() }));
    texts.forEach(({ says, box }, i) => {
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1) wrong.push(`${svg.ariaLabel}: "${says}" is cut off`);
      for (const other of texts.slice(i + 1)) {
        const [across, down] = [Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left), Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top)];
        if (across > 1 && down > 4) wrong.push(`${svg.ariaLabel}: "${says}" stands on "${other.says}"`);
      }
    });
  }
  const room = document.documentElement.clientWidth;
  for (const element of document.querySelectorAll('body *:not(.scroll *)')) {
    if (element.getBoundingClientRect().right > room + 1) wrong.push(`${element.tagName} "${element.textContent?.slice(0, 40)}" is wider than the page`);
  }
  return wrong;
});

inComparison('a plot for each measure, drawn from the numbers of the table, which has all of them', {}, async (page) => {
  assert.deepEqual(await page.locator('section[id]').evaluateAll((all) => all.map((section) => section.id)), ['algorithms', 'messages-herd', 'failover-loss', 'leaders', 'scenarios']);
  assert.equal(await page.locator('figure svg[role=img]').count(), 2 + 3 + 5);
  const herd = page.locator('#messages-herd figure').first();
  assert.equal(await herd.locator('.plot-bound').count(), 4);
  assert.equal(await herd.locator('.plot-never').count(), 1);
  assert.match(await herd.locator('.plot-marks[data-algorithm=raft]').textContent() ?? '', /raft: never at 3, of 1 run/);
  assert.equal(await herd.locator('.plot-label').count(), 4 + 4);
  const whiskers = await page.locator('#failover-loss figure').first().locator('.plot-whisker').count();
  assert.ok(whiskers > 4, `${whiskers} whiskers`);
  const rows = await page.locator('#leaders tbody tr').allInnerTexts();
  assert.equal(rows.length, 7 * 4);
  const partition = rows.find((row) => /^partition\s+textbook\s/.test(row))!.split(/\s+/);
  assert.equal(partition[2], '2', 'two lead at once');
  assert.equal(await page.locator('#leaders figure').first().locator('.plot-bar title', { hasText: /^textbook, partition: 2$/ }).count(), 1);
  assert.match(await page.locator('#failover-loss').innerText(), /Median of 2 runs; the range|workbench compare -question failover-loss -seed 1 -seeds 2 -algorithm bully,textbook/);
  assert.match(await page.locator('#failover-loss pre').innerText(), /^workbench compare -question failover-loss -seed 1 -seeds 2 -algorithm bully,textbook,ring-chang-roberts,raft$/);
  assert.match(await page.locator('#split-brain').innerText(), /goes wrong: two leaders\s+yes\s+no[^]*workbench view split-brain\nworkbench view -algorithm bully split-brain/);
});

for (const [name, options] of [['a desk', { wide: true }], ['a phone', { phone: true }], ['a phone, dark', { phone: true, dark: true }]] as const) {
  inComparison(`${name}: no text is cut off or stands on another, and axe finds nothing`, options, async (page) => {
    assert.deepEqual(await outside(page), []);
    await page.evaluate(axe);
    const { wrong, checks } = await judged(page, name);
    assert.deepEqual(wrong, []);
    assert.ok(checks > 8, `${checks} checks`);
  });
}

inComparison('a plot is saved as SVG that stands alone, in light colours though the page is dark', { dark: true }, async (page) => {
  assert.equal(await page.evaluate(() => document.documentElement.dataset['theme']), 'dark');
  for (const [name, file, shapes] of [['Save as SVG: Messages of an election: the herd', 'messages-herd.svg', 40], ['Save as SVG: Leaders at once: stale writes', 'leaders-stale-writes.svg', 28]] as const) {
    const saved = await download(page, () => page.getByRole('button', { name, exact: true }).click());
    assert.equal(saved.name, file);
    const text = saved.data.toString();
    const [error, root, drawn] = await page.evaluate((source) => {
      const parsed = new DOMParser().parseFromString(source, 'image/svg+xml');
      return [parsed.querySelector('parsererror')?.textContent ?? '', parsed.documentElement.namespaceURI, parsed.querySelectorAll('path, rect, text').length] as const;
    }, text);
    assert.deepEqual([error, root], ['', 'http://www.w3.org/2000/svg']);
    assert.ok(drawn > shapes, `${drawn} shapes`);
    assert.doesNotMatch(text, /var\(|NaN|undefined/);
    assert.match(text, /fill="#ffffff"/);
  }
  assert.equal(await page.evaluate(() => document.documentElement.dataset['theme']), 'dark', 'the page stays as it was');
});

inComparison('plots are drawn again when their room changes', {}, async (page) => {
  const width = () => page.locator('figure svg[role=img]').first().evaluate((svg) => svg.clientWidth);
  const before = await width();
  await page.setViewportSize({ ...desk, width: 500 });
  await page.waitForFunction((was) => document.querySelector('figure svg[role=img]')!.clientWidth < was, before);
  assert.deepEqual(await outside(page), []);
});
