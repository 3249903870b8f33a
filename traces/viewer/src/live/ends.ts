// Nodes that are not heard: the recording is told so, once of each, as no node tells of its own crash.
import type { Member } from './members';
import type { Step } from './merge';

const block = 2 ** 20; // how many numbers of questions a node reserves at once
const silences = new Set<Member['reach']>(['away', 'silent', 'unseen']);

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

// theEnd is what the recording is told when a node is heard no more: else it would act in it for ever, beside its successors. Of its
// numbers a block is on its disk, all of which it may have used. If it has not crashed, and is heard again, the recording shows it as it then is.
export function theEnd(last: Step): Step {
  const { epoch, grantee, latest, configuration } = last.state;
  const reserved = Math.ceil(latest / block) * block;
  return {
    seq: last.seq + 1, at: last.at + 1, node: last.node, action: 'Crash',
    state: { role: 'follower', leader: null, lease: 0, epoch, grantee, support: [], asked: 0, latest: reserved, ...(configuration && { configuration }) },
  };
}

// neverHeard is the end of a node that died before the page came, or that the page cannot reach: else all that is said to it would be
// under way for ever. It is before all that is heard.
export function neverHeard(node: string): Step {
  return { seq: 1, at: 0, node, action: 'Crash', state: { role: 'follower', leader: null, lease: 0, epoch: 0, grantee: null, support: [], asked: 0, latest: 0 } };
}

// lineOf returns a step as a line of a trace. A time that is not known is left out.
export function lineOf({ seq, at, ...step }: Step): string {
  return JSON.stringify({ seq, ...(at > 0 && { at }), ...step });
}
