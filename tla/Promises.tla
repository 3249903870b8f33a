------------------------------ MODULE Promises ------------------------------
(***************************************************************************)
(* The core that makes a leader the only one of its epoch: durable         *)
(* promises, and a quorum of them.  R-numbers are those of spec/README.md. *)
(*                                                                         *)
(* The network loses, repeats, reorders and delays at will.  messages is   *)
(* the set of all that was ever sent, and nothing is ever removed: what is *)
(* not yet received is delayed, what never is received is lost, what is    *)
(* received again was repeated.  CLAIM and COORDINATOR go to everybody and *)
(* are one element each: each node receives it by a step of its own.       *)
(*                                                                         *)
(* Not modelled, because the promise does not rest on it: who is alive,    *)
(* rank, leases, timers, and the messages that bind nobody.  Any node may  *)
(* claim at any time.  REFUSE is a message not sent, and the epochs that   *)
(* ELECTION, OK, REFUSE, HEARTBEAT and the others carry are epochs that    *)
(* somebody has promised, so a GRANT or COORDINATOR here carries them too. *)
(*                                                                         *)
(* Nothing volatile is modelled either.  That a node claims, and who has   *)
(* granted, are read off messages, as though a node remembered them for    *)
(* ever, over crashes too.  A real node that forgets them does less, so    *)
(* this module allows more than any node does, and what holds here holds   *)
(* there.  A node that is down is a node that hears nothing, so a crash    *)
(* and the restart after it are one step, and it changes nothing but what  *)
(* Survives takes away: nothing, if promises are durable.  A promise and   *)
(* the message that needs it are one step too: a crash between the two is  *)
(* a message that is lost.  A node that learns an epoch and claims the     *)
(* next in one step takes two steps here.                                  *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANT N                      \* how many members there are

Node == 1..N                    \* rank plays no part here: ids are only names
None == 0                       \* no node

VARIABLES epoch,                \* epoch[i]: the highest epoch that node i has promised (durable)
          grantee,              \* grantee[i]: to whom it promised that epoch, or None (durable)
          messages              \* every message ever sent

vars == <<epoch, grantee, messages>>

ClaimOf(c, e)       == [type |-> "CLAIM", from |-> c, epoch |-> e]
GrantOf(i, c, e)    == [type |-> "GRANT", from |-> i, to |-> c, epoch |-> e]
CoordinatorOf(c, e) == [type |-> "COORDINATOR", from |-> c, epoch |-> e]
Promise(c, e)       == [grantee |-> c, epoch |-> e]     \* what a node has on disk

Sent(t) == {m \in messages : m.type = t}
Heard   == {m.epoch : m \in messages}                   \* the epochs that anybody may hear of

\* A COORDINATOR is sent by winning and by nothing else.
reigns == {[epoch |-> m.epoch, leader |-> m.from] : m \in Sent("COORDINATOR")}

TypeOK == /\ epoch \in [Node -> Nat]
          /\ grantee \in [Node -> Node \cup {None}]
          /\ \A m \in messages :
               \/ m \in [type : {"CLAIM", "COORDINATOR"}, from : Node, epoch : Nat]
               \/ m \in [type : {"GRANT"}, from : Node, to : Node, epoch : Nat] /\ m.from # m.to

Init == /\ epoch = [i \in Node |-> 0]
        /\ grantee = [i \in Node |-> None]
        /\ messages = {}

-----------------------------------------------------------------------------
(* Rules: what mutants replace, one at a time *)

\* R3. A quorum is a majority of the members.
IsQuorum(S) == 2 * Cardinality(S) > N

\* R4. What a crash leaves of a node: its promise.
Survives(i) == Promise(grantee[i], epoch[i])

\* R7. Only a higher epoch is news.
IsNews(i, e) == e > epoch[i]

\* R16. A claim is for the epoch after the highest one promised.
NextEpoch(i) == epoch[i] + 1

\* R16. Who may claim, and when: anybody, always.  MCPromises bounds it.
MayClaim(i) == TRUE

\* R17. One epoch is granted to one node.
MayGrant(i, c, e) == \/ e > epoch[i]
                     \/ e = epoch[i] /\ grantee[i] \in {None, c}

\* R4, R17. The promise that is on disk when the GRANT leaves.
OnGranting(i, c, e) == Promise(c, e)

\* R19. A grant of epoch f counts for a claim of epoch e if they are the same.
CountsGrant(f, e) == f = e

\* R20. Node i wins epoch e only while it has not itself promised e, or more, to another.
MayStillWin(i, e) == e = NextEpoch(i)

\* R20. Its own promise is made on winning, on disk before the COORDINATOR leaves.
OnWinning(i, e) == Promise(i, e)

\* R23. Node i has heard that c leads epoch e.  To whom it promised that epoch, if to anybody, does not change.
OnFollowing(i, c, e) == Promise(IF IsNews(i, e) \/ grantee[i] = None THEN c ELSE grantee[i], e)

\* R24. Nobody follows into an epoch below its own.
IsStale(i, e) == e < epoch[i]

-----------------------------------------------------------------------------
(* Steps *)

\* Node i's promise, on disk, is p from now on.
Save(i, p) == /\ epoch'   = [epoch EXCEPT ![i] = p.epoch]
              /\ grantee' = [grantee EXCEPT ![i] = p.grantee]

\* Who has granted epoch e to node i.
Granters(i, e) == {m.from : m \in {g \in Sent("GRANT") : g.to = i /\ CountsGrant(g.epoch, e)}}

\* R16. Node i claims.  It promises nothing yet.
Claim(i) ==
  /\ MayClaim(i)
  /\ messages' = messages \cup {ClaimOf(i, NextEpoch(i))}
  /\ UNCHANGED <<epoch, grantee>>

\* R17. Node i grants an epoch to c, having promised it.
OnClaim(i, c) == \E e \in Heard :
  /\ i # c /\ ClaimOf(c, e) \in messages
  /\ MayGrant(i, c, e)
  /\ Save(i, OnGranting(i, c, e))
  /\ messages' = messages \cup {GrantOf(i, c, e)}

\* R20. Node i has the grants of a quorum, itself included.
Win(i) == \E e \in Heard :
  /\ ClaimOf(i, e) \in messages
  /\ MayStillWin(i, e)
  /\ IsQuorum({i} \cup Granters(i, e))
  /\ Save(i, OnWinning(i, e))
  /\ messages' = messages \cup {CoordinatorOf(i, e)}

\* R23. Node i hears that c leads an epoch.
OnCoordinator(i, c) == \E e \in Heard :
  /\ i # c /\ CoordinatorOf(c, e) \in messages
  /\ ~IsStale(i, e)
  /\ Save(i, OnFollowing(i, c, e))
  /\ UNCHANGED messages

\* R7. Node i learns of an epoch, from any message and from whomever.
Learn(i) == \E e \in Heard :
  /\ IsNews(i, e)
  /\ Save(i, Promise(None, e))
  /\ UNCHANGED messages

\* R4, R30. Node i crashes and restarts.
Restart(i) ==
  /\ Save(i, Survives(i))
  /\ UNCHANGED messages

Next == \/ \E i \in Node : Claim(i)
        \/ \E i, c \in Node : OnClaim(i, c)
        \/ \E i \in Node : Win(i)
        \/ \E i, c \in Node : OnCoordinator(i, c)
        \/ \E i \in Node : Learn(i)
        \/ \E i \in Node : Restart(i)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What is promised *)

