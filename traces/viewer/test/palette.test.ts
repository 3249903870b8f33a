import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { colours, contrast } from './colours';

const css = readFileSync(new URL('../src/palette.css', import.meta.url), 'utf8');
const [light = '', dark = ''] = css.split("[data-theme='dark']");

const words = ['ink', 'soft', 'accent', 'leads', 'stands', 'waits', 'follows', 'idle', 'down', 'green', 'amber', 'red', 'flight', 'upkeep'];
const fills = ['accent', 'leads', 'stands', 'waits', 'follows', 'green', 'amber', 'red'];

for (const [theme, part] of [['light', light], ['dark', dark]] as const) {
  const all = colours(part);
  const of = (name: string): string => all.get(name) ?? assert.fail(`${theme} has no --${name}`);
  const atLeast = (bound: number, a: string, b: string): void => {
    const is = contrast(of(a), of(b));
    assert.ok(is >= bound, `${theme}: --${a} on --${b} has ${is.toFixed(2)}:1, and needs ${bound}:1`);
  };

  test(`${theme}: whatever may be text can be read on paper and on card`, () => {
    for (const name of words) for (const on of ['paper', 'card']) atLeast(4.5, name, on);
    for (const name of fills) atLeast(4.5, 'on', name);
    atLeast(4.5, 'ink', 'glow');
    for (const on of ['paper', 'card']) atLeast(3, 'edge', on);
  });

  test(`${theme}: reigns can be read through, and told from the next`, () => {
    for (let i = 0; i < 8; i++) {
      atLeast(4.5, 'ink', `epoch-${i}`);
      assert.notEqual(of(`epoch-${i}`), of(`epoch-${(i + 1) % 8}`));
    }
  });
}

test('both themes have the same colours', () => {
  assert.deepEqual([...colours(dark).keys()].sort(), [...colours(light).keys()].sort());
  assert.ok(colours(light).size >= 27);
});
