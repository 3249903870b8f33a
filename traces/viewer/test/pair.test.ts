import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { marked, merged, sidesOf, type Told } from '../src/pair/merge';
import { openPair, pair, tallies } from '../src/pair/pair';
import { part, planPair } from '../src/pair/plan';
import { actingWords } from '../src/ring/acting';
import { half, resourceAt, writesOf } from '../src/ring/writes';
import { Phases } from '../src/transport/phases';
import { tally, verdict } from '../src/pair/tally';
import { Recording } from '../src/recording';
import * as store from '../src/store';
import type { Frame, Header, Look, NodeState } from '../src/types';
import { doing } from '../src/words';
import { realEngine } from './real';

before(async () => {
  store.engine.value = await realEngine();
  store.gallery.value = await store.engine.value.gallery();
});

// alone plays a story with one algorithm.
async function alone(scenario: string, algorithm: string): Promise<Told> {
  const engine = store.engine.value!;
  const { header, frames, handle } = await engine.begin({ runSpec: 1, algorithm, nodes: 0, profile: '', seed: 0, scenario, do: [] });
  frames.push(...(await engine.next(handle, 100_000)).frames);
  engine.close(handle);
  return { header, frames };
}

for (const [story, first] of [['split-brain', 'textbook'], ['lease-pause', 'lease-unfenced'], ['raft-minority-leader', 'raft-plain']] as const) {
  test(`in a pair each of the two is what it is alone: ${story}`, async () => {
    const [a, b] = [await alone(story, first), await alone(story, 'bully')];
    assert.ok(await openPair(story, 'bully'));
    const { of, sides } = pair.value!;
    const until = a.frames.at(-1)!.at;
    [a, b].forEach((told, k) => {
      const own = new Recording(told.header);
      own.add(told.frames.filter((f) => f.at <= until && (k === 0 || f.kind !== 'step')));
      const places = [...sides[k]!.nodes, ...sides[k]!.servers];
      for (let at = 0; at <= until; at += 50_000) {
        const [one, both] = [own, of].map((r) => r.scene(r.frames.findLastIndex((f) => f.at <= at) + 1));
        const plain = ({ configuration: _, ...state }: NodeState): NodeState => ({ ...state, leader: state.leader < 0 ? -1 : places[state.leader]! });
        assert.deepEqual(places.map((place) => both!.nodes[place]), one!.nodes.map(plain), `at ${at}`);
        assert.deepEqual(both!.flights.filter((f) => places.includes(f.from)).map((f) => `${f.kind} ${f.from} ${f.to} ${f.due}`),
          one!.flights.map((f) => `${f.kind} ${places[f.from]} ${places[f.to]} ${f.due}`), `at ${at}`);
        assert.deepEqual(both!.cut.filter(([from]) => places.includes(from)), one!.cut.map(([from, to]) => [places[from], places[to]]), `at ${at}`);
      }
    });
    assert.equal(of.frames.at(-1)!.at, until, 'it is as long as the story');
  });
}

test('a verdict counts who leads at once, and for how long; a leader that is paused does nothing', async () => {
  const side = { algorithm: '', title: '', nodes: [0, 1], servers: [] };
  const frame = (at: number, node: number, look: Look, more: Partial<Frame> = {}, paused = false): Frame => ({ at, kind: 'step', node, text: '', state: { look, role: '', leader: -1, epoch: 1, paused }, ...more });
  const frames = [
    frame(0, 0, 'leads'), frame(5, 7, 'leads'), frame(10, 1, 'leads'), frame(30, 0, 'leads', {}, true), frame(60, 1, 'down'), frame(70, 0, 'leads'),
    { at: 80, kind: 'write' as const, node: 0, text: 'has its write taken', note: 'that is wrong: 2 leads since', wrote: { epoch: 1, looked: 79, fate: 'stale' as const } }, { at: 81, kind: 'write' as const, node: 0, text: 'has its write of epoch 1 refused by the resource', wrote: { epoch: 1, looked: 80, fate: 'refused' as const } },
  ];
  assert.deepEqual(tally(frames, frames.length, side, 100), { two: 20, none: 10, same: 2, stale: 1, refused: 1, reigns: 2, elections: 0 });
  assert.deepEqual(tally(frames, 3, side, 12), { two: 2, none: 0, same: 2, stale: 0, refused: 0, reigns: 2, elections: 0 });
});

