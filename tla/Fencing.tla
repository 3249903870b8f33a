------------------------------ MODULE Fencing ------------------------------
(***************************************************************************)
(* Why a leader that does not know that it is deposed does no harm: the    *)
(* resource that it writes to admits no epoch below the highest that it    *)
(* has admitted (R38).                                                     *)
(*                                                                         *)
(* How leaders come about is not modelled but taken from LeaderElection:   *)
(* any node may come to lead any epoch that nobody has led, not below one  *)
(* it has led itself.  A reign of a lower epoch may begin after that of a  *)
(* higher one (see PromisesWinsLate), so earlier means: of a lower epoch.  *)
(*                                                                         *)
(* A reign has a beginning and no end.  Its leader may be paused, cut off  *)
(* or deposed and not know it, and go on sending writes for ever.  writes  *)
(* is the set of all that were ever sent, and nothing is ever removed, so  *)
(* they are delayed, reordered, repeated and lost at will.                 *)
(*                                                                         *)
(* Not modelled: what is written, reads, and more than one resource: each  *)
(* keeps a fence of its own.  A leader that is refused may go on sending,  *)
(* though R38 tells it to stop: nothing here rests on its stopping.        *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANT N                      \* how many members there are

Node  == 1..N
Epoch == Nat \ {0}              \* the epochs that are led

VARIABLES reigns,               \* every reign so far: who came to lead in which epoch
          writes,               \* every write ever sent, by the reign that it is stamped with
          answers,              \* every answer of the resource: which write, and the highest epoch admitted then
          admitted,             \* the highest epoch that the resource has admitted (durable)
          log                   \* what the resource has written, by reign, in that order (durable)

vars == <<reigns, writes, answers, admitted, log>>

Reign == [epoch : Nat, leader : Node]
ReignOf(e, i) == [epoch |-> e, leader |-> i]
AnswerTo(r)   == [write |-> r, admitted |-> admitted]

\* The highest epoch that a node has led.  It may have promised higher ones, which
\* only keeps it from leading lower ones.
epoch == [i \in Node |-> LET led == {r.epoch : r \in {q \in reigns : q.leader = i}}
                         IN CHOOSE e \in led \cup {0} : \A f \in led : f <= e]

TypeOK == /\ \A r \in reigns : r \in Reign
          /\ writes \subseteq reigns
          /\ \A a \in answers : a.write \in writes /\ a.admitted \in Nat
          /\ admitted \in Nat
          /\ \A k \in 1..Len(log) : log[k] \in writes

Init == /\ reigns = {}
        /\ writes = {}
        /\ answers = {}
        /\ admitted = 0
        /\ log = <<>>

-----------------------------------------------------------------------------
(* Rules: what mutants replace, one at a time *)

\* R20. What the election promises: an epoch has one leader, and a node's epoch never goes back.
MayLead(i, e) == e >= epoch[i] /\ \A r \in reigns : r.epoch # e

\* R38, R39. Nothing at the leader keeps a write from being sent: it may not know that it is deposed.
MaySend(r) == TRUE

\* R38. Nothing below the highest epoch admitted is admitted.  The same epoch is: a leader writes more than once.
Admits(e) == e >= admitted

\* R38. What the resource knows of its fence after a crash: all.
Survives == admitted

\* How much the resource may write.  MCFencing bounds it.
HasRoom == TRUE

-----------------------------------------------------------------------------
(* Steps *)

\* Node i comes to lead an epoch.
Lead(i) == \E e \in Epoch :
  /\ MayLead(i, e)
  /\ reigns' = reigns \cup {ReignOf(e, i)}
  /\ UNCHANGED <<writes, answers, admitted, log>>

\* Node i sends a write, stamped with an epoch that it leads or has led.
Send(i) == \E r \in reigns :
  /\ r.leader = i
  /\ MaySend(r)
  /\ writes' = writes \cup {r}
  /\ UNCHANGED <<reigns, answers, admitted, log>>

\* R38. The resource receives a write of node i and admits it.  The check and the write are one step.
Admit(i) == \E r \in writes :
  /\ r.leader = i
  /\ HasRoom
  /\ Admits(r.epoch)
  /\ admitted' = r.epoch
  /\ log' = Append(log, r)
  /\ UNCHANGED <<reigns, writes, answers>>

\* R38. The resource receives a write of node i and refuses it, saying for which epoch.  To admit is not answered:
\* an answer that is lost changes nothing, and the write is in the log.
Refuse(i) == \E r \in writes :
  /\ r.leader = i
  /\ ~Admits(r.epoch)
  /\ answers' = answers \cup {AnswerTo(r)}
  /\ UNCHANGED <<reigns, writes, admitted, log>>

\* R38. The resource crashes and restarts.
Restart == /\ admitted' = Survives
           /\ UNCHANGED <<reigns, writes, answers, log>>

Next == \/ \E i \in Node : Lead(i)
        \/ \E i \in Node : Send(i)
        \/ \E i \in Node : Admit(i)
        \/ \E i \in Node : Refuse(i)
        \/ Restart

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What is promised *)

Election == INSTANCE LeaderElection
Refines  == Election!Spec

\* No write is of a lower epoch than one written before it.
NoStaleWrite == \A j, k \in 1..Len(log) : j < k => log[j].epoch <= log[k].epoch

\* Stronger: once a write of a reign was admitted, none of an earlier reign is, nor of any other of that epoch.  So
\* the reigns write one after another.  This needs OneLeaderPerEpoch too.
ReignsInOrder == \A j, k \in 1..Len(log) : j < k => log[j] = log[k] \/ log[j].epoch < log[k].epoch

\* The fence shuts nobody out who leads: a write of the highest reign is never refused.
NoLockout == \A r \in reigns : (\A q \in reigns : q.epoch <= r.epoch) => Admits(r.epoch)

\* The fence never goes back.
AdmittedMonotonic == [][admitted' >= admitted]_vars

THEOREM Spec => [](NoStaleWrite /\ ReignsInOrder /\ NoLockout) /\ AdmittedMonotonic /\ Refines
=============================================================================
Checked with TLC 2.18, one worker; the rest is in models.json.

  configuration   asks                                                       distinct  generated  depth  seconds
  Fencing         3 nodes, epochs up to 3, 4 writes                             7,399     45,245     14        6
  FencingDeep     3 nodes, epochs up to 4, 4 writes                           171,361  1,344,494     19       75

Both hold TypeOK, NoStaleWrite, ReignsInOrder, NoLockout, AdmittedMonotonic and Refines.  The seconds are of a
machine with two cores and other work.

What notices a broken rule; all are named in MCFencing:

  MayLead    TwoLeaders (by ReignsInOrder: NoStaleWrite cannot see it), TwoLeadersRefines
  MaySend    B11ClientFence: a leader that knows at once when it is deposed is no fence
  Admits     B11NoResourceFence, HigherOnly (by NoLockout: nothing stale is written, but nobody writes twice)
  Survives   Forgets, GoesBack
  one step   B12CheckThenAct
