import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { endedBy, rows, timerRows } from '../src/panel/changes';
import { anchor, parse, spans, type Block, type Span } from '../src/panel/markdown';
import type { NodeState } from '../src/types';

const recording = { header: { nodes: ['1', '2', '3'], servers: 0 } };
const state = (more: Partial<NodeState>): NodeState => ({ look: 'follows', role: 'follower', leader: 2, epoch: 4, ...more });

test('rows say what has changed, and from what', () => {
  const out = rows(recording, 0, state({ look: 'leads', role: 'leader', leader: 0, epoch: 5, paused: true }), state({ fields: [{ name: 'support', value: '1' }] }));
  assert.deepEqual(out, [
    { name: 'role', is: 'leader', was: 'follower' }, { name: 'its leader', is: 'itself', was: 'Node 3' }, { name: 'epoch', is: '5', was: '4' },
    { name: 'paused', is: 'yes', was: '' }, { name: 'support', is: '', was: '1' },
  ]);
  assert.ok(rows(recording, 0, state({}), state({})).every((row) => row.was === undefined));
  assert.ok(rows(recording, 0, state({})).every((row) => row.was === undefined));
  const gone = rows(recording, 0, state({ look: 'down', role: 'heard no more', unheard: true }), state({ disk: 'epoch 4', fields: [{ name: 'support', value: '1' }] }));
  assert.deepEqual(gone.map((row) => row.name), ['role', 'its leader', 'epoch'], 'what is on its disk is not gone: nobody knows it');
});

test('timers say how long they run still, and what became of them', () => {
  const before = state({ timers: [{ timer: 'patience', at: 500 }, { timer: 'preempt', at: 900 }] });
  const now = state({ timers: [{ timer: 'patience', at: 800 }, { timer: 'election', at: 700 }] });
  assert.deepEqual(timerRows(now, before, 500, 'preempt'), [
    { timer: 'patience', left: 300, change: 'set again' }, { timer: 'election', left: 200, change: 'set' }, { timer: 'preempt', change: 'ended' },
  ]);
  assert.deepEqual(timerRows(now, undefined, 750).map((row) => row.left), [50, 0]);
});

test('the timer that ended is that which was due', () => {
  const before = state({ timers: [{ timer: 'reign', at: 600 }, { timer: 'heartbeat', at: 500 }] });
  assert.equal(endedBy({ at: 500, kind: 'timer', node: 0, text: '' }, before), 'heartbeat');
  assert.equal(endedBy({ at: 400, kind: 'timer', node: 0, text: '' }, before), undefined, 'it was fired before it was due');
  assert.equal(endedBy({ at: 500, kind: 'receive', node: 0, text: '' }, before), undefined);
});

test('paragraphs, bold, italics, code and links', () => {
  assert.deepEqual(parse('One\nline.\n\nAnother.'), [
    { kind: 'paragraph', spans: [{ kind: 'text', text: 'One line.' }] }, { kind: 'paragraph', spans: [{ kind: 'text', text: 'Another.' }] },
  ]);
  assert.deepEqual(spans('a **b `c`** *d* `*e*` [f](#g)'), [
    { kind: 'text', text: 'a ' }, { kind: 'bold', spans: [{ kind: 'text', text: 'b ' }, { kind: 'code', text: 'c' }] }, { kind: 'text', text: ' ' },
    { kind: 'italic', spans: [{ kind: 'text', text: 'd' }] }, { kind: 'text', text: ' ' }, { kind: 'code', text: '*e*' }, { kind: 'text', text: ' ' },
    { kind: 'link', to: '#g', spans: [{ kind: 'text', text: 'f' }] },
  ]);
  assert.deepEqual(spans('2 * 3 * 4 and a*b*c'), [{ kind: 'text', text: '2 * 3 * 4 and a*b*c' }]);
});

test('lists, with lists in them, and lines that go on', () => {
  const [list, after] = parse('1. one\n   goes on\n   - inner\n   - inner two\n2. two\n\nAfter.');
  assert.equal(list!.kind, 'list');
  assert.ok(list!.kind === 'list' && list!.ordered);
  assert.equal(list!.items.length, 2);
  assert.deepEqual(list!.items[0]!.map((block) => block.kind), ['paragraph', 'list']);
  assert.equal(after!.kind, 'paragraph');
});

test('tables and code', () => {
  const [table, code] = parse('| case | does |\n|---|---|\n| e > `epoch` | grants |\n\n```python\ndef f(s):\n    return s\n```\n');
  assert.ok(table!.kind === 'table' && table!.head.length === 2 && table!.rows.length === 1);
  assert.deepEqual(code, { kind: 'code', text: 'def f(s):\n    return s', language: 'python' });
});

test('no text is more than text', () => {
  const [block] = parse('<script>alert(1)</script> <img src=x onerror=y>');
  assert.deepEqual(block, { kind: 'paragraph', spans: [{ kind: 'text', text: '<script>alert(1)</script> <img src=x onerror=y>' }] });
});

// text returns all words of a block: nothing must get lost.
function words(blocks: Block[]): string {
  const span = (s: Span): string => ('spans' in s ? s.spans.map(span).join('') : s.text);
  const line = (all: Span[]) => `${all.map(span).join('')} `;
  return blocks.map((block): string => {
    switch (block.kind) {
      case 'code': return `${block.language} ${block.text} `;
      case 'list': return block.items.map(words).join('');
      case 'table': return [block.head, ...block.rows].flat().map(line).join('');
      default: return line(block.spans);
    }
  }).join('');
}

test('every rule of the specification is read, and loses no word', () => {
  const page = readFileSync(new URL('../../../spec/README.md', import.meta.url), 'utf8');
  const rules = [...page.matchAll(/^### (R\d+) (.*)\n([\s\S]*?)(?=^##|(?![\s\S]))/gm)];
  assert.ok(rules.length >= 41, `${rules.length} rules`);
  const letters = (text: string) => text.replace(/\]\([^)]*\)/g, '').replace(/^ *(\d+\.|-) /gm, '').replace(/[^\p{L}\p{N}]/gu, '');
  for (const [, name, , text] of rules) assert.equal(letters(words(parse(text!))), letters(text!), name);
});

test('whatever is read, it ends, and loses no word', () => {
  const bits = ['- ', '1. ', '   ', '\n', '\n\n', '| a |', '|---|', '```', '**', '*', '`', '[x](y)', 'word', '# ', '  - ', ' '];
  let seed = 1;
  for (let run = 0; run < 2000; run++) {
    let text = '';
    for (let k = 0; k < 24; k++) text += bits[(seed = (seed * 48271) % 2147483647) % bits.length]!;
    const count = (t: string) => t.split('word').length;
    assert.equal(count(words(parse(text))), count(text), JSON.stringify(text));
  }
});

test('anchors are those under which a page has its headings', () => {
  assert.equal(anchor('R17 Granting a claim'), 'r17-granting-a-claim');
  assert.equal(anchor('R34 Non-members, and messages that are not for this node'), 'r34-non-members-and-messages-that-are-not-for-this-node');
  assert.equal(anchor('R14 T_elec ends'), 'r14-t_elec-ends');
});
