// The layout of the diagram: where frames, arrows and reigns are, and what is found again between two heights. Every assert.ok
// has a message: without one Node looks for the words of the assertion in the source, and through tsx that takes minutes.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { arrowOf, Arrows, type Arrow } from '../src/diagram/arrows';
import { Axis, longest, step, when } from '../src/diagram/axis';
import { Layout } from '../src/diagram/layout';
import { paint } from '../src/diagram/paint';
import { least, settle, viewOf } from '../src/diagram/view';
import { Recording } from '../src/recording';
import type { Frame, Header, NodeState } from '../src/types';
import { Watcher } from './watcher';

const fixtures = join(import.meta.dirname, '../src/fixtures');

function fixture(name: string): Recording {
  const { header, frames } = JSON.parse(readFileSync(join(fixtures, name), 'utf8')) as { header: Header; frames: Frame[] };
  const recording = new Recording(header);
  recording.add(frames);
  return recording;
}

const header = (more: Partial<Header> = {}): Header => ({ recording: 1, title: 'a recording', source: 'run', nodes: ['1', '2', '3'], timed: true, ...more });
const state = (look: NodeState['look'], epoch = 1): NodeState => ({ look, role: look, leader: -1, epoch });

function recordingOf(frames: Frame[], more: Partial<Header> = {}): Recording {
  const recording = new Recording(header(more));
  recording.add(frames);
  return recording;
}

// made is a long recording with everything in it, the same each time: reigns, crashes, losses, cuts, pauses, heartbeats.
function made(length: number, timed = true): Recording {
  let seed = 1;
  const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  const recording = new Recording(header({ nodes: ['1', '2', '3', '4', '5'], timed }));
  const under: { number: number; from: number; to: number }[] = [];
  let at = 0;
  let number = 0;
  for (let i = 0; i < length; i++) {
    at += random(10) === 0 ? 200_000 : random(3) * 700;
    const node = random(5);
    const frame: Frame = { at: timed ? at : i + 1, kind: 'timer', node, text: 'does something' };
    if (random(4) === 0) frame.upkeep = true;
    const dice = random(20);
    if (dice < 9 && under.length > 0) {
      const [taken] = under.splice(random(under.length), 1);
      Object.assign(frame, dice === 0 ? { kind: 'lose', node: -1, takes: taken!.number } : { kind: 'receive', node: taken!.to, takes: taken!.number });
    } else if (dice < 14) {
      const to = (node + 1 + random(4)) % 5;
      frame.sends = [{ number: ++number, to, kind: 'CLAIM', epoch: i, ...(dice === 9 && { lost: true }), ...(frame.upkeep && { upkeep: true }) }];
      if (dice !== 9) under.push({ number, from: node, to });
    } else if (dice === 14) {
      Object.assign(frame, { kind: 'crash', state: state('down', i), upkeep: false });
      for (let j = under.length - 1; j >= 0; j--) if (under[j]!.from === node || under[j]!.to === node) under.splice(j, 1);
    } else if (dice === 15) {
      Object.assign(frame, { kind: 'links', node: -1, cut: random(2) ? [[0, 1]] : [] });
      for (let j = under.length - 1; j >= 0; j--) if (under[j]!.from === 0 && under[j]!.to === 1) under.splice(j, 1);
    } else if (dice === 16) {
      frame.state = { ...state('follows', i), paused: true };
    } else if (dice === 17) {
      Object.assign(frame, { state: state('leads', i), indicators: [{ name: 'OneActing', light: random(2) ? 'red' : 'green' }] });
    }
    recording.add([frame]);
  }
  return recording;
}

const names = readdirSync(fixtures).filter((name) => name.endsWith('.json'));
const recordings: [string, () => Recording][] = [
  ['a recording without frames', () => recordingOf([])], ['a recording of one frame', () => recordingOf([{ at: 0, kind: 'start', node: 0, text: 'starts', state: state('idle') }])],
  ['a recording without times', () => made(500, false)], ['a recording with times', () => made(500)], ['one node', () => recordingOf([{ at: 5, kind: 'step', node: 0, text: 'x' }], { nodes: ['1'] })],
  ...names.map((name): [string, () => Recording] => [name, () => fixture(name)]),
];

