// The questions of section 13 of spec/README.md that a node answers by itself, by their numbers; and a few that the section does not ask.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BullyNode } from "./bully.mjs";
import { asked, numbered, plain } from "./numbers.mjs";

/** The state of "role lease epoch grantee support", where - is none: "claimant 2 4 - 1,3". @param {string} text */
function state(text) {
  const [role, leader, epoch, grantee, support] = text.split(" ");
  const id = (s) => (s === "-" ? null : s);
  return { role, leader: id(leader), epoch: Number(epoch), grantee: id(grantee), support: support === "-" ? [] : support.split(",") };
}

/** The step of one input: "CLAIM 5 from 4", "ELECTION 4 from 5 keeps 3", "end reign" or "call resign". @param {BullyNode} node @param {string} me @param {string} input */
function step(node, me, input) {
  const [word, what, , from, , keeps] = input.split(" ");
  if (word === "end") return node.end(what);
  if (word === "call") return node.call(what);
  return node.receive(asked({ type: word, from, to: me, epoch: Number(what), ...(keeps && { keeps }) }));
}

// number, me of how many, state before, input, state after ("=" is the same), what is sent
const QUESTIONS = [
  [1, "1/3", "electing - 4 2 -", "CLAIM 4 from 3", "=", "REFUSE 4 to 3"],
  [1, "1/3", "electing - 4 3 -", "CLAIM 4 from 3", "electing 3 4 3 -", "GRANT 4 to 3"],
  [2, "1/3", "electing 2 4 2 -", "CLAIM 5 from 3", "=", "REFUSE 4 to 3"],
  [3, "2/3", "claimant - 4 - -", "CLAIM 5 from 1", "=", "REFUSE 4 to 1"],
  [5, "2/3", "claimant - 4 2 1", "REFUSE 5 from 3", "follower - 5 - -", ""],
  [6, "2/3", "claimant - 4 2 1", "REFUSE 4 from 3", "=", ""],
  [7, "2/3", "claimant - 4 2 -", "ACK 5 from 3", "=", ""],
  [8, "2/3", "claimant - 4 2 -", "ELECTION 5 from 3", "=", "ASSENT 4 to 3"],
  [9, "3/3", "claimant 2 4 2 -", "GRANT 6 from 2", "=", ""],
  [10, "3/3", "claimant 2 4 2 -", "GRANT 5 from 1", "claimant 2 4 2 1", ""],
  [11, "3/3", "claimant 2 4 2 1", "RESIGN 4 from 2", "leader 3 5 3 -", "COORDINATOR 5 to 1, COORDINATOR 5 to 2"],
  [11, "3/3", "claimant 2 4 2 1", "IM_BACK 4 from 2", "claimant - 4 2 1", ""],
  [12, "5/5", "claimant 4 4 4 1", "RESIGN 2 from 2", "=", "CLAIM 5 to 2, CLAIM 5 to 3, CLAIM 5 to 4"],
  [13, "2/3", "leader 2 4 2 -", "CLAIM 5 from 1", "=", "REFUSE 4 to 1"],
  [14, "2/3", "leader 2 4 2 -", "CLAIM 4 from 3", "=", "REFUSE 4 to 3"],
  [16, "2/3", "leader 2 4 2 -", "ELECTION 4 from 3 keeps 2", "=", "ASSENT 4 to 3"],
  [17, "2/3", "leader 2 4 2 -", "ELECTION 4 from 1", "=", "OK 4 to 1, COORDINATOR 4 to 1"],
  [18, "2/3", "leader 2 4 2 3", "ELECTION 5 from 1", "candidate - 5 - -", "OK 5 to 1, ELECTION 5 to 1, ELECTION 5 to 3"],
  [19, "2/3", "leader 2 4 2 -", "ACK 5 from 1", "follower - 5 - -", ""],
  [20, "2/3", "leader 2 4 2 -", "IM_BACK 5 from 1", "follower - 5 - -", ""],
  [21, "2/5", "follower 3 4 3 -", "ELECTION 4 from 5 keeps 3", "=", "ASSENT 4 to 5"],
  [21, "2/5", "follower 3 4 3 -", "ELECTION 4 from 5 keeps 4", "=", "REFUSE 4 to 5"],
  [22, "2/3", "follower 3 4 3 -", "ELECTION 4 from 1", "=", "REFUSE 4 to 1"],
  [23, "2/3", "follower 3 4 3 -", "ELECTION 4 from 3", "electing - 4 3 -", "ASSENT 4 to 3"],
  [24, "2/5", "follower 3 4 3 -", "OK 5 from 4", "=", ""],
  [25, "2/3", "follower 3 4 3 -", "HEARTBEAT 3 from 1", "=", "REFUSE 4 to 1"],
  [26, "1/3", "electing 2 4 2 -", "COORDINATOR 4 from 3", "follower 3 4 2 -", "ACK 4 to 3"],
  [27, "3/3", "candidate 2 4 2 1", "HEARTBEAT 4 from 2", "=", "ACK 4 to 2"],
  [27, "3/3", "candidate 2 4 2 1", "HEARTBEAT 5 from 2", "follower 2 5 2 -", "ACK 5 to 2"],
  [28, "2/3", "electing 2 4 3 -", "CLAIM 9 from 3", "=", "REFUSE 4 to 3"],
  [28, "2/3", "electing 2 4 3 -", "ELECTION 4 from 3", "=", "REFUSE 4 to 3"],
  [29, "2/3", "electing 2 4 3 -", "HEARTBEAT 4 from 3", "follower 3 4 3 -", "ACK 4 to 3"],
  [30, "2/3", "candidate - 4 3 -", "ASSENT 4 from 1", "candidate - 4 3 1", ""],
  [31, "2/3", "electing - 4 3 3", "end coordinator", "claimant - 4 3 -", "CLAIM 5 to 1, CLAIM 5 to 3"],
  [33, "2/3", "electing 3 4 3 -", "RESIGN 1 from 3", "follower - 4 3 -", ""],
  [38, "3/3", "claimant 2 4 2 1", "call holder-dead", "claimant - 4 2 1", ""],
  [39, "2/3", "electing 3 4 3 -", "call holder-dead", "follower - 4 3 -", ""],
  [40, "2/3", "electing 2 4 3 -", "call holder-dead", "=", "no step"],
  ["half is no quorum", "4/4", "candidate - 4 - 1", "end election", "follower - 4 - -", ""],
  ["a reign ends, whoever supports it", "2/3", "leader 2 4 2 3", "end reign", "follower - 4 2 -", ""],
  ["who waits supports no third", "1/3", "electing 2 4 2 -", "ELECTION 4 from 3", "=", "REFUSE 4 to 3"],
];

