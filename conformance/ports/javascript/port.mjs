// The port: answers the requests of the kit, one JSON object a line, as conformance/CERTIFYING.md says under "Certify a port in another language".

import { readSync, writeSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { BullyNode } from "./bully.mjs";
import { EMPTY } from "./configuration.mjs";
import { Fence } from "./fence.mjs";

const PORT = { name: "bully-javascript", version: "2.0.0", language: "JavaScript" };
const [STDIN, STDOUT] = [0, 1]; // not process.stdin, which makes a pipe one that does not block

/** @type {Map<string, BullyNode>} */
const nodes = new Map();
/** @type {Map<string, Fence>} */
const resources = new Map();
let open = true; // until `bye`

/** @param {string} name */
function nodeOf(name) {
  const node = nodes.get(name);
  if (!node) throw new Error("node: no such node; start, restart or load it first");
  return node;
}

/** @param {string} name */
function resourceOf(name) {
  const resource = resources.get(name) ?? new Fence();
  resources.set(name, resource);
  return resource;
}

/** Keeps a node that has started, in the place of one of the same name. @param {string} name */
function keep(name, { node, effects, state }) {
  nodes.set(name, node);
  return { effects, state };
}

/** What the kit is told of an input: the rule that `ignored` is counted under is for embedders. */
const answered = ({ effects, ignored, state }) => (effects ? { effects, state } : { ignored, state });

/** What a node knows of its members when it goes on from a record or a state: the fixed ones, or nothing yet. @param {any} q @param {any} from */
const known = (q, from) => (from?.configuration === undefined ? q.members : EMPTY);

/** A field that must be there. @param {any} q @param {string} name @param {string} [type] */
function said(q, name, type) {
  if (q[name] === undefined || (type && typeof q[name] !== type)) throw new Error(`${name}: it is missing, or no ${type ?? "value"}`);
  return q[name];
}

/** What each op does: the reply without its id. */
const OPS = new Map(Object.entries({
  hello: () => ({ port: PORT, protocol: 1, features: ["fence", "members", "names"] }),
  reset: () => {
    nodes.clear();
    resources.clear();
    return { ok: true };
  },
  start: (q) => keep(q.node, BullyNode.start(q.me, q.configuration ?? q.members)),
  restart: (q) => keep(q.node, BullyNode.restart(q.me, known(q, q.promise), q.promise)),
  load: (q) => {
    const node = BullyNode.load(q.me, known(q, q.state), q.state);
    nodes.set(q.node, node);
    return { state: node.state };
  },
  receive: (q) => answered(nodeOf(q.node).receive(said(q, "message"))),
  end: (q) => answered(nodeOf(q.node).end(said(q, "timer", "string"))),
  call: (q) => answered(nodeOf(q.node).call(said(q, "call", "string"), q.configuration, q)),
  crash: (q) => {
    nodes.delete(q.node);
    return { ok: true };
  },
  write: (q) => resourceOf(q.resource).write(q.epoch ?? 0, q.value ?? ""),
  read: (q) => resourceOf(q.resource).read(),
  bye: () => {
    open = false;
    return { ok: true };
  },
}));

/** Answers one line; whatever goes wrong is an answer too. @param {string} line */
function answer(line) {
  let id = null;
  try {
    const q = JSON.parse(line);
    if (["number", "string"].includes(typeof q.id)) id = q.id;
    const op = OPS.get(q.op);
    return JSON.stringify({ id, ...(op ? op(q) : { unsupported: "no such op" }) });
  } catch (e) {
    return JSON.stringify({ id, error: String(e) });
  }
}

/** Reads what has come, and waits if nothing has; 0 at the end of the input. @param {Buffer} chunk */
const readChunk = (chunk) => patiently(() => readSync(STDIN, chunk));

/** @param {string} text */
function write(text) {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) done += patiently(() => writeSync(STDOUT, bytes, done));
}

/** Tries again while a pipe that does not block is empty or full; an end of the input that comes as an error (Windows) is 0. @param {() => number} io */
function patiently(io) {
  for (;;) {
    try {
      return io();
    } catch (e) {
      if (e.code === "EOF") return 0;
      if (e.code !== "EAGAIN") throw e;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

/** Answers all whole lines of a chunk with one write. Reading waits for the kit: there is nothing else to do, and it is twice as fast as events. */
function serve() {
  const chunk = Buffer.alloc(1 << 16);
  const decoder = new StringDecoder("utf8");
  let rest = ""; // of a line whose end has not come yet
  while (open) {
    const n = readChunk(chunk);
    if (n === 0) return;
    const lines = (rest + decoder.write(chunk.subarray(0, n))).split("\n");
    rest = lines.pop() ?? "";
    let replies = "";
    for (const line of lines) if (open) replies += answer(line) + "\n";
    write(replies);
  }
}

try {
  serve();
} catch (e) {
  if (e.code !== "EPIPE") throw e;
  process.exitCode = 1; // nobody reads the replies any more
}
