// The list of what has happened, as text: a row for each frame. Only the rows that are to be seen are in the page.
import { computed, signal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { when } from '../diagram/axis';
import { Mark } from '../diagram/Key';
import { kindColour, shapes } from '../diagram/shapes';
import type { Recording } from '../recording';
import { count, recording, length, seek, upkeep } from '../store';
import { walk } from '../transport/player';
import { configurationOf, stampWord } from '../members/who';
import { capital, indicatorWord, kindWord, nodeId, nodeName, shorten } from '../words';
import './List.css';
import { inBrief, partOf, Rows, scrollTo } from './rows';

const row = 32; // pixels: as in List.css

const node = signal(-1);
const text = signal('');
const scrolled = signal(0);
const height = signal(400);
const narrow = signal(false);  // sentences do not fit: their first words go, which the mark of a row says as well

const rowsNow = computed<Rows | null>(() => recording.value && new Rows(recording.value, { node: node.value, text: text.value, upkeep: upkeep.value }));

// grown returns the rows of all frames that there are by now. It reads length, so that who calls it is called again.
function grown(): Rows | null {
  const rows = rowsNow.value;
  if (length.value >= 0) rows?.update();
  return rows;
}

export function List() {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      height.value = place.current?.clientHeight ?? 0;
      narrow.value = (place.current?.clientWidth ?? 0) < 480;
    });
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, []);
  useSignalEffect(() => {
    const rows = grown();
    const at = rows?.rowOf(count.value) ?? -1;
    if (place.current && rows && height.value > 0) reveal(place.current, Math.max(0, at), rows.places.length);
  });
  const rows = grown();
  const now = recording.value;
  if (!rows || !now) return <section class="list" aria-label="Events"><div ref={place} class="list-rows" /></section>;
  const all = rows.places.length;
  const current = rows.rowOf(count.value);
  const { from, to } = partOf(all, scrolled.value, height.value, row);
  const drawn = Array.from({ length: to - from }, (_, i) => from + i);
  if (current >= 0 && (current < from || current >= to)) drawn.push(current); // what is active must be in the page
  return (
    <section class={`list${narrow.value ? ' list-narrow' : ''}`} aria-label="Events">
      <Filters recording={now} rows={all} />
      <div
        ref={place} class="list-rows" role="listbox" tabIndex={0} aria-label="Events"
        aria-activedescendant={current >= 0 ? `list-${current}` : undefined}
        onScroll={(event) => { scrolled.value = event.currentTarget.scrollTop; }}
        onKeyDown={(event) => press(event, rows, current)}
      >
        <div class="list-all" role="presentation" style={{ height: `${all * row}px` }}>
          {drawn.map((i) => <Row key={i} recording={now} place={rows.places[i]!} i={i} all={all} current={i === current} exact={rows.places[i] === count.value - 1} />)}
        </div>
        {all === 0 && <p class="list-none">{now.frames.length === 0 ? 'Nothing has happened yet.' : 'No event is like that.'}</p>}
      </div>
    </section>
  );
}

// reveal scrolls to a row, at once: what moves by itself is hard to read.
function reveal(list: HTMLElement, at: number, rows: number): void {
  const to = scrollTo(at, rows, list.scrollTop, list.clientHeight, row);
  if (Math.abs(to - list.scrollTop) >= 1) requestAnimationFrame(() => { list.scrollTop = to; });
}

// Filters reads length: of a recording that grows the props do not say that there is more.
function Filters({ recording: of, rows }: { recording: Recording; rows: number }) {
  return (
    <div class="list-filters">
      <label>
        <span>Node</span>
        <select value={String(node.value)} onChange={(event) => { node.value = Number(event.currentTarget.value); }}>
          <option value="-1">all</option>
          {of.header.nodes.map((_, i) => <option value={String(i)}>{nodeName(of, i)}</option>)}
        </select>
      </label>
      <label class="list-find">
        <span>Find</span>
        <input
          type="search" value={text.value} placeholder="e.g. CLAIM"
          onInput={(event) => { text.value = event.currentTarget.value; }} onKeyDown={(event) => event.stopPropagation()}
        />
      </label>
      <output class="list-count">{counted(rows)}</output>
    </div>
  );
}

