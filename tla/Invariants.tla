----------------------------- MODULE Invariants -----------------------------
(***************************************************************************)
(* What proof/ proves of any number of nodes, said of Cluster: the         *)
(* invariants of proof/fixed.py, by the same names.  TLC evaluates them in *)
(* each state that a configuration reaches; proof/README.md says why each  *)
(* step keeps them.                                                        *)
(*                                                                         *)
(* They speak of all that was ever sent, and of numbers as they were       *)
(* asked: so of members that are fixed, where a configuration says         *)
(* Kept <- Everything, Renumbers <- AsAsked, and MaxCut = 0.              *)
(***************************************************************************)
EXTENDS Cluster

VARIABLES wins,                 \* who has won which epoch, by which quorum, and with which question, in the order of time (history)
          dead                  \* dead[i]: the latest number of the lives of i that are over (history)

\* A node whose role becomes leader has won its epoch.  A step is one node's.
Winners     == {i \in Node : node[i].role # "leader" /\ node'[i].role = "leader"}
WinOf(i, s) == [epoch |-> s.epoch, leader |-> i, by |-> {i} \cup {k \in Node : s.answered[k] > 0}, with |-> s.dated]

Remembers ==
  /\ wins' = IF Winners = {} THEN wins ELSE LET i == CHOOSE k \in Winners : TRUE IN Append(wins, WinOf(i, node'[i]))
  /\ dead' = [i \in Node |-> IF i \in up \ up' THEN node[i].latest ELSE dead[i]]

\* For Spec, in every configuration.
Remembering == Init /\ wins = <<>> /\ dead = Unanswered /\ [][Next /\ Remembers]_<<vars, wins, dead>>

ASSUME Kept /\ ~Renumbers /\ MaxCut = 0 /\ MaxChange = 0

-----------------------------------------------------------------------------
(* Vocabulary *)

\* All messages of some types that were ever sent.
Sent(types)          == UNION {{Full(l, m) : m \in {p \in net[l] : p.type \in types}} : l \in Link}
SentTo(types, j)     == {m \in Sent(types) : m.to = j}
Said(types, i, e, n) == \E m \in Sent(types) : m.from = i /\ m.epoch = e /\ m.question = n
Answering            == {"GRANT", "ACK"}
Reigning             == {"COORDINATOR", "HEARTBEAT"}

Won       == {wins[x] : x \in 1..Len(wins)}
Winner(e) == IF \E w \in Won : w.epoch = e THEN (CHOOSE w \in Won : w.epoch = e).leader ELSE None

\* An epoch above e was won; and by which quorum, the first time.
Overtaken(e)  == \E w \in Won : w.epoch > e
Overtakers(e) == wins[CHOOSE x \in 1..Len(wins) : wins[x].epoch > e /\ \A y \in 1..(x - 1) : wins[y].epoch <= e].by

\* Node i has promised epoch e to c, or a higher one to somebody.
Promised(i, e, c) == e < node[i].epoch \/ (e = node[i].epoch /\ node[i].grantee = c)

\* What l leads or claims: its epoch, and the question with which l began it.
Leading(l)  == node[l].role = "leader"
Claiming(l) == node[l].role = "claimant"
Own(l)      == IF Leading(l) THEN node[l].epoch ELSE NextEpoch(node[l])
Began(l)    == IF Leading(l) THEN (CHOOSE w \in Won : w.epoch = node[l].epoch).with ELSE node[l].asked

\* Numbers of l from n on belong to what l leads or claims now.
Current(l, n) == (Leading(l) \/ Claiming(l)) /\ Began(l) <= n

\* Questions of l up to this have expired: as many as Cluster's order of time allows, which are all but those that l acts, or may win, by.
ExpiredUpTo(l) == IF Leading(l) THEN node[l].dated - 1 ELSE IF Claiming(l) THEN node[l].asked - 1 ELSE node[l].latest

\* Answer m is of no more use to whom it was sent to; and no quorum can be found with it.
UsedUp(m)   == \/ ~Current(m.to, m.question) \/ Own(m.to) # m.epoch
               \/ m.question <= ExpiredUpTo(m.to)
               \/ Winner(m.epoch) \notin {None, m.to}
Harmless(m) == UsedUp(m) \/ Overtaken(m.epoch)

Bound(j, l) == node[j].leader = l /\ node[j].lease >= Began(l)
IsSilent(j) == node[j].leader = j /\ ~Leading(j)

-----------------------------------------------------------------------------
(* Why an epoch has one leader *)

