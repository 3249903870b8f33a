// The first visit: nothing is known, and no manual is read.
import assert from 'node:assert/strict';
import { frames, inPage, leaders, pick, ready, settled, shown, stepUntil, until } from './kit';
import { seconds } from './built';

inPage('it is painted at once, and then plays to a leader; killed, the next highest leads, with a higher epoch', {}, async (page, t) => {
  const from = Date.now();
  const paints = await page.evaluate(() => new Promise<number>((done) => {
    const found = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
    const look = () => { const at = found(); if (at === undefined) setTimeout(look, 20); else done(at); };
    look();
  }));
  t.diagnostic(`first contentful paint after ${seconds(paints)}`);
  await ready(page);
  t.diagnostic(`the nodes are there after ${seconds(Date.now() - from)}`);

  const elected = await until(page, 'the page says that 5 leads', (now) => now.hint.startsWith('5 leads.'));
  t.diagnostic(`5 leads after ${seconds(Date.now() - from)}, at step ${elected.count}`);
  assert.deepEqual(leaders(elected), [4]);
  assert.match(elected.hint, /click it to kill it/i);
  assert.match(await page.locator('.ring-node[data-node="4"] [role=button]').getAttribute('aria-label') ?? '', /leads epoch 1/);

  await pick(page, 4, 'Kill');
  const killed = await until(page, '5 is dead', (now) => now.looks[4] === 'down');
  assert.match(killed.hint, /^5 is dead\./);
  const next = await until(page, 'the page says that 4 leads', (now) => now.hint.startsWith('Now 4 leads'));
  t.diagnostic(`4 leads after ${seconds(Date.now() - from)}, at step ${next.count}`);
  assert.ok(next.count > killed.count);
  assert.deepEqual(leaders(next), [3], 'the next highest leads, and nobody else');
  assert.match(next.hint, /of those that are alive it has the highest id/, 'why it is that one');
  assert.match(next.hint, /A majority granted it epoch 2/, 'and by what right');
  assert.match(await page.locator('.ring-node[data-node="3"] [role=button]').getAttribute('aria-label') ?? '', /leads epoch 2/);
  assert.deepEqual(next.looks.slice(0, 3), ['follows', 'follows', 'follows']);
  for (const [indicator, light] of Object.entries(next.indicators)) assert.equal(light, 'green', indicator);
});

inPage('step back, on, jump; a what-if begins another run; and back to the run before', {}, async (page) => {
  await ready(page);
  await page.keyboard.press(' '); // it plays: stop
  const elected = await stepUntil(page, 'all follow 5', (now) => now.looks.join() === 'follows,follows,follows,follows,leads');
  await page.keyboard.press('ArrowLeft');
  const back = await shown(page);
  assert.ok(back.count < elected.count);
  assert.notDeepEqual(back.looks, elected.looks, 'a step back undoes what the step did');
  await page.keyboard.press('ArrowRight');
  assert.deepEqual((await shown(page)).looks, elected.looks);
  await page.keyboard.press('Home');
  const none = await shown(page);
  assert.equal(none.count, 0);
  assert.deepEqual(none.looks, Array(5).fill('down'), 'before it begins nobody has started');
  await page.keyboard.press('End');
  assert.equal((await shown(page)).count, elected.seen);
  await page.getByRole('slider', { name: 'Step' }).fill('12');
  const twelfth = (await shown(page)).count; // of the steps that are shown
  assert.ok(twelfth >= 12 && twelfth < elected.seen, `the slider goes anywhere: ${twelfth}`);
  await page.locator('.list-row.list-later').first().click();
  assert.ok((await shown(page)).count > twelfth, 'so does the list');

  const before = await frames(page);
  await page.getByRole('slider', { name: 'Step' }).fill('12');
  await pick(page, 4, 'Kill');
  const branch = await shown(page);
  assert.equal(branch.looks[4], 'down');
  assert.ok(branch.seen < elected.seen, 'what came after has not happened here');
  await page.getByRole('navigation', { name: 'Runs', exact: true }).waitFor();
  const other = await stepUntil(page, '4 leads', (now) => now.looks[3] === 'leads');
  assert.deepEqual(leaders(other), [3], 'what if 5 had died: 4 leads');

  await page.getByRole('button', { name: 'Go back to the run before' }).click();
  await settled(page);
  const again = await shown(page);
  assert.equal(again.looks[4] === 'down', false, 'in the run before nobody has killed 5');
  assert.equal(again.seen, elected.seen);
  assert.deepEqual((await frames(page)).slice(0, before.length), before, 'it is the same run, to the last frame');
});
