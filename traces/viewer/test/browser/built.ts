// What is under test: the page as one file, and the program that serves it. Both are built once, before any test (run.ts), and
// lie in a folder that BULLY_BUILT names.
import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
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

// build makes the page, with its engine, and the program. What is there already is taken as it is.
export function build(into: string): void {
  const run = (what: string, args: string[], at: string): void => {
    const from = Date.now();
    execFileSync(what, args, { cwd: at, stdio: ['ignore', 'ignore', 'inherit'] });
    console.log(`built in ${seconds(Date.now() - from)}: ${what} ${args.join(' ')}`);
  };
  if (!existsSync(join(into, 'page.html'))) run('node', ['build.mjs', '--standalone', join(into, 'page.html')], viewer);
  if (!existsSync(join(into, 'workbench'))) run('go', ['build', '-o', into + '/', './impl/cmd/bully', './impl/cmd/workbench'], root);
}

// sim writes a trace of a simulated run, and returns the name of its file.
export function sim(name: string, args: string[]): string {
  const file = join(folder(), name);
  if (!existsSync(file)) execFileSync(workbench(), ['sim', ...args, '-trace', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  return file;
}

// compared writes a page of workbench compare, and returns its address.
export function compared(name: string, args: string[]): string {
  const file = join(folder(), name);
  if (!existsSync(file)) execFileSync(workbench(), ['compare', ...args, '-html', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  return pathToFileURL(file).href;
}

// chromium returns where the browser is.
export function chromium(): string {
  const said = process.env['CHROMIUM'];
  if (said) return said;
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin'];
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    const found = folders.map((place) => join(place, name)).find(runs);
    if (found) return found;
  }
  throw new Error('there is no Chromium: install one (apt-get install chromium), or say where it is in CHROMIUM');
}

function runs(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function seconds(ms: number): string { return `${(ms / 1000).toFixed(1)} s`; }
