// A plot of bars, drawn.
import { widthOf } from '../export/svg';
import { thick, type Bar, type Bars, type Panel } from './bars';
import { Picture } from './Plot';
import { sizes } from './text';
import { number } from './values';

export function BarsPlot({ plot, name }: { plot: Bars; name: string }) {
  return (
    <Picture plot={plot} name={name} what={`A bar for each algorithm, in ${plot.panels.length} settings.${plot.key ? ' Limit: at most one.' : ''}`}>
      {plot.names.map((n) => <text key={n.y} x="4" y={n.y} dy=".35em" font-size={sizes.label} font-weight={n.ours ? 600 : 400}>{n.name}</text>)}
      {plot.panels.map((panel) => <OnePanel key={panel.name} panel={panel} />)}
      {plot.key && <Limit x={8} from={plot.key - 6} to={plot.key + 6} />}
      {plot.key && <text x="16" y={plot.key} dy=".35em" font-size={sizes.small} fill="var(--soft)">at most one</text>}
    </Picture>
  );
}

function OnePanel({ panel: { name, x, top, bottom, limit, bars } }: { panel: Panel }) {
  return (
    <g class="plot-panel">
      <text x={x} y={top - 6} font-size={sizes.label} font-weight="600">{name}</text>
      <line x1={x} x2={x} y1={top} y2={bottom} stroke="var(--edge)" />
      {limit !== undefined && <Limit x={limit} from={top} to={bottom} />}
      {bars.map((bar) => <OneBar key={bar.y} bar={bar} x={x} limited={limit !== undefined} />)}
    </g>
  );
}

function OneBar({ bar: { y, long, value, wrong, ours, says }, x, limited }: { bar: Bar; x: number; limited: boolean }) {
  const bad = wrong ? 'var(--red)' : ours ? 'var(--hue-0)' : 'var(--bar)';
  // What never came is a frame, not a length: nothing was measured that could be as long.
  const look = value === 'never' ? { fill: 'none', stroke: bad, 'stroke-dasharray': '3 2' } : { fill: bad };
  const text = number(value);
  return (
    <g class="plot-bar">
      <title>{says}</title>
      {long > 0 && <rect x={x} y={y - thick / 2} width={long} height={thick} {...look} />}
      {limited && value !== null && <rect x={x + long + 3} y={y - thick / 2} width={widthOf(text, sizes.small, wrong) + 3} height={thick} fill="var(--card)" />}
      <text x={x + long + 5} y={y} dy=".35em" font-size={sizes.small} {...(wrong && { fill: 'var(--red)', 'font-weight': 600 })}>{text}</text>
    </g>
  );
}

function Limit({ x, from, to }: { x: number; from: number; to: number }) {
  return <line x1={x} x2={x} y1={from} y2={to} stroke="var(--red)" stroke-width="1.5" stroke-dasharray="4 3" />;
}
