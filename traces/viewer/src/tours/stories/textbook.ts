// Tours of what goes wrong with the bully algorithm as textbooks have it, each with ours beside it.
import type { Tour } from '../tour';

const story = (scenario: string, algorithm = 'textbook') => ({ run: { scenario, algorithm } });

export const splitBrain: Tour = {
  name: 'split-brain', title: 'Split brain',
  about: 'The network breaks in two, and the textbook has two leaders. Ours has one.',
  stops: [
    {
      begin: story('split-brain'),
      at: (s) => s.agreed() === 5,
      says: 'This is the bully algorithm of the textbooks. 5 is the highest, and leads.',
      so: (s) => s.of.header.algorithm === 'textbook' && s.highest(5) && s.follow(5, 1, 2, 3, 4),
      look: [5],
    },
    {
      at: (s) => s.parted(4, 5),
      says: 'The network breaks in two: 4 and 5 cannot reach 1, 2 and 3. All nodes live.',
      so: (s) => s.parted(4, 5) && s.ids().every((id) => s.up(id)) && s.leaders().join() === '5',
      look: [4, 5],
    },
    {
      at: (s) => s.acting().length === 2,
      says: '1, 2 and 3 hear nothing of 5 and take it for dead. 3 leads them, and 5 leads 4: two leaders.',
      so: (s) => s.leads(3) && s.leads(5) && s.follow(5, 4) && s.broken('OneActing') && s.up(5),
      look: { nodes: [3, 5], signs: ['OneActing'] },
    },
    {
      at: (s) => s.whole() && s.did('links'),
      says: 'The network is whole again. Both go on leading: nothing tells them that one is too many.',
      so: (s) => s.whole() && s.leads(3) && s.leads(5) && s.broken('OneActing'),
      look: { nodes: [3, 5], signs: ['OneActing'] },
    },
    {
      begin: story('split-brain', 'bully'),
      at: (s) => s.parted(4, 5),
      says: 'The same break with ours. 5 leads on the smaller side: the band round it is how long it may act still.',
      so: (s) => s.of.header.algorithm === 'bully' && s.leaders().join() === '5' && !s.most([4, 5]) && s.bound(5),
      look: { nodes: [4, 5], leases: [5] },
    },
    {
      at: (s) => s.leaders().length === 0,
      says: '5 is answered by fewer than half, and so it stops by itself: it may be alone.',
      so: (s) => !s.leads(5) && s.up(5) && !s.whole() && s.leaders().length === 0,
      look: [5],
    },
    {
      at: (s) => s.leads(3),
      says: '3 has more than half on its side, and leads epoch 2. At no moment did two lead.',
      so: (s) => s.leads(3, 2) && s.leaders().length === 1 && s.most([1, 2, 3]) && s.kept('OneActing') && !s.whole(),
      look: { nodes: [1, 2, 3], signs: ['OneActing'] },
    },
  ],
};

export const okThenDie: Tour = {
  name: 'ok-then-die', title: '“OK”, and then it dies',
  about: 'A node says that it takes over, and crashes. What if nobody looks whether it does?',
  stops: [
    {
      begin: story('ok-then-die', 'textbook-no-tcoord'),
      at: (s) => s.did('crash', 5),
      says: 'A textbook again, and one that is simple-minded. The leader, 5, crashes.',
      so: (s) => !s.up(5) && s.follow(5, 1, 2, 3, 4),
      look: [5],
    },
    {
      at: (s) => s.role(3) !== '' && s.state(3).look === 'waits',
      says: '3 has asked, and 4 has said OK: “I am higher, and take over.” So 3 waits.',
      so: (s) => s.everSaid({ kind: 'OK', from: 4, to: 3 }) && s.up(4) && s.state(3).look === 'waits',
      look: { nodes: [3, 4], messages: [{ kind: 'OK', from: 4, to: 3 }] },
    },
    {
      at: (s) => s.did('crash', 4),
      says: '4 crashes too, before it has said that it leads.',
      so: (s) => !s.up(4) && !s.up(5) && s.leaders().length === 0 && s.state(3).look === 'waits',
      look: [4],
    },
    {
      at: (s) => s.ends(),
      says: (s) => `${Math.round(s.now.at / 1e6)} seconds on, 1, 2 and 3 still wait, and nobody leads. An OK is a promise, and nobody looks whether it is kept.`,
      so: (s) => s.now.at > 9e6 && s.looks('waits').join() === '1,2,3' && s.leaders().length === 0,
      look: [1, 2, 3],
    },
    {
      begin: story('cascade'),
      at: (s) => s.did('crash', 4),
      says: 'The same once more, a little better: who waits has a timer. 5 is dead, and 4 dies before it leads.',
      so: (s) => !s.up(4) && !s.up(5) && s.state(3).look === 'waits' && (s.state(3).timers?.length ?? 0) > 0,
      look: [4],
    },
    {
      at: (s) => s.leads(3),
      says: '3 has waited long enough, has asked again, and leads. In ours nobody waits without that timer.',
      so: (s) => s.leads(3) && s.highest(3) && s.leaders().length === 1,
      look: [3],
    },
  ],
};

