// Members that come and go (R42 to R49): configurations, single steps, and a cluster that grows and shrinks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BullyNode } from "./bully.mjs";
import { asked, numbered } from "./numbers.mjs";
import { EMPTY, configurationOf, newer, same } from "./configuration.mjs";

const KINDS = { w: "witness", o: "observer" };

/** The configuration of "EPOCH.VERSION: MEMBERS", of voters, witnesses and observers: "3.2: 1 2 3w 4o". @param {string} text */
function conf(text) {
  const [, epoch, version, ids] = text.match(/^(\d+)\.(\d+): ?(.*)$/);
  const kind = (s) => KINDS[s.at(-1)] ?? "voter";
  const members = ids.split(" ").filter(Boolean).map((s) => ({ id: s.replace(/[wo]$/, ""), kind: kind(s) }));
  return { epoch: Number(epoch), version: Number(version), members };
}

const TEXT = ({ epoch, version, members }) =>
  `${epoch}.${version}: ${members.map(({ id, kind }) => id + (Object.keys(KINDS).find((k) => KINDS[k] === kind) ?? "")).join(" ")}`;

/** Node `me` in the state "role lease epoch grantee support", where - is none, and in this configuration. */
function at(me, text, configuration) {
  const [role, leader, epoch, grantee, support] = text.split(" ");
  const id = (s) => (s === "-" ? null : s);
  const state = { role, leader: id(leader), epoch: Number(epoch), grantee: id(grantee), support: support === "-" ? [] : support.split(",") };
  const c = conf(configuration);
  return BullyNode.load(me, EMPTY, { ...numbered(state, me, c.members.map(({ id: member }) => member)), configuration: c });
}

/** The step of "CLAIM 5 from 4: 3.2: 1 2", "end reign", "call resign" or "change 3.3: 1 2 4o". @param {BullyNode} node @param {string} me @param {string} input */
function step(node, me, input) {
  const [word, rest] = [input.split(" ")[0], input.slice(input.indexOf(" ") + 1)];
  if (word === "end") return node.end(rest);
  if (word === "call") return node.call(rest);
  if (word === "change") return node.call("change", conf(rest));
  const [, epoch, from, configuration] = rest.match(/^(\d+) from (\w+): (.*)$/);
  return node.receive(asked({ type: word, from, to: me, epoch: Number(epoch), configuration: conf(configuration) }));
}

/** The effects as text: "save 4 3 4.2: 1 2", "ACK 4 to 3". All that is sent must have the configuration after the step. */
function effectsOf({ effects, state }) {
  return effects?.map(({ save, over, cancel, arm, send, tell }) => {
    if (send) assert.deepEqual(send.configuration, state.configuration, "R43: that of the sender after the step");
    if (save) return `save ${save.epoch} ${save.grantee ?? "-"} ${TEXT(save.configuration)}`;
    if (send) return `${send.type} ${send.epoch} to ${send.to}`;
    if (tell) return `tell ${tell.leader ?? "-"}`;
    return cancel ? `cancel ${cancel}` : arm ? `arm ${arm}` : `over ${over}`;
  }).join(", ") ?? "no step";
}

const stateOf = ({ role, leader, epoch, grantee, support, configuration }) =>
  `${role} ${leader ?? "-"} ${epoch} ${grantee ?? "-"} ${support.join(",") || "-"} in ${TEXT(configuration)}`;

