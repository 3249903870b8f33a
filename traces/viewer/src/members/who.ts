// Who the members are, where they come and go: whose configuration is the newest, what it makes of each node, and how two of
// them differ. All of this is pure, and of no use to a recording of fixed members, which has no configurations.
import type { Recording, Scene } from '../recording';
import type { Configuration, MemberKind, NodeState } from '../types';
import { nodeId, type Cast } from '../words';

// configurationOf returns the configuration of a number; null for none.
export function configurationOf(recording: Cast, number: number | undefined): Configuration | null {
  return (number && recording.configurations?.[number - 1]) || null;
}

// newer reports whether one configuration is newer than another.
export function newer(a: Configuration, b: Configuration): boolean {
  return a.epoch > b.epoch || (a.epoch === b.epoch && a.version > b.version);
}

// newest returns the number of the newest configuration that a node has which runs; if none runs, of all. 0 if members are fixed.
export function newest(recording: Cast, nodes: NodeState[]): number {
  const up = nodes.filter((state) => state.look !== 'down' && state.configuration);
  let best = 0;
  for (const { configuration = 0 } of up.length > 0 ? up : nodes) {
    const [one, other] = [configurationOf(recording, configuration), configurationOf(recording, best)];
    if (one && (!other || newer(one, other))) best = configuration;
  }
  return best;
}

// kindIn returns what a node is in a configuration; null if it is no member.
export function kindIn(c: Configuration | null, node: number): MemberKind | null {
  return c?.members.find((m) => m.node === node)?.kind ?? null;
}

// rankIn returns the rank of a member, once any member has one: null before, as then the ids say who is higher (R1).
export function rankIn(c: Configuration, node: number): number | null {
  const own = c.members.find((m) => m.node === node);
  return own && c.members.some((m) => m.rank) ? own.rank ?? 0 : null;
}

// Membership is what a node is among the members of the newest configuration, and whether it has heard of that. Its rank is there once any member has one (R1).
export interface Membership { kind: MemberKind | null; rank?: number; own: Configuration | null; newest: Configuration; behind: boolean }

// memberships returns the membership of each node; null where members are fixed.
export function memberships(recording: Recording, scene: Scene): Membership[] | null {
  const number = newest(recording, scene.nodes);
  const now = configurationOf(recording, number);
  if (!now) return null;
  return scene.nodes.map((state, node) => {
    const own = configurationOf(recording, state.configuration);
    const rank = rankIn(now, node);
    return { kind: kindIn(now, node), ...(rank !== null && { rank }), own, newest: now, behind: own !== null && own !== now };
  });
}

// stampWords names a configuration: "version 2 of epoch 1".
export function stampWords(c: Configuration): string {
  return c.members.length === 0 ? 'no members known' : `version ${c.version} of epoch ${c.epoch}`;
}

// stampWord names it in short: "v2", and of an epoch that does not go without saying "v2 e1".
export function stampWord(c: Configuration, beside?: Configuration): string {
  if (c.members.length === 0) return 'v0';
  return !beside || beside.epoch === c.epoch ? `v${c.version}` : `v${c.version} e${c.epoch}`;
}

// memberWord says what a node is among the members, as part of a line: "witness", "rank 7", "no member"; '' of a voter without ranks, as most are that.
export function memberWord(of: Membership | null | undefined): string {
  if (!of) return '';
  if (of.kind === null) return 'no member';
  return [of.kind === 'voter' ? '' : of.kind, rankWord(of)].filter(Boolean).join(', ');
}

function rankWord({ rank }: Membership): string { return rank === undefined ? '' : `rank ${rank}`; }

// membershipWords says all of it: "observer", "voter, knows only version 1 of epoch 1".
export function membershipWords(of: Membership | null | undefined): string {
  if (!of) return '';
  const kind = of.kind === null ? 'no member' : [of.kind, rankWord(of)].filter(Boolean).join(', ');
  if (!of.behind || !of.own) return kind;
  if (of.own.members.length === 0) return `${kind}, knows of no members yet`;
  return newer(of.newest, of.own) ? `${kind}, knows only ${stampWords(of.own)}` : `${kind}, has another ${stampWords(of.own)}`;
}

// Change is how a node differs in two configurations. Was and is are null where it is no member; rank is there if it is another one.
export interface Change { node: number; was: MemberKind | null; is: MemberKind | null; address?: string; rank?: number }

// changes returns how two configurations differ, ascending by node.
export function changes(from: Configuration | null, to: Configuration | null): Change[] {
  const nodes = new Set([...(from?.members ?? []), ...(to?.members ?? [])].map((m) => m.node));
  return [...nodes].sort((a, b) => a - b).flatMap((node): Change[] => {
    const [was, is] = [kindIn(from, node), kindIn(to, node)];
    const [before, after] = [from, to].map((c) => c?.members.find((m) => m.node === node)?.address ?? '');
    const [lower, rank] = [from, to].map((c) => c?.members.find((m) => m.node === node)?.rank ?? 0);
    if (was === is && before === after && lower === rank) return [];
    return [{ node, was, is, ...(was === is && before !== after && { address: after ?? '' }), ...(was !== null && is !== null && lower !== rank && { rank: rank! }) }];
  });
}

// changeWord says a change in short: "+4 observer", "−1", "3 voter → witness", "2 at 10.0.0.9:7400", "1 rank 7".
export function changeWord(recording: Cast, { node, was, is, address, rank }: Change): string {
  const id = nodeId(recording, node);
  if (is === null) return `−${id}`;
  if (was === null) return `+${id} ${is}`;
  const ranked = rank === undefined ? '' : ` rank ${rank}`;
  if (was !== is) return `${id} ${was} → ${is}${ranked}`;
  if (address === undefined) return `${id}${ranked}`;
  return `${id} ${address ? `at ${address}` : 'without an address'}${ranked}`;
}

// changeWords says how one configuration differs from another; "the same members" if it does not.
export function changeWords(recording: Cast, from: Configuration | null, to: Configuration | null): string {
  return changes(from, to).map((change) => changeWord(recording, change)).join(', ') || 'the same members';
}

// summary says in a line who the members are: "3 voters, 1 witness".
export function summary(c: Configuration): string {
  const kinds: MemberKind[] = ['voter', 'witness', 'observer'];
  const plural = { voter: 'voters', witness: 'witnesses', observer: 'observers' };
  return kinds.flatMap((kind) => {
    const n = c.members.filter((m) => m.kind === kind).length;
    return n === 0 ? [] : [`${n} ${n === 1 ? kind : plural[kind]}`];
  }).join(', ') || 'nobody';
}

// settled says whether the newest configuration holds for good, as far as who leads with it knows; null if nobody does.
export function settled(recording: Cast, nodes: NodeState[]): boolean | null {
  const number = newest(recording, nodes);
  const leader = nodes.find((state) => state.look === 'leads' && state.configuration === number);
  return leader ? leader.settled === true : null;
}
