// What is well formed: ids, epochs and members (spec/README.md, section 5), states (section 6) and messages (section 7). What a host or a non-member
// hands in is looked at here, before any rule sees it. Nothing is imported, so that the same file runs in Node and in a browser. A `configuration` is
// there only where members change (R40), and configuration.mjs looks at it.

/** @typedef {string} Id  An id of R1: `"3"`, or a UUID of version 4. */
/** @typedef {"follower"|"candidate"|"electing"|"claimant"|"leader"} Role */
/** @typedef {"ELECTION"|"OK"|"ASSENT"|"CLAIM"|"GRANT"|"REFUSE"|"COORDINATOR"|"HEARTBEAT"|"ACK"|"RESIGN"|"IM_BACK"} Type */
/** @import { Configuration } from "./configuration.mjs" */
/** @typedef {{by: Id, epoch: number, question: number}} Granted  The claim that a leader has granted as it handed over (R18). */
/** @typedef {{type: Type, from: Id, to: Id, epoch: number, question: number, keeps?: Id|null, granted?: Granted, names?: Id, hold?: number, configuration?: Configuration}} Message */
/** @typedef {{epoch: number, grantee: Id|null, reserved: number, configuration?: Configuration}} Promised  What is on disk: the highest epoch, to whom it is promised, and which numbers may have been used. */
/** @typedef {{node: Id, question: number}} Answered  The latest question that a node has answered. */
/**
 * `support` and `answered` are ascending; only a leader has `dated` and `answered`.
 * @typedef {{role: Role, leader: Id|null, lease: number, epoch: number, grantee: Id|null, support: readonly Id[], asked: number, latest: number,
 *   dated?: number, answered?: readonly Answered[], configuration?: Configuration}} State
 */

/** R2: the greatest integer that every JSON reader keeps exact. */
export const MAX_EPOCH = Number.MAX_SAFE_INTEGER;

/** R34: the types that a node knows. @type {readonly string[]} */
export const TYPES = ["ELECTION", "OK", "ASSENT", "CLAIM", "GRANT", "REFUSE", "COORDINATOR", "HEARTBEAT", "ACK", "RESIGN", "IM_BACK"];
const ROLES = ["follower", "candidate", "electing", "claimant", "leader"];
/** What may be there besides. @type {Readonly<Record<string, readonly string[]>>} */
const MORE = { ELECTION: ["keeps"], CLAIM: ["names"], RESIGN: ["granted", "names", "hold"] };
const MAX_HOLD = 24 * 60 * 60 * 1000;
const FIELDS = ["type", "from", "to", "epoch", "question"];
const MAX_RESERVED = 2 ** 52;
const BLOCK = 2 ** 20;
const INTEGER = /^[1-9][0-9]{0,19}$/;
const MAX_INTEGER = "18446744073709551615";
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** R1: is this the text of an id? @param {unknown} v @returns {v is Id} */
export const isId = (v) =>
  typeof v === "string" && (UUID.test(v) || (INTEGER.test(v) && (v.length < MAX_INTEGER.length || v <= MAX_INTEGER)));

/**
 * R1: below 0 if a is the lower id, above 0 if it is the higher. Texts of one length are ordered as their bytes are, a longer integer is higher,
 * and a UUID, which is longer than any integer, is higher than all of them.
 * @param {Id} a @param {Id} b
 */
export const compareIds = (a, b) => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);

/** R2: `-0` has a sign, and so is no epoch. @param {any} v @returns {v is number} */
export const isEpoch = (v) => Number.isSafeInteger(v) && v >= 0 && !Object.is(v, -0);

/** R50: the number of a question; 0 is none. @param {any} v @returns {v is number} */
const isNumber = isEpoch;
/** R50: the number of a question. @param {any} v @returns {v is number} */
const isQuestion = (v) => isNumber(v) && v > 0;

/** The record of a node in this state: it reserves the block of numbers that its latest is in (R50). @param {State} s @returns {Promised} */
export function promiseOf({ epoch, grantee, latest, configuration }) {
  const promise = { epoch, grantee, reserved: Math.ceil(latest / BLOCK) * BLOCK };
  return configuration ? { ...promise, configuration } : promise;
}

