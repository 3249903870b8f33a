// The ring: nodes, their links, and the messages between them; and what can be done to all of these.
import { useSignal, type Signal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Recording, Flight, Scene } from '../recording';
import { recording as shownRecording, mayIntervene, scene as shownScene, selection } from '../store';
import { memberships } from '../members/who';
import { embedded } from '../embed/embedded';
import { pair } from '../pair/pair';
import { between, named, planPair } from '../pair/plan';
import { clusters, nodeName } from '../words';
import { Bar } from './Bar';
import { neighbour, plan, type Plan, type Point } from './geometry';
import { byMouse, choose, chosen, close, drag, now as moment, open, opened, tip } from './hand';
import { Links, Ties } from './Links';
import { linkMenu, messageMenu, nodeMenu } from './menus';
import { MenuBox, placeBeside, type Frame } from './Menu';
import { Messages } from './Messages';
import { tipFor, tipOf } from './tip';
import { NodeMark } from './NodeMark';
import { Resource, Sheets } from './Resource';
import { cancel, holdTouch, lift, press, pull, wasDrag } from './pointer';
import './ring.css';

// Ring is the ring, and below it what can be done and what it means; bare without that.
export function Ring({ bare = false }: { bare?: boolean }) {
  const recording = shownRecording.value;
  const scene = shownScene.value;
  const surface = useRef<HTMLDivElement>(null);
  const size = useSignal({ width: 640, height: 420 });
  const reached = useSignal(0); // the node that the Tab key leads to
  useLayoutEffect(() => {
    const element = surface.current;
    if (!element) return;
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width > 0 && height > 0) size.value = { width, height };
    };
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    return () => watch.disconnect();
  }, [recording === null]);
  const { width, height } = size.value;
  const nodes = recording?.header.nodes.length ?? 0;
  const placed = useMemo(() => (pair.value ? planPair(width, height, pair.value.sides) : plan(width, height, nodes, recording?.header.servers ?? 0)), [width, height, nodes, recording, pair.value]);
  if (!recording || !scene) return <div class="ring" />;
  return (
    <div class="ring">
      <div class="ring-surface" ref={surface} onFocusIn={(event) => { reached.value = nodeAt(event.target) ?? reached.value; }}>
        <Picture recording={recording} scene={scene} placed={placed} reached={reached} />
        <Tip recording={recording} scene={scene} frame={{ width, height, places: placed.places }} />
        <MenuBox width={width} height={height} places={placed.places} />
      </div>
      {!bare && <Bar recording={recording} scene={scene} />}
    </div>
  );
}

interface PictureProps { recording: Recording; scene: Scene; placed: Plan }

function Picture({ recording, scene, placed, reached }: PictureProps & { reached: Signal<number> }) {
  const { width, height, places } = placed;
  const held = drag.value;
  const may = mayIntervene.value;
  const svg = useRef<SVGSVGElement>(null);
  useLayoutEffect(() => (svg.current ? holdTouch(svg.current) : undefined), []);
  const goTo = (node: number) => {
    reached.value = node;
    svg.current?.querySelector<SVGElement>(`[data-node="${node}"] [role=button]`)?.focus();
  };
  const pick = (flight: Flight, at: Point, by: Element) => pickMessage(flight, at, by);
  const members = memberships(recording, scene);
  return (
    <svg class="ring-picture" ref={svg} width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="group"
      aria-label={ringWords(recording)}
      onPointerDown={(event) => press(event, places)} onPointerMove={(event) => pull(event, places)} onPointerUp={(event) => lift(event, scene)}
      onPointerCancel={cancel} onClick={(event) => clicked(event, placed)} onKeyDown={(event) => keyed(event, placed, goTo)}
      onPointerOver={pointed} onPointerLeave={() => { tip.value = null; }}>
      {pair.value && <line class="pair-line" {...between(width, height)} />}
      {recording.header.sides && named(width, height).map((at, k) => <text key={k} class="pair-name" {...at} aria-hidden="true">{recording.header.sides![k]!.title}</text>)}
      <Ties recording={recording} scene={scene} places={places} />
      <Links recording={recording} scene={scene} places={places} onPick={may ? (a, b, event) => { event.stopPropagation(); open(linkMenu(a, b), spot(event), null); } : null} />
      <Resource recording={recording} scene={scene} placed={placed} />
      <Messages placed={placed} onPick={pick} onPoint={(flight, at) => { tip.value = flight && { message: flight.number, at }; }} />
      <Sheets recording={recording} scene={scene} placed={placed} />
      {scene.nodes.map((state, node) => {
        const place = places[node];
        return place && (
          <NodeMark key={node} recording={recording} node={node} state={state} place={place} current={scene.frame?.node === node}
            aimed={held !== null && 'to' in held && held.to === node} reached={reached.value === node}
            open={opened.value !== null && nodeAt(opened.value.back) === node} member={members?.[node] ?? null} />
        );
      })}
      <Drawn recording={recording} scene={scene} placed={placed} />
    </svg>
  );
}

// ringWords says what the picture is, to who does not see it.
function ringWords({ header }: Recording): string {
  const all = clusters(header).map(({ title, nodes, servers }) =>
    `${title ? `${title}, ` : ''}${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'}${servers.length > 0 ? ` and ${servers.length} beside them` : ''}`);
  return `${all.length > 1 ? `Two rings: ${all.join('; ')}` : `Ring of ${all[0]}`}. Arrow keys go from node to node.`;
}

