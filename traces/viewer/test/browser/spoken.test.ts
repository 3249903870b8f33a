// Who does not see the page: what a screen reader has of it, in the order of reading, is kept in testdata/spoken, and is the same in each browser;
// and what it says by itself, while somebody plays. BULLY_UPDATE=yes writes the files anew: read them aloud before you keep them.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { viewer } from './built';
import { inPage, menu, ready, settled, shown, until } from './kit';
import { spoken } from './spoken';

const kept = join(viewer, 'testdata/spoken');

// reads looks whether a voice has what is kept.
async function reads(page: Page, name: string): Promise<string[]> {
  await settled(page);
  const lines = await spoken(page);
  const file = join(kept, `${name}.txt`);
  if (process.env['BULLY_UPDATE']) {
    mkdirSync(kept, { recursive: true });
    writeFileSync(file, `${lines.join('\n')}\n`);
  }
  const wanted = readFileSync(file, 'utf8').trimEnd().split('\n');
  const tight = (line: string | undefined): string => (line ?? '').replace(/\s+/g, ''); // browsers differ in the spaces between parts
  const other = Array.from({ length: Math.max(lines.length, wanted.length) }, (_, k) => k).find((k) => tight(lines[k]) !== tight(wanted[k]));
  if (other !== undefined) assert.fail(`${name}, line ${other + 1}: a voice reads ${lines[other] ?? 'nothing more'}, and ${wanted[other] ?? 'nothing'} is kept; BULLY_UPDATE=yes writes down what it reads`);
  return lines;
}

// listen collects what the live regions come to say, into heard.
const listen = `{
  globalThis.heard = [];
  const live = '[role=status], [role=alert], [aria-live=polite]';
  const was = new WeakMap();
  new MutationObserver(() => {
    for (const region of document.querySelectorAll(live)) {
      const says = region.textContent.trim();
      if (says !== '' && was.get(region) !== says) globalThis.heard.push(says);
      was.set(region, says);
    }
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ['role', 'aria-live'] });
}`;

const heard = (page: Page): Promise<string[]> => page.evaluate(() => (globalThis as unknown as { heard: string[] }).heard.splice(0));

// inOrder looks whether all was heard, one after the other; something else may come between.
function inOrder(all: string[], wanted: RegExp[]): void {
  let from = 0;
  for (const one of wanted) {
    const at = all.findIndex((said, k) => k >= from && one.test(said));
    assert.ok(at >= 0, `${one} was not heard in its place: ${all.join(' | ')}`);
    from = at + 1;
  }
}

inPage('a voice: the first page says what there is, who leads, and what becomes of it', { init: listen }, async (page) => {
  await ready(page);
  await until(page, 'the page says that 5 leads', (now) => now.hint.startsWith('5 leads.'));
  inOrder(await heard(page), [/^Nobody leads yet\./, /^Node \d .*/, /^5 leads\./]);
  const lines = await reads(page, 'first');
  assert.ok(lines.some((line) => /^button “node 5: leader · leads epoch 1” collapsed has menu/.test(line)), 'who leads is a button that opens a menu');
  await page.keyboard.press('k');
  await until(page, 'the page says that 4 leads', (now) => now.hint.startsWith('Now 4 leads'));
  const after = await heard(page);
  inOrder(after, [/^Node 5 crashes: it led epoch 1/, /^Now 4 leads/]);
  inOrder(after, [/^5 is dead\./, /^Now 4 leads/]);
});

inPage('a voice: a tour says its sentences, one after the other, and nothing else', { init: listen, hash: '#tour=failover' }, async (page) => {
  await ready(page);
  const at = async (stop: number): Promise<void> => {
    await page.locator('.tour-at').filter({ hasText: `Stop ${stop} of` }).waitFor();
    await page.locator('.tour-says').filter({ hasNotText: 'Watch …' }).waitFor();
  };
  await at(1);
  await page.waitForFunction(() => document.activeElement?.matches('.tour-next'));
  await heard(page);
  const lines = await reads(page, 'tour');
  assert.ok(lines.findIndex((line) => line.startsWith('region “Tour: ')) < lines.findIndex((line) => line.startsWith('region “The nodes”')), 'the tour comes before what it is about');
  for (let stop = 2; stop <= 6; stop++) {
    await page.keyboard.press('n');
    await at(stop);
  }
  const said = (await heard(page)).filter((one) => one !== 'Watch …' && !/^\d+×$/.test(one)); // how fast it plays is a status, too
  const wanted = [/^5 has crashed\. Nobody knows yet/, /^\d has heard nothing for too long/, /^4 is the highest that lives/, /have epoch 2 promised to 4 on their disks/, /^Why 4\? It is the highest that lives/];
  assert.equal(said.length, wanted.length, said.join(' | '));
  inOrder(said, wanted);
});

inPage('a voice: a pair says which of the two each thing is of', { init: listen, hash: '#s=split-brain&beside=bully' }, async (page) => {
  await ready(page);
  await page.keyboard.press('End');
  await settled(page);
  await heard(page);
  const lines = await reads(page, 'pair');
  assert.equal(lines.filter((line) => /^button “node \d′ of .*\(ours\)/.test(line)).length, 5, 'whose node 4′ is, is said');
  assert.equal(lines.filter((line) => /stale write/.test(line)).length > 0, true);
  await page.keyboard.press('Home');
  await page.keyboard.press('n');
  await page.keyboard.press('n');
  const said = await heard(page);
  assert.ok(said.length > 0 && said.every((text) => text.length < 400), said.join(' | '));
  assert.ok(said.some((text) => /^[^:]+: /.test(text)), `it says of which a phase is: ${said.join(' | ')}`);
  await page.keyboard.press('End');
  await settled(page);
  assert.ok((await heard(page)).some((text) => /two leaders for .*never two leaders/.test(text)), 'the verdict is said at the end');
  assert.equal((await shown(page)).atEnd, true);
});

inPage('a voice: a dialog says what it is, and gives the focus back', { hash: '#g=failover' }, async (page) => {
  await ready(page);
  await menu(page, 'Tours');
  await reads(page, 'dialog');
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => document.activeElement?.textContent?.trim()), 'Tours');
});
