// All tours, in the order in which one who knows nothing should take them.
import type { Tour } from '../tour';
import { failover, handOver, members } from './ours';
import { lateAnswer } from './late';
import { fencing, leases, raft } from './others';
import { flapping, okThenDie, restartRace, splitBrain } from './textbook';

export const tours: Tour[] = [failover, splitBrain, fencing, okThenDie, restartRace, handOver, flapping, members, lateAnswer, raft, leases];
