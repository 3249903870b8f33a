// What axe finds against WCAG 2 A and AA in a page, as it is now.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { settled } from './page';

export const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface Found { violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[]; passes: unknown[] }

// judged says what axe finds, and how many checks it made.
export async function judged(page: Page, state: string): Promise<{ wrong: string[]; checks: number }> {
  await settled(page);
  const found = await page.evaluate((only) => (globalThis as unknown as { axe: { run: (on: Document, how: unknown) => Promise<Found> } })
    .axe.run(document, { runOnly: { type: 'tag', values: only }, resultTypes: ['violations'] }), tags) as Found;
  const wrong = found.violations.flatMap(({ id, help, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary }) => `${state}: ${id} (${help}): ${html.slice(0, 160)} ${failureSummary ?? ''}`));
  return { wrong, checks: found.passes.length };
}
