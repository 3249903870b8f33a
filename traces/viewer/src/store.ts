// What the page knows: signals, which every part of the page reads, and what people can do, which every part calls.
import { batch, computed, signal } from '@preact/signals';
import { embedded } from './embed/embedded';
import { isUpkeep } from './engine/calls';
import { line } from './line';
import { Recording, type Scene } from './recording';
import type { Intervention, Engine, Frame, Gallery, Link, More, Opened, Problem, RunSpec } from './types';

export const engine = signal<Engine | null>(null); // null until it is loaded
export const gallery = signal<Gallery | null>(null);
export const recording = signal<Recording | null>(null);
export const length = signal(0);                   // how many frames the recording has by now
export const count = signal(0);                    // after how many of them we are
export const ended = signal(true);                 // no frame comes any more
export const runSpec = signal<RunSpec | null>(null); // of a run; what was done to it after count is not undone until a branch begins
export const playing = signal(false);
export const speed = signal(1);                    // how much faster than usual
export const upkeep = signal(false);               // show heartbeats, too
export const problem = signal<Problem | null>(null);
export const said = signal('');                    // to people who do not see the page: what has just happened

// Selection is what the panel is about: a node, a message, or, if null, the last frame.
export type Selection = { node: number } | { message: number } | null;
export const selection = signal<Selection>(null);

// progress is how far the next frame has come, from 0 to 1, while the recording plays: where messages under way are drawn. The next
// frame is the one by which coming frames have happened: those between are heartbeats that are not shown.
export const progress = signal(0);
export const coming = signal(0);

// seen is how many frames people have seen, or could have: what a run has beyond was only asked for to draw how it comes.
export const seen = signal(0);

// Branch is a run that was left for another, in which something else was done from a point on.
export interface Branch {
  id: number;
  handle: number;
  recording: Recording;
  runSpec: RunSpec | null;
  ended: boolean;
  count: number;        // where people were when they left it
  seen: number;
  from: number | null;  // the branch that it began from
  began: number;        // after how many frames it is another
  intervention: Intervention | null;  // what was done first
}

// branches are all runs since the last one was opened, the one that is shown among them, in the order in which they began.
export const branches = signal<Branch[]>([]);
export const branch = signal(0); // the id of the one that is shown

// fresh is true from when a branch begins until people know.
export const fresh = signal(false);

export const scene = computed<Scene | null>(() => {
  void length.value;
  return recording.value?.scene(count.value) ?? null;
});
const isRun = computed(() => recording.value?.header.source === 'run' && runSpec.value !== null);
export const mayIntervene = computed(() => isRun.value && !embedded); // people may; a tour may whatever it is shown in

const kept = 8;      // so many branches are kept, no more: each is a run in the engine, too
const idle = 500;    // so many frames that are not shown are passed over at once, no more: a reign may last for ever
let handle = 0;
let ids = 0;

// shows is how often something was opened: who has waited for a file sees whether another came before it.
export let shows = 0;

// show shows what was opened, and goes to where there is something to see, or to another of its frames. All branches of what was shown are over.
export function show(opened: Opened, at = opened.header.open ?? 0): Promise<void> {
  shows++;
  for (const old of branches.value) if (old.handle !== opened.handle) close(old.handle);
  branches.value = [];
  begin(opened, at, null, null);
  return jump(at);
}

// close gives back what the engine plays. What it does not know has handle 0: a recording that was read without it.
function close(old: number): void {
  if (old !== 0) engine.value?.close(old);
}

function begin(opened: Opened, at: number, from: number | null, intervention: Intervention | null): void {
  batch(() => {
    playing.value = false;
    handle = opened.handle;
    const next = recordingOf(opened);
    recording.value = next;
    length.value = next.frames.length;
    ended.value = opened.ended;
    runSpec.value = opened.runSpec ?? null;
    problem.value = opened.problem ?? null;
    selection.value = null;
    seen.value = length.value;
    branch.value = ++ids;
    fresh.value = from !== null;
    seek(at);
    branches.value = [...branches.value, snapshot(from, at, intervention)];
  });
}

// until lets as much happen of what was opened, before it is shown: so nobody sees how it gets there.
export async function until(by: Engine, opened: Opened, to: number): Promise<Opened & { made: Recording }> {
  const made = recordingOf(opened);
  let { ended: over } = opened;
  while (!over && made.frames.length < to) {
    const result = await by.next(opened.handle, to - made.frames.length);
    made.add(result.frames);
    over = result.ended || result.frames.length === 0;
  }
  return { ...opened, frames: made.frames, made };
}