describe('axis', () => {
  it('has some fixture to try', () => assert.notEqual(names.length, 0));
  for (const [name, recording] of recordings) {
    for (const upkeep of [true, false]) {
      it(`goes down only: ${name}, upkeep ${upkeep}`, () => {
        const axis = new Axis(recording(), upkeep);
        assert.equal(axis.y.length, axis.recording.frames.length);
        axis.y.forEach((y, i) => assert.ok(Number.isFinite(y) && y >= (axis.y[i - 1] ?? 0), `frame ${i} is at ${y}`));
        axis.rows.forEach((place, i) => assert.ok(i === 0 || axis.y[place]! - axis.y[axis.rows[i - 1]!]! >= step, `row ${i} is too near`));
      });
    }
  }

  it('squeezes long gaps, and says how long they were', () => {
    const sent: Frame = { at: 0, kind: 'timer', node: 0, text: 'asks', sends: [{ number: 1, to: 1, kind: 'ELECTION' }] };
    const axis = new Axis(recordingOf([
      sent, { at: 1000, kind: 'receive', node: 1, text: 'takes it', takes: 1 }, { at: 311_000, kind: 'timer', node: 2, text: 'waits no more' },
    ]), false);
    assert.deepEqual(axis.y, [0, 56, 56 + longest]);
    assert.deepEqual(axis.breaks, [{ from: 56, to: 56 + longest, time: 310_000 }]);
  });

  it('is linear in time where gaps are short', () => {
    const frames: Frame[] = [{ at: 0, kind: 'timer', node: 0, text: 'asks', sends: [{ number: 1, to: 1, kind: 'ELECTION', due: 1000 }] }];
    for (const at of [300, 800, 1000]) frames.push({ at, kind: 'call', node: 2, text: 'is called' });
    const { y } = new Axis(recordingOf(frames), false);
    assert.equal(Math.round(y[2]! - y[1]!), 500 * 56 / 1000);
  });

  it('is the same whether frames come one by one or all at once', () => {
    const all = made(2000);
    const recording = new Recording(all.header);
    const layout = new Layout(recording, false);
    for (const frame of all.frames) { recording.add([frame]); layout.update(); }
    const axis = new Axis(recording, false);
    assert.deepEqual(layout.axis.y, axis.y);
    assert.deepEqual(layout.axis.rows, axis.rows);
    assert.deepEqual(layout.axis.breaks, axis.breaks);
  });

  it('stays as it is, whatever comes after the first frames', () => {
    const send = (i: number, lasts: number): Frame[] => [
      { at: 10_000 * i, kind: 'timer', node: 0, text: 'asks', sends: [{ number: i + 1, to: 1, kind: 'ELECTION', due: 10_000 * i + lasts }] },
      { at: 10_000 * i + lasts, kind: 'receive', node: 1, text: 'hears it', takes: i + 1 },
    ];
    const first = Array.from({ length: 150 }, (_, i) => send(i, 1000)).flat();
    const recording = recordingOf(first);
    const before = [...new Axis(recording, false).y];
    recording.add(Array.from({ length: 500 }, (_, i) => send(150 + i, 9000)).flat());
    assert.deepEqual(new Axis(recording, false).y.slice(0, before.length), before);
  });

  it('finds the rows between two heights', () => {
    const axis = new Axis(made(3000), false);
    const { bottom } = axis;
    for (const [top, end] of [[-50, -10], [-50, 0], [0, 0], [100, 400], [bottom / 2, bottom / 2 + 300], [bottom, bottom + 9], [bottom + 1, bottom + 9], [-9, bottom + 9]] as const) {
      const [from, to] = axis.visible(top, end);
      const seen = axis.rows.filter((place) => axis.y[place]! >= top && axis.y[place]! <= end);
      assert.ok(String(axis.rows.slice(from, to)) === String(seen), `from ${top} to ${end}: ${to - from} instead of ${seen.length}`);
    }
  });

  it('says when frames were, so that they can be told apart', () => {
    const recording = recordingOf([0, 40_500, 1_204_000, 131_402_000].map((at): Frame => ({ at, kind: 'step', node: 0, text: '' })));
    assert.deepEqual([0, 1, 2, 3].map((i) => when(recording, i)), ['0 ms', '40.5 ms', '1.204 s', '2:11.402']);
    assert.equal(when(recordingOf([{ at: 7, kind: 'step', node: 0, text: '' }], { timed: false }), 0), '1');
  });
});

