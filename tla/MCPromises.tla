---------------------------- MODULE MCPromises ----------------------------
(* Bounds, initial states, witnesses and the replacements of mutants for module Promises. *)
EXTENDS Promises

CONSTANTS MaxEpoch,             \* nobody claims an epoch above this
          Claimants             \* the nodes that may claim

ASSUME Claimants \subseteq Node

\* For MayClaim, in every configuration: the bounds.  Crashes need none.
Within(i) == i \in Claimants /\ NextEpoch(i) <= MaxEpoch

-----------------------------------------------------------------------------
(* Initial states of the inductive check: every state that satisfies Inv, with epochs up to MaxEpoch.

   Only the states with every CLAIM in messages are listed, and none is missed by that: Inv says nothing of
   CLAIMs but that their epoch is not 0, no step needs the absence of a message, and a step may add a CLAIM but
   sends nothing else on its account. So a step from a state with fewer CLAIMs is, but for CLAIMs, a step from
   the state with all, and keeps Inv if that does. Claim itself then changes nothing, and since Inv is inductive
   a step leads to a state of the same list: TLC must report depth 1.

   Epochs up to 2 stand for all. Inv is a conjunction over epochs: what it says of epoch e mentions the messages
   of e, and of each node whether its epoch is below, at or above e. A step sends messages of one epoch only and
   raises one node, so what it does to the conjunct of e is done, for e = 1, by a step among epochs 0, 1 and 2.
   This is an argument, not a proof that TLC checks. *)

Epoch == 1..MaxEpoch
AllClaims == {ClaimOf(c, e) : c \in Node, e \in Epoch}

\* The books of a node: its promise, and to whom it has granted each epoch. By GrantsAreKept and ZeroIsNobodys
\* there are no others.
Book == {b \in [epoch : 0..MaxEpoch, grantee : Node \cup {None}, given : [Epoch -> SUBSET Node]] :
           /\ b.epoch = 0 => b.grantee = None
           /\ \A e \in Epoch : \/ b.given[e] = {}
                               \/ e < b.epoch
                               \/ e = b.epoch /\ b.given[e] = {b.grantee}}

\* The books of all. Nobody grants to itself, says TypeOK.
Books == {k \in [Node -> Book] : \A v \in Node, e \in Epoch : v \notin k[v].given[e]}

GrantsIn(k) == UNION {{GrantOf(v, c, e) : c \in k[v].given[e]} : v \in Node, e \in Epoch}

\* Who can have won. By the quorum of ReignsAreBacked there are no others.
Backed(k) == {CoordinatorOf(x[1], x[2]) :
                x \in {y \in Node \X Epoch : IsQuorum({y[1]} \cup {v \in Node : y[1] \in k[v].given[y[2]]})}}

\* The rest of Inv is left to the last line, which compares it with TRUE because TLC would list a state once for
\* each way in which a disjunction in it holds.
EveryInv ==
  \E k \in Books : \E won \in SUBSET Backed(k) :
    /\ epoch = [v \in Node |-> k[v].epoch]
    /\ grantee = [v \in Node |-> k[v].grantee]
    /\ messages = AllClaims \cup GrantsIn(k) \cup won
    /\ Inv = TRUE

\* The same, as plainly as can be: for comparison, where there is little enough to list.
EveryInvPlainly ==
  /\ epoch \in [Node -> 0..MaxEpoch]
  /\ grantee \in [Node -> Node \cup {None}]
  /\ \E granted \in SUBSET {GrantOf(x[1], x[2], x[3]) : x \in {y \in Node \X Node \X Epoch : y[1] # y[2]}} :
     \E won \in SUBSET {CoordinatorOf(i, e) : i \in Node, e \in Epoch} :
       messages = AllClaims \cup granted \cup won
  /\ Inv = TRUE

-----------------------------------------------------------------------------
(* Witnesses: what must be reachable, said as an invariant that must fail. *)

NeverTwoReigns == \A r, q \in reigns : r.leader = q.leader

\* An epoch may be won although a higher one already is: which is why module Fencing does not count on the order.
NeverWinsLate == \A i \in Node : ENABLED Win(i) => \A r \in reigns : r.epoch <= NextEpoch(i)

\* A restart that forgets nothing leaves no trace. LeavesMark, for Survives, makes one: who restarted with a promise.
LeavesMark(i) == Promise(IF grantee[i] = None THEN None ELSE N + 1, epoch[i])
NeverRestartsWithPromise == \A i \in Node : grantee[i] # N + 1

-----------------------------------------------------------------------------
(* Mutants: what a cfg puts in the place of one rule. *)

HalfOrMore(S)                == 2 * Cardinality(S) >= N                \* for IsQuorum
ForgetsAll(i)                == Promise(None, 0)                       \* for Survives
ForgetsGrantee(i)            == Promise(None, epoch[i])                \* for Survives
ForgetsOwnPromise(i)         == IF grantee[i] = i                      \* for Survives
                                THEN Promise(None, epoch[i] - 1)
                                ELSE Promise(grantee[i], epoch[i])
SameIsNews(i, e)             == e >= epoch[i]                          \* for IsNews
SameEpoch(i)                 == IF epoch[i] = 0 THEN 1 ELSE epoch[i]   \* for NextEpoch
GrantsTwice(i, c, e)         == e >= epoch[i]                          \* for MayGrant
GrantsBelow(i, c, e)         == TRUE                                   \* for MayGrant
GrantsUnsaved(i, c, e)       == Promise(grantee[i], epoch[i])          \* for OnGranting
CountsOlderGrant(f, e)       == f \in {e, e - 1}                       \* for CountsGrant
WinsLate(i, e)               == TRUE                                   \* for MayStillWin
WinsUnpromised(i, e)         == Promise(grantee[i], epoch[i])          \* for OnWinning
FollowsUnpromised(i, c, e)   == Promise(None, e)                       \* for OnFollowing
NeverStale(i, e)             == FALSE                                  \* for IsStale
ForgetsOnLeading(i, e)       == TRUE                                   \* for OwnPromiseIsKept, a part of Inv
=============================================================================
