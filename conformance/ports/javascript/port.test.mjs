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

test("it says who it is, runs a node, and ends at bye", () => {
  const state = { role: "follower", leader: null, epoch: 0, grantee: null, support: [] };
  const replies = ask(
    { id: 1, op: "hello", protocol: 1, kit: "1", spec: "1.0" },
    { id: 2, op: "reset", case: "ü" },
    { id: 3, op: "start", node: "7/2", me: "2", members },
    { id: 4, op: "receive", node: "7/2", message: { type: "CLAIM", from: "1", to: "2", epoch: 4 } },
    { id: 5, op: "crash", node: "7/2" },
    { id: 6, op: "bye" },
    { id: 7, op: "reset" },
  );
  const after = { role: "electing", leader: "1", epoch: 4, grantee: "1", support: [] };
  assert.deepEqual(replies.map((r) => r.id), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual([replies[0].protocol, replies[0].features], [1, ["fence"]]);
  assert.deepEqual(replies[2], { id: 3, effects: [{ save: { epoch: 0, grantee: null } }, { arm: "heartbeat" }], state });
  const grant = { send: { type: "GRANT", from: "2", to: "1", epoch: 4 } };
  assert.deepEqual(replies[3], { id: 4, effects: [{ save: { epoch: 4, grantee: "1" } }, { cancel: "heartbeat" }, { arm: "coordinator" }, grant], state: after });
});

test("nothing that it is asked ends it", () => {
  const deep = "[".repeat(100000) + "]".repeat(100000);
  const replies = ask("{", "", "null", "7", '{"id":5}', '{"id":6,"op":"constructor"}', '{"id":7,"op":"end","node":"?"}', '{"id":8,"op":"start","node":"a"}',
    { id: 9, op: "start", node: "__proto__", me: "2", members, more: 1 }, `{"id":10,"op":"receive","node":"__proto__","message":${deep}}`,
    { id: 11, op: "receive", node: "__proto__" }, '{"id":12,"op":"end","node":"__proto__","timer":"__proto__"}', { id: 13, op: "call", node: "__proto__", call: "sing" },
    `{"id":${deep},"op":"reset"}`, { id: 15, op: "reset" }, { id: 16, op: "end", node: "__proto__", timer: "heartbeat" });
  const kinds = replies.map((r) => ["error", "unsupported", "ignored", "effects", "ok"].find((kind) => kind in r));
  assert.deepEqual(kinds, ["error", "error", "error", "unsupported", "unsupported", "unsupported", "error", "error", "effects", "ignored", "ignored", "ignored",
    "ignored", "ok", "ok", "error"]);
});

test("a node that is loaded makes no effects, and two of one id are two nodes", () => {
  const state = { role: "leader", leader: "2", epoch: 3, grantee: "2", support: ["3"] };
  const replies = ask({ id: 1, op: "load", node: "a", me: "2", members, state }, { id: 2, op: "start", node: "b", me: "2", members },
    { id: 3, op: "call", node: "a", call: "resign" }, { id: 4, op: "call", node: "b", call: "resign" });
  assert.deepEqual(replies[0], { id: 1, state });
  assert.deepEqual(replies[2].effects[0], { over: 3 });
  assert.deepEqual(Object.keys(replies[3]), ["id", "ignored", "state"]);
});

test("a resource is fenced until the next case", () => {
  const replies = ask({ id: 1, op: "write", resource: "r", epoch: 2, value: "a" }, { id: 2, op: "write", resource: "r", value: "b" },
    { id: 3, op: "crash", node: "r" }, { id: 4, op: "read", resource: "r" }, { id: 5, op: "reset" }, { id: 6, op: "read", resource: "r" });
  assert.deepEqual(replies[0], { id: 1, admitted: true, highest: 2 });
  assert.deepEqual(replies[1], { id: 2, admitted: false, highest: 2 });
  assert.deepEqual(replies[3], { id: 4, value: "a", highest: 2 });
  assert.deepEqual(replies[5], { id: 6, value: "", highest: 0 });
});
