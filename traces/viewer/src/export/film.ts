// The film of a recording: its ring, as it plays, in one file of SVG that moves by itself (SMIL). Every browser of today plays that, in a page, as an image
// and so in a README; it needs no codec, is as sharp as one likes, and is text. WebM would be played by fewer, and be made in the time that it takes to play.
import { memberships } from '../members/who';
import { wordsOf } from '../ring/lines';
import { byLane, moment, pairs, plan, share as gone, spread, type Plan, type Point } from '../ring/geometry';
import { along, cornersBetween, lanesOf, type Lane } from '../ring/lanes';
import { size } from '../ring/Messages';
import { left as leftOf, resourceAt, writesOf } from '../ring/writes';
import type { Flight, Recording, Scene } from '../recording';
import { named, part } from '../pair/plan';
import { clusters, moment as when, sentence, shorten } from '../words';
import { verdictOf } from '../embed/verdict';
import { blink, clockOf, share, Shown, type Clock } from './clock';
import { leases } from './lease';
import { cutLink, faint, nodeMark, passing, resourceMark, tie, verdictLine, type Appearance } from './marks';
import { escape, n, widthOf } from './svg';

// Options are what a film has: after how many frames it begins, whether heartbeats are in it, how many frames at most, and where nodes are, if not on one ring.
export interface Options { from?: number; upkeep?: boolean; frames?: number; plan?: (width: number, height: number) => Plan }

export const most = 240;          // frames that are shown
export const largest = 1_000_000; // bytes: a film that nobody can open is of no use
const page = { width: 720, ring: 400, top: 44, bottom: 84 };

// exportFilm returns the film. If it were too large, it has fewer frames.
export function exportFilm(recording: Recording, options: Options = {}): string {
  for (let frames = options.frames ?? most; ; frames = Math.floor(frames / 2)) {
    const film = filmOf(recording, { ...options, frames });
    if (film.length <= largest || frames <= 1) return film;
  }
}

function filmOf(recording: Recording, { from = 0, upkeep = false, frames = most, plan: place }: Options): string {
  const hidden = (k: number): boolean => !upkeep && recording.frames[k]!.upkeep === true && !recording.frames[k]!.indicators?.length;
  const clock = clockOf(recording, from, frames, (k) => !hidden(k));
  const scenes = clock.stills.map(({ count }) => recording.scene(count));
  const { nodes, servers = 0 } = recording.header;
  const placed = place?.(page.width, page.ring) ?? plan(page.width, page.ring, nodes.length, servers);
  const height = page.top + page.ring + page.bottom;
  const left = recording.frames.slice(clock.stills.at(-1)!.count).some((_, k) => !hidden(clock.stills.at(-1)!.count + k));
  const title = `${recording.header.title}${from > 0 || left ? `, ${clock.stills.length - 1} steps of it` : ''}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${page.width}" height="${height}" viewBox="0 0 ${page.width} ${height}" role="img" aria-labelledby="title what" ` +
    `font-family="system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif" font-size="13" fill="none">\n` +
    `<title id="title">${escape(recording.header.title)}</title>\n<desc id="what">${escape(recording.header.watch || 'Nodes that elect a leader, step by step.')}</desc>\n` +
    `<rect width="${page.width}" height="${height}" fill="#ffffff"/>\n` +
    lines(title, 14, 26, 15, 1, 'font-weight="600" fill="#1b1f24"') + '\n' +
    `<g transform="translate(0 ${page.top})">\n${ring(recording, scenes, clock, placed, upkeep)}\n</g>\n` +
    `<g transform="translate(0 ${page.top + page.ring})">\n${below(recording, scenes, clock)}\n</g>\n</svg>\n`;
}

