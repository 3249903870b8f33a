// A plot of one measure of a question, as wide as there is room, and the button that saves it.
import { useEffect, useRef, useState } from 'preact/hooks';
import { save } from '../menu/file';
import { BarsPlot } from './BarsPlot';
import { barsOf } from './bars';
import { LinesPlot } from './LinesPlot';
import { linesOf } from './lines';
import type { Line } from './text';
import { sizes } from './text';
import type { Algorithm, Question } from './types';
import { heading } from './values';

interface Props { question: Question; measure: number; algorithms: Algorithm[] }

export function Plot({ question, measure, algorithms }: Props) {
  const frame = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const seen = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    seen.observe(frame.current!);
    return () => seen.disconnect();
  }, []);
  const name = heading(question, measure);
  return (
    <figure ref={frame}>
      {width > 0 && (question.x ? <LinesPlot plot={linesOf(question, measure, algorithms, width)} name={name} />
        : <BarsPlot plot={barsOf(question, measure, algorithms, width)} name={name} />)}
      <button type="button" aria-label={`Save as SVG: ${name}`} onClick={() => save(`${fileName(question, measure)}.svg`, standalone(frame.current!.querySelector('svg')!), 'image/svg+xml')}>
        Save as SVG
      </button>
    </figure>
  );
}

function fileName({ id, axes }: Question, m: number): string { return m === 0 ? id : `${id}-${axes[m]!.name.replaceAll(/[^a-z0-9]+/gi, '-')}`; }

// standalone returns a picture that needs no page: in the colours of light paper, whatever the page looks like.
function standalone(svg: SVGElement): string {
  const copy = svg.cloneNode(true) as SVGElement;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const root = document.documentElement;
  const was = root.dataset['theme'] ?? 'light';
  root.dataset['theme'] = 'light';
  const colours = getComputedStyle(root);
  const text = new XMLSerializer().serializeToString(copy).replaceAll(/var\((--[\w-]+)\)/g, (_, name: string) => colours.getPropertyValue(name).trim());
  root.dataset['theme'] = was;
  return text;
}

// Picture is the frame of a plot. Who cannot see it is told what it is; all its numbers are in the table.
export function Picture({ plot, name, what, children }: { plot: { width: number; height: number; lines: Line[] }; name: string; what: string; children: preact.ComponentChildren }) {
  return (
    <svg role="img" aria-label={`${name}. ${what} All numbers are in the table.`} width={plot.width} height={plot.height} viewBox={`0 0 ${plot.width} ${plot.height}`}
      font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, sans-serif" fill="var(--ink)">
      <title>{name}</title>
      <rect width={plot.width} height={plot.height} fill="var(--card)" />
      {plot.lines.map((line) => <Words key={line.y} line={line} x={4} />)}
      {children}
    </svg>
  );
}

export function Words({ line, x }: { line: Line; x: number }) {
  return <text x={x} y={line.y} font-size={sizes[line.kind]} {...(line.kind === 'title' ? { 'font-weight': 600 } : { fill: 'var(--soft)' })}>{line.text}</text>;
}
