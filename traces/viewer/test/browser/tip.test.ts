// What is said of what is under the pointer is so while one looks, and not only when one began to.
import assert from 'node:assert/strict';
import { golden, inPage, ready, settled, stepUntil } from './kit';

inPage('a tooltip covers no node', { hash: golden('five-nodes-5-crashes-3-detects') }, async (page) => {
  await ready(page);
  for (let node = 0; node < 5; node++) {
    await page.locator(`.ring-node[data-node="${node}"] [role=button]`).hover();
    await page.locator('.ring-tip').filter({ hasText: `Node ${node + 1}:` }).waitFor();
    const covered = await page.evaluate(() => {
      const tip = document.querySelector('.ring-tip')!.getBoundingClientRect();
      return [...document.querySelectorAll('.ring-node .ring-body')].filter((body) => {
        const at = body.getBoundingClientRect();
        return at.left < tip.right && tip.left < at.right && at.top < tip.bottom && tip.top < at.bottom;
      }).length;
    });
    assert.equal(covered, 0, `node ${node + 1}`);
  }
});

inPage('a tooltip says what its node is now', { hash: golden('failover', 5) }, async (page) => {
  await ready(page);
  await page.locator('.ring-node[data-node="2"] [role=button]').hover();
  const tip = page.locator('.ring-tip');
  await stepUntil(page, '3 leads', (now) => now.looks[2] === 'leads');
  await settled(page);
  assert.match(await tip.innerText(), /leads epoch 1/);
  await stepUntil(page, '3 is down', (now) => now.looks[2] === 'down');
  await settled(page);
  assert.match(await tip.innerText(), /down/);
  assert.doesNotMatch(await tip.innerText(), /leads/);
});
