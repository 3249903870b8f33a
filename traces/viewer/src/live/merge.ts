// Steps of several nodes, each in its own order, become one order: that of their times, as far as clocks agree; and nothing
// is received before it is sent, where that can be known.

// Told is a message, as it is in a step.
interface Told { from: string; to: string; type: string; configuration?: Members }

// Members is a configuration, where members come and go.
export interface Members { epoch: number; version: number; members: { id: string; kind: string; rank?: number }[] }

// Step is what this page reads of a step of a node. All of it is in its line.
export interface Step {
  seq: number; at: number; node: string; action: string; input?: { message?: Told; configuration?: Members }; sent?: Told[];
  state: {
    role: string; leader: string | null; lease: number; epoch: number; grantee: string | null; support: string[]; asked: number; latest: number;
    configuration?: Members;
  };
  last?: Step; // of the end of a node that is heard no more: the last step that was heard of it
}

// idsOf returns every node that a step names.
export function idsOf(step: Step): string[] {
  const messages = [...(step.input?.message ? [step.input.message] : []), ...(step.sent ?? [])];
  const configurations = [step.state?.configuration, step.input?.configuration, ...messages.map((m) => m.configuration)];
  return [step.node, ...messages.flatMap((m) => [m.from, m.to]), ...configurations.flatMap((c) => (c?.members ?? []).map((m) => m.id))];
}

// byRank orders ids as the rules do: integers by their size, and UUIDs, which are higher, by their letters.
export function byRank(a: string, b: string): number {
  const [one, other] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (one !== other) return one ? -1 : 1;
  if (one && a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

// Heard is a step that has come.
export interface Heard { step: Step; line: string; came: number }

const long = 150; // milliseconds that a step waits for those that happened before it, and come later

export class Merger {
  readonly #queues = new Map<string, Heard[]>();
  readonly #sent = new Map<string, number>();    // so often a message was sent, and not received, by what has been released
  readonly #waiting = new Map<string, number>(); // so often a message is sent in what waits

  // push takes a step. Those of one node come in their order.
  push(step: Step, line: string, now: number): void {
    const queue = this.#queues.get(step.node);
    const heard = { step, line, came: now };
    if (queue) queue.push(heard);
    else this.#queues.set(step.node, [heard]);
    for (const message of step.sent ?? []) add(this.#waiting, message, 1);
  }

  // release returns the steps that have waited for long enough, in their order.
  release(now: number): Heard[] {
    const released: Heard[] = [];
    for (;;) {
      const next = this.#next();
      if (!next || next.came + long > now) return released;
      this.#queues.get(next.step.node)!.shift();
      const message = next.step.input?.message;
      if (message && next.step.node === message.to) add(this.#sent, message, -1);
      for (const message of next.step.sent ?? []) { add(this.#waiting, message, -1); add(this.#sent, message, 1); }
      released.push(next);
    }
  }

  // heads returns the step of each node that waits longest.
  heads(): Heard[] { return [...this.#queues.values()].flatMap((queue) => queue.slice(0, 1)); }

  // #next returns the earliest of the first steps of all nodes. A step that takes a message which is sent in a step that still
  // waits is later than that, whatever the clocks say; unless all are: then something was not heard, and time decides.
  #next(): Heard | undefined {
    let first: Heard | undefined;
    let possible: Heard | undefined;
    for (const queue of this.#queues.values()) {
      const head = queue[0];
      if (!head) continue;
      if (!first || head.step.at < first.step.at) first = head;
      if ((!possible || head.step.at < possible.step.at) && !this.#tooEarly(head.step)) possible = head;
    }
    return possible ?? first;
  }

  #tooEarly(step: Step): boolean {
    const message = step.input?.message;
    if (!message) return false;
    const key = JSON.stringify(message);
    return !this.#sent.has(key) && this.#waiting.has(key);
  }
}

// add counts. What there is none of is not kept: messages go on for ever.
function add(counts: Map<string, number>, message: Told, by: number): void {
  const key = JSON.stringify(message);
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
