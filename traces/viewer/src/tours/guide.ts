// The guide: leads a visitor through a tour, from stop to stop.
import { batch, computed, effect, signal, untracked } from '@preact/signals';
import { line } from '../line';
import { hint } from '../hint/acts';
import type { Recording } from '../recording';
import { branches, count, engine, hides, intervene, length, more, moreShown, playing, problem, recording, runSpec, scene, seek, show, speed, until } from '../store';
import { pace, speeds } from '../transport/pacing';
import { passes } from '../transport/player';
import type { Frame, Opened, Problem, RunSpec } from '../types';
import { Seen } from './seen';
import { tours } from './stories';
import { about, nothing, words, type About, type Start, type Stop, type Tour } from './tour';

// Place is where a stop is: what was open then, and after how many frames.
interface Place { of: Recording; runSpec: RunSpec | null; start: Start; count: number }

// On is a tour that is on: the stop that it has come to or, while it goes, comes to; and the places of all stops up to that.
interface On { tour: Tour; stop: number; going: boolean; places: Place[] }

export const on = signal<On | null>(null);

// inTurn lets what people want of a tour happen in its order, however quickly they press.
const inTurn = line();

const leg = 4500;     // milliseconds from a stop to the next, at most, where the fastest speed can do it
const furthest = 2500; // frames from a stop to the next

// shown reports whether what is shown is still what the tour shows there: nobody has done anything to it.
const shown = (place: Place): boolean => recording.value === place.of && runSpec.value === place.runSpec;

// here is what is seen at the stop, if people are there: null while the tour goes, and while they look at something else.
export const here = computed<Seen | null>(() => {
  const now = on.value;
  const place = now?.places[now.stop];
  return now && place && !now.going && shown(place) && count.value === place.count && scene.value ? new Seen(place.of, scene.value) : null;
});

// aside tells that people look at something else than the tour: they have stepped, or done something.
export const aside = computed(() => {
  const now = on.value;
  const place = now?.places[now.stop];
  if (!now || !place || here.value) return false;
  return !now.going || !shown(place) || count.value > place.count;
});

export const caption = computed(() => (here.value ? words(on.value!.tour.stops[on.value!.stop]!, here.value) : ''));

// marked is what the tour speaks of.
export const marked = computed<About>(() => (here.value ? about(on.value!.tour.stops[on.value!.stop]!, here.value) : nothing));

// startTour begins a tour, and reports whether it does.
export function startTour(name: string): Promise<boolean> {
  return inTurn(() => begin(name));
}

async function begin(name: string): Promise<boolean> {
  const tour = tours.find((t) => t.name === name);
  if (!tour) return refuse(`There is no tour “${name}”. There are: ${tours.map((t) => t.name).join(', ')}.`);
  if (!engine.value) return refuse('Without its engine the page cannot play a tour.');
  hint.value = null;
  leave();
  passes.value = true;
  return go({ tour, stop: 0, going: true, places: [] });
}

function refuse(why: string): false {
  problem.value = { problem: why };
  return false;
}

// leave ends the tour. What is shown stays.
export function leave(): void {
  if (!on.value && !passes.value) return;
  batch(() => {
    on.value = null;
    passes.value = false;
    playing.value = false;
    speed.value = 1;
  });
}

// next goes on: to the next stop; if that is on its way, there at once.
export function next(): Promise<void> {
  return inTurn(toNext);
}

async function toNext(): Promise<void> {
  const now = on.value;
  const place = now?.places[now.stop];
  if (!now || !place) return;
  if (aside.value) return again(now.stop);
  if (now.going) { seek(place.count); return; }
  if (now.stop + 1 >= now.tour.stops.length) { leave(); return; }
  const places = length.value > place.count ? await reopened(now.stop) : now.places; // people have looked beyond it
  if (places) await go({ ...now, stop: now.stop + 1, going: true, places });
}

// back goes to the stop before.
export function back(): Promise<void> {
  return inTurn(async () => {
    if (on.value && on.value.stop > 0) await again(on.value.stop - 1);
  });
}

// again opens what was open at a stop, and goes there.
async function again(stop: number): Promise<void> {
  const places = await reopened(stop);
  if (places) on.value = { ...on.value!, going: false, places };
}

