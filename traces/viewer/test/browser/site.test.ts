// The page as a folder: it works from the disk, and at any path of a web server, which needs to know nothing of it; and in another page.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { axe, judged } from './accessible';
import { sabotage } from './broken';
import { once, workbench } from './built';
import { browser } from './browsers';
import { after, phone, ready, settled, test, until, visit, type Options } from './kit';

const types: Record<string, string> = { html: 'text/html; charset=utf-8', png: 'image/png' };

// site writes the folder, once.
function site(): string {
  return once('site', (folder) => execFileSync(workbench(), ['view', '-site', folder], { stdio: ['ignore', 'ignore', 'inherit'] }));
}

const servers: Server[] = [];
after(() => { for (const server of servers) server.close(); });

// served is the address of the folder, below some path. Around is another page there, which shows one of the folder within it.
async function served(around = ''): Promise<string> {
  const path = '/some/where/else/';
  const server = createServer((request, answer) => {
    const asked = new URL(request.url!, 'http://a').pathname;
    const file = normalize(join(site(), asked.slice(path.length)));
    if (asked === '/around') answer.setHeader('Content-Type', types['html']!).end(around);
    else if (!asked.startsWith(path) || !file.startsWith(site()) || !existsSync(file) || statSync(file).isDirectory()) answer.writeHead(404).end();
    else answer.setHeader('Content-Type', types[file.split('.').at(-1)!] ?? 'text/plain').end(readFileSync(file));
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  assert.ok(address && typeof address === 'object');
  return `http://127.0.0.1:${address.port}${path}`;
}

// visited opens a page of the folder, does something, and sees that it had no fault and asked for nothing beyond the folder.
async function visited(options: Options & { url: string }, does: (page: Page) => Promise<void>): Promise<void> {
  const base = options.url.replace(/[^/]*$/, '').replace(/(runs|tours)\/$/, '');
  const seen = await visit({ network: (url) => url.startsWith(base), ...options });
  try {
    await does(seen.page);
    assert.deepEqual(seen.faults, []);
  } finally {
    await seen.close();
  }
}

const places: [name: string, at: () => Promise<string>][] = [['from the disk', async () => `${pathToFileURL(site()).href}/`], ['below a path of a web server', () => served()]];

for (const [name, at] of places) {
  test(`${name}: a run of the gallery plays, and a tour begins; each has a page of its own, which leads there`, { timeout: 300_000 }, async () => {
    const base = await at();
    await visited({ url: `${base}index.html`, hash: '#s=split-brain' }, async (page) => {
      await until(page, 'the story', (now) => now.title.includes('lead') && now.looks.length === 5);
      const { count } = await until(page, 'it is there', (now) => now.count > 0);
      await page.getByRole('button', { name: 'Play', exact: true }).click();
      await until(page, 'it plays', (now) => now.count > count + 2);
    });
    await visited({ url: `${base}tours/split-brain.html` }, async (page) => {
      await page.locator('.tour-says').waitFor();
      assert.equal(new URL(page.url()).hash, '#tour=split-brain');
      assert.ok(page.url().startsWith(`${base}index.html`), page.url());
    });
    await visited({ url: `${base}runs/failover.html` }, async (page) => {
      await ready(page);
      assert.equal(new URL(page.url()).hash, '#g=failover');
    });
  });
}

test('what chats show of a link: a title, what it is about, and a picture, in light and in dark', { timeout: 120_000 }, async () => {
  const base = await served();
  const html = await (await fetch(`${base}runs/paused-leader.html`)).text();
  const said = Object.fromEntries([...html.matchAll(/<meta (?:property|name)="([\w:]+)" content="([^"]*)">/g)].map(([, name, content]) => [name!, content!]));
  for (const name of ['og:title', 'og:description', 'og:image', 'og:image:alt', 'description', 'twitter:card']) assert.ok(said[name], name);
  const picture = new URL(said['og:image']!, `${base}runs/`);
  const answer = await fetch(picture);
  assert.equal(answer.headers.get('content-type'), 'image/png');
  // Without its way on, the small page can be read, too.
  const still = html.replace(/<meta http-equiv="refresh"[^>]*>/, '').replaceAll('../index.html', '/some/where/else/index.html').replaceAll('src="', 'src="/some/where/else/runs/');
  const around = await served(still);
  for (const dark of [false, true]) {
    await visited({ url: new URL('/around', around).href, dark }, async (page) => {
      assert.ok(await page.locator('img').evaluate(async (img: HTMLImageElement) => { await img.decode(); return img.naturalWidth === 1200; }));
      await page.evaluate(axe);
      assert.deepEqual((await judged(page, 'a small page')).wrong, []);
    });
    await visited({ url: `${around}index.html`, dark }, async (page) => {
      await ready(page);
      assert.equal(await page.evaluate(() => document.querySelector('meta[property="og:image"]')?.getAttribute('content')), 'index.png');
      assert.ok(await page.evaluate(() => document.querySelector('meta[name=description]')?.getAttribute('content')));
    });
  }
});

// parts are what of an embedded page can be seen.
const parts = (page: Page): Promise<string[]> => page.evaluate(() =>
  [...document.querySelectorAll('#page main > *, #page header, #page .transport, #page .embed-foot > *')].filter((e) => !e.matches('.unseen') && e.getClientRects().length > 0)
    .map((e) => `${e.tagName.toLowerCase()}.${e.className.split(' ').at(-1)}`));

// fits sees that all of an embedded page is in sight, and nothing is cut off.
async function fits(page: Page): Promise<void> {
  await settled(page);
  const room = await page.evaluate(() => ({
    down: document.documentElement.scrollHeight - innerHeight, across: document.documentElement.scrollWidth - innerWidth,
    beyond: [...document.querySelectorAll('.embed-foot > *, .embed-says, .ring-node .ring-body')].filter((e) => { const b = e.getBoundingClientRect(); return b.left < -1 || b.right > innerWidth + 1 || b.bottom > innerHeight + 1; }).length,
  }));
  assert.deepEqual({ ...room, down: Math.max(0, room.down), across: Math.max(0, room.across) }, { down: 0, across: 0, beyond: 0 });
}

for (const [name, options] of [['on a desk', {}], ['on a phone', { phone: true }], ['on a phone, dark', { phone: true, dark: true }]] as const) {
  test(`embedded, ${name}: the picture, play, a line and a link, and no more; a tour too`, { timeout: 300_000 }, async () => {
    const url = `${pathToFileURL(site()).href}/index.html`;
    await visited({ url, hash: '#embed&s=split-brain', ...options }, async (page) => {
      await ready(page);
      assert.deepEqual(await parts(page), ['div.ring', 'div.embed-foot', 'button.embed-play', 'p.embed-line', 'a.embed-link']);
      await fits(page);
      const line = await page.locator('.embed-line').innerText();
      assert.match(line, /hold|broken|now/i);
      const before = await page.locator('.ring-picture').innerHTML();
      await page.getByRole('button', { name: 'Play' }).click();
      await page.waitForFunction((was) => document.querySelector('.ring-picture')!.innerHTML !== was, before);
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.keyboard.press('End');
      await page.keyboard.press('k'); // nothing can be done to it
      assert.equal(await page.locator('.ring-deed').count(), 0);
      await page.locator('.ring-node[data-node="0"] [role=button]').click();
      assert.equal(await page.getByRole('menu').count(), 0);
      assert.equal(await page.locator('.embed-link').getAttribute('href'), `${url}#s=split-brain`);
      await page.evaluate(axe);
      assert.deepEqual((await judged(page, name)).wrong, []);
    });
    await visited({ url: `${url}?embed`, hash: '#tour=split-brain', ...options }, async (page) => {
      await page.getByRole('button', { name: 'Next', exact: true }).waitFor();
      assert.deepEqual(await parts(page), ['div.ring', 'p.embed-says', 'div.embed-foot', 'button.embed-play', 'p.embed-line', 'a.embed-link']);
      await fits(page);
      const said = new Set<string>();
      for (let i = 0; i < 40 && (await page.getByRole('button', { name: 'Again' }).count()) === 0; i++) {
        said.add(await page.locator('.embed-says').innerText());
        await page.getByRole('button', { name: /Next|Stop|Again/ }).click();
        await page.waitForFunction(() => !document.querySelector('.embed-says')?.textContent?.startsWith('Watch'), undefined, { polling: 50 });
      }
      assert.ok(said.size > 3, `${said.size} sentences`);
      assert.equal(await page.locator('.embed-link').getAttribute('href'), `${url}#tour=split-brain`);
      await page.evaluate(axe);
      assert.deepEqual((await judged(page, name)).wrong, []);
    });
    await visited({ url, hash: '#embed&s=split-brain&beside=bully', ...options }, async (page) => {
      await page.locator('.embed .verdict').waitFor();
      await fits(page);
    });
  });
}

test('a page of somebody else has it within, as Share says, and keeps its focus', { timeout: 300_000 }, async () => {
  const url = await served();
  let frame = '';
  await visited({ url: `${url}index.html`, hash: '#g=failover' }, async (page) => {
    await ready(page);
    await page.getByRole('navigation', { name: 'Runs and files' }).getByRole('button', { name: 'Share' }).click();
    await page.getByText('Put it into a page').click();
    frame = await page.getByLabel('HTML for another page').inputValue();
    assert.match(frame, /^<iframe src="http:[^"]+#embed&amp;g=failover&amp;at=\d+" title="[^"]+"/);
  });
  const around = await served(`<!doctype html><html lang="en"><title>Around</title><input autofocus>${frame.replace(/src="[^"]*index/, 'src="/some/where/else/index').replace('g=failover', 'tour=failover').replace(/&amp;at=\d+/, '')}`);
  const one = await browser({ dark: false, still: false, touch: false });
  const context = await one.newContext({ viewport: phone });
  try {
    const broken = sabotage();
    if (broken) await context.addInitScript(broken);
    const page = await context.newPage();
    await page.goto(new URL('/around', around).href);
    const within = page.frameLocator('iframe');
    await within.locator('.embed-says').waitFor();
    await within.getByRole('button', { name: 'Next' }).waitFor({ timeout: 60_000 });
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'INPUT');
    assert.equal(await page.frames().at(-1)!.evaluate(() => document.activeElement?.tagName), 'BODY', 'within, nothing has taken it');
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it is no wider than the phone');
  } finally {
    await context.close();
  }
});
