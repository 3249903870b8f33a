// What of the ring cannot be read: a word that lies on a node, on a message, on a mark, on the resource, or on another word, or that the edge of the picture cuts; a button on a
// node; a message on the resource; and a page that is wider than its window.
import type { Page } from 'playwright-core';
import { idle } from './page';

// laidOut waits, in the page, until all is drawn: a ring whose room has changed, as words below it came or went, is laid out again, and the engine may answer meanwhile.
const laidOut = `(async () => {
  const fits = () => Number(document.querySelector('.ring-picture').getAttribute('height')) === document.querySelector('.ring-surface').clientHeight;
  do {
    await ${idle};
    await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
  } while (document.documentElement.hasAttribute('data-busy') || !fits());
})()`;

// overlaps returns a line for each of them.
export async function overlaps(page: Page): Promise<string[]> {
  return await page.evaluate(`(async () => { await ${laidOut}; return (${found.toString()})(); })()`) as string[];
}

// unseen returns what a tour speaks of and who does not scroll does not see: a mark, or a sign, which its card has, too, where there is no room for the others.
export async function unseen(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const bottom = document.querySelector('.transport')!.getBoundingClientRect().top;
    const sees = (one: Element) => { const at = one.getBoundingClientRect(); return at.width > 0 && at.left >= 0 && at.right <= innerWidth && at.top >= 0 && at.bottom <= bottom; };
    const signs = [...document.querySelectorAll('.indicator[data-marked]')];
    const inCard = [...document.querySelectorAll('.tour-sign')].filter(sees).length;
    const marks = [...document.querySelectorAll('.ring-picture .ring-marked')].filter((one) => !sees(one));
    return [...marks.map((one) => `the mark ${one.closest('[data-node], [data-message], [data-resource]')?.getAttribute('class')} is out of sight`),
      ...(inCard < signs.length ? signs.filter((one) => !sees(one)).map((one) => `the sign “${one.textContent}” is out of sight`) : [])];
  });
}

// atPhases returns them of what is shown now, and of each of so many phases from there. The keys are pressed by a script, as they are many.
export async function atPhases(page: Page, most: number): Promise<string[]> {
  return await page.evaluate(`(async () => {
    const found = ${found.toString()};
    const wrong = [];
    for (let phase = 0; phase <= ${most}; phase++) {
      await ${laidOut};
      wrong.push(...found().map((line) => 'phase ' + phase + ': ' + line));
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', bubbles: true, cancelable: true }));
    }
    return wrong;
  })()`) as string[];
}

// found is what runs in the page. Boxes of words are a little smaller than their lines, which have room above and below their letters.
function found(): string[] {
  interface Box { left: number; top: number; right: number; bottom: number }
  const wrong: string[] = [];
  const all = (of: string) => [...document.querySelectorAll<SVGGraphicsElement>(`.ring-picture ${of}`)].filter((one) => one.getBoundingClientRect().width > 0);
  const box = (one: Element, by = 0): Box => { // without its stroke, which Firefox counts otherwise
    if (!(one instanceof SVGGraphicsElement)) return one.getBoundingClientRect();
    const [{ x, y, width, height }, { a, d, e, f }] = [one.getBBox(), one.getScreenCTM()!];
    return { left: a * x + e + by, top: d * y + f + by, right: a * (x + width) + e - by, bottom: d * (y + height) + f - by };
  };
  const line = (one: Element): Box => { const { left, top, right, bottom } = box(one); return { left: left + 1, top: top + 3, right: right - 1, bottom: bottom - 3 }; };
  const meet = (a: Box, b: Box) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const near = (a: Box, x: number, y: number) => Math.hypot(Math.max(a.left - x, 0, x - a.right), Math.max(a.top - y, 0, y - a.bottom));
  const far = (a: Box, x: number, y: number) => Math.hypot(Math.max(x - a.left, a.right - x), Math.max(y - a.top, a.bottom - y));
  const words = all(':is(.ring-word, .pair-name, .ring-words > text)').map((one) => ({ one, at: line(one), says: `“${one.textContent}”`, node: one.closest('.ring-node') }));
  const nodes = all('.ring-node').map((one) => ({ one, says: `node ${one.querySelector('.ring-id')?.textContent}`, at: box(one.querySelector('.ring-body')!) }));
  const message = (one: Element) => `a message ${one.closest('.ring-message')?.querySelector('.ring-letter')?.textContent}`;
  const shapes = all('.ring-shape').map((one) => ({ one, at: box(one, 3), says: message(one) }));
  const letters = all('.ring-message .ring-letter').map((one) => ({ one, at: line(one), says: message(one) })); // a word of a node lies over an edge of a shape where a lane is too short for both
  const things = [
    ...all('.ring-deed').map((one) => ({ one, at: box(one, 1), says: 'a button' })),
    ...all('.ring-crown').map((one) => ({ one, at: box(one, 2), says: 'a crown' })),
    ...all('.ring-badge').map((one) => ({ one, at: box(one, 2), says: 'a badge' })), ...all('.ring-resource-body').map((one) => ({ one, at: box(one), says: 'the resource' })),
    ...all('.ring-write').map((one) => ({ one, at: box(one, 2), says: 'a write' })),
  ];
  const marks = all('.ring-marked').map((one) => ({ at: box(one), round: one.tagName === 'circle' }));
  const frame = box(document.querySelector('.ring-surface')!);
  const cut = (at: Box) => at.left < frame.left - 1 || at.right > frame.right + 1 || at.top < frame.top - 1 || at.bottom > frame.bottom + 1;
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) wrong.push(`the page is ${scrollWidth - clientWidth} pixels wider than the window`);
  const resources = all('.ring-resource-body').map((one) => box(one));
  const passing = [...shapes, ...all(':is(.ring-taken, .ring-lost) path').map((one) => ({ at: box(one), says: 'the end of a message' }))];
  for (const { at, says } of passing) if (resources.some((body) => meet(at, body))) wrong.push(`${says} is on the resource`);
  const on = (at: Box, body: Box): boolean => near(at, (body.left + body.right) / 2, (body.top + body.bottom) / 2) < (body.right - body.left) / 2 - 1;
  for (const one of all('.ring-deed')) {
    if (cut(box(one))) wrong.push(`the button “${one.textContent}” is cut by the edge: ${JSON.stringify([box(one), frame])}`);
    for (const node of nodes) if (on(box(one), node.at)) wrong.push(`the button “${one.textContent}” is on ${node.says}`);
  }
  for (const [k, word] of words.entries()) {
    const { at, says } = word;
    if (cut(at)) wrong.push(`${says} is cut by the edge`);
    for (const other of words.slice(k + 1)) if (meet(at, other.at)) wrong.push(`${says} and ${other.says} are on each other`);
    for (const { says: which, at: body } of nodes) if (on(at, body)) wrong.push(`${says} is on ${which}`);
    for (const thing of word.node ? [...letters, ...things] : [...shapes, ...things]) if (meet(at, thing.at)) wrong.push(`${says} is on ${thing.says}`);
    for (const mark of marks) {
      const [x, y, r] = [(mark.at.left + mark.at.right) / 2, (mark.at.top + mark.at.bottom) / 2, (mark.at.right - mark.at.left) / 2];
      const inside = mark.at.left < at.left && mark.at.right > at.right && mark.at.top < at.top && mark.at.bottom > at.bottom;
      if (mark.round ? near(at, x, y) < r - 2 && far(at, x, y) > r : meet(at, mark.at) && !inside) wrong.push(`a mark of the tour is on ${says}`);
    }
  }
  return wrong;
}
