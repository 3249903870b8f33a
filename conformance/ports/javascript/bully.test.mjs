// Scenarios of a few nodes, told step by step: the test says which timer ends, and every message arrives at once, in the order sent.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { BullyNode } from "./bully.mjs";
import { Fence } from "./fence.mjs";
import { MAX_EPOCH, compareIds, isId, malformed } from "./forms.mjs";
import { LATER, asked, numbered, plain } from "./numbers.mjs";

/** A cluster whose host does what the effects say. A leader that acts is in `reigns`, until its reign is over. */
class Cluster {
  nodes = new Map();
  disk = new Map();
  reigns = new Map();
  told = new Map();
  sent = [];
  #wire = [];

  constructor(...members) {
    this.members = members;
    for (const me of members) this.#perform(me, BullyNode.start(me, members));
  }

  #perform(me, { node, effects }) {
    if (node) this.nodes.set(me, node);
    for (const { save, over, send, tell } of effects ?? []) {
      if (save) this.disk.set(me, save);
      if (over !== undefined) this.reigns.delete(me);
      if (send) this.#wire.push(send);
      if (tell) this.told.set(me, tell);
      if (tell?.leader === me) this.reigns.set(me, tell.epoch);
    }
  }

  /** Delivers until nothing is under way, and keeps what was sent, as `CLAIM(1) 3>2`. */
  #settle() {
    this.sent = [];
    for (let m = this.#wire.shift(); m; m = this.#wire.shift()) {
      this.sent.push(`${m.type}(${m.epoch}) ${m.from}>${m.to}`);
      const to = this.nodes.get(m.to);
      if (to) this.#perform(m.to, to.receive(m));
    }
    return this;
  }

  end(me, timer) {
    this.#perform(me, this.nodes.get(me).end(timer));
    return this.#settle();
  }

  call(me, name) {
    this.#perform(me, this.nodes.get(me).call(name));
    return this.#settle();
  }

  crash(me) {
    this.nodes.delete(me);
    this.told.delete(me);
    this.reigns.delete(me);
  }

  restart(me) {
    this.#perform(me, BullyNode.restart(me, this.members, this.disk.get(me)));
    return this.#settle();
  }

  /** Do all that run follow this leader, and does it alone act? */
  follows(leader, epoch) {
    for (const me of this.nodes.keys()) assert.deepEqual(this.told.get(me), { leader, epoch }, `node ${me}`);
    assert.deepEqual([...this.reigns], [[leader, epoch]]);
  }
}

/** A node in this state, with numbers. */
const load = (me, members, state) => BullyNode.load(me, members, numbered(state, me, members));

const elected = () => new Cluster("1", "2", "3").end("3", "patience");

test("three nodes elect 3", () => {
  const c = elected();
  c.follows("3", 1);
  assert.deepEqual(c.sent.slice(0, 6), ["ELECTION(0) 3>1", "ELECTION(0) 3>2", "ASSENT(0) 1>3", "ASSENT(0) 2>3", "CLAIM(1) 3>1", "CLAIM(1) 3>2"]);
  assert.deepEqual(c.disk.get("1"), { epoch: 1, grantee: "3", reserved: 2 ** 20 });
});

test("1 stands first, and 3 leads all the same", () => {
  const c = new Cluster("1", "2", "3").end("1", "patience");
  c.follows("3", 1);
});

test("3 crashes; with a proof of its death 2 leads, and nobody refuses", () => {
  const c = elected();
  c.crash("3");
  c.call("1", "holder-dead").call("2", "holder-dead").end("2", "patience");
  assert.equal(c.nodes.get("2").state.role, "candidate", "3 might still say OK (R13)");
  c.end("2", "election").follows("2", 2);
  assert.ok(!c.sent.some((m) => m.startsWith("REFUSE")));
});

