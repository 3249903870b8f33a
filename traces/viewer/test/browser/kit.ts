// What all tests in the browser need: a test with a page of its own (page.ts).
import assert from 'node:assert/strict';
import * as node from 'node:test';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { closeBrowsers, current } from './browsers';
import { visit, type Options, type Visit } from './page';

export { patience } from './browsers';
export * from './page';

export interface Registered { name: string; options: { timeout?: number }; does: (t: TestContext) => Promise<void> }

// together are the tests that together.ts runs in one process, with one browser, and what is to be done after all of them; null where a file runs alone.
export const together: { tests: Registered[]; afters: (() => unknown)[] } | null = process.env['BULLY_TOGETHER'] ? { tests: [], afters: [] } : null;

type Does = Registered['does'];

export function test(name: string, ...[options, does]: [Does] | [Registered['options'], Does]): void {
  const one: Registered = typeof options === 'function' ? { name, options: {}, does: options } : { name, options, does: does! };
  if (together) together.tests.push(one);
  else node.test(name, one.options, one.does);
}

export function after(does: () => unknown): void {
  if (together) together.afters.push(does);
  else node.after(does as () => void);
}

if (!together) after(closeBrowsers);

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
