// Words for people: names of nodes, messages and links, times, and what a shape stands for. All of the page uses these, so
// that one thing has one name, wherever it is shown.
import type { Flight } from './recording';
import type { Configuration, Frame, Header, Kind, Light, Link, Look, NodeState, Side } from './types';

// Cast is whatever knows who the nodes are: a recording, above all.
export interface Cast {
  header: Pick<Header, 'nodes' | 'servers' | 'algorithm' | 'sides'>; configurations?: Configuration[]; unheardSince?: ReadonlyMap<NodeState, string>;
}

// --- Nodes ---

const longest = 6; // characters of an id that fit into the mark of a node

// shortIds returns for each id a short form that is nobody else's: a UUID is cut after as many characters as tell it from
// all others, a long number loses its middle.
export function shortIds(ids: string[]): string[] {
  return ids.map((id) => {
    if (id.length <= longest) return id;
    if (/^\d+$/.test(id)) {
      const short = `${id.slice(0, 2)}…${id.slice(-2)}`;
      const same = ids.filter((other) => other.length > longest && `${other.slice(0, 2)}…${other.slice(-2)}` === short);
      return same.length > 1 ? id : short;
    }
    for (let n = 4; n < id.length; n++) {
      if (!ids.some((other) => other !== id && other.startsWith(id.slice(0, n)))) return `${id.slice(0, n)}…`;
    }
    return id;
  });
}

const shorts = new WeakMap<string[], string[]>();

// nodeId returns the id of a node, short: "3", or "1b9d…" of a UUID.
export function nodeId(recording: Cast, node: number): string {
  const ids = recording.header.nodes;
  let short = shorts.get(ids);
  if (!short || short.length !== ids.length) shorts.set(ids, (short = shortIds(ids)));
  return short[node] ?? '?';
}

// fullId returns the whole id of a node, for a title.
export function fullId(recording: Cast, node: number): string { return recording.header.nodes[node] ?? '?'; }

export function isServer(recording: Cast, node: number): boolean {
  return node >= recording.header.nodes.length - (recording.header.servers ?? 0);
}

// nodeName returns what a node is called in a sentence: "node 3", "server 6", "store".
export function nodeName(recording: Cast, node: number): string {
  if (!isServer(recording, node)) return `node ${nodeId(recording, node)}`;
  return /^\d+$/.test(fullId(recording, node)) ? `server ${nodeId(recording, node)}` : nodeId(recording, node);
}

// sideOf returns the cluster of a pair that a node is of; undefined where there is one cluster only.
export function sideOf(header: Pick<Header, 'sides'>, node: number): Side | undefined {
  return header.sides?.find((side) => side.nodes.includes(node) || side.servers.includes(node));
}

// together reports whether two nodes are of the same cluster: of a pair there are two.
export function together(header: Pick<Header, 'sides'>, a: number, b: number): boolean { return sideOf(header, a) === sideOf(header, b); }

// clusters returns the two of a pair, or else the only one, which has no title.
export function clusters(header: Pick<Header, 'nodes' | 'servers' | 'sides' | 'algorithm' | 'resource'>): Side[] {
  const voters = header.nodes.length - (header.servers ?? 0);
  const all = [...header.nodes.keys()];
  return header.sides ?? [{ algorithm: header.algorithm ?? '', title: '', nodes: all.slice(0, voters), servers: all.slice(voters), ...(header.resource && { resource: header.resource }) }];
}

// shorten puts short ids for long ones in words that somebody else has written.
export function shorten(recording: Cast, text: string): string {
  recording.header.nodes.forEach((id, node) => {
    if (id.length > longest) text = text.replaceAll(id, nodeId(recording, node));
  });
  return text;
}

// --- Times ---

