// Every trace of the gallery opens where there is something to see.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from './built';
import { golden, inPage, ready, settled, shown, walked, type Shown } from './kit';

const names = (folder: string): string[] =>
  readdirSync(join(root, 'traces', folder)).filter((name) => name.endsWith('.ndjson')).map((name) => name.replace('.ndjson', '')).sort();

// open follows a link within the page.
async function open(page: Page, name: string): Promise<Shown> {
  await page.evaluate((hash) => { location.hash = hash; }, golden(name));
  await page.waitForFunction((wanted) => document.title.replaceAll('-', ' ').startsWith(wanted), name.replaceAll('-', ' '));
  await settled(page);
  return shown(page);
}

inPage('every golden trace opens at a step that is worth seeing, and is by the rules to its end', { hash: golden('failover'), small: true }, async (page, t) => {
  await ready(page);
  const all = names('valid');
  assert.ok(all.length >= 70, `${all.length} golden traces`);
  const chosen = walked(all);
  for (const name of chosen) {
    const now = await open(page, name);
    assert.equal(now.problem, '', name);
    assert.ok(now.count > 0, `${name} opens after its beginning`);
    assert.equal(now.indicators['Rules'], 'green', name);
    const frame = await page.locator('.panel-sentence').innerText();
    assert.doesNotMatch(frame, /^Node \S+ (starts|is started)\.?$/i, `${name} opens at what it is about`);
    await page.keyboard.press('End');
    const end = await shown(page);
    assert.equal(end.count, end.seen, name);
    assert.ok(end.atEnd, `${name} is over at its end`);
    assert.equal(end.indicators['Rules'], 'green', `${name}, at its end`);
  }
  t.diagnostic(`${chosen.length} of ${all.length} golden traces`);
});

inPage('every trace that breaks a rule opens with a red indicator, at the line that is refused', { hash: golden('failover'), small: true }, async (page, t) => {
  await ready(page);
  let red = 0;
  const expected = JSON.parse(readFileSync(join(root, 'traces/invalid/expected.json'), 'utf8')) as Record<string, { line: number; rule: string }>;
  const all = names('invalid');
  assert.ok(all.length >= 70, `${all.length} traces that are refused`);
  const chosen = walked(all);
  for (const name of chosen) {
    const now = await open(page, name);
    const { line, rule } = expected[`${name}.ndjson`]!;
    assert.match(now.problem, new RegExp(`^Line ${line}:`), name);
    if (rule === 'section 14') continue; // it is no trace from there on, so there is no step that could be red
    assert.equal(now.indicators['Rules'], 'red', name);
    assert.match(await page.locator('.panel-indicators').innerText(), /By the rules: broken/, `${name} opens at the step that is refused`);
    red++;
  }
  assert.ok(red > 10, `${red} refused at a step`);
  t.diagnostic(`${chosen.length} of ${all.length} traces that are refused, ${red} of them at a step`);
});
