// The words beside a node: what they are, and where. They stand outside of the ring, beyond whatever is drawn round their node, and within the picture.
import { widthOf } from '../export/svg';
import { memberWord, type Membership } from '../members/who';
import type { Recording } from '../recording';
import type { MemberKind, NodeState } from '../types';
import { doing, nodeId, unheardWords } from '../words';
import type { Box } from './beside';
import { inner, type Place, type Point } from './geometry';

export type Anchor = 'start' | 'middle' | 'end';

// Line is a line of words: where it begins, ends or has its middle, and its baseline.
export interface Line extends Point { text: string; anchor: Anchor; size: number; bold: boolean }

// Beside is what stands beside a node, round its middle: its lines, and the middle of the button below them, if there is one.
export interface Beside { lines: Line[]; deed: Point | null }

// Below is what comes after the words: a button, or how long the node waits, which may be nothing now; and how far a mark round the node, and its shape, reach beyond its rim.
export interface Below { deed?: boolean; wait?: string; around?: number; wide?: number }

export const deedHalf = { x: 33, y: 12 };
const high = 14; // of a line

// wordsOf returns the words beside a node, as many lines as there is room for.
export function wordsOf(recording: Recording, node: number, state: NodeState, room: number, member: Membership | null): string[] {
  const role = state.look === 'down' || state.role === nodeId(recording, node) ? '' : state.role;
  const kind = memberWord(member); // where there is one line only it goes before the role: the shape says that as well
  const does = doing(recording, state, node);
  if (state.unheard) return unheardWords(recording, state).slice(0, room > 0 ? 2 : 0);
  return (room > 1 ? [role, kind, does === role ? '' : does] : [kind, role]).filter(Boolean).slice(0, room);
}

// besideOf lays words out. A button for which there is no room is left out: the menu of the node has it, too.
export function besideOf(words: string[], { x, r, side, low, from, to, lean }: Place, state: NodeState, { deed: wanted = false, wait, around = 0, wide = 0 }: Below = {}): Beside {
  const aside = side === 'left' || side === 'right';
  const crown = state.look === 'leads' ? 15 : state.look === 'waits' && !aside ? Math.max(wide, 4) : state.look === 'stands' ? Math.max(wide, r * 0.22) : wide;
  const off = r + Math.max(14 + wide, around + 4);
  const room = side === 'left' ? x - off - from : side === 'right' ? to - x - off : to - from;
  const deed = wanted && room >= 2 * deedHalf.x;
  const atSide = low && deed && !aside; // a low picture has no room for a button above or below
  const says = deed && side === 'below' && !low ? words.slice(0, 1) : words;
  const tail = deed ? (atSide ? 0 : 29) : wait !== undefined ? high : 0;
  const first = side === 'above' ? -r - Math.max(8 + crown, around + 5) - (says.length - 1) * high - tail
    : aside ? 11 - (says.length * high + tail) / 2 : r + Math.max(20 + wide, around + 14);
  const anchor: Anchor = side === 'left' ? 'end' : side === 'right' ? 'start' : 'middle';
  const at = side === 'left' ? -off : side === 'right' ? off : 0;
  const last = first + says.length * high;
  const short = (text: string, size: number): string => (widthOf(text, size) <= room ? text : text.replace(/:.*/, ''));
  const lines = says.map((text, k): Line => ({ text: short(text, k === 0 ? 13 : 12), x: at, y: first + k * high, anchor, size: k === 0 ? 13 : 12, bold: k === 0 }));
  if (wait && !deed) lines.push({ text: wait, x: at, y: last, anchor, size: 11, bold: false });
  const button = atSide ? { x: off + deedHalf.x, y: side === 'above' ? 4 - r : r - 4 } : { x: at + (side === 'left' ? -deedHalf.x : side === 'right' ? deedHalf.x : 0), y: last + 4 };
  return { lines: lines.map((line) => within(leaning(line, lean, inner * r), x, from, to)), deed: deed ? button : null };
}

// leaning moves a line that is long so far to one side that on the other it reaches no farther than is said.
function leaning(line: Line, lean: -1 | 0 | 1, far: number): Line {
  const { left, right } = boxOf(line);
  return line.anchor === 'middle' ? { ...line, x: line.x + lean * Math.max(0, (right - left) / 2 - far) } : line;
}

// within moves a line of a node at x so that neither edge of the picture cuts it.
function within(line: Line, x: number, from: number, to: number): Line {
  const { left, right } = boxOf(line);
  return { ...line, x: line.x + Math.max(0, from + 2 - x - left) - Math.max(0, x + right - (to - 2)) };
}

// boxOf returns the part of the picture that a line takes.
export function boxOf({ text, x, y, anchor, size, bold }: Line): Box {
  const long = widthOf(text, size, bold);
  const left = anchor === 'start' ? x : anchor === 'end' ? x - long : x - long / 2;
  return { left, right: left + long, top: y - size * 0.85, bottom: y + size * 0.3 };
}

// wideOf is how far the shape of a member reaches beyond a disc.
export function wideOf(member: { kind: MemberKind | null } | null, r: number): number { return member?.kind === 'observer' ? r * 0.22 : 0; }
