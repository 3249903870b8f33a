// What is in the gallery, as it is shown and searched.
import type { Gallery, Golden, Scenario } from '../types';

export type Group = 'golden' | 'members' | 'textbook' | 'others' | 'refused';

// Choice is what of the gallery is shown: what people should see first, a group, or all.
export type Choice = 'first' | Group | 'all';

// firsts are what people should see first, in this order.
export const firsts = [
  'g failover', 's split-brain', 's paused-leader', 's one-way', 'g partition-and-heal', 's same-stamp', 's stale-return', 's raft-minority-leader',
  's lease-pause', 'g members-grow', 's ring-partition', 'g hand-over', 's ok-then-die',
];

export const groups: { name: Group; title: string; says: string }[] = [
  { name: 'golden', title: 'As it should be', says: 'Traces of our algorithm, each of one thing that it does: crashes, lost messages, partitions.' },
  { name: 'members', title: 'Members come and go', says: 'Traces in which the leader adds members, removes them, and makes them voters, witnesses or observers.' },
  { name: 'textbook', title: 'Flaws of the textbook', says: 'What the bully algorithm of 1982, as textbooks have it, does wrong.' },
  { name: 'others', title: 'Other algorithms', says: 'Where others stumble: the ring, Raft, leases.' },
  { name: 'refused', title: 'Rules broken', says: 'Traces with a fault put in: the rules refuse each at one step.' },
];

export interface Entry {
  key: string; group: Group; title: string; watch: string; nodes: number; by?: string; golden?: Golden; scenario?: Scenario; words: string;
}

export function entries(of: Gallery): Entry[] {
  const golden = of.golden.map((g): Entry => {
    const title = sentence(g.name);
    return { key: `g ${g.name}`, group: g.name.startsWith('members-') ? 'members' : 'golden', title, watch: g.watch, nodes: g.nodes, golden: g, words: words(title, g.name, g.watch) };
  });
  const refused = (of.refused).map((g): Entry => {
    const [rule = '', ...rest] = g.name.split('-');
    const title = `${rule}: ${rest.join(' ')}`;
    return { key: `g ${g.name}`, group: 'refused', title, watch: g.watch, nodes: g.nodes, golden: g, words: words(title, g.watch) };
  });
  const scenarios = of.scenarios.map((s): Entry => ({
    key: `s ${s.name}`, group: s.algorithm.startsWith('textbook') ? 'textbook' : 'others', title: s.title || sentence(s.name), watch: s.watch,
    nodes: s.nodes, by: s.algorithm, scenario: s, words: words(s.title, s.name, s.flaw, s.watch, s.cause, s.remedy, s.algorithm),
  }));
  return [...golden, ...scenarios, ...refused];
}

// found returns the chosen entries that have every word of a search, or its beginning.
export function found(all: Entry[], choice: Choice, search: string): Entry[] {
  const wanted = search.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const chosen = choice === 'first' ? firsts.flatMap((key) => all.find((entry) => entry.key === key) ?? [])
    : all.filter((entry) => choice === 'all' || entry.group === choice);
  return chosen.filter((entry) => wanted.every((word) => entry.words.includes(` ${word}`)));
}

function words(...texts: string[]): string {
  return ` ${texts.join(' ').toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ')}`;
}

function sentence(name: string): string {
  const text = name.replaceAll(/[-_]/g, ' ').replaceAll(/\bi\b/g, 'I');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
