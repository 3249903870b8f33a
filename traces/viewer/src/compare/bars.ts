// Where everything is in a plot of settings that have no order: a panel of bars for each.
import { scaleLinear } from 'd3-scale';
import { widthOf } from '../export/svg';
import { narrow } from './lines';
import { headed, sizes, type Line } from './text';
import type { Algorithm, Question, Value } from './types';
import { caption, heading, note, number, told } from './values';

// Bar is a value. One that never came, or is above the limit, is wrong; of one that was not measured there is only the word.
export interface Bar { y: number; long: number; value: Value; wrong: boolean; ours: boolean; says: string }
export interface Panel { name: string; x: number; top: number; bottom: number; limit?: number; bars: Bar[] }
export interface Bars { width: number; height: number; lines: Line[]; names: { name: string; ours: boolean; y: number }[]; panels: Panel[]; key?: number }

const gap = 14;
const rowHeight = 19;
export const thick = 12; // of a bar

export function barsOf(q: Question, m: number, algorithms: Algorithm[], width: number): Bars {
  const axis = q.axes[m]!;
  const limit = axis.limit ?? 0;
  const value = (name: string, setting: string): Value =>
    q.rows.find((row) => row.algorithm === name && row.setting === setting)?.values?.[m]?.[axis.stat] ?? null;
  const all = q.settings.map((setting) => algorithms.map((a) => value(a.name, setting)));
  const most = Math.max(limit, ...all.flat().map((v) => (typeof v === 'number' ? v : 0)));

  const { lines, end } = headed(width, heading(q, m), note(q, m), caption(axis));
  const names = Math.max(...algorithms.map((a) => widthOf(a.name, sizes.label, a.ours))) + 12;
  const numbers = Math.max(...all.flat().map((v) => widthOf(number(v), sizes.small, true))) + 10;
  const headings = Math.max(...q.settings.map((setting) => widthOf(setting, sizes.label, true)));
  const columns = columnsOf(q.settings.length, width - names, Math.max(numbers + 30, headings), width < narrow);
  const panel = (width - names - gap * (columns - 1)) / columns;
  const high = 22 + rowHeight * algorithms.length + 12;
  const long = scaleLinear([0, most || 1], [0, panel - numbers]); // one scale: panels are there to be compared
  const panels = q.settings.map((setting, k): Panel => {
    const [x, top] = [names + (k % columns) * (panel + gap), end + Math.floor(k / columns) * high + 22];
    const bars = algorithms.map((a, i): Bar => {
      const v = all[k]![i]!;
      return {
        y: top + rowHeight * (i + 0.5), value: v, ours: a.ours, wrong: v === 'never' || (limit > 0 && v !== null && v > limit),
        long: v === 'never' ? panel - numbers : v === null || v <= 0 ? 0 : Math.max(1.5, long(v)),
        says: `${a.name}, ${setting}: ${v === null ? 'not measured' : told(v, axis.unit)}`,
      };
    });
    return { name: setting, x, top, bottom: top + rowHeight * algorithms.length, ...(limit > 0 && { limit: x + long(limit) }), bars };
  });
  const rows = panels.filter((_, k) => k % columns === 0);
  const bottom = rows.at(-1)!.bottom + 8;
  return {
    width, height: Math.ceil(bottom + (limit > 0 ? 18 : 4)), lines, panels, ...(limit > 0 && { key: bottom + 6 }),
    names: rows.flatMap((row) => algorithms.map((a, i) => ({ name: a.name, ours: a.ours, y: row.top + rowHeight * (i + 0.5) }))),
  };
}

// columnsOf says how many panels stand side by side, so that their rows are about equally long.
function columnsOf(panels: number, room: number, least: number, few: boolean): number {
  const fit = Math.max(1, Math.min(panels, few ? 2 : panels, Math.floor((room + gap) / (least + gap))));
  return Math.ceil(panels / Math.ceil(panels / fit));
}
