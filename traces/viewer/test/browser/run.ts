// Builds the page and the program, and runs all tests in each browser that there is, in both at once: Chromium, which must be there, and Firefox.
//
//   npm run test:browser                     all of them
//   npm run test:browser -- --firefox        in Firefox only; --chromium: in Chromium only. What is named must be there
//   npm run test:browser -- gallery axe      those files only
//   npm run test:browser -- --broken         each test with something broken on purpose: each must fail (broken.ts)
//
// With BULLY_BUILT=folder what is built stays there, and is taken as it is the next time.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { breaks } from './broken';
import { find, missing, names, word, type Name } from './browsers';
import { build, seconds, viewer } from './built';

const here = dirname(fileURLToPath(import.meta.url));

// long are files that take long: they begin first, so that none is left alone at the end.
const long = ['scenarios', 'axe', 'first', 'gallery', 'open'];

// files returns the test files whose names begin with one of the words; all if there is no word.
function files(words: string[]): string[] {
  const all = readdirSync(here).filter((name) => name.endsWith('.test.ts')).sort();
  const chosen = all.filter((name) => words.length === 0 || words.some((word) => name.startsWith(word)));
  if (chosen.length === 0) throw new Error(`no test file begins with ${words.join(' or ')}: there are ${all.join(', ')}`);
  const rank = (name: string): number => (long.indexOf(name.replace('.test.ts', '')) + long.length + 1) % (long.length + 1);
  return chosen.sort((a, b) => rank(a) - rank(b)).map((name) => join(here, name));
}

// tests runs test files in a browser, all in one process, and returns what it printed of tests that failed; nothing if all passed. None at all is a failure, too.
// Each line says which browser it is of. It ends when this process does: its standard input ends then.
async function tests(name: Name, of: string[]): Promise<string[]> {
  const from = Date.now();
  const failures: string[] = [];
  const child = spawn(process.execPath, ['--import', 'tsx', '--test-reporter=spec', join(here, 'together.ts'), ...of], { cwd: viewer, env: { ...process.env, BULLY_BROWSER: name }, stdio: ['pipe', 'pipe', 'inherit'] });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = `${word(name).padEnd(8)} ${line}`;
    console.log(said);
    if (failures.length > 0 || line.includes('failing tests:')) failures.push(said);
  });
  const code = await new Promise((done) => child.on('close', done));
  const end = `${word(name).padEnd(8)} ${code === 0 ? 'passed' : 'FAILED'} in ${seconds(Date.now() - from)}: ${find(name)}`;
  console.log(end);
  return code === 0 ? [] : [...failures, end];
}

// broken runs the tests that a break concerns, with it, and returns how many did not notice.
function broken(words: string[]): number {
  let unseen = 0;
  const chosen = breaks.filter((b) => words.length === 0 || words.some((word) => b.file.startsWith(word)));
  for (const { name, file, test } of chosen) {
    const args = ['--import', 'tsx', '--test', `--test-name-pattern=${test}`, '--test-reporter=spec', join(here, `${file}.test.ts`)];
    const env = { ...process.env, BULLY_BREAK: name, BULLY_PATIENCE: '15000' };
    const { stdout } = spawnSync(process.execPath, args, { cwd: viewer, env, encoding: 'utf8' });
    const failed = [...stdout.matchAll(/^ℹ (?:fail|cancelled) (\d+)$/gm)].reduce((sum, [, many]) => sum + Number(many), 0);
    const why = stdout.slice(stdout.indexOf('failing tests')).split('\n').find((line) => /Error|^\s*\+ +'/.test(line))?.trim() ?? '';
    console.log(`${failed > 0 ? 'noticed' : 'NOT NOTICED'}: ${name} (${file}): ${why.slice(0, 160)}`);
    if (failed === 0) unseen++;
  }
  console.log(`${chosen.length} breaks, ${unseen} not noticed`);
  return chosen.length === 0 ? 1 : unseen;
}

// chosen returns the browsers to test in. Firefox may be missing, unless it is asked for; that is said at the end.
function chosen(args: string[]): Name[] {
  const asked = names.filter((name) => args.includes(`--${name}`));
  for (const name of asked.length > 0 ? asked : (['chromium'] as const)) if (!find(name)) throw new Error(missing(name));
  return asked.length > 0 ? asked : names.filter((name) => find(name));
}

async function main(args: string[]): Promise<number> {
  const from = Date.now();
  const browsers = chosen(args);
  const kept = process.env['BULLY_BUILT'];
  const into = kept ? resolve(kept) : mkdtempSync(join(tmpdir(), 'bully-viewer-'));
  process.env['BULLY_BUILT'] = into;
  mkdirSync(into, { recursive: true });
  try {
    build(into);
    const words = args.filter((arg) => !arg.startsWith('--'));
    let failed = 0;
    if (args.includes('--broken')) {
      for (const name of browsers) {
        process.env['BULLY_BROWSER'] = name;
        console.log(`======== ${word(name)}: ${find(name)}`);
        failed += broken(words);
      }
    } else {
      const failures = (await Promise.all(browsers.map((name) => tests(name, files(words))))).flat(); // both at once: much of a test is waiting
      for (const line of failures) console.log(line); // once more, at the end: the other browser may have gone on for minutes
      failed = failures.length;
    }
    console.log(`all in ${seconds(Date.now() - from)}`);
    if (!browsers.includes('firefox')) console.log(`NOT TESTED in Firefox: ${args.includes('--chromium') ? 'only Chromium was asked for' : missing('firefox')}`);
    return failed === 0 ? 0 : 1;
  } finally {
    if (!kept) rmSync(into, { recursive: true, force: true });
  }
}

process.exitCode = await main(process.argv.slice(2));
