// Measures what the page takes for ten thousand events of nine nodes: npm run bench, on a quiet machine; -- --firefox: in Firefox. It says how long the trace takes to open,
// and how long the page works for a frame, from when it is asked to draw one until it has, while the trace plays, is scrolled and jumped about; and what a pair and the
// gallery, which play whole runs, hold the page up. No test goes by it: machines differ.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { realEngine } from '../real';
import { build, seconds } from './built';

if (process.argv.includes('--firefox')) process.env['BULLY_BROWSER'] = 'firefox';
const { closeBrowsers, current, word } = await import('./browsers');
const { menu, ready, run, shown, until, visit } = await import('./page');

// works notes how long the page works for each frame: a message that is sent when a frame begins comes when it has been drawn.
const works = `
  globalThis.works = [];
  { let from = 0; const { port1, port2 } = new MessageChannel(); port1.onmessage = () => { globalThis.works.push(performance.now() - from); };
  const tick = () => { from = performance.now(); port2.postMessage(0); requestAnimationFrame(tick); }; requestAnimationFrame(tick); }`;

// frames says how long the page works for a frame while something is done.
async function frames(page: Page, what: string, does: () => Promise<unknown>): Promise<void> {
  await page.evaluate('globalThis.works.length = 0');
  await does();
  const all = (await page.evaluate('globalThis.works') as number[]).sort((a, b) => a - b);
  const at = (share: number): string => `${(all[Math.min(all.length - 1, Math.floor(share * all.length))] ?? NaN).toFixed(1)} ms`;
  const late = all.filter((ms) => ms > 16).length;
  console.log(`${what}: ${all.length} frames, median ${at(0.5)}, 99 of 100 within ${at(0.99)}, the longest ${at(1)}; ${late} took more than 16 ms`);
}

// nine writes a trace of nine nodes.
async function nine(into: string): Promise<string> {
  const engine = await realEngine();
  const begun = await engine.begin({ runSpec: 1, algorithm: 'bully', nodes: 9, profile: 'lan', seed: 1, do: [] });
  await engine.next(begun.handle, 12_000);
  const { text } = await engine.trace(begun.handle);
  const file = join(into, 'nine.ndjson');
  writeFileSync(file, text);
  console.log(`${text.trimEnd().split('\n').length - 1} events, ${(text.length / 1e6).toFixed(1)} MB`);
  return file;
}

async function measured(page: Page, file: string): Promise<void> {
  await ready(page);
  await page.keyboard.press(' ');
  await menu(page, 'Open');
  const from = Date.now();
  await frames(page, 'while it is opened', async () => {
    await page.locator('dialog input[type=file]').setInputFiles(file);
    await until(page, 'the trace', (now) => now.looks.length === 9);
  });
  console.log(`opened after ${seconds(Date.now() - from)}`);
  const rest = (ms: number): Promise<void> => page.waitForTimeout(ms);
  await page.getByRole('checkbox', { name: 'Heartbeats' }).check();
  await page.getByRole('slider', { name: 'Step' }).fill('5000');
  await frames(page, 'it plays', async () => { await page.keyboard.press(' '); await rest(6000); await page.keyboard.press(' '); });
  for (let i = 0; i < 4; i++) await page.keyboard.press('+');
  await frames(page, 'it plays, faster', async () => { await page.keyboard.press(' '); await rest(6000); await page.keyboard.press(' '); });
  await page.locator('.list-rows').hover();
  await frames(page, 'its list is scrolled', async () => { for (let i = 0; i < 60; i++) { await page.mouse.wheel(0, 2000); await rest(30); } });
  await page.locator('.dia-surface').hover();
  await frames(page, 'its diagram is scrolled', async () => { for (let i = 0; i < 60; i++) { await page.mouse.wheel(0, 300); await rest(30); } });
  await frames(page, 'it is jumped about', async () => { for (const to of [0, 9000, 17, 5000, 10_000, 300]) { await page.getByRole('slider', { name: 'Step' }).fill(String(to)); await rest(100); } });
  await frames(page, 'a pair is opened', async () => { await page.evaluate(() => { location.hash = '#s=split-brain&beside=bully'; }); await page.locator('.verdict').waitFor(); await shown(page); });
  await frames(page, 'the gallery draws its pictures', async () => { await menu(page, 'Gallery'); await rest(3000); });
}

process.env['BULLY_BUILT'] ??= mkdtempSync(join(tmpdir(), 'bully-bench-'));
const into = process.env['BULLY_BUILT'];
mkdirSync(into, { recursive: true });
try {
  build(into);
  console.log(`${word(current)}; ${loadavg()[0]!.toFixed(1)} programs wanted a processor in the last minute`);
  const { page, close } = await visit({ hash: run({}), init: works });
  await measured(page, await nine(into));
  await close();
} finally {
  await closeBrowsers();
  if (into.startsWith(join(tmpdir(), 'bully-bench-'))) rmSync(into, { recursive: true, force: true });
}
process.exit();
