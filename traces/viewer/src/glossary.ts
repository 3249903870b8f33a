// The glossary of the page: what a word means that is shown. A word of the specification has its text (section 4), as the engine tells it; what
// only the page says, and what other algorithms call something, stands here.
import { gallery } from './store';
import type { Header, Word } from './types';
import { groupOf, groupWord, isMessage, typeOf } from './words';

// own are the words that only the page says.
const own: Record<string, string> = {
  upkeep: 'What a reign costs, and no part of an election: heartbeats, their answers, and the timers of both.',
  resource: 'What the leader works on: a file, a database, a machine. Whoever takes itself for the leader writes to it (R38).',
  fence: 'The check of the resource: it remembers the highest epoch that it has taken a write of, and refuses whatever is below. So a leader of the past does no harm (R38).',
  stale: 'A write of a leader of the past, which comes after one of its successor. A fence refuses it; where there is none, it is taken.',
  'on disk': 'What is left of a node after a crash: what it has promised, above all (R4).',
  paused: 'A node that is paused does nothing: its messages wait, its timers run on. When it goes on, it does not know that it was away.',
  saving: 'The node waits for its disk: what it has to say leaves once that has it.',
};

// others are the words of other algorithms.
const others: Record<string, string> = {
  epoch: 'A number that a leader picks when it begins: here nobody has promised it to this leader alone.',
  term: 'What Raft numbers reigns by: a node votes once in a term.', revision: 'What the store numbers its changes by: a leader has that of its key.',
  lease: 'The time for which the store keeps the key of the leader: not renewed, it ends.',
  leader: 'Who takes itself for the leader, and acts so.', follower: 'Who follows a leader, or waits for one.', candidate: 'Who stands for election, and asks the others.',
};

// aliases are words of rows whose name in the specification is another.
const aliases: Record<string, string> = { questions: 'question', members: 'configuration', 'its leader': 'leader' };

// isOurs reports whether the words of a recording are those of the specification.
export function isOurs(header: Pick<Header, 'algorithm'> | undefined): boolean {
  return header?.algorithm === undefined || header.algorithm.startsWith('bully');
}

const isKind = (word: Word, kind: string | undefined): boolean => kind === undefined || word.kind.split(', ').includes(kind);

// meaning returns what a word means in a recording; '' if nothing is said of it. Kind tells which is meant, where a word is more than one thing: a timer.
export function meaning(header: Pick<Header, 'algorithm'> | undefined, word: string, kind?: string): string {
  const name = isMessage(word) ? typeOf(word) : aliases[word] ?? word;
  const said = own[name];
  if (said && kind === undefined) return said;
  if (isOurs(header)) {
    const all = gallery.value?.glossary ?? [];
    const found = all.find((w) => w.word === name && isKind(w, kind)) ?? all.find((w) => w.word.toLowerCase() === name.toLowerCase() && isKind(w, kind));
    if (found) return sentence(found.meaning);
  }
  return (isOurs(header) ? undefined : others[name]) ?? (isMessage(name) ? `A message that ${groupWord(groupOf(name))}.` : '');
}

function sentence(text: string): string {
  const plain = text.replaceAll(/[`*]/g, '');
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}${/[.?!]$/.test(plain) ? '' : '.'}`;
}