test("3 crashes; without a proof 2 stands again once the lease of 1 has ended", () => {
  const c = elected();
  c.crash("3");
  c.end("2", "patience");
  assert.ok(c.sent.includes("REFUSE(1) 1>2"), "1 keeps the lease of 3 still (R10)");
  c.end("2", "election").end("1", "patience").end("2", "election");
  c.follows("2", 2);
});

test("3 comes back, follows 2, and takes over by a hand-over", () => {
  const c = elected();
  c.crash("3");
  c.call("1", "holder-dead").call("2", "holder-dead").end("2", "patience").end("2", "election");
  c.restart("3").follows("2", 2);
  c.end("3", "preempt").follows("3", 3);
  assert.ok(c.sent.indexOf("GRANT(3) 2>3") < c.sent.indexOf("RESIGN(2) 2>1"));
});

test("a hand-over saves the promise, ends the reign, then sends (section 10)", () => {
  const leader = load("3", ["1", "2", "3", "4", "5"], { role: "leader", leader: "3", epoch: 4, grantee: "3", support: ["1"] });
  const { effects } = leader.receive(asked({ type: "CLAIM", from: "4", to: "3", epoch: 5 }));
  const sends = (type, to, epoch) => ({ send: { type, from: "3", to, epoch } });
  assert.deepEqual(effects.find(({ send }) => send?.type === "RESIGN").send.granted, { by: "4", epoch: 5, question: LATER });
  assert.deepEqual(plain(effects), [
    { save: { epoch: 5, grantee: "4" } }, { over: 4 }, { cancel: "reign" }, { cancel: "heartbeat" }, { arm: "coordinator" },
    sends("GRANT", "4", 5), sends("RESIGN", "1", 4), sends("RESIGN", "2", 4), sends("RESIGN", "4", 4), sends("RESIGN", "5", 4),
    { tell: { leader: null, epoch: 0 } },
  ]);
});

test("a node that crashes after its promise is durable does not make it to another", () => {
  const members = ["1", "2", "3"];
  const { node } = BullyNode.start("1", members);
  const [{ save }] = node.receive(asked({ type: "CLAIM", from: "2", to: "1", epoch: 1 })).effects;
  const back = BullyNode.restart("1", members, save).node;
  back.end("coordinator"); // the silence after a restart is over
  const { effects } = back.receive(asked({ type: "CLAIM", from: "3", to: "1", epoch: 1 }));
  assert.deepEqual(effects, [{ send: { type: "REFUSE", from: "1", to: "3", epoch: 1, question: LATER } }]);
});

test("timers that run on begin anew only where R36 says so", () => {
  const arms = ({ effects }) => effects.flatMap((e) => e.arm ?? []);
  const follower = load("3", ["1", "2", "3"], { role: "follower", leader: "2", epoch: 4, grantee: "2", support: [] });
  const heard = (epoch, question) => arms(follower.receive({ type: "HEARTBEAT", from: "2", to: "3", epoch, question }));
  assert.deepEqual([heard(4, 4), heard(4, 4), heard(3, 5), heard(5, 5)], [["patience"], [], [], ["patience", "preempt"]], "a question that comes again renews nothing");
  const granter = load("1", ["1", "2", "3"], { role: "electing", leader: "3", epoch: 4, grantee: "3", support: [] });
  assert.deepEqual(arms(granter.receive(asked({ type: "CLAIM", from: "3", to: "1", epoch: 4 }))), ["coordinator"]);
  assert.deepEqual(arms(granter.receive(asked({ type: "CLAIM", from: "2", to: "1", epoch: 4 }))), []);
});

test("the only member leads at once, and tells nobody", () => {
  const c = new Cluster("7").end("7", "patience").end("7", "election");
  c.follows("7", 1);
});