// time returns microseconds as people say them: "1.204 s", "12.5 ms", "40 µs".
export function time(us: number): string {
  const size = Math.abs(us);
  if (size >= 60e6) return `${trim(us / 60e6, 2)} min`;
  if (size >= 999_950) return `${trim(us / 1e6, 3)} s`; // below, rounding to tenths does not reach 1000 ms
  if (size >= 100 || size === 0) return `${trim(us / 1e3, 1)} ms`;
  return `${trim(us, 0)} µs`;
}

// trim writes a number with so many places at most, and without zeros at its end.
function trim(n: number, places: number): string {
  const text = n.toFixed(places);
  return places > 0 ? text.replace(/\.?0+$/, '') : text;
}

// moment returns when something was: a time, or a place in the order where there are no times.
export function moment(recording: { header: Pick<Header, 'timed'> }, at: number): string {
  return recording.header.timed ? time(at) : `event ${at}`;
}

// --- Roles and states ---

const looks: Record<Look, string> = {
  leads: 'leads', stands: 'wants to lead', waits: 'waits for an election to end', follows: 'follows', idle: 'knows of no leader',
  down: 'is down', serves: 'is a server',
};

// lookWord returns what a node of a look does, as a verb: "wants to lead".
export function lookWord(look: Look): string { return looks[look]; }

// noResource says who does not tell what leaders write, where that is why no resource is drawn; '' where one is, or none can be.
export function noResource(header: Pick<Header, 'source' | 'resource' | 'sides'>): string {
  if (header.resource || header.sides) return '';
  return header.source === 'trace' ? 'A trace does not say' : header.source === 'live' ? 'Nodes do not say' : '';
}

// unheardWords says of a node that is not heard since when that is so, line by line: nobody can tell whether it is down.
export function unheardWords(recording: Cast, state: NodeState): string[] {
  const since = recording.unheardSince?.get(state);
  return since === undefined ? [state.role] : [state.role, `from ${since} on`];
}

// doing returns in a few words what a node is about: "leads epoch 4", "follows 3", "waits for 3". Which node it is matters in a pair.
export function doing(recording: Cast, state: NodeState, node = -1): string {
  const other = state.leader >= 0 ? nodeId(recording, state.leader) : '';
  switch (state.look) {
    case 'leads': if (state.paused) return 'paused: does not act';
      return state.epoch > 0 ? `leads ${epochName(recording, node)} ${epochWord(state.epoch)}` : 'leads';
    case 'follows': return other ? `follows ${other}` : 'follows';
    case 'waits': return other ? `waits for ${other}` : 'waits';
    case 'stands': return state.saving && state.role === 'leader' ? 'leads once that is on disk' : 'wants to lead'; // it has won, and may not act yet
    case 'idle': return 'knows no leader';
    case 'serves': return '';
    default: return state.unheard ? unheardWords(recording, state).join(' ') : state.role === 'not started' ? 'not started' : 'down';
  }
}

// Timers, in the words of what a node waits for. Those of Raft are named as ours are, and mean something else.
const timers: Record<string, string> = {
  patience: 'its patience', preempt: 'how long it lets a lower node lead',
  election: 'its wait for answers', coordinator: 'its wait for somebody better', claim: 'its wait for grants',
  T_elec: 'its wait for answers', T_coord: 'its wait for a COORDINATOR',
  reign: 'the end of its reign, unless a quorum answers', heartbeat: 'its next heartbeat', renewal: 'its next renewal', hop: 'its wait for an ACK',
};
const raftTimers: Record<string, string> = { election: 'its patience', lease: 'its belief in its leader', quorum: 'its next check of its quorum' };

// timerWord returns what a timer is: "its wait for answers"; '' if that is not known here.
export function timerWord(recording: { header: Pick<Header, 'algorithm'> }, timer: string): string {
  return (recording.header.algorithm?.startsWith('raft') ? raftTimers[timer] : undefined) ?? timers[timer] ?? '';
}

