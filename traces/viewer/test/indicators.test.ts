import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Recording } from '../src/recording';
import { asShown, stateWords } from '../src/indicators/words';
import type { Frame, Header, Indicator, Light } from '../src/types';

const header: Header = {
  recording: 1, title: 't', source: 'run', nodes: ['1', '2'], timed: true,
  indicators: [{ name: 'OneActing', light: 'green' }, { name: 'SomeLeader', light: 'amber' }, { name: 'Rules', light: 'green', once: true }],
};
const frame = (name: string, light: Light, says = ''): Frame => ({ at: 1, kind: 'step', node: 0, text: '', indicators: [{ name, light, says }] });

test('what was broken and holds again was broken: for the last time at that frame', () => {
  const recording = new Recording(header);
  recording.add([frame('OneActing', 'red', 'first'), frame('OneActing', 'green'), frame('SomeLeader', 'green'), frame('OneActing', 'red', 'second'),
    frame('OneActing', 'red', 'third'), frame('OneActing', 'green')]);
  assert.deepEqual([0, 1, 2, 3, 4, 6].map((count) => recording.scene(count).was), [
    {}, {}, { OneActing: { says: 'first', frame: 0 } }, { OneActing: { says: 'first', frame: 0 } }, {}, { OneActing: { says: 'third', frame: 4 } },
  ]);
  assert.deepEqual(recording.scene(6).why, {});
  assert.equal(recording.scene(6).indicators[0]?.light, 'green');
});

test('what stays red was not red: it is', () => {
  const recording = new Recording(header);
  recording.add([frame('Rules', 'red', 'R7'), frame('Rules', 'green')]);
  assert.deepEqual(recording.scene(2).was, {});
  assert.deepEqual(recording.scene(2).why, { Rules: { says: 'R7', frame: 0 } });
});

test('an indicator is amber, and no memory of red', () => {
  const recording = new Recording(header);
  recording.add([frame('SomeLeader', 'amber'), frame('SomeLeader', 'green')]);
  assert.deepEqual(recording.scene(2).was, {});
});

test('the first time that a property is broken stops the recording, and no other', () => {
  const recording = new Recording(header);
  recording.add([frame('SomeLeader', 'green'), frame('OneActing', 'red'), frame('OneActing', 'green'), frame('OneActing', 'red'), frame('Rules', 'red'), frame('unheard', 'red')]);
  const names = (from: number, to: number) => recording.breaks(from, to).map((indicator) => indicator.name);
  assert.deepEqual([0, 1, 2, 3, 4, 5].map((from) => names(from, from + 1)), [[], ['OneActing'], [], [], ['Rules'], []]);
  assert.deepEqual(names(0, 6), ['OneActing', 'Rules']);
});

test('an indicator says when', () => {
  const indicator = (light: Light): Indicator => ({ name: 'OneActing', light });
  assert.equal(stateWords(indicator('green'), '', false), 'holds');
  assert.equal(stateWords(indicator('amber'), '1 s', false), 'not now');
  const leads = (light: Light) => ({ ...indicator(light), name: 'SomeLeader' });
  assert.equal(asShown(leads('green'), false).light, 'amber', 'too few run, and nobody leads');
  assert.equal(asShown(leads('green'), true).light, 'green');
  assert.equal(asShown(leads('red'), false).light, 'red');
  assert.equal(asShown({ ...indicator('green'), name: 'OneActing' }, false).light, 'green');
  assert.equal(stateWords(indicator('red'), '1.288 s', false), 'broken since 1.288 s');
  assert.equal(stateWords(indicator('green'), '1.288 s', true), 'was broken at 1.288 s, holds now');
});
