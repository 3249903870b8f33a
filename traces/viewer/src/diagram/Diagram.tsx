// The space-time diagram of a recording: time goes down, each node is a column, messages are arrows.
import { effect, signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { coming, count, recording, seek, length, playing, progress, scene, selection, upkeep } from '../store';
import { colour, theme } from '../theme';
import { capital, doing } from '../words';
import './Diagram.css';
import { countOf, frameAt, hitAt, type Hit } from './hit';
import { Key } from './Key';
import { Surface } from './surface';
import { tipOf } from './tip';

// Pointed is what is pointed at, where, and to which side of that there is more room for words.
interface Pointed { hit: NonNullable<Hit>; x: number; y: number; side: string }

const still = typeof matchMedia === 'undefined' ? null : matchMedia('(prefers-reduced-motion: reduce)');
const arrow = 60; // pixels that an arrow key scrolls

export function Diagram() {
  const lower = useRef<HTMLCanvasElement>(null);
  const upper = useRef<HTMLCanvasElement>(null);
  const whole = useRef<HTMLCanvasElement>(null);
  const surface = useRef<Surface | null>(null);
  const [pointed] = useState(() => signal<Pointed | null>(null));
  const [away] = useState(() => signal(false));
  const [key, setKey] = useState(false);

  useEffect(() => {
    const made = new Surface(lower.current!, upper.current!, whole.current!, colour);
    made.tell = (told) => { away.value = told.away; };
    surface.current = made;
    const ends = [
      watch(made), fill(made, lower.current!.parentElement!), point(made, upper.current!, (p) => { pointed.value = p; }), slide(made, whole.current!),
    ];
    return () => { ends.forEach((end) => end()); made.close(); };
  }, [away, pointed]);

  return (
    <section class="dia" aria-label="Space-time diagram">
      <div class="dia-bar" role="toolbar" aria-label="View of the diagram">
        <button type="button" aria-label="Zoom out" title="Zoom out (−)" onClick={() => surface.current?.magnify(1 / 1.5)}>−</button>
        <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick={() => surface.current?.magnify(1.5)}>+</button>
        <button type="button" title="Show all of it (0)" onClick={() => surface.current?.fit()}>Fit</button>
        <button type="button" disabled={!away.value} title="Go to where we are (c)" onClick={() => surface.current?.follow(true)}>Here</button>
        <span class="dia-space" />
        <button type="button" aria-expanded={key} onClick={() => setKey(!key)}>Key</button>
      </div>
      {key && <Key changing={(recording.value?.configurations.length ?? 0) > 0} />}
      <div class="dia-both">
        <div class="dia-surface">
          <canvas ref={lower} aria-hidden="true" />
          <canvas ref={upper} tabIndex={0} role="application" aria-label={label()} onKeyDown={(event) => press(event, surface.current)} />
          {pointed.value && <Tip pointed={pointed.value} />}
        </div>
        <canvas ref={whole} class="dia-whole" aria-hidden="true" title="All of it: drag to go there" />
      </div>
    </section>
  );
}

// label says to who cannot see the diagram what it is, and where the same is to be had as text.
function label(): string {
  const now = recording.value;
  if (!now || !scene.value) return 'Diagram of a run';
  const nodes = scene.value.nodes.map((node, i) => `${now.header.nodes[i]} ${doing(now, node, i)}`).filter((_, i) => i < 12).join('; ');
  return `Diagram of ${now.header.title}, after ${count.value} of ${length.value} events: ${nodes}. `
    + `Arrow keys scroll, plus and minus zoom.${now.header.sides ? '' : ' The list of events has the same as text.'}`; // a pair shows no list
}

// watch keeps the surface as the store is.
function watch(surface: Surface): () => void {
  const ends = [
    effect(() => surface.show(recording.value, upkeep.value)),
    effect(() => { if (length.value >= 0) surface.grown(); }),
    effect(() => { if (theme.value) requestAnimationFrame(() => surface.repaint()); }), // the page has its colours by then
    effect(() => {
      const to = count.value;
      const part = still?.matches ? 0 : progress.value;
      if (recording.value === null) return;
      if (to !== surface.now.count && !playing.peek()) surface.following = true;
      surface.now.count = to;
      surface.now.progress = part;
      surface.now.coming = coming.value;
      surface.follow(false);
      surface.moved();
    }),
    effect(() => { if (playing.value) surface.follow(true); }),
    effect(() => {
      const chosen = selection.value;
      surface.now.chosen = chosen && 'message' in chosen ? chosen : null;
      surface.moved();
    }),
  ];
  return () => ends.forEach((end) => end());
}

// fill makes the surface as large as its place.
function fill(surface: Surface, place: HTMLElement): () => void {
  const observer = new ResizeObserver(() => surface.resize(place.clientWidth, place.clientHeight));
  observer.observe(place);
  return () => observer.disconnect();
}

// point finds out what is pointed at, and goes to what is clicked at.
function point(surface: Surface, on: HTMLCanvasElement, tell: (pointed: Pointed | null) => void): () => void {
  let key = '';
  const show = (hit: Hit, x: number, y: number) => {
    const now = JSON.stringify(hit);
    if (now !== key) { surface.now.hover = hit; surface.moved(); tell(hit && { hit, x, y, side: sideOf(surface, x, y) }); }
    key = now;
  };
  const at = (event: PointerEvent | MouseEvent): [Hit, number, number] => {
    const { left, top } = on.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    const reach = event instanceof PointerEvent && event.pointerType === 'touch' ? 14 : 6;
    return [surface.layout && hitAt(surface.layout, surface.view, x, y, reach), x, y];
  };
  const move = (event: PointerEvent) => {
    if (event.buttons) show(null, 0, 0);
    else if (event.pointerType !== 'touch') show(...at(event));
    on.style.cursor = surface.now.hover ? 'pointer' : '';
  };
  const leave = () => show(null, 0, 0);
  const click = (event: MouseEvent) => {
    const [hit, , y] = at(event);
    if (!surface.layout || y < surface.view.header) return;
    seek(hit ? countOf(surface.layout, hit) : frameAt(surface.layout, surface.view, y));
    if (hit && 'message' in hit) selection.value = hit;
  };
  on.addEventListener('pointermove', move);
  on.addEventListener('pointerleave', leave);
  on.addEventListener('wheel', leave, { passive: true });
  on.addEventListener('click', click);
  return () => {
    on.removeEventListener('pointermove', move);
    on.removeEventListener('pointerleave', leave);
    on.removeEventListener('wheel', leave);
    on.removeEventListener('click', click);
  };
}

// slide scrolls to where the overview is pressed.
function slide(surface: Surface, on: HTMLCanvasElement): () => void {
  const move = (event: PointerEvent) => {
    if (event.type === 'pointermove' && !event.buttons) return;
    if (event.type === 'pointerdown') on.setPointerCapture(event.pointerId);
    surface.goTo(event.clientY - on.getBoundingClientRect().top);
  };
  on.addEventListener('pointerdown', move);
  on.addEventListener('pointermove', move);
  return () => {
    on.removeEventListener('pointerdown', move);
    on.removeEventListener('pointermove', move);
  };
}

function sideOf({ view }: Surface, x: number, y: number): string {
  return `${x > view.width / 2 ? 'dia-tip-left' : 'dia-tip-right'} ${y > view.height / 2 ? 'dia-tip-over' : 'dia-tip-under'}`;
}

// press scrolls and zooms. Keys that mean nothing here go on to the page.
function press(event: KeyboardEvent, surface: Surface | null): void {
  if (!surface || event.ctrlKey || event.metaKey || event.altKey) return;
  const page = 0.85 * (surface.view.height - surface.view.header);
  const keys: Record<string, () => void> = {
    ArrowUp: () => surface.scroll(-arrow), ArrowDown: () => surface.scroll(arrow),
    PageUp: () => surface.scroll(-page), PageDown: () => surface.scroll(page),
    Home: () => surface.scroll(-1e9), End: () => surface.scroll(1e9),
    '+': () => surface.magnify(1.5), '=': () => surface.magnify(1.5), '-': () => surface.magnify(1 / 1.5),
    '0': () => surface.fit(), c: () => surface.follow(true),
  };
  const does = keys[event.key];
  if (!does) return;
  does();
  event.preventDefault();
  event.stopPropagation();
}

function Tip({ pointed }: { pointed: Pointed }) {
  const now = recording.value;
  if (!now) return null;
  const tip = tipOf(now, pointed.hit);
  if (!tip.title) return null;
  const style = { left: `${pointed.x}px`, top: `${pointed.y}px` };
  return (
    <div class="dia-tip-at" style={style} aria-hidden="true">
      <div class={`dia-tip ${pointed.side}`}><strong>{tip.title}</strong>{tip.more.map((line) => <span>{capital(line)}</span>)}</div>
    </div>
  );
}