/** R33: why this is no message of section 7, or `""` if it is one. A type that nobody knows is left to R34, and so is a configuration. @param {any} m */
export function malformed(m) {
  if (typeof m !== "object" || m === null || Array.isArray(m)) return "not an object";
  for (const field of FIELDS) if (!Object.hasOwn(m, field)) return `the field ${field} is missing`;
  if (typeof m.type !== "string") return "the type is not a string";
  const more = ["configuration", ...(Object.hasOwn(MORE, m.type) ? MORE[m.type] : [])];
  if (Object.keys(m).length !== FIELDS.length + more.filter((f) => Object.hasOwn(m, f)).length) return "a field is unknown";
  if (m.type === "ELECTION" && !(m.keeps === null || isId(m.keeps))) return "keeps is no id, nor null";
  if (Object.hasOwn(m, "granted") && !(isGranted(m.granted) && m.granted.by !== m.from)) return "granted is none";
  if (Object.hasOwn(m, "names") && !(isId(m.names) && m.names !== m.from && !Object.hasOwn(m, "granted"))) return "names is none, or one too many";
  if (Object.hasOwn(m, "hold") && !(Object.hasOwn(m, "names") && isHold(m.hold) && m.hold > 0)) return "hold is none, or nobody is named";
  if (!isId(m.from)) return "from is no id";
  if (!isId(m.to)) return "to is no id";
  if (m.from === m.to) return "the sender is the receiver";
  if (!isEpoch(m.epoch)) return "the epoch is not an integer from 0 to 2^53-1";
  return isQuestion(m.question) ? "" : "the question is not an integer from 1 to 2^53-1";
}

/** Is it a claim that was granted (R18)? @param {any} v @returns {v is Granted} */
function isGranted(v) {
  if (typeof v !== "object" || v === null || Object.keys(v).length !== 3) return false;
  return isId(v.by) && isEpoch(v.epoch) && isQuestion(v.question);
}

/** R51: for how many milliseconds a node that was named is to be left in peace; 0 for not at all. @param {any} v @returns {v is number} */
export const isHold = (v) => isNumber(v) && v <= MAX_HOLD;

/** R40: throws, and says what to do, unless these are members, and `me` is one of them. @param {any} me @param {any} members */
export function checkMembers(me, members) {
  if (!Array.isArray(members) || !members.every(isId)) throw new TypeError("members: give a list of ids (R1)");
  const sorted = members.every((id, i) => i === 0 || compareIds(members[i - 1], id) < 0);
  if (!sorted) throw new TypeError("members: sort them by rank (R1), each once");
  if (!members.includes(me)) throw new TypeError("me: give the id of one of the members (R40)");
}

/** R32: throws unless this is what a disk has kept of a node among these. @param {any} p @param {(id: any) => boolean} isNode */
export function checkPromise(p, isNode) {
  const isReserved = isNumber(p?.reserved) && p.reserved <= MAX_RESERVED;
  if (isEpoch(p?.epoch) && (p.grantee === null || isNode(p.grantee)) && isReserved) return;
  throw new TypeError("promise: the record is damaged, or of another membership; do not start (R32)");
}

/** Throws unless this is a state of section 6. @param {any} s @param {(id: any) => boolean} isNode @param {(id: any) => boolean} isOther */
export function checkState(s, isNode, isOther) {
  if (!ROLES.includes(s?.role)) throw new TypeError("state: give a role of section 6");
  if (!isEpoch(s.epoch)) throw new TypeError("state: give an epoch (R2)");
  if (s.leader !== null && !isNode(s.leader)) throw new TypeError("state: give a leader that is a member, or null");
  if (s.grantee !== null && !isNode(s.grantee)) throw new TypeError("state: give a grantee that is a member, or null");
  const supported = Array.isArray(s.support) && s.support.every((/** @type {any} */ id) => isOther(id));
  if (!supported) throw new TypeError("state: give a support of other members");
  if (!isQuestion(s.latest) || !isNumber(s.lease)) throw new TypeError("state: give latest and lease (R50)");
  if (!isNumber(s.asked) || s.asked > s.latest) throw new TypeError("state: nothing above the latest number is asked (R50)");
  if (s.role !== "leader") return;
  if (!isNumber(s.dated) || s.dated > s.latest || !Array.isArray(s.answered)) throw new TypeError("state: a leader is dated, and has been answered (R26)");
  const answered = s.answered.every((/** @type {any} */ a) => isOther(a?.node) && isNumber(a.question) && a.question <= s.latest);
  if (!answered) throw new TypeError("state: other members have answered, and nothing above the latest number (R25)");
}