test("ids are compared as bytes (R1)", () => {
  const ascending = ["3", "256", "9223372036854775808", "18446744073709551615", "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed", "f47ac10b-58cc-4372-a567-0e02b2c3d479"];
  assert.deepEqual([...ascending].reverse().sort(compareIds), ascending);
  assert.ok(ascending.every(isId));
  const none = [3, null, "", "0", "03", "+3", "3\n", "18446744073709551616", "100000000000000000000", "F47AC10B-58CC-4372-A567-0E02B2C3D479",
    "f47ac10b-58cc-1372-a567-0e02b2c3d479", "f47ac10b-58cc-4372-c567-0e02b2c3d479", "f47ac10b58cc4372a5670e02b2c3d479"];
  for (const id of none) assert.ok(!isId(id), String(id));
  new Cluster(...ascending.slice(2)).end("9223372036854775808", "patience").end(ascending[5], "election").follows(ascending[5], 1);
});

test("epochs are exact up to 2^53-1, which is the end (R2)", () => {
  const at = (epoch, role = "candidate") => load("3", ["1", "2", "3"], { role, leader: null, epoch, grantee: null, support: ["1"] });
  assert.equal(at(MAX_EPOCH - 1).end("election").effects.at(-1).send.epoch, MAX_EPOCH);
  assert.equal(at(MAX_EPOCH).end("election").state.role, "follower");
  assert.equal(at(MAX_EPOCH, "electing").end("coordinator").state.role, "candidate");
});

test("what is no message is ignored, with a reason, and changes nothing (R33, R34)", () => {
  const m = { type: "CLAIM", from: "3", to: "2", epoch: 4, question: 7 };
  const { from, ...unsigned } = m;
  const none = [undefined, null, 7, "CLAIM", [], {}, unsigned, { ...m, more: 1 }, JSON.parse('{"__proto__":1,"type":"OK","from":"3","to":"2","epoch":1}'),
    { ...m, type: 4 }, { ...m, from: 3 }, { ...m, from: "03" }, { ...m, to: null }, { ...m, from: "2" }, { ...m, epoch: -1 }, { ...m, epoch: -0 },
    { ...m, epoch: 1.5 }, { ...m, epoch: "4" }, { ...m, epoch: MAX_EPOCH + 1 }, { ...m, epoch: NaN }, { ...m, epoch: null },
    { ...m, question: 0 }, { ...m, question: null }, { ...m, keeps: null }, { ...m, type: "ELECTION" }, { ...m, type: "ELECTION", keeps: "03" },
    { ...m, type: "RESIGN", granted: { by: "3", epoch: 4 } }, { ...m, type: "RESIGN", granted: { by: "3", epoch: 4, question: 0 } }];
  const strange = [{ ...m, from: "9" }, { ...m, to: "1" }, { ...m, type: "claim" }, { ...m, type: "constructor" }];
  const { node, state } = BullyNode.start("2", ["1", "2", "3"]);
  for (const [list, rule] of [[none, "R33"], [strange, "R34"]]) {
    for (const bad of list) {
      const got = node.receive(bad);
      assert.equal(got.rule, rule, JSON.stringify(bad));
      assert.ok(got.ignored && got.state === state && !got.effects);
    }
  }
  assert.equal(malformed(m), "");
  assert.deepEqual(node.receive(m).state, { role: "electing", leader: "3", lease: 7, epoch: 4, grantee: "3", support: [], asked: 0, latest: 1 });
});

test("timers that do not run, and calls that are none, are no step (R35, R28, R41)", () => {
  const { node } = BullyNode.start("2", ["1", "2", "3"]);
  for (const timer of ["heartbeat", "preempt", "toString", null]) assert.equal(node.end(timer).rule, "R35");
  assert.equal(node.call("resign").rule, "R28");
  assert.equal(node.call("holder-dead").rule, "R41");
  assert.ok(node.call("dance").ignored);
});

