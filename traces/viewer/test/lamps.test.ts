import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Film } from '../src/film';
import { stateWords } from '../src/lamps/words';
import type { Frame, Header, Lamp, Light } from '../src/types';

const header: Header = {
  film: 1, title: 't', source: 'run', nodes: ['1', '2'], timed: true,
  lamps: [{ name: 'OneActing', light: 'green' }, { name: 'SomeLeader', light: 'amber' }, { name: 'Rules', light: 'green', once: true }],
};
const frame = (name: string, light: Light, says = ''): Frame => ({ at: 1, kind: 'step', node: 0, text: '', lamps: [{ name, light, says }] });

test('what was broken and holds again was broken: for the last time at that frame', () => {
  const film = new Film(header);
  film.add([frame('OneActing', 'red', 'first'), frame('OneActing', 'green'), frame('SomeLeader', 'green'), frame('OneActing', 'red', 'second'),
    frame('OneActing', 'red', 'third'), frame('OneActing', 'green')]);
  assert.deepEqual([0, 1, 2, 3, 4, 6].map((count) => film.scene(count).was), [
    {}, {}, { OneActing: { says: 'first', frame: 0 } }, { OneActing: { says: 'first', frame: 0 } }, {}, { OneActing: { says: 'third', frame: 4 } },
  ]);
  assert.deepEqual(film.scene(6).why, {});
  assert.equal(film.scene(6).lamps[0]?.light, 'green');
});

test('what stays red was not red: it is', () => {
  const film = new Film(header);
  film.add([frame('Rules', 'red', 'R7'), frame('Rules', 'green')]);
  assert.deepEqual(film.scene(2).was, {});
  assert.deepEqual(film.scene(2).why, { Rules: { says: 'R7', frame: 0 } });
});

test('a lamp is amber, and no memory of red', () => {
  const film = new Film(header);
  film.add([frame('SomeLeader', 'amber'), frame('SomeLeader', 'green')]);
  assert.deepEqual(film.scene(2).was, {});
});

test('the first time that a property is broken stops the film, and no other', () => {
  const film = new Film(header);
  film.add([frame('SomeLeader', 'green'), frame('OneActing', 'red'), frame('OneActing', 'green'), frame('OneActing', 'red'), frame('Rules', 'red'), frame('unheard', 'red')]);
  const names = (from: number, to: number) => film.breaks(from, to).map((lamp) => lamp.name);
  assert.deepEqual([0, 1, 2, 3, 4, 5].map((from) => names(from, from + 1)), [[], ['OneActing'], [], [], ['Rules'], []]);
  assert.deepEqual(names(0, 6), ['OneActing', 'Rules']);
});

test('a lamp says when', () => {
  const lamp = (light: Light): Lamp => ({ name: 'OneActing', light });
  assert.equal(stateWords(lamp('green'), '', false), 'holds');
  assert.equal(stateWords(lamp('amber'), '1 s', false), 'not now');
  assert.equal(stateWords(lamp('red'), '1.288 s', false), 'broken since 1.288 s');
  assert.equal(stateWords(lamp('green'), '1.288 s', true), 'was broken at 1.288 s, holds now');
});
