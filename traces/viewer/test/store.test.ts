import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import * as store from '../src/store';
import { halt, walk } from '../src/transport/player';
import type { Intervention, Engine, Frame, Opened, RunSpec } from '../src/types';

// A run of the engine of these tests: frame i happens at i ms; every third is upkeep; what is done makes one frame more.
class Fake {
  readonly open = new Map<number, { at: number; do: Intervention[] }>();
  last = 0;

  frames(handle: number, count: number): Frame[] {
    const run = this.open.get(handle) ?? assert.fail(`handle ${handle} is not open`);
    return Array.from({ length: count }, () => {
      const place = run.at++;
      const intervention = run.do.find((d) => d.after === place);
      return { at: place * 1000, kind: intervention ? 'crash' : 'step', node: 0, text: intervention ? `${intervention.do} ${intervention.node}` : `step ${place}`, ...(place % 3 === 2 && !intervention && { upkeep: true }) };
    });
  }

  begin = (runSpec: RunSpec): Opened => {
    this.open.set(++this.last, { at: 0, do: [...runSpec.do] });
    const first = Math.max(2, ...runSpec.do.map((d) => d.after + 1));
    return { handle: this.last, header: { recording: 1, title: 't', source: 'run', nodes: ['1', '2', '3'], timed: true, open: 2 }, frames: this.frames(this.last, first), ended: false, runSpec };
  };

  engine = {
    begin: async (runSpec: RunSpec) => this.begin(runSpec),
    next: async (handle: number, count: number) => ({ frames: this.frames(handle, count), ended: false }),
    onward: async (handle: number, most: number, shown: number) => {
      const frames: Frame[] = [];
      do frames.push(...this.frames(handle, 1)); while (frames.filter((f) => !f.upkeep).length < shown && frames.length < most);
      return { frames, ended: false };
    },
    do: async (handle: number, intervention: Intervention) => {
      if (intervention.node === 9) return { frames: [], ended: false, problem: { problem: 'there is no node 9' } };
      this.open.get(handle)!.do.push(intervention);
      return { frames: this.frames(handle, 1), ended: false };
    },
    close: (handle: number) => { assert.ok(this.open.delete(handle), `handle ${handle} is closed twice`); },
  } as unknown as Engine;
}

const runSpec: RunSpec = { runSpec: 1, algorithm: 'bully', nodes: 3, profile: 'lan', seed: 1, do: [] };
const texts = () => store.recording.value!.frames.map((f) => f.text);
let fake: Fake;

beforeEach(async () => {
  fake = new Fake();
  store.engine.value = null; // the handles of the test before are not this engine's
  await store.show({ handle: 0, header: { recording: 1, title: '', source: 'trace', nodes: [], timed: false }, frames: [], ended: true });
  store.engine.value = fake.engine;
  store.problem.value = null;
  await store.show(fake.begin(runSpec));
});

test('a run lets no more happen than people want to see', async () => {
  assert.equal(store.count.value, 2);
  await walk(1, 1);
  assert.equal(store.count.value, 4, 'the third is upkeep, and passed over');
  assert.equal(store.length.value, 4);
  await walk(1, -1);
  assert.equal(store.count.value, 2);
  await store.jump(40);
  assert.equal(store.length.value, 40);
});

test('what is done at the end goes on with the run', async () => {
  await store.jump(5);
  await store.crash(2);
  assert.equal(store.branches.value.length, 1);
  assert.equal(store.count.value, 6);
  assert.deepEqual(store.runSpec.value?.do, [{ after: 5, do: 'crash', node: 2 }]);
  assert.equal(texts()[5], 'crash 2');
});

test('what is done in the past begins a branch, and the run before is kept', async () => {
  await store.jump(10);
  await store.crash(1);
  await store.jump(20);
  await store.jump(4);
  await store.crash(2);
  assert.equal(store.branches.value.length, 2);
  assert.equal(store.fresh.value, true);
  assert.deepEqual(store.runSpec.value?.do, [{ after: 4, do: 'crash', node: 2 }]);
  assert.deepEqual(texts().slice(3), ['step 3', 'crash 2']);
  const [first, second] = store.branches.value;
  store.goTo(first!.id);
  assert.equal(store.count.value, 4, 'where it was left');
  assert.equal(store.length.value, 20);
  assert.deepEqual(store.runSpec.value?.do, [{ after: 10, do: 'crash', node: 1 }]);
  await store.jump(25);
  assert.equal(texts()[24], 'step 24', 'it goes on');
  store.goTo(second!.id);
  assert.equal(texts()[4], 'crash 2');
  assert.equal(fake.open.size, 2);
});

