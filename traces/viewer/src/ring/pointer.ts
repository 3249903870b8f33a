// Dragging: from a node to another, which cuts or heals their link; from the ground, round nodes, which takes them into the
// group. With a finger only the first, as the page must still scroll.
import type { Scene } from '../recording';
import { cut, heal, mayIntervene } from '../store';
import type { Link } from '../types';
import { nearest, type Place, type Point } from './geometry';
import { chosen, did, drag, oneWay, tip } from './hand';

const least = 8; // pixels that a pointer moves before it drags, and no longer clicks

let dragged = false; // the click that ends a drag is no click

// wasDrag reports whether a click is the end of a drag.
export function wasDrag(): boolean {
  const was = dragged;
  dragged = false;
  return was;
}

let began: { at: Point; node: number; pointer: number } | null = null;

function where(event: PointerEvent): Point {
  const box = event.currentTarget instanceof Element ? event.currentTarget.getBoundingClientRect() : { left: 0, top: 0 };
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

// press is where a drag may begin.
export function press(event: PointerEvent, places: Place[]): void {
  began = null;
  dragged = false;
  if (!mayIntervene.peek() || event.button !== 0) return;
  const at = where(event);
  const node = nearest(places, at, 4);
  if (node < 0 && (event.pointerType === 'touch' || event.target !== event.currentTarget)) return;
  began = { at, node, pointer: event.pointerId };
}

// pull goes on with it.
export function pull(event: PointerEvent, places: Place[]): void {
  if (!began || began.pointer !== event.pointerId) return;
  const at = where(event);
  if (!drag.peek()) {
    if (Math.hypot(at.x - began.at.x, at.y - began.at.y) < least) return;
    if (event.currentTarget instanceof Element) event.currentTarget.setPointerCapture(event.pointerId);
    tip.value = null;
  }
  if (began.node < 0) {
    drag.value = { corner: began.at, ...at };
    chosen.value = within(places, began.at, at);
    return;
  }
  const over = nearest(places, at);
  drag.value = { from: began.node, to: over === began.node ? -1 : over, ...at, oneWay: event.shiftKey !== oneWay.peek() };
}

// within returns the nodes whose middle is in a box.
function within(places: Place[], a: Point, b: Point): Set<number> {
  const inside = (v: number, p: number, q: number) => v >= Math.min(p, q) && v <= Math.max(p, q);
  return new Set([...places.keys()].filter((k) => inside(places[k]!.x, a.x, b.x) && inside(places[k]!.y, a.y, b.y)));
}

// lift ends it: on another node, it cuts what is whole and heals what is cut.
export function lift(event: PointerEvent, scene: Scene): void {
  const held = drag.peek();
  if (!began || began.pointer !== event.pointerId) return;
  began = null;
  drag.value = null;
  dragged = held !== null;
  if (!held || 'corner' in held || held.to < 0) return;
  const links: Link[] = held.oneWay ? [[held.from, held.to]] : [[held.from, held.to], [held.to, held.from]];
  const isCut = (link: Link) => scene.cut.some((c) => c[0] === link[0] && c[1] === link[1]);
  if (isCut(links[0]!)) heal(links.filter(isCut));
  else cut(links.filter((link) => !isCut(link)));
  did();
}

// holdTouch keeps the page from scrolling under a finger that drags a node. Browsers look at touch-action of the outermost SVG
// element only, and the page must still scroll under a finger that is elsewhere on the picture. It returns what ends it.
export function holdTouch(svg: SVGSVGElement): () => void {
  let on = false;
  const start = (event: TouchEvent): void => {
    on = mayIntervene.peek() && event.touches.length === 1 && event.target instanceof Element && event.target.closest('.ring-node') !== null;
  };
  const move = (event: TouchEvent): void => { if (on && event.cancelable) event.preventDefault(); };
  svg.addEventListener('touchstart', start, { passive: true });
  svg.addEventListener('touchmove', move, { passive: false });
  return () => {
    svg.removeEventListener('touchstart', start);
    svg.removeEventListener('touchmove', move);
  };
}

export function cancel(): void {
  began = null;
  drag.value = null;
}