// reopened opens what was open at a stop, and returns the places up to that; null if the tour is over. Meanwhile the tour goes.
async function reopened(stop: number): Promise<Place[] | null> {
  const now = on.value!;
  const place = now.places[stop]!;
  const before = now.places.slice(0, stop);
  on.value = { ...now, stop, going: true, places: before };
  const of = await open(place.start, place.runSpec, place.count);
  if (of && recording.value === of && on.value) return [...before, { ...place, of, runSpec: runSpec.value }];
  leave();
  return null;
}

// open opens what a tour shows, at its beginning or after so many frames, and returns its recording.
async function open(start: Start, played?: RunSpec | null, to = 0): Promise<Recording | null> {
  const opened = await until(engine.value!, await answer(start, played), to);
  if (opened.problem && opened.frames.length === 0) {
    refuse(`The tour cannot begin: ${opened.problem.problem}`);
    return null;
  }
  void show(opened, to || Math.min(opened.frames.length, 'run' in start ? opened.header.nodes.length : 0));
  return recording.value;
}

async function answer(start: Start, played?: RunSpec | null): Promise<Opened> {
  if ('golden' in start) return engine.value!.openGolden(start.golden);
  if ('recording' in start) return { handle: 0, ended: true, ...start.recording };
  return engine.value!.begin(played ?? { runSpec: 1, nodes: start.run.scenario ? 0 : 5, profile: start.run.scenario ? '' : 'lan', seed: start.run.scenario ? 0 : 1, do: [], ...start.run });
}

// go lets the tour go to a stop. Until it is known where that is, the tour has no place there.
async function go(to: On): Promise<boolean> {
  const stop = to.tour.stops[to.stop]!;
  const places = to.places.slice(0, to.stop);
  const start = stop.begin ?? places.at(-1)!.start;
  batch(() => {
    problem.value = null;
    on.value = { ...to, going: true, places };
  });
  if (stop.begin && !await open(stop.begin)) { leave(); return false; }
  const then = to.tour.stops[to.stop - 1]?.then;
  if (!stop.begin && then) await intervene(then(new Seen(recording.value!, scene.value!)));
  const of = recording.value!;
  const found = await ahead(of, stop);
  if (!on.value || recording.value !== of) { leave(); return false; } // something else was opened
  if (found === null) {
    leave();
    const why = problem.peek() as Problem | null;
    return refuse(`The tour “${to.tour.title}” cannot go on at stop ${to.stop + 1}. ${why?.problem ?? 'What it waits for does not happen.'}`);
  }
  batch(() => {
    const going = found.to > count.value;
    on.value = { ...to, going, places: [...places, { of, runSpec: runSpec.value, start, count: found.to }] };
    if (going) {
      speed.value = speeds.find((s) => s >= 1 && found.takes / s <= leg) ?? speeds.at(-1)!;
      playing.value = true;
    }
  });
  return true;
}

// ahead returns after how many frames a stop is, and how long it takes to get there at the usual speed; null if it never comes.
async function ahead(of: Recording, stop: Stop): Promise<{ to: number; takes: number } | null> {
  const from = count.value;
  let last: Frame | undefined = of.frames[from - 1];
  let takes = 0;
  for (let to = from; to <= from + furthest; to++) {
    if (to > of.frames.length && (recording.value !== of || !await (stop.hidden ? more(1) : moreShown(furthest)))) return null; // no more than that: what the run has beyond is drawn, too
    const frame = of.frames[to - 1];
    if (to > from) {
      if (!frame || (hides(frame) && !stop.hidden)) continue;
      takes += hides(frame) ? 0 : pace(frame, last?.at ?? frame.at, { speed: 1, timed: of.header.timed });
      last = frame;
    }
    if (stop.at(new Seen(of, of.scene(to)))) return { to, takes };
  }
  return null;
}

// keepGuiding looks where people are from now on.
export function keepGuiding(): () => void {
  return effect(() => {
    const now = on.value;
    const open = recording.value;
    const plays = playing.value;
    const at = count.value;
    const place = now?.places[now.stop];
    if (!now || !place) return;
    untracked(() => {
      if (open !== place.of && !branches.value.some((b) => b.recording === place.of)) leave(); // something else was opened
      else if (now.going && shown(place) && at >= place.count) {
        batch(() => {
          playing.value = false;
          seek(place.count);
          on.value = { ...now, going: false };
        });
      } else if (plays && !now.going && here.value) { // Play goes on with the tour
        playing.value = false;
        void next();
      }
    });
  });
}