// isWait reports whether a timer ends a wait, and is not only a leader's regular duty.
export function isWait(timer: string): boolean { return !['heartbeat', 'reign', 'quorum', 'renewal', 'lease', 'rewatch', 'tick'].includes(timer); }

// --- Messages ---

// Group is what a message is for. Each has a shape of its own.
export type Group = 'ask' | 'answer' | 'claim' | 'announce' | 'upkeep';

const groups: Record<Group, string> = {
  ask: 'asks who is there', answer: 'answers, and binds nobody', claim: 'claims an epoch, or grants one', announce: 'announces who leads',
  upkeep: 'keeps a reign alive',
};

export const groupNames = Object.keys(groups) as Group[];

// groupWord says what the messages of a group do.
export function groupWord(group: Group): string { return groups[group]; }

// Each type, of all algorithms: what it is for, and one or two letters for it, which no other type of the same algorithm has.
const types: Record<string, [Group, string]> = {
  ELECTION: ['ask', 'E'], IM_BACK: ['ask', 'IB'], REQUESTPREVOTE: ['ask', 'P?'], WATCH: ['ask', 'W'],
  OK: ['answer', 'OK'], ASSENT: ['answer', 'A'], REFUSE: ['answer', 'R'], PREVOTE: ['answer', 'P'], NOPREVOTE: ['answer', 'P−'],
  NOVOTE: ['answer', 'V−'], NOTAPPENDED: ['answer', 'N'], HELD: ['answer', 'H'],
  CLAIM: ['claim', 'C'], GRANT: ['claim', 'G'], REQUESTVOTE: ['claim', 'V?'], VOTE: ['claim', 'V'], CREATE: ['claim', 'CR'],
  CREATED: ['claim', 'C+'],
  COORDINATOR: ['announce', 'CO'], ELECTED: ['announce', 'L'], ANNOUNCE: ['announce', 'AN'], RESIGN: ['announce', 'RS'],
  DELETE: ['announce', 'D'], GONE: ['announce', 'G'],
  HEARTBEAT: ['upkeep', 'HB'], ACK: ['upkeep', 'AK'], RENEW: ['upkeep', 'RN'], RENEWED: ['upkeep', 'R+'],
};

// typeOf returns the type of a message without what it answers: "ACK" of "ACK of HEARTBEAT".
export function typeOf(kind: string): string { return kind.split(' ')[0]!.toUpperCase(); }

// isMessage reports whether a word is a type of message.
export function isMessage(word: string): boolean { return types[typeOf(word)] !== undefined; }

// groupOf returns what a type of message is for. A type that is not known here asks.
export function groupOf(kind: string): Group { return types[typeOf(kind)]?.[0] ?? 'ask'; }

// letters returns one or two letters for a type of message.
export function letters(kind: string): string { return types[typeOf(kind)]?.[1] ?? typeOf(kind).slice(0, 2); }

// messageWord returns a message in a word or two: "CLAIM 4"; if it carries another configuration than its receiver has, "HEARTBEAT 1 v2".
export function messageWord(message: Pick<Flight, 'kind' | 'epoch' | 'news'>): string {
  return [message.kind, message.epoch ? epochWord(message.epoch) : '', message.news ?? ''].filter(Boolean).join(' ');
}

// messageWords returns all of a message: "CLAIM of epoch 4 from 2 to 3".
export function messageWords(recording: Cast, m: Pick<Flight, 'kind' | 'epoch' | 'text' | 'from' | 'to'>): string {
  const epoch = m.epoch ? ` of ${epochName(recording)} ${m.epoch}` : '';
  const rest = m.text ? ` (${shorten(recording, m.text)})` : '';
  return `${m.kind}${epoch} from ${nodeId(recording, m.from)} to ${nodeId(recording, m.to)}${rest}`;
}

// --- Links ---

// linkWord returns one direction between two nodes: "2 → 3".
export function linkWord(recording: Cast, [from, to]: Link): string { return `${nodeId(recording, from)} → ${nodeId(recording, to)}`; }

