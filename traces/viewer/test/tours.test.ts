import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { linked } from '../src/share/link';
import * as store from '../src/store';
import { caption, here, keepGuiding, next, on, startTour, aside, back, leave, marked } from '../src/tours/guide';
import { Seen } from '../src/tours/seen';
import { tours } from '../src/tours/stories';
import { looked, type Look, type Stop, type Tour } from '../src/tours/tour';
import { pace } from '../src/transport/pacing';
import type { Engine, Frame } from '../src/types';
import { realEngine } from './real';

let engine: Engine;
before(async () => {
  engine = await realEngine();
  keepGuiding();
});

const most = 60;         // seconds that a tour takes, with a reader who reads so many words a second:
const wordsASecond = 4;
const longest = 26;      // words of a sentence that is read at a glance

// changed is an engine whose frames are changed.
function changed(change: (frame: Frame) => void): Engine {
  const each = async <T extends { frames: Frame[] }>(asked: Promise<T>): Promise<T> => { const answer = await asked; answer.frames.forEach(change); return answer; };
  return { ...engine, begin: (r) => each(engine.begin(r)), next: (h, k) => each(engine.next(h, k)), onward: (h, k, n) => each(engine.onward(h, k, n)), do: (h, d) => each(engine.do(h, d)), openGolden: (n) => each(engine.openGolden(n)), open: (t, n) => each(engine.open(t, n)) };
}

interface Way { stops: { says: string; count: number; fresh: boolean }[]; seconds: number }

// step makes a step, as soon as it is known which.
async function step(): Promise<boolean> {
  await store.ahead();
  return store.step(1);
}

// arrive lets the run go on as the player does, until the tour has come to its stop, and returns how long that takes.
async function arrive(): Promise<number> {
  let takes = 0;
  while (on.value?.going) {
    const last = store.scene.value!.at;
    assert.ok(await step(), 'the run is over before the next stop');
    takes += pace(store.scene.value!.frame!, last, { speed: store.speed.value, timed: store.recording.value!.header.timed });
  }
  return takes;
}

// marksWhatItSays looks whether what a stop marks is there, and whether what its sentence speaks of, and is to be seen, is marked.
function marksWhatItSays(stop: Stop, seen: Seen, says: string): void {
  const { messages = [], leases = [], signs = [] } = looked(stop, seen);
  const { header } = seen.of;
  const has = (name: string): boolean => header.indicators?.some((sign) => sign.name === name) === true;
  for (const what of messages) assert.ok(seen.inSight(what).length > 0, `“${says}” marks ${JSON.stringify(what)}, which is not to be seen`);
  for (const id of leases) assert.ok(seen.bound(id), `“${says}” marks the lease of ${id}, which has none`);
  for (const name of signs) assert.ok(has(name), `“${says}” marks the sign ${name}, which is not there`);
  const now = marked.value;
  assert.ok(now.nodes.size + now.messages.size + now.signs.size + Number(now.resource) > 0, `“${says}” marks nothing`);
  for (const node of now.nodes) assert.ok(node >= 0 && node < header.nodes.length, `“${says}” marks node ${node + 1}`);
  assert.ok(!now.resource || header.resource, `“${says}” marks a resource, and there is none`);
  for (const kind of new Set(says.match(/\b(?:CLAIM|GRANT|RESIGN|OK)\b/g))) {
    const there = seen.inSight({ kind });
    assert.ok(there.length === 0 || there.some((flight) => now.messages.has(flight.number)), `“${says}” speaks of ${kind}, which is there and not marked`);
  }
  assert.ok(!/\bwrit|\bwrote/.test(says) || !header.resource || now.resource, `“${says}” speaks of writes, and the resource is not marked`);
  assert.ok(!/two leaders|did two lead|“One acting”/.test(says) || !has('OneActing') || now.signs.has('OneActing'), `“${says}” speaks of two leaders, and the sign is not marked`);
  assert.ok(!/\bband\b|renews/.test(says) || now.leases.size > 0, `“${says}” speaks of how long a leader may act, and that is not marked`);
}

// travel takes a tour to its end, and looks whether all that it says is so.
async function travel(tour: Tour, by = engine): Promise<Way> {
  store.engine.value = by;
  const way: Way = { stops: [], seconds: 0 };
  let was: Seen | null = null;
  await startTour(tour.name);
  for (const [k, stop] of tour.stops.entries()) {
    assert.equal(store.problem.value?.problem, undefined, `${tour.name}, stop ${k + 1}`);
    way.seconds += await arrive() / 1000;
    const seen: Seen | null = here.value;
    assert.ok(seen, `${tour.name} is at stop ${k + 1}`);
    const says = caption.value;
    assert.ok(stop.so(seen), `${tour.name}, stop ${k + 1}: “${says}” is not so at step ${seen.now.count}: ${seen.now.nodes.map((n) => `${n.look} ${n.role} ${n.epoch}`).join('; ')}`);
    marksWhatItSays(stop, seen, says);
    if (stop.begin) was = new Seen(seen.of, seen.of.scene(0));
    assert.ok(!stop.so(was!), `${tour.name}, stop ${k + 1}: “${says}” was so before: it says nothing of what has happened`);
    assert.ok(seen.now.count > was!.now.count, `${tour.name}, stop ${k + 1} is after the one before`);
    assert.ok(says.split(/\s+/).length <= longest, `“${says}” is too long`);
    way.stops.push({ says, count: seen.now.count, fresh: stop.begin !== undefined });
    way.seconds += says.split(/\s+/).length / wordsASecond;
    was = seen;
    if (k + 1 < tour.stops.length) await next();
  }
  return way;
}

