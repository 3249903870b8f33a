// Opening what people bring: by drop, paste, file or link. What is broken is said; what is shown stays.
import { batch, signal } from '@preact/signals';
import { jump, recording, engine, playing, problem, show, shows, until } from '../store';
import { large } from '../engine/load';
import type { Engine, Opened, RunSpec } from '../types';
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
export async function openFile(file: Named, at?: number): Promise<boolean> {
  if (file.text.trim() === '') return refuse(`${file.name || 'The text'} is empty.`);
  const linked = { what: 'file' as const, file };
  if (!engine.value) return shown(openPlain(file.text), linked, at, file.text);
  if (file.text.length >= large) opening.value = file.name || 'the text';
  return answered((by) => by.open(file.text, file.name), linked, at, file.text);
}

// opening is the name of the large file that is being opened, while what is shown goes on; '' if none is.
export const opening = signal('');

export async function openGolden(name: string, at?: number): Promise<boolean> {
  if (!engine.value) return refuse('Without its engine the page has no golden traces.');
  return answered((by) => by.openGolden(name), { what: 'golden', name }, at);
}

export async function openRunSpec(runSpec: RunSpec, at?: number): Promise<boolean> {
  if (!engine.value) return refuse('Without its engine the page cannot play a run. It still shows recordings.');
  return answered((by) => by.begin(runSpec), null, at);
}

let wishes = 0; // how often something was asked for

// answered shows what the engine answers, unless something else was asked for, or shown, meanwhile: that is wanted.
async function answered(ask: (by: Engine) => Promise<Opened>, linked: Linked | null, at: number | undefined, of = ''): Promise<boolean> {
  const by = engine.value!;
  const before = shows;
  const wish = ++wishes;
  const answer = await ask(by);
  const opened = answer.problem ? answer : await until(by, answer, at ?? answer.header.open ?? 0);
  if (wish === wishes) opening.value = '';
  if (wish === wishes && before === shows) return shown(opened, linked, at, of);
  if (opened.handle !== 0) by.close(opened.handle);
  return false;
}

// openStory opens a story of the gallery by its name: alone, or with another algorithm beside it.
export async function openStory(linked: Linked & { what: 'story' }): Promise<boolean> {
  const { name, by, beside, at } = linked;
  if (beside === undefined) return openRunSpec({ runSpec: 1, algorithm: by ?? '', nodes: 0, profile: '', seed: 0, scenario: name, do: [] }, at);
  text = '';
  if (!await openPair(name, beside, by)) return false;
  source.value = { recording: recording.value!, linked };
  if (at !== undefined) await jump(at);
  return true;
}

async function shown(opened: Opened, linked: Linked | null, at: number | undefined, of: string): Promise<boolean> {
  text = of;
  if (opened.problem && opened.frames.length === 0) {
    problem.value = opened.problem;
    return false;
  }
  await batch(() => {
    const there = show(opened, at);
    source.value = linked && recording.value ? { recording: recording.value, linked } : null;
    return there;
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

async function openLinked(found: Linked): Promise<boolean> {
  hint.value = null; // who follows a link has come for what it holds
  switch (found.what) {
    case 'story': return await openStory(found) || (found.by === undefined && found.beside === undefined && elsewhere());
    case 'tour': return startTour(found.name);
    case 'golden': return await openGolden(found.name, found.at) || elsewhere();
    case 'runSpec': return openRunSpec(found.runSpec, found.at);
    case 'file': return openFile(found.file, found.at);
  }
}

// elsewhere adds to what is wrong with a link to the gallery where to find what there is.
function elsewhere(): false {
  if (problem.value) problem.value = { ...problem.value, problem: `${problem.value.problem}. What there is stands in the gallery.` };
  return false;
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
