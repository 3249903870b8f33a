// A finger on the screen, by the protocol of the browser: a page scrolls by no touch that a script makes.
import type { Locator, Page } from 'playwright-core';
import { bidi } from './bidi';
import { current } from './browsers';

export interface At { x: number; y: number }

// stroke puts a finger down, moves it from point to point, and lifts it.
export async function stroke(page: Page, points: At[]): Promise<void> {
  const [first, ...rest] = points.map(({ x, y }) => ({ x: Math.round(x), y: Math.round(y) })) as [At, ...At[]];
  if (current === 'firefox') {
    const finger = { type: 'pointer', id: 'finger', parameters: { pointerType: 'touch' }, actions: [
      { type: 'pointerMove', ...first }, { type: 'pointerDown', button: 0 }, ...rest.map((at) => ({ type: 'pointerMove', ...at, duration: 16 })), { type: 'pointerUp', button: 0 },
    ] };
    const { send, context } = bidi(page);
    await send('input.performActions', { context, actions: [finger] });
    await send('input.releaseActions', { context });
    return;
  }
  const session = await page.context().newCDPSession(page);
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [first] });
  for (const at of rest) await session.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [at] });
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await session.detach();
}

// tap taps what is there, where it can be tapped: Playwright does that in Chromium only.
export async function tap(what: Locator): Promise<void> {
  if (current !== 'firefox') return what.tap();
  await what.click({ trial: true }); // it waits until it could
  const box = await what.boundingBox();
  if (!box) throw new Error('what is to be tapped is nowhere');
  await stroke(what.page(), [{ x: box.x + box.width / 2, y: box.y + box.height / 2 }]);
}
