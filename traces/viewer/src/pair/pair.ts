// Opens a story twice: one recipe, two algorithms, one clock.
import { batch, computed, signal } from '@preact/signals';
import { count, ended, engine, gallery, length, problem, recording, scene, show } from '../store';
import type { Recording } from '../recording';
import type { Engine, RunSpec } from '../types';
import { merged, sidesOf, type Pair, type Told } from './merge';
import { tally, type Tally } from './tally';

// Shown is a pair that is shown.
interface Shown { of: Recording; sides: Pair; flaw: string; story: string }

const opened = signal<Shown | null>(null);

// pair is the pair that is shown; null if something else is.
export const pair = computed(() => (opened.value && opened.value.of === recording.value ? opened.value : null));

// tallies are what came of the two up to now.
export const tallies = computed<[Tally, Tally] | null>(() => {
  const now = pair.value;
  if (!now || !scene.value) return null;
  const { frames } = now.of;
  return [tally(frames, count.value, now.sides[0], scene.value.at), tally(frames, count.value, now.sides[1], scene.value.at)];
});

const most = 200_000; // frames of one of the two: a story has far fewer

// whole plays a run to its end.
async function whole(by: Engine, runSpec: RunSpec): Promise<Told | null> {
  const begun = await by.begin(runSpec);
  if (begun.problem) { problem.value = begun.problem; return null; }
  const frames = [...begun.frames];
  for (let over = begun.ended; !over && frames.length < most;) {
    const more = await by.next(begun.handle, 1000);
    frames.push(...more.frames);
    over = more.ended || more.frames.length === 0;
  }
  by.close(begun.handle);
  return { header: begun.header, frames };
}

// openPair shows a story with the algorithm that it is about, or another, beside a second; and reports whether it does.
export async function openPair(story: string, second: string, first?: string): Promise<boolean> {
  const refuse = (why: string): false => { problem.value = { problem: why }; return false; };
  const by = engine.value;
  const told = gallery.value?.scenarios.find((s) => s.name === story);
  if (!by || !gallery.value) return refuse('Without its engine the page cannot play a run. It still shows recordings.');
  if (!told) return refuse(`There is no story “${story}”: the gallery has those that there are.`);
  const names = [first ?? told.algorithm, second] as const;
  const known = gallery.value.algorithms;
  const missing = names.find((name) => !known.some((a) => a.name === name));
  if (missing) return refuse(`There is no algorithm “${missing}”: there are ${known.map((a) => a.name).join(', ')}.`);
  const [a, b] = await Promise.all(names.map((algorithm) => whole(by, { runSpec: 1, algorithm, nodes: told.nodes, profile: '', seed: 0, scenario: story, do: [] })));
  if (!a || !b) return false;
  const titleOf = (name: string) => gallery.value?.algorithms.find((x) => x.name === name)?.title ?? name;
  const sides = sidesOf(a.header, b.header, [titleOf(names[0]), titleOf(names[1])]);
  const both = merged(a, b, sides, told.title);
  batch(() => {
    void show({ handle: 0, ...both, ended: true }, open(a, b, both));
    opened.value = { of: recording.value!, sides, flaw: told.flaw, story };
  });
  return true;
}

// open is after how many frames a pair opens: where the story begins with the first of the two.
function open(a: Told, b: Told, both: Told): number {
  const at = a.frames[Math.max(0, (a.header.open ?? 1) - 1)]?.at ?? 0;
  const k = both.frames.findIndex((f) => f.at > at);
  return Math.max(a.header.nodes.length + b.header.nodes.length, k < 0 ? both.frames.length : k);
}

// finished tells that the pair is at its end: the verdict is the last word.
export const finished = computed(() => pair.value !== null && ended.value && count.value === length.value);
