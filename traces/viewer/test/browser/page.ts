// A page that is watched, and words for what people do with it and see on it. A page is
// watched for errors, and for whatever it asks of the network: the page as a file asks for nothing.
import assert from 'node:assert/strict';
import { deflateRawSync } from 'node:zlib';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { RunSpec } from '../../src/types';
import { sabotage } from './broken';
import { browser, current, patience } from './browsers';
import { pageURL } from './built';
import { download, type Saved } from './download';

// Options are how a page is visited. Size is of a desk unless it says else.
export interface Options {
  url?: string; hash?: string; dark?: boolean; phone?: boolean; still?: boolean;
  small?: boolean;               // a small window, which takes less to paint: for tests that go through much
  init?: string;                 // runs before all else
  may?: RegExp;                  // errors that are as they should be
  network?: (url: string) => boolean; // what may be asked of the network
}

export const desk = { width: 1280, height: 800 };
const window = { width: 820, height: 640 };
export const phone = { width: 390, height: 844 };

// Visit is a page, and what was heard of it.
export interface Visit { page: Page; faults: string[]; requests: string[] }

export async function visit(options: Options = {}): Promise<Visit & { close: () => Promise<void> }> {
  const how: BrowserContextOptions = {
    viewport: options.phone ? phone : options.small ? window : desk, colorScheme: options.dark ? 'dark' : 'light', acceptDownloads: true,
    reducedMotion: options.still ? 'reduce' : 'no-preference', ...(options.phone && { hasTouch: true, deviceScaleFactor: 2, ...(current === 'chromium' && { isMobile: true }) }),
  };
  const one = await browser({ dark: options.dark === true, still: options.still === true, touch: options.phone === true });
  const context = await one.newContext(how);
  context.setDefaultTimeout(patience / 2);
  context.setDefaultNavigationTimeout(patience);
  await context.addInitScript('globalThis.__name = (f) => f'); // tsx leaves calls of it in functions that run in the page
  if (options.init) await context.addInitScript(options.init);
  const broken = sabotage();
  if (broken) await context.addInitScript(broken);
  const page = await context.newPage();
  settles(page);
  const seen: Visit = { page, faults: [], requests: [] };
  watch(seen, options);
  await page.goto((options.url ?? pageURL()) + (options.hash ?? ''));
  return { ...seen, close: () => context.close() };
}

// settles lets each click and each key have done what it does, which the engine may be asked for, before a test looks at the page; and a pointer find all
// where it stays.
function settles(page: Page): void {
  const press = page.keyboard.press.bind(page.keyboard);
  page.keyboard.press = async (...key) => {
    await press(...key);
    await answered(page);
  };
  const locators = Object.getPrototypeOf(page.locator('html')) as Locator & { settle?: true };
  if (locators.settle) return; // all pages have this one
  locators.settle = true;
  for (const act of ['click', 'dblclick', 'tap', 'press', 'fill', 'check', 'uncheck', 'selectOption'] as const) {
    const does = locators[act] as (this: Locator, ...how: unknown[]) => Promise<unknown>;
    Object.assign(locators, {
      async [act](this: Locator, ...how: unknown[]) {
        const done = await does.apply(this, how);
        await answered(this.page());
        return done;
      },
    });
  }
  // What moves while the page is drawn is left by a pointer that stands still; and what a pointer brings has its place once it is drawn.
  const hover = locators.hover as (this: Locator, ...how: unknown[]) => Promise<void>;
  Object.assign(locators, {
    async hover(this: Locator, ...how: unknown[]) {
      await settled(this.page());
      await hover.apply(this, how);
      await settled(this.page());
    },
  });
}

// answered waits until the engine has answered, unless what was done has led to another page.
const answered = (page: Page): Promise<unknown> => page.evaluate(idle).catch(() => undefined);

function watch({ page, faults, requests }: Visit, { may, network }: Options): void {
  page.on('pageerror', (error) => { if (!may?.test(error.message)) faults.push(`error: ${error.message}`); }); // Firefox tells so of a node that is down
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !may?.test(message.text())) faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    requests.push(url);
    const own = request.isNavigationRequest() && url.startsWith('file:') || url.startsWith('blob:') || url.startsWith('data:');
    if (!own && !network?.(url)) faults.push(`asked the network for ${url}`);
  });
}

// --- Links ---

const packed = (what: unknown): string => deflateRawSync(JSON.stringify(what)).toString('base64url');

// run returns the link of a run, which begins when its nodes have started.
export function run(runSpec: Partial<RunSpec>, at?: number): string {
  return `#r=${packed({ runSpec: 1, algorithm: 'bully', nodes: 5, profile: 'lan', seed: 1, do: [], ...runSpec })}${at === undefined ? '' : `&at=${at}`}`;
}

export const golden = (name: string, at?: number): string => `#g=${name}${at === undefined ? '' : `&at=${at}`}`;
export const file = (name: string, text: string): string => `#f=${packed([name, text])}`;

// --- What is seen ---

// ready waits until there is something to see.
export async function ready(page: Page): Promise<void> {
  await page.locator('.ring-node').first().waitFor();
}

// Shown is what a page shows, as far as tests ask.
export interface Shown {
  title: string; count: number; seen: number; more: boolean; looks: string[]; indicators: Record<string, string>; was: string[]; atEnd: boolean;
  caption: string; hint: string; problem: string; quiet: boolean;
}

