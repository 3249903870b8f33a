// One node of a cluster whose members come and go: section 18 of spec/README.md, R42 to R49. It is a BullyNode that has the members of its configuration,
// which it saves, sends, and takes over from whoever has a newer one. What is here replaces what BullyNode does; all else stays as it is.

import { BullyNode, but, learn, rest, survives, unbound } from "./bully.mjs";
import { EMPTY, at, configurationOf, differing, isElector, isMember, isVoter, newer, same } from "./configuration.mjs";
import { TYPES, checkPromise, checkState, compareIds, isId, malformed, promiseOf } from "./forms.mjs";

/** @import { Configuration } from "./configuration.mjs" */
/** @import { Id, Message, Promised, State, Type } from "./forms.mjs" */
/** @import { Ignored, Outcome, Started, Step, Timer } from "./bully.mjs" */

const ANSWERS = ["OK", "ASSENT", "GRANT", "ACK"];
const ASKS = ["ELECTION", "CLAIM", "COORDINATOR", "HEARTBEAT", "IM_BACK"];

/** R43: takes over a newer configuration; support that was given in the older one says nothing of it. @param {State} s @param {Configuration} configuration */
function adopt(s, configuration) {
  const t = s.role === "candidate" || s.role === "claimant" ? rest(s) : s;
  return but(learn(t, configuration.epoch), { support: [], configuration });
}

export class ChangingNode extends BullyNode {
  /** Use `start`, `restart` or `load`. @param {Id} me @param {Configuration} configuration */
  constructor(me, configuration) {
    super(me, [me]);
    this._state = survives({ epoch: 0, grantee: null, configuration });
  }

  /** R49: the first start: of one of the first members, or of a node that is to join. @param {Id} me @param {any} [first] @returns {Started} */
  static start(me, first = EMPTY) {
    const configuration = configurationOf(first);
    const { epoch, version, members } = configuration;
    const isFirst = members.length === 0 || (epoch === 0 && version === 1 && isMember(configuration, me));
    if (!isFirst) throw new TypeError("configuration: the first has `me` as a member, epoch 0 and version 1 (R49)");
    const node = new ChangingNode(me, configuration);
    const arms = node.timers().map((arm) => ({ arm }));
    return { node, effects: [{ save: promiseOf(node.state) }, ...arms], state: node.state };
  }

  /** R30, R49: a start with what the disk has kept. @param {Id} me @param {any} promise @returns {Started} */
  static restart(me, promise) {
    checkPromise(promise, isId);
    const { epoch, grantee } = promise;
    const configuration = configurationUpTo(epoch, promise.configuration);
    const node = new ChangingNode(me, configuration);
    return { node, ...node._restarted(survives({ epoch, grantee, configuration })) };
  }

  /** A node that has come to this state: for tests and pages. @param {Id} me @param {any} state */
  static load(me, state) {
    const configuration = configurationUpTo(state?.epoch, state?.configuration);
    const node = new ChangingNode(me, configuration);
    const others = configuration.members.map(({ id }) => id).filter((id) => id !== me);
    checkState(state, isId, others);
    const { role, leader, epoch, grantee, support } = state;
    node._state = { role, leader, epoch, grantee, support: [...new Set(support)].sort(compareIds), configuration };
    return node;
  }

  /** R33, R34: a message has arrived; a stranger's is for R44. @param {any} value @returns {Step|Ignored} */
  receive(value) {
    const fault = malformed(value);
    if (fault) return this._ignored("R33", `malformed: ${fault}`);
    if (value.to !== this._me || value.from === this._me) return this._ignored("R34", "the message is not for this node, or is its own");
    if (!TYPES.includes(value.type)) return this._ignored("R34", "the type is unknown");
    if (value.configuration === undefined) return this._ignored("R34", "the sender's members are fixed");
    let configuration;
    try {
      configuration = configurationUpTo(value.epoch, value.configuration);
    } catch (e) {
      return this._ignored("R33", `malformed: ${e.message}`);
    }
    const outcome = /** @type {Outcome} */ (this._heard(this._state, { ...value, configuration }));
    return this._take(this._state, this.timers(), outcome);
  }

  /** R28, R41; R47: its user asks it to change the configuration. @param {unknown} name @param {any} [configuration] @returns {Step|Ignored} */
  call(name, configuration) {
    if (name !== "change") return super.call(name);
    const s = this._state;
    let c;
    try {
      c = configurationOf(configuration);
    } catch (e) {
      return this._ignored("R47", e.message);
    }
    const why = this.#mayNotChange(s, c);
    return why ? this._ignored("R47", why) : this._take(s, this.timers(), this.#change(s, c), ["quorum", "beat"]);
  }

  /** R46: who is no member waits only for a lease to end; who may not stand pre-empts nobody. @param {State} s @returns {Timer[]} */
  timers(s = this._state) {
    if (s.role === "follower" && s.leader === null && !isMember(conf(s), this._me)) return [];
    const runs = super.timers(s);
    return isVoter(conf(s), this._me) ? runs : runs.filter((t) => t !== "preempt");
  }

  /** R43, R44: the configuration of a message is looked at first, and then whether both are members. @param {State} s @param {Message} m */
  _heard(s, m) {
    const theirs = conf(m);
    const t = newer(theirs, conf(s)) ? adopt(s, theirs) : s;
    if (!isMember(conf(t), this._me) || !isMember(conf(t), m.from)) return this.#outsideHeard(t, m);
    if (ANSWERS.includes(m.type) && !same(theirs, conf(t))) return [learn(t, m.epoch), []]; // R45: it does not count
    return super._heard(t, m);
  }

  /** R44: who is no member hears of the newest configuration, if it asks with an older one. @param {State} s @param {Message} m @returns {Outcome} */
  #outsideHeard(s, m) {
    const isTold = ASKS.includes(m.type) && newer(conf(s), conf(m));
    return [s, isTold ? [this._message("REFUSE", m.from, s.epoch)] : []];
  }

