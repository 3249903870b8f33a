-------------------------------- MODULE Ring --------------------------------
(***************************************************************************)
(* The election on a ring of Chang and Roberts (An Improved Algorithm for  *)
(* Decentralized Extrema-Finding in Circular Configurations of Processes,  *)
(* CACM 22(5), 1979), in the form of Coulouris et al. (Distributed         *)
(* Systems, section 15.3), where the leader tells everybody. A node sends  *)
(* only to the one after it: ELECTION with an id, which goes round as long *)
(* as it meets none that is higher; whoever has its own back leads.        *)
(*                                                                         *)
(* It is here to show that it holds where nobody dies, for every order of  *)
(* the ring and whoever starts and when, and what becomes of it where      *)
(* somebody does; also with what is usually added then: neighbours that    *)
(* are dead are skipped, and who waits in vain starts again. Each          *)
(* assumption and each rule is an operator of its own, and a mutant        *)
(* replaces one of them.                                                   *)
(*                                                                         *)
(* One FIFO queue per directed link. A crash empties the queues to the     *)
(* node and any of those from it; what is sent to a node that is down, or  *)
(* over a cut, is lost. There is no clock: OnTime says when a timer may    *)
(* end.                                                                    *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS N,                    \* how many members there are: two or more
          MaxCrash,             \* how many crashes there may be
          MaxRestart,           \* how many restarts there may be
          MaxCut,               \* how often the set of cut links may change
          Cuts,                 \* the sets of directed links that may be cut
          Orders,               \* the orders in which the nodes may stand in the ring
          Beginnings            \* the states of all nodes in which a run may begin

Node == 1..N                    \* an id is its rank
None == 0                       \* no node
Link == {l \in Node \X Node : l[1] # l[2]}

Role        == {"follower", "candidate", "leader"}      \* who takes part in an election is a candidate
MessageType == {"ELECTION", "COORDINATOR"}
Message     == [type : MessageType, id : Node]
State       == [role : Role, leader : Node \cup {None}]
Fault       == {"crash", "restart", "cut"}

ASSUME /\ Cuts \subseteq SUBSET Link
       /\ Orders \subseteq [Node -> Node]
       /\ Beginnings \subseteq [Node -> State]

VARIABLES ring,                 \* ring[i]: the node after node i.  It never changes
          node,                 \* node[i]: the role of node i, and whom it takes for the leader
          up,                   \* the nodes that run
          net,                  \* net[<<i, j>>]: what is under way from i to j, first sent first
          cut,                  \* the directed links that carry nothing now
          budget                \* the faults that may still happen

vars == <<ring, node, up, net, cut, budget>>

TypeOK == /\ ring \in Orders
          /\ node \in [Node -> State]
          /\ up \subseteq Node
          /\ DOMAIN net = Link
          /\ \A l \in Link : \A k \in 1..Len(net[l]) : net[l][k] \in Message
          /\ cut \in Cuts
          /\ DOMAIN budget = Fault
          /\ \A f \in Fault : budget[f] \in Nat

Blank == [role |-> "follower", leader |-> None]

\* Nobody has heard of anybody, or everybody follows the highest.
Cold == [i \in Node |-> Blank]
Led  == [i \in Node |-> [role |-> IF i = N THEN "leader" ELSE "follower", leader |-> N]]

Init == /\ ring \in Orders
        /\ node \in Beginnings
        /\ up = Node
        /\ net = [l \in Link |-> <<>>]
        /\ cut \in Cuts
        /\ budget = [crash |-> MaxCrash, restart |-> MaxRestart, cut |-> MaxCut]

-----------------------------------------------------------------------------
(* Vocabulary *)

Leads(i)     == i \in up /\ node[i].role = "leader"
Takes(i)     == node[i].role = "candidate"                      \* part in an election
Linked(i, j) == <<i, j>> \notin cut /\ <<j, i>> \notin cut
Quiet        == \A l \in Link : net[l] = <<>>

-----------------------------------------------------------------------------
(* Assumptions.  The first is that nobody dies: MaxCrash is 0. *)

\* The failure detector is right: node i finds node j alive if it runs and the two can talk.
Alive(i, j) == j \in up /\ Linked(i, j)

\* A timer ends only when what it waits for can no longer come: nothing is under way that a live node has begun.
OnTime(i) == \A l \in Link : \A k \in 1..Len(net[l]) : net[l][k].id \notin up

\* A node that crashed stays away until all that was begun meanwhile is over.
SlowReturn(i) == Quiet /\ \A j \in up : ~Takes(j)

\* A link loses nothing that was sent to a node that stays up.
Reliable(l) == TRUE

\* The last assumption is that the network is whole: Cuts is {{}}.

-----------------------------------------------------------------------------
(* Rules *)

\* An id above its own goes on ...
PassesOn(i, j) == j > i

\* ... and one below its own is swallowed, by a node that takes part already; another sends its own in its place.
Joins(i) == ~Takes(i)

\* Whoever has its own back leads, and says so, once round the ring.
Tells(i) == TRUE

-----------------------------------------------------------------------------
(* What is added where nodes may die; off, as in the paper *)

\* Node i sends to the next that is alive, if the one after it is dead.
Skips(i) == FALSE

\* Node i starts again if it waits in vain.
Retries(i) == FALSE

\* Node i discards what a dead node has begun.
Drops(i, j) == FALSE

-----------------------------------------------------------------------------
(* Steps *)

RECURSIVE NextAlive(_, _)
NextAlive(i, j) == IF j = i \/ Alive(i, j) THEN j ELSE NextAlive(i, ring[j])

\* To whom node i sends: to itself if it is alone.
After(i) == IF Skips(i) THEN NextAlive(i, ring[i]) ELSE ring[i]

Become(i, r, l) == node' = [node EXCEPT ![i] = [role |-> r, leader |-> l]]

\* The queues n after node i has sent a message of type t and id j.
Send(n, i, t, j) ==
  IF After(i) \in up \ {i} /\ <<i, After(i)>> \notin cut
    THEN [n EXCEPT ![<<i, After(i)>>] = Append(@, [type |-> t, id |-> j])]
    ELSE n

\* Node i comes to lead; n are the queues before it says so.
Lead(i, n) == /\ Become(i, "leader", i)
              /\ net' = IF Tells(i) THEN Send(n, i, "COORDINATOR", i) ELSE n

\* Node i takes part with its own id.
Stand(i, n) == IF After(i) = i THEN Lead(i, n)
               ELSE /\ Become(i, "candidate", None)
                    /\ net' = Send(n, i, "ELECTION", i)

-----------------------------------------------------------------------------
(* Timers *)

\* Any node may start, at any time, that knows of no leader or finds it dead.
Start(i) ==
  /\ i \in up /\ node[i].role = "follower" /\ ~Alive(i, node[i].leader)
  /\ Stand(i, net)
  /\ UNCHANGED <<ring, up, cut, budget>>

Retry(i) ==
  /\ i \in up /\ Takes(i)
  /\ OnTime(i) /\ Retries(i)
  /\ Stand(i, net)
  /\ UNCHANGED <<ring, up, cut, budget>>

-----------------------------------------------------------------------------
(* Receipts: node l[2] takes the first message on link l *)

Arrives(l, t) == net[l] # <<>> /\ Head(net[l]).type = t
Without(l)    == [net EXCEPT ![l] = Tail(@)]

OnElection(l) ==
  /\ Arrives(l, "ELECTION")
  /\ LET i == l[2]
         j == Head(net[l]).id
         n == Without(l)
     IN CASE j = i -> Lead(i, n)
          [] j # i /\ ~Drops(i, j) /\ PassesOn(i, j) -> Become(i, "candidate", None) /\ net' = Send(n, i, "ELECTION", j)
          [] j # i /\ ~Drops(i, j) /\ ~PassesOn(i, j) /\ Joins(i) -> Stand(i, n)
          [] OTHER -> net' = n /\ UNCHANGED node
  /\ UNCHANGED <<ring, up, cut, budget>>

\* What the leader has said comes back to it, and goes no further.
OnCoordinator(l) ==
  /\ Arrives(l, "COORDINATOR")
  /\ LET i == l[2]
         j == Head(net[l]).id
         n == Without(l)
     IN IF j = i \/ Drops(i, j)
          THEN net' = n /\ UNCHANGED node
          ELSE Become(i, "follower", j) /\ net' = Send(n, i, "COORDINATOR", j)
  /\ UNCHANGED <<ring, up, cut, budget>>

-----------------------------------------------------------------------------
(* Faults *)

Spend(f) == budget[f] > 0 /\ budget' = [budget EXCEPT ![f] = @ - 1]

\* A crash comes before what was sent to the nodes in S has left.
Crash(i) ==
  /\ i \in up /\ Spend("crash")
  /\ up' = up \ {i}
  /\ node' = [node EXCEPT ![i] = Blank]
  /\ \E S \in SUBSET {j \in Node \ {i} : net[<<i, j>>] # <<>>} :
       net' = [l \in Link |-> IF l[2] = i \/ (l[1] = i /\ l[2] \in S) THEN <<>> ELSE net[l]]
  /\ UNCHANGED <<ring, cut>>

\* Who returns has heard of nobody, and starts at once.
Restart(i) ==
  /\ i \notin up /\ SlowReturn(i) /\ Spend("restart")
  /\ up' = up \cup {i}
  /\ Stand(i, net)
  /\ UNCHANGED <<ring, cut>>

Lose(l) ==
  /\ net[l] # <<>> /\ ~Reliable(l)
  /\ net' = Without(l)
  /\ UNCHANGED <<ring, node, up, cut, budget>>

Cut(c) ==
  /\ c # cut /\ Spend("cut")
  /\ cut' = c
  /\ net' = [l \in Link |-> IF l \in c THEN <<>> ELSE net[l]]
  /\ UNCHANGED <<ring, node, up>>

-----------------------------------------------------------------------------

Next ==
  \/ \E i \in Node : Start(i)
  \/ \E i \in Node : Retry(i)
  \/ \E l \in Link : OnElection(l)
  \/ \E l \in Link : OnCoordinator(l)
  \/ \E i \in Node : Crash(i)
  \/ \E i \in Node : Restart(i)
  \/ \E l \in Link : Lose(l)
  \/ \E c \in Cuts : Cut(c)

Spec == Init /\ [][Next]_vars

Timer(i)   == Start(i) \/ Retry(i)
Arrival(l) == OnElection(l) \/ OnCoordinator(l)

\* A timer that is due for good, or over and over, ends; what is under way arrives.
Fairness == /\ \A i \in Node : SF_vars(Timer(i))
            /\ \A l \in Link : WF_vars(Arrival(l))

FairSpec == Spec /\ Fairness

-----------------------------------------------------------------------------
(* What is promised *)

\* Node l leads, and all who run take it for the leader.
FollowedByAll(l) == Leads(l) /\ \A i \in up : node[i].leader = l
IsHighest(l)     == l \in up /\ \A i \in up : i <= l
Settled          == \E l \in Node : FollowedByAll(l)

\* At most one leads, and where nobody dies it is the highest.
OneLeader      == \A i, j \in Node : Leads(i) /\ Leads(j) => i = j
OnlyTheHighest == \A i \in Node : Leads(i) => IsHighest(i)

\* Somebody has started, and nothing is left that must happen: the network is whole and silent, nobody follows a dead
\* leader, and nobody who takes part will start again.
AtRest == /\ cut = {} /\ Quiet
          /\ \E i \in up : node[i] # Blank
          /\ \A i \in up : CASE node[i].role = "follower"  -> node[i].leader = None \/ Alive(i, node[i].leader)
                             [] node[i].role = "candidate" -> ~Retries(i)
                             [] OTHER                      -> TRUE

\* When an election is over, somebody leads; one only, whom all follow; and it is the highest.
LeaderAtRest    == AtRest => \E i \in Node : Leads(i)
OneLeaderAtRest == AtRest => Settled
HighestAtRest   == AtRest => \A l \in Node : IsHighest(l) => FollowedByAll(l)

\* Once faults stop, one node leads, and all follow it.
EndsLed == <>[]Settled

=============================================================================
What was checked, with TLC 2.18 and one worker, or by the explorer in Go (model/baselines/ring) alone where it says so; seconds of
one core, of which starting Java takes one.  All with every order of the ring, and every set and time of starters.  What
must fail is in tla/models.json; each witness and mutant fails within 700 distinct states.

| configuration     | nodes | crashes | restarts | checked                                  | distinct | generated | seconds    |
|-------------------|-------|---------|----------|------------------------------------------|----------|-----------|------------|
| RingThree         | 3     | 0       | 0        | OneLeader, OnlyTheHighest, HighestAtRest |       56 |       108 |          1 |
| RingFour          | 4     | 0       | 0        | OneLeader, OnlyTheHighest, HighestAtRest |      497 |     1,258 |          2 |
| RingSix           | 6     | 0       | 0        | OneLeader, OnlyTheHighest, HighestAtRest |   91,052 |   343,700 | explorer 1 |
| RingEndsLed       | 3     | 0       | 0        | EndsLed                                  |       56 |       108 |          1 |
| RingMended        | 3     | 2       | 2        | OneLeader, HighestAtRest                 |      985 |     3,094 |          2 |
| RingMendedFive    | 5     | 2       | 0        | OneLeader, HighestAtRest                 |  210,940 |   906,823 | explorer 1 |
| RingMendedEndsLed | 3     | 2       | 1        | EndsLed                                  |      915 |     2,964 |          3 |

Those that are mended skip the dead, start again after waiting in vain, and drop what the dead began; they begin led or
cold, the others cold.
