// What a test has started ends with it, however the test ends: a run that is killed (kill -9) can end nothing itself, and Firefox, which has a process
// group of its own, would run on.
import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

// guard ends a process as soon as this one is gone, with its group if it leads one.
export function guard(child: ChildProcess | undefined): void {
  if (child?.pid === undefined || process.platform === 'win32') return;
  // The pipe is closed when this process is gone: nobody else has it. A line of it says that there is nothing to end any more.
  const watch = spawn('/bin/sh', ['-c', 'read -r over && exit; kill -KILL "-$0" 2>/dev/null || kill -KILL "$0" 2>/dev/null', String(child.pid)], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  watch.unref();
  (watch.stdin as Socket).unref();
  watch.stdin.on('error', () => undefined); // it is gone already
  child.once('exit', () => { watch.stdin.end('over\n'); });
}
