// One node of the bully election, as spec/README.md says it: what it does (section 8), which timers run (section 9), and what its host must do
// after each step, in order (section 10). It reads no clock, draws no lots, writes and sends nothing, and runs in Node and in a browser. Members are
// fixed here; changing.mjs has a node whose members come and go. What that one replaces, or uses, begins with an underscore.

import { MAX_EPOCH, checkMembers, checkPromise, checkState, compareIds, malformed, promiseOf } from "./forms.mjs";

/** @import { Id, Type, Message, Promised, State } from "./forms.mjs" */
/** @typedef {"heartbeat"|"preempt"|"election"|"coordinator"|"claim"|"quorum"|"beat"} Timer */
/** @typedef {{leader: Id|null, epoch: number}} Told  What users may be told (R39). */
/** @typedef {{save: Promised}|{over: number}|{cancel: Timer}|{arm: Timer}|{send: Message}|{tell: Told}} Effect */
/** @typedef {{effects: Effect[], state: State}} Step  What the host must do, in this order, and the state after. */
/** @typedef {{node: BullyNode} & Step} Started */
/** @typedef {{ignored: string, rule: string, state: State}} Ignored  No step: why, and the rule to count it under. */
/** @typedef {[State, Message[]]} Outcome  What a rule says: the state after, and what is sent, first sent first. */

/** A copy of the state with these changes; no rule changes its argument. @param {State} s @param {Partial<State>} changes @returns {State} */
export const but = (s, changes) => ({ ...s, ...changes });
/** R4: what a crash leaves; a configuration too, where members change. @param {Promised} p @returns {State} */
export const survives = ({ epoch, grantee, ...more }) => ({ role: "follower", leader: null, epoch, grantee, support: [], ...more });
/** R5: does its lease keep this node from helping c? @param {State} s @param {Id} c */
const shields = (s, c) => s.leader !== null && s.leader !== c;
/** R5: the lease ends. @param {State} s */
export const unbound = (s) => but(s, { leader: null });
/** R5: node j says that it does not lead, or is proved dead. @param {State} s @param {Id|null} j */
function release(s, j) {
  if (s.leader !== j) return s;
  return s.role === "follower" || s.role === "electing" ? rest(unbound(s)) : unbound(s);
}
/** R6: gives up what it was doing, and waits out the lease that it keeps. @param {State} s */
export const rest = (s) => but(s, { role: s.leader === null ? "follower" : "electing", support: [] });
/** R7: takes over a higher epoch, but for the one that it claims itself. @param {State} s @param {number} e */
export function learn(s, e) {
  if (e <= s.epoch || (s.role === "claimant" && e === nextEpoch(s))) return s;
  const t = but(s, { epoch: e, grantee: null });
  if (t.role === "candidate" || t.role === "electing") return t;
  return rest(t.role === "leader" ? unbound(t) : t);
}
/** R16: the epoch that it claims, or would claim. @param {State} s */
const nextEpoch = (s) => s.epoch + 1;
/** R17: is e still free to be promised to c? @param {State} s @param {Id} c @param {number} e */
const mayGrant = (s, c, e) => e > s.epoch || (e === s.epoch && (s.grantee === null || s.grantee === c));
/** R12, R13, R19, R25: j backs it too; the support stays ascending. @param {State} s @param {Id} j */
const backedBy = (s, j) => (s.support.includes(j) ? s : but(s, { support: [...s.support, j].sort(compareIds) }));

export class BullyNode {
  /** @type {Id} */ _me;
  /** @type {readonly Id[]} */ #members;
  /** @type {readonly Id[]} */ #others;
  /** @type {State} */ _state;

  /** Throws a TypeError for members that are none; use `start`, `restart` or `load`. @param {Id} me @param {readonly Id[]} members */
  constructor(me, members) {
    checkMembers(me, members);
    this._me = me;
    this.#members = [...members];
    this.#others = members.filter((id) => id !== me);
    this._state = survives({ epoch: 0, grantee: null });
  }

  /** R32: the first start in its life. @param {Id} me @param {readonly Id[]} members @returns {Started} */
  static start(me, members) {
    const node = new BullyNode(me, members);
    return { node, effects: [{ save: { epoch: 0, grantee: null } }, { arm: "heartbeat" }], state: node.state };
  }

