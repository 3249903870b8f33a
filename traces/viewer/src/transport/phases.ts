// The phases of an election: what people want to see of it, and not each message. Pure functions of frames.
import type { Frame, Header, NodeState } from '../types';
import { among } from '../hint/election';
import { unborn } from '../recording';
import { clusters } from '../words';

// stages are how far an election has come: nobody looks for a leader; somebody does; somebody claims; one leads; more than half follow it.
const stages = ['calm', 'asks', 'claims', 'leads', 'followed'] as const;

const faults = new Set<Frame['kind']>(['crash', 'restart', 'pause', 'resume', 'links']);

// Phases follows frames, one after the other, and says where a phase begins: of a pair in either of the two, and in which.
export class Phases {
  readonly #all: { title: string; phases: Cluster }[];

  // Before the first frame no node runs, unless nodes says what each is.
  constructor(header: Header, nodes: NodeState[] = header.nodes.map(() => unborn)) {
    this.#all = clusters(header).map(({ title, ...of }) => ({ title, phases: new Cluster(header.nodes, nodes, of) }));
  }

  // next takes the next frame, and returns what begins with it, in words; '' if it is only a part of what goes on.
  next(frame: Frame): string {
    return this.#all.map(({ title, phases }) => {
      const says = phases.next(frame);
      return says !== '' && title !== '' ? `${title}: ${says}` : says;
    }).filter(Boolean).join('; ');
  }
}

// Cluster has the phases of the nodes that belong together.
class Cluster {
  readonly #nodes: NodeState[];      // of all: those of another cluster are as if they did not run
  readonly #names: string[];
  readonly #own: ReadonlySet<number>;
  readonly #voters: number;
  #furthest = 0;                 // the stage that has been seen since the last fault, or since the leader was lost
  #leader = '';                  // who acts, and of which epoch
  #written = false;              // it has
  #cut = '';                     // the links that are cut

  constructor(names: string[], states: NodeState[], { nodes, servers }: { nodes: number[]; servers: number[] }) {
    this.#own = new Set([...nodes, ...servers]);
    this.#nodes = states.map((state, node) => (this.#own.has(node) ? state : unborn));
    this.#names = names;
    this.#voters = nodes.length;
    this.#leader = this.#acting();
    this.#furthest = this.#stage();
  }

  next(frame: Frame): string {
    if (!this.#concerns(frame)) return '';
    if (frame.state && frame.node >= 0) this.#nodes[frame.node] = frame.state;
    const was = this.#leader;
    this.#leader = this.#acting();
    if (this.#leader !== was) this.#written = false;
    if (frame.wrote?.fate === 'refused') return `a write of ${this.#names[frame.node]} is refused`;
    if (frame.wrote?.fate === 'stale') return `a stale write of ${this.#names[frame.node]} is taken`;
    const first = frame.wrote !== undefined && !this.#written;
    this.#written ||= first;
    const red = frame.indicators?.find((indicator) => indicator.light === 'red');
    const stage = this.#stage();
    const fault = faults.has(frame.kind) || frame.state?.unheard === true;
    const lost = was !== '' && this.#leader === '';
    if (fault || lost) {
      this.#furthest = stage;
      return fault ? this.#befalls(frame) : 'nobody leads any more';
    }
    if (red) return 'a property is broken';
    if (first) return `the leader, ${this.#names[frame.node]}, writes for the first time`;
    if (this.#leader !== was && was !== '' && this.#leader !== '') {
      this.#furthest = stage;
      return 'another leads';
    }
    if (stage <= this.#furthest) return '';
    this.#furthest = stage;
    return this.#says(stage);
  }

  // #concerns reports whether a frame is of these nodes: of a pair both have their links in one list, of which those of one only may change.
  #concerns(frame: Frame): boolean {
    if (frame.node >= 0) return this.#own.has(frame.node);
    if (frame.kind !== 'links') return true;
    const was = this.#cut;
    this.#cut = (frame.cut ?? []).filter(([from]) => this.#own.has(from)).join(' ');
    return this.#own.size === this.#nodes.length || this.#cut !== was;
  }

  #befalls({ kind, node, state }: Frame): string {
    return kind === 'links' ? 'links change' : `${this.#names[node]} ${state?.unheard ? state.role === 'not heard' ? 'is not heard' : 'is heard no more' : words[kind]}`;
  }

  #are(look: NodeState['look']): string[] {
    return this.#names.filter((_, node) => this.#nodes[node]?.look === look);
  }

  // #acting names who acts as leader, with its epoch.
  #acting(): string {
    return this.#nodes.flatMap((n, node) => (n.look === 'leads' && !n.paused ? [`${node}:${n.epoch}`] : [])).join();
  }

  #stage(): number {
    const leads = this.#nodes.findIndex((n) => n.look === 'leads' && !n.paused);
    if (leads >= 0) {
      const behind = this.#nodes.filter((n) => n.look === 'follows' && n.leader === leads).length + 1;
      return 2 * behind > this.#voters ? 4 : 3;
    }
    if (this.#nodes.some((n) => n.role === 'claimant')) return 2;
    return this.#nodes.some((n) => n.look === 'stands' || n.look === 'waits') ? 1 : 0;
  }

  #says(stage: number): string {
    const all = (one: string, more: string, names: string[]) => `${among(names)} ${names.length === 1 ? one : more}`;
    switch (stages[stage]) {
      case 'asks': return all('looks for a leader', 'look for a leader', [...this.#are('stands'), ...this.#are('waits')]);
      case 'claims': return all('claims', 'claim', this.#names.filter((_, node) => this.#nodes[node]?.role === 'claimant'));
      case 'leads': return all('leads', 'lead', this.#are('leads'));
      case 'followed': return 'more than half follow';
      default: return '';
    }
  }
}

const words: Partial<Record<Frame['kind'], string>> = { crash: 'crashes', restart: 'is back', pause: 'is paused', resume: 'goes on' };
