// One node of the bully election, as spec/README.md says it: what it does (section 8), which timers run (section 9), and what its host must do
// after each step, in order (section 10). It reads no clock, draws no lots, writes and sends nothing, and runs in Node and in a browser.

import { MAX_EPOCH, checkMembers, checkPromise, checkState, compareIds, malformed } from "./forms.mjs";

/** @import { Id, Type, Message, Promised, State } from "./forms.mjs" */
/** @typedef {"heartbeat"|"preempt"|"election"|"coordinator"|"claim"|"quorum"|"beat"} Timer */
/** @typedef {{leader: Id|null, epoch: number}} Told  What users may be told (R39). */
/** @typedef {{save: Promised}|{over: number}|{cancel: Timer}|{arm: Timer}|{send: Message}|{tell: Told}} Effect */
/** @typedef {{effects: Effect[], state: State}} Step  What the host must do, in this order, and the state after. */
/** @typedef {{node: BullyNode} & Step} Started */
/** @typedef {{ignored: string, rule: string, state: State}} Ignored  No step: why, and the rule to count it under. */
/** @typedef {[State, Message[]]} Outcome  What a rule says: the state after, and what is sent, first sent first. */

/** A copy of the state with these changes; no rule changes its argument. @param {State} s @param {Partial<State>} changes @returns {State} */
const but = (s, changes) => ({ ...s, ...changes });
/** R4: what a crash leaves. @param {Promised} p @returns {State} */
const survives = ({ epoch, grantee }) => ({ role: "follower", leader: null, epoch, grantee, support: [] });
/** R5: does its lease keep this node from helping c? @param {State} s @param {Id} c */
const shields = (s, c) => s.leader !== null && s.leader !== c;
/** R5: the lease ends. @param {State} s */
const unbound = (s) => but(s, { leader: null });
/** R5: node j says that it does not lead, or is proved dead. @param {State} s @param {Id|null} j */
function release(s, j) {
  if (s.leader !== j) return s;
  return s.role === "follower" || s.role === "electing" ? rest(unbound(s)) : unbound(s);
}
/** R6: gives up what it was doing, and waits out the lease that it keeps. @param {State} s */
const rest = (s) => but(s, { role: s.leader === null ? "follower" : "electing", support: [] });
/** R7: takes over a higher epoch, but for the one that it claims itself. @param {State} s @param {number} e */
function learn(s, e) {
  if (e <= s.epoch || (s.role === "claimant" && e === nextEpoch(s))) return s;
  const t = but(s, { epoch: e, grantee: null });
  if (t.role === "candidate" || t.role === "electing") return t;
  return rest(t.role === "leader" ? unbound(t) : t);
}
/** R10: would this node grant c's claim? @param {State} s @param {Id} c */
const maySupport = (s, c) => s.leader === null || s.leader === c || (compareIds(s.leader, c) < 0 && s.role !== "electing");
/** R16: the epoch that it claims, or would claim. @param {State} s */
const nextEpoch = (s) => s.epoch + 1;
/** R17: is e still free to be promised to c? @param {State} s @param {Id} c @param {number} e */
const mayGrant = (s, c, e) => e > s.epoch || (e === s.epoch && (s.grantee === null || s.grantee === c));
/** R12, R13, R19, R25: j backs it too; the support stays ascending. @param {State} s @param {Id} j */
const backedBy = (s, j) => (s.support.includes(j) ? s : but(s, { support: [...s.support, j].sort(compareIds) }));

export class BullyNode {
  /** @type {Id} */ #me;
  /** @type {readonly Id[]} */ #members;
  /** @type {readonly Id[]} */ #others;
  /** @type {State} */ #state;

  /** Throws a TypeError for members that are none; use `start`, `restart` or `load`. @param {Id} me @param {readonly Id[]} members */
  constructor(me, members) {
    checkMembers(me, members);
    this.#me = me;
    this.#members = [...members];
    this.#others = members.filter((id) => id !== me);
    this.#state = survives({ epoch: 0, grantee: null });
  }

  /** R32: the first start in its life. @param {Id} me @param {readonly Id[]} members @returns {Started} */
  static start(me, members) {
    const node = new BullyNode(me, members);
    return { node, effects: [{ save: { epoch: 0, grantee: null } }, { arm: "heartbeat" }], state: node.state };
  }

