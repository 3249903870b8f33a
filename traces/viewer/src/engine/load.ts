// The engine, as the page has it: it lies in the page, packed, nothing is fetched, and it runs in a worker. Large files are opened in a second worker, as that takes
// seconds, and a run goes on meanwhile. Where workers are refused, by the browser or by the policy of a page around, it runs in the page.
import { Recording } from '../recording';
import type { Frame, Opened } from '../types';
import { directly, engineOf, type Ask, type Method } from './calls';
import { start } from './start';
import type { Begin, Question, Said } from './talk';
import type { Engine } from '../types';

// large is from how many characters on a text is opened in the second worker: below, that is not worth the start of one.
export const large = 400_000;

// A large file makes a lot of garbage, and nothing else runs while that is collected: to do so rarely takes a third of the time off. Within a gigabyte, that is.
const seldom = { GOGC: '1000', GOMEMLIMIT: '1GiB' };

// loadEngine unpacks the engine, and starts it.
export async function loadEngine(packed: string): Promise<Engine> {
  if (!packed) throw new Error('this page was made without its engine: ask workbench view for a whole one');
  const program = await WebAssembly.compile(await unpack(packed));
  const near = await beside({ program, env: {} }, busy);
  if (!near) return engineOf(directly(await start(program)));
  globalThis.bullyEngine = { call: async (method, args) => JSON.stringify(await near(method as Method, JSON.parse(args) as unknown[])) }; // for who looks into the page: its tests
  return engineOf(apart(near, () => beside({ program, env: seldom })));
}

async function unpack(packed: string): Promise<ArrayBuffer> {
  const text = atob(packed.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

// busy says on the page that it waits for an answer.
function busy(questions: number): void {
  document.documentElement.toggleAttribute('data-busy', questions > 0);
}

// apart asks a second engine, begun when it is wanted first, whatever is of large files: its handles are negative here. If there is none, or it dies, the near one
// opens them.
function apart(near: Ask, second: () => Promise<Ask | null>): Ask {
  let far: Promise<Ask | null> | null = null;
  return async (method, args) => {
    const [first, ...rest] = args;
    if (typeof first === 'number' && first < 0) return (await far)?.(method, [-first, ...rest]);
    if (method !== 'open' || (first as string).length < large) return near(method, args);
    try {
      const opened = await (await (far ??= second()))?.(method, args) as Opened | undefined;
      if (opened) return { ...opened, handle: -opened.handle };
    } catch { /* it has died */ }
    far = null;
    return near(method, args);
  };
}

// Waiting is a question that is not answered yet, and what has come of its answer.
interface Waiting { made: Recording | null; frames: Frame[] | null; done: (answer: unknown) => void; failed: (error: Error) => void }

// beside starts an engine in a worker, and returns what asks it; null if there is none. The worker is text in the page.
function beside(begin: Begin, waits: (questions: number) => void = () => undefined): Promise<Ask | null> {
  const waiting = new Map<number, Waiting>();
  let numbers = 0;
  let worker: Worker;
  let died = '';

  const ask: Ask = (method, args) => new Promise((done, failed) => {
    if (died) { failed(new Error(died)); return; }
    const question: Question = { number: ++numbers, method, args };
    waiting.set(question.number, { made: null, frames: null, done, failed });
    waits(waiting.size);
    worker.postMessage(question);
  });

  function hear(said: Exclude<Said, { ready: true }>): void {
    const of = waiting.get(said.number);
    if (!of) return;
    if ('header' in said) of.made = new Recording(said.header);
    else if ('frames' in said) {
      if (of.made) of.made.add(said.frames);
      else of.frames = [...of.frames ?? [], ...said.frames];
    } else {
      waiting.delete(said.number);
      waits(waiting.size);
      if ('failed' in said) of.failed(new Error(said.failed));
      else of.done(of.made ? { ...said.answer as Opened, frames: of.made.frames, made: of.made } : of.frames ? { ...said.answer as object, frames: of.frames } : said.answer);
    }
  }

  return new Promise((begun) => {
    const gone = (): void => { // for good: whoever waits is told
      died = 'its worker has died';
      worker?.terminate();
      const all = [...waiting.values()];
      waiting.clear();
      waits(0);
      for (const { failed } of all) failed(new Error(died));
      begun(null);
    };
    const text = document.getElementById('worker')?.textContent?.trim();
    if (!text) { begun(null); return; }
    try {
      worker = new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
      worker.onmessage = ({ data }: MessageEvent<Said>) => { if ('ready' in data) begun(ask); else hear(data); };
      worker.onerror = gone;
      worker.onmessageerror = gone;
      worker.postMessage(begin);
    } catch {
      gone();
    }
  });
}