// look is what runs in the page to find that out.
function look(): Shown {
  const text = (of: string) => document.querySelector(of)?.textContent?.trim() ?? '';
  const [count, seen] = text('.tr-count').split('/').map((part) => parseInt(part, 10));
  const looks: string[] = [];
  document.querySelectorAll('.ring-node[data-node]').forEach((node) => { looks[Number(node.getAttribute('data-node'))] = node.getAttribute('data-look') ?? ''; });
  const indicators: Record<string, string> = {};
  document.querySelectorAll('[data-indicator]').forEach((indicator) => { indicators[indicator.getAttribute('data-indicator') ?? ''] = indicator.getAttribute('data-light') ?? ''; });
  const was = [...document.querySelectorAll('[data-indicator][data-was]')].map((indicator) => indicator.getAttribute('data-indicator') ?? '');
  return {
    title: text('.heading h2'), count: count ?? NaN, seen: seen ?? NaN, more: text('.tr-count').includes('…'), looks, indicators, was,
    atEnd: document.querySelector<HTMLButtonElement>('[aria-label^="A step on"]')?.disabled ?? true,
    caption: text('.tr-caption'), hint: text('.hint'), problem: text('[role=alert]'), quiet: text('.tr-passing').includes('Nothing but heartbeats'),
  };
}

// idle waits, in the page, until its engine has answered all that it was asked.
export const idle = `(async () => { while (document.documentElement.hasAttribute('data-busy')) await new Promise((done) => setTimeout(done)); })()`;

export async function shown(page: Page): Promise<Shown> {
  await page.evaluate(idle);
  return page.evaluate(look);
}

// leaders returns the places of those that lead.
export function leaders(now: Shown): number[] { return now.looks.flatMap((look, node) => (look === 'leads' ? [node] : [])); }

// until waits until the page shows what is wanted, and returns that.
export async function until(page: Page, what: string, wanted: (now: Shown) => boolean, limit = patience): Promise<Shown> {
  const end = Date.now() + limit;
  for (;;) {
    const now = await shown(page);
    if (wanted(now)) return now;
    if (Date.now() > end) assert.fail(`waited ${limit / 1000} s in vain for this: ${what}. The page shows ${JSON.stringify(now)}`);
    await page.waitForTimeout(30);
  }
}

// --- What people do ---

// settled waits until the page has drawn what it was asked for.
export async function settled(page: Page): Promise<void> {
  await page.evaluate(idle);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))));
}

// stepUntil steps on until the page shows what is wanted, and returns that.
export async function stepUntil(page: Page, what: string, wanted: (now: Shown) => boolean, most = 400): Promise<Shown> {
  for (let i = 0; i <= most; i++) {
    const now = await shown(page);
    if (wanted(now)) return now;
    if (now.atEnd || now.quiet) assert.fail(`the run is over, and this was not seen: ${what}. The page shows ${JSON.stringify(now)}`);
    await page.keyboard.press('ArrowRight');
  }
  assert.fail(`${most} steps, and this was not seen: ${what}. The page shows ${JSON.stringify(await shown(page))}`);
}

// toEnd steps to the end of what is shown, ten steps at a time, and returns all that was seen on the way. The keys are pressed by
// a script, as they are many: so many for each look, as what costs is to paint what is looked at.
export async function toEnd(page: Page, keys = 1, most = 1000): Promise<Shown[]> {
  const all = await page.evaluate(`(async () => {
    const look = ${look.toString()};
    await ${idle};
    const all = [look()];
    while (!all.at(-1).atEnd && all.length < ${most}) {
      for (let key = 0; key < ${keys}; key++) {
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', shiftKey: true, bubbles: true, cancelable: true }));
        if (document.documentElement.hasAttribute('data-busy')) await ${idle};
      }
      await new Promise((drawn) => setTimeout(drawn));
      await ${idle};
      all.push(look());
    }
    return all;
  })()`) as Shown[];
  assert.ok(all.at(-1)!.atEnd, `it does not end within ${most * 10} steps: ${JSON.stringify(all.at(-1))}`);
  return all;
}

// pick clicks a line of the menu of a node.
export async function pick(page: Page, node: number, line: string): Promise<void> {
  await page.locator(`.ring-node[data-node="${node}"] [role=button]`).click();
  await page.getByRole('menuitem', { name: line }).first().click();
  await page.evaluate(idle);
}

// middle returns where on the screen a node is, once all that was done is drawn: that may have moved it.
export async function middle(page: Page, node: number): Promise<{ x: number; y: number }> {
  await settled(page);
  const box = await page.locator(`.ring-node[data-node="${node}"] [role=button]`).boundingBox();
  assert.ok(box, `node ${node} is on the ring`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

// dragBetween drags from one node to another.
export async function dragBetween(page: Page, from: number, to: number): Promise<void> {
  const [a, b] = [await middle(page, from), await middle(page, to)];
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  await page.mouse.move((a.x + b.x) / 2, (a.y + b.y) / 2, { steps: 3 });
  await page.mouse.move(b.x, b.y, { steps: 3 });
  await page.mouse.up();
  await settled(page);
}

// menu opens a dialog of the bar at the top.
export async function menu(page: Page, word: string): Promise<void> {
  await page.evaluate(idle);
  await page.getByRole('navigation', { name: 'Runs and files' }).getByRole('button', { name: word }).click();
  await page.locator('dialog[open]').waitFor();
}

// saved exports what is shown, and returns what was saved.
export async function saved(page: Page, word: string): Promise<Saved> {
  await menu(page, 'Export');
  return download(page, () => page.locator('dialog').getByRole('button', { name: word }).click());
}

// frames returns all frames that the page has, as it saves them.
export async function frames(page: Page): Promise<string[]> {
  const { data } = await saved(page, 'Recording');
  return data.toString().trimEnd().split('\n').slice(1);
}