export const restartRace: Tour = {
  name: 'restart-race', title: 'Back in the middle of an election',
  about: 'A node restarts while another is being elected, and two messages cross.',
  stops: [
    {
      begin: story('stale-return'),
      at: (s) => s.did('crash', 5),
      says: '5, the leader of a textbook cluster, crashes.',
      so: (s) => s.role(5) === 'down' && s.follow(5, 1, 2, 3, 4),
      look: [5],
    },
    {
      at: (s) => s.did('restart', 5),
      says: '4 is being elected. In the middle of that, 5 is back, and stands at once.',
      so: (s) => s.up(5) && s.state(4).look === 'stands' && s.state(5).look === 'stands',
      look: [4, 5],
    },
    {
      at: (s) => s.acting().length === 2,
      says: 'Both win, and both say so: two leaders.',
      so: (s) => s.leads(4) && s.leads(5) && s.broken('OneActing'),
      look: { nodes: [4, 5], signs: ['OneActing'] },
    },
    {
      at: (s) => s.leaders().length === 0 && s.follow(5, 4) && s.follow(4, 5),
      says: 'Their messages cross. Each hears that the other leads, and follows it: now nobody leads.',
      so: (s) => s.follow(5, 4) && s.follow(4, 5) && s.leaders().length === 0,
      look: [4, 5],
    },
    {
      begin: story('stale-return', 'bully'),
      at: (s) => s.did('restart', 5),
      says: 'Ours, in the same story. 5 says that it is back (IM_BACK), then keeps silent: it may have forgotten what it has promised.',
      so: (s) => s.up(5) && s.state(5).look !== 'stands' && !s.leads(5) && s.said({ kind: 'IM_BACK', from: 5 }),
      look: { nodes: [5], messages: [{ kind: 'IM_BACK', from: 5 }] },
    },
    {
      at: (s) => s.leaders().length === 1,
      says: (s) => `One leads: ${s.leaders()[0]}, by an epoch that more than half have granted to it alone. Two can never win one.`,
      so: (s) => s.leaders().length === 1 && s.leads(s.leaders()[0]!, 2) && s.most(s.promised(s.leaders()[0]!)) && s.kept('OneActing') && s.kept('OneLeaderPerEpoch'),
      look: (s) => ({ nodes: s.leaders(), signs: ['OneActing'] }),
    },
  ],
};

export const flapping: Tour = {
  name: 'flapping', title: 'A leader that comes and goes',
  about: 'The highest node crashes again and again. Who returns need not push out a leader that does well.',
  stops: [
    {
      begin: story('top-flap'),
      at: (s) => s.did('crash', 5),
      says: '5 has a bad power supply. It leads, and crashes.',
      so: (s) => !s.up(5) && s.reigns() === 1,
      look: [5],
    },
    {
      at: (s) => s.agreed() === 4,
      says: '4 takes over, and does well.',
      so: (s) => s.leads(4) && s.follow(4, 1, 2, 3) && s.reigns() === 2,
      look: [4],
    },
    {
      at: (s) => s.leads(5),
      says: '5 is back, and leads at once, because it is the highest: though 4 leads, and does well.',
      so: (s) => s.leads(5) && s.leads(4) && s.highest(5) && s.reigns() === 3,
      look: [4, 5],
    },
    {
      at: (s) => s.ends(),
      says: (s) => `5 has crashed three times, and there were ${s.reigns()} reigns: three times a leader that did well was pushed out.`,
      so: (s) => s.crashes(5) === 3 && s.reigns() === 7 && s.reigns(5) === 4 && s.reigns(4) === 3,
      look: [5],
    },
    {
      begin: story('top-flap', 'bully'),
      at: (s) => s.follow(4, 5),
      says: 'Ours: 5 is back, keeps silent at first, and then follows 4. It takes over only if it stays up for a while.',
      so: (s) => s.leads(4) && s.follow(4, 5) && s.highest(5),
      look: [4, 5],
    },
    {
      at: (s) => s.crashes(5) === 3 && s.follow(4, 1, 2, 3),
      says: (s) => `5 has crashed three times, and there were ${s.reigns()} reigns: 4 leads since the first crash.`,
      so: (s) => s.crashes(5) === 3 && s.reigns() === 2 && s.leads(4, 2),
      look: [4],
    },
  ],
};