function recordingOf(opened: Opened): Recording {
  if (opened.made) return opened.made;
  const made = new Recording(opened.header);
  made.add(opened.frames);
  return made;
}

function snapshot(from: number | null, began: number, intervention: Intervention | null): Branch {
  return {
    id: branch.value, handle, recording: recording.value!, runSpec: runSpec.value, ended: ended.value, count: count.value, seen: seen.value, from, began, intervention,
  };
}

// leave notes where people are in the run that they leave, so that they can come back.
function leave(): void {
  branches.value = branches.value.map((b) => (b.id === branch.value ? snapshot(b.from, b.began, b.intervention) : b));
}

// goTo shows another branch, as it was left.
export function goTo(id: number): void {
  const to = branches.value.find((b) => b.id === id);
  if (!to || id === branch.value) return;
  batch(() => {
    leave();
    playing.value = false;
    handle = to.handle;
    recording.value = to.recording;
    length.value = to.recording.frames.length;
    ended.value = to.ended;
    runSpec.value = to.runSpec;
    seen.value = to.seen;
    branch.value = id;
    fresh.value = false;
    selection.value = null;
    seek(to.count);
  });
}

// inTurn lets one thing that is asked of the engine happen after the other: what is done to a run must find it where people see it.
const inTurn = line();

// jump goes to where so many frames have happened. Of a run it lets as many happen.
export async function jump(to: number): Promise<void> {
  const of = recording.value;
  while (!ended.value && to > length.value && await more(to - length.value)) if (recording.value !== of) return; // and no frame beyond: a branch goes on from here
  if (recording.value === of) seek(to);
}

// seek goes to where so many frames have happened, or to the last one that has.
export function seek(to: number): void {
  batch(() => {
    count.value = Math.max(0, Math.min(to, length.value));
    seen.value = Math.max(seen.value, count.value);
    progress.value = 0;
    coming.value = count.value + 1;
  });
}

// more asks a run for frames, and reports whether there were any.
export function more(frames: number): Promise<boolean> {
  return asked((by) => by.next(handle, frames));
}

function asked(ask: (by: Engine) => Promise<More>): Promise<boolean> {
  return inTurn(async () => {
    const of = recording.value;
    if (!engine.value || !of || ended.value) return false;
    return take(of, await ask(engine.value));
  });
}

// moreShown asks for those up to so many that are shown; most frames at most.
export function moreShown(most: number, many = 1): Promise<boolean> {
  return upkeep.value ? more(Math.min(most, many)) : asked((by) => by.onward(handle, most, many));
}

// take adds an answer to the recording that was asked for: people may look at another by now.
function take(of: Recording, result: More): boolean {
  of.add(result.frames);
  if (of !== recording.value) return result.frames.length > 0;
  length.value = of.frames.length;
  ended.value = result.ended;
  if (result.problem) problem.value = result.problem;
  return result.frames.length > 0;
}

// feed adds what lines of a live recording say, while it is shown. Who looks at its end goes on to do so.
export function feed(of: Recording | null, lines: string[]): Promise<void> {
  return inTurn(async () => {
    const by = engine.value;
    if (!by || !of || of !== recording.value) return;
    const results = await Promise.all(lines.map((line) => by.feed(handle, line)));
    batch(() => {
      const follows = recording.value === of && count.value >= length.value;
      for (const result of results) take(of, { ...result, ended: true }); // there is nothing to ask for: more comes by itself
      if (follows) seek(length.value);
    });
  });
}

// theHandle is by what the engine knows what is shown: for exports.
export function theHandle(): number {
  return handle;
}

// hides reports whether a frame is left out while upkeep is not shown.
export function hides(frame: Frame | undefined): boolean {
  return !upkeep.value && frame !== undefined && isUpkeep(frame);
}

// Ahead is how many frames will have happened when the next one that is shown has: as many as now if none comes any more. Quiet tells that none comes for long: there
// are only heartbeats.
export interface Ahead { to: number; quiet: boolean }

// aheadNow returns that, and null if the engine has to be asked.
export function aheadNow(): Ahead | null {
  const from = count.value;
  for (let to = from + 1; to <= from + idle; to++) {
    if (to > length.value) return ended.value ? { to: to - 1, quiet: false } : null;
    if (!hides(recording.value?.frames[to - 1])) return { to, quiet: false };
  }
  return { to: from + idle, quiet: true };
}

