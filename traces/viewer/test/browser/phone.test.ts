// On a phone: nothing is wider than the screen, and all that can be done is within reach of a finger.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { current } from './browsers';
import { stroke, tap } from './finger';
import { inPage, leaders, menu, phone, ready, run, shown, stepUntil, until } from './kit';

// wide returns what is wider than the screen, or beyond its edge, and cannot be scrolled to.
function wide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) found.push(`the page has ${root.scrollWidth} pixels on a screen of ${root.clientWidth}`);
    for (const element of document.querySelectorAll<HTMLElement>('button, a[href], input, select, summary, [role=menuitem]')) {
      const box = element.getBoundingClientRect();
      if (box.width === 0 || !element.checkVisibility() || element.closest('svg, .list-rows, .panel-flights ul')) continue;
      let scrolls = element.parentElement;
      while (scrolls && !['auto', 'scroll'].includes(getComputedStyle(scrolls).overflowX)) scrolls = scrolls.parentElement;
      if (!scrolls && (box.left < -1 || box.right > root.clientWidth + 1)) found.push(`${element.outerHTML.slice(0, 120)} from ${box.left} to ${box.right}`);
    }
    return found;
  });
}

// small returns what is too small for a finger: less than 24 pixels, WCAG 2.2, which excepts links in a text.
function small(page: Page): Promise<string[]> {
  return page.evaluate(() => [...document.querySelectorAll<HTMLElement>('.bar button, .transport button, .ring-tool, [role=menuitem], dialog button:not(.link, .rule-link)')].flatMap((element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && (box.width < 24 || box.height < 24) ? [`${element.outerHTML.slice(0, 100)} ${box.width} × ${box.height}`] : [];
  }));
}

inPage('a phone: kill the leader with a finger, see the next; nothing is beyond the edge', { phone: true, hash: run({}) }, async (page) => {
  await ready(page);
  await stepUntil(page, 'all follow 5', (now) => now.looks.join() === 'follows,follows,follows,follows,leads');
  assert.deepEqual(await wide(page), []);
  const ring = await page.locator('.ring-picture').boundingBox();
  const play = await page.locator('.tr-play').boundingBox();
  assert.ok(ring && ring.y + ring.height / 2 < phone.height, 'the ring is to be seen without scrolling');
  assert.ok(play && play.y + play.height <= phone.height, 'so is the button that plays');
  await tap(page.locator('.ring-node[data-node="4"] [role=button]'));
  await page.getByRole('menu').waitFor();
  assert.deepEqual([...await wide(page), ...await small(page)], []);
  await tap(page.getByRole('menuitem', { name: 'Kill' }));
  assert.equal((await shown(page)).looks[4], 'down');
  for (let i = 0; i < 4; i++) await tap(page.getByRole('button', { name: 'Faster' }));
  await tap(page.locator('.tr-play'));
  assert.deepEqual(leaders(await until(page, '4 leads', (now) => now.looks[3] === 'leads')), [3]);
  assert.deepEqual(await wide(page), []);
});

inPage('a phone: every dialog fits, and what is below can be scrolled to', { phone: true, hash: run({}) }, async (page) => {
  await ready(page);
  for (const word of ['New run', 'Tours', 'Gallery', 'Open', 'Share', 'Export']) {
    await menu(page, word);
    assert.deepEqual([...await wide(page), ...await small(page)], [], word);
    await tap(page.getByRole('button', { name: 'Close', exact: true }));
  }
  for (const part of ['.dia-surface', '.panel', '.list-rows']) {
    await page.locator(part).scrollIntoViewIfNeeded();
    const box = await page.locator(part).boundingBox();
    assert.ok(box && box.y < phone.height && box.width <= phone.width, `${part} can be reached`);
  }
});

// stops notes from now on what would keep the page from scrolling under a finger at a place, and returns what tells. The fingers of Firefox's driver reach
// the page, but not what scrolls it, so that this is looked at instead.
async function stops(page: Page, x: number, y: number): Promise<() => Promise<string[]>> {
  await page.evaluate(([left, top]) => {
    const of = globalThis as unknown as { actions: string[]; moves: TouchEvent[] };
    of.actions = [];
    of.moves = [];
    for (let at = document.elementFromPoint(left!, top!); at; at = at.parentElement) of.actions.push(getComputedStyle(at).touchAction);
    addEventListener('touchmove', (event) => of.moves.push(event), { capture: true, passive: true });
  }, [x, y]);
  return () => page.evaluate(() => {
    const { actions, moves } = globalThis as unknown as { actions: string[]; moves: TouchEvent[] };
    const bad = actions.filter((action) => !/auto|manipulation|pan-y/.test(action)).map((action) => `touch-action: ${action}`);
    return [...bad, ...(moves.length === 0 ? ['no finger moves'] : []), ...moves.filter((move) => move.defaultPrevented).map(() => 'a move is prevented')];
  });
}

// Chromium warns of a library that would cancel a touch by which the page scrolls already.
const warned = /Ignored attempt to cancel a touchmove/;

inPage('a phone: the page scrolls under a finger, over the ring and the diagram, too', { phone: true, hash: run({}), may: warned }, async (page) => {
  await ready(page);
  for (const part of ['.ring-picture', '.indicator-all', '.dia-surface', '.panel']) {
    const [x, y] = await page.locator(part).evaluate((element) => {
      scrollTo(0, 0);
      for (const around of document.querySelectorAll('.pane-panel')) around.scrollTop = around.scrollHeight; // a finger reads what it hides first
      scrollTo(0, Math.max(0, element.getBoundingClientRect().top - 200));
      const box = element.getBoundingClientRect();
      return [box.left + 12, box.top + Math.min(200, box.height / 2)] as const;
    });
    const before = await page.evaluate(() => scrollY);
    const stopped = await stops(page, x, y);
    await stroke(page, Array.from({ length: 11 }, (_, i) => ({ x, y: y - 12 * i })));
    const byItself = part === '.dia-surface'; // the diagram scrolls the page itself, where it is at its end
    if (current === 'firefox' && !byItself) assert.deepEqual(await stopped(), [], part);
    else await page.waitForFunction((was) => scrollY > was + 40, before); // else it fails, after a while
  }
});

for (const [width, height] of [[320, 640], [320, 256], [720, 450], [640, 400]] as const) {
  inPage(`${width} × ${height} pixels, as a window that is zoomed has: nothing is beyond the edge, and a low one shows the leader of a tour`, { hash: '#tour=failover', still: true }, async (page) => {
    await page.setViewportSize({ width, height });
    await ready(page);
    await page.locator('.tour-says').filter({ hasText: '5 leads' }).or(page.locator('.tour-says').filter({ hasText: 'Watch' })).waitFor();
    await page.keyboard.press('n');
    await page.locator('.tour-says').filter({ hasText: '5 leads' }).waitFor();
    assert.deepEqual(await wide(page), []);
    if (width < 600) return;
    const [mark, bar] = await page.evaluate(() => ['.ring-node[data-look=leads]', '.transport'].map((of) => document.querySelector(of)!.getBoundingClientRect()));
    assert.ok(mark!.bottom <= Math.min(height, bar!.top), `the leader ends at ${mark!.bottom}, the window at ${height}, and the bar begins at ${bar!.top}`);
  });
}