  /** R30: a start with what the disk has kept. @param {Id} me @param {readonly Id[]} members @param {Promised} promise @returns {Started} */
  static restart(me, members, promise) {
    const node = new BullyNode(me, members);
    checkPromise(promise, (id) => members.includes(id));
    const { epoch, grantee } = promise;
    return { node, ...node._restarted(survives({ epoch, grantee })) };
  }

  /** A node that has come to this state: for tests and pages. @param {Id} me @param {readonly Id[]} members @param {State} state */
  static load(me, members, state) {
    const node = new BullyNode(me, members);
    checkState(state, (id) => members.includes(id), node.#others);
    const { role, leader, epoch, grantee, support } = state;
    node._state = { role, leader, epoch, grantee, support: [...new Set(support)].sort(compareIds) };
    return node;
  }

  /** The state of section 6; not to be changed. */
  get state() { return this._state; }

  /** R30: its own lease keeps it silent. @protected @param {State} before @returns {Step} */
  _restarted(before) {
    return this._take(before, [], [but(before, { role: "electing", leader: this._me }), this._toAll(before, "IM_BACK")]);
  }

  /** R33, R34: a message has arrived; anything at all may be given. @param {unknown} value @returns {Step|Ignored} */
  receive(value) {
    const fault = malformed(value);
    if (fault) return this._ignored("R33", `malformed: ${fault}`);
    const m = /** @type {Message} */ (value);
    if (m.to !== this._me) return this._ignored("R34", "the message is not for this node");
    if (!this.#others.includes(m.from)) return this._ignored("R34", "the sender is not a member");
    if (m.configuration !== undefined) return this._ignored("R34", "the sender's members change");
    const outcome = this._heard(this._state, m);
    return outcome ? this._take(this._state, this.timers(), outcome) : this._ignored("R34", "the type is unknown");
  }

  /** R35: a timer has ended, whether it runs or not. @param {unknown} name @returns {Step|Ignored} */
  end(name) {
    const running = this.timers();
    const timer = running.find((t) => t === name);
    if (!timer) return this._ignored("R35", "the timer does not run");
    return this._take(this._state, running, this._ended(this._state, timer), [timer]);
  }

  /** R28, R41: its user asks it to resign, or its host says that its holder is dead. @param {unknown} name @returns {Step|Ignored} */
  call(name) {
    const s = this._state;
    if (name === "resign") {
      if (s.role !== "leader") return this._ignored("R28", "it does not lead");
      return this._take(s, this.timers(), [rest(unbound(s)), this._toAll(s, "RESIGN")]);
    }
    if (name !== "holder-dead") return this._ignored("R28, R41", "the call is none");
    if (!shields(s, this._me)) return this._ignored("R41", "it keeps the lease of no other node");
    return this._take(s, this.timers(), [release(s, s.leader), []]);
  }

  /** R36: the timers that run. @param {State} s @returns {Timer[]} */
  timers(s = this._state) {
    switch (s.role) {
      case "follower": return s.leader !== null && this._outranks(this._me, s.leader, s) ? ["heartbeat", "preempt"] : ["heartbeat"];
      case "candidate": return ["election"];
      case "electing": return ["coordinator"];
      case "claimant": return ["claim"];
      case "leader": return ["quorum", "beat"];
    }
  }

  /** R36: does a timer that ran, and runs on, begin anew, though it has not ended? @param {Timer} timer @param {State} before @param {Message[]} sent */
  #restarts(timer, before, sent) {
    switch (timer) {
      case "heartbeat": return sent.some((m) => m.type === "ACK");
      case "preempt": return this._state.leader !== before.leader || this._state.epoch !== before.epoch;
      case "coordinator": return sent.some((m) => m.type === "GRANT");
      default: return false;
    }
  }

  /** R39: what users may be told. @param {State} s @returns {Told} */
  told(s = this._state) {
    const named = s.role === "leader" || s.role === "follower";
    return named && s.leader !== null ? { leader: s.leader, epoch: s.epoch } : { leader: null, epoch: 0 };
  }

  /**
   * Section 10: what the host must do. The timers of `anew` begin anew if they run on: the one that has ended.
   * @protected @param {State} before @param {Timer[]} ran @param {Outcome} outcome @param {Timer[]} [anew] @returns {Step}
   */
  _take(before, ran, [state, sent], anew = []) {
    this._state = state;
    const { epoch, grantee, configuration } = state;
    const [runs, was, is] = [this.timers(), this.told(before), this.told()];
    /** @type {Effect[]} */
    const effects = [];
    const saved = epoch === before.epoch && grantee === before.grantee && configuration === before.configuration;
    if (!saved) effects.push({ save: promiseOf(state) }); // R4
    if (before.role === "leader" && state.role !== "leader") effects.push({ over: before.epoch });
    for (const cancel of ran) if (!runs.includes(cancel)) effects.push({ cancel });
    for (const arm of runs) if (!ran.includes(arm) || anew.includes(arm) || this.#restarts(arm, before, sent)) effects.push({ arm });
    for (const send of sent) effects.push({ send });
    if (is.leader !== was.leader || is.epoch !== was.epoch) effects.push({ tell: is });
    return { effects, state };
  }

  /** Section 11: no step. @protected @param {string} rule @param {string} why @returns {Ignored} */
  _ignored(rule, why) { return { ignored: `${why} (${rule})`, rule, state: this._state }; }

  /** What a message does; nothing at all if its type is unknown. @protected @param {State} s @param {Message} m @returns {Outcome|undefined} */
  _heard(s, m) {
    switch (m.type) {
      case "ELECTION": return this.#electionHeard(s, m);
      case "OK": return this.#okHeard(s, m);
      case "ASSENT": return this.#assentHeard(s, m);
      case "CLAIM": return this._claimHeard(s, m);
      case "GRANT": return this.#grantHeard(s, m);
      case "REFUSE": return this.#refuseHeard(s, m);
      case "COORDINATOR": case "HEARTBEAT": return this.#reignHeard(s, m);
      case "ACK": return this.#ackHeard(s, m);
      case "RESIGN": return this.#resignHeard(s, m);
      case "IM_BACK": return this.#imBackHeard(s, m);
    }
  }

  /** What the end of a running timer does. @protected @param {State} s @param {Timer} timer @returns {Outcome} */
  _ended(s, timer) {
    switch (timer) {
      case "heartbeat": return this.#ask(unbound(s)); // R8
      case "preempt": return this.#ask(s); // R9: it keeps the lease
      case "election": return this.#mayClaim(s) ? this.#claim(s) : [rest(s), []]; // R14
      case "coordinator": return this.#mayClaim(s) ? this.#claim(unbound(s)) : this.#ask(unbound(s)); // R15
      case "claim": return [rest(s), []]; // R22
      case "quorum": return this._isQuorum(s) ? [but(s, { support: [] }), []] : [rest(unbound(s)), []]; // R26
      case "beat": return [s, this._toAll(s, "HEARTBEAT")]; // R27
    }
  }

  /** @protected @param {Type} type @param {Id} to @param {number} epoch @returns {Message} */
  _message(type, to, epoch) {
    return { type, from: this._me, to, epoch };
  }
  /** A broadcast of a node in this state, in ascending order of ids. @protected @param {State} s @param {Type} type @param {number} [epoch] */
  _toAll(s, type, epoch = s.epoch) {
    return this.#others.map((to) => this._message(type, to, epoch));
  }
  /** R1: is a to lead rather than b, in this state? @protected @param {Id} a @param {Id} b @param {State} _s */
  _outranks(a, b, _s) {
    return compareIds(a, b) > 0;
  }
  /** R13: the highest of those who may lead. @protected @param {State} _s @returns {Id|undefined} */
  _highest(_s) {
    return this.#members[this.#members.length - 1];
  }
  /** R10: would this node grant the sender's claim? @protected @param {State} s @param {Message} m */
  _maySupport(s, { from }) {
    return s.leader === null || s.leader === from || (this._outranks(from, s.leader, s) && s.role !== "electing");
  }
  /** R3: are this node and its support a majority of the members? @protected @param {State} s */
  _isQuorum(s) {
    return 2 * (s.support.length + 1) > this.#members.length;
  }
  /** R8: asks who is there, and would follow it. @param {State} s @returns {Outcome} */
  #ask(s) {
    return [but(s, { role: "candidate", support: [] }), this._toAll(s, "ELECTION")];
  }
  /** R10, R11: ELECTION from a lower, or a higher, node. @param {State} s @param {Message} m @returns {Outcome} */
  #electionHeard(s, m) {
    const { from, epoch } = m;
    const t = learn(release(s, from), epoch);
    const lower = !this._outranks(from, this._me, t);
    const idle = t.role === "follower" && t.leader === null;
    const answer = (/** @type {Type} */ type) => this._message(type, from, t.epoch);
    if (lower && t.role === "leader") return [t, [answer("OK"), answer("COORDINATOR")]];
    if (!this._maySupport(t, m)) return [t, [answer("REFUSE")]];
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
    return u.role === "candidate" && this._me === this._highest(u) && this.#mayClaim(u) ? this.#claim(u) : [u, []];
  }
  /** R14: would a quorum follow it, and is there an epoch left (R2)? @param {State} s */
  #mayClaim(s) {
    return this._isQuorum(s) && s.epoch < MAX_EPOCH;
  }
  /** R16: asks for the next epoch; it promises it to itself only on winning. @param {State} s @returns {Outcome} */
  #claim(s) {
    const t = but(s, { role: "claimant", support: [] });
    return this.#mayWin(t) ? this._win(t) : [t, this._toAll(t, "CLAIM", nextEpoch(t))];
  }
  /** R17, R18: promises the epoch to c and keeps c's lease, or refuses. @protected @param {State} s @param {Message} m @returns {Outcome} */
  _claimHeard(s, { from: c, epoch: e }) {
    const leads = s.role === "leader";
    const handsOver = leads && this._outranks(c, this._me, s) && e > s.epoch;
    const grants = !leads && mayGrant(s, c, e) && !shields(s, c);
    if (!handsOver && !grants) return [s, [this._message("REFUSE", c, s.epoch)]];
    const sent = [this._message("GRANT", c, e), ...(handsOver ? this._toAll(s, "RESIGN") : [])];
    return [but(s, { role: "electing", leader: c, epoch: e, grantee: c, support: [] }), sent];
  }
  /** R19: a GRANT counts only for the epoch that this node claims. @param {State} s @param {Message} m @returns {Outcome} */
  #grantHeard(s, { from, epoch }) {
    if (s.role !== "claimant" || epoch !== nextEpoch(s)) return [learn(s, epoch), []];
    const t = backedBy(release(s, from), from);
    return this.#mayWin(t) ? this._win(t) : [t, []];
  }
  /** R20: a quorum has promised it the epoch, and it keeps no lease. @param {State} s */
  #mayWin(s) {
    return this._isQuorum(s) && s.leader === null;
  }
  /** R20: promises the epoch to itself, and leads it. @protected @param {State} s @returns {Outcome} */
  _win(s) {
    const epoch = nextEpoch(s);
    return [but(s, { role: "leader", leader: this._me, epoch, grantee: this._me, support: [] }), this._toAll(s, "COORDINATOR", epoch)];
  }
  /** R21: tells a claimant that its epoch went to another, so it rests, then learns. @param {State} s @param {Message} m @returns {Outcome} */
  #refuseHeard(s, { epoch }) {
    return [learn(s.role === "claimant" && epoch > s.epoch ? rest(s) : s, epoch), []];
  }
  /** R23, R24: COORDINATOR and HEARTBEAT: follows the sender, or refuses what is stale. @param {State} s @param {Message} m @returns {Outcome} */
  #reignHeard(s, { from, epoch }) {
    if (epoch < s.epoch) return [s, [this._message("REFUSE", from, s.epoch)]];
    const ack = [this._message("ACK", from, epoch)];
    const preempts = (s.role === "candidate" || s.role === "claimant") && s.leader === from && s.epoch === epoch;
    if (preempts) return [s, ack];
    const grantee = epoch > s.epoch || s.grantee === null ? from : s.grantee;
    return [but(s, { role: "follower", leader: from, epoch, grantee, support: [] }), ack];
  }
  /** R25: an ACK of another reign says nothing of this one. @param {State} s @param {Message} m @returns {Outcome} */
  #ackHeard(s, { from, epoch }) {
    return [s.role === "leader" && epoch === s.epoch ? backedBy(s, from) : learn(s, epoch), []];
  }
  /** R29: a claimant asks again those who may have refused for the old leader's sake. @param {State} s @param {Message} m @returns {Outcome} */
  #resignHeard(s, { from }) {
    const t = release(s, from);
    if (t.role !== "claimant") return [t, []];
    if (this.#mayWin(t)) return this._win(t);
    return [t, this._toAll(t, "CLAIM", nextEpoch(t)).filter(({ to }) => !t.support.includes(to))];
  }
  /** R31: the sender has forgotten whatever it led. @param {State} s @param {Message} m @returns {Outcome} */
  #imBackHeard(s, { from, epoch }) {
    const t = learn(release(s, from), epoch);
    return [t, t.role === "leader" ? [this._message("COORDINATOR", from, t.epoch)] : []];
  }
}
