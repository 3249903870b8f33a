// A recording in memory, and what it looks like after any number of its frames.
import { configurationOf, stampWord } from './members/who';
import { moment } from './words';
import type { Configuration, Frame, Header, Indicator, Link, Message, NodeState } from './types';

// Flight is a message, from when it is sent to when it is taken or lost.
export interface Flight extends Message {
  from: number;
  sent: number;       // the frame in which it is sent
  sentAt: number;     // when
  ended?: number;     // the frame in which it is taken or lost, if it has come
  endedAt?: number;
  taken?: boolean;    // it was taken, and not lost
  news?: string;      // if it carries another configuration than its receiver had when it was sent: which, in short
}

// Reign is a time during which a node leads an epoch.
export interface Reign { node: number; epoch: number; from: number; fromAt: number; to?: number; toAt?: number }

// Why is why an indicator is not green, and the frame since when.
export interface Why { says: string; frame: number }

// Scene is what there is after some frames.
export interface Scene {
  count: number;             // how many frames have happened
  at: number;                // when the last of them did
  frame?: Frame;             // the last of them
  nodes: NodeState[];        // of each node
  before?: NodeState;        // of the node of the last frame, before it: what has changed
  cut: Link[];
  flights: Flight[];         // under way, in the order in which they were sent
  indicators: Indicator[];             // each property, as it is now, with what Header says of it
  why: Record<string, Why>;  // of each indicator that is not green: why, and since which frame
  was: Record<string, Why>;  // of each indicator that is not red now, and was: why, and from which frame on, for the last time
}

export const unborn: NodeState = { look: 'down', role: 'not started', leader: -1, epoch: 0 };

const mark = 64; // frames from one note of what is under way to the next: a recording of ten thousand is looked at anywhere at once

export class Recording {
  readonly header: Header;
  readonly frames: Frame[] = [];
  readonly flights: Flight[] = [];                 // by number, from 1: flights[number - 1]
  readonly reigns: Reign[] = [];
  readonly configurations: Configuration[] = [];   // by number, from 1: configurations[number - 1]
  readonly unheardSince = new Map<NodeState, string>(); // of each state in which a node is heard no more: since when
  readonly #states: { count: number[]; state: NodeState[] }[]; // of each node: after how many frames it is in which state
  readonly #cuts: { count: number; cut: Link[] }[] = [];
  readonly #indicators: { count: number; indicator: Indicator }[] = [];
  readonly #open = new Set<Flight>();              // under way now, in the order in which they were sent
  readonly #marks: Flight[][] = [[]];              // what was under way after 0, 64, 128 … frames

  constructor(header: Header) {
    this.header = header;
    this.#states = header.nodes.map(() => ({ count: [], state: [] }));
  }

  // add adds frames at the end.
  add(frames: Frame[]): void {
    for (const frame of frames) this.#add(frame);
  }

