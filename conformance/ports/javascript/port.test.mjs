// The port as the kit sees it: lines in, lines out.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const PORT = fileURLToPath(new URL("port.mjs", import.meta.url));

/** Runs a port on these lines, and reads its replies. @param {...(string|object)} requests */
function ask(...requests) {
  const input = requests.map((q) => (typeof q === "string" ? q : JSON.stringify(q)) + "\n").join("");
  const { status, stdout, stderr } = spawnSync(process.execPath, [PORT], { input, encoding: "utf8" });
  assert.equal(stderr, "");
  assert.equal(status, 0);
  return stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

const members = ["1", "2", "3"];
const BLOCK = 2 ** 20;

test("it says who it is, runs a node, and ends at bye", () => {
  const state = { role: "follower", leader: null, lease: 0, epoch: 0, grantee: null, support: [], asked: 0, latest: 1 };
  const replies = ask(
    { id: 1, op: "hello", protocol: 1, kit: "1", spec: "2.0" },
    { id: 2, op: "reset", case: "ü" },
    { id: 3, op: "start", node: "7/2", me: "2", members },
    { id: 4, op: "receive", node: "7/2", message: { type: "CLAIM", from: "1", to: "2", epoch: 4, question: 7 } },
    { id: 5, op: "crash", node: "7/2" },
    { id: 6, op: "bye" },
    { id: 7, op: "reset" },
  );
  const after = { ...state, role: "electing", leader: "1", lease: 7, epoch: 4, grantee: "1" };
  assert.deepEqual(replies.map((r) => r.id), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual([replies[0].protocol, replies[0].features], [1, ["fence", "members", "names"]]);
  assert.deepEqual(replies[2], { id: 3, effects: [{ save: { epoch: 0, grantee: null, reserved: BLOCK } }, { arm: "patience" }], state });
  const grant = { send: { type: "GRANT", from: "2", to: "1", epoch: 4, question: 7 } };
  assert.deepEqual(replies[3], { id: 4, effects: [{ save: { epoch: 4, grantee: "1", reserved: BLOCK } }, { cancel: "patience" }, { arm: "coordinator" }, grant], state: after });
});

test("nothing that it is asked ends it", () => {
  const deep = "[".repeat(100000) + "]".repeat(100000);
  const replies = ask("{", "", "null", "7", '{"id":5}', '{"id":6,"op":"constructor"}', '{"id":7,"op":"end","node":"?"}', '{"id":8,"op":"start","node":"a"}',
    { id: 9, op: "start", node: "__proto__", me: "2", members, more: 1 }, `{"id":10,"op":"receive","node":"__proto__","message":${deep}}`,
    { id: 11, op: "receive", node: "__proto__" }, '{"id":12,"op":"end","node":"__proto__","timer":"__proto__"}', { id: 13, op: "call", node: "__proto__", call: "sing" },
    { id: 13, op: "call", node: "__proto__" }, { id: 13, op: "end", node: "__proto__", timer: 7 },
    `{"id":${deep},"op":"reset"}`, { id: 15, op: "reset" }, { id: 16, op: "end", node: "__proto__", timer: "patience" });
  const kinds = replies.map((r) => ["error", "unsupported", "ignored", "effects", "ok"].find((kind) => kind in r));
  assert.deepEqual(kinds, ["error", "error", "error", "unsupported", "unsupported", "unsupported", "error", "error", "effects", "ignored", "error", "ignored",
    "ignored", "error", "error", "ok", "ok", "error"]);
});

test("a node that is loaded makes no effects, and two of one id are two nodes", () => {
  const state = { role: "leader", leader: "2", lease: 0, epoch: 3, grantee: "2", support: ["3"], asked: 0, latest: 7, dated: 6, answered: [{ node: "3", question: 6 }] };
  const replies = ask({ id: 1, op: "load", node: "a", me: "2", members, state }, { id: 2, op: "start", node: "b", me: "2", members },
    { id: 3, op: "call", node: "a", call: "resign" }, { id: 4, op: "call", node: "b", call: "resign" });
  assert.deepEqual(replies[0], { id: 1, state });
  assert.deepEqual(replies[2].effects[0], { over: 3 });
  assert.deepEqual(Object.keys(replies[3]), ["id", "ignored", "state"]);
});

test("a node of changing members begins with a configuration, and one of fixed members without", () => {
  const of = (epoch, version, ...kinds) => ({ epoch, version, members: kinds.map((kind, i) => ({ id: String(i + 1), kind })) });
  const first = of(0, 1, "voter", "witness");
  const leads = { role: "leader", leader: "1", lease: 0, epoch: 4, grantee: "1", support: ["2"], asked: 0, latest: 7, dated: 6, answered: [{ node: "2", question: 6 }], configuration: of(4, 2, "voter", "voter") };
  const next = of(4, 3, "voter", "voter", "observer");
  const replies = ask({ id: 1, op: "start", node: "a", me: "2", configuration: first }, { id: 2, op: "start", node: "b", me: "9", configuration: of(0, 0) },
    { id: 3, op: "restart", node: "b", me: "2", promise: { epoch: 4, grantee: "9", reserved: BLOCK, configuration: next } }, { id: 4, op: "load", node: "c", me: "1", state: leads },
    { id: 5, op: "call", node: "c", call: "change", configuration: next }, { id: 6, op: "call", node: "c", call: "change" },
    { id: 7, op: "start", node: "d", me: "2", members }, { id: 8, op: "call", node: "d", call: "change", configuration: next },
    { id: 9, op: "start", node: "e", me: "3", configuration: first });
  const fresh = { role: "follower", leader: null, lease: 0, epoch: 0, grantee: null, support: [], asked: 0, latest: 1 };
  const save = (epoch, grantee, configuration, reserved = BLOCK) => ({ save: { epoch, grantee, reserved, configuration } });
  const sends = (type, from, to, question) => ({ send: { type, from, to, epoch: 4, question, configuration: next } });
  assert.deepEqual(replies[0], { id: 1, effects: [save(0, null, first), { arm: "patience" }], state: { ...fresh, configuration: first } });
  assert.deepEqual(replies[1], { id: 2, effects: [save(0, null, of(0, 0))], state: { ...fresh, configuration: of(0, 0) } });
  assert.deepEqual(replies[2].effects, [save(4, "9", next, 2 * BLOCK), { arm: "coordinator" }, sends("IM_BACK", "2", "1", BLOCK + 1), sends("IM_BACK", "2", "3", BLOCK + 1)]);
  assert.deepEqual(replies[3].state, leads);
  assert.deepEqual(replies[4].effects, [save(4, "1", next), { arm: "heartbeat" }, sends("HEARTBEAT", "1", "2", 8), sends("HEARTBEAT", "1", "3", 8)]);
  assert.deepEqual(replies[5].state, { ...leads, support: [], latest: 8, configuration: next });
  assert.deepEqual(replies[6], { id: 7, effects: [{ save: { epoch: 0, grantee: null, reserved: BLOCK } }, { arm: "patience" }], state: fresh });
  assert.deepEqual(["ignored" in replies[5], "ignored" in replies[7], "error" in replies[8]], [true, true, true]);
});

test("a resource is fenced until the next case", () => {
  const replies = ask({ id: 1, op: "write", resource: "r", epoch: 2, value: "a" }, { id: 2, op: "write", resource: "r", value: "b" },
    { id: 3, op: "crash", node: "r" }, { id: 4, op: "read", resource: "r" }, { id: 5, op: "reset" }, { id: 6, op: "read", resource: "r" });
  assert.deepEqual(replies[0], { id: 1, admitted: true, highest: 2 });
  assert.deepEqual(replies[1], { id: 2, admitted: false, highest: 2 });
  assert.deepEqual(replies[3], { id: 4, value: "a", highest: 2 });
  assert.deepEqual(replies[5], { id: 6, value: "", highest: 0 });
});