for (const [number, name, before, input, after, sent] of QUESTIONS) {
  test(`question ${number}: ${before}, ${input}`, () => {
    const [me, count] = name.split("/");
    const members = Array.from({ length: Number(count) }, (_, i) => String(i + 1));
    const got = step(BullyNode.load(me, members, numbered(state(before), me, members)), me, input);
    const sends = got.effects?.flatMap(({ send }) => (send ? `${send.type} ${send.epoch} to ${send.to}` : [])).join(", ");
    assert.equal(sends ?? "no step", sent);
    assert.deepEqual(plain(got.state), state(after === "=" ? before : after));
  });
}

test("question 28: a restarted node keeps its own lease, and says IM_BACK to all", () => {
  const { effects, state: after } = BullyNode.restart("2", ["1", "2", "3"], { epoch: 4, grantee: "3", reserved: 2 ** 20 });
  const back = (to) => ({ send: { type: "IM_BACK", from: "2", to, epoch: 4, question: 2 ** 20 + 1 } });
  assert.deepEqual(plain(after), state("electing 2 4 3 -"));
  assert.equal(after.latest, 2 ** 20 + 1);
  assert.deepEqual(effects, [{ save: { epoch: 4, grantee: "3", reserved: 2 ** 21 } }, { arm: "coordinator" }, back("1"), back("3")]);
});
