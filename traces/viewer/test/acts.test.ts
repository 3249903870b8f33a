import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { Recording, type Scene } from '../src/recording';
import { agreed, hint, startHint, words, type Act } from '../src/hint/acts';
import * as store from '../src/store';
import type { Engine, Frame, Header, Look, NodeState, RunSpec } from '../src/types';

const header: Header = { recording: 1, title: 't', source: 'run', algorithm: 'bully', nodes: ['1', '2', '3', '4', '5'], timed: true };
const node = (look: Look, leader = -1, epoch = 0, role: string = look): NodeState => ({ look, role, leader, epoch });
const unborn = node('down', -1, 0, 'not started');
const down = node('down', -1, 1, 'down');

// led returns five nodes of which one leads an epoch, and some are down.
const led = (leader: number, epoch: number, gone: number[] = []): NodeState[] => header.nodes.map((_, k) =>
  gone.includes(k) ? down : k === leader ? node('leads', k, epoch) : node('follows', leader, epoch));
const scene = (nodes: NodeState[]): Scene => ({ count: 1, at: 0, nodes, cut: [], flights: [], indicators: [], why: {}, was: {} });
const recording = new Recording(header);
const said = (act: Act, leader: number, nodes: NodeState[], press?: string): string => {
  const found = words(recording, scene(nodes), { act, leader }, press);
  return found ? `${found.title} ${found.text}` : '';
};

test('after 5 is back and leads again, it is 5 that leads, and the epoch is its', async () => {
  assert.match(said('free', 3, led(3, 2, [4])), /^Now 4 leads: of those that are alive it has the highest id\. A majority granted it epoch 2.*Bring 5 back/);
  const back = said('free', 3, led(4, 3));
  assert.match(back, /^Now 5 leads: of those.*epoch 3.*Kill another/);
  assert.doesNotMatch(back, /4 leads|Bring/);
});

test('before the beginning nobody leads an epoch, and nobody is dead', async () => {
  const before = header.nodes.map(() => unborn);
  for (const act of ['elect', 'kill', 'again', 'free'] as const) assert.equal(said(act, 4, before), '', act);
  assert.doesNotMatch(said('free', 4, led(4, 1).with(0, unborn)), /Bring/, 'what has not started cannot be brought back');
});

test('when the next leader is dead, too, it does not lead', async () => {
  const nodes = led(3, 2, [3, 4]);
  assert.equal(said('free', 3, nodes), '');
  assert.equal(said('kill', 3, nodes), '');
});

test('of an election is said how far it has come', async () => {
  const now = (...nodes: NodeState[]): string => said('again', 4, [...nodes, down]).replace(/^5 is dead\. /, '');
  const [knows, asks, waits, idle] = [node('follows', 4, 1), node('stands', -1, 1, 'candidate'), node('waits', -1, 1), node('idle', -1, 1)];
  assert.match(now(knows, knows, knows, knows), /^The others do not know yet/);
  assert.match(now(knows, idle, knows, knows), /^2 has lost patience/);
  assert.match(now(idle, idle, knows, idle), /^1, 2 and 4 have lost patience/);
  assert.match(now(waits, idle, knows, knows), /^1 waits for somebody better/);
  assert.match(now(waits, asks, knows, knows), /^2 asks the others/);
  assert.match(now(waits, waits, asks, asks), /^3 and 4 ask the others/);
  assert.match(now(waits, waits, asks, node('stands', -1, 1, 'claimant')), /^4 claims the next epoch/);
  assert.match(now(waits, waits, asks, node('stands', 3, 2, 'leader')), /^4 has won: it leads as soon/);
  assert.match(now(waits, waits, asks, node('leads', 3, 2)), /^4 has won, and tells the others/);
  assert.equal(now(...led(3, 2).slice(0, 4)), '', 'and then that is what there is to say');
});

test('when all are dead, or more than half, nobody will lead', async () => {
  assert.equal(said('again', 4, led(4, 1, [0, 1, 2, 3, 4])), '');
  assert.equal(said('again', 4, led(4, 1, [2, 3, 4])), '');
  assert.equal(said('elect', -1, led(-1, 1, [2, 3, 4])), '');
  assert.match(said('again', 4, led(4, 1, [3, 4])), /^5 is dead\..*Who will lead\?$/);
});