test('a verdict says what the story is about', async () => {
  const none = { two: 0, none: 0, same: 1, stale: 0, refused: 0, reigns: 3, elections: 40 };
  assert.equal(verdict({ ...none, two: 14_300_000, stale: 4 }, 'two leaders', false), 'two leaders for 14.3 s, 4 stale writes');
  assert.equal(verdict(none, 'two leaders', true), 'never two leaders, no stale writes');
  assert.equal(verdict(none, 'two leaders', false), 'no two leaders so far, no stale writes');
  assert.equal(verdict({ ...none, refused: 1 }, 'a stale write', true), 'no stale writes, 1 write refused');
  assert.equal(verdict(none, 'a leader deposed for nothing', true), '3 reigns, somebody always led');
  assert.equal(verdict({ ...none, reigns: 0 }, 'no leader', true), 'nobody has led');
});

test('every flaw of the gallery has numbers of its own, and every story opens with ours beside it', async () => {
  const flaws = new Set<string>();
  for (const { name, flaw } of store.gallery.value!.scenarios) {
    assert.ok(await openPair(name, 'bully'), `${name}: ${store.problem.value?.problem}`);
    await store.jump(store.length.value);
    const says = tallies.value!.map((each) => verdict(each, flaw, true));
    if (flaw !== '') assert.notEqual(says[0], says[1], `${name}: the numbers show the flaw`);
    flaws.add(flaw);
  }
  assert.ok(flaws.size >= 6, [...flaws].join());
  await store.show(await store.engine.value!.openGolden('failover'));
  assert.equal(pair.value, null, 'what is opened after that is no pair');
});

test('a pair is refused whose story or algorithm is not there', async () => {
  for (const [story, second, why] of [['nothing', 'bully', /no story “nothing”/], ['split-brain', 'paxos', /no algorithm “paxos”.*bully/]] as const) {
    assert.equal(await openPair(story, second), false);
    assert.match(store.problem.value!.problem, why);
  }
});

test('the rings of a pair are beside one another where there is room, and else one below the other', async () => {
  const header = { recording: 1 as const, title: '', source: 'run' as const, nodes: ['1', '2', '3', 'store'], servers: 1, timed: true };
  const sides = sidesOf(header, { ...header, nodes: ['1', '2', '3'], servers: 0 }, ['a', 'b']);
  assert.deepEqual(sides.map((s) => [s.nodes, s.servers]), [[[0, 1, 2], [6]], [[3, 4, 5], []]]);
  const { places } = planPair(900, 500, sides);
  assert.deepEqual(places.map(({ x }) => x < 450), [true, true, true, false, false, false, true]);
  assert.deepEqual(planPair(380, 700, sides).places.map(({ y }) => y < 350), [true, true, true, false, false, false, true]);
  assert.deepEqual(merged({ header, frames: [] }, { header: { ...header, nodes: ['1', '2', '3'], servers: 0 }, frames: [] }, sides, 't').header.nodes, ['1', '2', '3', '1′', '2′', '3′', 'store']);
});

// phasesOf returns what begins in a recording, each with the place of its frame.
function phasesOf(header: Header, frames: Frame[]): { says: string; at: number }[] {
  const phases = new Phases(header);
  return frames.map((frame) => ({ says: phases.next(frame), at: frame.at })).filter(({ says }) => says !== '');
}

for (const [story, first] of [['split-brain', 'textbook'], ['ok-then-die', 'textbook-no-tcoord'], ['raft-minority-leader', 'raft-plain']] as const) {
  test(`the phases of a pair are those of each of the two, and say whose they are: ${story}`, async () => {
    const [a, b] = [await alone(story, first), await alone(story, 'bully')];
    assert.ok(await openPair(story, 'bully'));
    const { of, sides } = pair.value!;
    const until = a.frames.at(-1)!.at;
    const both = phasesOf(of.header, of.frames);
    [a, b].forEach(({ header, frames }, k) => {
      const { indicators: _, ...plain } = header; // a pair has no signs: the verdict says what they would
      const own = phasesOf(plain as Header, frames.filter((f) => f.at <= until && (k === 0 || f.kind !== 'step')).map(({ indicators: __, ...f }) => f));
      const mine = both.filter(({ says }) => says.startsWith(`${sides[k]!.title}: `)).map(({ says, at }) => ({ says: says.slice(sides[k]!.title.length + 2).replaceAll('′', ''), at }));
      assert.deepEqual(mine, own);
      assert.ok(own.length >= 4, `${own.length} phases`);
    });
    assert.ok(both.every(({ says }) => sides.some(({ title }) => says.startsWith(title))), 'none is of both');
  });
}

