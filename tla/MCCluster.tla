----------------------------- MODULE MCCluster -----------------------------
(* Topologies, configurations, witnesses and the replacements of mutants for module Cluster. *)
EXTENDS Cluster

-----------------------------------------------------------------------------
(* Topologies: the sets of directed links that may be cut (constant Cuts).
   The first cut is chosen at the start; more than one set and MaxCut > 0 let it change. *)

Both(a, b)   == {<<a, b>>, <<b, a>>}
AllBut(S)    == {l \in Link : l \notin S /\ <<l[2], l[1]>> \notin S}       \* only these pairs are linked
Isolated(S)  == {l \in Link : (l[1] \in S) # (l[2] \in S)}                 \* S is cut from the rest
Unheard(S)   == {l \in Link : l[1] \in S /\ l[2] \notin S}                 \* S is not heard by the rest
Deaf(S)      == {l \in Link : l[1] \notin S /\ l[2] \in S}                 \* S does not hear the rest

Whole          == {{}}
TopIsolated    == {{}, Isolated({N})}
LowIsolated    == {{}, Isolated({1})}
LowTwoIsolated == {{}, Isolated({1, 2})}
TopAndNext     == {{}, Both(N, N - 1)}
TopDeaf        == {{}, Deaf({N})}
OneWay         == {{}, {<<N, N - 1>>}, Unheard({N})}
TopReturns     == {{}, Isolated({N}), Isolated({1, N})}
LowerLost      == {Isolated({1}), Isolated({1, 2})}                         \* first 1, then 1 and 2, or the other way round
Sides          == {{}} \cup {Isolated(S) : S \in SUBSET Node \ {{}, Node}}

\* From the start, and for good.
WithoutTop     == {Isolated({N})}
Halves         == {Isolated({1, 2})}
Across         == {Isolated({1, N})}
HighParted     == {Both(2, 3)}                                             \* both reach the lowest, and not each other
Pendant        == {AllBut((Node \ {N}) \X (Node \ {N}) \cup {<<N, N - 1>>})}  \* N is linked to N-1 only
Star           == {AllBut({<<1, j>> : j \in Node})}                        \* only the lowest reaches all
Chain          == {AllBut({<<j, j + 1>> : j \in 1..(N - 1)})}
Bridge         == {AllBut({<<4, 5>>, <<3, 5>>, <<1, 3>>, <<1, 2>>})}       \* the chain 4-5-3-1-2
Partial        == {AllBut({<<1, 2>>, <<1, 3>>, <<2, 3>>, <<2, 4>>, <<3, 5>>})} \* B18: 1, 2, 3 linked; 4 to 2; 5 to 3
StarOneWay     == LET star == AllBut({<<1, j>> : j \in Node}) IN {star, star \cup {<<N, 1>>}}

-----------------------------------------------------------------------------
(* How often something may be asked: for MaxAsk and MaxHeartbeat. *)

Once       == 1
Twice      == 2
ThreeTimes == 3
FourTimes  == 4
FiveTimes  == 5
SixTimes   == 6

-----------------------------------------------------------------------------
(* Configurations (constants First and Wanted). Members that are fixed are All, and nothing is wanted. *)

Nothing          == {}
Voting(S)        == [epoch |-> 0, version |-> 1, voters |-> S, witnesses |-> {}, observers |-> {}, ranks |-> {}]
One              == Voting({1})
Two              == Voting({1, 2})
Three            == Voting({1, 2, 3})
All              == Voting(Node)

As(v, w, o)      == [voters |-> v, witnesses |-> w, observers |-> o, ranks |-> {}]
AnyVoters        == {As(S, {}, {}) : S \in SUBSET Node \ {{}}}              \* voters only
AnyElectors      == {c \in {As(v, w, {}) : v \in SUBSET Node \ {{}}, w \in SUBSET Node} : c.voters \cap c.witnesses = {}}
AnyMembers       == {w \in {As(v, w, o) : v \in SUBSET Node \ {{}}, w \in SUBSET Node, o \in SUBSET Node} :
                       w.voters \cap w.witnesses = {} /\ w.voters \cap w.observers = {} /\ w.witnesses \cap w.observers = {}}

\* A few wanted ones, where any would be too many.
Growing          == {As(1..k, {}, {}) : k \in 1..N}                        \* the lowest so many vote
Shrinking        == {As(k..N, {}, {}) : k \in 1..N}                        \* all but the lowest so many vote
Triples          == {As(S, {}, {}) : S \in {T \in SUBSET Node : Cardinality(T) = 3}}
TwoAndWatchers   == [Two EXCEPT !.observers = Node \ {1, 2}]
ThreeAndWatchers == [Three EXCEPT !.observers = Node \ {1, 2, 3}]
TwoAndWitness    == [Two EXCEPT !.witnesses = {3}]
TwoOverTwo       == [Voting({3, 4}) EXCEPT !.witnesses = {1, 2}]
OneOverWitnesses == [One EXCEPT !.witnesses = {2, 3}]
OneOfEach        == [One EXCEPT !.witnesses = {2}, !.observers = Node \ {1, 2}]
ThirdIsVoter     == {As({1, 3}, {2}, Node \ {1, 2, 3})}
ThirdIsWitness   == {As({1, 2}, {3}, {})}
OneWitnessLess   == {As({3, 4}, {k}, {}) : k \in {1, 2}}
TwoMoreWitnesses == {As({2, 3}, {1} \cup S, {}) : S \in {{4}, {4, 5}}}
TwoMoreVoters    == {As({2, 3} \cup S, {1}, {}) : S \in {{4}, {4, 5}}}
TwoOverWitness   == [Voting({2, 3}) EXCEPT !.witnesses = {1}]
Outermost        == [Voting({1, N}) EXCEPT !.witnesses = Node \ {1, N}]

\* Ranks: some members have a rank of 1, and the others of 0.
Raised(w, S)     == [w EXCEPT !.ranks = S \X {1}]
LowestRaised     == Raised(All, {1})
AnyRaised        == {Raised(As(Node, {}, {}), S) : S \in SUBSET Node}
TwoAnyRaised     == {Raised(As({2, 3}, {1}, {}), S) : S \in SUBSET Node}

-----------------------------------------------------------------------------
(* Bounds said as invariants, where a mutant would run away; and what comes of a hand-over by name. *)

\* Without faults, elections end: epochs stay low.
Calm == \A i \in Node : node[i].epoch <= 7

\* R51. With Nameable <- TheLowest, where nothing is lost and nobody pre-empts: once the leader has resigned, the lowest leads in every
\* state that lasts.
NamedWhenStill == Quiet /\ budget["resign"] = 0 /\ node[1].role # "leader" => ~Still

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

\* NamedWhenStill: a leader resigns, and names the lowest.
NeverNamed == \A l \in Link : \A m \in On(net, l) : m.names = None

\* SomeLeader: a leader is lost, a quorum is left, and no fault is to come.
NeverLeaderless == reigns # {} /\ Acting = {} => Eligible = {} \/ \E f \in Fault \ {"ask", "heartbeat"} : budget[f] > 0

\* SomeLeader, HighestLeads: there are fair behaviours, and they settle.
NeverSettled == ~<>[]Settled

\* HighestLeads: a lower node leads, and all follow it, while a higher one could.
NeverLowerLeads == \A l \in Eligible : Leads(l) => HighestIs(l)

\* NoDisruption: a leader that reaches a quorum stops leading.
NeverDeposed == [][\A l \in Node : ~Deposed(l)]_vars

\* IsSettled: a change is settled, and a second one made.
NeverChangedTwice == \A i \in Node : node[i].conf.version < First.version + 2

\* RemovedAtRest: a first member that runs learns that it is one no more.
NeverLearnsRemoval == \A i \in Members(First) : ~Removed(i)

\* A node that was no member at first comes to lead.
NeverAddedLeads == \A r \in reigns : r.leader \in Members(First)

\* R45, R48. A node leads, and a later version that it has never heard of is older than its configuration.
NeverPassedOver == \A i \in Acting, j \in Node : Newer(node[i].conf, node[j].conf) => node[i].conf.version >= node[j].conf.version

\* KeepsLeader: a leader that was made a witness hands over.
NeverDemotedHandsOver ==
  [][\A i \in up : node[i].role = "leader" /\ i \in node[i].conf.witnesses => node'[i].role # "electing"]_vars

\* OneConfiguration: two configurations are held in one epoch.
NeverTwoInEpoch == \A i, j \in Node : LET c == node[i].conf d == node[j].conf
                                       IN c = d \/ Empty \in {c, d} \/ c.epoch # d.epoch

\* Demoted: a leader that was made a witness leads on for ever, though somebody is eligible.
NeverLedByWitness == <>[](Eligible # {} => Acting \cap Demoted = {})

-----------------------------------------------------------------------------
(* Liberties: what a host may do that module Cluster leaves out (R37, R41). *)

Silent(l)         == node[l].role = "electing" /\ node[l].leader = l        \* after a restart (R30)

Proofs(i, l)      == l \in up => Silent(l)                          \* for MayProve: l is down, or back and has said nothing new
Down(i, l)        == l \notin up                                    \* for MayProve
IdleOnly(i)       == node[i].role = "follower" /\ node[i].leader = None     \* for MayBeEarly
NobodyOrAny(i)    == {None} \cup Node                                   \* for Nameable
TheLowest(i)      == IF Quiet /\ Leads(i) THEN {1} ELSE {}               \* for Nameable
Everything        == TRUE                                               \* for Kept
AtAnyTime         == TRUE                                               \* for Free
AsAsked           == FALSE                                              \* for Renumbers: where a number may be asked again
EveryAnswer(d, l, m) == TRUE                                            \* for MayCount: answers keep their numbers to the end
EndsTooSoon(i)    == TRUE                                               \* for Expired: patience ends though reigns go on
HigherDead(i)     == Arrived(i) \/ (MayClaim(i, node[i]) /\ \A j \in Members(node[i].conf) : Higher(j, i, node[i].conf) => Proofs(i, j)) \* for Answered: election alone

-----------------------------------------------------------------------------
(* Mutants: what a cfg puts in the place of one rule. *)

AnySet(c, S)            == S # {}                                   \* for IsQuorum
HalfOrMore(c, S)        == 2 * Cardinality(S \cap Electors(c)) >= Cardinality(Electors(c))  \* for IsQuorum
EveryoneCounts(c, S)    == 2 * Cardinality(S) > Cardinality(Electors(c))                    \* for IsQuorum
ObserversVote(c, S)     == 2 * Cardinality(S \cap Members(c)) > Cardinality(c.voters \cup c.witnesses)  \* for IsQuorum, with WithObservers
WithObservers(c)        == c.voters \cup c.witnesses \cup c.observers                        \* for Electors
ForgetsAll(s)           == Resting(0, None, Reserved(s.latest), s.conf)       \* for Survives
ForgetsGrantee(s)       == Resting(s.epoch, None, s.latest, s.conf) \* for Survives
ForgetsNumbers(s)       == Resting(s.epoch, s.grantee, 0, s.conf)   \* for Survives
ForgetsChanges(s)       == Resting(s.epoch, s.grantee, s.latest, First)                     \* for Survives
ForgetsMembers(s)       == Resting(s.epoch, s.grantee, Reserved(s.latest), Empty)           \* for Survives, in traces
ReleasesAny(n, lease)   == TRUE                                     \* for Covers
LeaseGetsOlder(s, m)    == m.question                               \* for LeaseAfter
LearnsAlways(i, s)      == TRUE                                     \* for LearnsBound
ClaimantsGiveWay        == TRUE                                     \* for GivesWay
AnyAnswer(s, m)         == TRUE                                     \* for AnswersMine
DatesFromArrival(s, m)  == s.latest                                 \* for Answers
GrantsRivals(i, s, m)   == FALSE                                    \* for Rivals
NamesNoLease(s, m)      == TRUE                                     \* for Keeps
NoSuccession(i, s, m)   == FALSE                                    \* for Succeeds
ShieldsNobody(s, c)     == FALSE                                    \* for Shields
NoOwnClaim(s, e)        == FALSE                                    \* for OwnClaim
DropsLease(s)           == Unbound(s)                               \* for WhilePreempting
VotesForOlder(i, s, m)  == i \in Electors(s.conf) /\ m.from \in s.conf.voters                 \* for MayVote
VotesForAnyone(i, s, m) == i \in Electors(s.conf) /\ m.conf = s.conf                          \* for MayVote
AlwaysSupports(i, s, m) == MayVote(i, s, m)                         \* for MaySupport
SupportsLower(i, s, m)  == /\ MayVote(i, s, m)                      \* for MaySupport
                           /\ \/ ~Outranked(i, m.from, s.conf)
                              \/ s.leader \in {None, m.from}
                              \/ Outranked(s.leader, m.from, s.conf) /\ s.role # "electing"
NoOkSupport(m)          == {}                                       \* for OkSupport
ClaimsUnasked(i, s)     == TRUE                                     \* for MayClaim
SameEpoch(s)            == IF s.epoch = 0 THEN 1 ELSE s.epoch       \* for NextEpoch
GrantsTwice(s, c, e)    == e >= s.epoch                             \* for MayGrant
GrantsBelow(s, c, e)    == TRUE                                     \* for MayGrant
DoesNotWait(s, m)       == Resting(m.epoch, m.from, s.latest, s.conf) \* for AfterGrant
NeverHandsOver(i, s, m) == FALSE                                    \* for HandsOver
HandsOverItsOwn(i, s, m) == MayVote(i, s, m) /\ Outranked(i, m.from, s.conf) /\ m.epoch >= s.epoch  \* for HandsOver: its own epoch too
CountsAnyGrant(s, m)    == TRUE                                     \* for CountsGrant
CountsGrantOfEpoch(s, m) == m.epoch = NextEpoch(s)                  \* for CountsGrant
WinsOverLease(i, s)     == IsQuorum(s.conf, s.support \cup {i})     \* for MayWin
NeverStale(s, e)        == FALSE                                    \* for IsStale
SpeaksAtOnce(i, s)      == Survives(s)                              \* for AfterRestart
HasAnyLease(i, s)       == s.leader # None                          \* for HasHolder
AdoptsNothing(s, m)     == s                                        \* for Adopted
AdoptsFromLeaders(s, m) == IF m.type \in {"COORDINATOR", "HEARTBEAT"} /\ Newer(m.conf, s.conf) THEN Adopt(s, m.conf) ELSE s  \* for Adopted
StandsOn(s, c)          == [Learn(s, c.epoch) EXCEPT !.support = {}, !.conf = c]            \* for Adopt
KeepsSupport(s, c)      == [Learn(s, c.epoch) EXCEPT !.conf = c]                            \* for Adopt
LearnsNothing(s, c)     == LET t == IF s.role \in {"candidate", "claimant"} THEN Rest(s) ELSE s            \* for Adopt
                           IN [t EXCEPT !.support = {}, !.conf = c]
MeetsAnyone(i, j, c)    == TRUE                                     \* for Meets
AnswersNobody(i, s, m)  == Quietly(s)                               \* for OutsideHeard
CountsAny(s, m)         == TRUE                                     \* for Counts
CountsAcks(s, m)        == m.type = "ACK" \/ m.conf = s.conf         \* for Counts
AnyoneStands(i, s)      == TRUE                                     \* for MayStand
ElectorsStand(i, s)     == i \in Electors(s.conf)                   \* for MayStand
ByRankAlone(l, k, c)    == Higher(k, l, c)                          \* for Outranked
ById(l, k, c)           == l \in c.voters => k > l                 \* for Outranked: ranks are not looked at
ByFirstRanks(l, k, c)   == l \in c.voters => Higher(k, l, First)   \* for Outranked: ranks that change are not looked at
BySendersRanks(s, m)    == m.conf                                   \* for Comparing
KeepsItsRanks(s, m)     == IF ~Newer(m.conf, s.conf) THEN s                          \* for Adopted, where ranks alone change
                           ELSE [Adopt(s, m.conf) EXCEPT !.conf = [s.conf EXCEPT !.epoch = m.conf.epoch, !.version = m.conf.version]]
AnyOutranks(l, k, c)    == TRUE                                     \* for Outranked: whoever asks is the better
ChangesUnsettled(i, s)  == TRUE                                     \* for IsSettled
ManyDiffer(c, d)        == c # d                                    \* for OneDiffers
LeaderMayLeave(i, c)    == TRUE                                     \* for KeepsLeader
Unstamped(c, e)         == c                                        \* for Stamped

\* Node i, which may not stand, rests, and says so to those of S.
Says(i, s, S)           == LET t == Rest(s) IN Step(t, To(S, "IM_BACK", i, t.epoch, t.latest))

AsksOrRests(i, s)       == IF MayStand(i, s) THEN Ask(i, s) ELSE Says(i, s, {})                      \* for AskOrSay
SaysToElectors(i, s)    == IF MayStand(i, s) THEN Ask(i, s)                                           \* for AskOrSay
                           ELSE Says(i, s, IF i \in Members(s.conf) THEN Electors(s.conf) ELSE {})
ElectorsSay(i, s)       == IF MayStand(i, s) THEN Ask(i, s)                                           \* for AskOrSay
                           ELSE Says(i, s, IF i \in Electors(s.conf) THEN Members(s.conf) ELSE {})
AnyoneSays(i, s)        == IF MayStand(i, s) THEN Ask(i, s) ELSE Says(i, s, Members(s.conf))          \* for AskOrSay

SilenceProves(i, l)     == l \in up => <<l, i>> \in cut             \* for MayProve
FaultProves(i, l)       == l \in up => budget # Budget              \* for MayProve
ProvesAnything(i, l)    == TRUE                                     \* for MayProve
EndsByProofOnly(i)      == node[i].leader = None                    \* for LeaseOver
NamedIsSilent(i, r, s, m) == FALSE                                  \* for IsNamed
NeverEnded(i, s, m)     == FALSE                                    \* for HasEnded
PassesTheNamed(i)       == \E j \in Reach(i) \ {i} : node[j].role \in {"claimant", "candidate"}      \* for Pending
NobodyPending(i)        == FALSE                                    \* for Pending
WatchesNobody(i)        == node[i].role = "follower" /\ node[i].leader = None   \* for Watches
WatchesHolder(i)        == node[i].role = "follower" /\ (node[i].leader = None => MayStand(i, node[i]))   \* for Watches
AlwaysWatches(i)        == node[i].role = "follower"                \* for Watches
Never(i)                == FALSE                                    \* for a timer's action

=============================================================================
