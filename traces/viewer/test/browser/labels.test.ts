// The words on the ring can be read, and what a tour marks is in sight: at each stop of each tour, at each phase of each run of the gallery, and of pairs, at three sizes of the window.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Gallery } from '../../src/types';
import { tours } from '../../src/tours/stories';
import { inPage, phone, ready, settled, walked, type Options } from './kit';
import { atPhases, overlaps, unseen } from './overlaps';

const sizes: [name: string, options: Options, size: { width: number; height: number }][] = [
  ['a desk', {}, { width: 1440, height: 900 }], ['a small window', {}, { width: 1024, height: 768 }], ['a phone', { phone: true }, phone],
];

// go shows something else, by its address.
async function go(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => new Promise<void>((done) => {
    addEventListener('hashchange', () => setTimeout(done), { once: true });
    location.hash = to;
  }), hash);
  await settled(page);
}

// stops looks at each stop of a tour. A tour that is on its way to a stop is there at once if it is told to go on.
async function stops(page: Page, name: string, many: number): Promise<string[]> {
  const wrong: string[] = [];
  await go(page, `#tour=${name}`);
  for (let stop = 1; stop <= many; stop++) {
    await page.locator('.tour-at').filter({ hasText: new RegExp(`^Stop ${stop} of ${many}$`) }).waitFor();
    for (let going = true; going;) {
      await settled(page);
      going = await page.locator('.tour [role=status]').innerText() === 'Watch …';
      if (going) await page.keyboard.press('n');
    }
    await settled(page);
    wrong.push(...[...await overlaps(page), ...await unseen(page)].map((line) => `${name}, stop ${stop}: ${line}`));
    if (stop < many) await page.keyboard.press('n');
  }
  return wrong;
}

const most = 8; // phases of a run

for (const [place, [name, options, size]] of sizes.entries()) {
  const how: Options = { ...options, still: true, hash: '#g=failover' };
  const at = async (page: Page): Promise<void> => {
    if (!options.phone) await page.setViewportSize(size);
    await ready(page);
  };
  inPage(`on ${name} the words on the ring can be read at each stop of each tour`, how, async (page, t) => {
    await at(page);
    const wrong: string[] = [];
    for (const tour of tours) wrong.push(...await stops(page, tour.name, tour.stops.length));
    t.diagnostic(`${tours.reduce((sum, tour) => sum + tour.stops.length, 0)} stops`);
    assert.equal(wrong.join('\n'), '');
  });
  inPage(`on ${name} the words on the ring can be read in each run of the gallery, and in pairs`, how, async (page, t) => {
    await at(page);
    const { golden, scenarios } = JSON.parse(await page.evaluate(() => globalThis.bullyEngine!.call('gallery', '[]'))) as Gallery;
    const pairs = scenarios.filter((s, k) => s.algorithm !== 'bully' && k % 3 === 0); // a pair is played to its end, which takes long
    const all = walked([...golden.map((g) => `#g=${g.name}`), ...scenarios.map((s) => `#s=${s.name}`), ...pairs.map((s) => `#s=${s.name}&beside=bully`)]);
    const runs = all.filter((_, k) => process.env['BULLY_SOAK'] || k % sizes.length === place); // each run at one size, and all at all for make soak
    const wrong: string[] = [];
    for (const hash of runs) {
      await go(page, hash);
      wrong.push(...(await atPhases(page, most)).map((line) => `${hash}, ${line}`));
    }
    t.diagnostic(`${runs.length} runs`);
    assert.equal(wrong.join('\n'), '');
  });
}
