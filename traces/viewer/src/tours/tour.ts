// What a tour is: a story as data. A run begins; at each of some stops there is a sentence, which must be so.
import type { Intervention, Opened, RunSpec } from '../types';
import type { Seen, Sent } from './seen';

// Start is what a tour shows: a run, a golden trace, or a recording that lies in the page.
export type Start =
  | { run: Partial<RunSpec> & Pick<RunSpec, 'algorithm'> }
  | { golden: string }
  | { recording: Pick<Opened, 'header' | 'frames'> };

// Deed is what a tour does to its run.
export type Deed = Omit<Intervention, 'after'>;

// Look is what a sentence is about: nodes, messages, the lease of a leader, the resource, signs of what must hold. Nodes are ids.
export interface Look { nodes?: number[]; messages?: Sent[]; leases?: number[]; resource?: true; signs?: string[] }

export interface Stop {
  begin?: Start;                                 // here something else begins; of the first stop it is what the tour begins with
  at: (seen: Seen) => boolean;                   // it stops at the first step that is shown at which this holds
  hidden?: true;                                 // that may be a step that is shown with heartbeats only, such as a write
  says: string | ((seen: Seen) => string);
  so: (seen: Seen) => boolean;                   // whether what it says is so
  look?: number[] | Look | ((seen: Seen) => number[] | Look);  // what it is about, which is marked; a list has nodes
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

// About is what a stop is about, as the page has it: places of nodes, numbers of messages, names of signs.
export interface About { nodes: ReadonlySet<number>; messages: ReadonlySet<number>; leases: ReadonlySet<number>; resource: boolean; signs: ReadonlySet<string> }

export const nothing: About = { nodes: new Set(), messages: new Set(), leases: new Set(), resource: false, signs: new Set() };

// looked returns what a stop looks at, in its own words.
export function looked(stop: Stop, seen: Seen): Look {
  const look = typeof stop.look === 'function' ? stop.look(seen) : stop.look ?? [];
  return Array.isArray(look) ? { nodes: look } : look;
}

// about returns what is to be marked at a stop.
export function about(stop: Stop, seen: Seen): About {
  const { nodes = [], messages = [], leases = [], resource = false, signs = [] } = looked(stop, seen);
  const places = (ids: number[]) => new Set(ids.map((id) => id - 1));
  return {
    nodes: places(nodes), messages: new Set(messages.flatMap((what) => seen.inSight(what).map((flight) => flight.number))), leases: places(leases), resource, signs: new Set(signs),
  };
}
