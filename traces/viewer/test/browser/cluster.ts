// Nodes as processes, with a real network and real disks, for tests that watch them.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bully } from './built';
import { guard } from './guard';

interface Place { id: number; address: string; http: string }

export class Cluster {
  readonly #name: string;
  readonly #places: Place[];
  readonly #flags: string[];
  readonly #data = mkdtempSync(join(tmpdir(), 'bully-cluster-'));
  readonly #running = new Map<number, ChildProcess>();
  readonly #lastWords = new Map<number, string>();

  readonly #roams: boolean; // members come and go

  private constructor(name: string, places: Place[], flags: string[], roams = false) {
    this.#roams = roams;
    this.#name = name;
    this.#places = places;
    this.#flags = flags;
  }

  // of begins nodes 1 to many, with these flags of bully run besides, and waits until each answers at a path.
  static async of(name: string, many: number, path: string, flags: string[] = []): Promise<Cluster> {
    const free = await ports(2 * many);
    const one = new Cluster(name, Array.from({ length: many }, (_, k) => ({ id: k + 1, address: `127.0.0.1:${free[k]}`, http: `127.0.0.1:${free[many + k]}` })), flags);
    for (const { id } of one.#places) one.begin(id);
    await Promise.all(one.pages().map((page) => answers(page + path)));
    return one;
  }

  // roaming begins nodes 1 to many, whose members come and go, with these flags besides, and waits until each answers at a path.
  static async roaming(name: string, many: number, path: string, flags: string[] = []): Promise<Cluster> {
    const free = await ports(2 * many);
    const one = new Cluster(name, Array.from({ length: many }, (_, k) => ({ id: k + 1, address: `127.0.0.1:${free[k]}`, http: `127.0.0.1:${free[many + k]}` })), flags, true);
    for (const { id } of one.#places) {
      one.say(['init', '-cluster', name, '-id', String(id), '-data', join(one.#data, String(id)), '-members', one.#places.map((p) => `${p.id}=${p.address}`).join()]);
      one.begin(id);
    }
    await Promise.all(one.pages().map((page) => answers(page + path)));
    return one;
  }

  // join begins one more node, with these flags, which waits to be added; and returns what it is added as.
  async join(flags: string[]): Promise<string> {
    const [address, http] = (await ports(2)).map((port) => `127.0.0.1:${port}`), id = this.#places.length + 1;
    this.#places.push({ id, address: address!, http: http! });
    this.say(['join', '-cluster', this.#name, '-id', String(id), '-data', join(this.#data, String(id)), '-address', address!, '-members', this.#places.slice(0, -1).map((p) => p.id).join()]);
    this.begin(id, flags);
    await answers(`http://${http}/groups`);
    return `${id}=${address}`;
  }

  // say runs a command of bully, which is to end well, and returns what it prints.
  say(args: string[]): string { return execFileSync(bully(), args, { encoding: 'utf8', timeout: 60_000 }); }

  // pages returns the addresses of the pages of all nodes.
  pages(): string[] { return this.#places.map((p) => `http://${p.http}/`); }

  // begin starts a node, with what its disk has kept.
  begin(id: number, flags = this.#flags): void {
    const { address, http } = this.#places[id - 1]!;
    const fixed = ['-cluster', this.#name, '-id', String(id), '-members', this.#places.map((p) => `${p.id}=${p.address}`).join(), '-listen', address];
    const child = spawn(bully(), ['run', '-data', join(this.#data, String(id)), '-profile', 'busy', '-log-level', 'warn', ...(this.#roams ? [] : fixed), '-http', http,
      '-view', this.#places.map((p) => `${p.id}=http://${p.http}`).join(), ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.on('data', (said: Buffer) => { this.#lastWords.set(id, ((this.#lastWords.get(id) ?? '') + said.toString()).slice(-2000)); });
    this.#running.set(id, child);
    guard(child);
  }

  // signal sends a signal to a node, such as SIGSTOP.
  signal(id: number, signal: NodeJS.Signals): void { this.#running.get(id)!.kill(signal); }

  // kill kills a node as kill -9 does, and waits until it is gone.
  kill(id: number): Promise<void> {
    const child = this.#running.get(id)!;
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
    return new Promise((done) => { child.once('exit', () => done()); child.kill('SIGKILL'); });
  }

  // said returns what the nodes have said last, for whoever looks why a test failed.
  said(): string { return JSON.stringify([...this.#lastWords]); }

  async end(): Promise<void> {
    for (const id of this.#running.keys()) await this.kill(id);
    rmSync(this.#data, { recursive: true, force: true });
  }
}

// ports returns ports that were free a moment ago.
async function ports(many: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: many }, () => new Promise<ReturnType<typeof createServer>>((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => done(server));
  })));
  return Promise.all(servers.map((server) => new Promise<number>((done) => {
    const address = server.address();
    server.close(() => done(typeof address === 'object' && address ? address.port : 0));
  })));
}

async function answers(address: string): Promise<void> {
  for (let i = 0; ; i++) {
    try {
      if ((await fetch(address)).ok) return;
    } catch (error) {
      if (i > 600) throw error;
    }
    await new Promise((done) => setTimeout(done, 50));
  }
}