describe('arrows', () => {
  const arrow: Arrow = { x0: 0, y0: 0, x1: 0, y1: 0, end: 'open' };
  it('end where their messages are taken, or short of that', () => {
    for (const recording of [made(3000), made(3000, false), ...names.map(fixture)]) {
      const axis = new Axis(recording, true);
      const ends = { taken: 0, lost: 0, open: 0 };
      for (const flight of recording.flights) {
        const a = arrowOf(axis, flight, arrow);
        ends[a.end]++;
        assert.equal(a.x0, flight.from);
        assert.equal(a.y0, axis.y[flight.sent]);
        assert.ok(a.y1 >= a.y0, `it goes from ${a.y0} up to ${a.y1}`);
        if (a.end === 'taken') {
          assert.equal(a.x1, flight.to);
          assert.equal(a.y1, axis.y[flight.ended!]);
        } else {
          const share = (a.x1 - flight.from) / (flight.to - flight.from);
          assert.ok(share > 0 && share < 1, `it is ${share} of the way`);
        }
      }
      assert.ok(ends.taken > 0 && ends.lost > 0, JSON.stringify(ends));
    }
  });

  it('are found again between two heights, in a recording that grows', () => {
    const all = made(4000);
    const recording = new Recording(all.header);
    const layout = new Layout(recording, true);
    for (let i = 0; i < all.frames.length; i += 100) {
      recording.add(all.frames.slice(i, i + 100));
      layout.update();
      for (const top of [0, layout.height / 2, layout.height - 200]) {
        const found: number[] = [];
        layout.arrows.each(top, top + 200, (flight) => found.push(flight.number));
        const there = recording.flights.filter((flight) => {
          const a = arrowOf(layout.axis, flight, arrow);
          return a.y1 >= top && a.y0 <= top + 200;
        });
        assert.ok(String(found) === String(there.map((flight) => flight.number)), `${found.length} found from ${top} on, ${there.length} there`);
      }
    }
  });

  it('are found again when they have come after long', () => {
    const late: Frame[] = [{ at: 1, kind: 'timer', node: 0, text: 'asks', sends: [{ number: 1, to: 1, kind: 'ELECTION' }] }];
    for (let i = 2; i < 400; i += 2) {
      late.push({ at: i, kind: 'timer', node: 2, text: 'asks', sends: [{ number: i / 2 + 1, to: 0, kind: 'ELECTION' }] });
      late.push({ at: i + 1, kind: 'receive', node: 0, text: 'hears it', takes: i / 2 + 1 });
    }
    const recording = recordingOf(late, { timed: false });
    const layout = new Layout(recording, false);
    const found = () => {
      const all: number[] = [];
      layout.arrows.each(6000, 6010, (flight) => all.push(flight.number));
      return all;
    };
    assert.ok(!found().includes(1), 'it is a stub as long as it is under way');
    recording.add([{ at: 400, kind: 'receive', node: 1, text: 'hears it at last', takes: 1 }]);
    layout.update();
    assert.ok(found().includes(1), 'it is not found');
  });

  it('leave out upkeep unless it is shown, and what is lost where people see it', () => {
    const sends = (number: number, more = {}) => [{ number, to: 1, kind: 'HEARTBEAT', upkeep: true, ...more }];
    const recording = recordingOf([
      { at: 0, kind: 'timer', node: 0, text: 'says HEARTBEAT', upkeep: true, sends: sends(1) },
      { at: 5, kind: 'receive', node: 1, text: 'hears it', upkeep: true, takes: 1 },
      { at: 9, kind: 'timer', node: 0, text: 'says HEARTBEAT', upkeep: true, sends: sends(2) },
      { at: 12, kind: 'lose', node: -1, text: 'it is lost', takes: 2 },
    ]);
    const found = (upkeep: boolean) => {
      const all: number[] = [];
      new Arrows(new Axis(recording, upkeep)).each(-99, 999, (flight) => all.push(flight.number));
      return all;
    };
    assert.deepEqual(found(false), [2]);
    assert.deepEqual(found(true), [1, 2]);
  });
});

