// Pictures: that they stand alone, are well-formed, and have the colours of the page.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { light } from '../src/export/light';
import { exportSVG } from '../src/export/picture';
import { escape } from '../src/export/svg';
import { Recording } from '../src/recording';
import type { Frame, Header } from '../src/types';

const source = join(import.meta.dirname, '../src');

function failover(): Recording {
  const { header, frames } = JSON.parse(readFileSync(join(source, 'fixtures/failover.json'), 'utf8')) as { header: Header; frames: Frame[] };
  const recording = new Recording(header);
  recording.add(frames);
  return recording;
}

// balanced looks whether every element of a text of XML that begins also ends, where it should.
function balanced(xml: string): void {
  const open: string[] = [];
  for (const [, end, name, alone] of xml.matchAll(/<(\/?)([a-z]+)(?:\s+[\w:-]+="[^"<]*")*\s*(\/?)>/g)) {
    if (end) assert.equal(open.pop(), name);
    else if (!alone) open.push(name!);
  }
  assert.deepEqual(open, []);
  assert.equal(xml.replaceAll(/<\/?[a-z]+(?:\s+[\w:-]+="[^"<]*")*\s*\/?>/g, '').match(/[<>]|&(?!amp;|lt;|gt;|quot;)/), null);
}

describe('SVG', () => {
  it('has the diagram, a title and a key, and asks for nothing', () => {
    const svg = exportSVG(failover());
    balanced(svg);
    assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+" height="\d+"/);
    for (const text of ['<title id="title">failover</title>', 'CLAIM 1', 'leads epoch 2', 'crashes', 'node 3', 'a timer ends']) assert.ok(svg.includes(text), text);
    assert.doesNotMatch(svg, /href|NaN|undefined|Infinity|var\(/);
    assert.equal(svg.match(/http/g)?.length, 1, 'only the name of the form');
  });

  it('stands for recordings without frames, and says if it leaves some out', () => {
    balanced(exportSVG(new Recording(failover().header)));
    assert.match(exportSVG(failover(), { frames: 10 }), /the first 10 of 31 events/);
    assert.doesNotMatch(exportSVG(failover(), { frames: 31 }), /the first/);
  });

  it('has texts as they are', () => {
    const recording = failover();
    const odd = new Recording({ ...recording.header, title: 'a < b & "c"\u0000', nodes: ['<1>', '2', '3'] });
    odd.add(recording.frames);
    const svg = exportSVG(odd);
    balanced(svg);
    assert.match(svg, /node &lt;1&gt;/);
    assert.equal(escape('a<b>&"\u0001\u{1F600}'), 'a&lt;b&gt;&amp;&quot;\u{1F600}');
  });
});

describe('colours', () => {
  it('are those of the page', () => {
    const css = readFileSync(join(source, 'palette.css'), 'utf8').split('[data-theme')[0]!;
    assert.ok(Object.keys(light).length > 20, 'there are hardly any');
    for (const [name, value] of Object.entries(light)) assert.ok(css.includes(`${name}: ${value};`), `palette.css has another ${name}`);
  });

  it('are all there that are painted with', () => {
    assert.doesNotMatch(exportSVG(failover()), /#000000/, 'a colour that light.ts does not have');
  });
});