function ring(recording: Recording, scenes: Scene[], clock: Clock, placed: Plan, upkeep: boolean): string {
  const { places } = placed;
  const servers = recording.header.servers ?? 0;
  const links = new Shown<string>(clock);
  const ties = new Shown<string>(clock);
  const marks = places.map(() => new Shown<Appearance>(clock));
  const now = places.map(() => [] as number[]);
  const writes = new Shown<string>(clock);
  scenes.forEach((scene, still) => {
    const members = memberships(recording, scene);
    for (const pair of pairs(places.length, servers, scene.cut)) {
      if (pair.there || pair.back) links.add(still, `${pair.a},${pair.b},${pair.there},${pair.back}`, cutLink(places[pair.a]!, places[pair.b]!, pair));
    }
    scene.nodes.forEach((state, node) => {
      const place = places[node]!;
      const to = places[state.leader];
      if (to && state.leader !== node && state.look !== 'down') ties.add(still, `${node},${state.leader},${state.epoch},${state.look}`, tie(place, to, state));
      const kind = members?.[node]?.kind ?? null;
      const is = { recording, node, state, place, kind, changing: members !== null, bound: recording.header.timed && leftOf(state.lease, scene.at) !== null, lines: wordsOf(recording, node, state, place.lines, members?.[node] ?? null) };
      marks[node]!.add(still, JSON.stringify([state.look, state.epoch, state.paused, state.saving, state.unheard, kind, is.bound, is.lines]), is);
      if (scene.frame?.node === node) now[node]!.push(still);
    });
    clusters(recording.header).forEach((side, k) => {
      if (!side.resource) return;
      const at = resourceAt(part(placed, recording.header, k), side.servers.length);
      const mark = resourceMark(side, writesOf(recording, side).after(recording.frames, scene.count), at);
      writes.add(still, mark, mark);
    });
  });
  const around = places.map(({ x, y, r }, node) =>
    (now[node]!.length > 0 ? blink(clock, now[node]!, `<circle cx="${n(x)}" cy="${n(y)}" r="${n(r + 11)}" stroke="#0a58a6" stroke-width="2" stroke-dasharray="2 5" stroke-linecap="round"/>`) : ''));
  const names = recording.header.sides ? named(placed.width, placed.height).map(({ x, y }, k) => `<text x="${n(x)}" y="${n(y)}" text-anchor="middle" font-weight="650" fill="#1b1f24">${escape(recording.header.sides![k]!.title)}</text>`) : [];
  return [...names, faint(recording.header, places), ties.drawn((d) => d), links.drawn((d) => d), writes.drawn((d) => d), flights(recording, scenes, clock, placed, upkeep),
    ...around, ...places.map((place, node) => leases(recording, scenes, clock, node, place)), ...marks.map((mark) => mark.drawn(nodeMark))].filter(Boolean).join('\n');
}

// flights are the messages, each from the still after which it is under way to the one at which it has been taken or lost.
function flights(recording: Recording, scenes: Scene[], clock: Clock, placed: Plan, upkeep: boolean): string {
  const laneOf = lanesOf(recording.header, placed);
  const ways = new Map<Flight, { first: number; shares: number[] }>();
  scenes.forEach((scene, still) => {
    const at = moment(recording.frames, scene.count, 0, recording.header.timed);
    for (const some of byLane(scene.flights.filter((f) => upkeep || !f.upkeep)).values()) {
      const lane = laneOf(some[0]!);
      if (!lane) continue;
      const shares = spread(some.map((f) => 0.08 + 0.92 * gone(f, at)), (2 * size + 5) / Math.max(1, lane.long));
      some.forEach((flight, k) => {
        const way = ways.get(flight) ?? { first: still, shares: [] };
        if (way.shares.length === 0) ways.set(flight, way);
        way.shares.push(shares[k]!);
      });
    }
  });
  return [...ways].map(([flight, { first, shares }]) => {
    const lane = laneOf(flight)!;
    const after = first + shares.length; // the still at which it is under way no more
    const over = after < clock.stills.length;
    if (over) shares.push(flight.taken ? 1 : 0.6);
    const stills = Array.from({ length: over ? shares.length - 1 : shares.length }, (_, k) => first + k);
    const moving = blink(clock, stills, travel(clock, first, lane, shares) + passing(flight, along(lane, shares[0]!).ends), ` data-message="${flight.number}"`);
    return over && !flight.taken ? `${moving}\n${blink(clock, [after], lost(along(lane, 0.6).at))}` : moving;
  }).join('\n');
}

