------------------------------ MODULE MCUsers ------------------------------
(* Witnesses, a liberty and the replacements of mutants for module Users; the others are those of MCCluster. *)
EXTENDS MCCluster, Users

-----------------------------------------------------------------------------
(* Witnesses *)

\* OneUserActs: a user acts after another node has led, which runs.
NeverActsAfter == \A i \in Node : Acts(i) => \A r \in reigns : r.leader \in up => r.leader = i

\* MayRestart, Stopped: a user outlives its node.
NeverOutlives == \A i \in Node : Acts(i) => i \in up

\* MustWait: a message waits.
NeverWaits == \A i \in Node : ~Final(i)

-----------------------------------------------------------------------------
(* Liberties *)

ProofsOfAll(i, l)       == Proofs(i, l) /\ ~Acts(l)                 \* for MayProve: an address refuses nobody while a user acts that holds it

-----------------------------------------------------------------------------
(* Mutants *)

NothingWaits(i, m)      == FALSE                                    \* for MustWait
ClaimsWait(i, m)        == Led(i) /\ m.type = "CLAIM" /\ Heard(i, node[i], m).state.role # "leader"  \* for MustWait: what teaches an epoch does not
HearsOn(i, m)           == Led(i) /\ Heard(i, node[i], m).state.role # "leader"  \* for MustWait: who leads no more takes all messages
ResignsAtOnce(i)        == TRUE                                     \* for MayLeave
RestartsAtOnce(i)       == TRUE                                     \* for MayRestart
TooLong(i)              == TRUE                                     \* for Lapsed: the deadline is later than patience allows
NeverFinal(i)           == FALSE                                    \* for Final: later deadlines are told while a message waits

=============================================================================
