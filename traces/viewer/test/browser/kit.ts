// What all tests in the browser need: a test with a page of its own (page.ts).
import assert from 'node:assert/strict';
import * as node from 'node:test';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { closeBrowsers, current, patience } from './browsers';
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
  test(name, { timeout: 2 * patience }, async (t) => {
    const seen = await visit(options);
    try {
      await does(seen.page, t, seen);
      assert.deepEqual(seen.faults, []);
    } finally {
      await seen.close();
    }
  });
}

// walked returns the items that a test walks through if it asks the same of each: all of them with BULLY_SOAK. Otherwise it returns each third, another third in
// each browser, and the first item of each kind.
export function walked<T>(all: T[], kind: (one: T) => unknown = () => ''): T[] {
  if (process.env['BULLY_SOAK']) return all;
  const kinds = all.map(kind), third = current === 'chromium' ? 0 : 1;
  return all.filter((_, i) => i % 3 === third || kinds.indexOf(kinds[i]) === i);
}

// inFirefox returns the variants of a test: all of them in Chromium and with BULLY_SOAK, otherwise only those with these names.
export function inFirefox<T extends [name: string, ...rest: unknown[]]>(all: T[], names: string[]): T[] {
  return current === 'chromium' || process.env['BULLY_SOAK'] ? all : all.filter(([name]) => names.includes(name));
}
