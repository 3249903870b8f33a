// What was measured, as words and numbers for people.
import type { Axis, Question, Value } from './types';

// number writes a value as a person reads it.
export function number(v: Value): string {
  if (v === 'never') return v;
  if (v === null) return '–';
  const digits = Number.isInteger(v) || v >= 100 ? 0 : v < 1 ? 2 : 1;
  return v.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

// told writes a value with its unit.
export function told(v: Value, unit: string): string { return typeof v === 'number' && unit ? `${number(v)} ${unit}` : number(v); }

// caption says what an axis shows.
export function caption({ name, unit }: Axis): string { return unit ? `${name} (${unit})` : name; }

// spreads says whether a measure varies from run to run, and is shown with what it varies between.
export function spreads(q: Question, m: number): boolean { return q.axes[m]!.stat === 'median' && !q.single; }

// heading is what a plot is called.
export function heading(q: Question, m: number): string { return m === 0 ? q.title : `${q.title}: ${q.axes[m]!.name}`; }

// note says what a plot shows of many runs.
export function note(q: Question, m: number): string {
  if (q.single) return m === 0 ? q.asks : '';
  if (spreads(q, m)) return `Median of ${q.seeds} runs; the range is from the least to the 99th percentile.`;
  if (q.seeds === 1) return 'One run.';
  return `${q.axes[m]!.stat === 'mean' ? 'Mean' : 'The most'} of ${q.seeds} runs.`;
}

export interface Table { head: string[]; rows: string[][] }

// table returns all numbers of a question: what plots show is the same in words.
export function table(q: Question): Table {
  const head = ['setting', 'algorithm'];
  q.measures.forEach((name, m) => { head.push(name, ...(spreads(q, m) ? ['99 %'] : [])); });
  if (!q.single) head.push('seed of the most');
  const rows = q.settings.flatMap((setting) => q.rows.filter((row) => row.setting === setting && row.runs > 0).map((row) => {
    const cells = [setting, row.algorithm];
    row.values!.forEach((v, m) => { cells.push(number(v[q.axes[m]!.stat]), ...(spreads(q, m) ? [number(v.p99)] : [])); });
    return q.single ? cells : [...cells, String(row.worst)];
  }));
  return { head, rows };
}
