// Which types of messages a recording has, with the letters that they have on the ring: both are of one table (words.ts), so none is missing.
import type { Recording } from '../recording';
import { groupNames, groupOf, letters, typeOf, type Group } from '../words';

export interface Letters { type: string; letters: string; group: Group }

const read = new WeakMap<Recording, { until: number; types: Set<string> }>();

// legend returns every type of message that has been sent so far, by what it is for.
export function legend(recording: Recording): Letters[] {
  let known = read.get(recording);
  if (!known) read.set(recording, (known = { until: 0, types: new Set() }));
  for (; known.until < recording.flights.length; known.until++) known.types.add(typeOf(recording.flights[known.until]!.kind));
  const all = [...known.types].map((type) => ({ type, letters: letters(type), group: groupOf(type) }));
  return groupNames.flatMap((group) => all.filter((of) => of.group === group));
}
