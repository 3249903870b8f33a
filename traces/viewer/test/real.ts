// The engine itself, as the page has it, without a browser: that of dist/fresh, or else the released one.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { directly, engineOf, type Called } from '../src/engine/calls';
import type { Engine } from '../src/types';

const dist = resolve(dirname(fileURLToPath(import.meta.url)), '../dist');

interface Go { importObject: WebAssembly.Imports; run(instance: WebAssembly.Instance): Promise<void> }

// realEngine starts the engine, once.
export async function realEngine(): Promise<Engine> {
  const has = globalThis as unknown as { bullyEngine?: Called; Go: new () => Go };
  if (!has.bullyEngine) {
    const goRoot = execFileSync('go', ['env', 'GOROOT'], { encoding: 'utf8' }).trim();
    runInThisContext(readFileSync(join(goRoot, 'lib/wasm/wasm_exec.js'), 'utf8'));
    const packed = ['fresh', 'released'].map((name) => join(dist, name, 'engine.wasm.gz')).find((file) => existsSync(file))!;
    const go = new has.Go();
    const { instance } = await WebAssembly.instantiate(new Uint8Array(gunzipSync(readFileSync(packed))), go.importObject);
    void go.run(instance); // it gives itself to the page before it waits for the first time
  }
  if (!has.bullyEngine) throw new Error('the engine started, and does not answer');
  return engineOf(directly(has.bullyEngine));
}
