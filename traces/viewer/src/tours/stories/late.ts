// The tour about answers that come too late.
import counted from '../counted-late.json';
import type { Opened } from '../../types';
import type { Tour } from '../tour';

// A run that the rules do not allow, of the explorer: every GRANT of the epoch counts (mutants/ClusterKeptCountsGrantOfEpoch).
const without = counted as unknown as Pick<Opened, 'header' | 'frames'>;

export const lateAnswer: Tour = {
  name: 'late-answer', title: 'An answer that comes too late',
  about: 'Why an answer counts for the question that it answers, and for no other.',
  stops: [
    {
      begin: { golden: 'old-grant-counts-for-nothing' },
      at: (s) => s.said({ kind: 'GRANT', from: 1, to: 3 }),
      says: '3 claims epoch 1, and 1 grants it. The network is slow: that GRANT is under way for long.',
      so: (s) => s.role(3) === 'claimant' && s.state(1).leader === 2 && s.underWay({ kind: 'GRANT', from: 1, to: 3, epoch: 1 }),
      look: { nodes: [1, 3], messages: [{ kind: 'GRANT', from: 1, to: 3, epoch: 1 }] },
    },
    {
      at: (s) => s.did('receive', 1) && s.state(1).leader < 0,
      says: '3 has given up and asks again. So 1 knows that 3 does not lead, and is free for another.',
      so: (s) => s.role(3) === 'candidate' && s.state(1).leader < 0 && s.underWay({ kind: 'GRANT', from: 1, to: 3, epoch: 1 }),
      look: { nodes: [1, 3], messages: [{ kind: 'GRANT', from: 1, to: 3, epoch: 1 }] },
    },
    {
      at: (s) => s.leads(2),
      says: '3 claims epoch 1 once more. But 1 has granted epoch 2 to 2 meanwhile, and 2 leads.',
      so: (s) => s.role(3) === 'claimant' && s.leads(2, 2) && s.leaders().join() === '2' && s.everSaid({ kind: 'GRANT', from: 1, to: 2, epoch: 2 }),
      look: [2, 3],
    },
    {
      at: (s) => s.did('receive', 3) && s.frame()!.text.includes('GRANT'),
      says: 'Now the old GRANT comes to 3. It answers the claim that was given up: it counts for nothing. One leads.',
      so: (s) => s.did('receive', 3) && s.frame()!.text.includes('GRANT') && s.role(3) === 'claimant' && s.leaders().join() === '2',
      look: { nodes: [3], messages: [{ kind: 'GRANT', from: 1, to: 3, epoch: 1 }] },
    },
    {
      begin: { recording: without },
      at: (s) => s.leads(3),
      says: 'What if it counted? Here that rule is taken out. An old GRANT comes, and 3 leads epoch 1.',
      so: (s) => s.leads(3, 1) && s.did('receive', 3) && s.frame()!.text.includes('GRANT'),
      look: { nodes: [3], messages: [{ kind: 'GRANT', from: 1, to: 3 }] },
    },
    {
      at: (s) => s.leads(2),
      says: 'But 1 is free, and grants epoch 2 to 2: two leaders. A model checker has found this run.',
      so: (s) => s.leads(3, 1) && s.leads(2, 2) && s.broken('OneActing') && s.everSaid({ kind: 'GRANT', from: 1, to: 2, epoch: 2 }),
      look: { nodes: [2, 3], signs: ['OneActing'] },
    },
  ],
};
