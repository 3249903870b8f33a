// The recording of a cluster that is watched: what has come is kept, and shown as far as the visitor looks on.
import { line } from '../line';
import type { Recording } from '../recording';
import { count, engine, feed, recording, length, playing, selection, show } from '../store';
import { elsewhere, waiting } from './members';
import { byRank, idsOf, type Heard } from './merge';

export const mostFrames = 20_000; // a recording that has more begins anew
const mostLines = 40_000;         // are kept while the visitor looks back
const keptTelling = 3_000;        // of the steps that are no upkeep a new recording has so many
const keptLatest = 300;           // and of all
const keepsAlive = new Set(['HeartbeatTimeout', 'ReignTimeout', 'OnHeartbeat', 'OnAck']);

// Reel is a recording that goes on. It is shown as long as the visitor opens nothing else.
export class Reel {
  #nodes: string[];
  #changing = false;         // members come and go, as a step has shown
  #lines: Heard[] = [];
  #shown = 0;                // so many of them are in the recording
  #recording: Recording | null = null;
  #inTurn = line();
  #thinned = false;          // the recording has lines that are not kept any more, so it cannot just go on

  constructor(nodes: string[]) {
    this.#nodes = nodes;
  }

  // take keeps what has come, and shows it, if the visitor is at the end of the recording.
  take(heard: Heard[]): Promise<void> {
    return this.#inTurn(async () => {
      this.#lines.push(...heard);
      if (this.#learn(heard)) this.#thinned = true;
      if (this.#lines.length > mostLines) this.#thin();
      if (!this.#recording) await this.#begin();
      else if (this.#follows()) await this.#catchUp();
      this.#count();
    });
  }

  // meets adds nodes that steps may name from now on, and reports whether there are such.
  meets(ids: Iterable<string>): boolean {
    const all = new Set([...this.#nodes, ...ids]);
    if (all.size === this.#nodes.length) return false;
    this.#nodes = [...all].sort(byRank);
    return true;
  }

  // #learn reports whether the recording must begin anew, with more nodes, or as one of members that come and go.
  #learn(heard: Heard[]): boolean {
    const changing = heard.some(({ step }) => step.state?.configuration !== undefined);
    if (!changing) return false;
    const more = this.meets(heard.flatMap(({ step }) => idsOf(step)));
    const first = !this.#changing;
    this.#changing = true;
    return more || first;
  }

  // begin shows the recording, from what is kept, at its end.
  begin(): Promise<void> {
    return this.#inTurn(() => this.#begin());
  }

  async #begin(): Promise<void> {
    const opened = await engine.value?.live(this.#nodes, this.#changing);
    if (!opened) return;
    const chosen = selection.value;
    this.#thin();
    this.#thinned = false;
    void show(opened);
    this.#recording = recording.value;
    await this.#feed();
    if (chosen && 'node' in chosen) selection.value = chosen;
    this.#count();
  }

  // goToNow shows all that has come.
  goToNow(): Promise<void> {
    return this.#inTurn(async () => {
      if (recording.value !== this.#recording) return this.#begin();
      playing.value = false;
      count.value = length.value;
      await this.#catchUp();
      this.#count();
    });
  }

  // late returns the step that is to be shown next, if the visitor looks on: the engine has not taken it yet.
  late(): Heard | undefined { return this.#follows() ? this.#lines[this.#shown] : undefined; }

  #follows(): boolean {
    return recording.value === this.#recording && !playing.value && count.value >= length.value;
  }

  async #catchUp(): Promise<void> {
    const waits = this.#lines.length - this.#shown;
    if (this.#thinned || length.value + waits > mostFrames) await this.#begin();
    else await this.#feed();
  }

  async #feed(): Promise<void> {
    const lines = this.#lines.slice(this.#shown).map((heard) => heard.line);
    this.#shown = this.#lines.length;
    await feed(this.#recording, lines);
  }

  #count(): void {
    waiting.value = this.#lines.length - this.#shown;
    elsewhere.value = this.#recording !== null && recording.value !== this.#recording;
  }

  // #thin keeps what tells most: of each node the last step, for that says all that it is; of the others those that are no
  // upkeep, and the latest. Then the recording must begin anew to go on.
  #thin(): void {
    const last = new Map(this.#lines.map((heard, i) => [heard.step.node, i]));
    const telling = this.#lines.flatMap((heard, i) => (keepsAlive.has(heard.step.action) ? [] : [i]));
    const first = telling.at(-keptTelling) ?? 0;
    const latest = this.#lines.length - keptLatest;
    this.#lines = this.#lines.filter((heard, i) => i >= latest || last.get(heard.step.node) === i || (i >= first && !keepsAlive.has(heard.step.action)));
    this.#shown = 0;
    this.#thinned = true;
  }
}
