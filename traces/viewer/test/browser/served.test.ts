// The page as workbench view serves it: the same page, with the policy of the server, and what is to be opened inside.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, workbench } from './built';
import { guard } from './guard';
import { after, ready, shown, test, until, visit } from './kit';

const running: ChildProcess[] = [];
after(() => { for (const child of running) child.kill('SIGKILL'); });

// serve starts workbench view, and returns the address that it prints.
function serve(...args: string[]): Promise<string> {
  const child = spawn(workbench(), ['view', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  guard(child);
  let said = '';
  return new Promise((done, failed) => {
    const hear = (data: Buffer): void => {
      said += data.toString();
      const address = /http:\/\/[\d.]+:\d+\/?/.exec(said)?.[0];
      if (address) done(address.endsWith('/') ? address : `${address}/`);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('exit', (code) => failed(new Error(`workbench view ended with ${code}: ${said}`)));
  });
}

test('workbench view serves a page that plays, fetches nothing more, and is kept by the browser', async (t) => {
  const url = await serve();
  const seen = await visit({ url, network: (asked) => asked === url });
  await ready(seen.page);
  await until(seen.page, 'it plays', (now) => now.count > 12);
  assert.deepEqual(seen.faults, []);
  assert.deepEqual(seen.requests.filter((asked) => !asked.startsWith('blob:')), [url], 'the page, and nothing else: its worker is within it');
  const answer = await fetch(url);
  const policy = answer.headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'.*connect-src 'none'.*frame-ancestors 'none'/);
  const tag = answer.headers.get('etag');
  assert.ok(tag);
  assert.equal((await fetch(url, { headers: { 'If-None-Match': tag } })).status, 304);

  // What a script within the page would ask for, the policy forbids.
  const leaked = await seen.page.evaluate(() => fetch('/views').then(() => 'fetched', (error: unknown) => String(error)));
  assert.match(leaked, /TypeError/);
  const second = await seen.page.reload();
  assert.ok(second && [200, 304].includes(second.status()));
  t.diagnostic(`policy: ${policy.slice(0, 60)} …`);
  await seen.close();
});

test('workbench view FILE opens the file, and says what is wrong with it', async () => {
  const into = mkdtempSync(join(tmpdir(), 'bully-view-'));
  try {
    const text = readFileSync(join(root, 'traces/valid/seven-nodes.ndjson'), 'utf8');
    writeFileSync(join(into, 'mine.ndjson'), text.split('\n').toSpliced(20, 1, '{"seq": </script><b>').join('\n'));
    const whole = await serve(join(root, 'traces/valid/seven-nodes.ndjson'));
    const good = await visit({ url: whole, network: (asked) => asked === whole });
    const now = await until(good.page, 'seven nodes', ({ looks }) => looks.length === 7);
    assert.equal(now.problem, '');
    assert.deepEqual(good.faults, []);
    await good.close();
    const url = await serve(join(into, 'mine.ndjson'));
    const bad = await visit({ url, network: (asked) => asked === url });
    const broken = await until(bad.page, 'what is wrong', ({ problem }) => problem !== '');
    assert.match(broken.problem, /^Line 21:/);
    assert.equal((await shown(bad.page)).looks.length, 7, 'what comes before that line is shown');
    assert.deepEqual(bad.faults, []);
    await bad.close();
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
});
