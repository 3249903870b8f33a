// The form of recordings, as traces/recording has it: what each field means stands there. And what the engine, the Go program that
// the page runs, is asked and answers.

import type { Recording } from './recording';

export type Kind =
  | 'start' | 'restart' | 'receive' | 'timer' | 'call' | 'save' | 'crash' | 'pause' | 'resume' | 'lose' | 'links'
  | 'write' | 'intervene' | 'step';
export type Look = 'leads' | 'stands' | 'waits' | 'follows' | 'idle' | 'down' | 'serves';
export type Light = 'green' | 'amber' | 'red';
export type Resource = 'fenced' | 'unfenced';
export type Fate = 'taken' | 'refused' | 'stale';
export type MemberKind = 'voter' | 'witness' | 'observer';
export type Link = [from: number, to: number];

export interface Indicator { name: string; says?: string; light: Light; once?: boolean }
export interface Field { name: string; value: string }
export interface Due { timer: string; at?: number }

export interface Lease { question?: number; asked: number; ends?: number }
export interface Writing { epoch?: number; looked: number; fate?: Fate }

// Configuration is who the members are, where they come and go. They are numbered from 1 on, in the order in which frames tell them.
export interface Configuration { epoch: number; version: number; members: Member[] }
export interface Member { node: number; kind: MemberKind; rank?: number; address?: string }

export interface NodeState {
  look: Look; role: string; leader: number; epoch: number; paused?: boolean; unheard?: boolean; saving?: boolean; disk?: string;
  fields?: Field[]; timers?: Due[]; lease?: Lease; writing?: boolean; configuration?: number; settled?: boolean;
}

export interface Message {
  number: number; to: number; kind: string; epoch?: number; text?: string; upkeep?: boolean; due?: number; lost?: boolean;
  configuration?: number;
}

// Move is when a message under way should arrive now, after somebody has intervened in it.
export interface Move { number: number; due: number }

export interface Frame {
  at: number; kind: Kind; node: number; text: string; note?: string; action?: string; rule?: string; by?: 'plan' | 'you';
  upkeep?: boolean; takes?: number; sends?: Message[]; moves?: Move[]; state?: NodeState; wrote?: Writing; cut?: Link[]; indicators?: Indicator[];
  configurations?: Configuration[];
}

// Side is one of the two clusters of a pair: the places of its nodes and servers, who plays, and what its leaders write to. No file has it.
export interface Side { algorithm: string; title: string; nodes: number[]; servers: number[]; resource?: Resource }

export interface Header {
  recording: 1; title: string; source: 'run' | 'trace' | 'counterexample' | 'live'; algorithm?: string; nodes: string[];
  servers?: number; timed: boolean; watch?: string; open?: number; resource?: Resource; indicators?: Indicator[];
}

// The two clusters of a pair: in the page alone, and in no recording that is saved.
export interface Header { sides?: [Side, Side] }

// RunSpec is a run: who plays it again has the same frames, to the last.
export interface RunSpec {
  runSpec: 1; algorithm: string; nodes: number; profile: string; seed: number;
  scenario?: string; // that of the gallery; it says nodes, seed and profile, which are left as they are there
  do: Intervention[];
}

// Intervention is something that somebody did to a run, when so many frames had happened, those of what was done before included.
export interface Intervention {
  after: number;
  do: 'crash' | 'restart' | 'pause' | 'resume' | 'cut' | 'heal' | 'deliver' | 'drop' | 'delay' | 'fire' | 'suspect' | 'resign' | 'change';
  node?: number;    // of crash, restart, pause, resume, fire, suspect, resign, change: its place among the nodes, from 0, and not its id
  timer?: string;   // of fire
  links?: Link[];   // of cut and heal: pairs of places, likewise
  message?: number; // of deliver (now), drop and delay
  by?: number;      // of delay: microseconds
  kind?: MemberKind | 'removed'; // of change: what the leader makes of the node
}

export interface Algorithm { name: string; title: string; servers: number; maxNodes: number; says: string; resigns?: boolean; changes?: boolean } // resigns: a node can be told to lead no longer; changes: a leader can be asked to change the members
export interface Profile { name: string; says: string }
export interface Golden { name: string; nodes: number; events: number; watch: string }
export interface Scenario {
  name: string; title: string; algorithm: string; algorithms: string[]; nodes: number; flaw: string; watch: string; cause: string; remedy: string;
}
export interface Word { word: string; kind: string; meaning: string }
export interface Rule { name: string; title: string; says: string; text: string; operators: string[] }
// Of the gallery, refused are traces with a fault: the rules refuse each at one line. openGolden opens them, too.
export interface Gallery {
  algorithms: Algorithm[]; profiles: Profile[]; golden: Golden[]; refused: Golden[]; scenarios: Scenario[]; rules: Rule[];
  glossary?: Word[]; // of the specification
  actions: Record<string, string>; // of the specification: the TLA+ operator's file and line, as text: "Cluster.tla:120"
}

// Problem is why something could not be done: where, what, and what to do. Line is from 1, if it is about a line of a file.
export interface Problem { line?: number; problem: string }

export interface Opened { handle: number; header: Header; frames: Frame[]; ended: boolean; runSpec?: RunSpec; problem?: Problem; made?: Recording } // made: of these frames, if it is there already
export interface More { frames: Frame[]; ended: boolean; problem?: Problem }
export interface Sketched { rows: string[]; problem?: Problem }
export interface Exported { name: string; text: string; problem?: Problem }

// Engine is what the Go program does, in a worker. What is asked first is answered first, but for large files, which have an engine of their own. A handle is a
// recording that it plays; it is given back with close. Opened.problem may stand beside frames: what a broken file has before the line that is wrong.
export interface Engine {
  gallery(): Promise<Gallery>;
  begin(runSpec: RunSpec): Promise<Opened>;         // and its first frames: what nodes do before time goes on
  next(handle: number, frames: number): Promise<More>; // so many frames more, or fewer if it has ended or nothing happens any more
  onward(handle: number, most: number, shown: number): Promise<More>; // up to so many that are no upkeep; most frames at most
  do(handle: number, intervention: Intervention): Promise<More>; // intervention.after is where the run is
  open(text: string, name: string): Promise<Opened>; // a trace, a recording, a run spec, what TLC has printed: whatever it is
  openGolden(name: string): Promise<Opened>;
  feed(handle: number, line: string): Promise<More>; // one event more of a live recording
  live(nodes: string[], changing: boolean): Promise<Opened>; // changing: their members come and go
  trace(handle: number): Promise<Exported>;       // a trace (section 14) if it is a run of ours, else a recording
  testCase(handle: number): Promise<Exported>;
  sketch(kind: 'golden' | 'refused' | 'scenario', name: string): Promise<Sketched>; // what it looks like from afar: a letter is what a node is (impl/internal/interactive)
  close(handle: number): void;
}
