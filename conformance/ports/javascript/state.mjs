// What the rules of spec/README.md (section 8) do to a state, whoever's it is. No rule changes its argument.

import { at } from "./configuration.mjs";
import { compareIds } from "./forms.mjs";

/** @import { Configuration } from "./configuration.mjs" */
/** @import { Id, Promised, State } from "./forms.mjs" */

/** A copy of the state with these changes; no rule changes its argument. @param {State} s @param {Partial<State>} changes @returns {State} */
export const but = (s, changes) => ({ ...s, ...changes });
/** R4: what a crash leaves. @param {Promised} p @returns {State} */
export const survives = ({ epoch, grantee, ...more }) => ({ role: "follower", leader: null, epoch, grantee, support: [], ...more });
/** R5: does its lease keep this node from helping c? @param {State} s @param {Id} c */
export const shields = (s, c) => s.leader !== null && s.leader !== c;
/** R5: the lease ends. @param {State} s */
export const unbound = (s) => but(s, { leader: null });
/** R5: node j says that it does not lead, or is proved dead. @param {State} s @param {Id|null} j */
export function release(s, j) {
  if (s.leader !== j) return s;
  return s.role === "follower" || s.role === "electing" ? rest(unbound(s)) : unbound(s);
}
/** R6: gives up what it was doing, and waits out the lease that it keeps. @param {State} s */
export const rest = (s) => but(s, { role: s.leader === null ? "follower" : "electing", support: [] });
/** R7: takes over a higher epoch, but for the one that it claims itself. @param {State} s @param {number} e */
export function learn(s, e) {
  if (e <= s.epoch || (s.role === "claimant" && e === nextEpoch(s))) return s;
  const t = but(s, { epoch: e, grantee: null });
  if (t.role === "candidate" || t.role === "electing") return t;
  return rest(t.role === "leader" ? unbound(t) : t);
}
/** R16: the epoch that it claims, or would claim. @param {State} s */
export const nextEpoch = (s) => s.epoch + 1;
/** R17: is e still free to be promised to c? @param {State} s @param {Id} c @param {number} e */
export const mayGrant = (s, c, e) => e > s.epoch || (e === s.epoch && (s.grantee === null || s.grantee === c));
/** R12, R13, R19, R25: j backs it too; the support stays ascending. @param {State} s @param {Id} j */
export const backedBy = (s, j) => (s.support.includes(j) ? s : but(s, { support: [...s.support, j].sort(compareIds) }));

/** R43: takes over a newer configuration; support that was given in the older one says nothing of it. @param {State} s @param {Configuration} configuration */
export function adopt(s, configuration) {
  const t = s.role === "candidate" || s.role === "claimant" ? rest(s) : s;
  return but(learn(t, configuration.epoch), { support: [], configuration });
}
/** R48: the configuration of who has won is of the epoch that it has won; fixed members are of every epoch. @param {State} s */
export const stamped = (s) => (s.configuration ? but(s, { configuration: at(s.configuration, s.epoch) }) : s);
