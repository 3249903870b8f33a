import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beside } from '../src/ring/beside';
import { plan } from '../src/ring/geometry';

test('a menu covers no part of its node, and stays in the window', () => {
  for (const [width, height, right] of [[440, 390, 1260], [640, 500, 900], [370, 390, 374]] as const) {
    for (let nodes = 2; nodes <= 9; nodes++) {
      const { places } = plan(width, height, nodes, 0);
      const room = { left: -8, top: -8, right, bottom: 440 };
      places.forEach((node, k) => {
        const at = beside(node, places.filter((_, i) => i !== k), { x: width / 2, y: height / 2 }, 250, 380, room);
        assert.ok(at.x >= room.left && at.x + 250 <= room.right && at.y >= room.top, `${k} of ${nodes} in ${width}`);
        if (width < 400) return; // on a phone there is no such place for all
        const covers = at.x < node.x + node.r && at.x + 250 > node.x - node.r && at.y < node.y + node.r && at.y + 380 > node.y - node.r;
        assert.equal(covers, false, `${k} of ${nodes} in ${width}: ${JSON.stringify(at)}`);
      });
    }
  }
});