// rule, me, state before in its configuration, input, state after ("=" is the same), effects
const STEPS = [
  ["R42: observers do not count", "2", "candidate - 3 - 4,5 in 3.2: 1 2 3 4o 5o", "end election", "follower - 3 - - in 3.2: 1 2 3 4o 5o", "cancel election, arm patience"],
  ["R43: adopts, saves, answers", "2", "leader 2 3 2 1 in 3.2: 1 2 3", "HEARTBEAT 4 from 4: 4.1: 1 2 3 4", "follower 4 4 4 - in 4.1: 1 2 3 4",
    "save 4 4 4.1: 1 2 3 4, over 3, cancel reign, cancel heartbeat, arm patience, ACK 4 to 4, tell 4"],
  ["R43: a candidate rests, a non-member is heard so far", "2", "candidate - 3 - 1 in 3.2: 1 2 3", "REFUSE 3 from 9: 3.3: 1 2", "follower - 3 - - in 3.3: 1 2",
    "save 3 - 3.3: 1 2, cancel election, arm patience"],
  ["R43: an electing node loses its support", "2", "electing - 3 - 1,3 in 3.2: 1 2 3", "REFUSE 3 from 1: 3.3: 1 2", "electing - 3 - - in 3.3: 1 2", "save 3 - 3.3: 1 2"],
  ["R43: an older one is not adopted", "2", "follower 3 3 3 - in 3.2: 1 2 3", "HEARTBEAT 3 from 3: 3.1: 2 3", "=", "arm patience, ACK 3 to 3"],
  ["R44: who is no member is told", "2", "leader 2 3 2 - in 3.2: 1 2 3", "CLAIM 9 from 9: 2.7: 1 2 3 9", "=", "REFUSE 3 to 9"],
  ["R44: not if it knows", "2", "leader 2 3 2 - in 3.2: 1 2 3", "CLAIM 9 from 9: 3.2: 1 2 3", "=", ""],
  ["R44: an answer is not answered", "2", "leader 2 3 2 - in 3.2: 1 2 3", "ACK 9 from 9: 2.7: 1 2 3 9", "=", ""],
  ["R44: the node itself is none", "2", "follower - 3 - - in 3.2: 1 3", "HEARTBEAT 3 from 1: 3.2: 1 3", "=", ""],
  ["R45, R50: an older ASSENT answers what is asked", "2", "candidate - 3 - - in 3.2: 1 2 3", "ASSENT 3 from 1: 3.1: 1 2 3", "candidate - 3 - 1 in 3.2: 1 2 3", ""],
  ["R45: an older ACK dates the reign, and supports nothing", "2", "leader 2 3 2 - in 3.2: 1 2 3", "ACK 3 from 1: 3.1: 1 2 3", "=", "arm reign"],
  ["R45: other members of the same version", "2", "leader 2 3 2 - in 3.2: 1 2 3", "ACK 3 from 1: 3.2: 1 2 3 4", "=", "arm reign"],
  ["R45: an older CLAIM is refused", "2", "follower - 3 - - in 3.2: 1 2 3", "CLAIM 4 from 1: 3.1: 1 2 3", "=", "REFUSE 3 to 1"],
  ["R45: no vote for a witness", "2", "follower - 3 - - in 3.2: 1 2 3w", "CLAIM 4 from 3: 3.2: 1 2 3w", "=", "REFUSE 3 to 3"],
  ["R45: no vote of an observer", "3", "follower - 3 - - in 3.2: 1 2 3o", "ELECTION 3 from 1: 3.2: 1 2 3o", "=", "REFUSE 3 to 1"],
  ["R45: a witness votes", "3", "follower - 3 - - in 3.2: 1 2 3w", "CLAIM 4 from 1: 3.2: 1 2 3w", "electing 1 4 1 - in 3.2: 1 2 3w",
    "save 4 1 3.2: 1 2 3w, cancel patience, arm coordinator, GRANT 4 to 1"],
  ["R46: a witness gives way", "3", "follower - 3 - - in 3.2: 1 2 3w", "ELECTION 3 from 1: 3.2: 1 2 3w", "electing - 3 - - in 3.2: 1 2 3w",
    "cancel patience, arm coordinator, ASSENT 3 to 1"],
  ["R46: a witness that leads hands over", "3", "leader 3 3 3 - in 3.2: 1 2 3w 4o", "CLAIM 4 from 1: 3.2: 1 2 3w 4o", "electing 1 4 1 - in 3.2: 1 2 3w 4o",
    "save 4 1 3.2: 1 2 3w 4o, over 3, cancel reign, cancel heartbeat, arm coordinator, GRANT 4 to 1, RESIGN 3 to 1, RESIGN 3 to 2, RESIGN 3 to 4, tell -"],
  ["R46: a voter pre-empts a witness", "1", "follower 3 3 3 - in 3.2: 1 2 3w 4o", "end preempt", "candidate 3 3 3 - in 3.2: 1 2 3w 4o",
    "cancel patience, cancel preempt, arm election, ELECTION 3 to 2, ELECTION 3 to 3, tell -"],
  ["R46: the highest voter claims at once", "2", "candidate - 3 - - in 3.2: 1 2 3w", "ASSENT 3 from 1: 3.2: 1 2 3w", "claimant - 3 - - in 3.2: 1 2 3w",
    "cancel election, arm claim, CLAIM 4 to 1, CLAIM 4 to 3"],
  ["R46: a witness speaks", "2", "follower 1 3 1 - in 3.2: 1 2w 3o", "end patience", "follower - 3 1 - in 3.2: 1 2w 3o", "arm patience, IM_BACK 3 to 1, IM_BACK 3 to 3, tell -"],
  ["R46: an observer speaks again and again", "3", "follower - 3 1 - in 3.2: 1 2w 3o", "end patience", "=", "arm patience, IM_BACK 3 to 1, IM_BACK 3 to 2"],
  ["R46: and when it has waited", "3", "electing 3 3 1 - in 3.2: 1 2w 3o", "end coordinator", "follower - 3 1 - in 3.2: 1 2w 3o",
    "cancel coordinator, arm patience, IM_BACK 3 to 1, IM_BACK 3 to 2"],
  ["R46: who is no member is silent", "2", "follower 1 3 1 - in 3.2: 1 3", "end patience", "follower - 3 1 - in 3.2: 1 3", "cancel patience, tell -"],
  ["R46: and pre-empts nobody", "2", "follower 1 3 1 - in 3.2: 1 3", "end preempt", "=", "no step"],
  ["R46: without a lease it runs no timer", "2", "follower - 3 1 - in 3.2: 1 3", "end patience", "=", "no step"],
  ["R47: a member is added", "2", "leader 2 3 2 1 in 3.2: 1 2 3", "change 3.3: 1 2 3 4o", "leader 2 3 2 - in 3.3: 1 2 3 4o",
    "save 3 2 3.3: 1 2 3 4o, arm heartbeat, HEARTBEAT 3 to 1, HEARTBEAT 3 to 3, HEARTBEAT 3 to 4"],
  ["R47: a member is removed, and hears of it", "2", "leader 2 3 2 1 in 3.2: 1 2 3", "change 3.3: 1 2", "leader 2 3 2 - in 3.3: 1 2",
    "save 3 2 3.3: 1 2, arm heartbeat, HEARTBEAT 3 to 1, HEARTBEAT 3 to 3"],
  ["R47: a leader makes itself a witness", "2", "leader 2 3 2 1 in 3.2: 1 2", "change 3.3: 1 2w", "leader 2 3 2 - in 3.3: 1 2w",
    "save 3 2 3.3: 1 2w, arm heartbeat, HEARTBEAT 3 to 1"],
  ["R47.1", "2", "follower 3 3 3 - in 3.2: 1 2 3", "change 3.3: 1 2 3 4", "=", "no step"],
  ["R47.2: the epoch", "2", "leader 2 3 2 1 in 3.2: 1 2 3", "change 2.3: 1 2 3 4", "=", "no step"],
  ["R47.2: the version", "2", "leader 2 3 2 1 in 3.2: 1 2 3", "change 3.4: 1 2 3 4", "=", "no step"],
  ["R47.3", "2", "leader 2 3 2 - in 3.2: 1 2 3", "change 3.3: 1 2 3 4", "=", "no step"],
  ["R47.4: nothing differs", "2", "leader 2 3 2 1 in 3.2: 1 2 3", "change 3.3: 1 2 3", "=", "no step"],
  ["R47.4: two differ", "2", "leader 2 3 2 1 in 3.2: 1 2 3", "change 3.3: 1 2 4", "=", "no step"],
  ["R47.5: removes itself", "2", "leader 2 3 2 1 in 3.2: 1 2 3", "change 3.3: 1 3", "=", "no step"],
  ["R47.5: an observer", "2", "leader 2 3 2 1 in 3.2: 1 2 3", "change 3.3: 1 2o 3", "=", "no step"],
  ["R48: the winner stamps", "2", "claimant - 3 - - in 2.5: 1 2 3", "GRANT 4 from 1: 2.5: 1 2 3", "leader 2 4 2 - in 4.5: 1 2 3",
    "save 4 2 4.5: 1 2 3, cancel claim, arm reign, arm heartbeat, COORDINATOR 4 to 1, COORDINATOR 4 to 3, tell 2"],
];

