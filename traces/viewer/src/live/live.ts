// Watching a cluster: the page connects to its nodes, puts what they do in one order, and shows it as a recording that goes on.
import { batch } from '@preact/signals';
import { problem } from '../store';
import { Connection } from './connection';
import { Ends, lineOf, unheard } from './ends';
import { Lag } from './lag';
import { behind, change, cluster, live, mayResign, members, waiting, type Member } from './members';
import { byRank, idsOf, Merger, type Step } from './merge';
import { Reel } from './reel';

// LiveConfig says which cluster. A node without an id is asked for it; a url is http://host:port, or '' for where the page
// comes from.
export interface LiveConfig { nodes: { id?: string; url: string }[]; cluster?: string; resign?: boolean }

// Views is what a node says of the cluster.
interface Views { node: string; cluster: string; members: string[] }

const often = 100; // milliseconds between two looks at what has come
const again = 1000;
let reel: Reel | null = null;
const ends = new Ends();
const lag = new Lag();

// startLive watches a cluster for as long as the page is there.
export function startLive(config: LiveConfig): void {
  batch(() => {
    live.value = true;
    cluster.value = config.cluster ?? '';
    mayResign.value = config.resign === true;
  });
  const merger = new Merger();
  setInterval(() => {
    tellEnds(merger);
    tellLag(merger);
    const heard = merger.release(performance.now());
    if (heard.length === 0) return;
    batch(() => {
      for (const { step } of heard) if (step.state?.configuration) know(idsOf(step));
      // What a node was before its end says nothing once it is back.
      for (const { step } of heard) change(step.node, { now: step.action === unheard ? null : step.state });
      reel?.take(heard);
    });
  }, often);
  for (const node of config.nodes) void meet(node, config, merger);
}

// tellLag says how far behind the page is, if that is more than a second: it has much to do, or the network has.
function tellLag(merger: Merger): void {
  const now = performance.now();
  const next = reel?.late();
  const late = waiting.value > 0 && !next ? 0 : Math.max(0, ...[...(next ? [next] : []), ...merger.heads()].map(({ step }) => step.action === unheard ? 0 : lag.of(step.node, step.at, now)));
  behind.value = late >= 1000 ? late : 0;
}

// tellEnds tells the recording which nodes are not heard.
function tellEnds(merger: Merger): void {
  for (const end of ends.of(members.value)) merger.push(end, lineOf(end), performance.now());
}

// goToNow shows what the cluster does now.
export function goToNow(): void {
  reel?.goToNow();
}

// meet asks a node who it is, until it answers, and then connects to it. The first answer says which nodes there are; the
// others have been told to the page with their ids, or answer themselves.
async function meet(node: LiveConfig['nodes'][number], config: LiveConfig, merger: Merger): Promise<void> {
  for (;;) {
    try {
      const answer = await fetch(`${node.url}/views`, { signal: AbortSignal.timeout(2 * again) });
      if (!answer.ok) throw new Error(answer.statusText);
      const views = await answer.json() as Views;
      if (members.value.length === 0) introduce(views, config, merger);
      if (!node.id) void connect(views.node, node.url, merger);
      return;
    } catch {
      // Somebody else may have said by now who the nodes are.
      if (node.id && members.value.length > 0) return;
      await new Promise((go) => setTimeout(go, again));
    }
  }
}

// introduce notes which nodes there are, and connects to those whose place is known.
function introduce(views: Views, config: LiveConfig, merger: Merger): void {
  cluster.value = views.cluster;
  know([...views.members, views.node]);
  reel = new Reel(members.value.map((m) => m.id));
  reel.begin();
  for (const { id, url } of config.nodes) if (id) void connect(id, url, merger);
}

// know adds nodes that are not known yet: where members come and go, they are told of one by one.
function know(ids: string[]): void {
  const known = new Set(members.value.map((m) => m.id));
  const more = [...new Set(ids)].filter((id) => !known.has(id));
  if (more.length === 0) return;
  const all = [...members.value, ...more.map((id): Member => ({ id, url: null, reach: 'unseen', now: null, status: null }))];
  members.value = all.sort((a, b) => byRank(a.id, b.id));
}

// comes reports whether a node is of a cluster whose members come and go: it may be about to join.
async function comes(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/members`, { signal: AbortSignal.timeout(2 * again) });
    return answer.ok && (await answer.json() as { configuration?: unknown }).configuration !== null;
  } catch {
    return false;
  }
}

async function connect(id: string, url: string, merger: Merger): Promise<void> {
  if (!members.value.some((m) => m.id === id) && await comes(url)) {
    know([id]);
    if (reel?.meets([id])) reel.begin();
  }
  const member = members.value.find((m) => m.id === id);
  if (!member) {
    problem.value = { problem: `Node ${id} at ${url} is none of the cluster ${cluster.value}: watch one cluster at a time.` };
    return;
  }
  if (member.url !== null) return; // it has two addresses
  change(id, { url, reach: 'connecting' });
  new Connection(url, {
    step: (line) => {
      const step = JSON.parse(line) as Step;
      ends.heard(step);
      lag.heard(step.node, step.at, performance.now());
      merger.push(step, line, performance.now());
    },
    reach: (reach) => {
      if (reach !== 'heard' && reach !== 'silent') lag.forget(id);
      change(id, { reach });
      tellEnds(merger);
    },
    status: (status) => change(id, { status }),
  });
}
