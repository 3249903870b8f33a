// Nodes that are not heard: the recording is told so, once of each, as no node tells of its own crash. What that comes to the engine says, as
// it does of a trace in which the record of a node just ends.
import type { Member } from './members';
import type { Step } from './merge';

const silences = new Set<Member['reach']>(['away', 'silent', 'unseen']);

// unheard is the name of what the recording is told then: it is the step of no node.
export const unheard = 'Unheard';

export class Ends {
  readonly #last = new Map<string, Step>(); // of each node that is heard
  readonly #told = new Set<string>();

  // heard notes a step of a node.
  heard(step: Step): void {
    this.#last.set(step.node, step);
    this.#told.delete(step.node);
  }

  // of returns the ends of the nodes that are not heard any more, or never were, and that nobody has been told of yet.
  of(members: Member[]): Step[] {
    const all = members.filter((m) => silences.has(m.reach) && !this.#told.has(m.id));
    return all.map(({ id }) => {
      const last = this.#last.get(id);
      this.#last.delete(id);
      this.#told.add(id);
      return last ? theEnd(last) : neverHeard(id);
    });
  }
}

// theEnd is what the recording is told when a node is heard no more: else it would act in it for ever, beside its successors. It is after
// the last step of the node, and has what that was. If the node is heard again, the recording shows it as it then is.
export function theEnd(last: Step): Step {
  const { seq, at, node, state } = last;
  return { seq: seq + 1, at: at + 1, node, action: unheard, state, last };
}

// neverHeard is the end of a node that died before the page came, or that the page cannot reach: else all that is said to it would be
// under way for ever. It is before all that is heard.
export function neverHeard(node: string): Step {
  return { seq: 0, at: 0, node, action: unheard, state: { role: 'follower', leader: null, lease: 0, epoch: 0, grantee: null, support: [], asked: 0, latest: 0 } };
}

// lineOf returns the end of a node as the engine is fed it.
export function lineOf({ node, last }: Step): string {
  return JSON.stringify({ unheard: node, ...(last && { last }) });
}
