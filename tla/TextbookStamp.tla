--------------------------- MODULE TextbookStamp ---------------------------
(***************************************************************************)
(* The Bully of module Textbook whose leaders pick a number for each reign *)
(* and say it with COORDINATOR: one above the highest that they have heard *)
(* of.  Nobody compares it with anything, and nobody is asked for it.      *)
(*                                                                         *)
(* It is here to show that such a stamp is no epoch: it repeats where all  *)
(* assumptions of Textbook hold, and goes back where nodes return.         *)
(*                                                                         *)
(* Nothing of Textbook is changed.  What the stamps do is read off each of *)
(* its steps, by Stamps.                                                   *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS N, MaxCrash, MaxRestart, MaxCut, Flapping, Cuts, Beginnings    \* as in Textbook

VARIABLES node, up, net, cut, budget,                                   \* as in Textbook
          heard,                \* heard[i]: the highest stamp that node i has heard of; of a leader, that of its reign
          stamps,               \* stamps[<<i, j>>]: the stamps of the COORDINATORs in net[<<i, j>>]
          reigns                \* every reign so far: who came to lead with which stamp

Plain == INSTANCE Textbook

vars == <<node, up, net, cut, budget, heard, stamps, reigns>>

Node == Plain!Node
Link == Plain!Link

Reign(e, i) == [stamp |-> e, leader |-> i]

\* Who leads at the beginning does so with the stamp 1, and all have heard of it.
Init == /\ Plain!Init
        /\ heard = [i \in Node |-> IF Plain!Leads(N) THEN 1 ELSE 0]
        /\ stamps = [l \in Link |-> <<>>]
        /\ reigns = {Reign(1, i) : i \in {j \in Node : Plain!Leads(j)}}

TypeOK == /\ Plain!TypeOK
          /\ heard \in [Node -> Nat]
          /\ \A l \in Link : Len(stamps[l]) = Len(SelectSeq(net[l], LAMBDA t : t = "COORDINATOR"))
          /\ \A r \in reigns : r.stamp \in Nat /\ r.leader \in Node

-----------------------------------------------------------------------------
(* The rules *)

\* A stamp is one above the highest that the node has heard of since it started.
Pick(i) == heard[i] + 1

\* What a node knows of stamps after a crash: nothing.
AfterCrash(i) == 0

-----------------------------------------------------------------------------
(* What happens to stamps in a step of Textbook *)

Count(q) == Len(SelectSeq(q, LAMBDA t : t = "COORDINATOR"))

\* Node i says that it leads, or comes to lead with nobody to say it to.
Declares(i) == /\ i \in up' /\ node'[i].role = "leader"
               /\ \/ i \notin up \/ node[i].role # "leader"
                  \/ \E l \in Link : l[1] = i /\ Count(net'[l]) > Count(net[l])

\* Somebody takes a COORDINATOR from link l, and follows its sender.
Followed(l) == /\ up' = up /\ cut' = cut
               /\ net[l] # <<>> /\ Head(net[l]) = "COORDINATOR" /\ net'[l] = Tail(net[l])

Max(a, b) == IF a > b THEN a ELSE b

Stamps ==
  /\ heard' = [i \in Node |->
       CASE i \notin up'                                  -> AfterCrash(i)
         [] i \in up' /\ Declares(i)                      -> Pick(i)
         [] \E l \in Link : l[2] = i /\ Followed(l)       -> Max(heard[i], Head(stamps[CHOOSE l \in Link : l[2] = i /\ Followed(l)]))
         [] OTHER                                         -> heard[i]]
  /\ stamps' = [l \in Link |->
       IF Count(net'[l]) > Count(net[l]) THEN Append(stamps[l], Pick(l[1]))
       ELSE SubSeq(stamps[l], Count(net[l]) - Count(net'[l]) + 1, Len(stamps[l]))]
  /\ reigns' = reigns \cup {Reign(Pick(i), i) : i \in {j \in Node : Declares(j)}}

-----------------------------------------------------------------------------

PatienceTimeout(i)    == Plain!PatienceTimeout(i) /\ Stamps
ElectionTimeout(i)    == Plain!ElectionTimeout(i) /\ Stamps
CoordinatorTimeout(i) == Plain!CoordinatorTimeout(i) /\ Stamps
OnElection(l)         == Plain!OnElection(l) /\ Stamps
OnOk(l)               == Plain!OnOk(l) /\ Stamps
OnCoordinator(l)      == Plain!OnCoordinator(l) /\ Stamps
Crash(i)              == Plain!Crash(i) /\ Stamps
Restart(i)            == Plain!Restart(i) /\ Stamps
Lose(l)               == Plain!Lose(l) /\ Stamps
Cut(c)                == Plain!Cut(c) /\ Stamps

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

-----------------------------------------------------------------------------
(* What an epoch promises, and a stamp does not *)

\* A stamp has one leader.
OneLeaderPerStamp == \A r, q \in reigns : r.stamp = q.stamp => r.leader = q.leader

\* Who comes to lead picks a stamp above all that were picked before.
StampsRise == [][\A i \in Node : Declares(i) => \A r \in reigns : r.stamp < Pick(i)]_vars

=============================================================================

Checked with TLC 2.18, one worker, and by the explorer in Go (model/baselines/textbook); the rest is in models.json.

  configuration            nodes  crashes  restarts  asks                                     distinct  generated  depth
  TextbookStampOneCrash        4        1         0  TypeOK, OneLeaderPerStamp, StampsRise       2,189      6,342     25
  TextbookStampCut             3        2         1  TypeOK, with a cut that may heal          20,964     51,727     34
  TextbookStampTwice           3        2         0  OneLeaderPerStamp fails                        39         75      7
  TextbookStampGoesBack        3        1         1  StampsRise fails                                9          9      3
  TextbookStampRemembered      3        1         1  OneLeaderPerStamp fails                        45         57      6

TextbookStampTwice: 3 dies; 2 leads with the stamp 2 and dies before anybody hears of it; 1 leads with the stamp 2.
TextbookStampRemembered: 3 dies; 2 leads with the stamp 2; 3 returns, has not heard of that, and leads with the stamp 2.
