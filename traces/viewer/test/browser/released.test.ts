// What is in the repository for who builds without Node (dist/released), in a workbench that was built so: today's Go puts into that page what it opens, and
// its engine reads what today's programs write. Where that is no more so, the page must be released anew: make viewer-release.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import type { More, Opened } from '../../src/types';
import { releasedWorkbench, root, viewed, viewer } from './built';
import { inPage, ready, until } from './kit';

const url = (...what: string[]): string => viewed(releasedWorkbench(), ...what);

// call asks the engine of a page, as the page does.
async function call<T>(page: Page, method: string, ...args: unknown[]): Promise<T> {
  const text = await page.evaluate(([m, a]) => globalThis.bullyEngine!.call(m!, a!), [method, JSON.stringify(args)]);
  return JSON.parse(text) as T;
}

inPage('what is released plays, and says of which commit it is', { url: url() }, async (page) => {
  await ready(page);
  await until(page, 'it plays', (now) => now.count > 12);
  const commit = /<meta name="commit" content="([^"]+)">/.exec(gunzipSync(readFileSync(join(viewer, 'dist/released/page.html.gz'))).toString())?.[1];
  await page.keyboard.press('?');
  assert.equal(await page.locator('dialog .built').textContent(), `This page and its engine were built from commit ${commit}.`);
});

inPage('what is released plays a scenario that is asked for by its name', { url: url('split-brain') }, async (page) => {
  const now = await until(page, 'the scenario', ({ looks }) => looks.length > 2);
  assert.equal(now.problem, '');
  assert.match(now.title, /^A partition: 5 goes on leading 4/);
});

inPage('what is released opens every golden trace', { url: url('failover') }, async (page) => {
  await ready(page);
  const folder = join(root, 'traces/valid');
  const names = readdirSync(folder).filter((name) => name.endsWith('.ndjson'));
  assert.ok(names.length > 50);
  for (const name of names) {
    const opened = await call<Opened>(page, 'open', readFileSync(join(folder, name), 'utf8'), name);
    assert.equal(opened.problem, undefined, name);
    await call(page, 'close', opened.handle);
  }
});

inPage('what is released shows the steps of nodes as they come', { url: url() }, async (page) => {
  await ready(page);
  const [header, ...events] = readFileSync(join(root, 'traces/valid/failover.ndjson'), 'utf8').trimEnd().split('\n');
  const { handle } = await call<Opened>(page, 'live', (JSON.parse(header!) as { members: string[] }).members, false);
  for (const event of events) {
    const more = await call<More>(page, 'feed', handle, event);
    assert.equal(more.problem, undefined, event);
    assert.ok(more.frames.length > 0, event);
  }
});
