// The browsers in which the tests run: Chromium, and Firefox as Debian has it, both with the same tests. BULLY_BROWSER says in which a test file
// runs; run.ts runs all of them in each that there is.
import { AsyncLocalStorage } from 'node:async_hooks';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, firefox, type Browser, type LaunchOptions } from 'playwright-core';
import { processOf, spare } from './bidi';
import { guard } from './guard';

export type Name = 'chromium' | 'firefox';

// patience is how long is waited for what is to come, in milliseconds: machines may be busy.
export const patience = Number(process.env['BULLY_PATIENCE'] ?? 90_000);

interface Known { says: string; variable: string; files: string[]; install: string }

const known: Record<Name, Known> = {
  chromium: { says: 'Chromium', variable: 'CHROMIUM', files: ['chromium', 'chromium-browser', 'google-chrome'], install: 'apt-get install chromium' },
  firefox: { says: 'Firefox', variable: 'FIREFOX', files: ['firefox-esr', 'firefox'], install: 'apt-get install firefox-esr' },
};

export const names = Object.keys(known) as Name[];

// current is the browser of this test file.
export const current = ((): Name => {
  const said = process.env['BULLY_BROWSER'] ?? 'chromium';
  const found = names.find((name) => name === said);
  if (!found) throw new Error(`BULLY_BROWSER: there is no ${said}: there are ${names.join(' and ')}`);
  return found;
})();

// word returns what people call a browser.
export const word = (name: Name): string => known[name].says;

// find returns where a browser is, and null if it is not there.
export function find(name: Name): string | null {
  const { variable, files } = known[name];
  const said = process.env[variable];
  if (said) return said;
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin'];
  return files.flatMap((file) => folders.map((folder) => join(folder, file))).find(runs) ?? null;
}

// missing says that a browser is not there, and what to do.
export function missing(name: Name): string {
  const { says, variable, install } = known[name];
  return `there is no ${says}: install one (${install}), or say where it is in ${variable}`;
}

function runs(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

// Looks are what a page asks of the machine. Chromium is told for each page, Firefox once, when it starts.
export interface Looks { dark: boolean; still: boolean; touch: boolean }

const begun = new Map<string, Promise<Browser>>();

// inLane tells in which lane a test runs, if several run at once. In Firefox each lane has browsers of its own: a page that another is in front of stands still there.
export const inLane = new AsyncLocalStorage<number>();

// browser returns a browser that looks so: it is begun once.
export function browser(looks: Looks): Promise<Browser> {
  const key = current === 'firefox' ? JSON.stringify([looks, inLane.getStore()]) : '';
  let one = begun.get(key);
  if (!one) begun.set(key, (one = launch(looks)));
  return one;
}

// closeBrowsers ends all that was begun.
export async function closeBrowsers(): Promise<void> {
  for (const one of begun.values()) await (await one).close();
  begun.clear();
}

async function launch(looks: Looks): Promise<Browser> {
  const executablePath = find(current);
  if (!executablePath) throw new Error(missing(current));
  const root = process.getuid?.() === 0; // then Chromium has no sandbox
  if (current === 'chromium') return guarded(await chromium.launch({ executablePath, timeout: patience, args: root ? ['--no-sandbox'] : [] }));
  // Debian's Firefox is driven by WebDriver BiDi, which it speaks itself. What the tree of a screen reader is, only its own scripts may ask.
  const how: LaunchOptions = { executablePath, timeout: patience, channel: 'moz-firefox', args: ['--remote-allow-system-access'], firefoxUserPrefs: preferences(looks) };
  return spare(guarded(await firefox.launch(how)));
}

// guarded lets a browser end with this process, even if that is killed.
function guarded(one: Browser): Browser {
  guard(processOf(one));
  return one;
}

// preferences says to Firefox what Chromium is told by its protocol.
function preferences({ dark, still, touch }: Looks): Record<string, string | number | boolean> {
  const coarse = 1; // a finger, which cannot hover
  return {
    'layout.css.prefers-color-scheme.content-override': dark ? 0 : 1,
    'ui.prefersReducedMotion': still ? 1 : 0,
    ...(touch && { 'dom.w3c_touch_events.enabled': 1, 'ui.primaryPointerCapabilities': coarse, 'ui.allPointerCapabilities': coarse, 'dom.meta-viewport.enabled': true, 'ui.useOverlayScrollbars': 1 }),
    'accessibility.force_disabled': -1, // its tree is there, though nobody listens
  };
}
