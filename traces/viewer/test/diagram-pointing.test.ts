// What is pointed at in the diagram, which part of it a view shows, and where there is room for texts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { arrowOf, type Arrow } from '../src/diagram/arrows';
import { countOf, frameAt, hitAt } from '../src/diagram/hit';
import { crosses } from '../src/diagram/labels';
import { Layout } from '../src/diagram/layout';
import { Room } from '../src/diagram/room';
import { columnX, least, screenY, settle, viewOf } from '../src/diagram/view';
import { Recording } from '../src/recording';
import type { Frame, Header } from '../src/types';

function failover(): Layout {
  const { header, frames } = JSON.parse(readFileSync(join(import.meta.dirname, '../src/fixtures/failover.json'), 'utf8')) as { header: Header; frames: Frame[] };
  const recording = new Recording(header);
  recording.add(frames);
  return new Layout(recording, false);
}

describe('pointing', () => {
  it('finds every mark where it is, and the frame above an empty place', () => {
    const layout = failover();
    const view = viewOf(900, 2000, 3);
    layout.recording.frames.forEach(({ node }, place) => {
      const hit = hitAt(layout, view, columnX(view, node), screenY(view, layout.axis.y[place]!), 6);
      assert.deepEqual(hit, { frame: place });
      assert.equal(countOf(layout, hit!), place + 1);
    });
    assert.equal(frameAt(layout, view, screenY(view, layout.axis.y[4]! + 10)), 5);
    assert.equal(frameAt(layout, view, view.header), 0);
  });

  it('finds arrows, and goes to where they have been sent', () => {
    const layout = failover();
    const view = viewOf(900, 2000, 3);
    const flight = layout.recording.flights.find((f) => f.taken && f.to === 0 && f.from === 2)!;
    const a = arrowOf(layout.axis, flight, { x0: 0, y0: 0, x1: 0, y1: 0, end: 'open' });
    const [x, y] = [columnX(view, a.x0 + 0.7 * (a.x1 - a.x0)), screenY(view, a.y0 + 0.7 * (a.y1 - a.y0))];
    assert.deepEqual(hitAt(layout, view, x, y, 6), { message: flight.number });
    assert.equal(countOf(layout, { message: flight.number }), flight.sent + 1);
    assert.equal(hitAt(layout, view, 5, 1999, 6), null);
  });
});

describe('view', () => {
  it('shows all at the least zoom, and nothing beyond the ends', () => {
    const view = viewOf(1000, 600, 5);
    const k = least(view, 100_000);
    assert.ok(screenY({ ...view, k, ty: settle(view, 100_000, k, -5) }, 100_000) <= 600, 'its end is not to be seen');
    assert.equal(settle(view, 100, 1, -500), view.ty);
    assert.equal(settle(view, 5000, 1, 999), view.ty);
    assert.ok(screenY({ ...view, ty: settle(view, 5000, 1, -99_999) }, 5000) <= 600, 'its end is not to be seen');
  });
});

describe('room', () => {
  it('is had once', () => {
    const room = new Room();
    assert.equal(room.claim(0, 0, 50, 10), true);
    assert.equal(room.claim(40, 5, 60, 90), false);
    assert.equal(room.claim(51, 0, 60, 90), true);
    assert.equal(room.claim(55, 80, 70, 99), false);
    assert.equal(room.claimSlanted(200, 200, 100, 12, 1), true);
    assert.equal(room.claimSlanted(200, 200, 10, 12, 0), false);
    assert.ok(room.claimSlanted(160, 240, 10, 12, 0), 'below a slanted text there is room');
  });

  it('is crossed by arrows that go through it', () => {
    const box = { x0: 10, y0: 10, x1: 20, y1: 20 };
    const arrow = (x0: number, y0: number, x1: number, y1: number): Arrow => ({ x0, y0, x1, y1, end: 'taken' });
    assert.equal(crosses(arrow(0, 0, 30, 30), box), true);
    assert.equal(crosses(arrow(0, 15, 30, 15), box), true);
    assert.equal(crosses(arrow(0, 0, 30, 9), box), false);
    assert.equal(crosses(arrow(0, 14, 9, 30), box), false);
    assert.equal(crosses(arrow(30, 0, 12, 60), box), false);
  });
});
