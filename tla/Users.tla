------------------------------- MODULE Users -------------------------------
(***************************************************************************)
(* The users of leaders (R39).  Cluster says who leads; this, who acts.    *)
(*                                                                         *)
(* A user begins while its node leads.  It may be in another process, and  *)
(* cannot ask before each act: it acts until it has stopped, by itself, or *)
(* at the deadline that it was told.  That is `reign` after the question   *)
(* was asked from which the reign is dated (R26); so of time all that is   *)
(* asked is what Cluster asks of leaders: when patience ends that began    *)
(* after a question was asked, nobody acts by that question any more.      *)
(*                                                                         *)
(* R39.4 is what is added.  While its user acts, a node takes no message   *)
(* that would end its reign, and none at all if it leads no more, as its   *)
(* `reign` has ended before the deadline; nor does it resign, or restart.  *)
(* What waits lets pass what comes after it on its link, and all of it but *)
(* one may be lost, as by hosts.                                           *)
(*                                                                         *)
(* Hosts have no run that this has not.  A user that dies with its node is *)
(* one that stops right after.  A host that has had a message wait tells   *)
(* no later deadline, and lets nobody begin: here both may be, and who was *)
(* told less has only to stop sooner.  It gives the message to the node as *)
(* soon as the user has stopped: here others may come before.              *)
(***************************************************************************)
EXTENDS Cluster

VARIABLE acts                   \* acts[i]: {} if the user of i does not act; else i, and whose patience began after the question was asked by which it acts

Led(i)  == i \in up /\ node[i].role = "leader"
Acts(i) == acts[i] # {}

\* While its node leads, the user acts by the question from which the reign is dated.
Outlast(i) == {i} \cup {j \in Node : since[j][i] >= node[i].dated}

\* After that it is told nothing more: what begins now begins after its question was asked.
OutlastOn(i) == {i} \cup {j \in Node : since'[j][i] # 0 /\ (j \in acts[i] \/ since'[j][i] = node'[i].latest)}

\* What becomes of users in a step that is none of theirs.
Go == acts' = [i \in Node |-> IF ~Acts(i) THEN {} ELSE IF Led(i)' THEN Outlast(i)' ELSE OutlastOn(i)]

-----------------------------------------------------------------------------
(* Rules: R39.4 *)

\* Whether message m waits for the user of node i, which acts.
MustWait(i, m) == ~Led(i) \/ Heard(i, node[i], m).state.role # "leader"

\* Whether node i, whose user acts, resigns; and restarts: whatever it says then would not be true.
MayLeave(i)   == FALSE
MayRestart(i) == FALSE

\* For Lapsed: time; and a node whose reign has ended before the deadline is patient until that.
Stopped(i) == \A k \in Node : i \notin acts[k]

-----------------------------------------------------------------------------

Waits(l, m) == Acts(l[2]) /\ l[2] \in up /\ MustWait(l[2], Full(l, m))

\* For Arriving: the first message on a link that does not wait.
Less(q, k) == SubSeq(q, 1, k - 1) \o SubSeq(q, k + 1, Len(q))
PastWaiting(l) ==
  IF Kept THEN {<<m, net[l]>> : m \in {x \in net[l] : ~Waits(l, x)}}
  ELSE {<<net[l][k], Less(net[l], k)>> : k \in {x \in 1..Len(net[l]) : ~Waits(l, net[l][x]) /\ \A y \in 1..(x - 1) : Waits(l, net[l][y])}}

Allowed == \A i \in Node : Acts(i) => /\ Led(i) /\ ~Led(i)' /\ budget'.resign # budget.resign => MayLeave(i)
                                      /\ i \in up' \ up => MayRestart(i)

UserBegins(i) == Led(i) /\ ~Acts(i) /\ acts' = [acts EXCEPT ![i] = Outlast(i)] /\ UNCHANGED vars

UserStops(i) == Acts(i) /\ acts' = [acts EXCEPT ![i] = {}] /\ UNCHANGED vars

\* Of several messages that wait at one node that leads one is kept.
Waiting(i) == UNION {{<<l, k>> : k \in {x \in 1..Len(net[l]) : Waits(l, net[l][x])}} : l \in {y \in Link : y[2] = i}}
Drop(l) ==
  /\ ~Kept /\ (Led(l[2]) => Cardinality(Waiting(l[2])) > 1)
  /\ \E k \in {w[2] : w \in {x \in Waiting(l[2]) : x[1] = l}} : Become(node, [net EXCEPT ![l] = Less(@, k)], since)
  /\ UNCHANGED <<up, cut, budget, reigns>> /\ Go

UsersNext ==
  \/ Next /\ Allowed /\ Go
  \/ \E i \in Node : UserBegins(i)
  \/ \E i \in Node : UserStops(i)
  \/ \E l \in Link : Drop(l)

\* For Spec.
WithUsers == Init /\ acts = [i \in Node |-> {}] /\ [][UsersNext]_<<vars, acts>>

-----------------------------------------------------------------------------
(* Fairness *)

\* A message waits, so that no later deadline is told.
Final(i) == \E l \in Link : l[2] = i /\ \E m \in On(net, l) : Waits(l, m)

\* For FairSpec.  The deadline comes if none that is later is told; and nobody begins for ever while a message waits.
FairWithUsers ==
  /\ WithUsers
  /\ \A i \in Node : SF_<<vars, acts>>(Timer(i) /\ UNCHANGED budget /\ Go)
  /\ \A i \in Node : WF_<<vars, acts>>(HeartbeatTimeout(i) /\ UNCHANGED budget /\ Go)
  /\ \A l \in Link : SF_<<vars, acts>>(Arrival(l) /\ Go)
  /\ \A i \in Node : WF_<<vars, acts>>(UserStops(i) /\ (~Led(i) \/ Final(i)))

-----------------------------------------------------------------------------
(* What is promised *)

UsersTypeOK == acts \in [Node -> SUBSET Node] /\ \A i \in Node : Acts(i) => i \in acts[i]

OneUserActs == Cardinality({i \in Node : Acts(i)}) <= 1

\* What Cluster asks of states that last, once whoever is to stop has stopped.
AllActLeading   == \A i \in Node : Acts(i) => Led(i)
LedInTheEnd     == AllActLeading => LedWhenStill
HighestInTheEnd == AllActLeading => HighestWhenStill

=============================================================================
