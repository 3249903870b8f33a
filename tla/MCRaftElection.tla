--------------------------- MODULE MCRaftElection ---------------------------
(* Topologies, beginnings, witnesses and the replacements of mutants for module RaftElection. *)
EXTENDS RaftElection

-----------------------------------------------------------------------------
(* Topologies: the sets of directed links that may be cut (constant Cuts).
   The first cut is chosen at the start; more than one set and MaxCut > 0 let it change. *)

Whole         == {{}}
FirstIsolated == {{}, {l \in Link : (l[1] = 1) # (l[2] = 1)}}
FirstDeaf     == {{}, {l \in Link : l[2] = 1}}                  \* 1 can send but not hear
FirstFickle   == SUBSET {l \in Link : 1 \in {l[1], l[2]}}       \* any of 1's links
LeaderDeaf    == {{}, {l \in Link : l[2] = N}}                  \* the same of N, who leads at the beginning
Chain         == {{}, {l \in Link : l[1] - l[2] \notin {1, -1}}}

-----------------------------------------------------------------------------
(* Beginnings *)

OnlyLed  == {Led}
OnlyCold == {Cold}

-----------------------------------------------------------------------------
(* A world with time: what Raft needs for more than the promise of a term (5.6) *)

\* A leader whose heartbeats node i would heed reaches it.
Expects(i) == \E l \in Node \ {i} : Leads(l) /\ node[l].term >= node[i].term /\ <<l, i>> \notin cut

\* For OnTime: a timer is far longer than messages take, and timers are random enough that one ends at a time.
Timely(i) == net = {} /\ ~Expects(i)

\* For OnTime: who expects a leader's heartbeat waits, but two may lose patience while messages are under way.
Crowded(i) == ~Expects(i)

\* For Left: a message arrives once.
Nothing(m) == {}

-----------------------------------------------------------------------------
(* Options *)

Always(i)    == TRUE                            \* for AsksFirst, ChecksQuorum
UnlessLed(i) == ~Leads(i) /\ ~Hears(i)          \* for Heeds

-----------------------------------------------------------------------------
(* Witnesses: what must be reachable, said as an invariant or property that must fail. *)

\* Two nodes lead at once: what Raft does not promise.
OneLeader == \A i, j \in Node : Leads(i) /\ Leads(j) => i = j

\* All vote, and nobody wins the term.
NeverSplit == ~\E t \in 1..MaxTerm :
  /\ \A i \in Node : node[i].term = t /\ node[i].vote # None /\ ~Leads(i)
  /\ \A c \in Node : ~IsQuorum({i \in Node : node[i].vote = c})

\* A leader is replaced.
NeverReplaced == \A i \in Node : Leads(i) => node[i].term = 1

\* There are fair behaviours.
NeverEndsLed == ~EndsLed

-----------------------------------------------------------------------------
(* Mutants: what a cfg puts in the place of a rule. *)

AnyHalf(S)        == 2 * Cardinality(S) >= N                                    \* for IsQuorum
ForgetsVote(i)    == [term |-> node[i].term, vote |-> None]                     \* for Survives
ForgetsOwnVote(i) == [term |-> node[i].term,                                    \* for Survives
                      vote |-> IF node[i].vote = i THEN None ELSE node[i].vote]
ForgetsTerm(i)    == [term |-> 0, vote |-> None]                                \* for Survives
Anybody(s, c)     == TRUE                                                       \* for MayVote
NeverStale(t, s)  == FALSE                                                      \* for IsStale
AnyTerm(t, s)     == TRUE                                                       \* for CountsVote
WouldAlways(i)    == TRUE                                                       \* for WouldVote

=============================================================================
