// The player: while playing, it lets one frame after another come.
import { batch, effect, signal } from '@preact/signals';
import type { Recording } from '../recording';
import { line } from '../line';
import { ahead, aheadNow, coming, count, ended, recording, length, seek, more, playing, progress, said, scene, speed, step, upkeep, type Ahead } from '../store';
import { capital, indicatorWord, sentence, time } from '../words';
import { hold, pace } from './pacing';
import { Phases } from './phases';

// passing is how much time of the run passes until the next frame, in microseconds, if that is long; 0 otherwise.
export const passing = signal(0);

// passes tells that playing does not stop where a property is broken: a tour stops where it has something to say.
export const passes = signal(false);

// halt says why the recording stands still after so many of its frames, though nobody stopped it. It is self if time goes on as soon as
// somebody does something: there was nothing more to see.
export const halt = signal<{ of: Recording; at: number; says: string; self?: boolean } | null>(null);

// halted tells people why, wherever they look.
export function halted(says: string, self = false): void {
  const of = recording.peek();
  if (!of) return;
  said.value = says;
  halt.value = { of, at: count.peek(), says, self };
}

// keepPlaying plays the recording whenever it is to be played.
export function keepPlaying(): void {
  let ticket = 0;
  effect(() => {
    const was = halt.peek();
    const now = scene.value;
    if (!was?.self || !now || now.count !== was.at + 1 || now.frame?.by !== 'you') return;
    halt.value = null; // what was done may make a recording of its own, so that was.of does not tell
    playing.value = true;
  });
  effect(() => {
    cancelAnimationFrame(ticket);
    passing.value = 0;
    if (!playing.value) return;
    let before = performance.now();
    const tick = (now: number): void => {
      // A page that was in the background goes on where it was, and does not make up for it.
      let left = Math.min(now - before, 100);
      before = now;
      batch(() => { while (left > 0 && playing.peek()) left -= advance(left); });
      if (playing.peek()) ticket = requestAnimationFrame(tick);
    };
    ticket = requestAnimationFrame(tick);
  });
}

let target: { of: Recording; at: number; to: number; upkeep: boolean; speed: number; takes: number } | null = null; // what is on its way
let asking: Promise<unknown> | null = null;
let told: { of: Recording; at: number; next: Ahead } | null = null; // what the engine was asked last

// advance lets some milliseconds pass, or all that the next frame takes, and returns how many.
function advance(left: number): number {
  const now = recording.peek();
  if (!now) return stop(left);
  const at = count.peek();
  if (target?.of !== now || target.at !== at || target.upkeep !== upkeep.peek() || target.speed !== speed.peek()) {
    const next = aheadNow() ?? (told?.of === now && told.at === at ? told.next : null);
    if (!next) { // nothing moves until the engine has said what comes
      asking ??= ahead().then((found) => { told = { of: now, at, next: found }; }).finally(() => { asking = null; });
      return left;
    }
    target = aim(now, at, next);
    if (!target) return stop(left);
  }
  coming.value = target.to;
  const rest = (1 - progress.peek()) * target.takes;
  if (rest > left) {
    progress.value += left / target.takes;
    return left;
  }
  seek(target.to);
  const broken = now.breaks(at, target.to);
  if (broken.length > 0 && !passes.peek()) {
    playing.value = false;
    halted(`Stopped here: ${broken.map((indicator) => indicatorWord(indicator.name)).join(', ')} – broken.`);
  }
  return Math.max(rest, 0.01);
}

function stop(left: number): number {
  playing.value = false;
  progress.value = 0;
  return left;
}

// aim says how long the next frame takes. There is none at the end, nor if there are only heartbeats.
function aim(now: Recording, at: number, { to, quiet: still }: Ahead): typeof target {
  const frame = now.frames[to - 1];
  if (to === at || !frame) return null;
  const last = now.frames[at - 1]?.at ?? frame.at;
  if (still) {
    halted(`Nothing but heartbeats${now.header.timed ? ` for ${time(frame.at - last)} and on` : ' follow'}: do something.`, true);
    return null;
  }
  passing.value = now.header.timed && frame.at - last >= 30_000 ? frame.at - last : 0;
  const takes = pace(frame, last, { speed: speed.peek(), timed: now.header.timed });
  return { of: now, at, to, upkeep: upkeep.peek(), speed: speed.peek(), takes: Math.max(takes, hold(now.frames[at - 1], speed.peek())) };
}

// stepOn goes a step on, says how many it passes over if there are only heartbeats for long, and reports whether there was another one.
function stepOn(): boolean {
  const from = count.peek();
  const next = aheadNow();
  const went = step(1);
  const now = recording.peek();
  if (!went || !next?.quiet || !now) return went;
  const passed = now.header.timed ? `, ${time((now.frames[count.peek() - 1]?.at ?? 0) - (now.frames[from - 1]?.at ?? 0))}` : '';
  halted(`Only heartbeats in these ${count.peek() - from} steps${passed}.`);
  return false;
}

// inTurn lets steps be made one after the other, however quickly they are asked for.
const inTurn = line();

// walk makes so many steps one way, if there are as many. Nothing is drawn between those of which it is known what they are.
export function walk(steps: number, way: 1 | -1): Promise<void> {
  playing.value = false;
  return inTurn(async () => {
    for (let left = steps; left > 0;) {
      if (way > 0) await ahead(left);
      batch(() => {
        do if (!(way > 0 ? stepOn() : step(way))) left = 0; while (--left > 0 && (way < 0 || aheadNow()));
      });
    }
  });
}

const far = 5000; // frames within which a phase is looked for: a reign may last for ever

// phaseOn goes to where the next phase of an election begins, and says which.
export function phaseOn(): Promise<void> {
  return inTurn(toPhase);
}

async function toPhase(): Promise<void> {
  const now = recording.peek();
  const from = count.peek();
  if (!now) return;
  playing.value = false;
  const phases = new Phases(now.header);
  for (const frame of now.frames.slice(0, from)) phases.next(frame); // what has begun already
  for (let to = from + 1; to <= from + far; to++) {
    if (to > now.frames.length && !await more(1)) {
      if (now !== recording.peek()) return;
      seek(to - 1);
      return halted('That is all: no other phase begins.');
    }
    const begins = phases.next(now.frames[to - 1]!);
    if (begins === '') continue;
    if (now !== recording.peek()) return;
    seek(to);
    return begun(now, begins);
  }
  halted(`Nothing but heartbeats in the next ${far} steps: do something.`, true);
}

// phaseBack goes to where the phase before began.
export function phaseBack(): void {
  const now = recording.peek();
  if (!now) return;
  playing.value = false;
  const phases = new Phases(now.header);
  let found = { at: 0, says: '' };
  now.frames.slice(0, Math.max(0, count.peek() - 1)).forEach((frame, place) => {
    const says = phases.next(frame);
    if (says !== '') found = { at: place + 1, says };
  });
  seek(found.at);
  if (found.says !== '') begun(now, found.says);
}

// begun says which phase begins with the last frame; to who does not see the page, with what has happened.
function begun(now: Recording, says: string): void {
  halted(`${capital(says)}.`);
  said.value += ` ${sentence(now, now.frames[count.peek() - 1]!)}.`;
}

// toggle plays, or stops. At the end it begins again.
export function toggle(): void {
  if (!playing.value && ended.value && count.value >= length.value && length.value > 0) seek(0);
  playing.value = !playing.value;
}
