// Tours of our algorithm.
import { list, type Seen } from '../seen';
import type { Tour } from '../tour';

const others = (seen: Seen, id: number): number[] => seen.ids().filter((other) => other !== id);

export const failover: Tour = {
  name: 'failover', title: 'The leader dies',
  about: 'Who leads, what happens when it crashes, and who is next.',
  stops: [
    {
      begin: { run: { algorithm: 'bully' } },
      at: (s) => s.agreed() === 5,
      says: '5 leads: it has the highest number. The others follow it. Its reign is epoch 1, and ends unless they answer: the band round it.',
      so: (s) => s.leads(5, 1) && s.highest(5) && s.follow(5, 1, 2, 3, 4) && s.bound(5),
      look: { nodes: [5], leases: [5] },
      then: () => ({ do: 'crash', node: 4 }),
    },
    {
      at: (s) => s.did('crash', 5),
      says: '5 has crashed. Nobody knows yet: all others follow it still, and wait for a sign of life.',
      so: (s) => !s.up(5) && s.follow(5, 1, 2, 3, 4),
      look: [5],
    },
    {
      at: (s) => others(s, 5).some((id) => !s.follow(5, id)),
      says: (s) => `${list(others(s, 5).filter((id) => !s.follow(5, id)))} has heard nothing for too long, and follows 5 no more.`,
      so: (s) => others(s, 5).filter((id) => !s.follow(5, id)).length === 1 && s.leaders().length === 0,
      look: (s) => others(s, 5).filter((id) => !s.follow(5, id)),
    },
    {
      at: (s) => s.said({ kind: 'CLAIM', from: 4, epoch: 2 }),
      says: '4 is the highest that lives, and more than half would follow it. It claims the next epoch, 2.',
      so: (s) => s.highest(4) && s.up(4) && s.role(4) === 'claimant' && s.state(4).epoch === 1 && s.said({ kind: 'CLAIM', from: 4, epoch: 2 }),
      look: { nodes: [4], messages: [{ kind: 'CLAIM', from: 4, epoch: 2 }] },
    },
    {
      at: (s) => s.leads(4),
      says: (s) => `${list(s.promised(4))} have epoch 2 promised to 4 on their disks: more than half. Now 4 leads.`,
      so: (s) => s.leads(4, 2) && s.leaders().length === 1 && s.most(s.promised(4)),
      look: (s) => s.promised(4),
    },
    {
      at: (s) => s.agreed() === 4,
      says: 'Why 4? It is the highest that lives, and more than half follow it. Were it cut off from them, it would not lead.',
      so: (s) => s.follow(4, 1, 2, 3) && s.highest(4) && s.most([1, 2, 3, 4]) && s.kept('OneActing'),
      look: [4],
    },
  ],
};

export const handOver: Tour = {
  name: 'hand-over', title: 'The highest comes back',
  about: 'A higher node takes over from a leader that does well, without a moment with two leaders.',
  stops: [
    {
      begin: { run: { algorithm: 'bully' } },
      at: (s) => s.agreed() === 5,
      says: '5 leads. It will crash now.',
      so: (s) => s.leads(5) && s.up(5),
      look: [5],
      then: () => ({ do: 'crash', node: 4 }),
    },
    {
      at: (s) => s.agreed() === 4,
      says: '4 leads in its place, and does well. Now 5 starts again.',
      so: (s) => s.leads(4, 2) && !s.up(5) && s.follow(4, 1, 2, 3),
      look: [4],
      then: () => ({ do: 'restart', node: 4 }),
    },
    {
      at: (s) => s.follow(4, 5),
      says: '5 is the highest, and follows all the same: a leader that does well is not pushed out.',
      so: (s) => s.up(5) && s.highest(5) && s.follow(4, 5) && s.leads(4) && !s.everSaid({ kind: 'CLAIM', from: 5, epoch: 3 }),
      look: [5],
    },
    {
      at: (s) => s.state(5).look === 'stands',
      says: '5 has been up for a while, and asks to take over. 4 goes on leading meanwhile.',
      so: (s) => s.role(5) === 'candidate' && s.leads(4),
      look: [4, 5],
    },
    {
      at: (s) => s.everSaid({ kind: 'RESIGN', from: 4 }) && !s.leads(4),
      says: 'More than half would follow 5. So 4 leads no more, and tells all who is next: RESIGN. Now nobody leads.',
      so: (s) => !s.leads(4) && s.everSaid({ kind: 'RESIGN', from: 4 }) && s.everSaid({ kind: 'CLAIM', from: 5, epoch: 3 }) && s.leaders().length === 0,
      look: { nodes: [4, 5], messages: [{ kind: 'RESIGN', from: 4 }, { kind: 'CLAIM', from: 5, epoch: 3 }] },
    },
    {
      at: (s) => s.leads(5),
      says: '5 leads epoch 3. At no moment did two lead: the property “One acting” held all the time.',
      so: (s) => s.leads(5, 3) && s.leaders().length === 1 && s.kept('OneActing'),
      look: { nodes: [5], signs: ['OneActing'] },
    },
  ],
};

export const members: Tour = {
  name: 'members', title: 'A new member',
  about: 'How a running cluster takes a node in, one step at a time.',
  stops: [
    {
      begin: { run: { algorithm: 'bully-members' } },
      at: (s) => s.leads(3) && s.follow(3, 1, 2),
      says: '1, 2 and 3 are the members, and 3 leads. 4 and 5 run, but have no vote.',
      so: (s) => s.voters().join() === '1,2,3' && s.up(4) && s.up(5) && s.kind(4) === undefined && s.kind(5) === undefined,
      look: [1, 2, 3],
      then: () => ({ do: 'change', node: 3, kind: 'observer' }),
    },
    {
      at: (s) => s.kind(4) === 'observer' && s.state(3).settled === true,
      says: '3 has added 4 as an observer: it hears everything, and is not counted. Most members know: the change is settled.',
      so: (s) => s.leads(3) && s.kind(4) === 'observer' && s.voters().join() === '1,2,3' && s.state(3).settled === true,
      look: [3, 4],
      then: () => ({ do: 'change', node: 3, kind: 'voter' }),
    },
    {
      at: (s) => s.kind(4) === 'voter',
      says: 'Now 3 makes 4 a voter. Four vote, so more than half are now three. One change at a time keeps that safe.',
      so: (s) => s.voters().join() === '1,2,3,4' && s.leads(3),
      look: [4],
    },
    {
      at: (s) => s.leads(4),
      says: '4 is the highest voter, and 3 has handed over to it. 5 is higher, but no member: it cannot lead.',
      so: (s) => s.leads(4) && s.leaders().length === 1 && s.everSaid({ kind: 'RESIGN', from: 3 }) && s.up(5) && s.kind(5) === undefined && s.kept('OneActing'),
      look: [4],
    },
  ],
};
