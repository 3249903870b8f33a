import assert from 'node:assert/strict';
import test from 'node:test';
import type { Flight } from '../src/recording';
import { along, cornersBetween, lanesOf } from '../src/ring/lanes';
import { size } from '../src/ring/Messages';
import { half, resourceAt } from '../src/ring/writes';
import { byLane, distance, isolating, lane, Longest, moment, nearest, neighbour, pairs, plan, share, spread } from '../src/ring/geometry';
import type { Frame, Header } from '../src/types';

const flight = (more: Partial<Flight>): Flight => ({ number: 1, from: 0, to: 1, kind: 'CLAIM', sent: 0, sentAt: 0, ...more });
const frame = (more: Partial<Frame>): Frame => ({ at: 0, kind: 'step', node: 0, text: '', ...more });
const now = (more: object) => ({ count: 1, progress: 0, at: 0, timed: true, ...more });

test('nodes are in the picture, and none is on another, whatever its size', () => {
  for (const [width, height] of [[320, 300], [390, 490], [440, 600], [780, 464], [1200, 640]] as const) {
    for (let nodes = 1; nodes <= 10; nodes++) {
      for (const servers of nodes > 3 ? [0, 1] : [0]) {
        const { places } = plan(width, height, nodes, servers);
        assert.equal(places.length, nodes);
        places.forEach((a, k) => {
          assert.ok(a.x - a.r >= 0 && a.x + a.r <= width && a.y - a.r >= 0 && a.y + a.r <= height, `${k} of ${nodes} at ${width}`);
          for (const b of places.slice(k + 1)) assert.ok(distance(a, b) > a.r + b.r, `${width} × ${height}: ${nodes} nodes, ${servers} servers: ${JSON.stringify([a, b])}`);
        });
      }
    }
  }
});

test('the highest node is at the top', () => {
  const { places } = plan(700, 500, 5, 0);
  assert.equal(Math.min(...places.map((p) => p.y)), places[4]!.y);
  assert.equal(places[4]!.side, 'above');
});

test('the two directions of a link are beside each other', () => {
  const { places } = plan(700, 500, 2, 0);
  const there = lane(places[0]!, places[1]!);
  const back = lane(places[1]!, places[0]!);
  assert.ok(Math.abs(there[0].x - back[1].x) > 8);
});

test('a message has come as far as its time has', () => {
  assert.equal(share(flight({ due: 1000 }), now({ at: 250 })), 0.25);
  assert.equal(share(flight({ due: 1000 }), now({ at: 5000 })), 1, 'what is late waits at its receiver');
  assert.equal(share(flight({ sentAt: 100, endedAt: 300, ended: 9 }), now({ at: 200 })), 0.5, 'where it is not known when it is due, it is known when it came');
});

test('without times a message has come as far as the frames have', () => {
  const untimed = { timed: false };
  assert.equal(share(flight({ sent: 3, ended: 7 }), now({ ...untimed, count: 4 })), 0);
  assert.equal(share(flight({ sent: 3, ended: 7 }), now({ ...untimed, count: 6 })), 0.5);
  assert.equal(share(flight({ sent: 3, ended: 7 }), now({ ...untimed, count: 7, progress: 1 })), 1);
  const never = [4, 8, 40].map((count) => share(flight({ sent: 3 }), now({ ...untimed, count })));
  assert.ok(never[0]! < never[1]! && never[1]! < never[2]! && never[2]! < 1);
});

test('the moment lies between two frames', () => {
  const frames = [frame({ at: 100 }), frame({ at: 300 })];
  assert.deepEqual(moment(frames, 1, 0.5, true), { count: 1, progress: 0.5, at: 200, timed: true });
  assert.equal(moment(frames, 2, 0.5, true).at, 300, 'there is no further frame');
  assert.equal(moment(frames, 0, 0, true).at, 0);
});

test('messages on one lane keep their order, and apart', () => {
  assert.deepEqual(spread([0.5, 0.5, 0.5], 0.1).map((s) => Math.round(s * 10)), [5, 4, 3]);
  assert.deepEqual(spread([0, 0, 0], 0.1).map((s) => Math.round(s * 10)), [2, 1, 0], 'those at the beginning push those ahead');
  assert.deepEqual(spread([1, 1, 1], 0.1).map((s) => Math.round(s * 10)), [10, 9, 8]);
  const crowded = spread(Array<number>(50).fill(0.3), 0.1);
  assert.ok(crowded.every((s, k) => s >= 0 && s <= 1 && (k === 0 || s < crowded[k - 1]!)));
  assert.deepEqual(spread([], 0.1), []);
});

