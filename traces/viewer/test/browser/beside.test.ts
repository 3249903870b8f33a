// The engine runs in a worker, and opens a large trace in another: the page goes on meanwhile. Where workers are refused, the engine in the page opens it.
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { inPage, menu, ready, run, saved, shown, until, type Shown } from './kit';
import { once, seconds } from './built';
import { realEngine } from '../real';
import type { Page } from 'playwright-core';

// many writes a trace of a run of nine nodes, and returns the name of its file: the engine plays it here.
let file: Promise<string> | null = null;
const many = (): Promise<string> => (file ??= write());

async function write(): Promise<string> {
  const engine = await realEngine();
  const run = await engine.begin({ runSpec: 1, algorithm: 'bully', nodes: 9, profile: 'lan', seed: 1, do: [] });
  await engine.next(run.handle, 12_000);
  const { text } = await engine.trace(run.handle);
  return once('nine.ndjson', (into) => writeFileSync(into, text));
}

// beats counts how often the page comes to do something else, and the longest time from one to the next.
const beats = `
  globalThis.beats = { count: 0, longest: 0 };
  { let last = performance.now(); const channel = new MessageChannel(); channel.port1.onmessage = () => setTimeout(() => {
    const now = performance.now(); beats.count++; beats.longest = Math.max(beats.longest, now - last); last = now; channel.port2.postMessage(0); }, 4);
  channel.port2.postMessage(0); }`;

// slow keeps what the second worker says back, that of large files, until the test lets it go: so what the page does meanwhile does not go by how quick a machine is.
const slow = `
  globalThis.held = [];
  { const Real = Worker; let begun = 0; globalThis.Worker = class extends Real {
    #second = begun++ > 0;
    set onmessage(does) { super.onmessage = (event) => { if (this.#second && globalThis.held && !event.data.ready) globalThis.held.push(() => does(event)); else does(event); }; }
  }; }`;

async function choose(page: Page): Promise<void> {
  await menu(page, 'Open');
  await page.locator('dialog input[type=file]').setInputFiles(await many());
}

const started = 'globalThis.started = 0; { const real = WebAssembly.instantiate; WebAssembly.instantiate = (...args) => { globalThis.started++; return real(...args); }; }';

inPage('the engine runs in a worker: the page starts none, and plays', { init: started, small: true }, async (page) => {
  await ready(page);
  await until(page, 'it plays', (now) => now.count > 8);
  await menu(page, 'Gallery');
  await page.locator('.gal-sketch svg').first().waitFor();
  assert.equal(await page.evaluate('globalThis.started'), 0);
});

const nine = (now: Shown): boolean => now.looks.length === 9;

inPage('ten thousand events of nine nodes: the page answers while they are opened', { hash: run({}), init: `${beats}${slow}`, small: true }, async (page, t) => {
  const events = readFileSync(await many(), 'utf8').trim().split('\n').length - 1;
  assert.ok(events >= 10_000, `${events} events`);
  await ready(page);
  await choose(page);
  await page.getByText('Opening nine.ndjson').waitFor();
  await page.waitForFunction(() => ((globalThis as unknown as { held: unknown[] }).held.length > 5)); // the worker has opened it
  const before = await shown(page);
  assert.equal(before.looks.length, 5, 'what was shown is shown still');
  await page.keyboard.press('ArrowRight');
  assert.ok((await shown(page)).count > before.count, 'and goes on');
  await menu(page, 'Gallery');
  await page.keyboard.press('Escape');
  const from = Date.now();
  await page.evaluate(() => {
    const of = globalThis as unknown as { beats: { longest: number }; held: (() => void)[] | null };
    of.beats.longest = 0;
    const all = of.held!;
    of.held = null;
    all.forEach((tell, i) => setTimeout(tell, 0 * i));
  });
  await until(page, 'the trace', nine);
  const { longest } = await page.evaluate(() => (globalThis as unknown as { beats: { longest: number } }).beats);
  t.diagnostic(`${events} events, ${(statSync(await many()).size / 1e6).toFixed(1)} MB: taken in ${seconds(Date.now() - from)}, the page did not answer for ${longest.toFixed(0)} ms at most`);
  assert.equal((await page.getByText('Opening nine.ndjson').count()), 0);
  await page.keyboard.press('End');
  assert.ok((await shown(page)).count >= 10_000);
  await page.keyboard.press('Home');
  const { data } = await saved(page, 'Trace'); // which the worker makes, as it has the trace
  assert.equal(data.toString().trim().split('\n').length, events + 1);
});

inPage('ten thousand events of nine nodes open, and play', { hash: run({}) }, async (page, t) => {
  await ready(page);
  await menu(page, 'Open');
  const from = Date.now();
  await page.locator('dialog input[type=file]').setInputFiles(await many());
  await until(page, 'the trace', nine);
  t.diagnostic(`open after ${seconds(Date.now() - from)}`); // hardly to be asserted: machines may be busy
  const { count } = await shown(page);
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await until(page, 'it plays', (now) => now.count > count + 2);
});

inPage('what is opened meanwhile is what is shown', { hash: run({}), init: slow, small: true }, async (page) => {
  await ready(page);
  await choose(page);
  await page.getByText('Opening nine.ndjson').waitFor();
  await page.evaluate(() => { location.hash = '#g=seven-nodes'; });
  await until(page, 'another trace', (now) => now.looks.length === 7);
  await page.evaluate(() => { const of = globalThis as unknown as { held: (() => void)[] | null }; const all = of.held!; of.held = null; for (const tell of all) tell(); });
  await page.getByText('Opening nine.ndjson').waitFor({ state: 'detached' });
  assert.equal((await shown(page)).looks.length, 7);
});

for (const [name, init] of [
  ['there are none', 'delete globalThis.Worker;'], ['they are refused', 'globalThis.Worker = class { constructor() { throw new DOMException("no", "SecurityError"); } };'],
  ['one dies', 'globalThis.Worker = class { postMessage() { setTimeout(() => this.onerror?.(new Event("error"))); } terminate() {} };'],
] as const) {
  inPage(`without workers, as ${name}: the trace opens all the same`, { hash: run({}), init, small: true }, async (page) => {
    await ready(page);
    await choose(page);
    await until(page, 'the trace', nine);
    assert.equal((await shown(page)).problem, '');
  });
}
