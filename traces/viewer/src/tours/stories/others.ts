// Tours of what a leader writes to, and of other algorithms.
import { list, type Seen } from '../seen';
import type { Tour } from '../tour';

const story = (scenario: string, algorithm: string) => ({ run: { scenario, algorithm } });

export const fencing: Tour = {
  name: 'fencing', title: 'Fencing: an old leader writes late',
  about: 'A leader sleeps, and does not know it. Who stops its old write?',
  stops: [
    {
      begin: story('paused-leader', 'textbook'),
      at: (s) => s.writes(5, 'taken') > 0 && s.agreed() === 5,
      hidden: true,
      says: 'A textbook leader, 5, writes to something that all share: a file, a database.',
      so: (s) => s.leads(5) && s.writes(5, 'taken') > 0,
      look: { nodes: [5], resource: true },
    },
    {
      at: (s) => s.did('pause', 5),
      says: '5 stands still for a second: its machine is busy. It was about to write.',
      so: (s) => s.state(5).paused === true && s.leads(5) && s.acting().length === 0,
      look: { nodes: [5], resource: true },
    },
    {
      at: (s) => s.leads(4) && s.writes(4, 'taken') > 0,
      hidden: true,
      says: 'The others hear nothing of 5, and elect 4. 4 writes, too.',
      so: (s) => s.acting().join() === '4' && s.writes(4, 'taken') > 0 && s.state(5).paused === true,
      look: { nodes: [4], resource: true },
    },
    {
      at: (s) => s.writes(5, 'stale') > 0,
      says: '5 wakes, does not know that it slept, and writes. What is old lands on top of what is new.',
      so: (s) => s.did('write', 5) && s.state(5).paused !== true && s.broken('StaleWrite'),
      look: { nodes: [5], resource: true, signs: ['StaleWrite'] },
    },
    {
      begin: story('paused-leader', 'bully'),
      at: (s) => s.leads(4) && s.writes(4, 'taken') > 0,
      hidden: true,
      says: 'Ours, in the same story. Each write says its epoch: those of 5 said 1, those of 4 say 2.',
      so: (s) => s.leads(4, 2) && s.state(5).paused === true && s.past().some((f) => f.kind === 'write' && f.text.includes('epoch 1')) &&
        s.past().some((f) => f.kind === 'write' && f.node === 3 && f.text.includes('epoch 2')),
      look: { nodes: [4, 5], resource: true },
    },
    {
      at: (s) => s.writes(5, 'refused') > 0,
      says: '5 wakes and writes with epoch 1. What it writes to has seen epoch 2, and refuses: that is fencing.',
      so: (s) => s.did('write', 5) && s.frame()!.wrote?.epoch === 1 && s.kept('StaleWrite') && s.writes(4, 'taken') > 0,
      look: { nodes: [5], resource: true, signs: ['StaleWrite'] },
    },
  ],
};

const leader = (s: Seen): number => s.agreed();

export const raft: Tour = {
  name: 'raft', title: 'For comparison: Raft',
  about: 'Another way to elect: by votes and chance, and not by rank.',
  stops: [
    {
      begin: { run: { algorithm: 'raft', seed: 1 } },
      at: (s) => leader(s) > 0,
      says: (s) => `This is Raft. ${leader(s)} leads: it asked for votes first, and more than half voted for it.`,
      so: (s) => s.of.header.algorithm === 'raft' && leader(s) > 0 && s.reigns() === 1,
      look: (s) => s.leaders(),
      then: (s) => ({ do: 'crash', node: leader(s) - 1 }),
    },
    {
      at: (s) => s.did('crash'),
      says: 'It has crashed. Each of the others waits for a random time, so that they do not all ask at once.',
      so: (s) => s.ids().filter((id) => !s.up(id)).length === 1 && s.leaders().length === 0,
      look: (s) => s.ids().filter((id) => !s.up(id)),
    },
    {
      at: (s) => leader(s) > 0,
      says: (s) => `The time of ${leader(s)} was over first. With votes of more than half it leads the next term. Its number counts for nothing.`,
      so: (s) => leader(s) > 0 && s.reigns() === 2 && s.most(s.ids().filter((id) => s.up(id))),
      look: (s) => s.leaders(),
      then: (s) => ({ do: 'restart', node: s.ids().find((id) => !s.up(id))! - 1 }),
    },
    {
      at: (s) => s.ids().every((id) => s.up(id)) && leader(s) > 0,
      says: (s) => `${list(s.ids().filter((id) => id !== leader(s)))} follow, the one that is back among them. It does not take over later: who leads goes on.`,
      so: (s) => s.reigns() === 2 && s.ids().every((id) => s.up(id)) && s.leaders().length === 1 && s.follow(leader(s), ...s.ids().filter((id) => id !== leader(s))),
      look: (s) => s.leaders(),
    },
  ],
};

export const leases: Tour = {
  name: 'leases', title: 'For comparison: a lease in a store',
  about: 'The simplest way: who holds a key in a store leads. And what it costs.',
  stops: [
    {
      begin: story('lease-store-down', 'lease'),
      at: (s) => leader(s) > 0,
      says: (s) => `In the middle is a store. ${leader(s)} has created a key there first, and so it leads as long as it renews it.`,
      so: (s) => s.of.header.algorithm === 'lease' && s.leaders().length === 1 && s.now.nodes.at(-1)?.look === 'serves',
      look: (s) => ({ nodes: [...s.leaders(), s.now.nodes.length], leases: s.leaders() }),
    },
    {
      at: (s) => s.did('crash'),
      says: 'The store crashes. All nodes live, and hear each other.',
      so: (s) => s.now.nodes.at(-1)?.look === 'down' && s.ids().filter((id) => s.up(id)).length >= 5,
      look: (s) => [s.now.nodes.length],
    },
    {
      at: (s) => s.leaders().length === 0 && s.now.nodes.at(-1)?.look === 'down',
      says: 'Nobody can renew the key, so nobody leads: one machine stops all. Ours needs more than half, whichever they are.',
      so: (s) => s.leaders().length === 0 && s.ids().slice(0, 5).every((id) => s.up(id)),
      look: (s) => [s.now.nodes.length],
    },
    {
      begin: story('lease-pause', 'lease-unfenced'),
      at: (s) => s.past().some((f) => f.wrote?.fate === 'stale'),
      says: 'And a lease alone is not safe: a leader slept before it wrote, another has led since, and the old write was taken.',
      so: (s) => s.broken('StaleWrite') && s.reigns() >= 2,
      look: (s) => ({ nodes: s.frame()!.wrote ? [s.frame()!.node + 1] : [], resource: true, leases: s.leaders().filter((id) => s.bound(id)), signs: ['StaleWrite'] }),
    },
    {
      begin: story('lease-pause', 'lease'),
      at: (s) => s.frame()?.wrote?.fate === 'refused',
      says: 'With the number of the key in each write, the same write is refused. Fencing helps whoever elects.',
      so: (s) => s.kept('StaleWrite') && s.reigns() >= 2,
      look: (s) => ({ nodes: [s.frame()!.node + 1], resource: true, signs: ['StaleWrite'] }),
    },
  ],
};
