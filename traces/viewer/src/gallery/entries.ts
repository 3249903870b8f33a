// What is in the gallery, as it is shown and searched.
import type { Gallery, Golden, Scenario } from '../types';
import { tagsOf, titleOf } from './titles';

export type Group = 'golden' | 'members' | 'textbook' | 'others' | 'refused';

// Choice is what of the gallery is shown: what people should see first, a group, or all.
export type Choice = 'first' | Group | 'all';

// firsts are the dozen that teach most, in the order in which to see them. They come first wherever they are.
export const firsts = [
  'g failover', 's split-brain', 's paused-leader', 's ok-then-die', 's stale-return', 'g partition-and-heal', 'g hand-over', 'g flapping-highest-node', 's same-stamp',
  's raft-minority-leader', 's lease-pause', 'g members-grow',
];

export const groups: { name: Group; title: string; says: string }[] = [
  { name: 'golden', title: 'As it should be', says: 'Traces of our algorithm, each of one thing that it does: crashes, lost messages, partitions.' },
  { name: 'members', title: 'Members come and go', says: 'Traces in which the leader adds members, removes them, and makes them voters, witnesses or observers.' },
  { name: 'textbook', title: 'Flaws of the textbook', says: 'What the bully algorithm of 1982, as textbooks have it, does wrong.' },
  { name: 'others', title: 'Other algorithms', says: 'Where others stumble: the ring, Raft, leases.' },
  { name: 'refused', title: 'Rules broken', says: 'Traces with a fault put in: the rules refuse each at one step.' },
];

// Entry is a run of the gallery: what it is called, what happens in a sentence, and more. Words are what is searched, the best of it first.
export interface Entry {
  key: string; group: Group; title: string; says: string; more: string[]; nodes: number; rule?: string; by?: string; golden?: Golden; scenario?: Scenario; words: string[];
}

// entries returns what there is, what people should see first before all else.
export function entries(of: Gallery): Entry[] {
  const golden = of.golden.map((g) => entry(`g ${g.name}`, g.name.startsWith('members-') ? 'members' : 'golden', g.name, g.nodes, sentences(g.watch), { golden: g }));
  const refused = of.refused.map((g) => {
    const [rule = '', ...rest] = g.name.split('-');
    return entry(`g ${g.name}`, 'refused', rest.join('-'), g.nodes, sentences(g.watch), { golden: g, rule });
  });
  const scenarios = of.scenarios.map((s) =>
    entry(`s ${s.name}`, s.algorithm.startsWith('textbook') ? 'textbook' : 'others', s.name, s.nodes, [stop(s.title), s.watch, s.cause, s.remedy], { by: s.algorithm, scenario: s }, s.flaw, s.algorithm));
  const all = [...golden, ...scenarios, ...refused];
  return [...firsts.flatMap((key) => all.find((e) => e.key === key) ?? []), ...all.filter((e) => !firsts.includes(e.key))];
}

function entry(key: string, group: Group, name: string, nodes: number, [says = '', ...more]: string[], what: Pick<Entry, 'golden' | 'scenario' | 'rule' | 'by'>, ...also: string[]): Entry {
  const title = titleOf(name);
  return { key, group, title, says, more, nodes, ...what, words: [words(title, name), words(tagsOf(name), what.rule ?? ''), words(says), words(...more, ...also)] };
}

// found returns the chosen entries that have every word of a search, or its beginning: the best ones first, which have it in their title.
export function found(all: Entry[], choice: Choice, search: string): Entry[] {
  const wanted = search.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const chosen = all.filter((e) => choice === 'all' || (choice === 'first' ? firsts.includes(e.key) : e.group === choice));
  if (wanted.length === 0) return chosen;
  const ranked = chosen.map((e) => ({ e, rank: wanted.map((word) => e.words.findIndex((some) => some.includes(` ${word}`))) })).filter(({ rank }) => !rank.includes(-1));
  const sum = (rank: number[]) => rank.reduce((total, r) => total + r, 0);
  return ranked.sort((a, b) => sum(a.rank) - sum(b.rank)).map(({ e }) => e);
}

function words(...texts: string[]): string {
  return ` ${texts.join(' ').toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ')}`;
}

const short = 24; // characters of a sentence that says too little alone

// sentences returns the first sentence of a text, and the rest of it.
function sentences(text: string): string[] {
  const end = [...text.matchAll(/[.!?](?=\s+[\p{Lu}\d])/gu)].find(({ index }) => index >= short);
  return end ? [text.slice(0, end.index + 1), text.slice(end.index + 1).trim()] : [text];
}

function stop(text: string): string { return /[.!?]$/.test(text) ? text : `${text}.`; }
