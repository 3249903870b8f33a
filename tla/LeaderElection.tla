--------------------------- MODULE LeaderElection ---------------------------
(***************************************************************************)
(* The promise, and nothing of how it is kept: every epoch has at most one *)
(* leader, and no node's epoch ever goes back.                             *)
(*                                                                         *)
(* A node may come to promise a higher epoch at any time, and it may come  *)
(* to lead an epoch that nobody has led, not below its own.  Nothing here  *)
(* says when a leader stops: that it may go on believing in itself is why  *)
(* the epoch is also a fencing token (module Fencing).                     *)
(***************************************************************************)
EXTENDS Integers

CONSTANT Node                   \* the members

VARIABLES epoch,                \* epoch[i]: the highest epoch that node i has promised
          reigns                \* every reign so far: who came to lead in which epoch

vars == <<epoch, reigns>>

Reign(e, i) == [epoch |-> e, leader |-> i]

TypeOK == /\ epoch \in [Node -> Nat]
          /\ \A r \in reigns : r.epoch \in Nat /\ r.leader \in Node

Init == /\ epoch = [i \in Node |-> 0]
        /\ reigns = {}

\* Nodes promise higher epochs.  More than one at once: a finer module may do it in one step.
Rise == /\ \A i \in Node : epoch'[i] >= epoch[i]
        /\ UNCHANGED reigns

\* Node i comes to lead an epoch that has no leader yet.
Lead(i) == /\ epoch'[i] >= epoch[i]
           /\ \A r \in reigns : r.epoch # epoch'[i]
           /\ epoch' = [epoch EXCEPT ![i] = epoch'[i]]
           /\ reigns' = reigns \cup {Reign(epoch'[i], i)}

Next == Rise \/ \E i \in Node : Lead(i)

Spec == Init /\ [][Next]_vars

OneLeaderPerEpoch == \A r, q \in reigns : r.epoch = q.epoch => r.leader = q.leader
EpochMonotonic    == [][\A i \in Node : epoch'[i] >= epoch[i]]_vars

THEOREM Spec => []OneLeaderPerEpoch /\ EpochMonotonic
=============================================================================
