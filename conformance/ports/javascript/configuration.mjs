// Who the members are (spec/README.md, R42): an epoch, a version and the members. A configuration is what `configurationOf` has read, and is
// never changed: a node that has another one has taken it over. Fixed members are one too, which nobody says.

import { checkMembers, compareIds, isEpoch, isId } from "./forms.mjs";

/** @import { Id } from "./forms.mjs" */
/** @typedef {"voter"|"witness"|"observer"} Kind */
/** @typedef {{id: Id, kind: Kind, rank?: number, address?: string}} Member  A rank of 0 is left out. No rule looks at the address; an empty one is left out. */
/** @typedef {{epoch: number, version: number, members: readonly Member[]}} Configuration  Members are ascending. */

/** R49: what a node that is to join knows. @type {Configuration} */
export const EMPTY = { epoch: 0, version: 0, members: [] };

const KINDS = ["voter", "witness", "observer"];
const MAX_MEMBERS = 50;
const MAX_RANK = 65535;
const ADDRESS = /^[!#-%'-;=?-[\]-~]{1,128}$/;
const MAX_BYTES = 1024; // of a message in its binary form: 99, and for each member 18, 2 for a rank, and those of its address

/** R42: reads a configuration, and repairs nothing: throws a TypeError that says what is wrong. @param {any} v @returns {Configuration} */
export function configurationOf(v) {
  if (!hasFields(v, ["epoch", "version", "members"]) || !Array.isArray(v.members)) throw new TypeError("configuration: give epoch, version and a list of members");
  if (!isEpoch(v.epoch) || !isEpoch(v.version)) throw new TypeError("configuration: epoch and version are integers from 0 to 2^53-1");
  /** @type {Member[]} */
  const members = v.members.map(memberOf);
  const known = { epoch: v.epoch, version: v.version, members };
  if (members.length === 0) {
    if (v.epoch === 0 && v.version === 0) return known;
    throw new TypeError("configuration: without members epoch and version are 0");
  }
  if (v.version === 0) throw new TypeError("configuration: the version is from 1 on");
  if (members.length > MAX_MEMBERS) throw new TypeError(`configuration: at most ${MAX_MEMBERS} members`);
  const ascending = members.every(({ id }, i) => i === 0 || compareIds(members[i - 1].id, id) < 0);
  if (!ascending) throw new TypeError("configuration: sort members by id (R1), each once");
  if (!members.some(({ kind }) => kind === "voter")) throw new TypeError("configuration: a voter is needed");
  const bytes = members.reduce((sum, { rank, address }) => sum + 18 + (rank ? 2 : 0) + (address?.length ?? 0), 99);
  if (bytes > MAX_BYTES) throw new TypeError(`configuration: ${bytes} bytes, which is more than a message of ${MAX_BYTES} holds`);
  return known;
}

/** R42, R43: reads a configuration that is part of a message, record or state of this epoch. @param {number} epoch @param {any} value */
export function configurationUpTo(epoch, value) {
  const configuration = configurationOf(value);
  if (configuration.epoch > epoch) throw new TypeError("configuration: its epoch is above that of the message, record or state");
  return configuration;
}

/** R40: the configuration that fixed members are. @param {Id} me @param {readonly Id[]} ids @returns {Configuration} */
export function fixedOf(me, ids) {
  checkMembers(me, ids);
  return { epoch: 0, version: 0, members: ids.map((id) => ({ id, kind: "voter" })) };
}

/** R49: may a node begin with it? @param {Configuration} c @param {Id} me */
export const isFirst = (c, me) => c.members.length === 0 || (c.epoch === 0 && c.version === 1 && isMember(c, me));

/** @param {any} v @returns {Member} */
function memberOf(v) {
  const more = ["rank", "address"].filter((f) => typeof v === "object" && v !== null && Object.hasOwn(v, f));
  if (!hasFields(v, ["id", "kind", ...more])) throw new TypeError("member: give id, kind and, unless it is 0, rank, and, unless it is empty, address");
  if (!isId(v.id)) throw new TypeError("member: id is no id (R1)");
  if (!KINDS.includes(v.kind)) throw new TypeError("member: kind is voter, witness or observer");
  if (more.includes("rank") && !(Number.isInteger(v.rank) && v.rank >= 1 && v.rank <= MAX_RANK)) throw new TypeError("member: rank is 1 to 65535, or left out (R1)");
  if (more.includes("address") && (typeof v.address !== "string" || !ADDRESS.test(v.address))) throw new TypeError("member: address is 1 to 128 printable characters (R42)");
  return { id: v.id, kind: v.kind, ...(v.rank ? { rank: v.rank } : {}), ...(v.address ? { address: v.address } : {}) };
}

/** Is it an object of these fields, and no other? @param {any} v @param {string[]} fields */
const hasFields = (v, fields) =>
  typeof v === "object" && v !== null && Object.keys(v).length === fields.length && fields.every((f) => Object.hasOwn(v, f));

/** R42: is c newer than d? @param {Configuration} c @param {Configuration} d */
export const newer = (c, d) => c.epoch > d.epoch || (c.epoch === d.epoch && c.version > d.version);
/** R45: are they exactly the same? @param {Configuration} c @param {Configuration} d */
export const same = (c, d) =>
  c === d || (c.epoch === d.epoch && c.version === d.version && c.members.length === d.members.length && differing(c, d).length === 0);
/** R47: who is a member of one of the two alone, or another kind of member, of another rank, or elsewhere. @param {Configuration} c @param {Configuration} d @returns {Id[]} */
export function differing(c, d) {
  const ids = new Set([...c.members, ...d.members].map(({ id }) => id));
  return [...ids].filter((id) => {
    const [m, n] = [entry(c, id), entry(d, id)];
    return m?.kind !== n?.kind || m?.rank !== n?.rank || m?.address !== n?.address;
  });
}
/** R48: the same members and version, of this epoch. @param {Configuration} c @param {number} epoch @returns {Configuration} */
export const at = (c, epoch) => ({ ...c, epoch });

/** @param {Configuration} c @param {Id} id */
function entry(c, id) {
  for (const m of c.members) if (m.id === id) return m;
}
/** @param {Configuration} c @param {Id} id */
export const isMember = (c, id) => entry(c, id) !== undefined;
/** @param {Configuration} c @param {Id} id */
export const isVoter = (c, id) => entry(c, id)?.kind === "voter";
/** Voters and witnesses are who a quorum is of. @param {Configuration} c @param {Id} id */
export const isElector = (c, id) => isVoter(c, id) || entry(c, id)?.kind === "witness";
/** R1, R46: is a to lead rather than b, which is lower, or may not lead at all? @param {Configuration} c @param {Id} a @param {Id} b */
export const outranks = (c, a, b) => higher(c, a, b) || !isVoter(c, b);
/** R1: is a of a higher rank than b, or of the same and of a higher id? @param {Configuration} c @param {Id} a @param {Id} b */
function higher(c, a, b) {
  const [m, n] = [entry(c, a)?.rank ?? 0, entry(c, b)?.rank ?? 0];
  return m > n || (m === n && compareIds(a, b) > 0);
}
/** R46: the highest of those who may lead. @param {Configuration} c */
export const highest = (c) => c.members.find(({ id, kind }) => kind === "voter" && c.members.every((m) => m.id === id || m.kind !== "voter" || higher(c, id, m.id)))?.id;
/** R3, R42: are these more than half of the electors? @param {Configuration} c @param {readonly Id[]} ids */
export function isQuorum(c, ids) {
  const electors = c.members.filter(({ kind }) => kind !== "observer");
  return 2 * electors.filter(({ id }) => ids.includes(id)).length > electors.length;
}
