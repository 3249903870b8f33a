------------------------------ MODULE Textbook ------------------------------
(***************************************************************************)
(* The Bully of Garcia-Molina (Elections in a Distributed Computing        *)
(* System, IEEE Transactions on Computers C-31(1), 1982) as it is usually  *)
(* taught: ELECTION, OK, COORDINATOR, the highest id wins.  There are no   *)
(* epochs and no quorum.                                                   *)
(*                                                                         *)
(* It is here to show two things: that it holds in the world it was made   *)
(* for, and that it fails as soon as any part of that world is taken away, *)
(* or any one of its rules.  Each assumption and each rule is therefore an *)
(* operator of its own, and a mutant replaces one of them.                 *)
(*                                                                         *)
(* One FIFO queue per directed link.  A crash empties the queues to the    *)
(* node and any of those from it, since it may come in the middle of a     *)
(* broadcast; what is sent to a node that is down, or over a cut, is lost. *)
(*                                                                         *)
(* Not modelled: the paper's second stage (halt the others, hear that they *)
(* halted, only then lead) and its coordinator, which asks whether all are *)
(* normal: textbooks leave both out.  Nor the question "are you up" and    *)
(* its answer: what a node's failure detector finds is read off the state. *)
(* There is no clock: OnTime says when a timer may end.                    *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS N,                    \* how many members there are
          MaxCrash,             \* how many crashes there may be
          MaxRestart,           \* how many restarts there may be: none is crash-stop
          MaxCut,               \* how often the set of cut links may change
          Flapping,             \* the nodes that may crash and restart without end, at no cost
          Cuts,                 \* the sets of directed links that may be cut
          Beginnings            \* the states of all nodes in which a run may begin

Node == 1..N                    \* an id is its rank
None == 0                       \* no node
Link == {l \in Node \X Node : l[1] # l[2]}

Role        == {"follower", "candidate", "electing", "leader"}
MessageType == {"ELECTION", "OK", "COORDINATOR"}
State       == [role : Role, leader : Node \cup {None}]
Fault       == {"crash", "restart", "cut"}

ASSUME /\ Flapping \subseteq Node
       /\ Cuts \subseteq SUBSET Link
       /\ Beginnings \subseteq [Node -> State]

VARIABLES node,                 \* node[i]: the role of node i, and whom it takes for the leader
          up,                   \* the nodes that run
          net,                  \* net[<<i, j>>]: the types of what is under way from i to j, first sent first
          cut,                  \* the directed links that carry nothing now
          budget                \* the faults that may still happen

vars == <<node, up, net, cut, budget>>

TypeOK == /\ node \in [Node -> State]
          /\ up \subseteq Node
          /\ DOMAIN net = Link
          /\ \A l \in Link : \A k \in 1..Len(net[l]) : net[l][k] \in MessageType
          /\ cut \in Cuts
          /\ DOMAIN budget = Fault
          /\ \A f \in Fault : budget[f] \in Nat

Blank == [role |-> "follower", leader |-> None]

\* Everybody follows the highest, or nobody has heard of anybody.
Led  == [i \in Node |-> [role |-> IF i = N THEN "leader" ELSE "follower", leader |-> N]]
Cold == [i \in Node |-> Blank]

Init == /\ node \in Beginnings
        /\ up = Node
        /\ net = [l \in Link |-> <<>>]
        /\ cut \in Cuts
        /\ budget = [crash |-> MaxCrash, restart |-> MaxRestart, cut |-> MaxCut]

-----------------------------------------------------------------------------
(* Vocabulary *)

Above(i)      == (i + 1)..N
InElection(i) == node[i].role \in {"candidate", "electing"}
Leads(i)      == i \in up /\ node[i].role = "leader"
Linked(i, j)  == <<i, j>> \notin cut /\ <<j, i>> \notin cut
Quiet         == \A l \in Link : net[l] = <<>>

\* Whom the timer of node i waits for.
Awaited(i) == CASE node[i].role = "follower" -> {node[i].leader} \ {None}
                [] node[i].role = "leader"   -> {}
                [] OTHER                     -> Above(i)

-----------------------------------------------------------------------------
(* Assumptions *)

\* Messages take less time than timers: nothing is under way between node i and those it waits for.
Landed(i) == \A j \in Awaited(i) : net[<<i, j>>] = <<>> /\ net[<<j, i>>] = <<>>

\* The failure detector is right: it finds the leader of node i alive if it runs and the two can talk.
\* It does not ask whether it leads.
Alive(i) == node[i].leader \in up /\ Linked(i, node[i].leader)

\* T_coord is longer than an election: a higher node that is in one still owes node i a COORDINATOR.
\* The one assumption that only spares messages: what is promised holds without it (TextbookShortTcoord).
Owed(i) == \E j \in Above(i) \cap up : InElection(j) /\ <<j, i>> \notin cut

\* Synchrony: a timer ends only when what it waits for can no longer come.
OnTime(i) == /\ Landed(i)
             /\ CASE node[i].role = "follower" -> ~Alive(i)
                  [] node[i].role = "electing" -> ~Owed(i)
                  [] OTHER                     -> TRUE

\* A node that crashed stays away until all that was begun meanwhile is over: no message is under way and
\* nobody is in an election.  That the messages of its own earlier life have landed is not enough.
SlowReturn(i) == Quiet /\ \A j \in up : ~InElection(j)

\* A link loses nothing that was sent to a node that stays up.
Reliable(l) == TRUE

\* The last assumption is that the network is whole: Cuts is {{}}.

-----------------------------------------------------------------------------
(* Rules *)

\* A follower whose leader falls silent holds an election.
Probes(i) == TRUE

\* ELECTION goes to all higher nodes.
Asked(i) == Above(i)

\* A node answers OK to a lower one ...
Answers(i) == TRUE

\* ... and holds an election itself, unless it is in one already.
Stands(i) == ~InElection(i)

\* A candidate that hears OK waits for the COORDINATOR.
GivesWay(i) == TRUE

\* A candidate that nobody answered within T_elec is the leader.
Declares(i) == TRUE

\* A node that waited in vain for the COORDINATOR, T_coord long, holds a new election.
Retries(i) == TRUE

\* A new leader tells everybody.
Told(i) == Node \ {i}

\* Whoever hears COORDINATOR follows its sender.
Accepts(i, j) == TRUE

\* A node that returns holds an election at once, even if somebody leads; the highest announces itself.
TakesOver(i) == TRUE

-----------------------------------------------------------------------------
(* Steps *)

Become(i, r, l) == node' = [node EXCEPT ![i] = [role |-> r, leader |-> l]]

\* The queues n after node i has sent a message of type t to the nodes in S.
Send(n, i, S, t) == [l \in Link |-> IF l[1] = i /\ l[2] \in S \cap up /\ l \notin cut THEN Append(n[l], t) ELSE n[l]]

\* Node i comes to lead; n are the queues before it says so.
Lead(i, n) == /\ Become(i, "leader", i)
              /\ net' = Send(n, i, Told(i), "COORDINATOR")

\* Node i holds an election.  The highest has nobody to ask.
Stand(i, n) == IF i = N THEN Lead(i, n)
               ELSE /\ Become(i, "candidate", None)
                    /\ net' = Send(n, i, Asked(i), "ELECTION")

-----------------------------------------------------------------------------
(* Timers *)

PatienceTimeout(i) ==
  /\ i \in up /\ node[i].role = "follower"
  /\ OnTime(i) /\ Probes(i)
  /\ Stand(i, net)
  /\ UNCHANGED <<up, cut, budget>>

ElectionTimeout(i) ==
  /\ i \in up /\ node[i].role = "candidate"
  /\ OnTime(i) /\ Declares(i)
  /\ Lead(i, net)
  /\ UNCHANGED <<up, cut, budget>>

CoordinatorTimeout(i) ==
  /\ i \in up /\ node[i].role = "electing"
  /\ OnTime(i) /\ Retries(i)
  /\ Stand(i, net)
  /\ UNCHANGED <<up, cut, budget>>

-----------------------------------------------------------------------------
(* Receipts: node l[2] takes the first message on link l *)

Arrives(l, t) == net[l] # <<>> /\ Head(net[l]) = t
Without(l)    == [net EXCEPT ![l] = Tail(@)]

OnElection(l) ==
  /\ Arrives(l, "ELECTION")
  /\ LET n == IF Answers(l[2]) THEN Send(Without(l), l[2], {l[1]}, "OK") ELSE Without(l)
     IN IF Stands(l[2]) THEN Stand(l[2], n) ELSE net' = n /\ UNCHANGED node
  /\ UNCHANGED <<up, cut, budget>>

\* An OK that comes too late changes nothing.
OnOk(l) ==
  /\ Arrives(l, "OK")
  /\ IF node[l[2]].role = "candidate" /\ GivesWay(l[2]) THEN Become(l[2], "electing", None) ELSE UNCHANGED node
  /\ net' = Without(l)
  /\ UNCHANGED <<up, cut, budget>>

OnCoordinator(l) ==
  /\ Arrives(l, "COORDINATOR")
  /\ IF Accepts(l[2], l[1]) THEN Become(l[2], "follower", l[1]) ELSE UNCHANGED node
  /\ net' = Without(l)
  /\ UNCHANGED <<up, cut, budget>>

-----------------------------------------------------------------------------
(* Faults *)

Spend(f) == budget[f] > 0 /\ budget' = [budget EXCEPT ![f] = @ - 1]

\* A crash comes before what was sent to the nodes in S has left.
Crash(i) ==
  /\ i \in up
  /\ IF i \in Flapping THEN UNCHANGED budget ELSE Spend("crash")
  /\ up' = up \ {i}
  /\ node' = [node EXCEPT ![i] = Blank]
  /\ \E S \in SUBSET {j \in Node \ {i} : net[<<i, j>>] # <<>>} :
       net' = [l \in Link |-> IF l[2] = i \/ (l[1] = i /\ l[2] \in S) THEN <<>> ELSE net[l]]
  /\ UNCHANGED cut

\* A node that does not take over follows whoever leads: it listens before it speaks.
Restart(i) ==
  /\ i \notin up /\ SlowReturn(i)
  /\ IF i \in Flapping THEN UNCHANGED budget ELSE Spend("restart")
  /\ up' = up \cup {i}
  /\ IF TakesOver(i) THEN Stand(i, net)
     ELSE /\ Become(i, "follower", CHOOSE l \in up : Leads(l) /\ \A k \in up : Leads(k) => k <= l)
          /\ UNCHANGED net
  /\ UNCHANGED cut

Lose(l) ==
  /\ net[l] # <<>> /\ ~Reliable(l)
  /\ net' = Without(l)
  /\ UNCHANGED <<node, up, cut, budget>>

Cut(c) ==
  /\ c # cut /\ Spend("cut")
  /\ cut' = c
  /\ net' = [l \in Link |-> IF l \in c THEN <<>> ELSE net[l]]
  /\ UNCHANGED <<node, up>>

-----------------------------------------------------------------------------

Next ==
  \/ \E i \in Node : PatienceTimeout(i)
  \/ \E i \in Node : ElectionTimeout(i)
  \/ \E i \in Node : CoordinatorTimeout(i)
  \/ \E l \in Link : OnElection(l)
  \/ \E l \in Link : OnOk(l)
  \/ \E l \in Link : OnCoordinator(l)
  \/ \E i \in Node : Crash(i)
  \/ \E i \in Node : Restart(i)
  \/ \E l \in Link : Lose(l)
  \/ \E c \in Cuts : Cut(c)

Spec == Init /\ [][Next]_vars

Timer(i)   == PatienceTimeout(i) \/ ElectionTimeout(i) \/ CoordinatorTimeout(i)
Arrival(l) == OnElection(l) \/ OnOk(l) \/ OnCoordinator(l)

\* A timer that is due for good, or over and over, ends; what is under way arrives.
\* Weak fairness of the timers would do in all models but TextbookPatientReturn, where a node flaps.
Fairness == /\ \A i \in Node : SF_vars(Timer(i))
            /\ \A l \in Link : WF_vars(Arrival(l))

FairSpec == Spec /\ Fairness

-----------------------------------------------------------------------------
(* What is promised *)

\* Node l leads, and all who run take it for the leader.
FollowedByAll(l) == Leads(l) /\ \A i \in up : node[i].leader = l
IsHighest(l)     == l \in up /\ \A i \in up : i <= l
Settled          == \E l \in Node : FollowedByAll(l)

\* Without restarts: never two live nodes that both believe they lead.
OneLeader == \A i, j \in Node : Leads(i) /\ Leads(j) => i = j

\* With restarts: two only while the COORDINATOR of the higher one is on its way to the lower.
TwoOnlyOnReturn ==
  \A i, j \in Node : Leads(i) /\ Leads(j) /\ i < j => \E k \in 1..Len(net[<<j, i>>]) : net[<<j, i>>][k] = "COORDINATOR"

\* Nothing is left to happen but faults: the network is whole and silent, nobody is in an election, and
\* no follower finds its leader dead.
AtRest == /\ up # {} /\ cut = {} /\ Quiet
          /\ \A i \in up : ~InElection(i) /\ (node[i].role = "follower" => Alive(i))

OneLeaderAtRest == AtRest => Settled
HighestAtRest   == AtRest => \A l \in Node : IsHighest(l) => FollowedByAll(l)

\* Once faults stop, one node leads, and all follow it; and it is the highest.
SomeLeader   == <>[]Settled
HighestLeads == <>[](\A l \in Node : IsHighest(l) => FollowedByAll(l))

=============================================================================
What was checked with TLC 2.18, one worker; seconds of one core, of which starting Java takes one.  What must fail is
in tla/models.json; each witness and mutant fails within 500 distinct states.

| configuration            | nodes | crashes | restarts | checked                        | distinct | generated | seconds |
|--------------------------|-------|---------|----------|--------------------------------|----------|-----------|---------|
| TextbookCrashStop        | 3     | 2       | 0        | OneLeader, HighestAtRest       |    2,492 |    15,309 |       2 |
| TextbookCrashStopFour    | 4     | 3       | 0        | OneLeader, HighestAtRest       |    4,526 |    29,297 |       2 |
| TextbookRecovery         | 3     | 2       | 2        | HighestAtRest, TwoOnlyOnReturn |    5,594 |    28,974 |       2 |
| TextbookRecoveryFour     | 4     | 1       | 1        | HighestAtRest, TwoOnlyOnReturn |   58,485 |   265,948 |       7 |
| TextbookRecoveryFourDeep | 4     | 2       | 1        | HighestAtRest, TwoOnlyOnReturn |  661,349 | 3,531,566 |      41 |
| TextbookHighestLeads     | 3     | 2       | 2        | SomeLeader, HighestLeads       |    5,594 |    28,974 |       5 |
| TextbookHighestLeadsFour | 4     | 2       | 0        | HighestLeads                   |    4,114 |    22,117 |       6 |
| TextbookPatientReturn    | 3     | 1 + 3's | 1 + 3's  | SomeLeader                     |    4,488 |    23,054 |       4 |
| TextbookShortTcoord      | 3     | 2       | 2        | HighestAtRest, TwoOnlyOnReturn |    5,594 |    29,010 |       5 |

TextbookShortTcoord also holds HighestLeads.  Those of three nodes begin led or cold, those of four led.  The explorer
in Go (model/baselines/textbook) went further with HighestAtRest and TwoOnlyOnReturn: four nodes from a cold start without
crashes, 7,484,974 states; five nodes with one crash, 26,831,984 states.
