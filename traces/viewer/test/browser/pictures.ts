// Takes the pictures of the page that people look at, into testdata: npm run pictures. They are not compared with anything: fonts
// differ from machine to machine.
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { closeBrowsers } from './browsers';
import { build, viewer } from './built';
import { golden, leaders, menu, pick, ready, run, stepUntil, until, visit, type Options } from './page';
import { small } from './small';

const largest = 100_000; // bytes
const into = join(viewer, 'testdata');

const five = 'follows,follows,follows,follows,leads';

interface Picture { name: string; options: Options; to: (page: Page) => Promise<unknown> }

const pictures: Picture[] = [
  { name: 'start', options: {}, to: (page) => until(page, 'the page says that 5 leads', (now) => now.hint.startsWith('5 leads.')) },
  {
    name: 'killed', options: {}, to: async (page) => {
      await until(page, 'the page says that 5 leads', (now) => now.hint.startsWith('5 leads.'));
      await pick(page, 4, 'Kill');
      await until(page, 'the page says that 4 leads', (now) => now.hint.startsWith('Now 4 leads'));
    },
  },
  {
    name: 'textbook-partition', options: { hash: run({ algorithm: 'textbook' }) }, to: async (page) => {
      await stepUntil(page, 'all follow 5', (now) => now.looks.join() === five);
      for (const node of [3, 4]) await page.locator(`.ring-node[data-node="${node}"] [role=button]`).click({ modifiers: ['Shift'] });
      await page.getByRole('button', { name: /off from the rest/ }).click();
      await stepUntil(page, 'two lead', (now) => leaders(now).length === 2);
    },
  },
  { name: 'gallery', options: { hash: golden('failover') }, to: (page) => menu(page, 'Gallery') },
  { name: 'phone', options: { phone: true, hash: run({}) }, to: (page) => stepUntil(page, 'all follow 5', (now) => now.looks.join() === five) },
  { name: 'dark', options: { dark: true, hash: golden('partition-and-heal') }, to: ready },
];

async function take({ name, options, to }: Picture): Promise<void> {
  const seen = await visit(options);
  await ready(seen.page);
  await to(seen.page);
  await seen.page.mouse.move(0, 0);
  const path = join(into, `${name}.png`);
  writeFileSync(path, small(await seen.page.screenshot({ scale: 'css', animations: 'disabled' })));
  await seen.close();
  const size = statSync(path).size;
  console.log(`${path}: ${(size / 1000).toFixed(0)} kB`);
  if (size > largest) throw new Error(`${path} has ${size} bytes: a picture here has at most ${largest}`);
}

const built = process.env['BULLY_BUILT'] ?? mkdtempSync(join(tmpdir(), 'bully-viewer-'));
try {
  const kept = process.env['BULLY_BUILT'] !== undefined;
  process.env['BULLY_BUILT'] = built;
  build(built);
  mkdirSync(into, { recursive: true });
  for (const picture of pictures) await take(picture);
  if (!kept) rmSync(built, { recursive: true, force: true });
} finally {
  await closeBrowsers();
}
