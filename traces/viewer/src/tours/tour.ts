// What a tour is: a story as data. A run begins; at each of some stops there is a sentence, which must be so.
import type { Intervention, Opened, RunSpec } from '../types';
import type { Seen } from './seen';

// Start is what a tour shows: a run, a golden trace, or a recording that lies in the page.
export type Start =
  | { run: Partial<RunSpec> & Pick<RunSpec, 'algorithm'> }
  | { golden: string }
  | { recording: Pick<Opened, 'header' | 'frames'> };

// Deed is what a tour does to its run.
export type Deed = Omit<Intervention, 'after'>;

export interface Stop {
  begin?: Start;                                 // here something else begins; of the first stop it is what the tour begins with
  at: (seen: Seen) => boolean;                   // it stops at the first step that is shown at which this holds
  hidden?: true;                                 // that may be a step that is shown with heartbeats only, such as a write
  says: string | ((seen: Seen) => string);
  so: (seen: Seen) => boolean;                   // whether what it says is so
  look?: number[] | ((seen: Seen) => number[]);  // the ids of the nodes that it is about
  then?: (seen: Seen) => Deed;                   // what it does when the visitor goes on
}

export interface Tour {
  name: string;   // of its link: #tour=name
  title: string;
  about: string;  // what one learns: a sentence
  stops: Stop[];
}

// words returns the sentence of a stop.
export function words(stop: Stop, seen: Seen): string {
  return typeof stop.says === 'string' ? stop.says : stop.says(seen);
}

// about returns the places of the nodes that a stop is about.
export function about(stop: Stop, seen: Seen): number[] {
  const ids = typeof stop.look === 'function' ? stop.look(seen) : stop.look ?? [];
  return ids.map((id) => id - 1);
}
