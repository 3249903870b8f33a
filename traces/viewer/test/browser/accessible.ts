// What axe finds against WCAG 2 A and AA in a page, as it is now.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { settled } from './page';

export const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface Found { violations: { id: string; help: string; nodes: { html: string; failureSummary?: string; target: string[] }[] }[]; passes: unknown[] }

// judged says what axe finds, and how many checks it made. What lies half below a bar that stands still is looked at again where it does
// not: whoever wants to touch it scrolls.
export async function judged(page: Page, state: string): Promise<{ wrong: string[]; checks: number }> {
  await settled(page);
  const found = await page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as { axe: { run: (on: unknown, how: unknown) => Promise<Found> } };
    const how = { runOnly: { type: 'tag', values: only }, resultTypes: ['violations'] };
    const all = await axe.run(document, how);
    const at = [scrollX, scrollY] as const;
    for (const violation of all.violations.filter(({ id }) => id === 'target-size')) {
      const still: typeof violation.nodes = [];
      for (const node of violation.nodes) {
        document.querySelector(node.target[0]!)?.scrollIntoView({ block: 'center', behavior: 'instant' });
        still.push(...(await axe.run({ include: [node.target] }, how)).violations.filter(({ id }) => id === 'target-size').flatMap(({ nodes }) => nodes));
      }
      violation.nodes = still;
    }
    scrollTo(...at);
    return all;
  }, tags) as Found;
  const wrong = found.violations.flatMap(({ id, help, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary }) => `${state}: ${id} (${help}): ${html.slice(0, 160)} ${failureSummary ?? ''}`));
  return { wrong, checks: found.passes.length };
}
