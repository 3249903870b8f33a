// What is said of what is under the pointer is so while one looks, and not only when one began to.
import assert from 'node:assert/strict';
import { golden, inPage, ready, settled, stepUntil } from './kit';

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
