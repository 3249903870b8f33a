// Tours: played with keys only; what they say is read out, and said of what is shown.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { axe, judged } from './accessible';
import { golden, inPage, menu, patience, ready, shown, until, type Options } from './kit';

const caption = (page: Page): Promise<string> => page.locator('.tour [role=status]').innerText();
const focused = (page: Page): Promise<string> => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');

// stopped waits until the tour has come to a stop, and returns what it says there.
async function stopped(page: Page, at: number): Promise<string> {
  await page.locator('.tour-at').filter({ hasText: new RegExp(`^Stop ${at} of`) }).waitFor();
  for (const end = Date.now() + patience; ; await page.waitForTimeout(30)) {
    const says = await caption(page);
    if (says !== 'Watch …') return says;
    assert.ok(Date.now() < end, `waited in vain for stop ${at}`);
  }
}

const looks: [name: string, options: Options][] = [['light', {}], ['dark, phone', { dark: true, phone: true }]];

for (const [name, options] of looks) {
  inPage(`a tour is taken with keys only, is read out, and axe finds nothing: ${name}`, { ...options, hash: '#tour=split-brain' }, async (page) => {
    await ready(page);
    await page.evaluate(axe);
    assert.match(await stopped(page, 1), /textbooks. 5 is the highest, and leads/);
    await page.waitForFunction(() => document.activeElement?.matches('.tour-next'));
    const said = new Set<string>();
    const also = new Set<string>(); // what else is read out
    const wrong: string[] = [];
    const keys = ['Enter', 'n', ' ', 'n', 'Enter', 'n'];
    for (let stop = 1; ; stop++) {
      said.add(await stopped(page, stop));
      also.add(await page.locator('.unseen[aria-live]').innerText());
      assert.match(await focused(page), /^(Next|Next tour: .*)$/, 'the focus stays on what goes on');
      wrong.push(...(await judged(page, `stop ${stop}`)).wrong);
      const tops = await page.locator('.tour-foot button').evaluateAll((all) => all.map((button) => Math.round(button.getBoundingClientRect().top)));
      assert.equal(new Set(tops).size, 1, `stop ${stop}: the buttons are in one line: ${tops.join()}`);
      if (stop === 3) {
        const now = await shown(page);
        assert.equal(now.indicators['OneActing'], 'red');
        assert.deepEqual(await page.locator('.ring-node:has(.ring-marked)').evaluateAll((all) => all.map((node) => node.getAttribute('data-node'))), ['2', '4'], 'what the sentence is about is marked');
        await page.keyboard.press('b');
        assert.match(await stopped(page, 2), /breaks in two/);
        assert.equal((await shown(page)).indicators['OneActing'], 'green');
        await page.keyboard.press('n');
        await stopped(page, 3);
      }
      if (stop === keys.length + 1) break;
      await page.keyboard.press(keys[stop - 1]!);
    }
    assert.equal(said.size, 7);
    assert.deepEqual([...also], [''], 'a tour speaks for itself: no step is read out on top of it');
    assert.match(await caption(page), /At no moment did two lead/);
    assert.deepEqual(wrong, []);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.tour').count(), 0, 'Escape leaves');
    assert.deepEqual((await shown(page)).looks.filter((look) => look === 'leads'), ['leads'], 'and what was shown stays');
  });
}

// marks returns what is marked, part by part.
const marks = (page: Page): Promise<Record<string, number>> => page.evaluate(() => {
  const many = (of: string) => document.querySelectorAll(of).length;
  return {
    nodes: many('.ring-node .ring-marked:not(.ring-marked-lease)'), leases: many('.ring-marked-lease'), messages: many('.ring-messages .ring-marked'),
    resources: many('.ring-resource .ring-marked'), signs: many('.indicator[data-marked]'),
  };
});

inPage('a tour marks what its sentence is about: a lease, a message, the resource, a sign', { hash: '#tour=failover' }, async (page) => {
  await ready(page);
  const none = { nodes: 0, leases: 0, messages: 0, resources: 0, signs: 0 };
  const at = async (stop: number, says: RegExp): Promise<Record<string, number>> => {
    assert.match(await stopped(page, stop), says);
    return marks(page);
  };
  assert.deepEqual(await at(1, /the band round it/), { ...none, nodes: 1, leases: 1 });
  for (let stop = 1; stop < 4; stop++) {
    await page.keyboard.press('n');
    await stopped(page, stop + 1);
  }
  const claims = await at(4, /claims the next epoch/);
  assert.deepEqual({ ...claims, messages: Math.min(1, claims['messages']!) }, { ...none, nodes: 1, messages: 1 });
  await page.keyboard.press('Escape');
  assert.deepEqual(await marks(page), none, 'who leaves sees no mark');
  await page.evaluate(() => { location.hash = '#tour=fencing'; });
  assert.deepEqual(await at(1, /writes to something that all share/), { ...none, nodes: 1, resources: 1 });
  for (let stop = 1; stop < 4; stop++) {
    await page.keyboard.press('n');
    await stopped(page, stop + 1);
  }
  assert.deepEqual(await at(4, /What is old lands on top/), { ...none, nodes: 1, resources: 1, signs: 1 });
});

inPage('who does something else in a tour sees no sentence of it, and comes back', { hash: '#tour=failover' }, async (page) => {
  await ready(page);
  const first = await stopped(page, 1);
  await page.keyboard.press('ArrowLeft');
  await page.getByText('You look at something else').waitFor();
  assert.equal(await page.locator('.ring-marked').count(), 0);
  await page.getByRole('button', { name: 'Back to the tour' }).click();
  assert.equal(await stopped(page, 1), first);
  await page.evaluate((hash) => { location.hash = hash; }, golden('failover'));
  await until(page, 'something else is opened', (now) => now.looks.length === 3);
  assert.equal(await page.locator('.tour').count(), 0);
});

inPage('a tour is offered once, at the first visit, and is found again', {}, async (page) => {
  await ready(page);
  await page.evaluate(axe);
  assert.deepEqual((await judged(page, 'the offer')).wrong, []);
  await page.getByRole('button', { name: 'No tour' }).click();
  assert.equal(await page.locator('.offer').count(), 0);
  await page.reload();
  await ready(page);
  await until(page, 'the usual run', (now) => now.hint !== '');
  assert.equal(await page.locator('.offer').count(), 0, 'once is enough');
  await menu(page, 'Tours');
  await page.evaluate(axe);
  assert.deepEqual((await judged(page, 'the list of tours')).wrong, []);
  await page.getByRole('button', { name: /^Fencing/ }).click();
  assert.match(await stopped(page, 1), /writes to something that all share/);
  assert.match(page.url(), /#tour=fencing$/);
  await page.waitForFunction(() => document.activeElement?.matches('.tour-next'));
});

const noStorage = 'Object.defineProperty(globalThis, "localStorage", { get() { throw new DOMException("denied", "SecurityError"); } });';

inPage('where nothing may be kept, tours are offered and taken all the same', { init: noStorage }, async (page) => {
  await ready(page);
  await page.getByRole('button', { name: 'Take a tour of a minute' }).click();
  assert.match(await stopped(page, 1), /^5 leads/);
  assert.equal(await page.locator('.offer').count(), 0);
});

inPage('a tour that is not there is refused, and the page goes on', { hash: '#tour=nothing' }, async (page) => {
  await ready(page);
  assert.match((await shown(page)).problem, /There is no tour “nothing”.*failover, split-brain/);
});