  /** R30: a start with what the disk has kept. @param {Id} me @param {readonly Id[]} members @param {Promised} promise @returns {Started} */
  static restart(me, members, promise) {
    const node = new BullyNode(me, members);
    checkPromise(promise, members);
    const before = survives(promise);
    return { node, ...node.#take(before, [], [but(before, { role: "electing", leader: me }), node.#toAll("IM_BACK", before.epoch)]) };
  }

  /** A node that has come to this state: for tests and pages. @param {Id} me @param {readonly Id[]} members @param {State} state */
  static load(me, members, state) {
    const node = new BullyNode(me, members);
    checkState(state, members, node.#others);
    const { role, leader, epoch, grantee, support } = state;
    node.#state = { role, leader, epoch, grantee, support: [...new Set(support)].sort(compareIds) };
    return node;
  }

  /** The state of section 6; not to be changed. */
  get state() { return this.#state; }

  /** R33, R34: a message has arrived; anything at all may be given. @param {unknown} value @returns {Step|Ignored} */
  receive(value) {
    const fault = malformed(value);
    if (fault) return this.#ignored("R33", `malformed: ${fault}`);
    const m = /** @type {Message} */ (value);
    if (m.to !== this.#me) return this.#ignored("R34", "the message is not for this node");
    if (!this.#others.includes(m.from)) return this.#ignored("R34", "the sender is not a member");
    const outcome = this.#heard(this.#state, m);
    return outcome ? this.#take(this.#state, this.timers(), outcome) : this.#ignored("R34", "the type is unknown");
  }

  /** R35: a timer has ended, whether it runs or not. @param {unknown} name @returns {Step|Ignored} */
  end(name) {
    const running = this.timers();
    const timer = running.find((t) => t === name);
    if (!timer) return this.#ignored("R35", "the timer does not run");
    return this.#take(this.#state, running, this.#ended(this.#state, timer), timer);
  }

  /** R28, R41: its user asks it to resign, or its host says that its holder is dead. @param {unknown} name @returns {Step|Ignored} */
  call(name) {
    const s = this.#state;
    if (name === "resign") {
      if (s.role !== "leader") return this.#ignored("R28", "it does not lead");
      return this.#take(s, this.timers(), [rest(unbound(s)), this.#toAll("RESIGN", s.epoch)]);
    }
    if (name !== "holder-dead") return this.#ignored("R28, R41", "the call is none");
    if (!shields(s, this.#me)) return this.#ignored("R41", "it keeps the lease of no other node");
    return this.#take(s, this.timers(), [release(s, s.leader), []]);
  }

  /** R36: the timers that run. @param {State} s @returns {Timer[]} */
  timers(s = this.#state) {
    switch (s.role) {
      case "follower": return s.leader !== null && compareIds(s.leader, this.#me) < 0 ? ["heartbeat", "preempt"] : ["heartbeat"];
      case "candidate": return ["election"];
      case "electing": return ["coordinator"];
      case "claimant": return ["claim"];
      case "leader": return ["quorum", "beat"];
    }
  }

  /** R36: does a timer that ran, and runs on, begin anew? @param {Timer} timer @param {State} before @param {Message[]} sent @param {Timer} [ended] */
  #restarts(timer, before, sent, ended) {
    switch (timer) {
      case "heartbeat": return sent.some((m) => m.type === "ACK");
      case "preempt": return this.#state.leader !== before.leader || this.#state.epoch !== before.epoch;
      case "coordinator": return sent.some((m) => m.type === "GRANT");
      case "quorum": case "beat": return ended === timer;
      default: return false;
    }
  }

  /** R39: what users may be told. @param {State} s @returns {Told} */
  told(s = this.#state) {
    const named = s.role === "leader" || s.role === "follower";
    return named && s.leader !== null ? { leader: s.leader, epoch: s.epoch } : { leader: null, epoch: 0 };
  }

  /** Section 10: what the host must do. @param {State} before @param {Timer[]} ran @param {Outcome} outcome @param {Timer} [ended] @returns {Step} */
  #take(before, ran, [state, sent], ended) {
    this.#state = state;
    const { epoch, grantee } = state;
    const [runs, was, is] = [this.timers(), this.told(before), this.told()];
    /** @type {Effect[]} */
    const effects = [];
    if (epoch !== before.epoch || grantee !== before.grantee) effects.push({ save: { epoch, grantee } }); // R4
    if (before.role === "leader" && state.role !== "leader") effects.push({ over: before.epoch });
    for (const cancel of ran) if (!runs.includes(cancel)) effects.push({ cancel });
    for (const arm of runs) if (!ran.includes(arm) || this.#restarts(arm, before, sent, ended)) effects.push({ arm });
    for (const send of sent) effects.push({ send });
    if (is.leader !== was.leader || is.epoch !== was.epoch) effects.push({ tell: is });
    return { effects, state };
  }

  /** Section 11: no step. @param {string} rule @param {string} why @returns {Ignored} */
  #ignored(rule, why) { return { ignored: `${why} (${rule})`, rule, state: this.#state }; }

  /** What a message does; nothing at all if its type is unknown. @param {State} s @param {Message} m @returns {Outcome|undefined} */
  #heard(s, m) {
    switch (m.type) {
      case "ELECTION": return this.#electionHeard(s, m);
      case "OK": return this.#okHeard(s, m);
      case "ASSENT": return this.#assentHeard(s, m);
      case "CLAIM": return this.#claimHeard(s, m);
      case "GRANT": return this.#grantHeard(s, m);
      case "REFUSE": return this.#refuseHeard(s, m);
      case "COORDINATOR": case "HEARTBEAT": return this.#reignHeard(s, m);
      case "ACK": return this.#ackHeard(s, m);
      case "RESIGN": return this.#resignHeard(s, m);
      case "IM_BACK": return this.#imBackHeard(s, m);
    }
  }

  /** What the end of a running timer does. @param {State} s @param {Timer} timer @returns {Outcome} */
  #ended(s, timer) {
    switch (timer) {
      case "heartbeat": return this.#ask(unbound(s)); // R8
      case "preempt": return this.#ask(s); // R9: it keeps the lease
      case "election": return this.#mayClaim(s) ? this.#claim(s) : [rest(s), []]; // R14
      case "coordinator": return this.#mayClaim(s) ? this.#claim(unbound(s)) : this.#ask(unbound(s)); // R15
      case "claim": return [rest(s), []]; // R22
      case "quorum": return this.#isQuorum(s) ? [but(s, { support: [] }), []] : [rest(unbound(s)), []]; // R26
      case "beat": return [s, this.#toAll("HEARTBEAT", s.epoch)]; // R27
    }
  }

  /** @param {Type} type @param {Id} to @param {number} epoch @returns {Message} */
  #message(type, to, epoch) {
    return { type, from: this.#me, to, epoch };
  }
  /** A broadcast, in ascending order of ids. @param {Type} type @param {number} epoch */
  #toAll(type, epoch) {
    return this.#others.map((to) => this.#message(type, to, epoch));
  }
  /** R3: are this node and its support a majority of the members? @param {State} s */
  #isQuorum(s) {
    return 2 * (s.support.length + 1) > this.#members.length;
  }
  /** R8: asks who is there, and would follow it. @param {State} s @returns {Outcome} */
  #ask(s) {
    return [but(s, { role: "candidate", support: [] }), this.#toAll("ELECTION", s.epoch)];
  }
  /** R10, R11: ELECTION from a lower, or a higher, node. @param {State} s @param {Message} m @returns {Outcome} */
  #electionHeard(s, { from, epoch }) {
    const t = learn(release(s, from), epoch);
    const lower = compareIds(from, this.#me) < 0;
    const idle = t.role === "follower" && t.leader === null;
    const answer = (/** @type {Type} */ type) => this.#message(type, from, t.epoch);
    if (lower && t.role === "leader") return [t, [answer("OK"), answer("COORDINATOR")]];
    if (!maySupport(t, from)) return [t, [answer("REFUSE")]];
    if (lower) {
      const [u, sent] = idle ? this.#ask(t) : [t, []];
      return [u, [answer("OK"), ...sent]];
    }
    const givesWay = idle || t.role === "candidate" || t.role === "claimant";
    return [givesWay ? but(t, { role: "electing", support: [] }) : t, [answer("ASSENT")]];
  }
  /** R12: somebody better has it in hand. @param {State} s @param {Message} m @returns {Outcome} */
  #okHeard(s, { from, epoch }) {
    const t = learn(s, epoch);
    return [t.role === "candidate" || t.role === "electing" ? but(backedBy(t, from), { role: "electing" }) : t, []];
  }
  /** R13: who is lower would grant; the highest member waits for nobody better. @param {State} s @param {Message} m @returns {Outcome} */
  #assentHeard(s, { from, epoch }) {
    const t = learn(s, epoch);
    if (t.role !== "candidate" && t.role !== "electing") return [t, []];
    const u = backedBy(t, from);
    const highest = this.#me === this.#members[this.#members.length - 1];
    return u.role === "candidate" && highest && this.#mayClaim(u) ? this.#claim(u) : [u, []];
  }
  /** R14: would a quorum follow it, and is there an epoch left (R2)? @param {State} s */
  #mayClaim(s) {
    return this.#isQuorum(s) && s.epoch < MAX_EPOCH;
  }
  /** R16: asks for the next epoch; it promises it to itself only on winning. @param {State} s @returns {Outcome} */
  #claim(s) {
    const t = but(s, { role: "claimant", support: [] });
    return this.#mayWin(t) ? this.#win(t) : [t, this.#toAll("CLAIM", nextEpoch(t))];
  }
  /** R17, R18: promises the epoch to c and keeps c's lease, or refuses. @param {State} s @param {Message} m @returns {Outcome} */
  #claimHeard(s, { from: c, epoch: e }) {
    const leads = s.role === "leader";
    const handsOver = leads && compareIds(c, this.#me) > 0 && e > s.epoch;
    const grants = !leads && mayGrant(s, c, e) && !shields(s, c);
    if (!handsOver && !grants) return [s, [this.#message("REFUSE", c, s.epoch)]];
    const sent = [this.#message("GRANT", c, e), ...(handsOver ? this.#toAll("RESIGN", s.epoch) : [])];
    return [{ role: "electing", leader: c, epoch: e, grantee: c, support: [] }, sent];
  }
  /** R19: a GRANT counts only for the epoch that this node claims. @param {State} s @param {Message} m @returns {Outcome} */
  #grantHeard(s, { from, epoch }) {
    if (s.role !== "claimant" || epoch !== nextEpoch(s)) return [learn(s, epoch), []];
    const t = backedBy(release(s, from), from);
    return this.#mayWin(t) ? this.#win(t) : [t, []];
  }
  /** R20: a quorum has promised it the epoch, and it keeps no lease. @param {State} s */
  #mayWin(s) {
    return this.#isQuorum(s) && s.leader === null;
  }
  /** R20: promises the epoch to itself, and leads it. @param {State} s @returns {Outcome} */
  #win(s) {
    const epoch = nextEpoch(s);
    return [{ role: "leader", leader: this.#me, epoch, grantee: this.#me, support: [] }, this.#toAll("COORDINATOR", epoch)];
  }
  /** R21: tells a claimant that its epoch went to another, so it rests, then learns. @param {State} s @param {Message} m @returns {Outcome} */
  #refuseHeard(s, { epoch }) {
    return [learn(s.role === "claimant" && epoch > s.epoch ? rest(s) : s, epoch), []];
  }
  /** R23, R24: COORDINATOR and HEARTBEAT: follows the sender, or refuses what is stale. @param {State} s @param {Message} m @returns {Outcome} */
  #reignHeard(s, { from, epoch }) {
    if (epoch < s.epoch) return [s, [this.#message("REFUSE", from, s.epoch)]];
    const ack = [this.#message("ACK", from, epoch)];
    const preempts = (s.role === "candidate" || s.role === "claimant") && s.leader === from && s.epoch === epoch;
    if (preempts) return [s, ack];
    const grantee = epoch > s.epoch || s.grantee === null ? from : s.grantee;
    return [{ role: "follower", leader: from, epoch, grantee, support: [] }, ack];
  }
  /** R25: an ACK of another reign says nothing of this one. @param {State} s @param {Message} m @returns {Outcome} */
  #ackHeard(s, { from, epoch }) {
    return [s.role === "leader" && epoch === s.epoch ? backedBy(s, from) : learn(s, epoch), []];
  }
  /** R29: a claimant asks again those who may have refused for the old leader's sake. @param {State} s @param {Message} m @returns {Outcome} */
  #resignHeard(s, { from }) {
    const t = release(s, from);
    if (t.role !== "claimant") return [t, []];
    if (this.#mayWin(t)) return this.#win(t);
    return [t, this.#others.filter((j) => !t.support.includes(j)).map((j) => this.#message("CLAIM", j, nextEpoch(t)))];
  }
  /** R31: the sender has forgotten whatever it led. @param {State} s @param {Message} m @returns {Outcome} */
  #imBackHeard(s, { from, epoch }) {
    const t = learn(release(s, from), epoch);
    return [t, t.role === "leader" ? [this.#message("COORDINATOR", from, t.epoch)] : []];
  }
}