// linkWords returns links, both directions together where there are both: "1 ↔ 2, 3 → 1".
export function linkWords(recording: Cast, links: Link[]): string {
  const all = new Set(links.map(String));
  return links.filter(([a, b]) => a < b || !all.has(String([b, a])))
    .map(([a, b]) => (all.has(String([b, a])) ? `${nodeId(recording, a)} ↔ ${nodeId(recording, b)}` : linkWord(recording, [a, b]))).join(', ');
}

// --- Frames ---

const kinds: Record<Kind, string> = {
  start: 'start', restart: 'restart', receive: 'message', timer: 'timer', call: 'call', save: 'disk', crash: 'crash', pause: 'pause',
  resume: 'resume', lose: 'loss', links: 'links', write: 'write', intervene: 'intervening', step: 'step',
};

// kindWord returns in a word what kind of thing a frame is.
export function kindWord(kind: Kind): string { return kinds[kind]; }

// sentence returns what a frame says, as a sentence without a full stop: "Node 2 takes CLAIM of epoch 4 from 3".
export function sentence(recording: Cast, frame: Frame): string {
  const text = shorten(recording, frame.text);
  return capital(frame.node >= 0 ? `${nodeName(recording, frame.node)} ${text}` : text);
}

// capital begins a sentence. The name of a file is as it is: "cut.ndjson" is not "Cut.ndjson".
export function capital(text: string): string {
  return /^\S*[^\s.]\.[^\s.]/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

// --- Properties ---

// properties have the names of the specification, as words: who reads one here finds it there.
const properties: Record<string, string> = {
  OneActing: 'One acting', OneLeaderPerEpoch: 'One leader per epoch', EpochMonotonic: 'Epoch monotonic', NoStaleWrite: 'No stale write', StaleWrite: 'No stale write',
  SomeLeader: 'Some leader', HighestLeads: 'Highest leads', NoDisruption: 'No disruption', ConfigurationMonotonic: 'Configuration monotonic', OneConfiguration: 'One configuration',
  Rules: 'By the rules',
};

// indicatorWord returns what a property is called.
export function indicatorWord(name: string): string { return properties[name] ?? name; }

const lights: Record<Light, string> = { green: 'holds', amber: 'not now', red: 'broken' };

// lightWord returns what a light says of a property: "holds", "broken", or of one that need not hold always "not now".
export function lightWord(light: Light): string { return lights[light]; }

// epochName returns what an algorithm calls its epochs: in a pair, that of a node.
export function epochName(recording: { header: Pick<Header, 'algorithm' | 'sides'> }, node = -1): string {
  const algorithm = sideOf(recording.header, node)?.algorithm ?? recording.header.algorithm ?? '';
  return algorithm.startsWith('raft') ? 'term' : algorithm.startsWith('lease') ? 'revision' : 'epoch';
}

// unboundWords says why a leader has no lease to be drawn; '' of an algorithm in which it has one.
export function unboundWords(algorithm = ''): string {
  if (algorithm === '' || algorithm.startsWith('bully') || algorithm.startsWith('lease')) return '';
  if (!algorithm.startsWith('raft')) return 'No time bounds how long it acts: it leads until it hears of another.';
  const checks = algorithm === 'raft' || algorithm === 'raft-checkquorum';
  return `Raft has no lease: a leader acts until it hears of a later term${checks ? ', or finds that more than half do not answer' : ''}.`;
}

// epochWord returns an epoch, short where it is very high: that of a test of the last one has sixteen digits.
export function epochWord(epoch: number): string { return epoch > 99_999 ? `…${String(epoch).slice(-4)}` : String(epoch); }

// epochColour returns the colour of an epoch, as CSS has it; none for epoch 0, which nobody leads.
export function epochColour(epoch: number): string { return epoch > 0 ? `var(--epoch-${epoch % 8})` : 'var(--line)'; }
