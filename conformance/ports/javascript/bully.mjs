// One node of the bully election, as spec/README.md says it: what it does (section 8), which timers run (section 9), and what its host must do
// after each step, in order (section 10). It reads no clock, draws no lots, writes and sends nothing, and runs in Node and in a browser. Its members are
// those of a configuration; fixed members are one that never changes, so no rule asks which of the two they are.

import { configurationOf, configurationUpTo, differing, fixedOf, highest, isElector, isFirst, isMember, isQuorum, isVoter, newer, outranks, same } from "./configuration.mjs";
import { MAX_EPOCH, TYPES, checkPromise, checkState, compareIds, isHold, isId, malformed, promiseOf } from "./forms.mjs";
import {
  adopt, answeredBy, asks, backedBy, become, bound, but, claims, configured, freed, learn, learnIfFree, mayGrant, nextEpoch, numbered, release, rest, shields, stamped,
  survives, unbound,
} from "./state.mjs";
import { beginsAnew, timersOf } from "./timers.mjs";

/** @import { Configuration } from "./configuration.mjs" */
/** @import { Id, Type, Message, Promised, State } from "./forms.mjs" */
/** @import { Timer } from "./timers.mjs" */
/** @typedef {{leader: Id|null, epoch: number}} Told  What users may be told (R39). */
/** @typedef {{save: Promised}|{over: number}|{cancel: Timer}|{arm: Timer}|{send: Message}|{tell: Told}} Effect */
/** @typedef {{effects: Effect[], state: State}} Step  What the host must do, in this order, and the state after. */
/** @typedef {{node: BullyNode} & Step} Started */
/** @typedef {{ignored: string, rule: string, state: State}} Ignored  No step: why, and the rule to count it under. */
/** @typedef {[State, Message[]]} Outcome  What a rule says: the state after, and what is sent, first sent first. */

const ASKS = ["ELECTION", "CLAIM", "COORDINATOR", "HEARTBEAT", "IM_BACK"];

export class BullyNode {
  /** @type {Id} */ #me;
  /** Fixed members, which no state, record or message says. @type {Configuration|undefined} */ #fixed;
  /** @type {State} */ #state;

  /** Use `start`, `restart` or `load`. @param {Id} me @param {readonly Id[]|Configuration} known */
  constructor(me, known) {
    if (!isId(me)) throw new TypeError("me: give an id (R1)");
    const configuration = Array.isArray(known) ? undefined : configurationOf(known);
    this.#me = me;
    this.#fixed = Array.isArray(known) ? fixedOf(me, known) : undefined;
    this.#state = survives({ epoch: 0, grantee: null, reserved: 0, ...(configuration && { configuration }) });
  }

  /** R32, R49: the first start in its life: of fixed members, or of a first configuration, or, if that is EMPTY, of a node that is to join. @param {Id} me @param {readonly Id[]|Configuration} known @returns {Started} */
  static start(me, known) {
    const node = new BullyNode(me, known);
    const { configuration } = node.state;
    if (configuration && !isFirst(configuration, me)) throw new TypeError("configuration: the first has `me` as a member, epoch 0 and version 1 (R49)");
    const arms = node.timers().map((arm) => ({ arm }));
    return { node, effects: [{ save: promiseOf(node.state) }, ...arms], state: node.state };
  }

