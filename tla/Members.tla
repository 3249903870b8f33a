------------------------------- MODULE Members -------------------------------
(***************************************************************************)
(* Members that come and go while the cluster runs: why there is still one *)
(* leader an epoch.  R-numbers are those of spec/README.md.  The idea is   *)
(* that of Schultz, Dardik and Tripakis, Design and Analysis of a Logless  *)
(* Dynamic Reconfiguration Protocol (2021).                                *)
(*                                                                         *)
(* A configuration is who votes, who is a witness, a version and an epoch. *)
(* Each node has one, on disk, and counts quorums by its own.  Observers   *)
(* are left out: they count for nothing here.                              *)
(*                                                                         *)
(* Messages are left out too, and what they do is one step at the node     *)
(* that hears them.  A CLAIM and the GRANT in answer are one step, a       *)
(* HEARTBEAT and its ACK another.  Whatever else is heard, however late,   *)
(* is covered: made is the set of all configurations ever made, and a node *)
(* may adopt any of them that is newer than its own; and it may learn any  *)
(* higher epoch at any time, so a GRANT that is lost is an epoch learned.  *)
(* A CLAIM or an ACK that is late counts at once instead: what has been    *)
(* counted is taken back in the same cases as in a node, and in fewer.     *)
(*                                                                         *)
(* So any voter claims at any time, and claims the same epoch again after  *)
(* a crash, with what was granted before.  That is why a crash takes away  *)
(* nothing but leads, and the ACKs of who led.  Rank, leases, timers and   *)
(* links bind nobody here.  To whom an epoch was promised is left out too: *)
(* no node promises one twice (Promises says why that suffices).  This     *)
(* module allows more than any node does, and what holds here holds there. *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANTS N,                    \* how many nodes there are, members or not
          Start                 \* the voters of the first configuration

Node == 1..N
ASSUME Start \subseteq Node /\ Start # {}

\* What MCMembers bounds.
Epoch   == Nat \ {0}
Version == Nat \ {0}
Witness == Node                 \* who may be made a witness

VARIABLES epoch,                \* epoch[i]: the highest epoch that node i has promised (durable)
          conf,                 \* conf[i]: its configuration (durable)
          leads,                \* leads[i]: it leads that epoch, for all it knows
          support,              \* support[i]: whose ACKs count for who leads, and whose GRANTs of its next epoch for others
          reigns,               \* every reign so far: who came to lead in which epoch
          made                  \* every configuration so far

vars == <<epoch, conf, leads, support, reigns, made>>

\* A configuration. Voters and witnesses make a quorum; only voters lead.
Configuration(v, w, n, e) == [voters |-> v, witnesses |-> w, version |-> n, epoch |-> e]
Electors(c) == c.voters \cup c.witnesses

\* R49. What the first members are given by one act, and what everybody else begins with.
First == Configuration(Start, {}, 1, 0)
Empty == Configuration({}, {}, 0, 0)
FirstOf(i) == IF i \in Start THEN First ELSE Empty

\* R42. The order of configurations.
Newer(c, d) == \/ c.epoch > d.epoch
               \/ c.epoch = d.epoch /\ c.version > d.version

IsValid(c) == /\ c.voters \subseteq Node /\ c.witnesses \subseteq Node /\ c.voters \cap c.witnesses = {}
              /\ c.version \in Nat /\ c.epoch \in Nat
              /\ \/ c = Empty
                 \/ c.voters # {} /\ c.version > 0

TypeOK == /\ epoch \in [Node -> Nat]
          /\ leads \in [Node -> BOOLEAN]
          /\ support \in [Node -> SUBSET Node]
          /\ \A r \in reigns : r.epoch \in Nat /\ r.leader \in Node
          /\ \A c \in made : IsValid(c)
          /\ \A i \in Node : conf[i] \in made

Init == /\ epoch   = [i \in Node |-> 0]
        /\ conf    = [i \in Node |-> FirstOf(i)]
        /\ leads   = [i \in Node |-> FALSE]
        /\ support = [i \in Node |-> {}]
        /\ reigns  = {}
        /\ made    = {FirstOf(i) : i \in Node}

-----------------------------------------------------------------------------
(* Rules: what mutants replace, one at a time *)

\* R42. A quorum is more than half of the electors; nobody else counts.
IsQuorum(S, c) == 2 * Cardinality(S \cap Electors(c)) > Cardinality(Electors(c))

\* R42. What a crash leaves of a node's configuration: all of it.
Survives(i) == conf[i]

\* R43. What node i adopts: a newer configuration.
Adopts(i, c) == Newer(c, conf[i])

\* R43. Who adopts a configuration learns its epoch.
EpochOnAdopting(i, c) == IF c.epoch > epoch[i] THEN c.epoch ELSE epoch[i]

\* R43. Who adopts a configuration gives up its claim: what was granted counts no more.
SupportOnAdopting(i) == {}

\* R45. No grant to a claimant whose configuration is older. (A node adopts one that is newer before it grants; the
\* promise does not need that.)
MayGrant(i, c) == ~Newer(conf[i], conf[c])

\* R45. An ACK counts if its sender holds exactly the leader's configuration, in the leader's epoch.
CountsAck(l, i) == conf[i] = conf[l] /\ epoch[i] = epoch[l]

\* R46. Who may stand: a voter, by its own configuration.
MayStand(i) == i \in conf[i].voters

\* R47. A configuration is changed only if a quorum of it holds it.
IsSettled(l) == IsQuorum(support[l] \cup {l}, conf[l])

\* R47. The version after.
NextVersion(c) == c.version + 1

\* R47. One member differs: added, removed, or of another kind.
KindIn(c, i) == IF i \in c.voters THEN "voter" ELSE IF i \in c.witnesses THEN "witness" ELSE "none"
DiffersByOne(c, d) == Cardinality({i \in Node : KindIn(c, i) # KindIn(d, i)}) = 1

\* R47. The leader stays an elector.
StaysElector(l, d) == l \in Electors(d)

\* R47. After a change nobody is known to hold the configuration.
SupportOnChanging(l) == {}

\* R48. On winning epoch e a leader stamps its configuration with it.
Stamped(c, e) == [c EXCEPT !.epoch = e]

-----------------------------------------------------------------------------
(* Steps *)

NextEpoch(i) == epoch[i] + 1

\* R17. Node i grants c its next epoch, having promised it. Who leads steps down.
OnClaim(i, c) ==
  /\ i # c /\ ~leads[c] /\ MayStand(c)
  /\ NextEpoch(c) \in Epoch /\ NextEpoch(c) > epoch[i]
  /\ MayGrant(i, c)
  /\ epoch'   = [epoch EXCEPT ![i] = NextEpoch(c)]
  /\ leads'   = [leads EXCEPT ![i] = FALSE]
  /\ support' = [support EXCEPT ![i] = {}, ![c] = @ \cup {i}]
  /\ UNCHANGED <<conf, reigns, made>>

\* R20, R48. Node i has the grants of a quorum, itself included.
Win(i) ==
  /\ ~leads[i] /\ MayStand(i) /\ NextEpoch(i) \in Epoch
  /\ IsQuorum(support[i] \cup {i}, conf[i])
  /\ epoch'   = [epoch EXCEPT ![i] = NextEpoch(i)]
  /\ conf'    = [conf EXCEPT ![i] = Stamped(conf[i], NextEpoch(i))]
  /\ leads'   = [leads EXCEPT ![i] = TRUE]
  /\ support' = [support EXCEPT ![i] = {}]
  /\ reigns'  = reigns \cup {[epoch |-> NextEpoch(i), leader |-> i]}
  /\ made'    = made \cup {Stamped(conf[i], NextEpoch(i))}

\* R23, R25. Leader l hears from i that it holds l's configuration.
OnAck(l, i) ==
  /\ i # l /\ leads[l] /\ CountsAck(l, i)
  /\ support' = [support EXCEPT ![l] = @ \cup {i}]
  /\ UNCHANGED <<epoch, conf, leads, reigns, made>>

\* R47. Leader l changes its configuration.
Change(l) ==
  /\ leads[l] /\ IsSettled(l)
  /\ NextVersion(conf[l]) \in Version
  /\ \E v \in SUBSET Node : \E w \in SUBSET (Witness \ v) :
       LET d == Configuration(v, w, NextVersion(conf[l]), epoch[l])
       IN /\ IsValid(d)
          /\ DiffersByOne(conf[l], d)
          /\ StaysElector(l, d)
          /\ conf' = [conf EXCEPT ![l] = d]
          /\ made' = made \cup {d}
  /\ support' = [support EXCEPT ![l] = SupportOnChanging(l)]
  /\ UNCHANGED <<epoch, leads, reigns>>

\* R43. Node i hears of a configuration, from whomever, and adopts it. Who leads steps down.
Adopt(i) == \E c \in made :
  /\ Adopts(i, c)
  /\ epoch'   = [epoch EXCEPT ![i] = EpochOnAdopting(i, c)]
  /\ conf'    = [conf EXCEPT ![i] = c]
  /\ leads'   = [leads EXCEPT ![i] = FALSE]
  /\ support' = [support EXCEPT ![i] = SupportOnAdopting(i)]
  /\ UNCHANGED <<reigns, made>>

\* R7. Node i learns of a higher epoch, from whomever. Who leads steps down.
Learn(i) == \E e \in Epoch :
  /\ e > epoch[i]
  /\ epoch'   = [epoch EXCEPT ![i] = e]
  /\ leads'   = [leads EXCEPT ![i] = FALSE]
  /\ support' = [support EXCEPT ![i] = {}]
  /\ UNCHANGED <<conf, reigns, made>>

\* R4, R30, R42. Node i crashes and restarts.
Crash(i) ==
  /\ conf'    = [conf EXCEPT ![i] = Survives(i)]
  /\ leads'   = [leads EXCEPT ![i] = FALSE]
  /\ support' = [support EXCEPT ![i] = IF leads[i] \/ Survives(i) # conf[i] THEN {} ELSE @]
  /\ UNCHANGED <<epoch, reigns, made>>

Next == \/ \E i, c \in Node : OnClaim(i, c)
        \/ \E i \in Node : Win(i)
        \/ \E l, i \in Node : OnAck(l, i)
        \/ \E l \in Node : Change(l)
        \/ \E i \in Node : Adopt(i)
        \/ \E i \in Node : Learn(i)
        \/ \E i \in Node : Crash(i)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What is promised *)

Election == INSTANCE LeaderElection

OneLeaderPerEpoch == Election!OneLeaderPerEpoch
EpochMonotonic    == [][\A i \in Node : epoch'[i] >= epoch[i]]_vars
Refines           == Election!Spec

\* An epoch and a version name one list of members.
OneConfiguration == \A c, d \in made : c.epoch = d.epoch /\ c.version = d.version => c = d

\* A node's configuration never gets older, over crashes too.
ConfigurationMonotonic == [][\A i \in Node : conf'[i] = conf[i] \/ Newer(conf'[i], conf[i])]_vars

\* Who has a configuration has promised its epoch.
ConfigurationIsPromised == \A i \in Node : conf[i].epoch <= epoch[i]

\* Who leads is an elector of its own configuration, and has stamped it.
LeaderIsElector == \A i \in Node : leads[i] => i \in Electors(conf[i])
LeaderIsStamped == \A i \in Node : leads[i] => conf[i].epoch = epoch[i]

THEOREM Spec => []OneLeaderPerEpoch /\ []OneConfiguration /\ ConfigurationMonotonic /\ Refines
=============================================================================
Checked with TLC 2.18, one worker, and the Go explorer; those without seconds of TLC with the explorer alone. The rest is in
models.json.

  configuration            asks                                                     distinct    generated  depth  TLC
  Members3                 3 members, epochs up to 2, versions up to 3                16,428      117,034     18   10
  Members3FromOne          1 member, 2 who may join, the same                          5,777       48,420     14    3
  Members3FromTwo          2 members, 1 who may join, the same                        11,722       91,890     18    9
  Members3Witness          3 members, 1 of whom may be a witness, the same            39,273      281,721     18   16
  Members4FromOne          1 member, 3 who may join, epochs and versions up to 2      42,846      538,942     12    9
  Members4FromTwo          2 members, 2 who may join, the same                        56,888      643,267     18    8
  Members4                 3 members, 1 who may join, the same                       151,473    1,683,571     19  154
  Members3Deep             3 members, epochs and versions up to 3                    238,858    1,917,211     23  179
  Members3WitnessesDeep    2 members, 1 who may join, all may be witnesses, the same 671,398    5,673,231     23
  Members4VersionsDeep     3 members, 1 who may join, epochs up to 2, versions to 3  564,270    6,413,971     25
  Members4OneDeep          1 member, 3 who may join, epochs and versions up to 3   2,038,620   29,389,879     21
  Members4Deep             3 members, 1 who may join, the same                    16,316,537  211,964,194     33
  Members5                 3 members, 2 who may join, epochs and versions up to 2  3,362,337   51,693,352     23

All of them hold TypeOK, the five invariants after Spec, EpochMonotonic, ConfigurationMonotonic and Refines. The seconds
are of a machine with two cores and other work.

What notices a broken rule, each off alone. All are named in MCMembers.

  OneLeaderPerEpoch        IsQuorum, Survives, Adopts, SupportOnAdopting, MayGrant, CountsAck (two ways), IsSettled,
                           DiffersByOne, SupportOnChanging, Stamped
  ConfigurationMonotonic   Survives, Adopts
  OneConfiguration         NextVersion
  ConfigurationIsPromised  EpochOnAdopting
  LeaderIsElector          MayStand, StaysElector
  LeaderIsStamped          Stamped

Three of them OneLeaderPerEpoch does not notice. Without EpochOnAdopting it holds in all that was tried, up to
1,037,040 states: the check of the epoch in CountsAck hides it, and with both off it fails
(mutants/MembersTwoKeepsEpochAckOtherEpoch). Without StaysElector it holds too, but StaysElector makes up for others:
where IsSettled, DiffersByOne, Stamped or Survives alone is off and does no harm yet, it does once a leader may remove
itself (mutants/MembersTwo...LeavesItself). MayStand is needed for LeaderIsElector only. Without Stamped it takes four
members at the start, and 19 states.

An ACK must hold exactly the leader's configuration. "As new as the leader's" is not enough: who holds a newer one
would back the change of one that is dead. But a quorum whose ACKs are old is enough, though its nodes may have
promised more since: OnAck and Change are two steps.