// Drawn is what is being dragged: a link, or a box round nodes.
function Drawn({ recording, scene, placed }: PictureProps) {
  const held = drag.value;
  if (!held) return null;
  if ('corner' in held) {
    const [x, y] = [Math.min(held.corner.x, held.x), Math.min(held.corner.y, held.y)];
    return <rect class="ring-lasso" x={x} y={y} width={Math.abs(held.x - held.corner.x)} height={Math.abs(held.y - held.corner.y)} />;
  }
  const from = placed.places[held.from];
  const to = placed.places[held.to];
  if (!from) return null;
  const isCut = scene.cut.some(([a, b]) => a === held.from && b === held.to);
  const does = isCut ? 'heal' : 'cut';
  const word = to ? `${does} ${nodeName(recording, held.from)} ${held.oneWay ? '→' : '↔'} ${nodeName(recording, held.to)}` : 'drag to another node to cut the link';
  return (
    <g class={`ring-drag ring-drag-${does}`}>
      <line x1={from.x} y1={from.y} x2={to?.x ?? held.x} y2={to?.y ?? held.y} />
      <text x={Math.max(110, Math.min(placed.width - 110, (from.x + (to?.x ?? held.x)) / 2))} y={Math.max(16, (from.y + (to?.y ?? held.y)) / 2 - 10)}>{word}</text>
    </g>
  );
}

// Tip says what is under the pointer, as it is now: it changes while one looks.
function Tip({ recording, scene, frame }: { recording: Recording; scene: Scene; frame: Frame }) {
  const now = tip.value;
  const text = now && !drag.value && !opened.value ? 'node' in now ? tipFor(recording, scene, now.node, mayIntervene.value) : tipOf(recording, scene, now.message, moment.value.at) : '';
  if (!now || text === '') return null;
  if ('node' in now) return <NodeTip key={now.node} node={now.node} text={text} frame={frame} />;
  const left = Math.max(4, Math.min(now.at.x - 110, frame.width - 224));
  return <div class="ring-tip" aria-hidden="true" style={{ left: `${left}px`, top: `${now.at.y}px` }}>{text}</div>;
}

// NodeTip is beside its node, where it covers as little of the others as can be.
function NodeTip({ node, text, frame }: { node: number; text: string; frame: Frame }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => { if (box.current) placeBeside(box.current, node, frame); }, [node, frame.width, frame.height]);
  return <div class="ring-tip" aria-hidden="true" ref={box}>{text}</div>;
}

// nodeAt returns the node that an element is part of; null if it is part of none.
function nodeAt(target: EventTarget | null): number | null {
  const of = target instanceof Element ? target.closest('[data-node]')?.getAttribute('data-node') : null;
  return of ? Number(of) : null;
}

// spot returns where in the picture an event is.
export function spot(event: MouseEvent): Point {
  const box = (event.currentTarget instanceof SVGElement ? event.currentTarget.ownerSVGElement ?? event.currentTarget : null)?.getBoundingClientRect();
  return { x: event.clientX - (box?.left ?? 0) + 2, y: event.clientY - (box?.top ?? 0) + 2 };
}

function pickMessage(flight: Flight, at: Point, by: Element): void {
  const menu = mayIntervene.peek() ? messageMenu(flight) : null;
  if (menu) open(menu, { x: at.x + 10, y: at.y + 10 }, by);
  else selection.value = { message: flight.number };
}

// pickNode opens the menu of a node, or shows its state where nothing can be done to it.
function pickNode(node: number, placed: Plan, by: Element | null): void {
  const place = placed.places[node];
  const menu = mayIntervene.peek() ? nodeMenu(node) : null;
  if (menu && place) open(menu, { x: place.x + place.r * 0.7, y: place.y + place.r * 0.4 }, by, node);
  else if (embedded) tip.value = { node };
  else selection.value = { node };
}

function clicked(event: MouseEvent, placed: Plan): void {
  const active = document.activeElement;
  if (byMouse(event) && active instanceof SVGElement) active.blur();
  if (wasDrag()) return;
  const node = nodeAt(event.target);
  if (node !== null && event.shiftKey && mayIntervene.peek()) choose(node);
  else if (node !== null) pickNode(node, placed, event.target instanceof Element ? event.target.closest('[data-node]')?.querySelector('[role=button]') ?? null : null);
  else if (event.target === event.currentTarget) {
    chosen.value = new Set();
    selection.value = null;
    close(false);
  }
}

function keyed(event: KeyboardEvent, placed: Plan, goTo: (node: number) => void): void {
  const node = nodeAt(event.target);
  if (node === null) return;
  if (event.key.startsWith('Arrow') || event.key === 'Home' || event.key === 'End') goTo(neighbour(node, placed.places.length, event.key));
  else if (event.key === 'Enter' || event.key === ' ') pickNode(node, placed, event.target instanceof Element ? event.target : null);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function pointed(event: PointerEvent): void {
  if (event.pointerType === 'touch') return;
  const node = nodeAt(event.target);
  if (node !== null) tip.value = { node };
  else if (event.target === event.currentTarget) tip.value = null;
}
