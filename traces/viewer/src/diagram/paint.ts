// Paints what a view shows of a layout, with any brush. Nothing here knows where we are: the cursor has a layer of its own.
import { changeWords, configurationOf } from '../members/who';
import { epochName, isServer, nodeName, nodeId, time } from '../words';
import { when } from './axis';
import { bandColour, cut, type Brush, type Stroke } from './brush';
import type { Layout } from './layout';
import { notes, labels } from './labels';
import { Room } from './room';
import { kindColour, shapes } from './shapes';
import { columnX, layoutY, screenY, spacing, type View } from './view';
import type { Recording, Flight } from '../recording';
import type { Arrow } from './arrows';

const dense = 1200; // arrows: beyond, those that would cover each other are left out

// Sight is what is to be seen, which everything that paints needs.
export interface Sight { layout: Layout; view: View; top: number; bottom: number; from: number; to: number; r: number }

// Seen is an arrow where it is on the screen.
export interface Seen { flight: Flight; arrow: Arrow }

// sightOf finds out what a view shows.
export function sightOf(layout: Layout, view: View): Sight {
  const top = layoutY(view, view.header - 8);
  const bottom = layoutY(view, view.height + 8);
  const [from, to] = layout.axis.visible(top, bottom);
  const r = Math.max(1, Math.min(5.5, 0.4 * 14 * view.k, 0.16 * spacing(view)));
  return { layout, view, top, bottom, from, to, r };
}

// paint paints it all.
export function paint(layout: Layout, view: View, brush: Brush): void {
  const sight = sightOf(layout, view);
  const room = new Room();
  brush.box(0, 0, view.width, view.height, '--card');
  paintBands(sight, brush);
  paintCuts(sight, brush, room);
  paintChanges(sight, brush, room);
  paintLives(sight, brush);
  brush.flush();
  const seen = paintArrows(sight, brush);
  brush.flush();
  paintMarks(sight, brush, room);
  paintReds(sight, brush);
  brush.flush();
  paintTags(sight, brush, room);
  paintTold(sight, brush, room);
  paintTimes(sight, brush);
  if (sight.to - sight.from <= 400) {
    notes(sight, brush, room, seen, true);
    labels(sight, brush, room, seen);
    notes(sight, brush, room, seen, false);
  }
  brush.flush();
  paintNames(sight, brush);
  brush.flush();
}

// fitting returns the first of some words for which there is room; '' if there is for none: no word is cut.
function fitting(brush: Brush, words: string[], room: number): string {
  return words.find((text) => brush.width(text, 11, true) <= Math.min(330, room)) ?? '';
}

function bandWidth(view: View): number { return Math.max(8, Math.min(30, 0.62 * spacing(view))); }

function paintBands({ layout, view, top, bottom }: Sight, brush: Brush): void {
  const w = bandWidth(view);
  for (const band of layout.bands(top, bottom)) {
    const y0 = Math.max(0, screenY(view, band.from));
    const y1 = Math.min(view.height, screenY(view, band.to));
    brush.band(columnX(view, band.node) - w / 2, y0, w, Math.max(1, y1 - y0), band.epoch);
  }
}

// tag returns which epoch a reign is of, in as many words as there is room for: "rev. 12" rather than a word that is cut.
function tag(brush: Brush, recording: Recording, { node, epoch }: { node: number; epoch: number }, room: number): string {
  const name = epochName(recording, node);
  const all = epoch === 0 ? ['leads', 'L'] : [...(room >= 110 ? [`leads ${name} ${epoch}`] : []), ...(room >= 64 ? [`${name} ${epoch}`, `${name.slice(0, 3)}. ${epoch}`] : []), `${epoch}`];
  return all.find((one) => brush.width(one, 11, true) <= room - 6) ?? '';
}

