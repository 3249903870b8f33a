// Files are opened by drop, paste and choice; a broken one says which line is wrong, and why.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root, workbench } from './built';
import { golden, inPage, leaders, menu, pick, ready, shown, stepUntil, until } from './kit';

const trace = (name: string): string => readFileSync(join(root, 'traces/valid', `${name}.ndjson`), 'utf8');

// drop drops a file on the page.
async function drop(page: Page, name: string, text: string): Promise<void> {
  const what = await page.evaluateHandle(([called, has]) => {
    const data = new DataTransfer();
    data.items.add(new File([has!], called!));
    return data;
  }, [name, text]);
  for (const event of ['dragenter', 'dragover', 'drop']) await page.dispatchEvent('body', event, { dataTransfer: what });
}

// paste pastes a text.
function paste(page: Page, text: string): Promise<void> {
  return page.evaluate((has) => {
    const data = new DataTransfer();
    data.setData('text/plain', has);
    const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true });
    Object.defineProperty(event, 'clipboardData', { value: data }); // Firefox takes none from a script
    document.body.dispatchEvent(event);
  }, text);
}

inPage('a file is opened by drop, by paste, and by choice', {}, async (page) => {
  await ready(page);
  await drop(page, 'hand-over.ndjson', trace('hand-over'));
  const dropped = await until(page, 'what was dropped', (now) => /hand.over/i.test(now.title));
  assert.ok(dropped.count > 0);
  await paste(page, trace('seven-nodes'));
  await until(page, 'what was pasted', (now) => now.looks.length === 7);
  await menu(page, 'Open');
  await page.locator('dialog input[type=file]').setInputFiles(join(root, 'traces/valid/uuids.ndjson'));
  await until(page, 'what was chosen', (now) => /uuids/i.test(now.title));
  assert.equal(await page.locator('.drop').count(), 0);
});

const lines = (change: (all: string[]) => string[]): string => change(trace('failover').trimEnd().split('\n')).join('\n');
const broken: [what: string, text: string, line: number | null, why: RegExp][] = [
  ['no JSON in a line', lines((all) => all.with(11, '{"seq":')), 12, /JSON|unexpected|end/i],
  ['a line is missing', lines((all) => all.toSpliced(14, 1)), 15, /seq|gap|numbered/i],
  ['an unknown node', lines((all) => all.with(9, all[9]!.replace(/"node":"?\d+"?/, '"node":99'))), 10, /99/],
  ['no trace at all', 'Dear all,\nthis is a letter.\n', 1, /nothing that is known/],
  ['empty', '', null, /empty/],
  ['a recording with a bad frame', '{"recording":1,"title":"x","source":"trace","nodes":["1"],"timed":false}\n{"at":0,"kind":"dance","node":0,"text":"x"}\n', 2, /dance|kind/],
];

inPage('a broken file says which line is wrong, and why; the page goes on', { hash: golden('failover') }, async (page) => {
  await ready(page);
  for (const [what, text, line, why] of broken) {
    await drop(page, 'broken.ndjson', text);
    const now = await until(page, `a problem: ${what}`, ({ problem }) => problem !== '');
    if (line !== null) assert.match(now.problem, new RegExp(`^Line ${line}:`), what);
    assert.match(now.problem, why, what);
    if (line !== null) assert.ok((await page.locator('.problem-line').innerText()).startsWith(`${line} `), `${what}: the line itself is shown`);
    await page.keyboard.press('Home');
    assert.equal((await shown(page)).count, 0);
    await page.keyboard.press('ArrowRight');
    assert.ok((await shown(page)).count > 0, `${what}: the page goes on`);
    await page.getByRole('button', { name: 'Close this notice' }).click();
  }
  await drop(page, 'failover.ndjson', trace('failover'));
  const whole = await until(page, 'a whole file after the broken ones', ({ title, problem }) => /failover/i.test(title) && problem === '');
  assert.equal(whole.indicators['Rules'], 'green');
});