test('a node of the second of a pair has its mark in whatever is said of it', async () => {
  const say = (text: string) => marked(text, '′', 5);
  assert.equal(say('takes GRANT of epoch 2 from 3'), 'takes GRANT of epoch 2 from 3′');
  assert.equal(say('OK from 4 to 3 is lost'), 'OK from 4′ to 3′ is lost');
  assert.equal(say('refuses: it keeps the lease of 5 still. 4 leads on, and 3 is down'), 'refuses: it keeps the lease of 5′ still. 4′ leads on, and 3′ is down');
  assert.equal(say('epoch 2, promised to 4, numbers up to 5'), 'epoch 2, promised to 4′, numbers up to 5');
  assert.equal(say('4 reaches 3 of 5, answers question 2 of 12, and claims epoch 3'), '4′ reaches 3 of 5, answers question 2 of 12, and claims epoch 3');
  assert.ok(await openPair('split-brain', 'bully'));
  const { of, sides } = pair.value!;
  const ours = of.frames.filter((f) => sides[1].nodes.includes(f.node) && f.kind === 'receive');
  assert.ok(ours.length > 20 && ours.every((f) => / from \d′( \(|$)/.test(f.text)), 'whom a message is from');
  assert.ok(of.frames.filter((f) => sides[0].nodes.includes(f.node)).every((f) => !`${f.text} ${f.note}`.includes('′')), 'of the first none has');
});

test('each of a pair has its resource, its own words for epochs, and who acts', async () => {
  assert.ok(await openPair('lease-pause', 'bully', 'lease-unfenced'));
  const { of, sides } = pair.value!;
  assert.deepEqual(sides.map((side) => side.resource), ['unfenced', 'fenced']);
  const all = sides.map((side) => writesOf(of, side).after(of.frames, of.frames.length));
  sides.forEach((side, k) => {
    const { stale, refused } = tally(of.frames, of.frames.length, side, of.frames.at(-1)!.at);
    assert.deepEqual([all[k]!.stale, all[k]!.refused], [stale, refused], `${side.title}: the resource has counted what the verdict says`);
  });
  assert.ok(all.every((writes) => writes.taken > 0) && all[0]!.stale > 0 && all[1]!.stale === 0, 'the first takes a stale write, and ours does not');
  for (const [width, height] of [[900, 500], [1200, 640], [380, 700]] as const) {
    const placed = planPair(width, height, sides);
    sides.forEach((side, k) => {
      const own = part(placed, of.header, k);
      const at = resourceAt(own, side.servers.length);
      assert.ok(at.x - half.x >= own.left && at.x + half.x <= own.left + own.width && at.y - half.y >= own.top && at.y + half.y <= own.top + own.height, `${width} × ${height}: the resource of ${side.title} is in its half`);
      for (const p of own.places) assert.ok(Math.hypot(Math.max(0, Math.abs(p.x - at.x) - half.x), Math.max(0, Math.abs(p.y - at.y) - half.y)) >= p.r - 1, `${width} × ${height}: it covers no node`);
    });
  }
  const leads: NodeState = { look: 'leads', role: 'leader', leader: 0, epoch: 3 };
  assert.ok(await openPair('raft-minority-leader', 'bully', 'raft-plain'));
  assert.equal(doing(pair.value!.of, leads, 0), 'leads term 3');
  assert.equal(doing(pair.value!.of, leads, pair.value!.sides[1].nodes[0]!), 'leads epoch 3');
  const scene = { ...pair.value!.of.scene(0), nodes: pair.value!.of.header.nodes.map((_, node) => (pair.value!.sides.some((side) => side.nodes[0] === node) ? leads : { ...leads, look: 'follows' as const })) };
  assert.equal(actingWords(pair.value!.of, scene), '', 'one leader in each is not two');
});
