----------------------------- MODULE MCFencing -----------------------------
(* Bounds, witnesses and the replacements of mutants for module Fencing. *)
EXTENDS Fencing

CONSTANTS MaxEpoch,             \* nobody leads an epoch above this
          MaxLog                \* how many writes the resource admits

\* For Epoch and HasRoom, in every configuration: the bounds.  Crashes need none.
UpToMax == 1..MaxEpoch
Within  == Len(log) < MaxLog

-----------------------------------------------------------------------------
(* Witnesses: what must be reachable, said as an invariant that must fail. *)

NeverRefused == answers = {}
NeverTwoEpochs == \A j, k \in 1..Len(log) : log[j].epoch = log[k].epoch
NeverWritesTwice == \A j, k \in 1..Len(log) : j # k => log[j] # log[k]

-----------------------------------------------------------------------------
(* Mutants: what a cfg puts in the place of one rule. *)

LeadsLedEpoch(i, e) == e >= epoch[i]                         \* for MayLead
AdmitsAny(e)        == TRUE                                  \* for Admits
AdmitsHigher(e)     == e > admitted                          \* for Admits
ForgetsFence        == 0                                     \* for Survives
WhileHighest(r)     == \A q \in reigns : q.epoch <= r.epoch  \* for MaySend: a leader that knows at once

\* For Next: the resource checks a write, says that it may be written, and writes it later, in a second step.
CheckFirst(i) == \E r \in writes :
  /\ r.leader = i
  /\ Admits(r.epoch)
  /\ answers' = answers \cup {AnswerTo(r)}
  /\ UNCHANGED <<reigns, writes, admitted, log>>

ActLater(i) == \E a \in answers :
  /\ a.write.leader = i
  /\ HasRoom
  /\ a.admitted <= a.write.epoch
  /\ admitted' = a.write.epoch
  /\ log' = Append(log, a.write)
  /\ UNCHANGED <<reigns, writes, answers>>

CheckThenAct == \/ \E i \in Node : Lead(i)
                \/ \E i \in Node : Send(i)
                \/ \E i \in Node : CheckFirst(i)
                \/ \E i \in Node : ActLater(i)
                \/ \E i \in Node : Refuse(i)
                \/ Restart
=============================================================================
