// The words beside a node, with what people most want to do to it, and how long it waits; and what all of that takes of the picture.
import { widthOf } from '../export/svg';
import type { Membership } from '../members/who';
import type { Recording } from '../recording';
import { crash, mayIntervene, restart, resume } from '../store';
import { marked } from '../tours/guide';
import type { NodeState } from '../types';
import { isWait, time } from '../words';
import type { Box } from './beside';
import type { Place, Point } from './geometry';
import { did, now } from './hand';
import type { Taken } from './spots';
import { besideOf, boxOf, deedHalf, wideOf, wordsOf, type Beside } from './lines';

const kinds: Record<number, string> = { 13: 'ring-role', 12: 'ring-does', 11: 'ring-left' }; // of lines, by their size

// Words stand outside of the ring. The last line is what people most want to do to the node, or else the wait that ends next.
export function Words({ recording, node, state, place, member }: { recording: Recording; node: number; state: NodeState; place: Place; member: Membership | null }) {
  const { lines, deed } = besideNode(recording, node, state, place, member);
  return (
    <g class="ring-words">
      {lines.map(({ text, x, y, anchor, size }, k) => <text key={k} class={kinds[size]} x={x} y={y} style={{ textAnchor: anchor }}>{text}</text>)}
      {deed && <Deed {...deedOf(node, state)!} x={deed.x} y={deed.y} />}
    </g>
  );
}

// besideNode is what stands beside a node on the page.
function besideNode(recording: Recording, node: number, state: NodeState, place: Place, member: Membership | null): Beside {
  const deed = mayIntervene.value && deedOf(node, state) !== null;
  return besideOf(wordsOf(recording, node, state, place.lines, member), place, state, {
    deed, ...(place.lines > 2 && { wait: leftWords(recording, state, place) }), around: marked.value.nodes.has(node) ? rim(node) + 2 : 0, wide: wideOf(member, place.r),
  });
}

// takenBy is what no other word may lie on: a node, with what is round it and the words beside it.
export function takenBy(recording: Recording, node: number, state: NodeState, place: Place, member: Membership | null): Taken {
  const { x, y, r } = place;
  const { lines, deed } = besideNode(recording, node, state, place, member);
  const button = deed ? [moved({ left: -deedHalf.x, right: deedHalf.x, top: -deedHalf.y, bottom: deedHalf.y }, deed)] : [];
  const crown = state.look === 'leads' ? [{ left: -17, right: 17, top: -r - 18, bottom: -r }] : [];
  const out = r * 0.78;
  const badges: Point[] = [...(state.look === 'waits' ? [{ x: -out, y: -out }] : []), ...(state.paused || state.unheard ? [{ x: out, y: -out }] : []), ...(state.saving ? [{ x: out, y: out * 0.3 }] : [])];
  const around = marked.value.nodes.has(node) ? rim(node) + 2 : state.look === 'leads' ? 8 : state.look === 'stands' ? r * 0.2 : 5 + wideOf(member, r);
  return {
    discs: [{ x, y, r: r + around }, ...badges.map((at) => ({ x: x + at.x, y: y + at.y, r: 10 }))],
    boxes: [...lines.map(boxOf), ...button, ...crown].map((box) => moved(box, place)),
  };
}

function moved({ left, right, top, bottom }: Box, by: Point): Box {
  return { left: left + by.x, right: right + by.x, top: top + by.y, bottom: bottom + by.y };
}

// rim is how far from the rim of a node its mark in a tour is: beyond that of its lease.
export function rim(node: number): number { return marked.value.leases.has(node) ? 15 : 12; }

// deedOf returns the one thing that people most want to do: kill who leads, restart who is down, resume who is paused.
function deedOf(node: number, state: NodeState): { label: string; does: () => void } | null {
  if (state.look === 'down') return state.role === 'not started' ? null : { label: 'Restart', does: () => restart(node) };
  if (state.paused) return { label: 'Resume', does: () => resume(node) };
  return state.look === 'leads' ? { label: 'Kill', does: () => crash(node) } : null;
}

// Deed is a button for the pointer. The keyboard has the menu of the node, of which it is the first line.
function Deed({ label, does, x, y }: { label: string; does: () => void; x: number; y: number }) {
  return (
    <g class="ring-deed" data-deed={label} transform={`translate(${x} ${y})`} aria-hidden="true"
      onPointerDown={(event) => event.stopPropagation()}
      onClick={(event) => { event.stopPropagation(); does(); did(); }}>
      <rect x={-deedHalf.x} y={-deedHalf.y} width={2 * deedHalf.x} height={2 * deedHalf.y} rx="12" />
      <text y="4.5">{label}</text>
    </g>
  );
}

// leftWords say how long the node waits still, and for what if there is room for that.
function leftWords(recording: Recording, state: NodeState, { x, r, from, to, side }: Place): string {
  const due = nextWait(state);
  if (!due || !recording.header.timed || state.look === 'down') return '';
  const still = time(Math.max(0, Math.round((due.at - now.value.at) / 1000) * 1000));
  const room = side === 'left' ? x - r - 14 - from : side === 'right' ? to - x - r - 14 : to - from;
  return [`${due.timer} ${still}`].find((text) => widthOf(text, 11) <= room) ?? still;
}

// nextWait returns the timer that ends a wait of the node soonest.
export function nextWait(state: NodeState): { timer: string; at: number } | null {
  let soonest: { timer: string; at: number } | null = null;
  for (const { timer, at } of state.timers ?? []) {
    if (at && isWait(timer) && (!soonest || at < soonest.at)) soonest = { timer, at };
  }
  return soonest;
}
