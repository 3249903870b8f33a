// What all tests in the browser need: a test with a page of its own (page.ts).
import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { closeBrowsers, current } from './browsers';
import { visit, type Options, type Visit } from './page';

export * from './page';

after(closeBrowsers);

// inPage is a test in a page of its own, which must have no fault.
export function inPage(name: string, options: Options, does: (page: Page, t: TestContext, seen: Visit) => Promise<void>): void {
  test(name, { timeout: 300_000 }, async (t) => {
    const seen = await visit(options);
    try {
      await does(seen.page, t, seen);
      assert.deepEqual(seen.faults, []);
    } finally {
      await seen.close();
    }
  });
}

// walked returns what a test walks through that asks the same of each, and of the engine more than of the browser: all in Chromium, and each third elsewhere, but
// for make soak.
export function walked<T>(all: T[]): T[] {
  const every = current === 'chromium' || process.env['BULLY_SOAK'] ? 1 : 3;
  return all.filter((_, i) => i % every === 0);
}
