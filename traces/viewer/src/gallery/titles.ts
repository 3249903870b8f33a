// What runs of the gallery are called, in few words, and by which other words people look for them.

// titles are those that a name alone does not make.
const titles: Record<string, string> = {
  'five-nodes': 'Five nodes: the highest takes over', cascade: 'Two leaders die, one after the other', 'late-coordinator': 'A COORDINATOR that comes too late',
  herd: 'A herd: all ask at once', 'ok-then-die': 'It says OK, and dies', 'same-stamp': 'Two leaders of one epoch', 'one-way': 'A leader that hears nobody',
  'deaf-follower': 'A follower that does not hear', 'stale-return': 'The restart race', 'paused-leader': 'A paused leader writes', 'top-flap': 'The highest flaps',
  'raft-rejoin': 'Raft: who comes back disrupts', 'raft-partial': 'Raft: elections without end', 'raft-one-way': 'Raft: a leader that hears nobody',
  'raft-minority-leader': 'Raft: a leader of a minority', 'raft-split-vote': 'Raft: a split vote',
  'lease-herd': 'Lease: all want the key at once', 'lease-pause': 'Lease: paused before it writes', 'lease-store-down': 'Lease: the store is down',
  'lease-slow-store': 'Lease: a slow store', 'lease-drift': 'Lease: a slow clock',
  'ring-two-starters': 'Ring: two begin at once', 'ring-herd': 'Ring: all begin at once', 'ring-partition': 'Ring: a leader on each side', 'ring-lost-ack': 'Ring: an ACK is lost',
  'ring-lost-list': 'Ring: the list is lost', 'ring-orphan': 'Ring: who is elected dies', 'ring-return': 'Ring: the highest returns', 'ring-stale-return': 'Ring: a paused leader writes',
  'members-restart-with-an-old-configuration': 'Members: restart with an old list',
};

export const longest = 40; // characters of a title

// titleOf returns what a run of a name is called.
export function titleOf(name: string): string {
  const said = titles[name];
  if (said) return said;
  const text = name.replace(/^members-/, 'members: ').replaceAll(/[-_]/g, ' ').replaceAll(/\bi\b/g, 'I');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const fencing = 'fencing fence token zombie stale leader old write';
const preempts = 'preempt preemption preempts takeover handover';
const flaps = 'flapping flap flaps bounce';
const oneWay = 'asymmetric partition gray grey failure half open';
const race = 'restart race reboot rejoin recovery';

// tags are words by which people look for what is called otherwise here, by the name of what they should find.
const tags: Record<string, string> = {
  failover: 'leader crash kill dies failure', 'failover-by-proof-of-death': 'failover crash connection refused fast', 'split-brain': 'network partition netsplit two leaders stale leader',
  'partition-and-heal': 'network partition netsplit minority heals', 'half-on-each-side': 'network partition split tie even', 'minority-keeps-asking': 'network partition minority quorum',
  'leader-without-quorum': 'network partition minority steps down', 'same-stamp': 'two leaders split brain same term network partition', 'ring-partition': 'network partition split brain netsplit',
  'raft-minority-leader': 'network partition minority stale leader zombie check quorum', 'raft-rejoin': 'disruptive server pre vote prevote rejoin', 'raft-partial': 'partial network partition livelock',
  'paused-leader': `${fencing} gc pause stop the world hang`, 'lease-pause': `${fencing} gc pause stop the world hang kleppmann lock`, 'ring-stale-return': `${fencing} pause hang`,
  'stale-leader-is-refused': fencing, 'old-heartbeat-is-refused': 'stale leader zombie', 'leader-learns-from-an-old-claim': 'stale leader',
  'stale-return': `${race} stale leader`, 'restart-silence': race, 'stale-restart': `${race} stale leader`, 'leader-back-unnoticed': race, 'all-restart-at-once': `${race} outage power`,
  'restart-of-a-follower': race, 'returning-higher-node': `${race} ${preempts}`,
  'top-flap': `${flaps} ${preempts} restarts again and again`, 'flapping-highest-node': `${flaps} ${preempts} restarts again and again`, 'deaf-follower': `${flaps} ${oneWay}`,
  'hand-over': `${preempts} graceful`, 'pre-emption-by-the-second': preempts, 'pre-emption-refused': preempts, 'pre-emption-overtaken': preempts, 'pre-emption-beyond-the-claim': preempts,
  'three-pre-empt-at-once': preempts, 'hand-over-asks-twice': preempts, 'hand-over-whose-grant-is-lost': preempts,
  'one-way': oneWay, 'one-way-link': oneWay, 'raft-one-way': oneWay, 'leader-that-hears-nobody': oneWay, 'leader-that-nobody-hears': oneWay,
  herd: 'thundering herd stampede', 'lease-herd': 'thundering herd stampede', 'ring-herd': 'thundering herd stampede',
  'ok-then-die': 'liveness stuck hang no leader deadlock', 'ok-that-does-not-deliver': 'liveness stuck dies', cascade: 'failover crash cascade', 'cascade-of-two-leaders': 'failover crash cascade',
  'lease-drift': 'clock skew drift', 'lease-store-down': 'single point of failure outage etcd zookeeper consul', 'lease-slow-store': 'latency etcd',
  'split-claim': 'split vote tie rivals', 'raft-split-vote': 'split vote tie election timeout', resign: 'graceful shutdown maintenance step down', 'claim-starved': 'lost messages liveness',
  'crash-before-save': 'disk fsync durability', 'crash-between-save-and-send': 'disk fsync durability', 'false-proof-of-death': 'false failure detector wrongly suspected',
  'late-assent': 'late answer delayed message reordered', 'late-heartbeat-and-ack': 'late answer delayed message reordered', 'old-grant-counts-for-nothing': 'late answer stale vote',
  'members-grow': 'add node join scale up reconfiguration membership', 'members-shrink': 'remove node leave scale down reconfiguration membership', 'members-witness': 'arbiter tie breaker two data centres',
  'members-observer': 'learner non voter read replica', 'members-leader-removed': 'remove node reconfiguration membership',
};

// tagsOf returns the words by which people may look for a run of a name.
export function tagsOf(name: string): string { return tags[name] ?? ''; }

// tagged are the names that have such words, for a test.
export const tagged = Object.keys(tags);
