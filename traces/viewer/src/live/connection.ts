// The connection to one node: its steps, as they are taken, and its status, every second. Both are tried again and again.
import type { Reach, Status } from './members';

const second = 1000;
const patience = 2 * second; // a node that is stopped accepts connections, and says nothing
const slowest = 10 * second; // between two attempts

// Watcher is told what a node says.
export interface Watcher {
  step(line: string): void;
  reach(reach: Reach): void;
  status(status: Status | null): void;
}

export class Connection {
  #source: EventSource | null = null;
  #last = '';           // the id of the last step that has come: the next stream goes on behind it
  #wait = second;       // until the next attempt
  #retry: ReturnType<typeof setTimeout> | undefined;
  #open = false;        // the stream is
  #was = false;         // it was, at some time
  #answers = true;      // as far as is known

  constructor(readonly url: string, readonly watcher: Watcher) {
    this.#listen();
    void this.#ask();
  }

  #listen(): void {
    clearTimeout(this.#retry);
    const source = new EventSource(`${this.url}/steps${this.#last ? `?after=${encodeURIComponent(this.#last)}` : ''}`);
    this.#source = source;
    source.onopen = () => {
      this.#open = this.#was = this.#answers = true;
      this.#wait = second;
      this.#tell();
    };
    source.onmessage = (event: MessageEvent<string>) => {
      this.#last = event.lastEventId;
      this.watcher.step(event.data);
    };
    // The browser would try again by itself, but not after every error, and as often whatever happens.
    source.onerror = () => {
      source.close();
      this.#source = null;
      if (this.#open) void this.#check(); // a node that has ended is found out at once
      this.#open = false;
      this.#tell();
      this.#retry = setTimeout(() => this.#listen(), this.#wait * (0.8 + 0.4 * Math.random()));
      this.#wait = Math.min(this.#wait * 1.6, slowest);
    };
  }

  // #check asks the node how it is.
  async #check(): Promise<void> {
    const answered = this.#answers;
    try {
      const answer = await fetch(`${this.url}/status`, { signal: AbortSignal.timeout(patience) });
      if (!answer.ok) throw new Error(answer.statusText);
      const status = await answer.json() as Status;
      this.#answers = true;
      this.watcher.status(status);
      if (!this.#source && !answered) { this.#wait = second; this.#listen(); } // it is back
    } catch {
      this.#answers = false;
      this.watcher.status(null);
    }
    this.#tell();
  }

  async #ask(): Promise<void> {
    await this.#check();
    setTimeout(() => void this.#ask(), second);
  }

  #tell(): void {
    const waits: Reach = this.#was ? 'again' : 'connecting';
    this.watcher.reach(this.#open ? (this.#answers ? 'heard' : 'silent') : this.#answers ? waits : 'away');
  }
}
