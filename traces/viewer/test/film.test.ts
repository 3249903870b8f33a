// Films: that they are well-formed, bounded, move, and show at each moment what the page shows then.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { clockOf } from '../src/export/clock';
import { exportFilm, largest } from '../src/export/film';
import { Recording } from '../src/recording';
import type { Frame, Header } from '../src/types';

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