  /** R30, R49: a start with what the disk has kept; `known` is the fixed members, else EMPTY. @param {Id} me @param {readonly Id[]|Configuration} known @param {any} promise @returns {Started} */
  static restart(me, known, promise) {
    const node = new BullyNode(me, known);
    checkPromise(promise, node.#isNode);
    const { epoch, grantee, reserved } = promise;
    const before = survives({ epoch, grantee, reserved, ...node.#configured(promise) });
    const step = node.#take(before, [], [but(before, { role: "electing", leader: me }), node.#toAll(before, "IM_BACK")]);
    return { node, effects: [{ save: promiseOf(node.state) }, ...step.effects], state: step.state };
  }

  /** A node that has come to this state: for tests and pages. @param {Id} me @param {readonly Id[]|Configuration} known @param {any} state */
  static load(me, known, state) {
    const node = new BullyNode(me, known);
    const configured = state ? node.#configured(state) : {};
    checkState(state, node.#isNode, (id) => id !== me && isMember(node.#conf(configured), id));
    const { role, leader, lease, epoch, grantee, support, asked, latest, dated, answered } = state;
    const leads = role === "leader" && { dated, answered: answered.toSorted((/** @type {any} */ a, /** @type {any} */ b) => compareIds(a.node, b.node)) };
    node.#state = { role, leader, lease, epoch, grantee, support: [...new Set(support)].sort(compareIds), asked, latest, ...leads, ...configured };
    return node;
  }

  /** The state of section 6; not to be changed. */
  get state() { return this.#state; }

  /** Who are the members, for who is in this state or has sent this message. @param {{configuration?: Configuration}} of @returns {Configuration} */
  #conf({ configuration }) {
    return configuration ?? /** @type {Configuration} */ (this.#fixed);
  }
  /** May it be a grantee, or have led? Where members change, it may have been removed. @type {(id: any) => boolean} */
  #isNode = (id) => (this.#fixed ? isMember(this.#fixed, id) : isId(id));
  /** The configuration of a record, a state or a message: what it has, and this node must have too. @param {{epoch: number, configuration?: any}} of @returns {{configuration?: Configuration}} */
  #configured({ epoch, configuration }) {
    if (this.#fixed && configuration === undefined) return {};
    if (this.#fixed) throw new TypeError("configuration: members are fixed");
    return { configuration: configurationUpTo(epoch, configuration) };
  }

  /** R33, R34: a message has arrived; anything at all may be given. Where members change a non-member's is for R44. @param {any} value @returns {Step|Ignored} */
  receive(value) {
    const fault = malformed(value);
    if (fault) return this.#ignored("R33", `malformed: ${fault}`);
    const { type, from, to, epoch } = value;
    if (to !== this.#me) return this.#ignored("R34", "the message is not for this node");
    if (!TYPES.includes(type)) return this.#ignored("R34", "the type is unknown");
    if ((value.configuration === undefined) !== (this.#fixed !== undefined)) return this.#ignored("R34", "one of the two has fixed members, the other changing ones");
    if (this.#fixed && !isMember(this.#fixed, from)) return this.#ignored("R34", "the sender is not a member");
    let m = value;
    try {
      if (!this.#fixed) m = { ...value, configuration: configurationUpTo(epoch, value.configuration) };
    } catch (e) {
      return this.#ignored("R33", `malformed: ${e.message}`);
    }
    return this.#take(this.#state, this.timers(), this.#heard(this.#state, m));
  }

  /** R35: a timer has ended, whether it runs or not. @param {unknown} name @returns {Step|Ignored} */
  end(name) {
    const running = this.timers();
    const timer = running.find((t) => t === name);
    if (!timer) return this.#ignored("R35", "the timer does not run");
    return this.#take(this.#state, running, this.#ended(this.#state, timer), [timer]);
  }

  /**
   * R28, R41, R47: its user asks it to resign or to change the configuration, or its host says that its holder is dead. R51: who resigns may name
   * who is to stand first, and for how many milliseconds that one is to be left in peace.
   * @param {unknown} name @param {any} [configuration] @param {{names?: any, hold?: any}} [naming] @returns {Step|Ignored}
   */
  call(name, configuration, naming = {}) {
    const s = this.#state;
    switch (name) {
      case "resign":
        return this.#resignAsked(s, naming);
      case "holder-dead":
        return shields(s, this.#me) ? this.#take(s, this.timers(), [freed(s), []]) : this.#ignored("R41", "it keeps the lease of no other node");
      case "change":
        return this.#changeAsked(s, configuration);
    }
    return this.#ignored("R28, R41", "the call is none");
  }

  /** R28, R51. @param {State} s @param {{names?: any, hold?: any}} naming @returns {Step|Ignored} */
  #resignAsked(s, { names, hold = 0 }) {
    if (s.role !== "leader") return this.#ignored("R28", "it does not lead");
    const isNaming = names !== undefined;
    if (isNaming && !this.#mayName(s, names, hold)) return this.#ignored("R51", "who is named is no other voter, or the hold is none");
    const naming = isNaming && { names, ...(hold > 0 && { hold }) };
    return this.#take(s, this.timers(), [rest(unbound(s)), this.#toAll(s, "RESIGN").map((told) => ({ ...told, ...naming }))]);
  }

  /** R36, R46: the timers that run. @param {State} s @returns {Timer[]} */
  timers(s = this.#state) {
    return timersOf(s, this.#me, this.#conf(s));
  }

  /** R39: what users may be told. @param {State} s @returns {Told} */
  told(s = this.#state) {
    const named = s.role === "leader" || s.role === "follower";
    return named && s.leader !== null ? { leader: s.leader, epoch: s.epoch } : { leader: null, epoch: 0 };
  }

  /**
   * Section 10: what the host must do. The timers of `anew` begin anew if they run on: the one that has ended.
   * What is sent carries the configuration after the step (R43).
   * @param {State} before @param {Timer[]} ran @param {Outcome} outcome @param {Timer[]} [anew] @returns {Step}
   */
  #take(before, ran, [state, said], anew = []) {
    this.#state = state;
    const { epoch, grantee, configuration } = state;
    const [kept, promise] = [promiseOf(before), promiseOf(state)];
    const sent = configuration ? said.map((m) => ({ ...m, configuration })) : said;
    const [runs, was, is] = [this.timers(), this.told(before), this.told()];
    /** @type {Effect[]} */
    const effects = [];
    const saved = epoch === kept.epoch && grantee === kept.grantee && promise.reserved === kept.reserved && configuration === kept.configuration;
    if (!saved) effects.push({ save: promise }); // R4
    if (before.role === "leader" && state.role !== "leader") effects.push({ over: before.epoch });
    for (const cancel of ran) if (!runs.includes(cancel)) effects.push({ cancel });
    for (const arm of runs) if (!ran.includes(arm) || anew.includes(arm) || beginsAnew(arm, before, state, sent)) effects.push({ arm });
    for (const send of sent) effects.push({ send });
    if (is.leader !== was.leader || is.epoch !== was.epoch) effects.push({ tell: is });
    return { effects, state };
  }

  /** Section 11: no step. @param {string} rule @param {string} why @returns {Ignored} */
  #ignored(rule, why) { return { ignored: `${why} (${rule})`, rule, state: this.#state }; }

  /** R43, R44: the configuration of a message is looked at first, and then whether both are members. @param {State} s @param {Message} m @returns {Outcome} */
  #heard(s, m) {
    const theirs = this.#conf(m);
    const t = newer(theirs, this.#conf(s)) ? adopt(s, theirs) : s;
    const known = this.#conf(t);
    if (!isMember(known, this.#me) || !isMember(known, m.from)) return this.#outsideHeard(t, m);
    return this.#memberHeard(t, m);
  }
  /** R44: who is no member hears of the newest configuration, if it asks with an older one. @param {State} s @param {Message} m @returns {Outcome} */
  #outsideHeard(s, m) {
    const isTold = ASKS.includes(m.type) && newer(this.#conf(s), this.#conf(m));
    return [s, isTold ? [this.#answer(m, "REFUSE", s.epoch)] : []];
  }
  /** What a message of a member does. @param {State} s @param {Message} m @returns {Outcome} */
  #memberHeard(s, m) {
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
      case "patience": return this.#askOrSay(unbound(s)); // R8
      case "preempt": return this.#ask(s); // R9: it keeps the lease
      case "election": return this.#mayClaim(s) ? this.#claim(s) : [rest(s), []]; // R14
      case "coordinator": // R15
        return this.#mayClaim(s) && isVoter(this.#conf(s), this.#me) ? this.#claim(unbound(s)) : this.#askOrSay(unbound(s));
      case "claim": return [rest(s), []]; // R22
      case "reign": return [rest(unbound(s)), []]; // R26
      case "heartbeat": { // R27
        const t = this.#dated(numbered(s));
        return [t, this.#toAll(t, "HEARTBEAT")];
      }
    }
  }

  /** @param {Type} type @param {Id} to @param {number} epoch @param {number} question @returns {Message} */
  #message(type, to, epoch, question) {
    return { type, from: this.#me, to, epoch, question };
  }
  /** R50: an answer says which question it answers. @param {Message} m @param {Type} type @param {number} epoch */
  #answer(m, type, epoch) {
    return this.#message(type, m.from, epoch, m.question);
  }
  /** R46: votes are asked of electors; all else is said to all members, in ascending order of ids. @param {State} s @param {Type} type @param {number} [epoch] */
  #toAll(s, type, epoch = s.epoch) {
    const votes = type === "ELECTION" || type === "CLAIM";
    const to = this.#conf(s).members.filter(({ id, kind }) => id !== this.#me && !(votes && kind === "observer"));
    const keeps = type === "ELECTION" && { keeps: s.leader };
    return to.map(({ id }) => ({ ...this.#message(type, id, epoch, s.latest), ...keeps }));
  }
  /** @param {Id} a @param {Id} b @param {State} s */
  #outranks(a, b, s) {
    return outranks(this.#conf(s), a, b);
  }
  /** R3, R42: are this node and these, its support if none are given, a majority of the electors? @param {State} s @param {readonly Id[]} [others] */
  #isQuorum(s, others = s.support) {
    return isQuorum(this.#conf(s), [this.#me, ...others]);
  }
  /** R45: an elector votes for a voter, if both have the same configuration. @param {State} s @param {Message} m */
  #mayVote(s, m) {
    const known = this.#conf(s);
    return isElector(known, this.#me) && isVoter(known, m.from) && same(known, this.#conf(m));
  }
  /** R10: would this node grant the sender's claim? @param {State} s @param {Message} m */
  #maySupport(s, m) {
    const free = s.leader === null || s.leader === m.from || (this.#outranks(m.from, s.leader, s) && s.role !== "electing" && m.keeps === s.leader);
    return free && this.#mayVote(s, m);
  }
  /** R46: a voter asks. Any other rests, and a member says that it does not lead: whoever does may say so. @param {State} s @returns {Outcome} */
  #askOrSay(s) {
    if (isVoter(this.#conf(s), this.#me)) return this.#ask(s);
    return [rest(s), isMember(this.#conf(s), this.#me) ? this.#toAll(s, "IM_BACK") : []];
  }
  /** R8: asks who is there, and would follow it. @param {State} s @returns {Outcome} */
  #ask(s) {
    const t = asks(s, "candidate");
    return [t, this.#toAll(t, "ELECTION")];
  }
  /** R10, R11: ELECTION from a lower, or a higher, node. @param {State} s @param {Message} m @returns {Outcome} */
  #electionHeard(s, m) {
    const { from, epoch } = m;
    const t = learnIfFree(release(s, from, m.question), this.#me, epoch);
    const lower = !this.#outranks(from, this.#me, t);
    const idle = t.role === "follower" && t.leader === null;
    const answer = (/** @type {Type} */ type) => this.#answer(m, type, t.epoch);
    if (lower && t.role === "leader") return [t, [answer("OK"), this.#message("COORDINATOR", from, t.epoch, t.latest)]];
    if (!this.#maySupport(t, m)) return [t, [answer("REFUSE")]];
    if (lower) {
      const [u, sent] = idle ? this.#ask(t) : [t, []];
      return [u, [answer("OK"), ...sent]];
    }
    return [idle || t.role === "candidate" ? become(t, "electing") : t, [answer("ASSENT")]]; // a claimant is firm
  }
  /** R12: somebody better has it in hand. @param {State} s @param {Message} m @returns {Outcome} */
  #okHeard(s, { from, epoch, question }) {
    const t = learnIfFree(s, this.#me, epoch);
    const isAsked = (t.role === "candidate" || t.role === "electing") && question === t.asked;
    return [isAsked ? but(backedBy(t, from), { role: "electing" }) : t, []];
  }
  /** R13: who is lower would grant; the highest member waits for nobody better. @param {State} s @param {Message} m @returns {Outcome} */
  #assentHeard(s, { from, epoch, question }) {
    const t = learnIfFree(s, this.#me, epoch);
    if ((t.role !== "candidate" && t.role !== "electing") || question !== t.asked) return [t, []];
    const u = backedBy(t, from);
    return u.role === "candidate" && this.#me === highest(this.#conf(u)) && this.#mayClaim(u) ? this.#claim(u) : [u, []];
  }
  /** R14: would a quorum follow it, and is there an epoch left (R2)? @param {State} s */
  #mayClaim(s) {
    return this.#isQuorum(s) && s.epoch < MAX_EPOCH;
  }
  /** R16: asks for the next epoch; it promises it to itself only on winning. R51: who was named says by whom. @param {State} s @param {Id} [names] @returns {Outcome} */
  #claim(s, names) {
    const t = asks(s, "claimant");
    return this.#mayWin(t) ? this.#win(t) : [t, this.#toAll(t, "CLAIM", nextEpoch(t)).map((told) => (names ? { ...told, names } : told))];
  }
  /** R51: may a leader name k? @param {State} s @param {any} k @param {any} hold */
  #mayName(s, k, hold) {
    return isId(k) && k !== this.#me && isVoter(this.#conf(s), k) && isHold(hold);
  }
  /** R51: is it to claim, having been released by this RESIGN? @param {State} s @param {Message} m */
  #isNamed(s, m) {
    const isIdle = s.role === "follower" && s.leader === null && m.epoch === s.epoch && s.epoch < MAX_EPOCH;
    return m.names === this.#me && isIdle && isVoter(this.#conf(s), this.#me) && same(this.#conf(s), this.#conf(m));
  }
  /** R51: is its lease one of the reign in which the sender of a CLAIM was named, or of an earlier one? @param {State} s @param {Message} m */
  #hasEnded(s, { names, epoch }) {
    return names !== undefined && names !== this.#me && s.leader === names && s.epoch < epoch;
  }
  /** R17, R18, R45: promises the epoch to c and keeps c's lease, or refuses. @param {State} before @param {Message} m @returns {Outcome} */
  #claimHeard(before, m) {
    const { from: c, epoch: e } = m;
    const s = this.#hasEnded(before, m) ? freed(before) : before;
    const leads = s.role === "leader";
    const handsOver = leads && this.#outranks(c, this.#me, s) && e > s.epoch;
    const rivals = claims(s, e) && !this.#outranks(c, this.#me, s); // of two that claim an epoch the better goes on
    const grants = !leads && mayGrant(s, c, e) && !shields(s, c) && !rivals;
    if (!(handsOver || grants) || !this.#mayVote(s, m)) return [s, [this.#answer(m, "REFUSE", s.epoch)]];
    const granted = { by: c, epoch: e, question: m.question };
    const resigns = handsOver ? this.#toAll(s, "RESIGN").map((told) => ({ ...told, granted })) : [];
    return [but(bound(become(s, "electing"), c, m.question), { epoch: e, grantee: c }), [this.#answer(m, "GRANT", e), ...resigns]];
  }
  /** R19: a GRANT counts only for the claim that this node makes now. @param {State} s @param {Message} m @returns {Outcome} */
  #grantHeard(s, { from, epoch, question }) {
    if (s.role !== "claimant" || epoch !== nextEpoch(s) || question !== s.asked) return [learnIfFree(s, this.#me, epoch), []];
    const t = backedBy(s.leader === from ? unbound(s) : s, from);
    return this.#mayWin(t) ? this.#win(t) : [t, []];
  }
  /** R20: a quorum has promised it the epoch, and it keeps no lease. @param {State} s */
  #mayWin(s) {
    return this.#isQuorum(s) && s.leader === null;
  }
  /** R20, R48: promises the epoch to itself, and leads it. @param {State} s @returns {Outcome} */
  #win(s) {
    const epoch = nextEpoch(s);
    const answered = s.support.map((node) => ({ node, question: s.asked }));
    const t = but(become(s, "leader"), { leader: this.#me, epoch, grantee: this.#me, dated: s.asked, answered });
    return [stamped(t), this.#toAll(s, "COORDINATOR", epoch)];
  }
  /** R21: tells a claimant that its epoch went to another, so it rests, then learns. @param {State} s @param {Message} m @returns {Outcome} */
  #refuseHeard(s, { epoch, question }) {
    if (s.role === "claimant" && question === s.asked && epoch > s.epoch) return [learn(rest(s), epoch), []];
    return [learnIfFree(s, this.#me, epoch), []];
  }
  /** R23, R24: COORDINATOR and HEARTBEAT: follows the sender, or refuses what is stale. @param {State} s @param {Message} m @returns {Outcome} */
  #reignHeard(s, m) {
    const { from, epoch, question } = m;
    if (epoch < s.epoch) return [s, [this.#answer(m, "REFUSE", s.epoch)]];
    const ack = [this.#answer(m, "ACK", epoch)];
    const preempts = (s.role === "candidate" || s.role === "claimant") && s.leader === from && s.epoch === epoch;
    if (preempts) return [bound(s, from, question), ack];
    const grantee = epoch > s.epoch || s.grantee === null ? from : s.grantee;
    return [but(bound(become(s, "follower"), from, question), { epoch, grantee }), ack];
  }
  /** R25: an ACK of another reign, or of what was not asked, says nothing of this one. @param {State} s @param {Message} m @returns {Outcome} */
  #ackHeard(s, m) {
    const { from, epoch, question } = m;
    if (s.role !== "leader" || epoch !== s.epoch || question > s.latest) return [learnIfFree(s, this.#me, epoch), []];
    const t = answeredBy(s, from, question);
    return [this.#dated(same(this.#conf(m), this.#conf(s)) ? backedBy(t, from) : t), []];
  }
  /** R26: dates the reign from the latest question that a quorum has answered; never back. @param {State} s */
  #dated(s) {
    if (this.#isQuorum(s, [])) return but(s, { dated: s.latest });
    const { dated = 0, answered = [] } = s;
    const since = (/** @type {number} */ n) => answered.filter(({ question }) => question >= n).map(({ node }) => node);
    const settled = answered.map(({ question }) => question).filter((n) => n > dated && this.#isQuorum(s, since(n)));
    return but(s, { dated: Math.max(dated, ...settled) });
  }
  /** R29: who succeeds is granted at once; a claimant asks again those who may have refused for the old leader's sake. @param {State} s @param {Message} m @returns {Outcome} */
  #resignHeard(s, { granted, ...m }) {
    const t = release(s, m.from, m.question);
    if (s.leader === m.from && this.#isNamed(t, m)) return this.#claim(t, m.from);
    if (granted) {
      const { by: from, epoch, question } = granted;
      /** @type {Message} */
      const claim = { ...m, type: "CLAIM", from, epoch, question };
      if (this.#succeeds(t, claim)) return this.#claimHeard(t, claim);
    }
    if (t.role !== "claimant") return [t, []];
    if (this.#mayWin(t)) return this.#win(t);
    const again = this.#toAll(t, "CLAIM", nextEpoch(t)).filter(({ to }) => !t.support.includes(to));
    return [t, again.map((told) => ({ ...told, question: t.asked }))];
  }
  /** R29: is a claim that the sender of a RESIGN has granted answered as if it had been heard? @param {State} s @param {Message} claim */
  #succeeds(s, claim) {
    if (claim.from === this.#me || s.leader !== null || !this.#mayVote(s, claim)) return false;
    return s.role === "follower" || s.role === "electing" || (s.role === "candidate" && this.#outranks(claim.from, this.#me, s));
  }
  /** R31: the sender has forgotten whatever it led. @param {State} s @param {Message} m @returns {Outcome} */
  #imBackHeard(s, { from, epoch, question }) {
    const t = learnIfFree(release(s, from, question), this.#me, epoch);
    return [t, t.role === "leader" ? [this.#message("COORDINATOR", from, t.epoch, t.latest)] : []];
  }
  /** R47: its user asks for another configuration. @param {State} s @param {any} value @returns {Step|Ignored} */
  #changeAsked(s, value) {
    let c;
    try {
      c = configurationOf(value);
    } catch (e) {
      return this.#ignored("R47", e.message);
    }
    const why = this.#mayNotChange(s, c);
    return why ? this.#ignored("R47", why) : this.#take(s, this.timers(), this.#change(s, c), ["heartbeat"]);
  }
  /** R47: why a change is no step, or nothing. @param {State} s @param {Configuration} c */
  #mayNotChange(s, c) {
    if (s.role !== "leader") return "it does not lead";
    if (this.#fixed) return "its members are fixed";
    if (c.epoch !== s.epoch || c.version !== this.#conf(s).version + 1) return "the configuration is not of this reign, or not the next one";
    if (!this.#isQuorum(s)) return "the present configuration is not settled";
    if (differing(this.#conf(s), c).length !== 1) return "not exactly one member differs";
    return isElector(c, this.#me) ? "" : "the leader would be no elector";
  }
  /** R47: all who are members before or after hear of it. @param {State} s @param {Configuration} c @returns {Outcome} */
  #change(s, c) {
    const told = new Set([...this.#conf(s).members, ...c.members].map(({ id }) => id));
    told.delete(this.#me);
    const t = this.#dated(numbered(configured(s, c)));
    return [t, [...told].sort(compareIds).map((to) => this.#message("HEARTBEAT", to, t.epoch, t.latest))];
  }
}