Election == INSTANCE LeaderElection

OneLeaderPerEpoch == Election!OneLeaderPerEpoch
EpochMonotonic    == [][\A i \in Node : epoch'[i] >= epoch[i]]_vars
Refines           == Election!Spec
RefinesStepwise   == [][Election!Next]_(Election!vars)      \* from whatever state it starts

-----------------------------------------------------------------------------
(* Why it holds: every step from any state that satisfies Inv keeps it (PromisesInductive). *)

\* Epoch 0 is nobody's: it is promised to none, and no message has it.  The rest does not need this: it spares
\* the inductive check the states with promises that nobody makes.
ZeroIsNobodys == /\ \A i \in Node : epoch[i] = 0 => grantee[i] = None
                 /\ 0 \notin Heard

\* What a node has granted it still holds, or it holds a higher epoch.
GrantsAreKept == \A g \in Sent("GRANT") : \/ g.epoch < epoch[g.from]
                                          \/ g.epoch = epoch[g.from] /\ grantee[g.from] = g.to

\* No node has granted one epoch to two.
GrantsAreSingle == \A g, h \in Sent("GRANT") : g.from = h.from /\ g.epoch = h.epoch => g.to = h.to

\* Who leads epoch e holds its own promise of e, or a higher one.
OwnPromiseIsKept(i, e) == \/ e < epoch[i]
                          \/ e = epoch[i] /\ grantee[i] = i

\* Every reign stands on the promises of a quorum, its leader's own among them, none made to another.
ReignsAreBacked ==
  \A r \in reigns : /\ OwnPromiseIsKept(r.leader, r.epoch)
                    /\ \A g \in Sent("GRANT") : ~(g.from = r.leader /\ g.epoch = r.epoch)
                    /\ LET backing == {g \in Sent("GRANT") : g.to = r.leader /\ g.epoch = r.epoch}
                       IN IsQuorum({r.leader} \cup {g.from : g \in backing})

\* Two quorums share a node, and that node would have promised one epoch to two: so Inv => OneLeaderPerEpoch.
Inv == TypeOK /\ ZeroIsNobodys /\ GrantsAreKept /\ GrantsAreSingle /\ ReignsAreBacked

THEOREM Spec => []Inv /\ Refines
=============================================================================
Checked with TLC 2.18, one worker; the rest is in models.json.

  configuration             asks                                           distinct  generated  depth  seconds
  Promises3                 3 nodes, all claim, epochs up to 2               44,966    435,157     13       14
  Promises4                 4 nodes, 2 claim, epochs up to 2                 27,937    345,945     13        9
  Promises5                 5 nodes, 4 claim, epoch 1                        18,151    273,989     10       13
  Promises3Deep             3 nodes, 2 claim, epochs up to 3                153,319  1,471,859     16       54
  Promises4Deep             4 nodes, 3 claim, epochs up to 2                389,076  5,096,945     15      190
  Promises5Deep             5 nodes, 2 claim, epochs up to 2                381,083  6,122,186     15      430
  PromisesInductive         3 nodes, every state of Inv, epochs up to 2      23,848    249,067      1       23
  PromisesInductiveListed   the same, epoch 1                                   382      3,211      1        2
  PromisesInductivePlain    the same, listed without thought                    382      3,211      1        7

The five that begin with Promises and a number hold TypeOK, OneLeaderPerEpoch, Inv, EpochMonotonic and Refines.
The seconds are of a machine with two cores and other work.

What notices a broken rule: PromisesInductive notices each of the mutants below but HalfOrMore, which is a
majority of three all the same; Promises4 notices that one. All are named in MCPromises.

  IsQuorum      B09HalfQuorum                              NextEpoch     B08EpochNotBumped
  Survives      B06DoubleVote, B07EpochAmnesia (and two     MayGrant      GrantTwice, GrantBelow
                more B07), B22SelfVoteNotPersisted         CountsGrant   B10VoteNotBoundToEpoch
  IsNews        LearnSame                                  MayStillWin   WinLate
  OnGranting    GrantUnsaved                               OnWinning     WinUnpromised
  OnFollowing   FollowForgets                              IsStale       B05StaleCoordinator, B05TwoLeaders

Not needed for any promise here: that only a CLAIM is granted, that only a COORDINATOR is followed, and that who
learns an epoch has promised it to nobody yet.  Without any one of them PromisesInductive still holds.