Numbers == \A i \in Node : node[i].latest >= 1 /\ node[i].asked <= node[i].latest

GrantsAreKept == \A m \in Sent({"GRANT"}) : m.from # m.to /\ Promised(m.from, m.epoch, m.to)

GrantsAreSingle == \A m, n \in Sent({"GRANT"}) : m.from = n.from /\ m.epoch = n.epoch => m.to = n.to

OwnPromiseIsKept == \A w \in Won : w.epoch > 0 /\ Promised(w.leader, w.epoch, w.leader)

WinnersGrantNot == \A m \in Sent({"GRANT"}) : Winner(m.epoch) # m.from

ReignsAreBacked == \A w \in Won : /\ IsQuorum(First, w.by)
                                  /\ \A k \in w.by \ {w.leader} : Said({"GRANT"}, k, w.epoch, w.with)

SupportIsGranted == \A i \in Node : Claiming(i) =>
                      \A k \in node[i].support : \E m \in SentTo({"GRANT"}, i) :
                        m.from = k /\ m.epoch = NextEpoch(node[i]) /\ m.question = node[i].asked

LeadersHaveWon == \A i \in Node : Leading(i) => i \in up /\ Winner(node[i].epoch) = i

-----------------------------------------------------------------------------
(* Why one acts at a time *)

Beginnings == \A l \in Node : Leading(l) \/ Claiming(l) => 1 <= Began(l) /\ Began(l) <= node[l].latest /\ dead[l] < Began(l)

Lives == \A l \in Node : dead[l] <= node[l].latest

LeadersFollowThemselves == \A l \in Node : Leading(l) => node[l].leader = l

Claims == \A m \in Sent({"CLAIM"}) : /\ m.question \in 1..node[m.from].latest /\ m.epoch <= Own(m.from)
                                     /\ Current(m.from, m.question) => m.epoch = Own(m.from)

Reigns == \A m \in Sent(Reigning) :
            /\ m.question \in 1..node[m.from].latest /\ Winner(m.epoch) = m.from
            /\ Leading(m.from) \/ Claiming(m.from) => (m.epoch = Own(m.from) <=> Current(m.from, m.question))

Disclaimers == \A m \in Sent({"ELECTION", "RESIGN", "IM_BACK"}) : m.question <= node[m.from].latest /\ ~Current(m.from, m.question)

Passed == \A m \in Sent({"RESIGN"}) : m.granted.by = None \/ Said({"CLAIM"}, m.granted.by, m.granted.epoch, m.granted.question)

\* R51. Who has named somebody leads that epoch no more; and a CLAIM of an epoch names who has named somebody in the epoch before.
Handed == \A m \in Sent({"RESIGN"}) : m.names # None => m.epoch <= node[m.from].epoch /\ ~(Leading(m.from) /\ m.epoch = node[m.from].epoch)

Named == \A m \in Sent({"CLAIM"}) :
           m.names # None => \E r \in Sent({"RESIGN"}) : r.from = m.names /\ r.names # None /\ r.epoch = m.epoch - 1

Grants == \A m \in Sent({"GRANT"}) : Said({"CLAIM"}, m.to, m.epoch, m.question) /\ m.epoch <= node[m.from].epoch

Acks == \A m \in Sent({"ACK"}) : Said(Reigning, m.to, m.epoch, m.question) /\ m.epoch <= node[m.from].epoch

CountedIsAnswered == \A l \in Node : Leading(l) =>
              \A k \in {x \in Node : node[l].answered[x] > 0} :
                /\ node[l].answered[k] >= Began(l)
                /\ \E m \in SentTo(Answering, l) : m.from = k /\ m.epoch = node[l].epoch /\ m.question = node[l].answered[k]

ReignsAreDated == \A l \in Node : Leading(l) => IsQuorum(First, {l} \cup {k \in Node : node[l].answered[k] >= node[l].dated})

WhoAnsweredIsBound == \A m \in Sent(Answering) : Harmless(m) \/ Bound(m.from, m.to) \/ IsSilent(m.from) \/ m.from \notin up

WhoGrantedMoreWasFree == \A g \in Sent({"GRANT"}) : \A m \in Sent(Answering) : m.from = g.from /\ m.epoch < g.epoch => Harmless(m)

OvertakersAreAbove == \A w \in Won : \A e \in 0..(w.epoch - 1) : \A k \in Overtakers(e) : node[k].epoch > e

OvertakersAreSpent == \A m \in Sent(Answering) : Overtaken(m.epoch) /\ m.from \in Overtakers(m.epoch) => UsedUp(m)

=============================================================================
