// An engine in a worker: it plays runs and opens files, while the page draws. Long answers go to the page in parts, so that none of them holds the page up.
import type { Frame, Header } from '../types';
import { directly, type Ask } from './calls';
import { start } from './start';
import type { Begin, Question, Said } from './talk';

// Scope is what is used of the world of a worker.
interface Scope { onmessage: ((event: MessageEvent<Begin | Question>) => void) | null; postMessage: (said: Said) => void }

const scope = globalThis as unknown as Scope;
const part = 400; // frames told at once

let engine: Promise<Ask> | null = null;

scope.onmessage = ({ data }) => {
  if (!('program' in data)) { void answer(data); return; }
  engine = begin(data);
  engine.catch((error: unknown) => setTimeout(() => { throw error; })); // so the page hears of it
};

async function begin({ program, env }: Begin): Promise<Ask> {
  const called = await start(program, env);
  scope.postMessage({ ready: true });
  return directly(called);
}

async function answer({ number, method, args }: Question): Promise<void> {
  try {
    const answered = await (await engine!)(method, args);
    scope.postMessage({ number, answer: inParts(number, answered) });
  } catch (error) {
    scope.postMessage({ number, failed: error instanceof Error ? error.message : String(error) });
  }
}

// inParts tells the frames of an answer, if they are many, and returns the rest.
function inParts(number: number, answered: unknown): unknown {
  const { frames, ...rest } = (answered ?? {}) as { frames?: Frame[]; header?: Header };
  if (!frames || frames.length <= part) return answered;
  if (rest.header) scope.postMessage({ number, header: rest.header });
  for (let at = 0; at < frames.length; at += part) scope.postMessage({ number, frames: frames.slice(at, at + part) });
  return rest;
}
