// Runs the tests of files, whose names it is called with, in one process: their browser begins once, and several are under way at once, each in a lane.
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { closeBrowsers, current, inLane, word } from './browsers';

process.env['BULLY_TOGETHER'] = 'yes';
process.stdin.on('end', () => process.exit(1)).resume(); // run.ts is gone: nobody hears how it goes on
(process.stdin as Socket).unref();
const { together } = await import('./kit');
for (const file of process.argv.slice(2)) await import(pathToFileURL(file).href);
const { tests, afters } = together!;
const lanes = Math.max(2, availableParallelism());

test(word(current), { concurrency: lanes }, async (t) => {
  assert.ok(tests.length > 0, 'there are tests');
  const waiting = [...tests];
  const lane = async (number: number): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { name, options, does } = next;
      await t.test(name, options, (one) => inLane.run(number, () => does(one)));
    }
  };
  try {
    await Promise.all(Array.from({ length: lanes }, (_, k) => lane(k)));
  } finally {
    for (const does of afters) await does();
    await closeBrowsers();
  }
});
