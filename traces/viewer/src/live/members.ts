// The nodes of the cluster that is watched, as far as they are reached and what they say.
import { computed, signal } from '@preact/signals';
import type { Step } from './merge';

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

// Headline is how the cluster does, in a sentence.
export interface Headline { says: string; well: boolean }

export const headline = computed<Headline>(() => {
  const all = members.value;
  if (all.length === 0) return { says: 'No node has answered yet. The page goes on asking.', well: false };
  const heard = all.filter((m) => m.reach === 'heard');
  const [leader] = all.filter(leads).sort((a, b) => b.now!.epoch - a.now!.epoch);
  if (leader) {
    const agree = heard.filter((m) => leaderOf(m) === leader.id && m.now!.epoch === leader.now!.epoch).length;
    return { says: `Node ${leader.id} leads epoch ${leader.now!.epoch}; ${agree} of ${all.length} say so.`, well: true };
  }
  const named = heard.find((m) => leaderOf(m) !== null);
  if (named) return { says: `Node ${leaderOf(named)} leads epoch ${named.now!.epoch}, as node ${named.id} says.`, well: true };
  if (heard.length > 0) {
    return { says: `Nobody leads. ${heard.length} of ${all.length} nodes are reached; ${Math.floor(all.length / 2) + 1} are a quorum.`, well: false };
  }
  return { says: all.some((m) => m.reach === 'connecting') ? 'Connecting to the nodes.' : 'No node is reached.', well: false };
});
