// What workbench compare -html puts into the page: impl/cmd/workbench/compare_page.go writes it, and says what each field means.

export interface Comparison { title: string; intro: string[]; algorithms: Algorithm[]; questions: Question[]; scenarios: Scenario[] }

export interface Algorithm { name: string; title: string; place: number; ours: boolean }

export interface Question {
  id: string; title: string; asks: string; how: string; x?: string; log: boolean; single: boolean; seeds: number; first_seed: number;
  settings: string[]; axes: Axis[]; bounds: Curve[] | null; rows: Row[]; measures: string[]; command: string;
}

export type Stat = 'median' | 'mean' | 'most';
export interface Axis { name: string; unit: string; stat: Stat; log: boolean; limit?: number }
export interface Curve { name: string; points: [x: number, y: number][] }

// Value is a number that was measured. Null: it cannot be measured, as epochs of who has none.
export type Value = number | 'never' | null;
export type Spread = Record<'least' | 'median' | 'mean' | 'p99' | 'most', Value>;
export interface Row { algorithm: string; setting: string; x: number; runs: number; values: Spread[] | null; worst: number }

export interface Scenario { name: string; title: string; flaw: string; watch: string; cause: string; remedy: string; runs: Run[] }
export interface Run {
  algorithm: string; title: string; wrong: boolean; two: number; same_epoch: number; stale: number; refused: number; agreed: boolean;
  none: number; reigns: number; messages: number;
}