  #add(frame: Frame): void {
    this.frames.push(frame);
    this.configurations.push(...(frame.configurations ?? []));
    const count = this.frames.length;
    const place = count - 1;
    for (const move of frame.moves ?? []) {
      const flight = this.flights[move.number - 1];
      if (flight && flight.ended === undefined) flight.due = move.due;
    }
    if (frame.takes) {
      const flight = this.flights[frame.takes - 1];
      if (flight && flight.ended === undefined) this.#ends(flight, frame, place, frame.kind !== 'lose');
    }
    if (frame.kind === 'crash') this.#end(frame, place, (f) => f.from === frame.node || f.to === frame.node);
    for (const message of frame.sends ?? []) {
      const flight: Flight = { ...message, from: frame.node, sent: place, sentAt: frame.at };
      const carried = configurationOf(this, message.configuration);
      if (carried && message.configuration !== this.stateOf(message.to, place).configuration) flight.news = stampWord(carried);
      this.flights[message.number - 1] = flight;
      if (message.lost) this.#ends(flight, frame, place, false);
      else this.#open.add(flight);
    }
    if (frame.cut) {
      this.#cuts.push({ count, cut: frame.cut });
      const now = new Set(frame.cut.map(String));
      this.#end(frame, place, (f) => now.has(String([f.from, f.to])));
    }
    if (frame.state && frame.node >= 0) {
      const of = this.#states[frame.node]!;
      this.#reign(frame, place, of.state.at(-1), frame.state);
      of.count.push(count);
      of.state.push(frame.state);
      if (frame.state.unheard && frame.at > 0) this.unheardSince.set(frame.state, moment(this, frame.at));
    }
    for (const indicator of frame.indicators ?? []) this.#indicators.push({ count, indicator });
    if (count % mark === 0) this.#marks.push([...this.#open]);
  }

  #ends(flight: Flight, frame: Frame, place: number, taken: boolean): void {
    Object.assign(flight, { ended: place, endedAt: frame.at, taken });
    this.#open.delete(flight);
  }

  // #end ends all flights of a kind, which are lost.
  #end(frame: Frame, place: number, which: (f: Flight) => boolean): void {
    for (const flight of this.#open) if (which(flight)) this.#ends(flight, frame, place, false);
  }

  #reign(frame: Frame, place: number, was: NodeState | undefined, now: NodeState): void {
    const led = was?.look === 'leads';
    const leads = now.look === 'leads';
    if (led && (!leads || was.epoch !== now.epoch)) {
      const last = this.reigns.findLast((r) => r.node === frame.node && r.to === undefined);
      if (last) { last.to = place; last.toAt = frame.at; }
    }
    if (leads && (!led || was.epoch !== now.epoch)) {
      this.reigns.push({ node: frame.node, epoch: now.epoch, from: place, fromAt: frame.at });
    }
  }

  // stateOf returns the state of a node after so many frames.
  stateOf(node: number, count: number): NodeState {
    const of = this.#states[node];
    const i = of ? lastUpTo(of.count, count) : -1;
    return i < 0 ? (node >= this.header.nodes.length - (this.header.servers ?? 0) ? { ...unborn, look: 'serves', role: 'server' } : unborn) : of!.state[i]!;
  }

  // scene returns what there is after so many frames.
  scene(count: number): Scene {
    count = Math.max(0, Math.min(count, this.frames.length));
    const frame = count > 0 ? this.frames[count - 1] : undefined;
    const indicators = (this.header.indicators ?? []).map((indicator) => ({ ...indicator }));
    const why: Scene['why'] = {};
    const was: Scene['was'] = {};
    for (const change of this.#indicators) {
      if (change.count > count) break;
      const indicator = indicators.find((l) => l.name === change.indicator.name);
      if (!indicator || (indicator.once && indicator.light === 'red')) continue;
      const before = why[indicator.name];
      if (indicator.light === 'red' && change.indicator.light !== 'red' && before) was[indicator.name] = before;
      indicator.light = change.indicator.light;
      if (indicator.light === 'red') delete was[indicator.name];
      if (indicator.light === 'green') delete why[indicator.name];
      else why[indicator.name] = { says: change.indicator.says ?? '', frame: change.count - 1 };
    }
    return {
      count, at: frame?.at ?? 0, ...(frame && { frame }),
      nodes: this.header.nodes.map((_, i) => this.stateOf(i, count)),
      ...(frame && frame.node >= 0 && frame.state && { before: this.stateOf(frame.node, count - 1) }),
      cut: this.#cuts.findLast((c) => c.count <= count)?.cut ?? [],
      flights: this.flightsAt(count), indicators, why, was,
    };
  }

  // breaks returns the properties that are broken for the first time in the frames from one count to another.
  breaks(from: number, to: number): Indicator[] {
    const red = this.#indicators.filter(({ indicator }) => indicator.light === 'red' && this.header.indicators?.some((l) => l.name === indicator.name));
    return red.filter(({ count, indicator }, i) => count > from && count <= to && red.findIndex((first) => first.indicator.name === indicator.name) === i).map(({ indicator }) => indicator);
  }

  // flightsAt returns what is under way after so many frames.
  flightsAt(count: number): Flight[] {
    const from = Math.floor(count / mark);
    const since = this.frames.slice(from * mark, count).flatMap((frame) => (frame.sends ?? []).map((m) => this.flights[m.number - 1]!));
    return [...(this.#marks[from] ?? []), ...since].filter((f) => f.ended === undefined || f.ended >= count);
  }
}

// lastUpTo returns the place of the last number that is not above a bound, in ascending numbers; -1 if there is none.
export function lastUpTo(numbers: number[], bound: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! <= bound) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
