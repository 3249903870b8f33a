// What the page says to whoever comes for the first time must be so, at every step of the story that it tells.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { inPage, pick, ready, shown, type Shown } from './kit';

interface Moment extends Shown { labels: string[] }

const labels = (page: Page): Promise<string[]> => page.evaluate(() => [...document.querySelectorAll('.ring-node[data-node] [role=button]')].map((node) => node.getAttribute('aria-label') ?? ''));
const moment = async (page: Page): Promise<Moment> => ({ ...await shown(page), labels: await labels(page) });

const agreed = (now: Moment, leader: number): boolean =>
  now.looks.every((look, k) => look === 'down' || (k === leader ? look === 'leads' : look === 'follows' && now.labels[k]!.includes(`follows ${leader + 1}`)));
const each = (names: string, is: (node: number) => boolean): boolean => names.split(/, | and /).every((name) => is(Number(name) - 1));

// claims are all that the page may say, and what must be so then.
const claims: [RegExp, (now: Moment, names: string) => boolean][] = [
  [/^Nobody leads yet\./, (now) => !now.looks.includes('leads')],
  [/^The first leader\./, (now) => now.looks.includes('leads')],
  [/^(\d) leads\. Click it to kill it/, (now, name) => agreed(now, Number(name) - 1)],
  [/^Now (\d) leads: of those that are alive it has the highest id\./, (now, name) => agreed(now, Number(name) - 1) && now.looks.slice(Number(name)).every((look) => look === 'down')],
  [/^(\d) is dead\./, (now, name) => now.looks[Number(name) - 1] === 'down'],
  [/Each node waits for a sign of a leader/, (now) => now.looks.every((look) => look === 'idle')],
  [/The others do not know yet/, (now) => now.labels.slice(0, 4).every((label) => label.includes('follows 5'))],
  [/([\d, and]*\d) (?:has|have) lost patience/, (now, names) => each(names, (node) => now.looks[node] === 'idle')],
  [/([\d, and]*\d) waits? for somebody better/, (now, names) => each(names, (node) => now.looks[node] === 'waits') && !now.looks.includes('stands')],
  [/([\d, and]*\d) asks? the others/, (now, names) => each(names, (node) => now.labels[node]!.includes('candidate'))],
  [/([\d, and]*\d) claims? the next epoch/, (now, names) => each(names, (node) => now.labels[node]!.includes('claimant'))],
  [/(\d) has won: it leads as soon/, (now, name) => now.labels[Number(name) - 1]!.includes('leads once that is on disk')],
  [/(\d) has won, and tells the others/, (now, name) => now.looks[Number(name) - 1] === 'leads'],
];

// judged looks whether all that is said is so, and returns how many claims it has.
function judged(now: Moment, seen: Set<string>): number {
  const made = claims.flatMap(([says, is]) => {
    const found = says.exec(now.hint);
    if (!found) return [];
    assert.ok(is(now, found[1] ?? ''), `"${now.hint}" is not so at step ${now.count}: ${now.labels.join('; ')}`);
    return [String(says)];
  });
  for (const claim of made) seen.add(claim);
  return made.length;
}

inPage('what the page says of the first story is so at every step', {}, async (page) => {
  await ready(page);
  await page.keyboard.press(' '); // it plays: stop
  await page.getByRole('checkbox', { name: 'Heartbeats' }).check(); // every step, and not only those that matter
  await page.keyboard.press('Home');
  for (let k = 0; k < 5; k++) await page.keyboard.press('ArrowRight');
  const seen = new Set<string>();
  const on = async (until: RegExp): Promise<void> => {
    for (let k = 0; k < 400; k++) {
      const now = await moment(page);
      assert.ok(judged(now, seen) > 0, `nothing is said at step ${now.count}, or what nobody judges: "${now.hint}"`);
      if (until.test(now.hint)) return;
      await page.keyboard.press('ArrowRight');
    }
    assert.fail(`${until} was never said`);
  };
  await on(/^5 leads\./);
  await pick(page, 4, 'Kill');
  await page.keyboard.press(' ');
  await on(/^Now 4 leads/);
  assert.ok(seen.size >= 10, `it says too little: ${[...seen].join(' ')}`);
});
