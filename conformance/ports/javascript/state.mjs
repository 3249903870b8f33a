// What the rules of spec/README.md (section 8) do to a state, whoever's it is. No rule changes its argument.

import { at, isMember } from "./configuration.mjs";
import { compareIds } from "./forms.mjs";

/** @import { Configuration } from "./configuration.mjs" */
/** @import { Id, Promised, Role, State } from "./forms.mjs" */

/** A copy of the state with these changes; no rule changes its argument. @param {State} s @param {Partial<State>} changes @returns {State} */
export const but = (s, changes) => ({ ...s, ...changes });
/** R4, R30, R50: what a crash leaves; the next number is the first that is not reserved. @param {Promised} p @returns {State} */
export const survives = ({ epoch, grantee, reserved, configuration }) => ({
  role: "follower", leader: null, lease: 0, epoch, grantee, support: [], asked: 0, latest: reserved + 1, ...(configuration && { configuration }),
});
/** A role in which nothing has been asked or answered yet. @param {State} s @param {Role} role @returns {State} */
export function become({ dated, answered, ...s }, role) {
  return { ...s, role, support: [], asked: 0 };
}
/** R50: numbers only rise. @param {State} s */
export const numbered = (s) => but(s, { latest: s.latest + 1 });
/** R8, R16, R50: asks a new question in this role. @param {State} s @param {Role} role */
export function asks(s, role) {
  const t = numbered(become(s, role));
  return but(t, { asked: t.latest });
}
/** R5: does its lease keep this node from helping c? @param {State} s @param {Id} c */
export const shields = (s, c) => s.leader !== null && s.leader !== c;
/** R5: the lease ends. @param {State} s */
export const unbound = (s) => but(s, { leader: null, lease: 0 });
/** R5: keeps the lease of j, of this question; it never gets older. @param {State} s @param {Id} j @param {number} question */
export const bound = (s, j, question) => but(s, { leader: j, lease: s.leader === j ? Math.max(s.lease, question) : question });
/** R5, R41: who holds the lease does not lead. @param {State} s */
export const freed = (s) => (s.role === "follower" || s.role === "electing" ? rest(unbound(s)) : unbound(s));
/** R5: node j says that it does not lead, as of its question. @param {State} s @param {Id} j @param {number} question */
export const release = (s, j, question) => (s.leader === j && question >= s.lease ? freed(s) : s);
/** R6: gives up what it was doing, and waits out the lease that it keeps. @param {State} s */
export const rest = (s) => become(s, s.leader === null ? "follower" : "electing");
/** R7: takes over a higher epoch, but for the one that it claims itself. @param {State} s @param {number} e */
export function learn(s, e) {
  if (e <= s.epoch || (s.role === "claimant" && e === nextEpoch(s))) return s;
  const t = but(s, { epoch: e, grantee: null });
  if (t.role === "candidate" || t.role === "electing") return t;
  return rest(t.role === "leader" ? unbound(t) : t);
}
/** R7: who keeps another's lease does not learn from what binds nobody. @param {State} s @param {Id} me @param {number} e */
export const learnIfFree = (s, me, e) => (shields(s, me) ? s : learn(s, e));
/** R16: the epoch that it claims, or would claim. @param {State} s */
export const nextEpoch = (s) => s.epoch + 1;
/** R17: is e still free to be promised to c? @param {State} s @param {Id} c @param {number} e */
export const mayGrant = (s, c, e) => e > s.epoch || (e === s.epoch && (s.grantee === null || s.grantee === c));
/** R17: is it claiming e, or more, itself? @param {State} s @param {number} e */
export const claims = (s, e) => s.role === "claimant" && e <= nextEpoch(s);
/** R12, R13, R19, R25: j backs it too; the support stays ascending. @param {State} s @param {Id} j */
export const backedBy = (s, j) => (s.support.includes(j) ? s : but(s, { support: [...s.support, j].sort(compareIds) }));

/** R25: j has answered this question, or a later one. @param {State} s @param {Id} j @param {number} question */
export function answeredBy(s, j, question) {
  const before = s.answered ?? [];
  const latest = Math.max(question, before.find(({ node }) => node === j)?.question ?? 0);
  const others = before.filter(({ node }) => node !== j);
  return but(s, { answered: [...others, { node: j, question: latest }].sort((a, b) => compareIds(a.node, b.node)) });
}

/** R43, R47: has this configuration from now on; what was asked, and support that was given, in the one before says nothing of it. @param {State} s @param {Configuration} configuration */
export function configured(s, configuration) {
  const t = but(s, { support: [], asked: 0, configuration });
  return t.answered ? but(t, { answered: t.answered.filter(({ node }) => isMember(configuration, node)) }) : t;
}
/** R43: takes over a newer configuration. @param {State} s @param {Configuration} configuration */
export function adopt(s, configuration) {
  const t = s.role === "candidate" || s.role === "claimant" ? rest(s) : s;
  return configured(learn(t, configuration.epoch), configuration);
}
/** R48: the configuration of who has won is of the epoch that it has won; fixed members are of every epoch. @param {State} s */
export const stamped = (s) => (s.configuration ? but(s, { configuration: at(s.configuration, s.epoch) }) : s);
