// What people are about to do on the ring, before they have done it: signals of their own, as nobody else needs them.
import { computed, effect, signal } from '@preact/signals';
import { coming, recording, playing, progress, scene, selection } from '../store';
import { Longest, moment, type Now, type Point } from './geometry';
import type { Menu } from './menus';

// opened is the menu that is open, where, what gets the focus back, and of which node it is, if of one.
export const opened = signal<{ at: Point; menu: Menu; back: Element | null; node?: number | undefined } | null>(null);

// chosen are the nodes that are to be cut off from the rest.
export const chosen = signal<ReadonlySet<number>>(new Set());

// oneWay says that dragging cuts one direction only.
export const oneWay = signal(false);

// Drag is what is being drawn: from a node to another, or round several.
export type Drag = { from: number; to: number; x: number; y: number; oneWay: boolean } | { corner: Point; x: number; y: number } | null;
export const drag = signal<Drag>(null);

// tip is the node or the message under the pointer: of it is said what it is now.
export const tip = signal<{ node: number } | { message: number; at: Point } | null>(null);

const still = typeof matchMedia === 'undefined' ? null : matchMedia('(prefers-reduced-motion: reduce)');
const motionless = signal(still?.matches ?? false);
still?.addEventListener('change', () => { motionless.value = still.matches; });

// now is the moment that is shown. Who wants no motion sees frames only, and nothing between them.
export const now = computed<Now>(() => {
  const shown = recording.value;
  const count = scene.value?.count ?? 0;
  if (!shown) return { count, progress: 0, at: 0, timed: false };
  return moment(shown.frames, count, motionless.value ? 0 : progress.value, shown.header.timed, coming.value);
});

const longest = new WeakMap<object, Longest>();

// longestOf returns how long a timer runs at most.
export function longestOf(timer: string): number {
  const shown = recording.value;
  if (!shown) return 0;
  let of = longest.get(shown);
  if (!of) longest.set(shown, (of = new Longest()));
  return of.of(shown.frames, timer);
}

let went = false;

// open shows a menu. Time stands still while it is open.
export function open(menu: Menu, at: Point, back: Element | null, node?: number): void {
  if (!opened.peek()) went = playing.peek();
  playing.value = false;
  tip.value = null;
  opened.value = { at, menu, back, node };
}

// close ends it, and time goes on if it did before.
export function close(focus: boolean): void {
  const was = opened.peek();
  if (!was) return;
  opened.value = null;
  if (focus && (was.back instanceof HTMLElement || was.back instanceof SVGElement)) was.back.focus();
  if (went) playing.value = true;
}

// byMouse reports whether a click is of a mouse. Then nothing needs the focus, and keys are the page's: → is a step on.
export function byMouse(event: MouseEvent): boolean {
  return typeof PointerEvent !== 'undefined' && event instanceof PointerEvent && event.pointerType === 'mouse';
}

// choose takes a node into the group, or out of it.
export function choose(node: number): void {
  const next = new Set(chosen.peek());
  if (!next.delete(node)) next.add(node);
  chosen.value = next;
}

// did is called when something has been done: what the panel says then is what has happened.
export function did(): void {
  selection.value = null;
  chosen.value = new Set();
}

// Another recording has other nodes.
effect(() => {
  void recording.value;
  opened.value = null;
  chosen.value = new Set();
  drag.value = null;
  tip.value = null;
});
