// A plot of lines, drawn.
import { boundDash, lookOf, outline, type Look } from './look';
import { named, type Bound, type Lines, type Point, type Series } from './lines';
import { Picture, Words } from './Plot';
import { sizes } from './text';

export function LinesPlot({ plot, name }: { plot: Lines; name: string }) {
  const { left, right, top, bottom, width } = plot;
  const ordered = [...plot.series].sort((a, b) => Number(a.algorithm.ours) - Number(b.algorithm.ours)); // ours is drawn last
  return (
    <Picture plot={plot} name={name} what={`A line for each algorithm${plot.bounds.length > 0 ? `, and the bounds ${plot.bounds.map((b) => b.name).join(', ')}` : ''}.`}>
      {plot.ys.map(({ at, text }) => (
        <g key={text} class="plot-y">
          <line x1={left} x2={right} y1={at} y2={at} stroke="var(--line)" />
          <text x={left - 6} y={at} dy=".35em" text-anchor="end" font-size={sizes.small} fill="var(--soft)">{text}</text>
        </g>
      ))}
      {plot.strip !== undefined && (
        <g class="plot-never">
          <line x1={left} x2={right} y1={plot.strip + 9} y2={plot.strip + 9} stroke="var(--edge)" stroke-dasharray="2 3" />
          <text x={left - 6} y={plot.strip} dy=".35em" text-anchor="end" font-size={sizes.small} fill="var(--red)">never</text>
        </g>
      )}
      <line x1={left} x2={right} y1={bottom} y2={bottom} stroke="var(--edge)" />
      {plot.xs.map(({ at, text }) => (
        <g key={text} class="plot-x">
          <line x1={at} x2={at} y1={bottom} y2={bottom + 4} stroke="var(--edge)" />
          <text x={at} y={bottom + 17} text-anchor="middle" font-size={sizes.small} fill="var(--soft)">{text}</text>
        </g>
      ))}
      <Words line={plot.x} x={left} />
      <svg x="0" y={top} width={width} height={bottom - top} viewBox={`0 ${top} ${width} ${bottom - top}`} overflow="hidden">
        {plot.bounds.map((b, i) => (
          <g key={b.name} class="plot-bound" fill="none" stroke="var(--edge)">
            <polyline points={joined(b.points)} stroke-width="6" stroke-opacity=".2" /> {/* seen where a line follows the bound exactly */}
            <polyline points={joined(b.points)} stroke-width="1.5" stroke-dasharray={boundDash(i)} />
          </g>
        ))}
      </svg>
      {ordered.map((s) => <Line key={s.algorithm.name} series={s} top={top} bottom={bottom} />)}
      {plot.series.map((s) => <Marks key={s.algorithm.name} series={s} />)}
      {plot.series.map((s) => <SeriesLabel key={s.algorithm.name} series={s} right={right} />)}
      {plot.bounds.map((b, i) => <BoundLabel key={b.name} bound={b} dash={boundDash(i)} right={right} />)}
    </Picture>
  );
}

const joined = (points: (readonly [number, number])[]): string => points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');

// Line is the line of a series, which breaks where something never came, with the whiskers of what it varies between.
function Line({ series: { algorithm, points }, top, bottom }: { series: Series; top: number; bottom: number }) {
  const { colour, dash } = lookOf(algorithm.place);
  const runs = points.reduce<Point[][]>((all, p) => {
    if (p.value === 'never') all.push([]);
    else all.at(-1)!.push(p);
    return all;
  }, [[]]);
  const never = points.flatMap((p, i) => (i > 0 && (p.value === 'never' || points[i - 1]!.value === 'never') ? [[points[i - 1]!, p] as const] : []));
  return (
    <g stroke={colour} fill="none">
      {points.map((p) => p.low !== undefined && (
        <g key={p.x} class="plot-whisker">
          <path d={`M${p.x} ${Math.min(p.low, bottom)}V${p.high === 'never' ? top : p.high}${p.high === 'never' ? '' : 'm-2 0h4'}`} stroke-width="1.25" stroke-opacity=".75" />
          {p.high === 'never' && <path d={`M${p.x} ${top - 5}l4 8h-8Z`} fill={colour}><title>some never</title></path>}
        </g>
      ))}
      {never.map(([a, b]) => <line key={b.x} x1={a.x} y1={a.y} x2={b.x} y2={b.y} stroke-dasharray="1 4" stroke-opacity=".6" />)}
      {runs.map((run, i) => run.length > 1 && <polyline key={i} class="plot-line" points={joined(run.map((p) => [p.x, p.y]))} stroke-width={algorithm.ours ? 3 : 1.5} stroke-dasharray={dash} />)}
    </g>
  );
}

function Marks({ series: { algorithm, points } }: { series: Series }) {
  return (
    <g class="plot-marks" data-algorithm={algorithm.name}>
      {points.map((p) => <g key={p.x}><title>{p.says}</title><Mark look={lookOf(algorithm.place)} x={p.x} y={p.y} r={3.75 + p.larger + (algorithm.ours ? 1 : 0)} /></g>)}
    </g>
  );
}

function Mark({ look, x, y, r }: { look: Look; x: number; y: number; r: number }) {
  return <path transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`} d={outline(look.shape, r)} fill={look.hollow ? 'var(--card)' : look.colour} stroke={look.colour} stroke-width="1.5" />;
}

// Thread binds the end of a line to its label.
function Thread({ label, right, colour }: { label: Series['label']; right: number; colour: string }) {
  if (!label.from) return null;
  return <polyline points={joined([[label.from[0] + 7, label.from[1]], [right + 4, label.from[1]], [label.x - 2, label.y]])} fill="none" stroke={colour} stroke-opacity=".55" stroke-dasharray="2 2" />;
}

function SeriesLabel({ series: { algorithm, points, label }, right }: { series: Series; right: number }) {
  const look = lookOf(algorithm.place);
  return (
    <g class="plot-label">
      <Thread label={label} right={right} colour={look.colour} />
      <line x1={label.x} x2={label.x + 24} y1={label.y} y2={label.y} stroke={look.colour} stroke-width={algorithm.ours ? 3 : 1.5} stroke-dasharray={look.dash} />
      <Mark look={look} x={label.x + 12} y={label.y} r={algorithm.ours ? 4.5 : 3.75} />
      <text x={label.x + 29} y={label.y} dy=".35em" font-size={sizes.label} font-weight={algorithm.ours ? 600 : 400}>{named(algorithm.name, points)}</text>
    </g>
  );
}

function BoundLabel({ bound: { name, label }, dash, right }: { bound: Bound; dash: string; right: number }) {
  return (
    <g class="plot-label">
      <Thread label={label} right={right} colour="var(--edge)" />
      <line x1={label.x} x2={label.x + 24} y1={label.y} y2={label.y} stroke="var(--edge)" stroke-width="1.5" stroke-dasharray={dash} />
      <text x={label.x + 29} y={label.y} dy=".35em" font-size={sizes.label} fill="var(--soft)">{name}</text>
    </g>
  );
}
