// Questions and their numbers (R50), and what rests on them. Run `node --test` in this folder.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BullyNode } from "./bully.mjs";
import { EMPTY } from "./configuration.mjs";
import { LATER, LATEST, numbered } from "./numbers.mjs";

const [THREE, FIVE] = [["1", "2", "3"], ["1", "2", "3", "4", "5"]];
const BLOCK = 2 ** 20;

/** Node 2 in a state of epoch 3 with numbers, but for these fields. */
function two(fields, members = THREE) {
  const { role, leader, ...more } = { role: "follower", leader: null, ...fields };
  return BullyNode.load("2", more.configuration ? EMPTY : members, { ...numbered({ role, leader, epoch: 3, grantee: leader, support: [] }, "2", members), ...more });
}

const message = (type, from, epoch, question, more) => ({ type, from, to: "2", epoch, question, ...more });
const sentBy = ({ effects }) => effects.flatMap(({ send }) => send ?? []);

test("numbers only rise, and an answer echoes the question", () => {
  const node = two({});
  const questions = ["patience", "election", "patience"].map((timer) => [...new Set(sentBy(node.end(timer)).map(({ question }) => question))]);
  assert.deepEqual([questions, node.state.asked, node.state.latest], [[[LATEST + 1], [], [LATEST + 2]], LATEST + 2, LATEST + 2]);
  const [grant] = sentBy(node.receive(message("CLAIM", "3", 4, 99)));
  const { lease, asked, latest } = node.state;
  assert.deepEqual([grant.question, lease, asked, latest], [99, 99, 0, LATEST + 2]);
});

test("an answer counts for what is asked, and no other question", () => {
  for (const [role, type, epoch] of [["candidate", "OK", 3], ["candidate", "ASSENT", 3], ["claimant", "GRANT", 4], ["claimant", "REFUSE", 4]]) {
    for (const question of [LATEST - 1, LATEST + 1]) {
      const node = two({ role });
      const before = node.state;
      assert.deepEqual(node.receive(message(type, "3", epoch, question)), { effects: [], state: before }, type);
    }
    assert.notDeepEqual(two({ role }).receive(message(type, "3", epoch, LATEST)).state, two({ role }).state, type);
  }
  const { state: leads } = two({ role: "claimant" }).receive(message("GRANT", "1", 4, LATEST));
  assert.deepEqual([leads.role, leads.dated, leads.answered], ["leader", LATEST, [{ node: "1", question: LATEST }]]);
});

test("a lease never gets older, and ends as of its question (R5)", () => {
  const node = two({ leader: "3", lease: 5 });
  for (const [question, lease, anew] of [[7, 7, true], [7, 7, false], [5, 7, false]]) {
    const { effects, state } = node.receive(message("HEARTBEAT", "3", 3, question));
    assert.deepEqual([state.lease, effects.some(({ arm }) => arm === "patience")], [lease, anew]);
  }
  for (const type of ["ELECTION", "RESIGN", "IM_BACK"]) {
    const more = type === "ELECTION" ? { keeps: null } : {};
    const leader = (question) => two({ leader: "3", lease: 7 }).receive(message(type, "3", 3, question, more)).state.leader;
    assert.deepEqual([leader(6), leader(7)], ["3", null], type);
  }
});

test("a reign is dated from the latest question that a quorum has answered (R25, R26)", () => {
  const leader = two({ role: "leader", leader: "2" }, FIVE);
  leader.end("heartbeat");
  const ack = (from, question) => {
    const { effects, state } = leader.receive(message("ACK", from, 3, question));
    return [state.dated, effects.some(({ arm }) => arm === "reign")];
  };
  assert.deepEqual(ack("1", LATEST + 1), [2, false]);
  assert.deepEqual(ack("3", LATEST), [LATEST, true]);
  assert.deepEqual(ack("3", LATEST - 1), [LATEST, false], "it never goes back");
  assert.deepEqual(ack("4", LATEST + 1), [LATEST + 1, true]);
  assert.deepEqual(ack("5", LATEST + 2), [LATEST + 1, false], "that has not been asked");
  assert.deepEqual(leader.state.answered.map(({ node, question }) => [node, question]), [["1", 7], ["3", 6], ["4", 7], ["5", 2]]);
});

test("where fewer are a quorum, the latest of several questions dates the reign (R26, R47)", () => {
  const conf = (version, ids) => ({ epoch: 3, version, members: ids.map((id) => ({ id, kind: "voter" })) });
  const answered = [["1", 6], ["3", 5], ["4", 3]].map(([node, question]) => ({ node, question }));
  const leader = two({ role: "leader", leader: "2", support: ["1", "3"], dated: 3, answered, configuration: conf(1, ["1", "2", "3", "4"]) });
  const { state } = leader.call("change", conf(2, THREE));
  assert.deepEqual([state.dated, state.support, state.answered], [6, [], answered.slice(0, 2)], "who is removed has answered nothing");
});

test("a block of numbers is saved at once", () => {
  const node = two({ latest: BLOCK });
  assert.deepEqual(node.end("patience").effects[0], { save: { epoch: 3, grantee: null, reserved: 2 * BLOCK } });
  assert.ok(!node.end("election").effects.some(({ save }) => save));
});

test("whom a leader has granted is granted at once (R29)", () => {
  const granted = { by: "5", epoch: 4, question: 9 };
  for (const [fields, answers] of [[{ leader: "3" }, 1], [{}, 1], [{ leader: "4" }, 0], [{ role: "candidate" }, 1], [{ role: "claimant" }, 0]]) {
    const sent = sentBy(two(fields, FIVE).receive(message("RESIGN", "3", 3, LATER, { granted })));
    const grants = sent.filter(({ type }) => type === "GRANT");
    assert.deepEqual(grants, Array(answers).fill({ type: "GRANT", from: "2", to: "5", epoch: 4, question: 9 }));
  }
});

test("of two claimants the better goes on (R11, R17)", () => {
  for (const [from, epoch, answer] of [["1", 4, "REFUSE"], ["1", 5, "GRANT"], ["3", 4, "GRANT"]]) {
    assert.deepEqual(sentBy(two({ role: "claimant" }).receive(message("CLAIM", from, epoch, 9))).map(({ type }) => type), [answer]);
  }
  const firm = two({ role: "claimant" }).receive(message("ELECTION", "3", 3, 9, { keeps: null }));
  assert.deepEqual([firm.state.role, ...sentBy(firm).map(({ type }) => type)], ["claimant", "ASSENT"]);
});
