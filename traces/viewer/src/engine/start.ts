// Starts the engine: the Go program that plays runs and opens files.
import 'wasm-exec';
import type { Called } from './calls';

// Go is what Go's own wasm_exec.js leaves.
declare class Go {
  env: Record<string, string>;
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

declare global {
  var bullyEngine: Called<string | Promise<string>> | undefined;
}

// start starts an engine that is compiled, with an environment (of Go: GOGC and the like).
export async function start(compiled: WebAssembly.Module, env: Record<string, string> = {}): Promise<Called> {
  const go = new Go();
  go.env = env;
  void go.run(await WebAssembly.instantiate(compiled, go.importObject));
  for (let i = 0; i < 100 && !globalThis.bullyEngine; i++) await new Promise((done) => setTimeout(done, 10));
  if (!globalThis.bullyEngine) throw new Error('the engine started, and does not answer');
  return globalThis.bullyEngine as Called;
}
