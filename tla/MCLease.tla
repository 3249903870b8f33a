------------------------------ MODULE MCLease ------------------------------
(* Bounds, the form of the line, witnesses and the replacements of mutants for module Lease. *)
EXTENDS Lease

CONSTANT MaxSessions            \* how many sessions there are in all

\* For HasRoom, in every configuration: the bound.  A session creates one entry, so it bounds revisions too.
Within == Len(sessions) < MaxSessions

-----------------------------------------------------------------------------
(* The line, in place of the lock: both together.  Who asks about the election alone replaces MayWrite by Never. *)

InLine(s) == TRUE                                               \* for MayCreate
Beside(e) == entries \cup {e}                                   \* for Put
Never(s)  == FALSE                                              \* for MayWrite, and in a mutant for Expires

-----------------------------------------------------------------------------
(* Witnesses: what must be reachable, said as an invariant or property that must fail. *)

\* Two nodes led, one after the other.
NeverSucceeded == \A r, q \in reigns : r.leader = q.leader

\* Somebody takes itself for the leader whose writes are refused.
NeverShutOut == \A s \in Session : sessions[s].role = "leader" => Admits(sessions[s].epoch)

\* Who stood before somebody in the line is gone, and yet it is not its turn.
NeverPassed == \A e \in entries : First(e) \/ \E f \in entries : f.revision = e.revision - 1

\* Node 1 led and died, and somebody leads: there are fair runs in which that is so.
NeverLedAgain == ~<>(1 \notin up /\ (\E r \in reigns : r.leader = 1) /\ \E s \in Session : sessions[s].role = "leader")

-----------------------------------------------------------------------------
(* Mutants: what a cfg puts in the place of the assumption ... *)

NoDeadline(s)      == TRUE                                      \* for DeadlineFirst
OnlyLeadersStop(s) == sessions[s].role # "leader"               \* for DeadlineFirst: the deadline begins with the answer

(* ... or of one rule. *)

Overwrites(s)      == TRUE                                      \* for MayCreate, without Beside
AnyEntry(s)        == entries                                   \* for Released: whoever has created it
OnlyOfTheDead(s)   == sessions[s].node \notin up                \* for Expires: the node renews for a session that it gave up
ForgetsRevision    == 0                                         \* for KeptRevision
ForgetsEntries     == {}                                        \* for KeptEntries
SameNode(e, s)     == sessions[e.session].node = sessions[s].node   \* for IsMine
NotNext(e)         == \A f \in entries : f.revision # e.revision - 1    \* for Leads: the one before it is gone
AdmitsAny(e)       == TRUE                                      \* for Admits

\* For Next: the resource checks a write, and writes it in a second step.
Check(e) ==
  /\ Admits(e)
  /\ checked' = checked \cup {e}
  /\ UNCHANGED <<sessions, up, entries, revision, net, writes, wrote>>

Act(e) ==
  /\ wrote' = e
  /\ checked' = checked \ {e}
  /\ UNCHANGED <<sessions, up, entries, revision, net, writes>>

CheckThenAct ==
  \/ \E i \in Node : Campaign(i)
  \/ \E s \in Session : OnHolds(s)
  \/ \E s \in Session : Deadline(s)
  \/ \E s \in Session : Resign(s)
  \/ \E i \in Node : Crash(i)
  \/ \E s \in Session : OnCreate(s)
  \/ \E s \in Session : Tell(s)
  \/ \E s \in Session : OnRelease(s)
  \/ \E s \in Session : Expire(s)
  \/ StoreRestart
  \/ \E s \in Session : Write(s)
  \/ \E e \in writes : Check(e)
  \/ \E e \in checked : Act(e)

=============================================================================