for (const [rule, me, before, input, after, effects] of STEPS) {
  test(`${rule}: ${before}, ${input}`, () => {
    const [state, configuration] = before.split(" in ");
    const got = step(at(me, state, configuration), me, input);
    assert.equal(effectsOf(got), effects);
    assert.equal(stateOf(got.state), after === "=" ? before : after);
  });
}

test("R42: a configuration is read as R42 says, and nothing else is", () => {
  const good = { epoch: 3, version: 2, members: [{ id: "1", kind: "voter", address: "10.0.0.1:7400" }, { id: "3", kind: "voter" }, { id: "4", kind: "observer" }] };
  assert.deepEqual(configurationOf(good), good);
  assert.deepEqual(configurationOf(EMPTY), EMPTY);
  const one = (changes) => ({ ...good, members: [{ id: "1", kind: "voter", ...changes }] });
  const none = [null, undefined, 7, [], {}, { ...good, at: 1 }, { epoch: 3, version: 2 }, { ...good, version: 0 }, { ...good, epoch: -1 }, { ...good, epoch: 2 ** 53 },
    { ...good, epoch: "3" }, { ...good, version: 1.5 }, { ...good, members: {} }, { ...good, members: [null] }, { ...good, members: [] }, { ...EMPTY, version: 1 },
    { ...good, members: [...good.members].reverse() }, { ...good, members: [good.members[0], good.members[0]] }, one({ id: 1 }), one({ id: "01" }), one({ kind: "king" }),
    one({ kind: "observer" }), one({ at: 1 }), one({ address: "" }), one({ address: null }), one({ address: "a".repeat(129) }), one({ address: "a\n" }),
    ..." \"\\&<>\x7fé".split("").map((address) => one({ address }))];
  for (const bad of none) assert.throws(() => configurationOf(bad), TypeError, JSON.stringify(bad));
});

