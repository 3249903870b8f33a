// The phases of an election: what people want to see of it, and not each message. Pure functions of frames.
import type { Frame, Header, NodeState } from '../types';
import { among } from '../hint/election';
import { unborn } from '../recording';

// stages are how far an election has come: nobody looks for a leader; somebody does; somebody claims; one leads; more than half follow it.
const stages = ['calm', 'asks', 'claims', 'leads', 'followed'] as const;

const faults = new Set<Frame['kind']>(['crash', 'restart', 'pause', 'resume', 'links']);

// Phases follows frames, one after the other, and says where a phase begins.
export class Phases {
  readonly #nodes: NodeState[];
  readonly #names: string[];
  readonly #voters: number;
  #furthest = 0;                 // the stage that has been seen since the last fault, or since the leader was lost
  #leader = '';                  // who acts, and of which epoch
  #written = false;              // it has

  // Before the first frame no node runs, unless nodes says what each is.
  constructor(header: Header, nodes: NodeState[] = header.nodes.map(() => unborn)) {
    this.#nodes = [...nodes];
    this.#names = header.nodes;
    this.#voters = header.nodes.length - (header.servers ?? 0);
    this.#leader = this.#acting();
    this.#furthest = this.#stage();
  }

  // next takes the next frame, and returns what begins with it, in words; '' if it is only a part of what goes on.
  next(frame: Frame): string {
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