// ahead asks the engine, if it has to; for so many frames that are shown, if people go over them at once.
export async function ahead(many = 1): Promise<Ahead> {
  for (let none = false; ;) {
    const found = aheadNow();
    if (found) return found;
    if (none) return { to: length.value, quiet: false };
    none = !await moreShown(Math.max(1, count.value + idle - length.value), many);
  }
}

// step goes one frame that is shown forward or back, and reports whether there was one. Forward it goes as far as it is known what comes.
export function step(by: 1 | -1): boolean {
  let to = count.value - 1;
  if (by > 0) to = aheadNow()?.to ?? count.value;
  else while (to > 0 && hides(recording.value?.frames[to - 1])) to--;
  if (to < 0 || to === count.value) return false;
  seek(to);
  return true;
}

// intervene does something to the run, here and now. If people have seen more happen already, that is another branch: the run
// begins anew, up to here, and the one before is kept.
export function intervene(what: Omit<Intervention, 'after'>): Promise<void> {
  return inTurn(async () => {
    const now = runSpec.value;
    if (!engine.value || !now || !isRun.value) return;
    if (count.value < length.value) await branchOff(engine.value, now, what);
    else await goOn(engine.value, now, { after: length.value, ...what });
  });
}

async function goOn(by: Engine, now: RunSpec, intervention: Intervention): Promise<void> {
  const of = recording.value!;
  const result = await by.do(handle, intervention);
  batch(() => {
    const ours = recording.value === of;
    if (result.problem) {
      if (ours) problem.value = result.problem;
      return;
    }
    take(of, result);
    if (!ours) return;
    runSpec.value = { ...now, do: [...now.do, intervention] };
    seek(length.value);
  });
}

// branchOff begins the run again, without what was done to it from a point on, and does something else there. It is shown once that has happened: if it cannot be
// done there is no other run.
async function branchOff(by: Engine, now: RunSpec, what: Omit<Intervention, 'after'>): Promise<void> {
  const of = recording.value;
  const at = count.value;
  const opened = await until(by, await by.begin({ ...now, do: now.do.filter((d) => d.after < at) }), at); // if what was done before takes some frames, all of them have happened
  if (opened.problem) { problem.value = opened.problem; return; }
  const { made } = opened;
  const intervention: Intervention = { after: made.frames.length, ...what };
  const result = await by.do(opened.handle, intervention);
  batch(() => {
    if (result.problem || recording.value !== of) {
      by.close(opened.handle);
      if (recording.value === of) problem.value = result.problem ?? null;
      return;
    }
    const was = { playing: playing.value, selection: selection.value };
    turnTo(opened, at, intervention);
    runSpec.value = { ...opened.runSpec ?? now, do: [...opened.runSpec?.do ?? [], intervention] };
    take(made, result);
    seek(length.value);
    playing.value = was.playing;
    selection.value = was.selection;
  });
}

// turnTo shows the run that begins anew: as a branch; or, if nobody has seen more, in the place of the one before.
function turnTo(opened: Opened, at: number, first: Intervention): void {
  if (at < seen.value) {
    leave();
    begin(opened, at, branch.value, first);
    forget();
    return;
  }
  const old = branches.value.find((b) => b.id === branch.value);
  close(handle);
  branches.value = branches.value.filter((b) => b !== old);
  begin(opened, at, old?.from ?? null, old?.intervention ?? null);
  if (old) branches.value = branches.value.map((b) => (b.id === branch.value ? { ...b, began: old.began } : b));
  fresh.value = false;
}

// forget lets the oldest branch go if there are too many.
function forget(): void {
  if (branches.value.length <= kept) return;
  const old = branches.value.find((b) => b.id !== branch.value)!;
  close(old.handle);
  branches.value = branches.value.filter((b) => b !== old);
}

export const crash = (node: number) => intervene({ do: 'crash', node });
export const restart = (node: number) => intervene({ do: 'restart', node });
export const pause = (node: number) => intervene({ do: 'pause', node });
export const resume = (node: number) => intervene({ do: 'resume', node });
export const cut = (links: Link[]) => intervene({ do: 'cut', links });
export const heal = (links: Link[]) => intervene({ do: 'heal', links });
export const deliver = (message: number) => intervene({ do: 'deliver', message });
export const drop = (message: number) => intervene({ do: 'drop', message });
export const delay = (message: number, by: number) => intervene({ do: 'delay', message, by });
export const fire = (node: number, timer: string) => intervene({ do: 'fire', node, timer });
export const suspect = (node: number) => intervene({ do: 'suspect', node });
export const resign = (node: number) => intervene({ do: 'resign', node });
export const change = (node: number, kind: NonNullable<Intervention['kind']>) => intervene({ do: 'change', node, kind });
