// Builds the pages, each one file that asks the network for nothing: dist/page.html, which shows elections, and
// dist/compare.html, which draws what workbench compare has found; and the engine, dist/engine.wasm.gz, which whoever serves or
// writes the first puts into it (viewer.go). The same sources make the same files, to the last byte.
//
//   node build.mjs                        all
//   node build.mjs --page                 the pages only: the engine is as it is
//   node build.mjs --standalone out.html  all, and a page with the engine inside
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const dist = join(here, 'dist');
const engine = join(dist, 'engine.wasm.gz');
const MB = 1_000_000;
const limits = { page: 2 * MB, compare: 0.2 * MB, engine: 3 * MB };

const go = (args, env = {}) => execFileSync('go', args, { cwd: root, env: { ...process.env, ...env }, maxBuffer: 64 * MB });
const sha = (data, form) => createHash('sha256').update(data).digest(form);

// The bundle of a page: script and style. Go's wasm_exec.js is of the Go that builds the engine: the two must match.
async function bundle(entry) {
  const wasmExec = join(go(['env', 'GOROOT']).toString().trim(), 'lib/wasm/wasm_exec.js');
  const made = await build({
    absWorkingDir: here, entryPoints: [entry], bundle: true, minify: true, write: false, outdir: 'dist',
    format: 'iife', target: ['chrome111', 'firefox115', 'safari16.4'], charset: 'utf8', legalComments: 'none',
    jsx: 'automatic', jsxImportSource: 'preact', loader: { '.css': 'css' },
    alias: { 'wasm-exec': wasmExec }, logLevel: 'warning',
  });
  const text = (end) => made.outputFiles.find((file) => file.path.endsWith(end)).text;
  return { script: text('.js'), style: text('.css') };
}

// Text within a script or style must not end it, nor begin a comment of HTML.
const inScript = (text) => text.trim().replaceAll(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--');
const inStyle = (text) => text.trim().replaceAll(/<\/(style)/gi, '<\\/$1');

// The policy lets the scripts of the page run, and no other; nothing is fetched. A live page gets its sources of events in
// place of connect-src 'none' (viewer.go).
function policy(scripts, engine) {
  const hashes = scripts.map((script) => `'sha256-${sha(script, 'base64')}'`).join(' ');
  return `default-src 'none'; script-src ${hashes}${engine ? " 'wasm-unsafe-eval'" : ''}; style-src 'unsafe-inline'; img-src data: blob:; ` +
    `connect-src 'none'; base-uri 'none'; form-action 'none'`;
}

const early = `document.documentElement.dataset.theme=(()=>{try{const t=localStorage.getItem('theme');` +
  `if(t==='light'||t==='dark')return t}catch{}return matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light'})()`;

// makePage makes a page, dist/NAME.html, of the sources in a folder. One without an engine may run no WebAssembly.
async function makePage(name, folder, engine) {
  const { script, style } = await bundle(`${folder}/main.tsx`);
  const parts = { script: inScript(script), style: inStyle(style), early: inScript(early) };
  parts.policy = policy([parts.early, parts.script], engine);
  const form = readFileSync(join(here, folder, 'page.html'), 'utf8');
  const page = form.replaceAll(/\{\{(\w+)\}\}/g, (_, part) => parts[part]);
  if (page.length > limits[name]) throw new Error(`the page ${name} has ${page.length} bytes: more than ${limits[name]}`);
  writeFileSync(join(dist, `${name}.html`), page);
  return page;
}

function makeEngine() {
  const wasm = join(dist, 'engine.wasm');
  go(['build', '-trimpath', '-buildvcs=false', '-ldflags=-s -w', '-o', wasm, './impl/cmd/engine'], { GOOS: 'js', GOARCH: 'wasm' });
  const packed = execFileSync('gzip', ['-9', '-n', '-c', wasm], { maxBuffer: 64 * MB });
  rmSync(wasm);
  if (packed.length > limits.engine) throw new Error(`the engine has ${packed.length} bytes, packed: more than ${limits.engine}`);
  writeFileSync(engine, packed);
}

// What the pages are made from, in the form of sha256sum: a test sees whether dist is older.
function sources() {
  const files = (dir) => readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return entry.name === 'fixtures' ? [] : files(path);
    return [path];
  });
  const all = [...files(join(here, 'src')), ...['build.mjs', 'package.json', 'package-lock.json', 'tsconfig.json'].map((f) => join(here, f))];
  const lines = all.map((path) => [relative(here, path).replaceAll('\\', '/'), sha(readFileSync(path), 'hex')]);
  lines.sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(join(dist, 'sources.sha256'), lines.map(([path, digest]) => `${digest}  ${path}\n`).join(''));
}

// The engine goes between the marks, in base64: no page can hold bytes otherwise.
function withEngine(page) {
  const mark = '<script type="application/octet-stream;base64" id="engine">';
  if (page.split(mark).length !== 2) throw new Error('page.html must have one mark for the engine');
  return page.replace(mark, () => mark + readFileSync(engine).toString('base64'));
}

async function main(args) {
  mkdirSync(dist, { recursive: true });
  const page = await makePage('page', 'src', true);
  const compare = await makePage('compare', 'src/compare', false);
  sources();
  if (!args.includes('--page')) makeEngine();
  const kB = (bytes) => `${(bytes / 1000).toFixed(0)} kB`;
  console.log(`page ${kB(page.length)}, page of comparisons ${kB(compare.length)}, engine ${existsSync(engine) ? kB(statSync(engine).size) : 'not built'}`);
  if (!args.includes('--standalone')) return;
  const out = args[args.indexOf('--standalone') + 1];
  if (!out) throw new Error('--standalone: where to?');
  writeFileSync(out, withEngine(page));
}

main(process.argv.slice(2)).catch((error) => {
  console.error(`build.mjs: ${error.message}`);
  process.exit(1);
});
