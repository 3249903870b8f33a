// All that the diagram of a recording shows, and where: across in columns, down as its axis has it. Painters ask it for what is
// to be seen between two heights, so that a long recording costs no more than a short one.
import { lastUpTo, type Recording } from '../recording';
import { configurationOf, kindIn, stampWord } from '../members/who';
import type { Frame, Look, NodeState } from '../types';
import { Arrows } from './arrows';
import { Axis } from './axis';

export type Life = 'absent' | 'up' | 'down' | 'unheard' | 'paused' | 'saving' | 'outside';

// Stretch is a part of the line of a node.
export interface Stretch { life: Life; from: number; to: number }

// Band is a reign: of which node and epoch, from where to where, and whether it goes on.
export interface Band { node: number; epoch: number; from: number; to: number; open: boolean }

// Told is when a node has come to have another configuration: which, in short, and whether it was called to make it.
export interface Told { place: number; node: number; word: string; made: boolean }

// lifeOf says how the line of a node is drawn. Outside is who runs, and knows that it is no member.
function lifeOf(recording: Recording, node: number, state: NodeState): Life {
  if (state.look === 'down') return state.unheard ? 'unheard' : 'down';
  if (state.paused) return 'paused';
  if (state.saving) return 'saving';
  return state.configuration && kindIn(configurationOf(recording, state.configuration), node) === null ? 'outside' : 'up';
}

export class Layout {
  readonly recording: Recording;
  readonly axis: Axis;
  readonly arrows: Arrows;
  readonly reds: number[] = [];     // frames in which an indicator turned red
  readonly cuts: number[] = [];     // frames in which links were cut or healed
  readonly told: Told[] = [];       // configurations made and adopted, in their order
  readonly looks: Look[] = [];      // what the node of each frame is after it
  readonly #lives: { life: Life[]; place: number[] }[];
  readonly #look: Look[];
  #length = 0;

  constructor(recording: Recording, upkeep: boolean) {
    this.recording = recording;
    this.axis = new Axis(recording, upkeep);
    this.arrows = new Arrows(this.axis);
    const servers = recording.header.nodes.length - (recording.header.servers ?? 0);
    this.#lives = recording.header.nodes.map((_, node) => ({ life: [node < servers ? 'absent' : 'up'], place: [-1] }));
    this.#look = recording.header.nodes.map((_, node) => (node < servers ? 'down' : 'serves'));
    this.#take();
  }

  // columns is how many nodes there are, servers included.
  get columns(): number { return this.recording.header.nodes.length; }

  // height is how far down the last frame is, and what is under way after it.
  get height(): number { return this.axis.bottom + 28; }

  // update takes in what has come since. It is cheap if nothing has.
  update(): void {
    if (this.recording.frames.length === this.#length) return;
    if (this.axis.update()) this.arrows.again();
    else this.arrows.update();
    this.#take();
  }

  #take(): void {
    const { frames } = this.recording;
    for (; this.#length < frames.length; this.#length++) {
      const place = this.#length;
      const frame = frames[place]!;
      if (frame.indicators?.some((indicator) => indicator.light === 'red')) this.reds.push(place);
      if (frame.cut) this.cuts.push(place);
      if (frame.state && frame.node >= 0) this.#live(frame, place, frame.state);
      this.looks.push(this.#look[frame.node] ?? 'idle');
    }
  }

  #live(frame: Frame, place: number, state: NodeState): void {
    this.#look[frame.node] = state.look;
    this.#tell(frame, place, state);
    const of = this.#lives[frame.node];
    const life = lifeOf(this.recording, frame.node, state);
    if (!of || of.life.at(-1) === life) return;
    of.life.push(life);
    of.place.push(place);
  }

  #tell(frame: Frame, place: number, state: NodeState): void {
    const is = configurationOf(this.recording, state.configuration);
    const was = this.recording.stateOf(frame.node, place).configuration;
    if (!is || state.configuration === was || is.members.length === 0 || state.look === 'down') return;
    this.told.push({ place, node: frame.node, word: stampWord(is), made: frame.kind === 'call' });
  }

  // stretches returns the parts of a node's line that are between two heights.
  stretches(node: number, top: number, bottom: number): Stretch[] {
    const of = this.#lives[node];
    if (!of) return [];
    const { y } = this.axis;
    const all: Stretch[] = [];
    const above = this.axis.lastAbove(top) - 1;
    for (let i = above < 0 ? 0 : Math.max(0, lastUpTo(of.place, this.axis.rows[above]!)); i < of.life.length; i++) {
      const from = of.place[i]! < 0 ? -28 : y[of.place[i]!]!;
      const to = i + 1 < of.place.length ? y[of.place[i + 1]!]! : this.height;
      if (from > bottom) break;
      if (to >= top) all.push({ life: of.life[i]!, from, to });
    }
    return all;
  }

  // bands returns the reigns that are between two heights.
  bands(top: number, bottom: number): Band[] {
    const { y } = this.axis;
    const all: Band[] = [];
    for (const reign of this.recording.reigns) {
      const from = y[reign.from]!;
      const to = reign.to === undefined ? this.height : y[reign.to]!;
      if (to >= top && from <= bottom) all.push({ node: reign.node, epoch: reign.epoch, from, to, open: reign.to === undefined });
    }
    return all;
  }

  // severed returns where links are cut: from where to where.
  severed(top: number, bottom: number): { from: number; to: number }[] {
    const { y } = this.axis;
    const all: { from: number; to: number }[] = [];
    let from = -1;
    for (const place of this.cuts) {
      const some = (this.recording.frames[place]!.cut ?? []).length > 0;
      if (some && from < 0) from = y[place]!;
      if (!some && from >= 0) { all.push({ from, to: y[place]! }); from = -1; }
    }
    if (from >= 0) all.push({ from, to: this.height });
    return all.filter((s) => s.to >= top && s.from <= bottom);
  }
}
