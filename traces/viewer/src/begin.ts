// What the page shows first: what was put into it, or what its link holds, or a run of its own.
import { effect } from '@preact/signals';
import { loadEngine } from './engine/load';
import { startHint } from './hint/acts';
import { offering } from './tours/Tours';
import { startLive, type LiveConfig } from './live/live';
import { openFile, openGolden, openHash } from './open/opening';
import { first, play } from './setup/Setup';
import type { File } from './share/link';
import { engine, recording, gallery, problem } from './store';

// Inside is what whoever made the page put into it (viewer.go).
interface Inside { file?: File; golden?: string; live?: LiveConfig; link?: string }

// begin loads the engine, and shows what is to be shown first. The page has been painted by then.
export async function begin(): Promise<void> {
  const put = read();
  try {
    engine.value = await loadEngine(inside('engine'));
    gallery.value = await engine.value.gallery();
  } catch (error) {
    problem.value = { problem: `The engine does not run: ${error instanceof Error ? error.message : String(error)}. The page still shows recordings: drop one on it.` };
  }
  window.addEventListener('hashchange', () => {
    const hash = location.hash;
    void openHash(hash).then((opened) => {
      if (opened !== null || location.hash !== hash) return;
      if (hash === '#new') void usual();
      else if (!liveNow(put)) void inPage(put); // Back, to where there was no link yet
    });
  });
  await open(put);
}

async function open(put: Inside): Promise<void> {
  if (put.live) { startLive(put.live); return; }
  const linked = location.hash.length > 1 ? await openHash(location.hash) : null;
  if (linked) return;
  const was = problem.value; // of what could not be opened: it is to be read still
  await inPage(put);
  problem.value ??= was;
}

const liveNow = (put: Inside): boolean => put.live !== undefined;

// inPage shows what was put into the page, or else the run that everybody sees.
async function inPage(put: Inside): Promise<void> {
  if (put.link ? await openHash(put.link) : put.file ? await openFile(put.file) : put.golden ? await openGolden(put.golden) : false) return;
  const was = problem.value;
  await usual();
  problem.value ??= was;
}

// usual begins the run that everybody sees who wants nothing in particular.
async function usual(): Promise<void> {
  if (!engine.value) return;
  await play({ ...first, profile: gallery.value?.profiles[0]?.name ?? '' });
  if (!recording.value) return;
  startHint();
  offering.value = true;
}

function inside(id: string): string {
  return document.getElementById(id)?.textContent?.trim() ?? '';
}

function read(): Inside {
  const text = inside('opened');
  if (text === '') return {};
  try {
    return JSON.parse(text) as Inside;
  } catch {
    problem.value = { problem: 'What was put into this page cannot be read: make the page anew.' };
    return {};
  }
}

// keepTitle calls the page by what it shows.
export function keepTitle(): void {
  effect(() => {
    const title = recording.value?.header.title;
    document.title = title ? `${title} · Bully` : 'Bully: see an election';
  });
}
