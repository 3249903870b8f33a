// Films: that they are well-formed, bounded, move, and show at each moment what the page shows then.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { clockOf } from '../src/export/clock';
import { exportFilm, largest } from '../src/export/film';
import { Recording } from '../src/recording';
import { left } from '../src/ring/writes';
import type { Frame, Header } from '../src/types';
import { realEngine } from './real';

const source = join(import.meta.dirname, '../src');

function recorded(name: string): Recording {
  const { header, frames } = JSON.parse(readFileSync(join(source, `fixtures/${name}.json`), 'utf8')) as { header: Header; frames: Frame[] };
  const recording = new Recording(header);
  recording.add(frames);
  return recording;
}

// Element is an element of a film, as far as tests ask.
interface Element { name: string; attributes: Record<string, string>; children: Element[]; text: string }

// parsed reads XML, and fails if it is none.
function parsed(xml: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  let at = 0;
  for (const found of xml.matchAll(/<(\/?)([a-zA-Z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g)) {
    const [whole, end, name, attributes, alone] = found;
    const between = xml.slice(at, found.index);
    assert.doesNotMatch(between, /[<>]|&(?!amp;|lt;|gt;|quot;)/);
    open.at(-1)!.text += between;
    at = found.index + whole.length;
    if (end) { assert.equal(open.pop()!.name, name); continue; }
    const element: Element = { name: name!, children: [], text: '', attributes: Object.fromEntries([...attributes!.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, key, value]) => [key!, value!])) };
    open.at(-1)!.children.push(element);
    if (!alone) open.push(element);
  }
  assert.equal(open.length, 1, 'every element ends');
  return root.children[0]!;
}

// valueAt returns what an animation by steps says at a share of the film.
function valueAt({ attributes }: Element, share: number): string {
  const times = attributes['keyTimes']!.split(';').map(Number);
  const values = attributes['values']!.split(';');
  assert.equal(times.length, values.length);
  assert.equal(times[0], 0);
  times.forEach((time, i) => assert.ok(time <= 1 && (i === 0 || time >= times[i - 1]!), `${times}`));
  return values[times.findLastIndex((time) => time <= share + 1e-9)]!;
}

// seen returns the elements with an attribute that are to be seen at a share of the film.
function seen(of: Element, attribute: string, share: number): Element[] {
  const shows = of.children.find((child) => child.name === 'animate' && child.attributes['attributeName'] === 'opacity');
  if (shows && valueAt(shows, share) === '0') return [];
  return [...(of.attributes[attribute] !== undefined ? [of] : []), ...of.children.flatMap((child) => seen(child, attribute, share))];
}

