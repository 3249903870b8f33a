// What a run looks like from afar, drawn from the run itself: a line of each node, the highest at the top, from the beginning to the end. Who leads
// has a bar in the colour of its epoch; who wants to, a lower one; who follows a thin line; who is down none.
import { effect, signal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { engine } from '../store';
import type { Entry } from './entries';

const known = new Map<string, Signal<string[] | null>>();
const waiting: (() => Promise<void>)[] = [];
let works = false;

// work asks for one after the other: what people do meanwhile waits for one at most.
async function work(): Promise<void> {
  works = true;
  for (let next = waiting.shift(); next; next = waiting.shift()) await next();
  works = false;
}

// sketchOf returns what an entry looks like, once it is known: it is asked for when it is seen for the first time.
function sketchOf(entry: Entry): Signal<string[] | null> {
  let rows = known.get(entry.key);
  if (rows) return rows;
  known.set(entry.key, (rows = signal<string[] | null>(null)));
  const kind = entry.scenario ? 'scenario' : entry.group === 'refused' ? 'refused' : 'golden';
  const name = entry.scenario?.name ?? entry.golden!.name;
  waiting.push(async () => { rows.value = (await engine.value?.sketch(kind, name))?.rows ?? []; });
  if (!works) void work();
  return rows;
}

// Bar is a time in which a node is one thing, in columns.
interface Bar { from: number; to: number; is: string }

// bars returns what a node is, and how long.
export function bars(row: string): Bar[] {
  return [...row.matchAll(/(.)\1*/g)].map((found) => ({ from: found.index, to: found.index + found[0].length, is: found[1]! }));
}

// leadersOf says in words who leads, one after the other: that is what the picture shows.
export function leadersOf(rows: string[]): string {
  const said: string[] = [];
  const wide = Math.max(0, ...rows.map((row) => row.length));
  for (let column = 0; column < wide; column++) {
    const who = rows.flatMap((row, node) => (/\d/.test(row[column] ?? '') ? [String(node + 1)] : [])).join(' and ') || 'nobody';
    if (said.at(-1) !== who) said.push(who);
  }
  return `Who leads, from the beginning to the end: ${said.join(', ')}.`;
}

const high = 8; // of a line

function Mark({ bar, y }: { bar: Bar; y: number }) {
  const { from, to, is } = bar;
  if (/\d/.test(is)) return <rect x={from} y={y + 1} width={to - from} height={high - 2} style={{ fill: `var(--epoch-${is})` }} />;
  if (is === 's') return <rect x={from} y={y + 2.5} width={to - from} height={high - 5} style={{ fill: 'var(--stands)' }} />;
  if (is === 'w') return <rect x={from} y={y + 3} width={to - from} height={2} style={{ fill: 'var(--waits)' }} />;
  if (is === 'p') return <rect class="gal-paused" x={from} y={y + 2} width={to - from} height={high - 4} />;
  return is === 'f' ? <rect x={from} y={y + 3.5} width={to - from} height={1} style={{ fill: 'var(--edge)' }} /> : null;
}

export function Sketch({ entry }: { entry: Entry }) {
  const box = useRef<HTMLDivElement>(null);
  const rows = useRef(signal<string[] | null>(null)).current;
  useEffect(() => {
    if (!box.current) return undefined;
    let stop = (): void => undefined;
    const watch = new IntersectionObserver((seen) => {
      if (!seen.some((one) => one.isIntersecting)) return;
      watch.disconnect();
      const of = sketchOf(entry);
      stop = effect(() => { rows.value = of.value; });
    });
    watch.observe(box.current);
    return () => { watch.disconnect(); stop(); };
  }, [entry.key]);
  const now = rows.value;
  return (
    <div class="gal-sketch" ref={box}>
      {now && now.length > 0 && (
        <svg viewBox={`0 0 60 ${now.length * high}`} preserveAspectRatio="none" role="img" aria-label={leadersOf(now)}>
          {now.flatMap((row, node) => bars(row).map((bar) => <Mark key={`${node} ${bar.from}`} bar={bar} y={(now.length - 1 - node) * high} />))}
        </svg>
      )}
    </div>
  );
}
