// The nodes of the cluster that is watched, as far as they are reached and what they say.
import { computed, signal } from '@preact/signals';
import type { Members, Step } from './merge';

// Reach is whether a node is reached: connecting at first; heard while its steps come; silent if it does not answer, though
// its steps may still come; again while the page tries to reach it once more; away if it is not reached; unseen if nobody has
// said where it is.
export type Reach = 'connecting' | 'heard' | 'silent' | 'again' | 'away' | 'unseen';

// Peer is what a node knows of another.
export interface Peer { node: string; up: boolean; dead: boolean; last_heard_ms: number; phi: number }

// Status is what the page reads of a node's status.
export interface Status { id: string; role: string; leader: string | null; epoch: number; leading: boolean; stopped: boolean; error: string; links: Peer[] | null }

export interface Member {
  id: string;
  url: string | null;     // where it is seen; '' is where the page comes from
  reach: Reach;
  now: Step['state'] | null; // after its last step
  status: Status | null;  // as it said last, while it answers
}

export const live = signal(false);             // the page watches a cluster
export const cluster = signal('');             // its name
export const mayResign = signal(false);        // its nodes let this page make them resign
export const members = signal<Member[]>([]);   // ascending; empty until a node has answered
export const waiting = signal(0);              // so many steps have come, and are not shown, for the visitor looks back
export const behind = signal(0);               // so many milliseconds after the nodes the page is, if that is to be said
export const elsewhere = signal(false);        // the visitor has opened something else

// change changes what is known of a member.
export function change(id: string, what: Partial<Member>): void {
  members.value = members.value.map((m) => (m.id === id ? { ...m, ...what } : m));
}

// leaderOf returns the leader that a node names to its users: none while it is in an election, or stopped, or not reached.
export function leaderOf(m: Member): string | null {
  if (m.reach !== 'heard' || !m.now || m.status?.stopped) return null;
  return m.now.role === 'leader' || m.now.role === 'follower' ? m.now.leader : null;
}

export function leads(m: Member): boolean {
  return m.now?.role === 'leader' && leaderOf(m) === m.id;
}

// outlived reports whether a node has said that it leads, and another leads a higher epoch since: it was stopped, perhaps, or is about to say that it leads no more.
export function outlived(m: Member): boolean {
  return leads(m) && members.value.some((other) => leads(other) && other.now!.epoch > m.now!.epoch);
}

// newestOf returns the newest configuration that a node has which is heard; null if there is none: members are fixed then.
export function newestOf(all: Member[]): Members | null {
  let best: Members | null = null;
  for (const m of all) {
    const own = m.reach === 'heard' ? m.now?.configuration : undefined;
    if (own && (!best || own.epoch > best.epoch || (own.epoch === best.epoch && own.version > best.version))) best = own;
  }
  return best;
}

// electorsOf returns who votes: all, if members are fixed.
function electorsOf(all: Member[]): Member[] {
  const now = newestOf(all);
  return now ? all.filter((m) => now.members.some(({ id, kind }) => id === m.id && kind !== 'observer')) : all;
}

// kindOf says what a node is among the members, if that is no voter: "witness", "observer", "no member"; '' if members are fixed.
export function kindOf(m: Member): string {
  const now = newestOf(members.value);
  if (!now || now.members.length === 0) return '';
  const kind = now.members.find(({ id }) => id === m.id)?.kind ?? 'no member';
  return kind === 'voter' ? '' : kind;
}

// rankOf says which rank a node has (R1), once any member has one: "rank 7"; '' before, and of who is no member.
export function rankOf(m: Member): string {
  const now = newestOf(members.value);
  const own = now?.members.find(({ id }) => id === m.id);
  return own && now!.members.some(({ rank }) => rank) ? `rank ${own.rank ?? 0}` : '';
}

// heirsOf returns to whom a leader may hand over (R51): the other voters that are heard; anybody heard, if members are fixed.
export function heirsOf(leader: Member): Member[] {
  return members.value.filter((m) => m.id !== leader.id && m.reach === 'heard' && !m.status?.stopped && kindOf(m) === '');
}

// Headline is how the cluster does, in a sentence.
export interface Headline { says: string; well: boolean }

export const headline = computed<Headline>(() => {
  const all = members.value;
  if (all.length === 0) return { says: 'No node has answered yet. The page goes on asking.', well: false };
  const heard = all.filter((m) => m.reach === 'heard');
  const [leader] = all.filter(leads).sort((a, b) => b.now!.epoch - a.now!.epoch);
  if (leader) {
    const agree = heard.filter((m) => leaderOf(m) === leader.id && m.now!.epoch === leader.now!.epoch).length;
    const many = newestOf(all)?.members.length || all.length;
    return { says: `Node ${leader.id} leads epoch ${leader.now!.epoch}; ${agree} of ${many} say so.`, well: true };
  }
  const named = heard.find((m) => leaderOf(m) !== null);
  if (named) return { says: `Node ${leaderOf(named)} leads epoch ${named.now!.epoch}, as node ${named.id} says.`, well: true };
  if (heard.length > 0) {
    const electors = electorsOf(all);
    const reached = electors.filter((m) => m.reach === 'heard').length;
    return { says: `Nobody leads. ${reached} of ${electors.length} nodes${electors.length < all.length ? ' that vote' : ''} are reached; ${Math.floor(electors.length / 2) + 1} are a quorum.`, well: false };
  }
  return { says: all.some((m) => m.reach === 'connecting') ? 'Connecting to the nodes.' : 'No node is reached.', well: false };
});
