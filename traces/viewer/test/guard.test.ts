// What tests start ends with them.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

const guardFile = fileURLToPath(new URL('./browser/guard.ts', import.meta.url));

// begun starts a process that starts one in a group of its own, as browsers are, and guards it; both have the same standard output.
function begun(): ReturnType<typeof spawn> {
  const script = `
    const { guard } = await import(${JSON.stringify(guardFile)});
    const { spawn } = await import('node:child_process');
    const child = spawn('sh', ['-c', 'sleep 600'], { detached: true, stdio: ['ignore', 1, 'ignore'] });
    guard(child);
    console.log('guarded');
    setInterval(() => undefined, 1000);`;
  return spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
}

test('who is guarded ends when its test is killed, with its group', { timeout: 120_000 }, async () => {
  const run = begun();
  run.stdout!.setEncoding('utf8');
  const [said] = await once(run.stdout!, 'data') as [string];
  assert.equal(said, 'guarded\n');
  run.stdout!.resume();
  const over = once(run.stdout!, 'close'); // once nobody has it any more: neither the test, nor what it started
  run.kill('SIGKILL');
  await over;
});
