// The menu that is open, as HTML over the picture.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { beside } from './beside';
import type { Place } from './geometry';
import { byMouse, close, opened } from './hand';
import type { Item, Menu } from './menus';

export interface Frame { width: number; height: number; places: Place[] }

export function MenuBox(frame: Frame) {
  const now = opened.value;
  if (!now) return null;
  return <Open key={now.menu.title} frame={frame} />;
}

// keys moves the focus among the lines that do something. What is typed here means nothing to the rest of the page.
function keys(event: KeyboardEvent, box: HTMLElement, back: () => boolean): void {
  event.stopPropagation();
  const items = [...box.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const at = items.findIndex((item) => item === document.activeElement);
  const to = new Map([['ArrowDown', at + 1], ['ArrowUp', at - 1], ['Home', 0], ['End', items.length - 1]]).get(event.key);
  if (to !== undefined) items.at(to % items.length)?.focus();
  else if (event.key === 'Escape') close(true);
  else if (event.key === 'ArrowLeft') back();
  else {
    if (event.key === 'Tab') close(true);
    return;
  }
  event.preventDefault();
}

function Open({ frame }: { frame: Frame }) {
  const now = opened.value!;
  const deeper = useSignal<Menu[]>([]); // menus that this one has led to
  const box = useRef<HTMLDivElement>(null);
  const menu = deeper.value.at(-1) ?? now.menu;
  const back = () => {
    if (deeper.value.length === 0) return false;
    deeper.value = deeper.value.slice(0, -1);
    return true;
  };
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    if (now.node === undefined) place(element, now.at, frame);
    else placeBeside(element, now.node, frame);
    element.querySelector<HTMLElement>('[role=menuitem]')?.focus({ preventScroll: true });
  }, [menu, frame.width, frame.height]);
  useLayoutEffect(() => {
    const outside = (event: PointerEvent) => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) close(false);
    };
    document.addEventListener('pointerdown', outside, true);
    return () => document.removeEventListener('pointerdown', outside, true);
  }, []);
  const pick = (item: Item, event: MouseEvent) => {
    if ('more' in item) deeper.value = [...deeper.value, item.more()];
    else if ('does' in item) { close(!byMouse(event)); item.does(); }
  };
  return (
    <div class="ring-menu" role="menu" aria-label={menu.title} ref={box} onKeyDown={(event) => keys(event, event.currentTarget, back)}>
      <div class="ring-menu-head" role="presentation">
        <strong>{menu.title}</strong>
        {menu.says && <span>{menu.says}</span>}
      </div>
      {deeper.value.length > 0 && <Line item={{ label: '‹ Back', does: () => undefined }} pick={back} />}
      {menu.items.map((item) => <Line item={item} pick={pick} key={item.label} />)}
    </div>
  );
}

function Line({ item, pick }: { item: Item; pick: (item: Item, event: MouseEvent) => void }) {
  if ('heading' in item) return <div class="ring-menu-part" role="presentation">{item.label}</div>;
  return (
    <button type="button" role="menuitem" tabIndex={-1} class={`ring-menu-item${item.danger ? ' ring-danger' : ''}`}
      aria-haspopup={'more' in item ? 'menu' : undefined} onClick={(event) => pick(item, event)}>
      <span>{item.label}</span>
      {item.hint && <small>{item.hint}</small>}
      {'more' in item && <span aria-hidden="true">›</span>}
    </button>
  );
}

const least = 160; // pixels of a menu that are always there

// fit returns how far down a box may reach, in pixels of the picture, so that the bar at the bottom of the window does not hide it. A box that is
// higher than there is room for scrolls.
function fit(box: HTMLElement, surface: number, top: number): number {
  const bar = document.querySelector('.transport')?.getBoundingClientRect().top ?? innerHeight;
  const bottom = Math.max(bar - 4 - surface, top + least);
  box.style.maxHeight = `${bottom - top}px`;
  return bottom;
}

// place puts a box beside a point, within the picture where it fits.
function place(box: HTMLElement, at: { x: number; y: number }, frame: Frame): void {
  const { offsetWidth: wide, offsetHeight: high } = box;
  const left = at.x + wide + 4 > frame.width ? Math.max(4, Math.min(at.x - wide, frame.width - wide - 4)) : at.x;
  const surface = box.offsetParent?.getBoundingClientRect().top ?? 0;
  const bottom = Math.min(frame.height - 4, fit(box, surface, Math.max(4, 4 - surface)));
  const top = Math.max(4, Math.min(at.y, bottom - Math.min(high, box.offsetHeight)));
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
}

// placeBeside puts a box beside a node. It may lie over what is beside the picture, but not beyond the window.
export function placeBeside(box: HTMLElement, node: number, { width, height, places }: Frame): void {
  const own = places[node];
  const surface = box.offsetParent?.getBoundingClientRect();
  if (!own || !surface) return;
  const wide = document.documentElement.clientWidth;
  const top = Math.max(4 - surface.top, -8); // what is above the picture says what to do: it must not be covered
  const under = wide < 520 && own.y < height / 2 ? own.y + own.r + 10 + box.offsetHeight : 0; // a phone has no room beside it, and scrolls
  const bottom = Math.min(Math.max(box.offsetHeight + 4, height + 30, under), fit(box, surface.top, top));
  const room = { left: 4 - surface.left, right: wide - 4 - surface.left, top, bottom };
  const others = places.filter((_, k) => k !== node);
  const at = beside(own, others, { x: width / 2, y: height / 2 }, box.offsetWidth, box.offsetHeight, room);
  box.style.left = `${at.x}px`;
  box.style.top = `${at.y}px`;
}