// counted says how many events there are, and what is not among them.
function counted(rows: number): string {
  const all = length.value;
  if (rows === all) return `${rows} events`;
  if (node.value >= 0 || text.value.trim() !== '') return `${rows} of ${all} events`;
  return `${rows} events, ${all - rows} ${all - rows === 1 ? 'heartbeat' : 'heartbeats'} hidden`;
}

// RowProps: where we are is at the current row, or after it, in what is not shown.
interface RowProps { recording: Recording; place: number; i: number; all: number; current: boolean; exact: boolean }

function Row({ recording: of, place, i, all, current, exact }: RowProps) {
  const frame = of.frames[place]!;
  const red = frame.indicators?.find((indicator) => indicator.light === 'red');
  const words = shorten(of, frame.text);
  const brief = narrow.value ? inBrief(frame, words) : words;
  const note = frame.note ? shorten(of, frame.note) : '';
  const who = frame.node >= 0 ? nodeId(of, frame.node) : '';
  const kind = kindWord(frame.kind);
  const told = toldOf(of, place);
  const look = frame.node >= 0 ? of.stateOf(frame.node, place + 1).look : 'idle';
  return (
    <div
      id={`list-${i}`} role="option" aria-selected={current} aria-setsize={all} aria-posinset={i + 1} style={{ top: `${i * row}px` }}
      class={`list-row${current ? (exact ? ' list-current' : ' list-before') : ''}${place >= count.value ? ' list-later' : ''}`}
      title={capital(`${words}${note ? `: ${note}` : ''}`)} onClick={() => seek(place + 1)}
    >
      <span class="list-at">{when(of, place)}</span>
      <span class="list-kind" title={kind}>
        <Mark kind={frame.kind} size={13} colour={`var(${kindColour(frame.kind, look)})`} /><b>{shapes[frame.kind].letter}</b>
      </span>
      <span class="list-node">{who}</span>
      <span class="list-text">{brief}{note && <i> – {note}</i>}</span>
      {told && <span class="list-by" title="It has another version of the members now">{told}</span>}
      {frame.by && <span class="list-by">{frame.by === 'you' ? 'you' : 'plan'}</span>}
      {red && <span class="list-red" title={`${indicatorWord(red.name)}: broken`}><span aria-hidden="true">▲</span> {indicatorWord(red.name)}</span>}
      {frame.rule && <span class="list-rule" title={frame.rule}>{frame.rule.split(' ')[0]}</span>}
    </div>
  );
}

// toldOf returns which version of the members a node has come to have in a frame: "v2"; '' if that is as before.
function toldOf(of: Recording, place: number): string {
  const { node, state } = of.frames[place]!;
  const now = configurationOf(of, state?.configuration);
  return now && now.members.length > 0 && now !== configurationOf(of, of.stateOf(node, place).configuration) ? stampWord(now) : '';
}

// press goes from row to row. Keys that mean nothing here go on to the page.
function press(event: KeyboardEvent, rows: Rows, current: number): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const page = Math.max(1, Math.floor(height.value / row) - 1);
  const to: Record<string, number> = {
    ArrowDown: current + 1, ArrowUp: current - 1, PageDown: current + page, PageUp: current - page, Home: 0, End: rows.places.length - 1,
  };
  const wanted = to[event.key];
  if (wanted === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  const last = rows.places.length - 1;
  if (event.key === 'ArrowDown' && wanted > last) void walk(1, 1); // a run goes on
  else if (wanted < 0) seek(0);
  else if (last >= 0) seek(rows.places[Math.min(wanted, last)]! + 1);
}
