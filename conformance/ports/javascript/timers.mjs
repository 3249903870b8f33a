// Which timers run, and which begin anew (spec/README.md, section 9). How long they are is not for a node to know.

import { isMember, isVoter, outranks } from "./configuration.mjs";

/** @import { Configuration } from "./configuration.mjs" */
/** @import { Id, Message, State } from "./forms.mjs" */
/** @typedef {"patience"|"preempt"|"election"|"coordinator"|"claim"|"reign"|"heartbeat"} Timer */

/** R36, R46: the timers that run. Who is no member waits only for a lease to end; who may not stand pre-empts nobody. @param {State} s @param {Id} me @param {Configuration} known @returns {Timer[]} */
export function timersOf(s, me, known) {
  switch (s.role) {
    case "follower":
      if (s.leader === null) return isMember(known, me) ? ["patience"] : [];
      return isVoter(known, me) && outranks(known, me, s.leader) ? ["patience", "preempt"] : ["patience"];
    case "candidate": return ["election"];
    case "electing": return ["coordinator"];
    case "claimant": return ["claim"];
    case "leader": return ["reign", "heartbeat"];
  }
}

/** R36: does a timer that ran, and runs on, begin anew, though it has not ended? @param {Timer} timer @param {State} before @param {State} after @param {Message[]} sent */
export function beginsAnew(timer, before, after, sent) {
  const isAnother = after.leader !== before.leader;
  const renewed = isAnother || after.lease > before.lease;
  switch (timer) {
    case "patience": return renewed && sent.some((m) => m.type === "ACK");
    case "preempt": return isAnother || after.epoch !== before.epoch;
    case "coordinator": return renewed && sent.some((m) => m.type === "GRANT");
    case "reign": return after.dated !== before.dated;
    default: return false;
  }
}
