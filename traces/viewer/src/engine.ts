// The engine: the Go program that plays runs and opens files. It lies in the page, packed; nothing is fetched.
import 'wasm-exec';
import type { Engine, Exported, Gallery, More, Opened, Problem, Sketched } from './types';

// Go is what Go's own wasm_exec.js leaves.
declare class Go {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

// Called is how the Go program is asked: arguments and answer are JSON.
interface Called { call(method: string, args: string): string }

declare global {
  var bullyEngine: Called | undefined;
}

// loadEngine unpacks the engine, and starts it. A page whose engine is there already, as in a test, takes that.
export async function loadEngine(packed: string): Promise<Engine> {
  if (!globalThis.bullyEngine) {
    if (!packed) throw new Error('this page was made without its engine: ask workbench view for a whole one');
    const go = new Go();
    const source = await WebAssembly.instantiate(await unpack(packed), go.importObject);
    void go.run(source.instance);
  }
  for (let i = 0; i < 100 && !globalThis.bullyEngine; i++) await new Promise((done) => setTimeout(done, 10));
  if (!globalThis.bullyEngine) throw new Error('the engine started, and does not answer');
  return asked(globalThis.bullyEngine);
}

async function unpack(packed: string): Promise<ArrayBuffer> {
  const text = atob(packed.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

// asked makes an Engine of what takes JSON. If the program has died, each answer says so: the page goes on to show its recording.
function asked(engine: Called): Engine {
  function ask<T>(method: string, args: unknown[], failed: (problem: Problem) => T): T {
    try {
      return JSON.parse(engine.call(method, JSON.stringify(args))) as T;
    } catch (error) {
      return failed({ problem: `the engine does not answer (${error instanceof Error ? error.message : String(error)}): load the page again` });
    }
  }
  const noGallery = (): Gallery => ({ algorithms: [], profiles: [], golden: [], refused: [], scenarios: [], rules: [], actions: {} });
  const notOpened = (problem: Problem): Opened =>
    ({ handle: 0, header: { recording: 1, title: '', source: 'trace', nodes: [], timed: false }, frames: [], ended: true, problem });
  const noMore = (problem: Problem): More => ({ frames: [], ended: true, problem });
  const notExported = (problem: Problem): Exported => ({ name: '', text: '', problem });
  return {
    gallery: () => ask('gallery', [], noGallery),
    begin: (runSpec) => ask('begin', [runSpec], notOpened),
    next: (handle, frames) => ask('next', [handle, frames], noMore),
    do: (handle, intervention) => ask('do', [handle, intervention], noMore),
    open: (text, name) => ask('open', [text, name], notOpened),
    openGolden: (name) => ask('openGolden', [name], notOpened),
    feed: (handle, line) => ask('feed', [handle, line], noMore),
    live: (nodes, changing) => ask('live', [nodes, changing], notOpened),
    trace: (handle) => ask('trace', [handle], notExported),
    testCase: (handle) => ask('testCase', [handle], notExported),
    sketch: (kind, name) => ask('sketch', [kind, name], (problem): Sketched => ({ rows: [], problem })),
    close: (handle) => { ask('close', [handle], () => null); },
  };
}