test("R42: fifty members, and what fits into 1024 bytes", () => {
  const of = (n, length = 0, last = length) => ({ epoch: 1, version: 1, members: Array.from({ length: n }, (_, i) => {
    const address = "~".repeat(i === n - 1 ? last : length);
    return { id: String(i + 1), kind: "voter", ...(address && { address }) };
  }) });
  configurationOf(of(50));
  configurationOf(of(7, 128, 31)); // 99 + 7·18 + 6·128 + 31 = 1024
  for (const bad of [of(51), of(7, 128, 32)]) assert.throws(() => configurationOf(bad), TypeError);
});

test("R42, R45: newer is by epoch, then by version; the same is every field", () => {
  const ascending = ["0.0: ", "0.1: 1", "0.9: 1", "1.1: 1", "1.2: 1"].map(conf);
  ascending.forEach((a, i) => ascending.forEach((b, j) => assert.equal(newer(a, b), i > j)));
  assert.ok(same(conf("1.2: 1 2w"), conf("1.2: 1 2w")));
  for (const other of ["1.3: 1 2w", "2.2: 1 2w", "1.2: 1 2", "1.2: 1", "1.2: 1 3w"]) assert.ok(!same(conf("1.2: 1 2w"), conf(other)), other);
});

test("R43, R34: a message has a good configuration of no later epoch, or it is ignored", () => {
  const { node, state } = BullyNode.start("2", conf("0.1: 1 2"));
  const m = { type: "CLAIM", from: "1", to: "2", epoch: 3, question: 7, configuration: conf("3.1: 1 2") };
  const { configuration, ...bare } = m;
  const wrong = [[{ ...m, epoch: 2 }, "R33"], [{ ...m, configuration: null }, "R33"], [{ ...m, more: 1 }, "R33"], [{ ...bare, more: configuration }, "R33"],
    [bare, "R34"], [{ ...m, type: "HELLO" }, "R34"], [{ ...m, to: "3" }, "R34"]];
  for (const [bad, rule] of wrong) {
    const got = node.receive(bad);
    assert.equal(got.rule, rule, JSON.stringify(bad));
    assert.ok(got.state === state && !got.effects);
  }
  assert.equal(BullyNode.start("2", ["1", "2"]).node.receive(m).rule, "R34", "a node of fixed members");
  const leads = { role: "leader", leader: "2", epoch: 3, grantee: "2", support: ["1"] };
  assert.equal(BullyNode.load("2", ["1", "2"], numbered(leads, "2", ["1", "2"])).call("change", conf("3.1: 1 2 3")).rule, "R47", "fixed members never change");
  assert.equal(node.call("change", { epoch: 0 }).rule, "R47");
  assert.equal(node.receive(m).state.role, "electing");
});