test("a node does not start among members, or with a record, that cannot be", () => {
  const members = ["1", "2", "3"];
  for (const bad of [[], ["2", "1"], ["1", "1", "2"], ["1", "3"], "123", ["1", 2]]) assert.throws(() => BullyNode.start("2", bad), TypeError);
  for (const bad of [undefined, {}, { epoch: 1 }, { epoch: 2 ** 53, grantee: null }, { epoch: 1, grantee: "9", reserved: 0 }, { epoch: 1, grantee: null }, { epoch: 1, grantee: null, reserved: 2 ** 53 - 1 }]) {
    assert.throws(() => BullyNode.restart("2", members, bad), TypeError);
  }
  for (const bad of [null, { role: "king" }, { role: "leader", leader: "2", epoch: 1, grantee: "2", support: ["2"] }]) {
    assert.throws(() => BullyNode.load("2", members, bad), TypeError);
  }
});

test("the fence admits the same epoch again, and nothing below (R38)", () => {
  const fence = new Fence();
  assert.deepEqual(fence.read(), { value: "", highest: 0 });
  assert.deepEqual(fence.write(2, "a"), { admitted: true, highest: 2 });
  assert.deepEqual(fence.write(2, "b"), { admitted: true, highest: 2 });
  assert.deepEqual(fence.write(1, "c"), { admitted: false, highest: 2 });
  assert.deepEqual(fence.read(), { value: "b", highest: 2 });
});

test("what a browser runs imports nothing but what a browser runs", () => {
  const runs = ["bully.mjs", "state.mjs", "configuration.mjs", "timers.mjs", "forms.mjs", "fence.mjs"];
  for (const file of runs) {
    const text = readFileSync(new URL(file, import.meta.url), "utf8");
    for (const [, from] of text.matchAll(/^import .* from "(.*)"/gm)) assert.ok(runs.includes(from.slice(2)), `${file} imports ${from}`);
    assert.doesNotMatch(text, /\b(process|Buffer|require|globalThis)\b/, file);
  }
});

/** Runs the loop of README.md, with messages that take so long and are lost from some time on: what it prints, and when. */
function loop(delay, lostFrom) {
  const readme = readFileSync(new URL("README.md", import.meta.url), "utf8");
  const code = readme.match(/```js\n([^]*?)```/)[1].replace(/^import .*$/m, "");
  const due = [];
  let now = 0;
  const later = (run, ms) => due.push({ run: ms === undefined && now >= lostFrom ? null : run, at: now + (ms ?? delay) }) - 1;
  const never = (i) => due[i] && (due[i].run = null);
  const lines = [];
  const log = (line) => lines.push({ line, at: now });
  new Function("BullyNode", "setTimeout", "clearTimeout", "performance", "console", code)(BullyNode, later, never, { now: () => now }, { log });
  for (;;) {
    const next = due.reduce((first, t) => (t.run && !(first?.at <= t.at) ? t : first), null);
    if (!next) break;
    const { run } = next;
    [next.run, now] = [null, next.at];
    run();
  }
  assert.ok(now < 1000, "all timers of nodes that stopped are cancelled");
  return lines;
}

test("the loop of README.md runs, and 2 leads after 3 has stopped", () => {
  const told = ["3: 3 leads epoch 1", "1: 3 leads epoch 1", "2: 3 leads epoch 1", "3: my reign 1 is over", "3: nobody leads", "1: nobody leads", "2: nobody leads",
    "2: 2 leads epoch 2", "1: 2 leads epoch 2", "2: my reign 2 is over", "2: nobody leads"];
  assert.deepEqual(loop(0, Infinity).map(({ line }) => line), told);
});

test("in the loop of README.md a reign lasts from when its question was asked, however late the answers (R26, R37)", () => {
  const lines = loop(8, 116); // 3 asks at 59, claims at 75, and asks again at 95 and 115; the last ACK is of the question of 95, and arrives at 111
  const at = (said) => lines.find(({ line }) => line === said)?.at;
  assert.deepEqual([at("3: 3 leads epoch 1"), at("3: my reign 1 is over")], [91, 95 + 57]);
});
