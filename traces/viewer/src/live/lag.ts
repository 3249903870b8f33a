// How far behind the nodes the page is. Their clocks are not its own: what came soonest after it happened says how far apart they are.

// Lag notes of each node from when on it is heard, and how long after it happened a step of it came at the soonest, both in milliseconds. Times of steps are microseconds.
export class Lag {
  readonly #nodes = new Map<string, { since: number; least: number }>();

  // heard notes that a step has come.
  heard(node: string, at: number, now: number): void {
    const of = this.#nodes.get(node);
    if (of) of.least = Math.min(of.least, now - at / 1000);
    else this.#nodes.set(node, { since: now, least: now - at / 1000 });
  }

  // forget is called when a node is not heard any more: what comes when it is heard again happened before that, or has another clock.
  forget(node: string): void { this.#nodes.delete(node); }

  // of returns how many milliseconds ago a step happened that is not shown yet; 0 of what happened before its node was heard.
  of(node: string, at: number, now: number): number {
    const of = this.#nodes.get(node);
    return of && at / 1000 + of.least >= of.since ? Math.max(0, now - at / 1000 - of.least) : 0;
  }
}
