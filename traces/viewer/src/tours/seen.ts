// What a tour asks of what is shown. Nodes are called by their ids here, as people see them: from 1 on.
import { agreed } from '../hint/acts';
import type { Flight, Recording, Scene } from '../recording';
import type { Configuration, Fate, Frame, MemberKind, NodeState } from '../types';

// Sent is which message is meant; what is left out may be anything.
export interface Sent { kind: string; from?: number; to?: number; epoch?: number }

export class Seen {
  constructor(readonly of: Recording, readonly now: Scene) {}

  state(id: number): NodeState { return this.now.nodes[id - 1]!; }
  frame(): Frame | undefined { return this.now.frame; }
  ids(): number[] { return this.now.nodes.slice(0, this.now.nodes.length - (this.of.header.servers ?? 0)).map((_, k) => k + 1); }

  // --- Nodes ---

  up(id: number): boolean { return this.state(id).look !== 'down'; }
  leads(id: number, epoch?: number): boolean { return this.state(id).look === 'leads' && (epoch === undefined || this.state(id).epoch === epoch); }
  leaders(): number[] { return this.ids().filter((id) => this.leads(id)); }
  acting(): number[] { return this.leaders().filter((id) => !this.state(id).paused); }
  follow(leader: number, ...ids: number[]): boolean { return ids.every((id) => this.state(id).look === 'follows' && this.state(id).leader === leader - 1); }
  agreed(): number { return agreed(this.now) + 1; }
  role(id: number): string { return this.state(id).role; }
  looks(look: NodeState['look']): number[] { return this.ids().filter((id) => this.state(id).look === look); }
  are(role: string): number[] { return this.ids().filter((id) => this.role(id) === role); }
  field(id: number, name: string): string { return this.state(id).fields?.find((f) => f.name === name)?.value ?? ''; }
  highest(id: number): boolean { return this.ids().every((other) => other <= id || !this.up(other)); }
  most(ids: number[]): boolean { return 2 * ids.length > this.ids().length; }

  // --- What has happened ---

  // did reports whether the last step is of a kind, of a node.
  did(kind: Frame['kind'], id?: number): boolean { return this.now.frame?.kind === kind && (id === undefined || this.now.frame.node === id - 1); }
  ends(): boolean { return this.now.frame?.kind === 'step' && this.now.frame.node < 0; }
  past(): Frame[] { return this.of.frames.slice(0, this.now.count); }
  // underWay reports whether a message has been sent, and neither taken nor lost.
  underWay(what: Sent): boolean { return this.now.flights.some((f) => matches(f, what)); }
  // inSight returns the messages that are to be seen: under way, or just taken or lost.
  inSight(what: Sent): Flight[] {
    const last = this.now.count - 1;
    return [...this.now.flights, ...this.of.flights.filter((f) => f.ended === last && !this.now.flights.includes(f))].filter((f) => matches(f, what));
  }
  said(what: Sent): boolean { return this.now.frame?.sends?.some((m) => matches({ ...m, from: this.now.frame!.node }, what)) === true; }
  everSaid(what: Sent): boolean { return this.past().some((f) => f.sends?.some((m) => matches({ ...m, from: f.node }, what))); }
  // bound reports whether it is known how long a leader may act.
  bound(id: number): boolean { return this.leads(id) && this.state(id).lease?.ends !== undefined; }
  reigns(id?: number): number { return this.of.reigns.filter((r) => r.from < this.now.count && (id === undefined || r.node === id - 1)).length; }

  // --- Links, promises, the resource ---

  whole(): boolean { return this.now.cut.length === 0; }
  // promised returns who has promised its epoch to a node, as their disks have it.
  promised(to: number): number[] { return this.ids().filter((id) => this.up(id) && this.state(id).disk?.endsWith(`promised to ${to}`)); }
  // crashes is how often a node has crashed.
  crashes(id: number): number { return this.past().filter((f) => f.kind === 'crash' && f.node === id - 1).length; }
  // parted reports whether all links between some nodes and the others are cut, and no link else.
  parted(...ids: number[]): boolean {
    const all = this.ids();
    const aside = (id: number) => ids.includes(id);
    const is = (from: number, to: number) => this.now.cut.some(([a, b]) => a === from - 1 && b === to - 1);
    return all.every((a) => all.every((b) => a === b || is(a, b) === (aside(a) !== aside(b))));
  }
  broken(name: string): boolean { return this.now.indicators.some((l) => l.name === name && l.light === 'red'); }
  // kept reports whether a promise has held up to now.
  kept(name: string): boolean { return this.now.indicators.some((l) => l.name === name && l.light !== 'red') && this.now.was[name] === undefined; }
  writes(id: number, how: Fate): number { return this.past().filter((f) => f.node === id - 1 && f.wrote?.fate === how).length; }

  // --- Members ---

  newest(): Configuration | undefined {
    const known = this.now.nodes.map((n) => this.of.configurations[(n.configuration ?? 0) - 1]).filter((c) => c !== undefined);
    return known.reduce<Configuration | undefined>((a, b) => (a && (a.epoch > b.epoch || (a.epoch === b.epoch && a.version >= b.version)) ? a : b), undefined);
  }
  kind(id: number): MemberKind | undefined { return this.newest()?.members.find((m) => m.node === id - 1)?.kind; }
  voters(): number[] { return this.ids().filter((id) => this.kind(id) === 'voter'); }
}

function matches(m: { kind: string; from: number; to: number; epoch?: number }, what: Sent): boolean {
  return m.kind === what.kind && (what.from === undefined || m.from === what.from - 1) && (what.to === undefined || m.to === what.to - 1) &&
    (what.epoch === undefined || m.epoch === what.epoch);
}

// list writes ids as people do: "1, 2 and 3".
export function list(ids: number[]): string {
  return ids.length < 2 ? ids.join('') : `${ids.slice(0, -1).join(', ')} and ${ids.at(-1)}`;
}
