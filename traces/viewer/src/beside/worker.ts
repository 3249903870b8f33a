// An engine of its own, in a worker: it opens large files, while the page goes on. Its answers go to the page in parts, so that none of them holds the page up.
import { start } from '../engine';
import type { Engine } from '../types';
import type { Asked, Said } from './talk';

// Scope is what is used of the world of a worker.
interface Scope { onmessage: ((event: MessageEvent<Asked>) => void) | null; postMessage: (said: Said) => void }

const scope = globalThis as unknown as Scope;
const part = 400; // frames told at once

// A large file makes a lot of garbage, and nothing else runs while that is collected: to do so rarely takes a third of the time off. Within a gigabyte, that is.
const seldom = { GOGC: '1000', GOMEMLIMIT: '1GiB' };

let engine: Promise<Engine> | null = null;

scope.onmessage = ({ data }) => {
  if ('program' in data) engine = start(data.program, seldom);
  else void answer(data);
};

async function answer(asked: Exclude<Asked, { program: WebAssembly.Module }>): Promise<void> {
  const { number } = asked;
  try {
    const by = await engine!;
    switch (asked.what) {
      case 'open': {
        const { frames, ...opened } = by.open(asked.text, asked.name);
        scope.postMessage({ number, header: opened.header });
        for (let at = 0; at < frames.length; at += part) scope.postMessage({ number, frames: frames.slice(at, at + part) });
        scope.postMessage({ number, opened });
        break;
      }
      case 'close': by.close(asked.handle); break;
      default: scope.postMessage({ number, exported: by[asked.what](asked.handle) });
    }
  } catch (error) {
    scope.postMessage({ number, failed: String(error) });
  }
}
