-------------------------------- MODULE Node --------------------------------
(***************************************************************************)
(* One node: what it does with a message, a timer, a call or a restart.    *)
(*                                                                         *)
(* Every operator that ends in Heard, Ended or -ed takes the node's id i   *)
(* and state s (and the message m) and gives a step: the state after, and  *)
(* the messages sent, in order.  There is no network, no time and no fault *)
(* here; module Cluster adds these.  R-numbers are those of spec/README.md.*)
(*                                                                         *)
(* ELECTION, OK and ASSENT bind nobody: they ask who is there and who      *)
(* would follow.  CLAIM, GRANT and REFUSE bind: an epoch is promised,      *)
(* durably, to one node.  COORDINATOR, HEARTBEAT and ACK are the reign.    *)
(*                                                                         *)
(* The operators under Rules are what mutants replace, one at a time.      *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, Sequences

CONSTANT N                      \* how many members there are

Node == 1..N                    \* an id is its rank (R1)
None == 0                       \* no node

Role == {"follower", "candidate", "electing", "claimant", "leader"}
MessageType == {"ELECTION", "OK", "ASSENT", "CLAIM", "GRANT", "REFUSE",
                "COORDINATOR", "HEARTBEAT", "ACK", "RESIGN", "IM_BACK"}

\* epoch and grantee are durable; role, leader and support are not.
\* leader is the node whose lease I keep: I follow it, or granted it and await it (R5).
State == [role : Role, leader : Node \cup {None}, epoch : Nat, grantee : Node \cup {None}, support : SUBSET Node]
Message == [type : MessageType, from : Node, to : Node, epoch : Nat]

-----------------------------------------------------------------------------
(* Vocabulary *)

Blank == [role |-> "follower", leader |-> None, epoch |-> 0, grantee |-> None, support |-> {}]

Msg(t, i, j, e) == [type |-> t, from |-> i, to |-> j, epoch |-> e]
Others(i)       == SelectSeq([k \in Node |-> k], LAMBDA k : k # i)
ToEach(t, i, js, e) == [k \in 1..Len(js) |-> Msg(t, i, js[k], e)]   \* in the order of ids
ToAll(t, i, e)  == ToEach(t, i, Others(i), e)

Step(s, sent) == [state |-> s, sent |-> sent]
Quietly(s)    == Step(s, <<>>)

-----------------------------------------------------------------------------
(* Rules *)

\* R3. A quorum is a majority of the members.
IsQuorum(S) == 2 * Cardinality(S) > N

\* R4. What outlives a crash.
Survives(s) == [Blank EXCEPT !.epoch = s.epoch, !.grantee = s.grantee]

\* R5. The lease of one node shields it from every other.
Shields(s, c) == s.leader \notin {None, c}

\* R16. A claim is for the epoch after the highest one promised.
NextEpoch(s) == s.epoch + 1

\* R7. News of the epoch that I am claiming is no news: those who granted it to me spread it.
OwnClaim(s, e) == s.role = "claimant" /\ e = NextEpoch(s)

\* R9. Who pre-empts a lower leader keeps its lease meanwhile.
WhilePreempting(s) == s

\* R10, R11. OK and ASSENT mean: I would grant.  A follower of a lower leader may say so because that leader can hand over.
MaySupport(i, s, c) == \/ s.leader \in {None, c}
                       \/ s.leader < c /\ s.role # "electing"

\* R12. Who said OK counts as support once T_coord has passed: it was asked, said OK, and did not deliver.
OkSupport(m) == {m.from}

\* R14, R15. Nobody claims who was not told by a quorum that it would follow.
MayClaim(i, s) == IsQuorum(s.support \cup {i})

\* R17. One epoch is granted to one node.
MayGrant(s, c, e) == \/ e > s.epoch
                     \/ e = s.epoch /\ s.grantee \in {None, c}

\* R17. Who has granted, waits: it promises the epoch, and keeps a lease for the claimant.
AfterGrant(c, e) == [role |-> "electing", leader |-> c, epoch |-> e, grantee |-> c, support |-> {}]

\* R18. A live leader is not voted out; it hands over, to a higher node only.
HandsOver(i, s, m) == m.from > i /\ m.epoch > s.epoch

\* R19. A grant counts for the very epoch that is being claimed.
CountsGrant(s, e) == e = NextEpoch(s)

\* R20. A claim is won with a quorum, and while no other node's lease is kept.
MayWin(i, s) == IsQuorum(s.support \cup {i}) /\ s.leader = None

\* R24. Whoever announces an epoch below mine is told so.
IsStale(s, e) == e < s.epoch

\* R28. A claimant does not resign: it could claim the same epoch again, and count a GRANT whose lease it had set free.
MayResign(s) == s.role = "leader"

\* R30. A restarted node has forgotten whose lease it kept: it keeps silent towards everybody for one T_coord.
\* A lease of its own says so: it shields against all others.
AfterRestart(i, s) == [Survives(s) EXCEPT !.role = "electing", !.leader = i]

\* R41. Only of another node can I be told that it is dead: my own lease, after a restart, stands for all that I have forgotten.
HasHolder(i, s) == s.leader \notin {None, i}

-----------------------------------------------------------------------------
(* Changes of state that several rules share *)

\* R6. Give up what I was doing; wait out the lease that I keep, if any.
Rest(s) == [s EXCEPT !.role = IF s.leader = None THEN "follower" ELSE "electing", !.support = {}]

\* The patience with a lease is over.
Unbound(s) == [s EXCEPT !.leader = None]

\* R5. Node j says that it does not lead: its lease ends.
Release(s, j) ==
  IF s.leader # j THEN s
  ELSE IF s.role \in {"follower", "electing"} THEN Rest(Unbound(s)) ELSE Unbound(s)

\* R7. A higher epoch is promised to nobody yet; a leader that learns of one leads no more.
Learn(s, e) ==
  IF e <= s.epoch \/ OwnClaim(s, e) THEN s
  ELSE LET t == [s EXCEPT !.epoch = e, !.grantee = None]
       IN CASE s.role \in {"candidate", "electing"} -> t
            [] s.role = "leader"                    -> Rest(Unbound(t))
            [] OTHER                                -> Rest(t)

\* R20.
Win(i, s) ==
  LET e == NextEpoch(s)
  IN Step([role |-> "leader", leader |-> i, epoch |-> e, grantee |-> i, support |-> {}], ToAll("COORDINATOR", i, e))

\* R16.
Claim(i, s) ==
  LET t == [s EXCEPT !.role = "claimant", !.support = {}]
  IN IF MayWin(i, t) THEN Win(i, t) ELSE Step(t, ToAll("CLAIM", i, NextEpoch(t)))

\* The question that opens an election.
Ask(i, s) == Step([s EXCEPT !.role = "candidate", !.support = {}], ToAll("ELECTION", i, s.epoch))

-----------------------------------------------------------------------------
(* Election *)

\* R8. A follower's patience ends, and with it the lease that it kept.
HeartbeatEnded(i, s) == Ask(i, Unbound(s))

\* R9. A follower of a lower leader asks too, but goes on acknowledging it.
PreemptEnded(i, s) == Ask(i, WhilePreempting(s))

\* R10, R11.
ElectionHeard(i, s, m) ==
  LET t    == Learn(Release(s, m.from), m.epoch)
      ok   == Msg("OK", i, m.from, t.epoch)
      ask  == Ask(i, t)
      idle == t.role = "follower" /\ t.leader = None
  IN IF t.role = "leader" /\ m.from < i THEN Step(t, <<ok, Msg("COORDINATOR", i, m.from, t.epoch)>>)
     ELSE IF ~MaySupport(i, t, m.from) THEN Step(t, <<Msg("REFUSE", i, m.from, t.epoch)>>)
     ELSE IF m.from < i THEN IF idle THEN Step(ask.state, <<ok>> \o ask.sent) ELSE Step(t, <<ok>>)
     ELSE Step(IF t.role \in {"candidate", "claimant"} \/ idle THEN [t EXCEPT !.role = "electing", !.support = {}] ELSE t,
               <<Msg("ASSENT", i, m.from, t.epoch)>>)

\* R12. Somebody better has it in hand.
OkHeard(i, s, m) ==
  LET t == Learn(s, m.epoch)
  IN Quietly(IF t.role \in {"candidate", "electing"}
             THEN [t EXCEPT !.role = "electing", !.support = @ \cup OkSupport(m)] ELSE t)

\* R13. The highest member need not wait for anybody's OK.
AssentHeard(i, s, m) ==
  LET t == Learn(s, m.epoch)
      u == [t EXCEPT !.support = @ \cup {m.from}]
  IN IF t.role \notin {"candidate", "electing"} THEN Quietly(t)
     ELSE IF t.role = "candidate" /\ i = N /\ MayClaim(i, u) THEN Claim(i, u)
     ELSE Quietly(u)

\* R14. T_elec ends, for a candidate.
ElectionEnded(i, s) == IF MayClaim(i, s) THEN Claim(i, s) ELSE Quietly(Rest(s))

\* R15. T_coord ends, for a node that is electing: whoever it waited for did not deliver.
CoordinatorEnded(i, s) == IF MayClaim(i, s) THEN Claim(i, Unbound(s)) ELSE Ask(i, Unbound(s))

-----------------------------------------------------------------------------
(* Claim *)

\* R17, R18.
ClaimHeard(i, s, m) ==
  LET granted == AfterGrant(m.from, m.epoch)
      grant   == <<Msg("GRANT", i, m.from, m.epoch)>>
      refuse  == Step(s, <<Msg("REFUSE", i, m.from, s.epoch)>>)
  IN IF s.role = "leader"
     THEN IF HandsOver(i, s, m) THEN Step(granted, grant \o ToAll("RESIGN", i, s.epoch)) ELSE refuse
     ELSE IF MayGrant(s, m.from, m.epoch) /\ ~Shields(s, m.from) THEN Step(granted, grant) ELSE refuse

\* R19, R20. A grant from the node whose lease I keep ends that lease: it has handed over.
GrantHeard(i, s, m) ==
  IF s.role = "claimant" /\ CountsGrant(s, m.epoch)
  THEN LET t == [Release(s, m.from) EXCEPT !.support = @ \cup {m.from}]
       IN IF MayWin(i, t) THEN Win(i, t) ELSE Quietly(t)
  ELSE Quietly(Learn(s, m.epoch))

\* R21. A claimant told that its epoch is taken stops claiming.
RefuseHeard(i, s, m) ==
  Quietly(Learn(IF s.role = "claimant" /\ m.epoch > s.epoch THEN Rest(s) ELSE s, m.epoch))

\* R22.
ClaimEnded(i, s) == Quietly(Rest(s))

-----------------------------------------------------------------------------
(* Reign *)

\* R23, R24. COORDINATOR and HEARTBEAT.  A node that pre-empts the sender stays what it is, and acknowledges.
ReignHeard(i, s, m) ==
  IF IsStale(s, m.epoch) THEN Step(s, <<Msg("REFUSE", i, m.from, s.epoch)>>)
  ELSE Step(IF s.role \in {"candidate", "claimant"} /\ s.leader = m.from /\ s.epoch = m.epoch THEN s
            ELSE [role |-> "follower", leader |-> m.from, epoch |-> m.epoch, support |-> {},
                  grantee |-> IF m.epoch > s.epoch \/ s.grantee = None THEN m.from ELSE s.grantee],
            <<Msg("ACK", i, m.from, m.epoch)>>)

\* R25.
AckHeard(i, s, m) ==
  Quietly(IF s.role = "leader" /\ m.epoch = s.epoch THEN [s EXCEPT !.support = @ \cup {m.from}]
          ELSE Learn(s, m.epoch))

\* R26. A leader without the support of a quorum since the last check steps down.
QuorumEnded(i, s) ==
  Quietly(IF IsQuorum(s.support \cup {i}) THEN [s EXCEPT !.support = {}] ELSE Rest(Unbound(s)))

\* R27.
BeatEnded(i, s) == Step(s, ToAll("HEARTBEAT", i, s.epoch))

\* R28. A graceful stop, or a call (if it MayResign): whoever keeps a lease for me need not wait.
Resigned(i, s) == Step(Rest(IF s.role = "leader" THEN Unbound(s) ELSE s), ToAll("RESIGN", i, s.epoch))

\* R29. A claimant whose way is free now claims again.
ResignHeard(i, s, m) ==
  LET t == Release(s, m.from)
  IN IF t.role # "claimant" THEN Quietly(t)
     ELSE IF MayWin(i, t) THEN Win(i, t)
     ELSE Step(t, ToEach("CLAIM", i, SelectSeq(Others(i), LAMBDA j : j \notin t.support), NextEpoch(t)))

-----------------------------------------------------------------------------
(* Restart *)

\* R30.
Restarted(i, s) == Step(AfterRestart(i, s), ToAll("IM_BACK", i, s.epoch))

\* R31.
ImBackHeard(i, s, m) ==
  LET t == Learn(Release(s, m.from), m.epoch)
  IN Step(t, IF t.role = "leader" THEN <<Msg("COORDINATOR", i, m.from, t.epoch)>> ELSE <<>>)

-----------------------------------------------------------------------------
(* Proof of death *)

\* R41. The holder of the lease is proved dead (if s HasHolder).  It leads no more, as if it had said so.
HolderDied(s) == Quietly(Release(s, s.leader))

=============================================================================
