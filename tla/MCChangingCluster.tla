-------------------------- MODULE MCChangingCluster --------------------------
(* Topologies, configurations, witnesses and the replacements of mutants for module ChangingCluster. *)
EXTENDS ChangingCluster

-----------------------------------------------------------------------------
(* Topologies (constant Cuts): the first cut is chosen at the start. *)

Isolated(S) == {l \in Link : (l[1] \in S) # (l[2] \in S)}                  \* S is cut from the rest

Whole       == {{}}
TopIsolated == {{}, Isolated({N})}
LowIsolated == {{}, Isolated({1})}
Halves      == {{}, Isolated({1, 2})}
Across      == {Isolated({1, N})}                                         \* from the start
HighParted  == {{<<2, 3>>, <<3, 2>>}}                                     \* from the start: both reach the lowest, and not each other
LowerLost   == {Isolated({1}), Isolated({1, 2})}                           \* first 1, then 1 and 2, or the other way round
TopReturns  == {{}, Isolated({N}), Isolated({1, N})}
Sides       == {{}} \cup {Isolated(S) : S \in SUBSET Node \ {{}, Node}}

-----------------------------------------------------------------------------
(* Configurations (constants First and Wanted). *)

Voting(S)        == [epoch |-> 0, version |-> 1, voters |-> S, witnesses |-> {}, observers |-> {}]
One              == Voting({1})
Two              == Voting({1, 2})
Three            == Voting({1, 2, 3})
All              == Voting(Node)

As(v, w, o)      == [voters |-> v, witnesses |-> w, observers |-> o]
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

-----------------------------------------------------------------------------
(* What a host may do besides (R41). *)

Down(i, l) == l \notin up                                                 \* for MayProve

-----------------------------------------------------------------------------
(* Witnesses: what must be reachable, said as an invariant or property that must fail. *)

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

\* SomeLeader, HighestLeads: there are fair behaviours, and they settle.
NeverSettled == ~<>[]Settled

\* Demoted: a leader that was made a witness leads on for ever, though somebody is eligible.
NeverLedByWitness == <>[](Eligible # {} => Acting \cap Demoted = {})

\* NoDisruption: a leader that reaches a quorum stops leading.
NeverDeposed == [][\A l \in Node : ~Deposed(l)]_vars

-----------------------------------------------------------------------------
(* Mutants: what a cfg puts in the place of one rule. *)

\* Node i, which may not stand, rests, and says so to those of S.
Says(i, s, S) == LET t == Fixed!Rest(s) IN Step(t, To(S, "IM_BACK", i, t.epoch))

ChangesUnsettled(i, s)  == TRUE                                     \* for IsSettled
ManyDiffer(c, d)        == c # d                                    \* for OneDiffers
VotesForOlder(i, s, m)  == i \in Electors(s.conf) /\ m.from \in s.conf.voters                 \* for MayVote
VotesForAnyone(i, s, m) == i \in Electors(s.conf) /\ m.conf = s.conf                          \* for MayVote
AdoptsNothing(s, m)     == s                                        \* for Adopted
AdoptsFromLeaders(s, m) == IF m.type \in {"COORDINATOR", "HEARTBEAT"} /\ Newer(m.conf, s.conf) THEN Adopt(s, m.conf) ELSE s  \* for Adopted
CountsVotes(s, m)       == m.type \in {"OK", "ASSENT", "GRANT"} \/ m.conf = s.conf  \* for Counts
CountsAcks(s, m)        == m.type = "ACK" \/ m.conf = s.conf         \* for Counts
Unstamped(c, e)         == c                                        \* for Stamped
ForgetsChanges(s)       == [Blank(First) EXCEPT !.epoch = s.epoch, !.grantee = s.grantee]   \* for Survives
ForgetsMembers(s)       == [Blank(Empty) EXCEPT !.epoch = s.epoch, !.grantee = s.grantee]   \* for Survives, in traces
LeaderMayLeave(i, c)    == TRUE                                     \* for KeepsLeader
CountsAny(s, m)         == TRUE                                     \* for Counts
AsksOrRests(i, s)       == IF MayStand(i, s) THEN Ask(i, s) ELSE Says(i, s, {})                      \* for AskOrSay
SaysToElectors(i, s)    == IF MayStand(i, s) THEN Ask(i, s)                                           \* for AskOrSay
                           ELSE Says(i, s, IF i \in Members(s.conf) THEN Electors(s.conf) ELSE {})
ElectorsSay(i, s)       == IF MayStand(i, s) THEN Ask(i, s)                                           \* for AskOrSay
                           ELSE Says(i, s, IF i \in Electors(s.conf) THEN Members(s.conf) ELSE {})
AnyoneSays(i, s)        == IF MayStand(i, s) THEN Ask(i, s) ELSE Says(i, s, Members(s.conf))          \* for AskOrSay
WatchesHolder(i)        == node[i].role = "follower" /\ (node[i].leader = None => MayStand(i, node[i]))   \* for Watches
AlwaysWatches(i)        == node[i].role = "follower"                 \* for Watches
ProvesAnything(i, l)    == TRUE                                     \* for MayProve
AnyoneStands(i, s)      == TRUE                                     \* for MayStand
ElectorsStand(i, s)     == i \in Electors(s.conf)                   \* for MayStand
MeetsAnyone(i, j, c)    == TRUE                                     \* for Meets
AnswersNobody(i, s, m)  == Quietly(s)                               \* for OutsideHeard
ByRankAlone(l, k, c)    == l < k                                    \* for Outranked
StandsOn(s, c)          == [Fixed!Learn(s, c.epoch) EXCEPT !.support = {}, !.conf = c]      \* for Adopt
KeepsSupport(s, c)      == [Fixed!Learn(s, c.epoch) EXCEPT !.conf = c]                      \* for Adopt
LearnsNothing(s, c)     == LET t == IF s.role \in {"candidate", "claimant"} THEN Fixed!Rest(s) ELSE s      \* for Adopt
                           IN [t EXCEPT !.support = {}, !.conf = c]
EveryoneCounts(c, S)    == 2 * Cardinality(S) > Cardinality(Electors(c))                    \* for IsQuorum
WithObservers(c)        == c.voters \cup c.witnesses \cup c.observers                        \* for Electors
ObserversVote(c, S)     == 2 * Cardinality(S \cap Members(c)) > Cardinality(c.voters \cup c.witnesses)  \* for IsQuorum, with WithObservers
HalfOrMore(c, S)        == 2 * Cardinality(S \cap Electors(c)) >= Cardinality(Electors(c))  \* for IsQuorum

=============================================================================