// travel moves what it stands in along a lane, from still to still, and round the corners between.
function travel(clock: Clock, first: number, lane: Lane, shares: number[]): string {
  const stops = shares.flatMap((to, k) => {
    const then = clock.stills[first + k]?.at ?? clock.long;
    const stop = { at: then, point: along(lane, to).at };
    if (k === 0) return [stop];
    const [from, since] = [shares[k - 1]!, clock.stills[first + k - 1]!.at];
    return [...cornersBetween(lane, from, to).map(({ share: there, at: point }) => ({ at: since + ((there - from) / (to - from)) * (then - since), point })), stop];
  });
  if (stops[0]!.at > 0) stops.unshift({ ...stops[0]!, at: 0 });
  if (stops.at(-1)!.at < clock.long) stops.push({ ...stops.at(-1)!, at: clock.long });
  return `<animateTransform attributeName="transform" type="translate" dur="${clock.long}ms" repeatCount="indefinite" values="${stops.map(({ point: { x, y } }) => `${n(x)} ${n(y)}`).join(';')}" ` +
    `keyTimes="${stops.map(({ at }) => share(at, clock.long)).join(';')}"/>`;
}

function lost({ x, y }: Point): string {
  return `<path d="M${n(x - 7)} ${n(y - 7)}L${n(x + 7)} ${n(y + 7)}M${n(x + 7)} ${n(y - 7)}L${n(x - 7)} ${n(y + 7)}" stroke="#b3261e" stroke-width="3" stroke-linecap="round"/>`;
}

// below are what has just happened, what came of it, and how far the film is.
function below(recording: Recording, scenes: Scene[], clock: Clock): string {
  const said = scenes.map(({ frame, count }, still) => {
    const text = frame ? `${when(recording, frame.at)}  ${sentence(recording, frame)}${frame.note ? ` – ${shorten(recording, frame.note)}` : ''}` : 'Before it begins';
    return blink(clock, [still], lines(text, 14, 18, 13, 2, 'fill="#1b1f24"'), ` data-step="${count}"`);
  });
  const verdicts = new Shown<string>(clock);
  scenes.forEach((scene, still) => {
    const line = verdictOf(recording, scene);
    if (line) verdicts.add(still, `${line.light}${line.says}`, verdictLine(line, fit(line.says, page.width - 50, 12)));
  });
  const bar = `<rect x="0" y="${page.bottom - 4}" width="${page.width}" height="4" fill="#d3d5d9"/><rect x="0" y="${page.bottom - 4}" width="${page.width}" height="4" fill="#0a58a6">` +
    `<animate attributeName="width" dur="${clock.long}ms" repeatCount="indefinite" values="0;${page.width}"/></rect>`;
  return [...said, verdicts.drawn((d) => d), bar].filter(Boolean).join('\n');
}

// fit cuts a text that has no room.
function fit(text: string, width: number, size: number): string {
  if (widthOf(text, size) <= width) return text;
  let cut = text;
  while (cut.length > 1 && widthOf(`${cut}…`, size) > width) cut = cut.slice(0, -1);
  return `${cut.trimEnd()}…`;
}

// lines writes a text into so many lines at most.
function lines(text: string, x: number, y: number, size: number, many: number, attributes: string): string {
  const room = page.width - 2 * x;
  const all: string[] = [];
  let rest = text.split(/\s+/).filter(Boolean);
  while (rest.length > 0 && all.length < many) {
    let words = 1;
    while (words < rest.length && widthOf(rest.slice(0, words + 1).join(' '), size) <= room) words++;
    if (all.length === many - 1) words = rest.length;
    all.push(fit(rest.slice(0, words).join(' '), room, size));
    rest = rest.slice(words);
  }
  return all.map((line, k) => `<text x="${x}" y="${y + k * (size + 4)}" font-size="${size}" ${attributes}>${escape(line)}</text>`).join('');
}
