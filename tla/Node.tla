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
(* Who asks numbers its question, and numbers never repeat, over restarts  *)
(* too.  An answer counts only for the question that is being asked now; a *)
(* lease is of the question that was answered; and a reign is dated from   *)
(* the latest question that a quorum has answered.  So nothing depends on  *)
(* the order in which messages come, or on how late they are.              *)
(*                                                                         *)
(* A configuration says who the members are, and is ordered by its epoch   *)
(* and version.  It is durable, and every message carries its sender's.    *)
(* Fixed members are one configuration, which nobody changes and no epoch  *)
(* is stamped on (Stamped <- Unstamped): R43, R47, R48 have nothing to do. *)
(*                                                                         *)
(* The operators under Rules are what mutants replace, one at a time.      *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, Sequences

CONSTANT N                      \* how many nodes there may ever be

Node == 1..N                    \* ids, ascending (R1)
None == 0                       \* no node

Role == {"follower", "candidate", "electing", "claimant", "leader"}
MessageType == {"ELECTION", "OK", "ASSENT", "CLAIM", "GRANT", "REFUSE",
                "COORDINATOR", "HEARTBEAT", "ACK", "RESIGN", "IM_BACK"}
Asks == {"ELECTION", "CLAIM", "COORDINATOR", "HEARTBEAT", "IM_BACK"}    \* what is answered

\* R42. Voters vote and may lead, witnesses vote, observers follow.  A node is in one of the three at most.  ranks are
\* <<member, rank>>, of those whose rank is not 0.
Configuration == [epoch : Nat, version : Nat, voters : SUBSET Node, witnesses : SUBSET Node, observers : SUBSET Node, ranks : SUBSET (Node \X Nat)]

\* epoch, grantee, latest and conf are durable; the others are not.
\* leader is the node whose lease I keep: I follow it, or granted it and await it; lease is the question of it that I answered (R5).
\* asked is what I ask now and may be answered, an ELECTION or a CLAIM; latest is the latest number that I have used.
\* Of a leader, answered is the latest question that each node has answered, and dated the latest that a quorum has (R26).
State == [role : Role, leader : Node \cup {None}, lease : Nat, epoch : Nat, grantee : Node \cup {None}, support : SUBSET Node,
          asked : Nat, latest : Nat, dated : Nat, answered : [Node -> Nat], conf : Configuration]

-----------------------------------------------------------------------------
(* Vocabulary *)

\* R49. What a node knows that has not been told of any member: no configuration is older.
Empty == [epoch |-> 0, version |-> 0, voters |-> {}, witnesses |-> {}, observers |-> {}, ranks |-> {}]

Electors(c) == c.voters \cup c.witnesses
Members(c)  == Electors(c) \cup c.observers

\* R42. The order of configurations.
Newer(c, d) == c.epoch > d.epoch \/ (c.epoch = d.epoch /\ c.version > d.version)

Unanswered == [k \in Node |-> 0]

\* A node at rest that knows nothing but what is durable.
Resting(e, g, n, c) == [role |-> "follower", leader |-> None, lease |-> 0, epoch |-> e, grantee |-> g, support |-> {},
                        asked |-> 0, latest |-> n, dated |-> 0, answered |-> Unanswered, conf |-> c]

\* R32, R49. A node that starts for the first time with configuration c.
Blank(c) == Resting(0, None, 1, c)

\* R1. Node k is higher than l in configuration c: of a higher rank, or of the same and of a higher id.
Rank(k, c)      == IF \E r \in c.ranks : r[1] = k THEN (CHOOSE r \in c.ranks : r[1] = k)[2] ELSE 0
Higher(k, l, c) == IF c.ranks = {} THEN k > l ELSE Rank(k, c) > Rank(l, c) \/ (Rank(k, c) = Rank(l, c) /\ k > l)

\* A node that is to lead rather than l, in configuration c: a higher one, or any if l may not lead.
Outranked(l, k, c) == l \in c.voters => Higher(k, l, c)

\* A claim that a leader has granted as it handed over: said by its RESIGN alone.
NoClaim == [by |-> None, epoch |-> 0, question |-> 0]

\* Messages to those of S but i are in the order of ids.  Step says what their configuration is.
Msg(t, i, j, e, q) == [type |-> t, from |-> i, to |-> j, epoch |-> e, question |-> q, keeps |-> None, granted |-> NoClaim, names |-> None,
                       conf |-> Empty]
Naming(k, sent)    == [n \in 1..Len(sent) |-> [sent[n] EXCEPT !.names = k]]
To(S, t, i, e, q)  == SelectSeq([k \in Node |-> Msg(t, i, k, e, q)], LAMBDA m : m.to \in S \ {i})
ToMembers(t, i, s) == To(Members(s.conf), t, i, s.epoch, s.latest)      \* all that is said to all, but for ELECTION and CLAIM
Answer(t, i, m, e) == Msg(t, i, m.from, e, m.question)

\* R43. Whatever a step sends carries the configuration after it.
Step(s, sent) == [state |-> s, sent |-> [k \in 1..Len(sent) |-> [sent[k] EXCEPT !.conf = s.conf]]]
Quietly(s)    == Step(s, <<>>)

-----------------------------------------------------------------------------
(* Rules *)

\* R3, R42. A quorum is a majority of the electors.
IsQuorum(c, S) == 2 * Cardinality(S \cap Electors(c)) > Cardinality(Electors(c))

\* R50. Up to which number a node has reserved that has used n.  Here it reserves one at a time, which only saves more often: how far
\* numbers are apart makes no difference.  TraceCluster has blocks.
Reserved(n) == n

\* R4, R42. What outlives a crash.
Survives(s) == Resting(s.epoch, s.grantee, Reserved(s.latest), s.conf)

\* R5. The lease of one node shields it from every other.
Shields(s, c) == s.leader \notin {None, c}

\* R5. What a node says as of its question n ends a lease that is not of a later one.
Covers(n, lease) == n >= lease

\* R5. The lease after the question of m is answered: that of one node never gets older.
LeaseAfter(s, m) == IF s.leader = m.from /\ s.lease > m.question THEN s.lease ELSE m.question

\* R16. A claim is for the epoch after the highest one promised.
NextEpoch(s) == s.epoch + 1

\* R7. News of the epoch that I am claiming is no news: those who granted it to me spread it.
OwnClaim(s, e) == s.role = "claimant" /\ e = NextEpoch(s)

\* R7. What binds nobody teaches who keeps no other's lease: who does would carry epochs to the leader that it follows.
LearnsBound(i, s) == s.leader \in {None, i}

\* R9. Who pre-empts a lower leader keeps its lease meanwhile.
WhilePreempting(s) == s

\* R45. A voter asks for a promise, an elector gives it, and both hold the same configuration.
MayVote(i, s, m) == i \in Electors(s.conf) /\ m.from \in s.conf.voters /\ m.conf = s.conf

\* R10, R11. Who asks keeps the lease that I keep: so its holder can hand over.
Keeps(s, m) == m.keeps = s.leader

\* R10, R11. OK and ASSENT mean: I would grant.  A follower of a lower leader may say so because that leader can hand over.
MaySupport(i, s, m) ==
  /\ MayVote(i, s, m)
  /\ \/ s.leader \in {None, m.from}
     \/ Outranked(s.leader, m.from, s.conf) /\ s.role # "electing" /\ Keeps(s, m)

\* R11. A claimant says who is better, and goes on: it gives way to a claim.
GivesWay == FALSE

\* R12, R13, R21. An answer counts for the question that is being asked now.
AnswersMine(s, m) == s.asked # 0 /\ m.question = s.asked

\* R12. Who said OK counts as support once T_coord has passed: it was asked, said OK, and did not deliver.
OkSupport(m) == {m.from}

\* R14, R15. Nobody claims who was not told by a quorum that it would follow.
MayClaim(i, s) == IsQuorum(s.conf, s.support \cup {i})

\* R17. One epoch is granted to one node.
MayGrant(s, c, e) == \/ e > s.epoch
                     \/ e = s.epoch /\ s.grantee \in {None, c}

\* R17. Who has granted, waits: it promises the epoch, and keeps a lease for the claimant.
AfterGrant(s, m) == [Resting(m.epoch, m.from, s.latest, s.conf) EXCEPT !.role = "electing", !.leader = m.from, !.lease = LeaseAfter(s, m)]

\* R17. Of two that claim an epoch the higher goes on: else each might grant the other.
Rivals(i, s, m) == s.role = "claimant" /\ ~Outranked(i, m.from, s.conf) /\ m.epoch <= NextEpoch(s)

\* R18. A live leader is not voted out; it hands over, to a node that outranks it.
HandsOver(i, s, m) == MayVote(i, s, m) /\ Outranked(i, m.from, s.conf) /\ m.epoch > s.epoch

\* R18, R29. Who hears whom the leader has handed over to grants that claim as well, if nothing binds it.
Succeeds(i, s, m) == /\ m.granted.by \notin {None, i} /\ s.leader = None /\ MayVote(i, s, [m EXCEPT !.from = m.granted.by])
                     /\ \/ s.role \in {"follower", "electing"}
                        \/ s.role = "candidate" /\ Outranked(i, m.granted.by, s.conf)

\* R19. A grant counts for the very claim that is being made.
CountsGrant(s, m) == m.question = s.asked /\ m.epoch = NextEpoch(s)

\* R20. A claim is won with a quorum, and while no other node's lease is kept.
MayWin(i, s) == IsQuorum(s.conf, s.support \cup {i}) /\ s.leader = None

\* R24. Whoever announces an epoch below mine is told so.
IsStale(s, e) == e < s.epoch

\* R25. An ACK counts for the question that it answers, however late it comes.
Answers(s, m) == m.question

\* R28. A claimant does not resign: it would count a GRANT whose lease it had set free.
MayResign(s) == s.role = "leader"

\* R30. A restarted node has forgotten whose lease it kept: it keeps silent towards everybody for one T_coord.
\* A lease of its own says so: it shields against all others.
AfterRestart(i, s) == [Survives(s) EXCEPT !.role = "electing", !.leader = i]

\* R41. Only of another node can I be told that it is dead: my own lease, after a restart, stands for all that I have forgotten.
HasHolder(i, s) == s.leader \notin {None, i}

-----------------------------------------------------------------------------
(* Changes of state that several rules share *)

\* R6. Give up what I was doing; wait out the lease that I keep, if any.
Rest(s) == [s EXCEPT !.role = IF s.leader = None THEN "follower" ELSE "electing", !.support = {}, !.asked = 0, !.dated = 0,
                     !.answered = Unanswered]

\* The patience with a lease is over.
Unbound(s) == [s EXCEPT !.leader = None, !.lease = 0]

\* The holder of the lease does not lead.
Freed(s) == IF s.role \in {"follower", "electing"} THEN Rest(Unbound(s)) ELSE Unbound(s)

\* R5. Node j says that it does not lead, as of its question n: its lease ends, unless it is of a later one.
Release(s, j, n) == IF s.leader = j /\ Covers(n, s.lease) THEN Freed(s) ELSE s

\* R7. A higher epoch is promised to nobody yet; a leader that learns of one leads no more.
Learn(s, e) ==
  IF e <= s.epoch \/ OwnClaim(s, e) THEN s
  ELSE LET t == [s EXCEPT !.epoch = e, !.grantee = None]
       IN CASE s.role \in {"candidate", "electing"} -> t
            [] s.role = "leader"                    -> Rest(Unbound(t))
            [] OTHER                                -> Rest(t)
LearnIfFree(i, s, e) == IF LearnsBound(i, s) THEN Learn(s, e) ELSE s

-----------------------------------------------------------------------------
(* Rules about configurations *)

\* What the members of c have answered.
Among(answers, c) == [k \in Node |-> IF k \in Members(c) THEN answers[k] ELSE 0]

\* R43. A newer configuration is adopted, before anything else.  Who stood in an older one stands no more.
Adopt(s, c) ==
  LET t == IF s.role \in {"candidate", "claimant"} THEN Rest(s) ELSE s
  IN [Learn(t, c.epoch) EXCEPT !.support = {}, !.asked = 0, !.answered = Among(@, c), !.conf = c]
Adopted(s, m) == IF Newer(m.conf, s.conf) THEN Adopt(s, m.conf) ELSE s

\* R44. No rule but R43 sees a message from one that is no member, or to one.
Meets(i, j, c) == {i, j} \subseteq Members(c)

\* R45. Who acknowledges holds the configuration that it says.  (OK, ASSENT and GRANT answer what was asked in one configuration.)
Counts(s, m) == m.conf = s.conf

\* R46. Voters stand, and nobody else.
MayStand(i, s) == i \in s.conf.voters

\* R1, R43. By whose ranks a node compares the sender of m with itself.
Comparing(s, m) == s.conf

\* R51. Whom a leader may name as it resigns: another voter.
MayName(i, s, k) == k \in s.conf.voters \ {i}

\* R51. The RESIGN m of the leader that i followed in state r has made it free, state s, and names it.
IsNamed(i, r, s, m) == /\ m.names = i /\ r.leader = m.from
                       /\ s.role = "follower" /\ s.leader = None /\ s.epoch = m.epoch /\ MayStand(i, s) /\ Counts(s, m)

\* R51. Whom the claimant was named by leads no epoch below the one that is claimed.
HasEnded(i, s, m) == m.names \notin {None, i} /\ s.leader = m.names /\ s.epoch < m.epoch

\* R47. The current configuration is held by a quorum of it, in the epoch of the leader: so it cannot be passed over.
IsSettled(i, s) == IsQuorum(s.conf, s.support \cup {i})

\* R47. Two majorities share a node if one member is all that differs.
Kind(c, k)    == IF k \in c.voters THEN 1 ELSE IF k \in c.witnesses THEN 2 ELSE IF k \in c.observers THEN 3 ELSE 0
OneDiffers(c, d) == Cardinality({k \in Node : Kind(c, k) # Kind(d, k) \/ Rank(k, c) # Rank(k, d)}) = 1

\* R47. A leader stays an elector: it is made a witness first, hands over, and its successor removes it.
KeepsLeader(i, c) == i \in Electors(c)

\* R47. Who may change the configuration from s.conf to c.
MayChange(i, s, c) ==
  /\ s.role = "leader"
  /\ c.epoch = s.epoch /\ c.version = s.conf.version + 1 /\ c.voters # {}
  /\ IsSettled(i, s) /\ OneDiffers(s.conf, c) /\ KeepsLeader(i, c)

\* R48. Who wins makes its configuration one of its epoch: all that are older are older than it.
Stamped(c, e) == [c EXCEPT !.epoch = e]

-----------------------------------------------------------------------------
(* Winning, claiming, asking *)

\* R20, R48.
Win(i, s) ==
  LET e == NextEpoch(s)
      t == [Resting(e, i, s.latest, Stamped(s.conf, e)) EXCEPT
              !.role = "leader", !.leader = i, !.dated = s.asked, !.answered = [k \in Node |-> IF k \in s.support THEN s.asked ELSE 0]]
  IN Step(t, ToMembers("COORDINATOR", i, t))

\* R16. A claim is a new question; who claims again repeats it.
ToClaim(S, i, s) == To(S, "CLAIM", i, NextEpoch(s), s.asked)
\* R51. Who was named says by whom: l; None is nobody.
ClaimAfter(i, s, l) ==
  LET n == s.latest + 1
      t == [s EXCEPT !.role = "claimant", !.support = {}, !.asked = n, !.latest = n]
  IN IF MayWin(i, t) THEN Win(i, t) ELSE Step(t, Naming(l, ToClaim(Electors(t.conf), i, t)))
Claim(i, s) == ClaimAfter(i, s, None)

\* The question that opens an election says whose lease its sender keeps.
Ask(i, s) ==
  LET n == s.latest + 1
      to == To(Electors(s.conf), "ELECTION", i, s.epoch, n)
  IN Step([s EXCEPT !.role = "candidate", !.support = {}, !.asked = n, !.latest = n], [k \in 1..Len(to) |-> [to[k] EXCEPT !.keeps = s.leader]])

\* R46. Who may not stand rests instead; and a member says that it does not lead, and what its configuration is: it may be the
\* only node left that holds the newest one (L14).
AskOrSay(i, s) ==
  LET t == Rest(s)
  IN IF MayStand(i, s) THEN Ask(i, s)
     ELSE Step(t, IF i \in Members(t.conf) THEN ToMembers("IM_BACK", i, t) ELSE <<>>)

-----------------------------------------------------------------------------
(* Election *)

\* R8. A follower's patience ends, and with it the lease that it kept.
PatienceEnded(i, s) == AskOrSay(i, Unbound(s))

\* R9. A follower of a lower leader asks too, but goes on acknowledging it.
PreemptEnded(i, s) == Ask(i, WhilePreempting(s))

\* R10, R11. A witness answers as a lower node does.
ElectionHeard(i, s, m) ==
  LET t     == LearnIfFree(i, Release(s, m.from, m.question), m.epoch)
      ok    == Answer("OK", i, m, t.epoch)
      ask   == Ask(i, t)
      idle  == t.role = "follower" /\ t.leader = None
      lower == ~Outranked(i, m.from, Comparing(t, m))
  IN IF t.role = "leader" /\ lower THEN Step(t, <<ok, Msg("COORDINATOR", i, m.from, t.epoch, t.latest)>>)
     ELSE IF ~MaySupport(i, t, m) THEN Step(t, <<Answer("REFUSE", i, m, t.epoch)>>)
     ELSE IF lower THEN IF idle THEN Step(ask.state, <<ok>> \o ask.sent) ELSE Step(t, <<ok>>)
     ELSE Step(IF t.role = "candidate" \/ (t.role = "claimant" /\ GivesWay) \/ idle
               THEN [t EXCEPT !.role = "electing", !.support = {}, !.asked = 0] ELSE t,
               <<Answer("ASSENT", i, m, t.epoch)>>)

\* R12. Somebody better has it in hand.
OkHeard(i, s, m) ==
  LET t == LearnIfFree(i, s, m.epoch)
  IN Quietly(IF t.role \in {"candidate", "electing"} /\ AnswersMine(t, m)
             THEN [t EXCEPT !.role = "electing", !.support = @ \cup OkSupport(m)] ELSE t)

\* R13. The highest voter need not wait for anybody's OK.
AssentHeard(i, s, m) ==
  LET t == LearnIfFree(i, s, m.epoch)
      u == [t EXCEPT !.support = @ \cup {m.from}]
  IN IF t.role \notin {"candidate", "electing"} \/ ~AnswersMine(t, m) THEN Quietly(t)
     ELSE IF t.role = "candidate" /\ (\A k \in t.conf.voters \ {i} : Higher(i, k, t.conf)) /\ MayClaim(i, u) THEN Claim(i, u)
     ELSE Quietly(u)

\* R14. T_elec ends, for a candidate.
ElectionEnded(i, s) == IF MayClaim(i, s) THEN Claim(i, s) ELSE Quietly(Rest(s))

\* R15. T_coord ends, for a node that is electing: whoever it waited for did not deliver.
CoordinatorEnded(i, s) == IF MayStand(i, s) /\ MayClaim(i, s) THEN Claim(i, Unbound(s)) ELSE AskOrSay(i, Unbound(s))

-----------------------------------------------------------------------------
(* Claim *)

\* R51. The reign is over of whoever has named the claimant: its lease ends, unless it is of a later reign.
HeardOfEnd(i, s, m) == IF HasEnded(i, s, m) THEN Freed(s) ELSE s

\* R17, R18.
ClaimHeard(i, r, m) ==
  LET s       == HeardOfEnd(i, r, m)
      granted == AfterGrant(s, m)
      grant   == <<Answer("GRANT", i, m, m.epoch)>>
      refuse  == Step(s, <<Answer("REFUSE", i, m, s.epoch)>>)
      resign  == ToMembers("RESIGN", i, s)
      to      == [by |-> m.from, epoch |-> m.epoch, question |-> m.question]
  IN IF s.role = "leader"
     THEN IF HandsOver(i, s, m) THEN Step(granted, grant \o [k \in 1..Len(resign) |-> [resign[k] EXCEPT !.granted = to]]) ELSE refuse
     ELSE IF MayVote(i, s, m) /\ MayGrant(s, m.from, m.epoch) /\ ~Shields(s, m.from) /\ ~Rivals(i, s, m) THEN Step(granted, grant)
     ELSE refuse

\* R19, R20. A grant from the node whose lease I keep ends that lease: it has handed over.
GrantHeard(i, s, m) ==
  IF s.role = "claimant" /\ CountsGrant(s, m)
  THEN LET t == [(IF s.leader = m.from THEN Unbound(s) ELSE s) EXCEPT !.support = @ \cup {m.from}]
       IN IF MayWin(i, t) THEN Win(i, t) ELSE Quietly(t)
  ELSE Quietly(LearnIfFree(i, s, m.epoch))

\* R21. A claimant told that its epoch is taken stops claiming.
RefuseHeard(i, s, m) ==
  Quietly(IF s.role = "claimant" /\ AnswersMine(s, m) /\ m.epoch > s.epoch THEN Learn(Rest(s), m.epoch) ELSE LearnIfFree(i, s, m.epoch))

\* R22.
ClaimEnded(i, s) == Quietly(Rest(s))

-----------------------------------------------------------------------------
(* Reign *)

\* R23, R24. COORDINATOR and HEARTBEAT.  A node that pre-empts the sender stays what it is, and acknowledges.
ReignHeard(i, s, m) ==
  LET grantee == IF m.epoch > s.epoch \/ s.grantee = None THEN m.from ELSE s.grantee
      t       == IF s.role \in {"candidate", "claimant"} /\ s.leader = m.from /\ s.epoch = m.epoch THEN s
                 ELSE [Resting(m.epoch, grantee, s.latest, s.conf) EXCEPT !.leader = m.from]
  IN IF IsStale(s, m.epoch) THEN Step(s, <<Answer("REFUSE", i, m, s.epoch)>>)
     ELSE Step([t EXCEPT !.lease = LeaseAfter(s, m)], <<Answer("ACK", i, m, m.epoch)>>)

\* R26. The reign is dated from the latest question that a quorum has answered, i itself included.
Dates(i, s) == {n \in {s.dated, s.latest} \cup {s.answered[k] : k \in Node} : IsQuorum(s.conf, {i} \cup {k \in Node : s.answered[k] >= n})}
Dated(i, s) == [s EXCEPT !.dated = CHOOSE n \in Dates(i, s) \cup {s.dated} : \A d \in Dates(i, s) \cup {s.dated} : n >= d]

\* R25.
AckHeard(i, s, m) ==
  LET n == Answers(s, m)
      t == [s EXCEPT !.answered[m.from] = IF n > @ THEN n ELSE @, !.support = IF Counts(s, m) THEN @ \cup {m.from} ELSE @]
  IN Quietly(IF s.role = "leader" /\ m.epoch = s.epoch /\ m.question <= s.latest THEN Dated(i, t) ELSE LearnIfFree(i, s, m.epoch))

\* R26. What a quorum has answered last was asked too long ago.
ReignEnded(i, s) == Quietly(Rest(Unbound(s)))

\* R27. Who is a quorum alone has answered what it asks.
Anew(i, s) == Dated(i, [s EXCEPT !.latest = @ + 1])
HeartbeatEnded(i, s) == LET t == Anew(i, s) IN Step(t, ToMembers("HEARTBEAT", i, t))

\* R28. A graceful stop, or a call (if it MayResign): whoever keeps a lease for me need not wait.
\* R51. It names k, if it MayName that one; None is nobody.
HandedTo(i, s, k) == Step(Rest(IF s.role = "leader" THEN Unbound(s) ELSE s), Naming(k, ToMembers("RESIGN", i, s)))
Resigned(i, s) == HandedTo(i, s, None)

\* R29, R51. Who is named claims, after the reign that is over.  Who is free now grants the claim that the leader has granted as it handed over; a claimant claims again.
ResignHeard(i, s, m) ==
  LET t == Release(s, m.from, m.question)
  IN IF IsNamed(i, s, t, m) THEN ClaimAfter(i, t, m.from)
     ELSE IF Succeeds(i, t, m)
     THEN ClaimHeard(i, t, [m EXCEPT !.type = "CLAIM", !.from = m.granted.by, !.epoch = m.granted.epoch, !.question = m.granted.question])
     ELSE IF t.role # "claimant" THEN Quietly(t)
     ELSE IF MayWin(i, t) THEN Win(i, t)
     ELSE Step(t, ToClaim(Electors(t.conf) \ t.support, i, t))

\* R47. Those who were members, and those who are, hear of it.
Changed(i, s, c) ==
  LET t == Anew(i, [s EXCEPT !.support = {}, !.answered = Among(@, c), !.conf = c])
  IN Step(t, To(Members(s.conf) \cup Members(c), "HEARTBEAT", i, t.epoch, t.latest))

-----------------------------------------------------------------------------
(* Restart, proof of death *)

\* R30.
Restarted(i, s) == LET t == [AfterRestart(i, s) EXCEPT !.latest = @ + 1] IN Step(t, ToMembers("IM_BACK", i, t))

\* R31.
ImBackHeard(i, s, m) ==
  LET t == LearnIfFree(i, Release(s, m.from, m.question), m.epoch)
  IN Step(t, IF t.role = "leader" THEN <<Msg("COORDINATOR", i, m.from, t.epoch, t.latest)>> ELSE <<>>)

\* R41. The holder of the lease is proved dead (if s HasHolder).  It leads no more, as if it had said so: whatever it has asked.
HolderDied(s) == Quietly(Freed(s))

-----------------------------------------------------------------------------
(* What is heard *)

\* R44. Who asks with an older configuration is told the newer one: so a node learns that it is no member any more.
OutsideHeard(i, s, m) ==
  IF Newer(s.conf, m.conf) /\ m.type \in Asks THEN Step(s, <<Answer("REFUSE", i, m, s.epoch)>>) ELSE Quietly(s)

ByType(i, s, m) ==
  CASE m.type = "ELECTION" -> ElectionHeard(i, s, m)
    [] m.type = "OK"       -> OkHeard(i, s, m)
    [] m.type = "ASSENT"   -> AssentHeard(i, s, m)
    [] m.type = "CLAIM"    -> ClaimHeard(i, s, m)
    [] m.type = "GRANT"    -> GrantHeard(i, s, m)
    [] m.type = "REFUSE"   -> RefuseHeard(i, s, m)
    [] m.type \in {"COORDINATOR", "HEARTBEAT"} -> ReignHeard(i, s, m)
    [] m.type = "ACK"      -> AckHeard(i, s, m)
    [] m.type = "RESIGN"   -> ResignHeard(i, s, m)
    [] m.type = "IM_BACK"  -> ImBackHeard(i, s, m)

Heard(i, s, m) ==
  LET t == Adopted(s, m)
  IN IF Meets(i, m.from, t.conf) THEN ByType(i, t, m) ELSE OutsideHeard(i, t, m)

=============================================================================
