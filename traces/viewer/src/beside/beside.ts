// The engine in a worker, as the page asks it. Large files are opened there: it takes seconds, and the page answers meanwhile. What is quick, as a step of a run,
// is asked of the engine in the page. Handles of the worker are negative here. Where workers are refused, the engine in the page does all.
import { Recording } from '../recording';
import type { Exported, Opened } from '../types';
import type { Asked, Said } from './talk';

// large is from how many characters on a text is opened in the worker: below, that is not worth the start of one.
export const large = 400_000;

// Made is a file that was opened: as the engine answers, but for the frames, which are in the recording.
export interface Made { opened: Opened; recording: Recording }

interface Waiting { recording: Recording | null; done: (said: Made | Exported | null) => void }

let program: WebAssembly.Module | null = null;
let worker: Worker | null = null;
let refused = false;
let numbers = 0;
const waiting = new Map<number, Waiting>();

// provide says which engine a worker starts: that of the page, compiled.
export function provide(compiled: WebAssembly.Module | null): void { program = compiled; }

// openBeside opens a text in the worker; null if there is none, or it fails.
export function openBeside(text: string, name: string): Promise<Made | null> {
  return ask({ what: 'open', text, name }) as Promise<Made | null>;
}

// exportBeside makes an export of what is open in the worker.
export async function exportBeside(what: 'trace' | 'testCase', handle: number): Promise<Exported> {
  return (await ask({ what, handle: -handle }) as Exported | null) ?? { name: '', text: '', problem: { problem: 'The engine does not answer: load the page again.' } };
}

// closeBeside gives back what is open in the worker.
export function closeBeside(handle: number): void {
  if (worker) tell(worker, { number: ++numbers, what: 'close', handle: -handle });
}

type Question = Exclude<Asked, { program: WebAssembly.Module }>;
type Unnumbered = Question extends infer Q ? Q extends Question ? Omit<Q, 'number'> : never : never;

function ask(question: Unnumbered): Promise<Made | Exported | null> {
  const to = begun();
  if (!to) return Promise.resolve(null);
  const number = ++numbers;
  return new Promise((done) => {
    waiting.set(number, { recording: null, done });
    tell(to, { ...question, number } as Asked);
  });
}

function tell(to: Worker, what: Asked): void { to.postMessage(what); }

// begun returns the worker, which begins when it is wanted first; null if the browser, or the policy of a page around, refuses one.
function begun(): Worker | null {
  const text = document.getElementById('worker')?.textContent?.trim();
  if (worker || refused || !program || !text) return worker;
  const address = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  try {
    worker = new Worker(address);
    worker.onmessage = ({ data }: MessageEvent<Said>) => hear(data);
    worker.onerror = refuse;
    worker.onmessageerror = refuse;
    tell(worker, { program });
  } catch {
    refuse();
  }
  return worker;
}

// refuse gives the worker up, for good: whoever waits for it is told, and asks the engine in the page.
function refuse(): void {
  worker?.terminate();
  worker = null;
  refused = true;
  const all = [...waiting.values()];
  waiting.clear();
  for (const { done } of all) done(null);
}

function hear(said: Said): void {
  const of = waiting.get(said.number);
  if (!of) return;
  if ('header' in said) of.recording = new Recording(said.header);
  else if ('frames' in said) of.recording?.add(said.frames);
  else {
    waiting.delete(said.number);
    if ('failed' in said) of.done(null);
    else if ('exported' in said) of.done(said.exported);
    else of.done(of.recording && { opened: { ...said.opened, handle: -said.opened.handle, frames: of.recording.frames }, recording: of.recording });
  }
}
