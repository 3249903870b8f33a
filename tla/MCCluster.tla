----------------------------- MODULE MCCluster -----------------------------
(* Topologies, witnesses and the replacements of mutants for module Cluster. *)
EXTENDS Cluster

-----------------------------------------------------------------------------
(* Topologies: the sets of directed links that may be cut (constant Cuts).
   The first cut is chosen at the start; more than one set and MaxCut > 0 let it change. *)

Both(a, b)   == {<<a, b>>, <<b, a>>}
AllBut(S)    == {l \in Link : l \notin S /\ <<l[2], l[1]>> \notin S}       \* only these pairs are linked
Isolated(S)  == {l \in Link : (l[1] \in S) # (l[2] \in S)}                 \* S is cut from the rest
Unheard(S)   == {l \in Link : l[1] \in S /\ l[2] \notin S}                 \* S is not heard by the rest
Deaf(S)      == {l \in Link : l[1] \notin S /\ l[2] \in S}                 \* S does not hear the rest

Whole        == {{}}
TopIsolated  == {{}, Isolated({N})}
TopAndNext   == {{}, Both(N, N - 1)}
OneWay       == {{}, {<<N, N - 1>>}, Unheard({N})}
WithoutTop   == {Isolated({N})}
TopDeaf      == {{}, Deaf({N})}
Halves       == {Isolated({1, 2})}
Pendant      == {AllBut((Node \ {N}) \X (Node \ {N}) \cup {<<N, N - 1>>})}  \* N is linked to N-1 only
Star         == {AllBut({<<1, j>> : j \in Node})}                          \* only the lowest reaches all
StarOneWay   == LET star == AllBut({<<1, j>> : j \in Node}) IN {star, star \cup {<<N, 1>>}}
Chain        == {AllBut({<<j, j + 1>> : j \in 1..(N - 1)})}
Bridge       == {AllBut({<<4, 5>>, <<3, 5>>, <<1, 3>>, <<1, 2>>})}         \* the chain 4-5-3-1-2
Partial      == {AllBut({<<1, 2>>, <<1, 3>>, <<2, 3>>, <<2, 4>>, <<3, 5>>})} \* B18: 1, 2, 3 linked; 4 to 2; 5 to 3

-----------------------------------------------------------------------------
(* Bounds said as invariants, where a mutant would run away. *)

\* Without faults, elections end: epochs stay low.
Calm == \A i \in Node : node[i].epoch <= 7

-----------------------------------------------------------------------------
(* Witnesses: what must be reachable, said as an invariant or property that must fail. *)

\* OneLeaderPerEpoch, Refines: two nodes come to lead.
NeverTwoReigns == \A r, q \in reigns : r.leader = q.leader

\* EpochMonotonic: a node restarts with a promise.
NeverBackWithPromise == \A i \in up : ~(node[i].leader = i /\ node[i].role = "electing" /\ node[i].epoch > 0)

\* OneActing: somebody acts while one that led before lives.
NeverReplacedAlive == \A r \in reigns : r.leader \in up /\ Acting # {} => r.leader \in Acting

\* OneActing, NoDisruption: somebody acts while one that led before is down.
NeverSucceeded == \A r \in reigns : r.leader \in up \/ Acting = {}

\* SomeLeader: a leader is lost, a quorum is left, and no fault is to come.
NeverLeaderless == reigns # {} /\ Acting = {} => Eligible = {} \/ \E f \in Fault : budget[f] > 0

\* SomeLeader, HighestLeads: there are fair behaviours, and they settle.
NeverSettled == ~<>[]Settled

\* HighestLeads: a lower node leads, and all follow it, while a higher one could.
NeverLowerLeads == \A l \in Eligible : Leads(l) => HighestIs(l)

\* NoDisruption: a leader that reaches a quorum stops leading.
NeverDeposed == [][\A l \in Node : ~Deposed(l)]_vars

-----------------------------------------------------------------------------
(* Liberties: what a host may do that module Cluster leaves out (R37). *)

Silent(l)         == node[l].role = "electing" /\ node[l].leader = l        \* after a restart (R30)

Proofs(i, l)      == l \in up => Silent(l)                          \* for MayProve: l is down, or back and has said nothing new
IdleOnly(i)       == node[i].role = "follower" /\ node[i].leader = None     \* for MayBeEarly
HighestAlive(i)   == Quiet \/ (MayClaim(i, node[i]) /\ \A j \in up : j <= i) \* for Answered

-----------------------------------------------------------------------------
(* Mutants: what a cfg puts in the place of one rule. *)

AnySet(S)               == S # {}                                   \* for IsQuorum
HalfOrMore(S)           == 2 * Cardinality(S) >= N                  \* for IsQuorum
ForgetsAll(s)           == Blank                                    \* for Survives
ForgetsGrantee(s)       == [Blank EXCEPT !.epoch = s.epoch]         \* for Survives
ShieldsNobody(s, c)     == FALSE                                    \* for Shields
NoOwnClaim(s, e)        == FALSE                                    \* for OwnClaim
DropsLease(s)           == Unbound(s)                               \* for WhilePreempting
AlwaysSupports(i, s, c) == TRUE                                     \* for MaySupport
SupportsLower(i, s, c)  == c < i \/ s.leader \in {None, c} \/ (s.leader < c /\ s.role # "electing")  \* for MaySupport
NoOkSupport(m)          == {}                                       \* for OkSupport
ClaimsUnasked(i, s)     == TRUE                                     \* for MayClaim
SameEpoch(s)            == IF s.epoch = 0 THEN 1 ELSE s.epoch       \* for NextEpoch
GrantsTwice(s, c, e)    == e >= s.epoch                             \* for MayGrant
GrantsBelow(s, c, e)    == TRUE                                     \* for MayGrant
DoesNotWait(c, e)       == [Blank EXCEPT !.epoch = e, !.grantee = c] \* for AfterGrant
NeverHandsOver(i, s, m) == FALSE                                    \* for HandsOver
CountsAnyGrant(s, e)    == TRUE                                     \* for CountsGrant
WinsOverLease(i, s)     == IsQuorum(s.support \cup {i})             \* for MayWin
NeverStale(s, e)        == FALSE                                    \* for IsStale
SpeaksAtOnce(i, s)      == Survives(s)                              \* for AfterRestart
ClaimantsResignToo(s)   == s.role \in {"leader", "claimant"}        \* for MayResign
HasAnyLease(i, s)       == s.leader # None                          \* for HasHolder
SilenceProves(i, l)     == l \in up => <<l, i>> \in cut               \* for MayProve
FaultProves(i, l)       == l \in up => budget # Budget                \* for MayProve
ProvesAnything(i, l)    == TRUE                                     \* for MayProve
EndsByProofOnly(i)      == node[i].leader = None                    \* for LeaseOver
AsksAtWill(i)           == node[i].leader = None \/ (Quiet /\ ~Owed(i) /\ LeaseOver(i))  \* for PatienceOver
NobodyPending(i)        == FALSE                                    \* for Pending
WatchesNobody(i)        == node[i].role = "follower" /\ node[i].leader = None   \* for Watches
Never(i)                == FALSE                                    \* for a timer's action

=============================================================================