test("R49: first starts, and restarts", () => {
  assert.equal(effectsOf(BullyNode.start("2", conf("0.1: 1 2w"))), "save 0 - 0.1: 1 2w, arm patience");
  assert.equal(effectsOf(BullyNode.start("9", EMPTY)), "save 0 - 0.0: ");
  for (const [me, first] of [["3", "0.1: 1 2"], ["1", "0.2: 1 2"], ["1", "1.1: 1 2"], ["0", "0.0: "]]) assert.throws(() => BullyNode.start(me, conf(first)), TypeError);
  const back = BullyNode.restart("2", EMPTY, { epoch: 3, grantee: "9", reserved: 2 ** 20, configuration: conf("3.2: 1 2 3"), more: 1 });
  assert.equal(stateOf(back.state), "electing 2 3 9 - in 3.2: 1 2 3");
  assert.equal(effectsOf(back), "save 3 9 3.2: 1 2 3, arm coordinator, IM_BACK 3 to 1, IM_BACK 3 to 3");
  for (const bad of [{ epoch: 3, grantee: null, reserved: 0 }, { epoch: 2, grantee: null, reserved: 0, configuration: conf("3.2: 1 2") }]) assert.throws(() => BullyNode.restart("2", EMPTY, bad), TypeError);
});

/** A cluster whose host does what the effects say; every message arrives at once, in the order sent. */
class Cluster {
  nodes = new Map();
  disk = new Map();
  told = new Map();
  #wire = [];

  start(me, first = EMPTY) {
    this.#perform(me, BullyNode.start(me, first));
  }
  restart(me) {
    this.#perform(me, BullyNode.restart(me, EMPTY, this.disk.get(me)));
    this.#settle();
  }
  does(me, input) {
    const outcome = step(this.nodes.get(me), me, input);
    assert.ok(outcome.effects, outcome.ignored);
    this.#perform(me, outcome);
    this.#settle();
    return this;
  }
  #perform(me, { node, effects }) {
    if (node) this.nodes.set(me, node);
    for (const { save, send, tell } of effects ?? []) {
      if (save) this.disk.set(me, save);
      if (send) this.#wire.push(send);
      if (tell) this.told.set(me, tell.leader);
    }
  }
  #settle() {
    for (let m = this.#wire.shift(); m; m = this.#wire.shift()) {
      const to = this.nodes.get(m.to);
      if (to) this.#perform(m.to, to.receive(m));
    }
    for (const [me, node] of this.nodes) assert.deepEqual(this.disk.get(me).configuration, node.state.configuration);
  }
}

function elected() {
  const c = new Cluster();
  for (const me of ["1", "2", "3"]) c.start(me, conf("0.1: 1 2 3"));
  return c.does("3", "end patience");
}

test("a node joins as an observer, becomes a voter, and leads", () => {
  const c = elected();
  c.start("4");
  c.does("3", "change 1.2: 1 2 3 4o");
  assert.equal(c.told.get("4"), "3");
  c.does("3", "change 1.3: 1 2 3 4").does("4", "end preempt");
  assert.deepEqual([...c.told.values()], ["4", "4", "4", "4"]);
});

test("a leader is removed in three steps", () => {
  const c = elected().does("3", "change 1.2: 1 2 3w").does("3", "call resign").does("2", "end patience").does("2", "change 2.3: 1 2").does("3", "end patience");
  assert.deepEqual(c.nodes.get("3").timers(), []);
  assert.equal(c.told.get("1"), "2");
});

test("a node that was removed while it was away hears of it, and is at rest", () => {
  const c = elected();
  c.nodes.delete("1");
  c.does("3", "change 1.2: 2 3");
  c.restart("1");
  assert.equal(TEXT(c.nodes.get("1").state.configuration), "1.2: 2 3");
  c.does("1", "end coordinator");
  assert.deepEqual(c.nodes.get("1").timers(), []);
});