test('lanes have the messages of one direction', () => {
  const lanes = byLane([flight({ number: 1 }), flight({ number: 2, from: 1, to: 0 }), flight({ number: 3 })]);
  assert.deepEqual([...lanes.values()].map((l) => l.map((f) => f.number)), [[1, 3], [2]]);
});

test('links know which of their directions are cut', () => {
  assert.deepEqual(pairs(2, 0, [[1, 0]]), [{ a: 0, b: 1, there: false, back: true, usual: true }]);
  assert.equal(pairs(9, 0, []).length, 36);
  assert.deepEqual(pairs(4, 1, []).filter((p) => p.usual).map((p) => p.b), [3, 3, 3], 'nodes speak with the server only');
});

test('a group is cut off in both directions', () => {
  assert.deepEqual(isolating([2], 3), [[0, 2], [1, 2], [2, 0], [2, 1]]);
  assert.equal(isolating([0, 1], 5).length, 12);
  assert.deepEqual(isolating([0, 1, 2], 3), []);
});

test('pointers find nodes, and arrows go round', () => {
  const { places } = plan(700, 500, 5, 0);
  assert.equal(nearest(places, { x: places[2]!.x + 5, y: places[2]!.y }), 2);
  assert.equal(nearest(places, { x: 350, y: 250 }), -1);
  assert.equal(neighbour(4, 5, 'ArrowRight'), 0);
  assert.equal(neighbour(0, 5, 'ArrowUp'), 4);
  assert.equal(neighbour(3, 5, 'Home'), 0);
});

test('the longest wait of a timer is that of the frames so far', () => {
  const longest = new Longest();
  const state = { look: 'follows', role: '', leader: -1, epoch: 0 } as const;
  const frames = [frame({ at: 100, state: { ...state, timers: [{ timer: 'patience', at: 400 }] } })];
  assert.equal(longest.of(frames, 'patience'), 300);
  frames.push(frame({ at: 1000, state: { ...state, timers: [{ timer: 'patience', at: 1500 }] } }));
  assert.equal(longest.of(frames, 'patience'), 500);
  assert.equal(longest.of(frames, 'claim'), 0);
});

// headerOf is the header of one cluster, which has a resource.
const headerOf = (nodes: number, servers: number): Header => ({ title: '', nodes: Array.from({ length: nodes }, (_, k) => k + 1), servers, resource: 'fenced' }) as unknown as Header;

test('no message passes over the resource, whatever the size of the picture: it goes round', () => {
  let bent = 0;
  for (const [width, height] of [[320, 300], [366, 360], [390, 490], [520, 480], [780, 464], [1200, 640]] as const) {
    for (let nodes = 2; nodes <= 10; nodes++) {
      for (const servers of nodes > 3 ? [0, 1] : [0]) {
        const placed = plan(width, height, nodes, servers);
        const laneOf = lanesOf(headerOf(nodes, servers), placed);
        const at = resourceAt(placed, servers);
        for (let from = 0; from < nodes; from++) {
          for (let to = 0; to < nodes; to++) {
            const lane = laneOf({ from, to });
            assert.equal(lane === null, from === to);
            if (!lane) continue;
            bent += Number(lane.points.length > 2);
            assert.deepEqual(cornersBetween(lane, 0, 1).map(({ share, at: corner }) => Math.round(distance(along(lane, share).at, corner))), lane.points.slice(2).map(() => 0));
            for (let share = 0; share <= 1; share += 0.02) {
              const p = along(lane, share).at;
              const off = Math.hypot(Math.max(0, Math.abs(p.x - at.x) - half.x), Math.max(0, Math.abs(p.y - at.y) - half.y));
              assert.ok(off > size, `${width} × ${height}, ${from + 1} of ${nodes} to ${to + 1}, ${servers} servers: ${off} pixels from the resource at ${share}`);
            }
          }
        }
      }
    }
  }
  assert.ok(bent > 100, `${bent} lanes go round it`);
});
