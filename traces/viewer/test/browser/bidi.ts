// The protocol of Firefox, WebDriver BiDi, where Playwright has no word for what a test needs: a finger that drags, and the tree of a screen reader.
// Firefox has one session only, which is Playwright's, so that the way to it leads through Playwright.
import type { ChildProcess } from 'node:child_process';
import type { Browser, Page } from 'playwright-core';

interface Told { status?: string; filepath?: string; suggestedFilename?: string }
interface Session {
  sessionId: string;
  send(method: string, params: unknown): Promise<unknown>;
  on(event: string, hear: (told: Told) => void): void;
  off(event: string, hear: (told: Told) => void): void;
}
interface InBrowser { _browserSession: Session; options: { browserProcess: { process?: ChildProcess } } }
interface InPage { delegate: { _session: Session; _browserContext: { _browser: InBrowser } } }

const inside = <T>(of: Browser | Page): T => (of as unknown as { _connection: { toImpl: (of: unknown) => T } })._connection.toImpl(of);

// processOf returns the process of a browser, of which Playwright tells nobody.
export const processOf = (browser: Browser): ChildProcess | undefined => inside<InBrowser>(browser).options.browserProcess.process;

export interface Bidi { context: string; send: (method: string, params: unknown) => Promise<unknown> }

// bidi returns what sends to the browser of a page, and by what name it knows the page.
export function bidi(page: Page): Bidi {
  const { _session: own, _browserContext: { _browser: { _browserSession: all } } } = inside<InPage>(page).delegate;
  return { context: own.sessionId, send: (method, params) => all.send(method, params) };
}

// downloaded waits for the next file that a page saves, and returns its name, and where it is. Playwright takes no note of what comes of a blob.
export function downloaded(page: Page): Promise<{ name: string; file: string }> {
  const { _session: session } = inside<InPage>(page).delegate;
  return new Promise((done, failed) => {
    let name = '';
    const late = setTimeout(() => { stop(); failed(new Error('nothing was saved')); }, 60_000);
    const begins = (told: Told): void => { name = told.suggestedFilename ?? ''; };
    const ends = (told: Told): void => {
      stop();
      if (told.status === 'complete' && told.filepath) done({ name, file: told.filepath });
      else failed(new Error(`the download of ${name} ended so: ${told.status}`));
    };
    const stop = (): void => {
      clearTimeout(late);
      session.off('browsingContext.downloadWillBegin', begins);
      session.off('browsingContext.downloadEnd', ends);
    };
    session.on('browsingContext.downloadWillBegin', begins);
    session.on('browsingContext.downloadEnd', ends);
  });
}

// What Playwright tells each page, and Debian's Firefox does not know yet: it is told by its preferences (browsers.ts).
const unknown = new Set(['emulation.setMediaFeaturesOverride']);

// spare keeps from a browser what it does not know: it would refuse to open a page.
export function spare(browser: Browser): Browser {
  const sessions = Object.getPrototypeOf(inside<InBrowser>(browser)._browserSession) as Session & { spared?: true };
  if (sessions.spared) return browser;
  const send = sessions.send;
  sessions.send = function (method, params) { return unknown.has(method) ? Promise.resolve({}) : send.call(this, method, params); };
  sessions.spared = true;
  return browser;
}