// violating checks that a counterexample is open at a step that breaks a property.
async function violating(page: Page, name: string): Promise<string> {
  const now = await until(page, `${name} is open, and an indicator is red`, ({ indicators, problem }) => problem !== '' || Object.values(indicators).includes('red'));
  assert.equal(now.problem, '', name);
  const red = Object.keys(now.indicators).filter((indicator) => now.indicators[indicator] === 'red');
  await page.keyboard.press('ArrowLeft');
  const before = await shown(page);
  const here = red.filter((indicator) => before.indicators[indicator] !== 'red'); // a step that no rule allows may come long before
  assert.ok(here.length > 0, `${name}: of ${red.join(', ')} none went red at the step that is shown`);
  return `${name}: ${here.join(', ')} at step ${now.count} of ${now.seen}`;
}

const tlc = join(root, 'impl/internal/engine/testdata/tlc');
for (const name of readdirSync(tlc)) {
  inPage(`what a model checker prints opens at the step that breaks a property: ${name}`, {}, async (page, t) => {
    await ready(page);
    await drop(page, name, readFileSync(join(tlc, name), 'utf8'));
    await until(page, 'another recording than the run of the beginning', ({ title, problem }) => problem !== '' || !title.startsWith('5 nodes'));
    t.diagnostic(await violating(page, name));
  });
}

inPage('what the explorer finds, as workbench check -recording writes it, opens there, too', {}, async (page, t) => {
  const into = mkdtempSync(join(tmpdir(), 'bully-recording-'));
  try {
    execFileSync(workbench(), ['check', '-config', 'ClusterGrantsTwice', '-recording', join(into, 'found.recording.ndjson')], { cwd: root, stdio: 'pipe' });
    await ready(page);
    await drop(page, 'found.recording.ndjson', readFileSync(join(into, 'found.recording.ndjson'), 'utf8'));
    await until(page, 'another recording than the run of the beginning', ({ title, problem }) => problem !== '' || !title.startsWith('5 nodes'));
    t.diagnostic(await violating(page, 'ClusterGrantsTwice'));
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
});

inPage('a run that was saved as a recording is opened, and cannot be intervened in', {}, async (page) => {
  await ready(page);
  await page.keyboard.press(' ');
  await stepUntil(page, '5 leads', (now) => leaders(now).includes(4));
  await pick(page, 4, 'Look at its state');
  assert.match(await page.locator('.panel').innerText(), /Its state/);
  await drop(page, 'failover.ndjson', trace('failover'));
  await until(page, 'a trace', (now) => /failover/i.test(now.title));
  await page.locator('.ring-node[data-node="1"] [role=button]').click();
  assert.equal(await page.getByRole('menu').count(), 0, 'what has happened cannot be changed');
  assert.match(await page.locator('.panel').innerText(), /Its state/);
});

// killed returns a golden trace as it is if a node was killed, and nobody was left to write that: without its Crash.
function killed(name: string): string {
  const [header, ...events] = trace(name).trimEnd().split('\n');
  const crash = events.findIndex((line) => line.includes('"action":"Crash"'));
  return [header, ...events.toSpliced(crash, 1).map((line, k) => line.replace(/^{"seq":\d+/, `{"seq":${k + 1}`))].join('\n') + '\n';
}

inPage('a leader whose record just ends is heard no more, and no leader for ever', {}, async (page) => {
  await ready(page);
  await drop(page, 'killed.ndjson', killed('five-nodes-5-crashes-3-detects'));
  await until(page, 'the trace', (now) => /killed/i.test(now.title));
  await page.keyboard.press('End');
  const now = await until(page, 'its end', ({ count, seen }) => count === seen);
  assert.deepEqual(leaders(now), [3], 'only the next leads');
  assert.equal(now.indicators['OneActing'], 'green');
  assert.match(await page.locator('.ring-node[data-node="4"][data-unheard] [role=button]').getAttribute('aria-label') ?? '', /^node 5: heard no more from event \d+ on/);
  assert.equal(await page.locator('.ring-node[data-node="4"] :is(.ring-crown, .ring-cross)').count(), 0, 'nobody can tell that it is down');
  assert.equal(await page.locator('.ring-none').innerText(), 'A trace does not say what leaders write, so the picture has no resource.');
});
