// What is saved is whole: the checkers read the trace, programs read the pictures.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bully } from './built';
import { inPage, patience, pick, ready, run, saved, shown, stepUntil, until, visit } from './kit';

inPage('a run is saved as trace, recording, test case, SVG and PNG', { hash: run({ seed: 3 }) }, async (page, t) => {
  const into = mkdtempSync(join(tmpdir(), 'bully-saved-'));
  try {
    await ready(page);
    await stepUntil(page, '5 leads', (now) => now.looks[4] === 'leads');
    await pick(page, 4, 'Kill');
    const now = await stepUntil(page, '4 leads', (next) => next.looks[3] === 'leads');

    const trace = await saved(page, 'Trace');
    const file = join(into, 'saved.ndjson');
    writeFileSync(file, trace.data);
    const said = execFileSync(bully(), ['trace', 'check', file], { encoding: 'utf8' });
    t.diagnostic(`bully trace check: ${said.trim().split('\n').at(-1)}`);
    assert.ok(trace.data.toString().split('\n').length > 30, 'it has many steps');

    const recording = await saved(page, 'Recording');
    const lines = recording.data.toString().trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.equal(lines[0]!['recording'], 1);
    assert.ok(lines.length > now.count);
    const other = await visit({});
    await ready(other.page);
    await other.page.getByRole('button', { name: 'Open', exact: true }).click();
    await other.page.locator('dialog input[type=file]').setInputFiles({ name: recording.name, mimeType: 'application/x-ndjson', buffer: recording.data });
    await until(other.page, 'the recording in another page', ({ seen, more, problem }) => (seen === lines.length - 1 && !more) || problem !== '');
    assert.equal((await shown(other.page)).problem, '');
    assert.deepEqual(other.faults, []);
    await other.close();

    const testCase = await saved(page, 'Test case');
    assert.ok(testCase.data.length > 100, 'the test case has something in it');
    assert.match(testCase.data.toString(), /crash/i, 'it has what was done');

    const svg = await saved(page, 'Diagram, SVG');
    const [error, arrows, text] = await page.evaluate((source) => {
      const parsed = new DOMParser().parseFromString(source, 'image/svg+xml');
      return [parsed.querySelector('parsererror')?.textContent ?? '', parsed.querySelectorAll('path, line').length, parsed.documentElement.textContent ?? ''] as const;
    }, svg.data.toString());
    assert.equal(error, '');
    assert.ok(arrows > 20, `${arrows} lines`);
    assert.match(text, /5 nodes/);

    const png = await saved(page, 'Diagram, PNG');
    assert.equal(png.data.subarray(0, 8).toString('hex'), '89504e470d0a1a0a');
    assert.ok(png.data.readUInt32BE(16) > 500 && png.data.readUInt32BE(20) > 500, 'it has pixels');
    t.diagnostic([trace, recording, testCase, svg, png].map(({ name, data }) => `${name} ${(data.length / 1000).toFixed(0)} kB`).join(', '));
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
});

// moments returns what a film shows at each of its steps: which nodes are what, and the words beside each.
const moments = `(() => {
  const film = document.documentElement;
  film.pauseAnimations();
  const visible = (element) => { for (let e = element; e !== film; e = e.parentElement) if (getComputedStyle(e).opacity === '0') return false; return true; };
  const steps = [...document.querySelectorAll('[data-step]')];
  const long = parseFloat(document.querySelector('animate').getAttribute('dur')) / 1000;
  const all = {};
  for (let time = 0.001; time < long; time += 0.05) {
    film.setCurrentTime(time);
    const step = steps.filter(visible).map((e) => e.getAttribute('data-step'));
    if (step.length !== 1) throw new Error(step.length + ' steps at ' + time);
    all[step[0]] ??= [...document.querySelectorAll('[data-node]')].filter(visible).map((e) => [e.getAttribute('data-look'), e.getAttribute('data-words')]);
  }
  return all;
})()`;

inPage('a film plays in an image, and shows at each of its steps the nodes and roles that the page shows there', { hash: run({ seed: 3 }), small: true }, async (page, t) => {
  const into = mkdtempSync(join(tmpdir(), 'bully-film-'));
  try {
    await ready(page);
    await stepUntil(page, '5 leads', (now) => now.looks[4] === 'leads');
    await pick(page, 4, 'Kill');
    await stepUntil(page, '4 leads', (next) => next.looks[3] === 'leads');
    await page.keyboard.press('Home');
    const film = await saved(page, 'Film, SVG');
    assert.match(film.name, /\.film\.svg$/);
    writeFileSync(join(into, 'film.svg'), film.data);
    writeFileSync(join(into, 'around.html'), '<!doctype html><title>A page with a film</title><img src="film.svg" alt="A film">');
    const alone = await visit({ url: pathToFileURL(join(into, 'film.svg')).href });
    const told = await alone.page.evaluate(moments) as Record<string, [string, string][]>;
    await alone.close();
    const steps = Object.keys(told).map(Number);
    assert.ok(steps.length > 20, `${steps.length} steps`);
    let compared = 0;
    for (const [place, step] of steps.entries()) {
      await page.getByRole('slider', { name: 'Step' }).fill(String(place));
      const now = await shown(page);
      assert.equal(now.count, step);
      assert.deepEqual(told[step]!.map(([look]) => look), now.looks, `step ${step}`);
      const roles = await page.locator('.ring-node[data-node]').evaluateAll((nodes) => nodes.map((node) => node.querySelector('.ring-role')?.textContent ?? ''));
      compared += roles.filter(Boolean).length; // the page has no word beside a node where it has no room
      assert.deepEqual(told[step]!.map(([, words], node) => (roles[node] ? words.split(' | ')[0] : '')), roles, `step ${step}`);
    }
    assert.ok(compared > 3 * steps.length, `${compared} roles`);
    const image = await visit({ url: pathToFileURL(join(into, 'around.html')).href, network: (url) => url.endsWith('film.svg') });
    const pictures = new Set<string>();
    for (const end = Date.now() + patience; pictures.size < 3;) {
      pictures.add((await image.page.locator('img').screenshot()).toString('base64'));
      assert.ok(Date.now() < end, 'the film stands still');
    }
    assert.deepEqual(image.faults, []);
    await image.close();
    t.diagnostic(`${film.name}: ${(film.data.length / 1000).toFixed(0)} kB, ${steps.length} steps`);
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
});
