// The engine: the Go program that plays runs and opens files. It lies in the page, packed; nothing is fetched.
import 'wasm-exec';
import { engineOf, type Called } from './calls';
import type { Engine } from './types';

// Go is what Go's own wasm_exec.js leaves.
declare class Go {
  env: Record<string, string>;
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

declare global {
  var bullyEngine: Called | undefined;
}

// program is the engine of this page, compiled; null before it is loaded. A worker starts the same (src/beside).
export let program: WebAssembly.Module | null = null;

// loadEngine unpacks the engine, and starts it. A page whose engine is there already, as in a test, takes that.
export async function loadEngine(packed: string): Promise<Engine> {
  if (globalThis.bullyEngine) return engineOf(globalThis.bullyEngine);
  if (!packed) throw new Error('this page was made without its engine: ask workbench view for a whole one');
  program = await WebAssembly.compile(await unpack(packed));
  return start(program);
}

// start starts an engine that is compiled, with an environment (of Go: GOGC and the like).
export async function start(compiled: WebAssembly.Module, env: Record<string, string> = {}): Promise<Engine> {
  const go = new Go();
  go.env = env;
  void go.run(await WebAssembly.instantiate(compiled, go.importObject));
  for (let i = 0; i < 100 && !globalThis.bullyEngine; i++) await new Promise((done) => setTimeout(done, 10));
  if (!globalThis.bullyEngine) throw new Error('the engine started, and does not answer');
  return engineOf(globalThis.bullyEngine);
}

async function unpack(packed: string): Promise<ArrayBuffer> {
  const text = atob(packed.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}