// paintTags writes at each reign which epoch it is of, as far up as the reign is to be seen.
function paintTags({ layout, view, top, bottom }: Sight, brush: Brush, room: Room): void {
  for (const band of layout.bands(top, bottom)) {
    const x = columnX(view, band.node);
    const y0 = Math.max(screenY(view, band.from) - 2, view.header + 2);
    if (screenY(view, band.to) - y0 < 13) continue;
    const text = tag(brush, layout.recording, band, spacing(view));
    if (!text) continue;
    const w = brush.width(text, 11, true) + 8;
    const last = screenY(view, band.to) - 7;
    const first = band.from < top ? y0 + 8 : y0 - 10;
    let y = first;
    while (y <= last && y < first + 120 && !room.free(x - w / 2, y - 7, x + w / 2, y + 7)) y += 2;
    if (y > last || y >= first + 120) y = first; // there is no room anywhere: it matters more than what it covers
    room.take(x - w / 2, y - 7, x + w / 2, y + 7);
    brush.box(x - w / 2, y - 7, w, 14, bandColour(band.epoch));
    brush.text(text, x, y, { size: 11, bold: true, colour: '--ink', align: 'center' });
  }
}

function paintLives({ layout, view, top, bottom }: Sight, brush: Brush): void {
  for (let node = 0; node < view.columns; node++) {
    const x = columnX(view, node);
    let painted = -Infinity;
    for (const part of layout.stretches(node, top, bottom)) {
      if (part.life === 'absent') continue;
      const y0 = Math.max(view.header, screenY(view, part.from), painted);
      const y1 = Math.min(view.height, screenY(view, part.to));
      if (y1 - y0 < 0.5) continue; // it would not be seen, and there may be thousands
      painted = y1;
      if (part.life === 'paused') {
        brush.line(x - 2.5, y0, x - 2.5, y1, 'paused');
        brush.line(x + 2.5, y0, x + 2.5, y1, 'paused');
      } else {
        brush.line(x, y0, x, y1, part.life);
      }
    }
  }
}

// paintCuts paints a line where links are cut or healed, and beside the columns for how long some are.
function paintCuts({ layout, view, top, bottom }: Sight, brush: Brush, room: Room): void {
  const { axis, recording } = layout;
  const x1 = view.width - view.right;
  for (const part of layout.severed(top, bottom)) {
    const y0 = Math.max(view.header, screenY(view, part.from));
    const y1 = Math.min(view.height, screenY(view, part.to));
    for (let y = y0; y < y1; y += 7) brush.line(x1 + 1, Math.min(y + 5, y1), x1 + 6, y, 'cut');
    brush.line(x1 + 1, y0, x1 + 1, y1, 'edge');
  }
  let last = -Infinity;
  for (const place of layout.cuts) {
    const y = screenY(view, axis.y[place]!);
    if (axis.y[place]! < top || axis.y[place]! > bottom || y - last < 3) continue;
    last = y;
    brush.line(view.left, y, x1, y, 'cut');
    const frame = recording.frames[place]!;
    const text = fitting(brush, [frame.text, 'links change'], x1 - view.left - 30);
    const w = brush.width(text, 11);
    if (text && room.claim(x1 - w - 8, y - 15, x1 - 4, y - 2)) {
      brush.text(text, x1 - 4, y - 8, { size: 11, colour: '--red', align: 'right', halo: '--card' });
    }
    brush.mark(shapes.links, view.left + 5, y, 5, '--red', false);
  }
}

// paintChanges paints a line where a leader changes the members, and says how.
function paintChanges({ layout, view, top, bottom }: Sight, brush: Brush, room: Room): void {
  const { axis, recording } = layout;
  const x1 = view.width - view.right;
  let last = -Infinity;
  for (const { place, node, made } of layout.told) {
    const y = screenY(view, axis.y[place]!);
    if (!made || axis.y[place]! < top || axis.y[place]! > bottom || y - last < 3) continue;
    last = y;
    brush.line(view.left, y, x1, y, 'members');
    const is = configurationOf(recording, recording.frames[place]!.state!.configuration)!;
    const was = configurationOf(recording, recording.stateOf(node, place).configuration);
    const text = fitting(brush, [`version ${is.version}: ${changeWords(recording, was, is)}`, `version ${is.version}`], x1 - view.left - 30);
    const w = brush.width(text, 11, true);
    const spots = [[x1 - w - 4, 'right'], [view.left + 8, 'left']] as const;
    const spot = spots.find(([x]) => text && room.claim(x - 4, y - 15, x + w + 4, y - 2));
    if (spot) brush.text(text, spot[0], y - 8, { size: 11, bold: true, colour: '--accent', align: 'left', halo: '--card' });
  }
}