describe('layout', () => {
  it('has the lives, reigns, cuts and red indicators of a recording', () => {
    const recording = recordingOf([
      { at: 0, kind: 'start', node: 0, text: 'starts', state: state('idle') },
      { at: 10, kind: 'step', node: 0, text: 'wins', state: state('leads', 3), indicators: [{ name: 'OneActing', light: 'red' }] },
      { at: 20, kind: 'links', node: -1, text: 'links are cut', cut: [[0, 1]] },
      { at: 30, kind: 'crash', node: 0, text: 'crashes', state: state('down', 3) },
      { at: 40, kind: 'links', node: -1, text: 'links are whole', cut: [] },
    ], { timed: false });
    const layout = new Layout(recording, false);
    assert.deepEqual(layout.stretches(0, -99, 999).map(({ life }) => life), ['absent', 'up', 'down']);
    assert.deepEqual(layout.bands(-99, 999), [{ node: 0, epoch: 3, from: 24, to: 72, open: false }]);
    assert.deepEqual(layout.bands(80, 999), []);
    assert.deepEqual(layout.severed(-99, 999), [{ from: 48, to: 96 }]);
    assert.deepEqual(layout.reds, [1]);
    assert.deepEqual(layout.looks, ['idle', 'leads', 'idle', 'down', 'idle']);
  });

  it('has servers, which are there from the beginning', () => {
    const layout = new Layout(recordingOf([], { servers: 1 }), false);
    assert.deepEqual([0, 2].map((node) => layout.stretches(node, -99, 99).map(({ life }) => life)), [['absent'], ['up']]);
  });

  for (const [name, recording] of recordings) {
    it(`can be painted at every zoom: ${name}`, () => {
      for (const upkeep of [true, false]) {
        const layout = new Layout(recording(), upkeep);
        for (const [width, height] of [[1280, 800], [360, 200], [10, 10]] as const) {
          for (const k of [0.003, 0.3, 1, 8]) {
            const view = { ...viewOf(width, height, layout.columns), k, ty: -layout.height * k / 2 };
            const watcher = new Watcher();
            paint(layout, view, watcher);
            assert.notEqual(watcher.painted, 0);
          }
        }
      }
    });
  }

  it('paints of a long recording no more than is to be seen', () => {
    const count = (length: number) => {
      const layout = new Layout(made(length), true);
      const watcher = new Watcher();
      paint(layout, { ...viewOf(1000, 700, 5), ty: -layout.height / 2 }, watcher);
      return watcher.painted;
    };
    const [short, long] = [count(1000), count(10_000)];
    assert.ok(long < 2 * short + 200, `${short} of 1000 frames, ${long} of 10000`);
  });

  it('paints few of the arrows that would cover each other', () => {
    const layout = new Layout(made(10_000), true);
    const watcher = new Watcher();
    const view = viewOf(1000, 700, 5);
    const k = least(view, layout.height);
    paint(layout, { ...view, k, ty: settle(view, layout.height, k, 0) }, watcher);
    assert.ok(watcher.painted < 6500, `${watcher.painted} for 10000 frames`);
    assert.ok(watcher.painted > 500, 'there must be something to see');
  });

  it('writes what messages are, who leads, and who crashes', () => {
    const watcher = new Watcher();
    const layout = new Layout(fixture('failover.json'), false);
    paint(layout, viewOf(900, layout.height + 120, 3), watcher);
    for (const text of ['ELECTION', 'CLAIM 1', 'GRANT 1', 'COORDINATOR 1', 'ACK 1', 'crashes', 'leads epoch 1', 'leads epoch 2', 'node 3', '17']) {
      assert.ok(watcher.texts.includes(text), `it does not say ${text}: ${watcher.texts.join(', ')}`);
    }
  });

  it('cuts no word, however narrow it is: it writes fewer', () => {
    const told = 'is told that 3 is dead';
    const frames: Frame[] = [
      { at: 0, kind: 'start', node: 0, text: 'starts', state: state('idle') }, { at: 1000, kind: 'call', node: 1, text: told, by: 'you' },
      { at: 2000, kind: 'links', node: -1, text: '1–2 1–3 2–3 cut', cut: [[0, 1], [0, 2], [1, 2]] }, { at: 9000, kind: 'crash', node: 2, text: 'crashes, and loses all that it has not saved', state: state('down') },
    ];
    const said = new Set<string>();
    for (let width = 200; width <= 1600; width += 25) {
      const watcher = new Watcher();
      paint(new Layout(recordingOf(frames), false), viewOf(width, 600, 3), watcher);
      for (const text of watcher.texts) said.add(text);
    }
    assert.deepEqual([...said].filter((text) => text.includes('…')), []);
    for (const text of [told, 'crashes', '1–2 1–3 2–3 cut']) assert.ok(said.has(text), `it says ${text} where there is room: ${[...said].join(', ')}`);
  });
});
