----------------------------- MODULE MCTextbook -----------------------------
(* Topologies, beginnings, witnesses and the replacements of mutants for module Textbook. *)
EXTENDS Textbook

-----------------------------------------------------------------------------
(* Topologies: the sets of directed links that may be cut (constant Cuts).
   The first cut is chosen at the start; more than one set and MaxCut > 0 let it change. *)

Whole       == {{}}
TopIsolated == {{}, {l \in Link : (l[1] = N) # (l[2] = N)}}
TopDeaf     == {{}, {l \in Link : l[2] = N}}                \* the highest can send but not hear

-----------------------------------------------------------------------------
(* Beginnings *)

OnlyLed   == {Led}
LedOrCold == {Led, Cold}

-----------------------------------------------------------------------------
(* Witnesses: what must be reachable, said as an invariant or property that must fail. *)

\* The highest died, and the next took its place.
NeverReplaced == ~(AtRest /\ N \notin up /\ FollowedByAll(N - 1))

\* A lower node led while a higher one was down, and then handed over to it.
NeverHandsOver == [][\A i \in Node : Leads(i) /\ i \in up' => node'[i].role # "follower"]_vars

\* There are fair behaviours.
NeverSettled == ~SomeLeader

-----------------------------------------------------------------------------
(* Mutants: what a cfg puts in the place of one assumption ... *)

AnyTime(i)           == TRUE                                        \* for OnTime, Landed
FindsAllDead(i)      == FALSE                                       \* for Alive
NobodyOwes(i)        == FALSE                                       \* for Owed
AnyReturn(i)         == TRUE                                        \* for SlowReturn
OwnLanded(i)         == \A l \in Link : i \in {l[1], l[2]} => net[l] = <<>>      \* for SlowReturn
AllLanded(i)         == Quiet                                       \* for SlowReturn
LosesOk(l)           == Head(net[l]) # "OK"                         \* for Reliable
LosesCoordinator(l)  == Head(net[l]) # "COORDINATOR"                \* for Reliable

(* ... or of one rule. *)

Never(i)             == FALSE       \* for Probes, Answers, Stands, GivesWay, Declares, Retries
OnlyNext(i)          == {i + 1}                                     \* for Asked
NobodyElse(i)        == {}                                          \* for Told
LeadersDoNot(i, j)   == ~Leads(i)                                   \* for Accepts
OnlyIfNobodyLeads(i) == \A j \in up : ~Leads(j)                     \* for TakesOver

\* For TakesOver: nobody leads, or somebody still takes the node that returns for the leader.
OnlyIfNeeded(i) == (\A j \in up : ~Leads(j)) \/ \E k \in up : node[k].leader = i

=============================================================================