// paintTold writes beside the line of a node which version of the members it has come to have, where there is room.
function paintTold({ layout, view, top, bottom, r }: Sight, brush: Brush, room: Room): void {
  if (r < 3 || spacing(view) < 34) return;
  for (const { place, node, word } of layout.told) {
    const at = layout.axis.y[place]!;
    if (at < top || at > bottom) continue;
    const [x, y] = [columnX(view, node), screenY(view, at)];
    const w = brush.width(word, 10, true) + 6;
    for (const [side, lower] of [[1, 0], [-1, 0], [1, 10], [-1, 10]] as const) {
      const x0 = side > 0 ? x + r + 4 : x - r - 4 - w;
      if (x0 < view.left || x0 + w > view.width - view.right || !room.claim(x0, y + lower - 7, x0 + w, y + lower + 7)) continue;
      brush.box(x0, y + lower - 6.5, w, 13, '--glow');
      brush.text(word, x0 + w / 2, y + lower, { size: 10, bold: true, colour: '--ink', align: 'center' });
      break;
    }
  }
}

function strokeOf(flight: Flight, arrow: Arrow, many: boolean): Stroke {
  if (many) return flight.upkeep ? 'faintest' : 'faint';
  if (arrow.end === 'lost') return 'lost';
  if (flight.upkeep) return 'upkeep';
  return arrow.end === 'open' ? 'open' : 'flight';
}

// paintArrows paints the messages, and returns those that a label might fit, with where they are on the screen.
function paintArrows({ layout, view, top, bottom, from, to, r }: Sight, brush: Brush): Seen[] {
  const all: Seen[] = [];
  const many = to - from > dense;
  const gap = many ? Math.max(2, (to - from) / 1200) : 0;
  const last = new Float64Array(view.columns * view.columns).fill(-Infinity);
  const heads = view.k * 14 >= 3.5;
  layout.arrows.each(top, bottom, (flight, a) => {
    const pair = flight.from * view.columns + flight.to;
    const y0 = screenY(view, a.y0);
    if (many) {
      if (y0 - last[pair]! < gap) return;
      last[pair] = y0;
    }
    const arrow = { x0: columnX(view, a.x0), y0, x1: columnX(view, a.x1), y1: screenY(view, a.y1), end: a.end };
    const stroke = strokeOf(flight, arrow, many);
    brush.line(arrow.x0, arrow.y0, arrow.x1, arrow.y1, stroke);
    if (many) return;
    if (arrow.end === 'lost') {
      brush.mark(shapes.lose, arrow.x1, arrow.y1, Math.max(2, 0.8 * r), '--red', false);
    } else if (heads) {
      tip(brush, arrow, arrow.end === 'taken' ? r + 0.5 : 0, stroke);
    }
    all.push({ flight, arrow });
  });
  return all;
}

// tip paints the head of an arrow, as far from its end as the mark there is large.
function tip(brush: Brush, arrow: Arrow, off: number, stroke: Stroke): void {
  const dx = arrow.x1 - arrow.x0;
  const dy = arrow.y1 - arrow.y0;
  const length = Math.hypot(dx, dy);
  if (length < 8) return;
  brush.head(arrow.x1 - off * dx / length, arrow.y1 - off * dy / length, dx / length, dy / length, stroke);
}

function paintMarks({ layout, view, from, to, r }: Sight, brush: Brush, room: Room): void {
  const { axis, recording } = layout;
  const last = new Float64Array(view.columns).fill(-Infinity);
  for (let i = from; i < to; i++) {
    const place = axis.rows[i]!;
    const frame = recording.frames[place]!;
    if (frame.node < 0) continue;
    const y = screenY(view, axis.y[place]!);
    const grave = frame.kind === 'crash';
    if (y - last[frame.node]! < (r < 1.6 ? 2 : 1.5) && !grave) continue; // they cover each other
    last[frame.node] = y;
    const x = columnX(view, frame.node);
    const size = grave ? Math.max(3, r) : frame.kind === 'receive' ? 0.8 * r : r;
    brush.mark(shapes[frame.kind], x, y, size, kindColour(frame.kind, layout.looks[place]!), frame.by !== undefined && r > 3);
    if (r > 2) room.take(x - r - 1, y - r + 1, x + r + 1, y + r - 1);
  }
}

