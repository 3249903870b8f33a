// The key of the diagram: what its marks and lines mean.
import type { ComponentChildren } from 'preact';
import { useMore } from '../help/more';
import type { Kind } from '../types';
import { lines, type Stroke } from './brush';
import { shapes } from './shapes';

const marks: [Kind, string][] = [
  ['start', 'starts, or is back'], ['receive', 'takes a message'], ['timer', 'a timer ends'], ['call', 'is called'], ['save', 'its disk has it'],
  ['write', 'writes'], ['crash', 'crashes'], ['pause', 'pauses'], ['resume', 'goes on'], ['lose', 'a message is lost'], ['links', 'links change'],
];
const strokes: [Stroke, string][] = [
  ['flight', 'a message'], ['open', 'one under way'], ['lost', 'one that is lost'], ['upkeep', 'a heartbeat'], ['saving', 'waits for its disk'],
  ['down', 'is down'], ['unheard', 'is heard no more'], ['cut', 'links are cut'],
];

// Mark is the mark of a kind of frame, as an image.
export function Mark({ kind, colour, size = 14 }: { kind: Kind; colour: string; size?: number }) {
  const { corners, open } = shapes[kind];
  let drawn: ComponentChildren = <circle r="1" fill={colour} />;
  if (corners && open) {
    const parts = Array.from({ length: corners.length / 4 }, (_, i) => `M${corners[4 * i]} ${corners[4 * i + 1]}L${corners[4 * i + 2]} ${corners[4 * i + 3]}`);
    drawn = <path d={parts.join('')} stroke={colour} stroke-width="0.5" />;
  } else if (corners) {
    drawn = <polygon points={corners.join(' ')} fill={colour} />;
  }
  return <svg width={size} height={size} viewBox="-1.4 -1.4 2.8 2.8" aria-hidden="true">{drawn}</svg>;
}

export function Key({ changing }: { changing: boolean }) {
  const list = useMore<HTMLDListElement>();
  return (
    <dl class="dia-key" ref={list} tabIndex={0} aria-label="Key of the diagram">
      {marks.map(([kind, says]) => (
        <div><dt><Mark kind={kind} colour={kind === 'crash' || kind === 'lose' || kind === 'links' ? 'var(--red)' : 'var(--follows)'} /></dt><dd>{says}</dd></div>
      ))}
      {strokes.map(([stroke, says]) => (
        <div>
          <dt><svg width="28" height="10" aria-hidden="true">
            <line x1="0" x2="28" y1="5" y2="5" stroke={`var(${lines[stroke].colour})`} stroke-width={lines[stroke].width} stroke-dasharray={lines[stroke].dash.join(' ')} />
          </svg></dt><dd>{says}</dd>
        </div>
      ))}
      <div><dt><span class="dia-key-band" /></dt><dd>a reign: each epoch has a colour, a pattern and its number</dd></div>
      {changing && (
        <>
          <div><dt><svg width="28" height="10" aria-hidden="true"><line x1="0" x2="28" y1="5" y2="5" stroke="var(--accent)" stroke-dasharray="2 3" /></svg></dt><dd>the members change</dd></div>
          <div><dt><span class="dia-key-told">v2</span></dt><dd>now has this version of the members; on a message: it carries it</dd></div>
          <div><dt><svg width="28" height="10" aria-hidden="true"><line x1="0" x2="28" y1="5" y2="5" stroke="var(--edge)" stroke-dasharray="1 4" /></svg></dt><dd>is no member, as it knows</dd></div>
        </>
      )}
      <div><dt><span class="dia-key-red">▲</span></dt><dd>a property is broken</dd></div>
    </dl>
  );
}
