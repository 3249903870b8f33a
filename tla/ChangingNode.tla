----------------------------- MODULE ChangingNode -----------------------------
(***************************************************************************)
(* One node of a cluster whose members come and go: module Node, with a    *)
(* configuration.                                                          *)
(*                                                                         *)
(* A configuration says who the members are, and is ordered by its epoch   *)
(* and version.  It is durable, and every message carries its sender's.    *)
(* What is as in module Node is taken from there (Fixed!); what differs is *)
(* written out, under the same names.  R-numbers are those of              *)
(* spec/README.md; R42 to R49 are about configurations.                    *)
(*                                                                         *)
(* The operators under Rules are what mutants replace, one at a time.      *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, Sequences

CONSTANT N                      \* how many nodes there may ever be

Fixed == INSTANCE Node          \* the same with fixed members

Node == Fixed!Node              \* an id is its rank (R1)
None == Fixed!None              \* no node
Role == Fixed!Role
MessageType == Fixed!MessageType
Asks == {"ELECTION", "CLAIM", "COORDINATOR", "HEARTBEAT", "IM_BACK"}    \* what is answered

\* R42. Voters vote and may lead, witnesses vote, observers follow.  A node is in one of the three at most.
Configuration == [epoch : Nat, version : Nat, voters : SUBSET Node, witnesses : SUBSET Node, observers : SUBSET Node]
State == [role : Role, leader : Node \cup {None}, epoch : Nat, grantee : Node \cup {None}, support : SUBSET Node, conf : Configuration]

-----------------------------------------------------------------------------
(* Vocabulary *)

\* R49. What a node knows that has not been told of any member: no configuration is older.
Empty == [epoch |-> 0, version |-> 0, voters |-> {}, witnesses |-> {}, observers |-> {}]

Electors(c) == c.voters \cup c.witnesses
Members(c)  == Electors(c) \cup c.observers

\* R42. The order of configurations.
Newer(c, d) == c.epoch > d.epoch \/ (c.epoch = d.epoch /\ c.version > d.version)

\* R49. A node that starts for the first time with configuration c.
Blank(c) == [role |-> "follower", leader |-> None, epoch |-> 0, grantee |-> None, support |-> {}, conf |-> c]

\* A node that is to lead rather than l, in configuration c: a higher one, or any if l may not lead.
Outranked(l, k, c) == l \in c.voters => l < k

\* Those of S but i, in the order of ids.
Others(S, i) == SelectSeq([k \in Node |-> k], LAMBDA k : k \in S \ {i})

Msg(t, i, j, e)     == Fixed!Msg(t, i, j, e)
To(S, t, i, e)      == Fixed!ToEach(t, i, Others(S, i), e)
ToElectors(t, i, s, e) == To(Electors(s.conf), t, i, e)     \* ELECTION, CLAIM
ToMembers(t, i, s, e)  == To(Members(s.conf), t, i, e)      \* all else that is said to all

\* R43. Whatever a step sends carries the configuration after it.
Step(s, sent) == [state |-> s,
                  sent |-> [k \in 1..Len(sent) |-> [type |-> sent[k].type, from |-> sent[k].from, to |-> sent[k].to,
                                                    epoch |-> sent[k].epoch, conf |-> s.conf]]]
Quietly(s)    == Step(s, <<>>)

-----------------------------------------------------------------------------
(* Rules about configurations *)

\* R3, R42. A quorum is a majority of the electors.
IsQuorum(c, S) == 2 * Cardinality(S \cap Electors(c)) > Cardinality(Electors(c))

\* R4, R42. What outlives a crash.
Survives(s) == [Blank(s.conf) EXCEPT !.epoch = s.epoch, !.grantee = s.grantee]

\* R43. A newer configuration is adopted, before anything else.  Who stood in an older one stands no more.
Adopt(s, c) ==
  LET t == IF s.role \in {"candidate", "claimant"} THEN Fixed!Rest(s) ELSE s
  IN [Fixed!Learn(t, c.epoch) EXCEPT !.support = {}, !.conf = c]
Adopted(s, m) == IF Newer(m.conf, s.conf) THEN Adopt(s, m.conf) ELSE s

\* R44. No rule but R43 sees a message from one that is no member, or to one.
Meets(i, j, c) == {i, j} \subseteq Members(c)

\* R45. Support, grants and acknowledgements are of one configuration.
Counts(s, m) == m.conf = s.conf

\* R45. A voter asks for a promise, an elector gives it, and both hold the same configuration.
MayVote(i, s, m) == i \in Electors(s.conf) /\ m.from \in s.conf.voters /\ m.conf = s.conf

\* R46. Voters stand, and nobody else.
MayStand(i, s) == i \in s.conf.voters

\* R47. The current configuration is held by a quorum of it, in the epoch of the leader: so it cannot be passed over.
IsSettled(i, s) == IsQuorum(s.conf, s.support \cup {i})

\* R47. Two majorities share a node if one member is all that differs.
Kind(c, k)    == IF k \in c.voters THEN 1 ELSE IF k \in c.witnesses THEN 2 ELSE IF k \in c.observers THEN 3 ELSE 0
OneDiffers(c, d) == Cardinality({k \in Node : Kind(c, k) # Kind(d, k)}) = 1

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
(* Rules of module Node, in a configuration *)

\* R10, R11.
MaySupport(i, s, m) ==
  /\ MayVote(i, s, m)
  /\ \/ s.leader \in {None, m.from}
     \/ Outranked(s.leader, m.from, s.conf) /\ s.role # "electing"

\* R14, R15.
MayClaim(i, s) == IsQuorum(s.conf, s.support \cup {i})

\* R18.
HandsOver(i, s, m) == MayVote(i, s, m) /\ Outranked(i, m.from, s.conf) /\ m.epoch > s.epoch

\* R20.
MayWin(i, s) == IsQuorum(s.conf, s.support \cup {i}) /\ s.leader = None

\* R30.
AfterRestart(i, s) == [Survives(s) EXCEPT !.role = "electing", !.leader = i]

-----------------------------------------------------------------------------
(* Changes of state that several rules share *)

\* R20, R48.
Win(i, s) ==
  LET e == Fixed!NextEpoch(s)
      t == [role |-> "leader", leader |-> i, epoch |-> e, grantee |-> i, support |-> {}, conf |-> Stamped(s.conf, e)]
  IN Step(t, ToMembers("COORDINATOR", i, t, e))

\* R16.
Claim(i, s) ==
  LET t == [s EXCEPT !.role = "claimant", !.support = {}]
  IN IF MayWin(i, t) THEN Win(i, t) ELSE Step(t, ToElectors("CLAIM", i, t, Fixed!NextEpoch(t)))

\* The question that opens an election.
Ask(i, s) == Step([s EXCEPT !.role = "candidate", !.support = {}], ToElectors("ELECTION", i, s, s.epoch))

\* R46. Who may not stand rests instead; and a member says that it does not lead, and what its configuration is: it may be the
\* only node left that holds the newest one (L14).
AskOrSay(i, s) ==
  LET t == Fixed!Rest(s)
  IN IF MayStand(i, s) THEN Ask(i, s)
     ELSE Step(t, IF i \in Members(t.conf) THEN ToMembers("IM_BACK", i, t, t.epoch) ELSE <<>>)

-----------------------------------------------------------------------------
(* Election *)

\* R8.
HeartbeatEnded(i, s) == AskOrSay(i, Fixed!Unbound(s))

\* R9.
PreemptEnded(i, s) == Ask(i, s)

\* R10, R11. A witness answers as a lower node does.
ElectionHeard(i, s, m) ==
  LET t     == Fixed!Learn(Fixed!Release(s, m.from), m.epoch)
      ok    == Msg("OK", i, m.from, t.epoch)
      ask   == Ask(i, t)
      idle  == t.role = "follower" /\ t.leader = None
      lower == ~Outranked(i, m.from, t.conf)
  IN IF t.role = "leader" /\ lower THEN Step(t, <<ok, Msg("COORDINATOR", i, m.from, t.epoch)>>)
     ELSE IF ~MaySupport(i, t, m) THEN Step(t, <<Msg("REFUSE", i, m.from, t.epoch)>>)
     ELSE IF lower THEN IF idle THEN Step(ask.state, <<ok>> \o ask.sent) ELSE Step(t, <<ok>>)
     ELSE Step(IF t.role \in {"candidate", "claimant"} \/ idle THEN [t EXCEPT !.role = "electing", !.support = {}] ELSE t,
               <<Msg("ASSENT", i, m.from, t.epoch)>>)

\* R12.
OkHeard(i, s, m) ==
  LET t == Fixed!Learn(s, m.epoch)
  IN Quietly(IF t.role \in {"candidate", "electing"} /\ Counts(t, m)
             THEN [t EXCEPT !.role = "electing", !.support = @ \cup {m.from}] ELSE t)

\* R13. The highest voter need not wait for anybody's OK.
AssentHeard(i, s, m) ==
  LET t == Fixed!Learn(s, m.epoch)
      u == [t EXCEPT !.support = @ \cup {m.from}]
  IN IF t.role \notin {"candidate", "electing"} \/ ~Counts(t, m) THEN Quietly(t)
     ELSE IF t.role = "candidate" /\ (\A k \in t.conf.voters : k <= i) /\ MayClaim(i, u) THEN Claim(i, u)
     ELSE Quietly(u)

\* R14.
ElectionEnded(i, s) == IF MayClaim(i, s) THEN Claim(i, s) ELSE Quietly(Fixed!Rest(s))

\* R15.
CoordinatorEnded(i, s) == IF MayStand(i, s) /\ MayClaim(i, s) THEN Claim(i, Fixed!Unbound(s)) ELSE AskOrSay(i, Fixed!Unbound(s))

-----------------------------------------------------------------------------
(* Claim *)

\* R17, R18.
ClaimHeard(i, s, m) ==
  LET granted == [role |-> "electing", leader |-> m.from, epoch |-> m.epoch, grantee |-> m.from, support |-> {}, conf |-> s.conf]
      grant   == <<Msg("GRANT", i, m.from, m.epoch)>>
      refuse  == Step(s, <<Msg("REFUSE", i, m.from, s.epoch)>>)
  IN IF s.role = "leader"
     THEN IF HandsOver(i, s, m) THEN Step(granted, grant \o ToMembers("RESIGN", i, s, s.epoch)) ELSE refuse
     ELSE IF MayVote(i, s, m) /\ Fixed!MayGrant(s, m.from, m.epoch) /\ ~Fixed!Shields(s, m.from) THEN Step(granted, grant) ELSE refuse

\* R19, R20.
GrantHeard(i, s, m) ==
  IF s.role = "claimant" /\ Fixed!CountsGrant(s, m.epoch) /\ Counts(s, m)
  THEN LET t == [Fixed!Release(s, m.from) EXCEPT !.support = @ \cup {m.from}]
       IN IF MayWin(i, t) THEN Win(i, t) ELSE Quietly(t)
  ELSE Quietly(Fixed!Learn(s, m.epoch))

\* R21.
RefuseHeard(i, s, m) ==
  Quietly(Fixed!Learn(IF s.role = "claimant" /\ m.epoch > s.epoch THEN Fixed!Rest(s) ELSE s, m.epoch))

\* R22.
ClaimEnded(i, s) == Quietly(Fixed!Rest(s))

-----------------------------------------------------------------------------
(* Reign *)

\* R23, R24.
ReignHeard(i, s, m) ==
  IF Fixed!IsStale(s, m.epoch) THEN Step(s, <<Msg("REFUSE", i, m.from, s.epoch)>>)
  ELSE Step(IF s.role \in {"candidate", "claimant"} /\ s.leader = m.from /\ s.epoch = m.epoch THEN s
            ELSE [role |-> "follower", leader |-> m.from, epoch |-> m.epoch, support |-> {}, conf |-> s.conf,
                  grantee |-> IF m.epoch > s.epoch \/ s.grantee = None THEN m.from ELSE s.grantee],
            <<Msg("ACK", i, m.from, m.epoch)>>)

\* R25.
AckHeard(i, s, m) ==
  Quietly(IF s.role = "leader" /\ m.epoch = s.epoch
          THEN IF Counts(s, m) THEN [s EXCEPT !.support = @ \cup {m.from}] ELSE s
          ELSE Fixed!Learn(s, m.epoch))

\* R26.
QuorumEnded(i, s) ==
  Quietly(IF IsQuorum(s.conf, s.support \cup {i}) THEN [s EXCEPT !.support = {}] ELSE Fixed!Rest(Fixed!Unbound(s)))

\* R27.
BeatEnded(i, s) == Step(s, ToMembers("HEARTBEAT", i, s, s.epoch))

\* R28.
Resigned(i, s) == Step(Fixed!Rest(IF s.role = "leader" THEN Fixed!Unbound(s) ELSE s), ToMembers("RESIGN", i, s, s.epoch))

\* R29.
ResignHeard(i, s, m) ==
  LET t == Fixed!Release(s, m.from)
  IN IF t.role # "claimant" THEN Quietly(t)
     ELSE IF MayWin(i, t) THEN Win(i, t)
     ELSE Step(t, To(Electors(t.conf) \ t.support, "CLAIM", i, Fixed!NextEpoch(t)))

\* R47. Those who were members, and those who are, hear of it.
Changed(i, s, c) ==
  Step([s EXCEPT !.support = {}, !.conf = c], To(Members(s.conf) \cup Members(c), "HEARTBEAT", i, s.epoch))

-----------------------------------------------------------------------------
(* Restart, proof of death *)

\* R30.
Restarted(i, s) == LET t == AfterRestart(i, s) IN Step(t, ToMembers("IM_BACK", i, t, t.epoch))

\* R31.
ImBackHeard(i, s, m) ==
  LET t == Fixed!Learn(Fixed!Release(s, m.from), m.epoch)
  IN Step(t, IF t.role = "leader" THEN <<Msg("COORDINATOR", i, m.from, t.epoch)>> ELSE <<>>)

\* R41.
HolderDied(s) == Quietly(Fixed!Release(s, s.leader))

-----------------------------------------------------------------------------
(* What is heard *)

\* R44. Who asks with an older configuration is told the newer one: so a node learns that it is no member any more.
OutsideHeard(i, s, m) ==
  IF Newer(s.conf, m.conf) /\ m.type \in Asks THEN Step(s, <<Msg("REFUSE", i, m.from, s.epoch)>>) ELSE Quietly(s)

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
