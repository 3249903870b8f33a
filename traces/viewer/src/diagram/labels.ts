// The texts of a diagram: what a message is, along its arrow, and what a node does, beside its mark. Each only where there
// is room; what matters most is first.
import type { Kind, Look } from '../types';
import { doing, letters, messageWord, shorten } from '../words';
import type { Arrow } from './arrows';
import type { Brush } from './brush';
import type { Seen, Sight } from './paint';
import type { Room } from './room';
import { columnX, screenY, spacing } from './view';

const size = 11;
const many = 300; // messages: beyond, no label would be read

// labels writes at each message what it is: those of a reign's upkeep after the others.
export function labels(sight: Sight, brush: Brush, room: Room, seen: Seen[]): void {
  if (seen.length > many) return;
  for (const upkeep of [false, true]) {
    for (const one of seen) {
      if ((one.flight.upkeep === true) !== upkeep) continue;
      if (one.arrow.end !== 'lost' || !labelLost(sight, brush, room, one)) label(sight, brush, room, one);
    }
  }
}

// label writes along the arrow, above it, between two columns: first those before its receiver, where arrows that begin
// together are farthest from each other.
function label({ view, r }: Sight, brush: Brush, room: Room, { flight, arrow }: Seen): void {
  const dx = arrow.x1 - arrow.x0;
  const dy = arrow.y1 - arrow.y0;
  const length = Math.hypot(dx, dy);
  const span = Math.max(1, Math.abs(dx) / spacing(view));
  let angle = Math.atan2(dy, dx);
  if (angle > Math.PI / 2) angle -= Math.PI;
  const colour = flight.upkeep ? '--upkeep' : '--flight';
  const off = 7;
  const news = flight.news ? `${letters(flight.kind)} ${flight.news}` : flight.kind;
  for (const text of new Set([messageWord(flight), news, letters(flight.kind)])) {
    const width = brush.width(text, size) + 4;
    if (width > length / span - 2 * r - 8) continue;
    for (const t of span > 1.3 ? [1 - 0.5 / span, 0.5 / span, 0.5] : [0.5]) {
      const x = arrow.x0 + t * dx + off * Math.sin(angle);
      const y = arrow.y0 + t * dy - off * Math.cos(angle);
      if (y < view.header || !room.claimSlanted(x, y, width, 12, angle)) continue;
      brush.text(text, x, y, { size, colour, align: 'center', angle, halo: '--card' });
      return;
    }
  }
}

// labelLost writes beyond the cross at which a message ends, and reports whether there was room.
function labelLost({ view, r }: Sight, brush: Brush, room: Room, { flight, arrow }: Seen): boolean {
  const right = arrow.x1 >= arrow.x0;
  const x = arrow.x1 + (right ? 1 : -1) * (r + 4);
  for (const text of [messageWord(flight), letters(flight.kind)]) {
    const width = brush.width(text, 10);
    const x0 = right ? x : x - width;
    if (x0 < view.left || x0 + width > view.width - view.right || width > spacing(view)) continue;
    if (arrow.y1 < view.header + 8 || !room.claim(x0, arrow.y1 - 5, x0 + width, arrow.y1 + 5)) continue;
    brush.text(text, x, arrow.y1, { size: 10, colour: '--red', align: right ? 'left' : 'right', halo: '--card' });
    return true;
  }
  return false;
}

// notes writes beside a mark what its node does now: if first, only who leads, crashes, or was intervened in.
export function notes(sight: Sight, brush: Brush, room: Room, seen: Seen[], first: boolean): void {
  const { layout, view, from, to, r } = sight;
  if (spacing(view) < 64 || r < 3 || seen.length > many) return;
  const { axis, recording } = layout;
  for (let i = from; i < to; i++) {
    const place = axis.rows[i]!;
    const frame = recording.frames[place]!;
    const { node, kind } = frame;
    if (node < 0) continue;
    const changed = frame.state !== undefined && frame.state.look !== recording.stateOf(node, place).look;
    const grave = kind === 'crash' || kind === 'restart' || frame.by !== undefined;
    const weighs = grave || (changed && frame.state!.look === 'leads');
    if (changed && frame.state!.look === 'leads' && frame.state!.epoch > 0 && !grave) continue; // its band says so
    if (weighs !== first || (!changed && !grave && (kind === 'receive' || kind === 'save' || frame.upkeep))) continue;
    const text = shorten(recording, frame.text);
    const words = grave ? [text, deeds[kind] ?? ''] : changed ? [doing(recording, frame.state!, frame.node), frame.state!.look === 'stands' || frame.state!.unheard ? frame.state!.role : brief[frame.state!.look] ?? ''] : [text];
    note(sight, brush, room, seen, { words, node, y: screenY(view, axis.y[place]!), grave });
  }
}

// What doing says, in fewer words. Who wants to lead is what it calls itself: a candidate.
const brief: Partial<Record<Look, string>> = { waits: 'waits', idle: 'no leader', leads: 'leads', follows: 'follows' };

// deeds are what befalls a node, in as few words.
const deeds: Partial<Record<Kind, string>> = { crash: 'crashes', restart: 'is back', pause: 'is paused', resume: 'goes on' };

interface Note { words: string[]; node: number; y: number; grave: boolean }

// places are where a note may be: to which side of its mark, how much lower, and whether arrows may cross it.
const places = [
  [1, 0, false], [-1, 0, false], [1, -9, false], [-1, -9, false], [1, 9, false], [-1, 9, false], [1, -9, true], [-1, -9, true],
] as const;

// note writes beside a mark: first where no arrow crosses what is written.
function note({ view, r }: Sight, brush: Brush, room: Room, seen: Seen[], { words, node, y, grave }: Note): void {
  const x = columnX(view, node);
  const wide = Math.min(220, spacing(view) - 2 * r - 12);
  const text = words.find((word) => word !== '' && brush.width(word, size) <= wide) ;
  if (text === undefined) return; // its mark says what it is: no word is cut
  const width = brush.width(text, size);
  for (const [side, lower, crossed] of places) {
    const near = x + side * (r + 5);
    const x0 = side > 0 ? near : near - width;
    if (x0 < view.left || x0 + width > view.width - view.right || y < view.header + 8) continue;
    const box = { x0, y0: y + lower - 6, x1: x0 + width, y1: y + lower + 6 };
    if (seen.filter(({ arrow }) => crosses(arrow, box)).length > (crossed ? 1 : 0)) continue;
    if (!room.claim(box.x0, box.y0, box.x1, box.y1)) continue;
    brush.text(text, near, y + lower, { size, colour: grave ? '--red' : '--ink', align: side > 0 ? 'left' : 'right', halo: '--card' });
    return;
  }
}

interface Box { x0: number; y0: number; x1: number; y1: number }

// crosses reports whether an arrow goes through a box.
export function crosses({ x0, y0, x1, y1 }: Arrow, box: Box): boolean {
  if (y1 < box.y0 || y0 > box.y1 || Math.max(x0, x1) < box.x0 || Math.min(x0, x1) > box.x1) return false;
  const x = (y: number): number => (y1 === y0 ? x0 : x0 + (x1 - x0) * (y - y0) / (y1 - y0));
  const [a, b] = y1 === y0 ? [x0, x1] : [x(Math.max(y0, box.y0)), x(Math.min(y1, box.y1))];
  return Math.max(a, b) >= box.x0 && Math.min(a, b) <= box.x1;
}