for (const name of ['failover', 'members']) {
  describe(`a film of ${name}`, () => {
    const recording = recorded(name);
    const film = exportFilm(recording);
    const root = parsed(film);
    const clock = clockOf(recording, 0, 240, (place) => !recording.frames[place]!.upkeep || !!recording.frames[place]!.indicators?.length);
    const shares = clock.stills.map(({ at }) => (at + 1) / clock.long);

    it('stands alone, is not large, and does not end', () => {
      assert.equal(root.name, 'svg');
      assert.ok(film.length < largest, `${film.length} bytes`);
      assert.doesNotMatch(film, /href|NaN|undefined|Infinity|var\(|<script|style=/);
      assert.equal(film.match(/http/g)?.length, 1, 'only the name of the form');
      const runs = [...film.matchAll(/<animate\w* [^>]*>/g)].map(([text]) => text);
      assert.ok(runs.length > 20);
      for (const text of runs) assert.ok(text.includes(`dur="${clock.long}ms" repeatCount="indefinite"`), text);
      assert.ok(clock.long <= 60_000);
    });

    it('shows at each still the step, and every node as the page has it', () => {
      clock.stills.forEach(({ count }, i) => {
        assert.deepEqual(seen(root, 'data-step', shares[i]!).map(({ attributes }) => attributes['data-step']), [String(count)]);
        const nodes = seen(root, 'data-node', shares[i]!);
        assert.deepEqual(nodes.map(({ attributes }) => Number(attributes['data-node'])), recording.header.nodes.map((_, node) => node));
        assert.deepEqual(nodes.map(({ attributes }) => attributes['data-look']), recording.scene(count).nodes.map(({ look }) => look));
      });
    });

    it('shows the messages that are under way', () => {
      clock.stills.forEach(({ count }, i) => {
        const flights = recording.scene(count).flights.filter((f) => !f.upkeep).map((f) => String(f.number)).sort();
        assert.deepEqual(seen(root, 'data-message', shares[i]!).map(({ attributes }) => attributes['data-message']!).sort(), flights, `after ${count}`);
      });
      const ways = [...film.matchAll(/<animateTransform [^>]*values="([^"]*)"[^>]*>/g)].map(([, values]) => new Set(values!.split(';')).size);
      assert.ok(ways.length > 3 && ways.every((places) => places > 1), 'each of them moves');
    });
  });
}

// shareAt returns what an animation that moves steadily says at a moment of the film: of two values at once the later one.
function shareAt({ attributes }: Element, at: number, long: number): number {
  const times = attributes['keyTimes']!.split(';').map((time) => Number(time) * long);
  const values = attributes['values']!.split(';').map(Number);
  assert.equal(times.length, values.length);
  const k = times.findLastIndex((time) => time <= at + 1);
  const to = Math.min(k + 1, times.length - 1);
  return values[k]! + (times[to]! > times[k]! ? Math.max(0, at - times[k]!) / (times[to]! - times[k]!) : 0) * (values[to]! - values[k]!);
}

it('a film shows how long a leader may act: the band round it is what is left at each still, and shrinks between', async () => {
  const engine = await realEngine();
  const run = await engine.begin({ runSpec: 1, algorithm: 'bully', nodes: 5, profile: 'lan', seed: 1, do: [{ after: 150, do: 'crash', node: 4 }] });
  const recording = new Recording(run.header);
  recording.add([...run.frames, ...(await engine.next(run.handle, 250)).frames]);
  engine.close(run.handle);
  const root = parsed(exportFilm(recording));
  const clock = clockOf(recording, 0, 240, (place) => !recording.frames[place]!.upkeep || !!recording.frames[place]!.indicators?.length);
  const leaders = new Set<number>();
  let shrinks = 0;
  clock.stills.forEach(({ count, at }) => {
    const scene = recording.scene(count);
    const wanted = scene.nodes.flatMap((state, node) => {
      const share = state.look === 'leads' ? left(state.lease, scene.at) : null;
      return share === null ? [] : [[node, share] as const];
    });
    const bands = seen(root, 'data-lease', (at + 1) / clock.long);
    assert.deepEqual(bands.map(({ attributes }) => Number(attributes['data-lease'])), wanted.map(([node]) => node), `after ${count}`);
    bands.forEach((band, k) => {
      const circle = band.children.find((child) => child.name === 'circle')!;
      const [node, share] = wanted[k]!;
      assert.ok(Math.abs(1 - shareAt(circle.children[0]!, at, clock.long) - share) < 0.02, `after ${count}: ${1 - shareAt(circle.children[0]!, at, clock.long)} and not ${share}`);
      leaders.add(node);
      if (share < 0.95) shrinks++;
    });
  });
  assert.deepEqual([...leaders].sort(), [3, 4]);
  assert.ok(shrinks > 5, `${shrinks} stills at which a part of it is gone`);
});

describe('bounds of films', () => {
  it('has fewer steps than would be too large, and says so', () => {
    const recording = recorded('failover');
    const long = new Recording(recording.header);
    for (let i = 0; i < 40; i++) long.add(recording.frames.map((frame) => ({ ...frame, at: frame.at + i * 10e6, sends: frame.sends?.map((m) => ({ ...m, number: m.number + i * 1000 })), ...(frame.takes && { takes: frame.takes + i * 1000 }) }) as Frame));
    const film = exportFilm(long, { frames: 5000 });
    assert.ok(film.length <= largest && film.length > largest / 8, `${film.length} bytes`);
    parsed(film);
    assert.match(film, /\d+ steps of it<\/text>/);
    assert.doesNotMatch(exportFilm(recording), /steps of it/);
  });

  it('begins where it is told, and shows where it stands still its end', () => {
    const recording = recorded('failover');
    const root = parsed(exportFilm(recording, { from: 12, frames: 5 }));
    const first = seen(root, 'data-step', 0)[0]!.attributes['data-step'];
    assert.equal(first, '12');
    const still = (of: Element): Element[] => (of.attributes['opacity'] === '0' ? [] : [...(of.attributes['data-step'] ? [of] : []), ...of.children.flatMap(still)]);
    assert.deepEqual(still(root).map(({ attributes }) => attributes['data-step']), [seen(root, 'data-step', 0.9999)[0]!.attributes['data-step']]);
  });

  it('is made of a recording without frames', () => { parsed(exportFilm(new Recording(recorded('failover').header))); });
});