test('what was done before the branch is done in it, too', async () => {
  await store.jump(5);
  await store.crash(1);
  await store.jump(12);
  await store.jump(6);
  await store.restart(1);
  assert.deepEqual(store.runSpec.value?.do.map((d) => [d.after, d.do]), [[5, 'crash'], [6, 'restart']]);
});

test('a frame that was only asked for to draw how it comes is no past', async () => {
  await store.jump(5);
  await store.more(1);
  assert.equal(store.length.value, 6);
  await store.crash(2);
  assert.equal(store.branches.value.length, 1);
  assert.equal(store.fresh.value, false);
  assert.deepEqual(store.runSpec.value?.do, [{ after: 5, do: 'crash', node: 2 }]);
  assert.equal(fake.open.size, 1, 'the run before is closed');
});

test('at most eight branches are kept, and all are closed when something else is opened', async () => {
  for (let i = 0; i < 12; i++) {
    await store.jump(30 + i);
    await store.jump(3);
    await store.crash(1);
  }
  assert.equal(store.branches.value.length, 8);
  assert.equal(fake.open.size, 8);
  assert.ok(store.branches.value.some((b) => b.id === store.branch.value));
  await store.show(fake.begin(runSpec));
  assert.equal(store.branches.value.length, 1);
  assert.equal(fake.open.size, 1);
});

test('what cannot be done changes nothing', async () => {
  await store.jump(5);
  await store.crash(9);
  assert.equal(store.problem.value?.problem, 'there is no node 9');
  assert.equal(store.length.value, 5);
  assert.deepEqual(store.runSpec.value?.do, []);
});

test('a deed in the past that is refused leaves no branch, and the run as it was', async () => {
  await store.jump(20);
  await store.jump(4);
  const [was, id] = [store.recording.value, store.branch.value];
  store.selection.value = { node: 1 };
  await store.crash(9);
  assert.equal(store.problem.value?.problem, 'there is no node 9');
  assert.equal(store.branches.value.length, 1);
  assert.equal(store.branch.value, id);
  assert.equal(store.recording.value, was);
  assert.deepEqual([store.count.value, store.length.value, store.seen.value], [4, 20, 20]);
  assert.equal(store.fresh.value, false);
  assert.deepEqual(store.selection.value, { node: 1 });
  assert.deepEqual([...fake.open.keys()].length, 1, 'the run that began for it is closed');
  await store.jump(22);
  assert.equal(texts()[21], 'step 21', 'it goes on');
});

test('a deed that is refused lets no branch go', async () => {
  for (let i = 0; i < 7; i++) {
    await store.jump(30 + i);
    await store.jump(3);
    await store.crash(1);
  }
  const ids = store.branches.value.map((b) => b.id);
  await store.jump(50);
  await store.jump(3);
  await store.crash(9);
  assert.deepEqual(store.branches.value.map((b) => b.id), ids);
  assert.equal(fake.open.size, 8);
});

test('a reign without events does not hold the page for ever', async () => {
  const quiet = { ...fake.engine, next: async (_: number, n: number) => ({ frames: Array.from({ length: n }, () => ({ at: 3000, kind: 'receive', node: 0, text: 'takes HEARTBEAT', upkeep: true })), ended: false }), onward: (handle: number, most: number) => quiet.next(handle, most) };
  store.engine.value = quiet as unknown as Engine;
  const from = store.count.value;
  await walk(10, 1); // ten steps on are no ten such leaps
  assert.ok(store.count.value > 100 && store.count.value < 2000, String(store.count.value));
  assert.equal(halt.value?.says, `Only heartbeats in these ${store.count.value - from} steps, 2 ms.`, 'and what is passed over is said');
});