// paintReds marks in the margin where an indicator turned red.
function paintReds({ layout, view, top, bottom }: Sight, brush: Brush): void {
  const x = view.width - view.right / 2 + 1;
  let last = -Infinity;
  for (const place of layout.reds) {
    const at = layout.axis.y[place]!;
    const y = screenY(view, at);
    if (at < top || at > bottom || y - last < 6) continue;
    last = y;
    brush.mark(shapes.start, x, y, 7, '--red', false);
    brush.text('!', x, y + 1, { size: 10, bold: true, colour: '--on', align: 'center' });
    brush.line(view.left, y, x - 8, y, 'dots');
  }
}

// gapWords returns how long a gap is, in ways of which none reads as a moment.
function gapWords(us: number): string[] {
  const [number = '', unit = ''] = time(us).split(' ');
  return [`↕ ${number} ${unit}`, `↕${number} ${unit}`, `+${number} ${unit}`, `↕${Math.round(Number(number))} ${unit}`, '↕'];
}

// paintTimes writes when the frames are, where there is room, and how long the gaps are.
function paintTimes({ layout, view, top, bottom, from, to }: Sight, brush: Brush): void {
  const { axis, recording } = layout;
  const room = new Room();
  const x = view.left - 14;
  brush.line(view.left - 6, view.header, view.left - 6, view.height, 'edge');
  for (const gap of axis.gaps()) {
    if (gap.to < top) continue;
    if (gap.from > bottom) break;
    const h = (gap.to - gap.from) * view.k;
    const y = screenY(view, (gap.from + gap.to) / 2);
    if (h < 8) continue;
    paintBreak(brush, view, y);
    const text = gapWords(gap.time).find((one) => brush.width(one, 10) <= x - 4) ?? '';
    if (h >= 26 && room.claim(0, y - 8, x, y + 8)) brush.text(text, x - 3, y, { size: 10, colour: '--soft', align: 'right' });
  }
  let last = -Infinity;
  let was = '';
  for (let i = from; i < to; i++) {
    const place = axis.rows[i]!;
    const y = screenY(view, axis.y[place]!);
    if (y - last < 17 || y < view.header + 6 || !room.claim(0, y - 7, x, y + 7)) continue;
    const text = when(recording, place);
    if (text === was) continue;
    last = y;
    was = text;
    brush.text(text, x, y, { size: 11, colour: '--ink', align: 'right' });
    brush.line(view.left - 10, y, view.left - 6, y, 'break');
  }
}

// paintBreak paints across all columns that there is more time than room.
function paintBreak(brush: Brush, view: View, y: number): void {
  for (let node = -1; node < view.columns; node++) {
    const x = node < 0 ? view.left - 6 : columnX(view, node);
    brush.box(x - 5, y - 2.5, 10, 5, '--card');
    brush.line(x - 5, y - 1, x + 5, y - 4, 'break');
    brush.line(x - 5, y + 4, x + 5, y + 1, 'break');
  }
}

function paintNames({ layout, view }: Sight, brush: Brush): void {
  const { recording } = layout;
  brush.box(0, 0, view.width, view.header, '--card');
  brush.line(0, view.header - 0.5, view.width, view.header - 0.5, 'edge');
  brush.flush();
  const long = recording.header.nodes.map((_, node) => nodeName(recording, node));
  const wide = long.every((name) => brush.width(name, 12, true) <= spacing(view) - 6);
  for (let node = 0; node < view.columns; node++) {
    const name = wide ? long[node]! : nodeId(recording, node);
    const text = cut(brush, name, spacing(view) - 4, 12, true) || name.slice(0, 2);
    brush.text(text, columnX(view, node), view.header / 2, { size: 12, bold: true, colour: isServer(recording, node) ? '--soft' : '--ink', align: 'center' });
  }
  brush.text(recording.header.timed ? 'time' : 'event', view.left - 12, view.header / 2, { size: 10, colour: '--soft', align: 'right' });
}