test('who has resigned, and lives, is not dead', async () => {
  assert.equal(said('again', 4, led(-1, 1).with(4, node('idle', -1, 1))), '');
  assert.equal(said('again', 4, led(3, 2, [4])), '', 'and if another leads, the question is answered');
});

test('a leader is to be killed only where it leads', async () => {
  assert.equal(said('kill', 4, led(4, 1)), '5 leads. Click it to kill it, and see who is next.');
  assert.match(said('kill', 4, led(4, 1), 'Tap'), /Tap it to kill it/);
  assert.equal(said('kill', 4, header.nodes.map(() => node('idle'))), '');
});

test('nobody leads yet only where nobody does', async () => {
  assert.match(said('elect', -1, header.nodes.map(() => node('idle'))), /^Nobody leads yet/);
  assert.equal(said('elect', -1, led(4, 1)), '');
});

test('a leader is agreed on when all that run follow it, and they are more than half', async () => {
  assert.equal(agreed(scene(led(4, 1))), 4);
  assert.equal(agreed(scene(led(4, 1).with(0, node('follows', 3, 1)))), -1);
  assert.equal(agreed(scene(led(4, 1, [0, 1]))), 4);
  assert.equal(agreed(scene(led(4, 1, [0, 1, 2]))), -1);
});

// A run in which what is done makes one frame: the state that the test wants.
const runSpec: RunSpec = { runSpec: 1, algorithm: 'bully', nodes: 5, profile: 'lan', seed: 1, do: [] };
let coming: NodeState[][] = [];
let at = 0;
const frames = (): Frame[] => (coming.shift() ?? []).map((state, k) => ({ at: ++at, kind: 'step', node: k, text: '', state }));
const engine = { begin: () => assert.fail('there is no branch'), next: async () => ({ frames: frames(), ended: false }), onward: async () => ({ frames: frames(), ended: false }), do: async () => ({ frames: frames(), ended: false }), close: () => undefined } as unknown as Engine;
const goOn = async (...nodes: NodeState[][]): Promise<void> => {
  coming = [...nodes];
  for (let k = 0; k < nodes.length; k++) { await store.more(1); await store.jump(store.length.value); }
};

beforeEach(async () => {
  hint.value = null;
  store.engine.value = engine;
  await store.show({ handle: 1, header, frames: [], ended: false, runSpec });
  startHint();
});

test('the hint goes with the visitor, and ends with the first thing that is done after it', async () => {
  assert.equal(hint.value?.act, 'elect');
  await goOn(header.nodes.map(() => node('idle')), led(4, 1));
  assert.deepEqual(hint.value, { act: 'kill', leader: 4 });
  coming = [led(4, 1, [4])];
  await store.crash(4);
  assert.deepEqual(hint.value, { act: 'again', leader: 4 });
  await store.jump(store.length.value - 5);
  assert.equal(hint.value?.act, 'again', 'that 5 led before is no news');
  await store.jump(store.length.value);
  await goOn(led(3, 2, [4]));
  assert.deepEqual(hint.value, { act: 'free', leader: 3 });
  await store.jump(3);
  assert.equal(hint.value?.act, 'free', 'to step back is to do nothing');
  await store.jump(store.length.value);
  coming = [led(3, 2, [4])];
  await store.restart(4);
  assert.equal(hint.value, null);
  await Promise.resolve();
});

test('when another leads before anybody is killed, that one is to be killed', async () => {
  await goOn(led(4, 1), header.nodes.map(() => node('idle', -1, 1)), led(3, 2).with(4, node('follows', 3, 2)));
  assert.deepEqual(hint.value, { act: 'kill', leader: 3 });
});

test('5, back before anybody else leads, leads again', async () => {
  await goOn(led(4, 1));
  coming = [led(4, 1, [4])];
  await store.crash(4);
  await goOn(led(4, 2));
  assert.deepEqual(hint.value, { act: 'free', leader: 4 });
});
