// Two recordings on one clock: they become one, in which the nodes of the second stand behind those of the first.
import type { Frame, Header, Link, Message, Side } from '../types';

export interface Told { header: Header; frames: Frame[] }

export type Pair = [Side, Side];

// mark tells the nodes of the second from those of the first, in words and on the ring: 4′ is not 4.
const mark = '′';

// sidesOf says where the nodes of each are: first all nodes, then all servers.
export function sidesOf(a: Header, b: Header, titles: [string, string]): Pair {
  const of = (h: Header) => ({ servers: h.servers ?? 0, nodes: h.nodes.length - (h.servers ?? 0) });
  const [x, y] = [of(a), of(b)];
  const from = (first: number, many: number) => Array.from({ length: many }, (_, k) => first + k);
  const side = (h: Header, title: string, nodes: number[], servers: number[]): Side => ({ algorithm: h.algorithm ?? '', title, nodes, servers, ...(h.resource && { resource: h.resource }) });
  return [
    side(a, titles[0], from(0, x.nodes), from(x.nodes + y.nodes, x.servers)),
    side(b, titles[1], from(x.nodes, y.nodes), from(x.nodes + y.nodes + x.servers, y.servers)),
  ];
}

// merged makes one recording of two: as long as the first, whose story it is. The signs of each are left out, for they are of one cluster; the
// verdict says what came of both.
export function merged(a: Told, b: Told, pair: Pair, title: string): Told {
  const until = a.frames.at(-1)?.at ?? 0;
  const names: string[] = [];
  pair.forEach((side, k) => [...side.nodes, ...side.servers].forEach((place, i) => { names[place] = (k === 0 ? a : b).header.nodes[i]! + (k === 0 ? '' : mark); }));
  const header: Header = {
    recording: 1, title, source: 'run', nodes: names, servers: pair[0].servers.length + pair[1].servers.length, timed: true, ...(a.header.watch && { watch: a.header.watch }), sides: pair,
  };
  const writers = [new Writer(pair[0], ''), new Writer(pair[1], mark)] as const;
  const numbers = { next: 0 };
  const frames: Frame[] = [];
  let [i, k] = [0, 0];
  const cut: [Link[], Link[]] = [[], []];
  const rest = b.frames.filter((f) => f.at <= until && f.kind !== 'step');
  while (i < a.frames.length || k < rest.length) {
    const left = k >= rest.length || (i < a.frames.length && a.frames[i]!.at <= rest[k]!.at);
    const frame = writers[left ? 0 : 1].write(left ? a.frames[i++]! : rest[k++]!, numbers);
    if (frame.cut) {
      cut[left ? 0 : 1] = frame.cut;
      frame.cut = cut.flat();
    }
    frames.push(frame);
  }
  return { header, frames };
}

// names finds ids of nodes in what the engine says of a frame: behind a word that has a node behind it, or before what only a node does.
const names = /\b((?:from|(?<!up )to|lease of|write of|claim of|follows|follow|hears) )(\d+)\b|(^|[.,:;] |and )(\d+)(?= (?:is|leads|LEADS|follows|runs|still|reaches|should|would|does)\b)/g;

// marked puts the mark of a side behind the ids in a text.
export function marked(text: string, of: string, nodes: number): string {
  return text.replace(names, (all, before: string | undefined, id: string | undefined, start: string | undefined, first: string | undefined) =>
    Number(id ?? first) <= nodes ? `${before ?? start ?? ''}${id ?? first}${of}` : all);
}

// Writer writes frames of one of the two as frames of both.
class Writer {
  readonly #places: number[];
  readonly #numbers = new Map<number, number>();
  readonly #mark: string;
  constructor(side: Side, of: string) {
    this.#places = [...side.nodes, ...side.servers];
    this.#mark = of;
  }

  #words(text: string): string { return this.#mark === '' ? text : marked(text, this.#mark, this.#places.length); }

  #place(node: number): number { return node < 0 ? node : this.#places[node]!; }

  write(frame: Frame, numbers: { next: number }): Frame {
    const { indicators, configurations: _, takes, ...rest } = frame;
    const shows = indicators?.some((l) => l.light === 'red');
    return {
      ...rest, node: this.#place(frame.node), text: this.#words(frame.text), ...(frame.note && { note: this.#words(frame.note) }),
      ...(takes && { takes: this.#numbers.get(takes)! }), ...(shows && { upkeep: false }),
      ...(frame.sends && { sends: frame.sends.map((m): Message => {
        this.#numbers.set(m.number, ++numbers.next);
        const { configuration: __, ...message } = m;
        return { ...message, number: numbers.next, to: this.#place(m.to) };
      }) }),
      ...(frame.moves && { moves: frame.moves.map((m) => ({ ...m, number: this.#numbers.get(m.number)! })) }),
      ...(frame.cut && { cut: frame.cut.map(([from, to]): Link => [this.#place(from), this.#place(to)]) }),
      ...(frame.state && { state: this.#state(frame.state) }),
    };
  }

  #state(state: NonNullable<Frame['state']>): NonNullable<Frame['state']> {
    const { configuration: _, ...rest } = state;
    return { ...rest, leader: this.#place(state.leader) };
  }
}