  /** R42: only electors count, itself among them if it is one. @param {State} s */
  _isQuorum(s) {
    const electors = conf(s).members.filter(({ kind }) => kind !== "observer");
    const votes = electors.filter(({ id }) => id === this._me || s.support.includes(id));
    return 2 * votes.length > electors.length;
  }

  /** R45: an elector votes for a voter, if both have the same configuration. @param {State} s @param {Message} m */
  #mayVote(s, m) {
    return isElector(conf(s), this._me) && isVoter(conf(s), m.from) && same(conf(s), conf(m));
  }
  /** R45: would this node grant the sender's claim? @param {State} s @param {Message} m */
  _maySupport(s, m) {
    return this.#mayVote(s, m) && super._maySupport(s, m);
  }
  /** R45: a claim for which it may not vote is refused. @param {State} s @param {Message} m @returns {Outcome} */
  _claimHeard(s, m) {
    return this.#mayVote(s, m) ? super._claimHeard(s, m) : [s, [this._message("REFUSE", m.from, s.epoch)]];
  }

  /** R46: is a to lead rather than b, which is lower, or may not lead at all? @param {Id} a @param {Id} b @param {State} s */
  _outranks(a, b, s) {
    return !isVoter(conf(s), b) || super._outranks(a, b, s);
  }
  /** R46: the highest voter. @param {State} s */
  _highest(s) {
    return conf(s).members.findLast(({ kind }) => kind === "voter")?.id;
  }
  /** R46: votes are asked of electors; all else is said to all members. @param {State} s @param {Type} type */
  _toAll(s, type, epoch = s.epoch) {
    const votes = type === "ELECTION" || type === "CLAIM";
    const to = conf(s).members.filter(({ id, kind }) => id !== this._me && !(votes && kind === "observer"));
    return to.map(({ id }) => this._message(type, id, epoch));
  }
  /** R46: whose patience ends, and who may not stand, rests; a member says that it does not lead. @param {State} s @param {Timer} timer @returns {Outcome} */
  _ended(s, timer) {
    const waited = timer === "heartbeat" || timer === "coordinator";
    if (!waited || isVoter(conf(s), this._me)) return super._ended(s, timer);
    const t = rest(unbound(s));
    return [t, isMember(conf(t), this._me) ? this._toAll(t, "IM_BACK") : []];
  }

  /** R47: why a change is no step, or nothing. @param {State} s @param {Configuration} c */
  #mayNotChange(s, c) {
    if (s.role !== "leader") return "it does not lead";
    if (c.epoch !== s.epoch || c.version !== conf(s).version + 1) return "the configuration is not of this reign, or not the next one";
    if (!this._isQuorum(s)) return "the present configuration is not settled";
    if (differing(conf(s), c).length !== 1) return "not exactly one member differs";
    return isElector(c, this._me) ? "" : "the leader would be no elector";
  }
  /** R47: all who are members before or after hear of it. @param {State} s @param {Configuration} c @returns {Outcome} */
  #change(s, c) {
    const told = new Set([...conf(s).members, ...c.members].map(({ id }) => id));
    told.delete(this._me);
    return [but(s, { support: [], configuration: c }), [...told].sort(compareIds).map((to) => this._message("HEARTBEAT", to, s.epoch))];
  }
  /** R48: the configuration of the winner is of the epoch that it has won. @param {State} s @returns {Outcome} */
  _win(s) {
    const [t, sent] = super._win(s);
    return [but(t, { configuration: at(conf(t), t.epoch) }), sent];
  }

  /** R43: what is sent carries the configuration after the step. @param {State} before @param {Timer[]} ran @param {Outcome} outcome @param {Timer[]} [anew] */
  _take(before, ran, [state, sent], anew) {
    const { configuration } = state;
    return super._take(before, ran, [state, sent.map((m) => ({ ...m, configuration }))], anew);
  }
}

/** Of a state or message of changing members. @param {{configuration?: Configuration}} has */
const conf = (has) => /** @type {Configuration} */ (has.configuration);

/** Section 18: a configuration is not of a later epoch than what it is part of. @param {number} epoch @param {any} value */
function configurationUpTo(epoch, value) {
  const configuration = configurationOf(value);
  if (configuration.epoch > epoch) throw new TypeError("configuration: its epoch is above that of the message, record or state");
  return configuration;
}
