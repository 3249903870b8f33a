// Opening what people bring: by drop, paste, file or link. What is broken is said; what is shown stays.
import { batch, signal } from '@preact/signals';
import { jump, recording, engine, playing, problem, show, shows } from '../store';
import type { Opened, RunSpec } from '../types';
import { closeBeside, large, openBeside } from '../beside/beside';
import { bare } from '../embed/embedded';
import { fragment, linked, type File as Named, type Linked } from '../share/link';
import { hint } from '../hint/acts';
import { startTour } from '../tours/guide';
import { openPair } from '../pair/pair';
import { openPlain } from './plain';
import type { Recording } from '../recording';

const largest = 64 * 1024 * 1024; // bytes of a file: beyond, a browser's tab may die of it

// source is what the recording was opened from, if it was a file or a golden trace: a link to it needs that.
export const source = signal<{ recording: Recording; linked: Linked } | null>(null);

let text = ''; // of the file that was opened last

// excerpt returns a line of the file that was opened last, if it has that many: the place of a problem.
export function excerpt(line: number): string | undefined {
  const found = text.split('\n', line)[line - 1];
  return found !== undefined && found.length > 240 ? `${found.slice(0, 240)} …` : found;
}

// openFile opens the text of a file, and reports whether there is anything to see.
// A large one is opened beside the page, which goes on.
export function openFile(file: Named, at?: number): boolean | Promise<boolean> {
  if (file.text.trim() === '') return refuse(`${file.name || 'The text'} is empty.`);
  if (engine.value && file.text.length >= large) return openLarge(file, at);
  return openHere(file, at);
}

let wishes = 0; // how often a large file was asked for

// opening is the name of what is being opened beside the page; '' if nothing is.
export const opening = signal('');

async function openLarge(file: Named, at: number | undefined): Promise<boolean> {
  const before = shows;
  const wish = ++wishes;
  opening.value = file.name || 'the text';
  const made = await openBeside(file.text, file.name);
  if (wish === wishes) opening.value = '';
  if (wish !== wishes || before !== shows) {
    if (made) closeBeside(made.opened.handle);
    return false; // something else was asked for, or opened, meanwhile: that is wanted
  }
  if (!made) return openHere(file, at);
  text = file.text;
  return shown(made.opened, { what: 'file', file }, at, made.recording);
}

function openHere(file: Named, at: number | undefined): boolean {
  text = file.text;
  return shown(engine.value ? engine.value.open(file.text, file.name) : openPlain(file.text), { what: 'file', file }, at);
}

export function openGolden(name: string, at?: number): boolean {
  if (!engine.value) return refuse('Without its engine the page has no golden traces.');
  text = '';
  return shown(engine.value.openGolden(name), { what: 'golden', name }, at);
}

export function openRunSpec(runSpec: RunSpec, at?: number): boolean {
  if (!engine.value) return refuse('Without its engine the page cannot play a run. It still shows recordings.');
  text = '';
  return shown(engine.value.begin(runSpec), null, at);
}

// openStory opens a story of the gallery by its name: alone, or with another algorithm beside it.
export function openStory(linked: Linked & { what: 'story' }): boolean {
  const { name, by, beside, at } = linked;
  if (beside === undefined) return openRunSpec({ runSpec: 1, algorithm: by ?? '', nodes: 0, profile: '', seed: 0, scenario: name, do: [] }, at);
  text = '';
  if (!openPair(name, beside, by)) return false;
  source.value = { recording: recording.value!, linked };
  if (at !== undefined) jump(at);
  return true;
}

function shown(opened: Opened, linked: Linked | null, at: number | undefined, made?: Recording): boolean {
  if (opened.problem && opened.frames.length === 0) {
    problem.value = opened.problem;
    return false;
  }
  batch(() => {
    show(opened, at, made);
    source.value = linked && recording.value ? { recording: recording.value, linked } : null;
  });
  return true;
}

function refuse(why: string): false {
  playing.value = false;
  problem.value = { problem: why };
  return false;
}

// openHash opens what a link holds. It returns null if that is nothing, and else whether there is anything to see.
export async function openHash(hash: string): Promise<boolean | null> {
  let found: Linked | null;
  try {
    found = await linked(hash);
  } catch (error) {
    return refuse(error instanceof Error ? capital(error.message) : String(error));
  }
  if (found === null) return /^(new)?$/.test(bare(hash)) ? null : refuse(`The link ends in "${excerptOf(hash)}": this page knows nothing of that name.`);
  if (found.wrong === undefined) return openLinked(found);
  if (recording.value) return refuse(capital(found.wrong)); // what is shown stays
  const opened = await openLinked(found);
  if (opened) problem.value ??= { problem: `${capital(found.wrong)} What it holds is shown from its beginning.` };
  return opened;
}

function openLinked(found: Linked): boolean | Promise<boolean> {
  hint.value = null; // who follows a link has come for what it holds
  switch (found.what) {
    case 'story': return openStory(found);
    case 'tour': return startTour(found.name);
    case 'golden': return openGolden(found.name, found.at);
    case 'runSpec': return openRunSpec(found.runSpec, found.at);
    case 'file': return openFile(found.file, found.at);
  }
}

function excerptOf(hash: string): string {
  return hash.length > 24 ? `${hash.slice(0, 24)}…` : hash;
}

// openBlob opens a file that was dropped, pasted or chosen.
export async function openBlob(file: globalThis.File): Promise<boolean> {
  if (file.size > largest) return refuse(`${file.name} has ${(file.size / 1e6).toFixed(0)} MB: a page opens at most ${largest >> 20} MB.`);
  try {
    const opened = await openFile({ name: file.name, text: await file.text() });
    if (opened) forgetLink();
    return opened;
  } catch {
    return refuse(`${file.name} cannot be read.`);
  }
}

// forgetLink takes from the address what is not shown any more; linkTo puts there what is, so that loading again shows it again.
// Back leads to what was shown before, unless that is gone for good.
export function forgetLink(gone = false): void {
  address('', gone);
}

export async function linkTo(to: Linked): Promise<void> {
  address(`#${await fragment(to)}`);
}

function address(hash: string, gone = false): void {
  try {
    if (location.hash === hash) return;
    const to = location.pathname + location.search + hash;
    if (gone) history.replaceState(null, '', to);
    else history.pushState(null, '', to);
  } catch { /* some browsers forbid it to a page from a file: then the address stays */ }
}

function capital(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
