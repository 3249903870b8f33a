// A trace of ten thousand events opens, scrolls and zooms. How long a frame takes is said, and hardly asserted: machines may be
// busy. Asserted is what makes it quick: few rows are in the page, and little is painted.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { inPage, menu, ready, settled, shown, until } from './kit';
import { seconds, sim } from './built';

// counted counts what is painted on canvases, into painted.
const counted = `
  globalThis.painted = 0;
  for (const name of ['lineTo', 'moveTo', 'fillRect', 'fillText', 'arc', 'rect', 'stroke', 'fill']) {
    const real = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...args) { globalThis.painted++; return real.apply(this, args); };
  }`;

// watched says how long frames take while something is done, in milliseconds, and how much was painted in the worst of them.
async function watched(page: Page, does: () => Promise<void>): Promise<{ frames: number; median: number; worst: number; painted: number }> {
  await page.evaluate(() => {
    const of = globalThis as unknown as { painted: number; times: number[]; paints: number[]; watching: boolean };
    of.times = [];
    of.paints = [];
    of.watching = true;
    let last = performance.now();
    let before = of.painted;
    const tick = (now: number): void => {
      of.times.push(now - last);
      of.paints.push(of.painted - before);
      last = now;
      before = of.painted;
      if (of.watching) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  await does();
  for (let i = 0; i < 6; i++) await settled(page); // frames enough, however busy the machine is
  return page.evaluate(() => {
    const of = globalThis as unknown as { times: number[]; paints: number[]; watching: boolean };
    of.watching = false;
    const times = of.times.slice(1).sort((a, b) => a - b);
    return { frames: times.length, median: times[times.length >> 1] ?? NaN, worst: times.at(-1) ?? NaN, painted: Math.max(...of.paints) };
  });
}

inPage('ten thousand events: open, scroll, zoom, jump', { init: counted }, async (page, t) => {
  const text = sim('large.ndjson', ['-nodes', '7', '-profile', 'crash', '-seeds', '12']);
  const events = readFileSync(text, 'utf8').trim().split('\n').length - 1;
  assert.ok(events >= 10_000, `${events} events`);
  await ready(page);
  await menu(page, 'Open');
  const from = Date.now();
  await page.locator('dialog input[type=file]').setInputFiles(text);
  await until(page, 'the trace', (now) => now.looks.length === 7);
  await settled(page);
  t.diagnostic(`${events} events, open after ${seconds(Date.now() - from)}`);
  await page.keyboard.press('End');
  const end = await shown(page);
  assert.ok(end.count >= 10_000, `${end.count} steps`);
  await page.keyboard.press('Home');

  const report = async (what: string, does: () => Promise<void>, least = 1): Promise<void> => {
    const { frames, median, worst, painted } = await watched(page, does);
    const rows = await page.locator('.list-row').count();
    t.diagnostic(`${what}: ${frames} frames, median ${median.toFixed(0)} ms, worst ${worst.toFixed(0)} ms; at most ${painted} strokes in a frame, ${rows} rows in the page`);
    assert.ok(frames > 5, `${what}: frames were painted`);
    assert.ok(rows > 3 && rows < 100, `${what}: ${rows} rows are in the page`);
    assert.ok(painted >= least && painted < 20_000, `${what}: ${painted} strokes`);
  };
  const box = await page.locator('.dia-surface').boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await report('scrolling the diagram', async () => { for (let i = 0; i < 30; i++) { await page.mouse.wheel(0, 400); await settled(page); } });
  await report('zooming it out and in', async () => {
    for (const name of ['Zoom out', 'Zoom in']) for (let i = 0; i < 12; i++) await page.getByRole('button', { name }).click();
  });
  await report('all of it at once', async () => { await page.getByRole('button', { name: 'Fit' }).click(); });
  await page.locator('.list-rows').hover();
  await report('scrolling the list', async () => { for (let i = 0; i < 30; i++) { await page.mouse.wheel(0, 5000); await settled(page); } }, 0);
  await page.getByRole('checkbox', { name: 'Heartbeats' }).check(); // then the slider has every step
  await report('jumping to and fro', async () => {
    for (const place of [end.count, 5000, 17, 9000, 1234]) {
      await page.getByRole('slider', { name: 'Step' }).fill(String(place));
      assert.equal((await shown(page)).count, place);
    }
  });
});
