#!/usr/bin/env node
// A port, to begin with: it starts nodes (R32), gets R8 wrong, and can do nothing else.
//
//     bullytest check -- node port.js
//
// What a node does is in spec/README.md, section 8, and as one block of code in spec/code.md. What is read and written here
// is in conformance/CERTIFYING.md. Ids are text: as numbers they lose digits. Epochs are safe integers.
'use strict';

const readline = require('node:readline');

class Unsupported extends Error {}

class Node {
  constructor(me, members) {
    this.me = me; // ids are compared as R1 says, and not as text: "10" is higher than "9"
    this.members = members;
    // support ascends; asked and latest are numbers of questions (R50); a leader has dated and answered besides
    this.state = { role: 'follower', leader: null, lease: 0, epoch: 0, grantee: null, support: [], asked: 0, latest: 1 };
  }

  // R32. The effects of a step, in the order of section 10: save, over, cancel and arm, send, tell.
  start() {
    return [{ save: { epoch: 0, grantee: null, reserved: 2 ** 20 } }, { arm: 'patience' }];
  }

  end(timer) {
    if (timer === 'patience') {
      // R8. Yours: this is wrong. The lease ends, the node becomes a candidate, ELECTION goes to all others, one timer is
      // cancelled and another armed (R36), and users are told if they know of no leader any more (R39).
      return [];
    }
    throw new Unsupported(`the timer ${timer}: R9, R14, R15, R22, R26, R27`);
  }

  // R33 first: what is no message is ignored; then R34; then R10 to R31, by the type of the message.
  receive(message) {
    throw new Unsupported('messages: R10 to R31');
  }

  call(call) {
    throw new Unsupported('calls: R28, R41');
  }
}

const nodes = new Map();

function answer(q) {
  switch (q.op) {
    case 'hello':
      return { port: { name: 'mine', version: '0.1', language: 'JavaScript' }, protocol: 1, features: [] };
    case 'reset':
      nodes.clear();
      return { ok: true };
    case 'crash':
      nodes.delete(q.node);
      return { ok: true };
    case 'bye':
      return { ok: true };
    case 'start': {
      const node = new Node(q.me, q.members);
      nodes.set(q.node, node);
      return { effects: node.start(), state: node.state };
    }
    case 'end': {
      const node = nodes.get(q.node);
      return { effects: node.end(q.timer), state: node.state };
    }
    // To come: restart (R30), load, receive, call. An input that is no step is answered with {"ignored": why, "state": …}.
  }
  throw new Unsupported(`the op ${q.op}`);
}

const lines = readline.createInterface({ input: process.stdin, terminal: false });
lines.on('line', (line) => {
  const q = JSON.parse(line);
  let reply;
  try {
    reply = answer(q);
  } catch (e) {
    if (!(e instanceof Unsupported)) throw e;
    reply = { unsupported: e.message };
  }
  process.stdout.write(JSON.stringify({ id: q.id, ...reply }) + '\n');
  if (q.op === 'bye') lines.close();
});