for (const tour of tours) {
  test(`the tour “${tour.title}” comes to each of its stops, in their order, and what it says there is so`, async (t) => {
    const way = await travel(tour);
    for (const stop of way.stops) t.diagnostic(`step ${stop.count}: ${stop.says}`);
    t.diagnostic(`${way.seconds.toFixed(1)} s`);
    assert.ok(way.seconds <= most, `it takes ${way.seconds.toFixed(1)} s`);
  });
}

// Of each tour a run that goes another way: the tour must not tell it as if it went the way that it says.
const otherwise: Record<string, (frame: Frame) => void> = {
  failover: (f) => { if (f.node === 3 && f.state?.look === 'leads') f.state.epoch = 1; },
  'split-brain': (f) => { for (const l of f.indicators ?? []) l.light = 'green'; },
  fencing: (f) => { if (f.wrote?.fate === 'refused') f.wrote.fate = 'taken'; },
  'ok-then-die': (f) => { if (f.node === 1 && f.state?.look === 'waits') f.state.look = 'leads'; },
  'restart-race': (f) => { if (f.node === 4 && f.kind === 'restart' && f.state) f.state.look = 'stands'; },
  'hand-over': (f) => { if (f.node === 3 && f.state?.role === 'electing') f.state.look = 'leads'; },
  flapping: (f) => { if (f.node === 4 && f.state?.look === 'leads') f.state.look = 'follows'; },
  members: (f) => { for (const c of f.configurations ?? []) for (const m of c.members) m.kind = 'voter'; },
  'late-answer': (f) => { if (f.kind === 'receive' && f.node === 2 && f.text.includes('GRANT')) f.state = { look: 'leads', role: 'leader', leader: 2, epoch: 1 }; },
  raft: (f) => { if (f.kind === 'crash' && f.state) f.state.look = 'leads'; },
  leases: (f) => { if (f.wrote?.fate === 'refused') f.wrote.fate = 'taken'; },
};

for (const tour of tours) {
  test(`the tour “${tour.title}” does not tell of a run that goes otherwise`, async () => {
    await assert.rejects(travel(tour, changed(otherwise[tour.name]!)), assert.AssertionError);
    leave();
  });
}

// Of each mark one that is not there, or one that is missing, at the first stop of a tour whose sentence speaks of it.
const wrongly: [tour: string, look: Look | number[]][] = [
  ['failover', { nodes: [5], leases: [4] }], ['failover', [5]], ['failover', [9]], ['failover', []],
  ['fencing', [5]], ['fencing', { nodes: [5], resource: true, signs: ['Nothing'] }], ['late-answer', [1, 3]], ['late-answer', { messages: [{ kind: 'GRANT', from: 3 }] }],
];

test('a mark of what is not there is noticed, and one that is missing', async () => {
  for (const [name, look] of wrongly) {
    const tour = tours.find((t) => t.name === name)!;
    const [first] = tour.stops as [Stop];
    const was = first.look!;
    first.look = look;
    try {
      await assert.rejects(travel(tour), /marks|speaks of/, `${name}: ${JSON.stringify(look)}`);
    } finally {
      first.look = was;
      leave();
    }
  }
});

test('a tour goes back, comes back from whatever else people do, and ends', async () => {
  store.engine.value = engine;
  assert.ok(await startTour('failover'));
  await arrive();
  const first = caption.value;
  assert.match(first, /^5 leads/);
  assert.deepEqual([...marked.value.nodes], [4]);
  store.playing.value = true; // Play goes on
  await new Promise((done) => setTimeout(done));
  await arrive();
  assert.match(caption.value, /^5 has crashed/);
  assert.equal(store.playing.value, false);
  await back();
  assert.equal(caption.value, first);
  await next();
  await next();
  assert.ok(on.value?.going);
  await next(); // at once
  assert.equal(on.value?.going, false);
  assert.equal(on.value?.stop, 2);
  await store.jump(3);
  assert.ok(aside.value, 'who steps elsewhere sees no sentence of here');
  assert.equal(caption.value, '');
  await next();
  assert.ok(!aside.value && caption.value !== '');
  await store.crash(0);
  assert.ok(aside.value, 'nor who does something');
  await next();
  assert.ok(!aside.value && here.value!.up(1), 'and it is not done in the tour');
  await store.show(await engine.openGolden('failover'));
  assert.equal(on.value, null, 'who opens something else has left');
  assert.equal(store.speed.value, 1);
});

test('who does something while the tour goes sees no sentence of a run that is none of it', async () => {
  store.engine.value = engine;
  await startTour('failover');
  await step();
  await store.crash(4);
  let steps = 0;
  for (; !(await store.ahead()).quiet && store.step(1); steps++) assert.equal(caption.value, '', `step ${store.count.value}`);
  assert.ok(steps > 20, `it went on for ${steps} steps`);
  leave();
});

test('a link names a tour; one that is not there is refused, and the others are named', async () => {
  assert.deepEqual(await linked('#tour=split-brain'), { what: 'tour', name: 'split-brain' });
  assert.equal(await startTour('split-brian'), false);
  assert.match(store.problem.value?.problem ?? '', /There is no tour “split-brian”.*split-brain/);
  assert.equal(new Set(tours.map((t) => t.name)).size, tours.length);
});
