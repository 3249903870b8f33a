// Builds the pages, each one file that asks the network for nothing: dist/compare.html, which draws what workbench compare has found; and
// dist/fresh: page.html.gz, which shows elections, and its engine, engine.wasm.gz, which whoever serves or writes the page puts into it (build.go).
//
//   node build.mjs            all
//   node build.mjs --page     the pages only: the engine is the one that is in dist/fresh
//   node build.mjs --release  copies dist/fresh to dist/released, which is in the repository; only what a commit has can be released
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const dist = join(here, 'dist');
const fresh = join(dist, 'fresh');
const released = join(dist, 'released');
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
    alias: { 'wasm-exec': wasmExec }, logLevel: 'warning', metafile: true,
  });
  const text = (end) => made.outputFiles.find((file) => file.path.endsWith(end))?.text ?? '';
  return { script: text('.js'), style: text('.css'), sources: Object.keys(made.metafile.inputs).filter((name) => name.startsWith('src/')) };
}

// tours returns what others than the page are told of its tours (build.go): the stories are data, and run nothing.
async function tours() {
  const made = await build({
    absWorkingDir: here, entryPoints: ['src/tours/stories/index.ts'], bundle: true, write: false, format: 'esm', platform: 'neutral', mainFields: ['module', 'main'], logLevel: 'warning',
  });
  const { tours: all } = await import(`data:text/javascript;base64,${Buffer.from(made.outputFiles[0].contents).toString('base64')}`);
  const shows = ({ begin }) => begin.golden ?? begin.run?.scenario ?? '';
  return JSON.stringify(all.map(({ name, title, about, stops }) => ({ name, title, about, shows: shows(stops[0]) }))).replaceAll('<', '\\u003c');
}

// Text within a script or style must not end it, nor begin a comment of HTML.
const inScript = (text) => text.trim().replaceAll(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--');
const inStyle = (text) => text.trim().replaceAll(/<\/(style)/gi, '<\\/$1');

// The policy lets the scripts of the page run, and no other; nothing is fetched. A live page gets its sources of events in
// place of connect-src 'none' (build.go).
function policy(scripts, engine) {
  const hashes = scripts.map((script) => `'sha256-${sha(script, 'base64')}'`).join(' ');
  return `default-src 'none'; script-src ${hashes}${engine ? " 'wasm-unsafe-eval'" : ''}; style-src 'unsafe-inline'; img-src data: blob:;${engine ? ' worker-src blob:;' : ''} ` +
    `connect-src 'none'; base-uri 'none'; form-action 'none'`;
}

const early = `document.documentElement.dataset.theme=(()=>{try{const t=localStorage.getItem('theme');` +
  `if(t==='light'||t==='dark')return t}catch{}return matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light'})()`;

// commit says which commit the sources are of, and whether they have changed since.
function commit() {
  const git = (...args) => execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] }).toString().trim();
  try {
    return `${git('describe', '--always', '--dirty', '--abbrev=12', '--exclude=*')} of ${git('show', '-s', '--format=%cs')}`;
  } catch {
    return 'unknown';
  }
}

// makePage makes a page of the sources in a folder, and a list of those beside it, in the form of sha256sum: a test sees whether
// they have changed since. A page without an engine may run no WebAssembly.
async function makePage(out, folder, parts, more = []) {
  const { script, style, sources } = await bundle(`${folder}/main.tsx`);
  Object.assign(parts, { script: inScript(script), style: inStyle(style), early: inScript(early) });
  parts.policy = policy([parts.early, parts.script], parts.engine);
  const form = readFileSync(join(here, folder, 'page.html'), 'utf8');
  const page = form.replaceAll(/\{\{(\w+)\}\}/g, (_, part) => parts[part]);
  const name = basename(out, '.html');
  if (page.length > limits[name]) throw new Error(`the page ${name} has ${page.length} bytes: more than ${limits[name]}`);
  writeFileSync(out, page);
  const all = [...new Set([...sources, ...more]), `${folder}/page.html`, 'build.mjs', 'package.json', 'package-lock.json', 'tsconfig.json'].sort();
  writeFileSync(out.replace(/html$/, 'sha256'), all.map((file) => `${sha(readFileSync(join(here, file)), 'hex')}  ${file}\n`).join(''));
  return page;
}

const pack = (file) => execFileSync('gzip', ['-9', '-n', '-c', file], { maxBuffer: 64 * MB });

function makeEngine(out) {
  const wasm = `${out}.unpacked`;
  go(['build', '-trimpath', '-buildvcs=false', '-ldflags=-s -w', '-o', wasm, './impl/cmd/engine'], { GOOS: 'js', GOARCH: 'wasm' });
  const packed = pack(wasm);
  rmSync(wasm);
  if (packed.length > limits.engine) throw new Error(`the engine has ${packed.length} bytes, packed: more than ${limits.engine}`);
  writeFileSync(out, packed);
}

// The page names its engine by its digest, and both by their commit: a test sees whether they belong together.
async function makeAll(withEngine) {
  const made = `${fresh}.new`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  const engine = join(made, 'engine.wasm.gz');
  if (withEngine) makeEngine(engine);
  else copyFileSync(join(fresh, 'engine.wasm.gz'), engine);
  const packed = readFileSync(engine);
  const compare = await makePage(join(dist, 'compare.html'), 'src/compare', {});
  const html = join(made, 'page.html');
  // The worker is text in the page, which makes an address of it (blob:): so it may do what the policy of the page lets the page do, and a file has it, too.
  const beside = await bundle('src/engine/worker.ts');
  const page = await makePage(html, 'src', { engine: sha(packed, 'hex'), commit: commit(), tours: await tours(), worker: inScript(beside.script) }, beside.sources);
  writeFileSync(`${html}.gz`, pack(html));
  rmSync(html);
  rmSync(fresh, { recursive: true, force: true });
  renameSync(made, fresh); // all of it at once: a build that was stopped is none
  const kB = (bytes) => `${(bytes / 1000).toFixed(0)} kB`;
  console.log(`page ${kB(page.length)}, page of comparisons ${kB(compare.length)}, engine ${kB(packed.length)}, of commit ${commit()}`);
}

function release() {
  const page = join(fresh, 'page.html.gz');
  if (!existsSync(page)) throw new Error('there is nothing to release: run make viewer');
  const of = /<meta name="commit" content="([^"]*)">/.exec(gunzipSync(readFileSync(page)).toString())?.[1] ?? 'unknown';
  if (!/^[0-9a-f]+ /.test(of)) throw new Error(`dist/fresh is of commit ${of}, which nobody else has: commit, and run make viewer again`);
  mkdirSync(released, { recursive: true });
  for (const name of ['page.html.gz', 'engine.wasm.gz']) copyFileSync(join(fresh, name), join(released, name));
  console.log(`released: commit ${of}`);
}

async function main(args) {
  if (args.includes('--release')) release();
  else await makeAll(!args.includes('--page'));
}

main(process.argv.slice(2)).catch((error) => {
  console.error(`build.mjs: ${error.message}`);
  process.exit(1);
});
