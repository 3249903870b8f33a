// What is under test: the page as one file, and the program that serves it. Both are built once, before any test (run.ts), and
// lie in a folder that BULLY_BUILT names.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const viewer = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
export const root = resolve(viewer, '../..');

function folder(): string {
  const built = process.env['BULLY_BUILT'];
  if (!built) throw new Error('nothing is built: run npm run test:browser, which builds first, or name a folder with page.html and bully in BULLY_BUILT');
  return resolve(built);
}

export const pageFile = (): string => join(folder(), 'page.html');
export const pageURL = (): string => pathToFileURL(pageFile()).href;
export const bully = (): string => join(folder(), 'bully');
export const workbench = (): string => join(folder(), 'workbench');

export const releasedWorkbench = (): string => join(folder(), 'released-workbench');

// build makes the programs, with the page that make viewer has built, and the page as a file. What is there already is taken as it is.
export function build(into: string): void {
  const run = (what: string, args: string[]): void => {
    const from = Date.now();
    execFileSync(what, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    console.log(`built in ${seconds(Date.now() - from)}: ${what} ${args.join(' ')}`);
  };
  const fresh = join(viewer, 'dist/fresh');
  if (!existsSync(fresh)) throw new Error('dist/fresh is not there: run make viewer');
  const program = join(into, 'workbench');
  if (!existsSync(program)) run('go', ['build', '-o', into + '/', './impl/cmd/bully', './impl/cmd/workbench']);
  if (!existsSync(join(into, 'page.html'))) run(program, ['view', '-o', join(into, 'page.html')]);
  if (existsSync(join(into, 'released-workbench'))) return;
  // As who has not run make viewer builds it: dist/fresh is not there.
  const gone = Object.fromEntries(readdirSync(fresh).map((name) => [join(fresh, name), '']));
  writeFileSync(join(into, 'overlay.json'), JSON.stringify({ Replace: gone }));
  run('go', ['build', '-overlay', join(into, 'overlay.json'), '-o', join(into, 'released-workbench'), './impl/cmd/workbench']);
}

// once makes a file or folder beside what is built, if it is not there yet, and returns its name. It is there as a whole, or not at all: another browser may want it, too.
export function once(name: string, make: (into: string) => void): string {
  const there = join(folder(), name);
  if (existsSync(there)) return there;
  const made = join(folder(), `${process.pid}-${name}`);
  make(made);
  try { renameSync(made, there); } catch { /* the other was first */ }
  return there;
}

// sim writes a trace of a simulated run, and returns the name of its file.
export function sim(name: string, args: string[]): string {
  return once(name, (file) => execFileSync(workbench(), ['sim', ...args, '-trace', file], { stdio: ['ignore', 'ignore', 'inherit'] }));
}

// viewed writes a page with a program, and returns its address.
export function viewed(program: string, ...what: string[]): string {
  return pathToFileURL(once(`${basename(program)}-${what.join('-')}.html`, (file) => execFileSync(program, ['view', ...what, '-o', file], { stdio: ['ignore', 'ignore', 'inherit'] }))).href;
}

// compared writes a page of workbench compare, and returns its address.
export function compared(name: string, args: string[]): string {
  return pathToFileURL(once(name, (file) => execFileSync(workbench(), ['compare', ...args, '-html', file], { stdio: ['ignore', 'ignore', 'inherit'] }))).href;
}

export function seconds(ms: number): string { return `${(ms / 1000).toFixed(1)} s`; }
