---------------------------- MODULE RaftElection ----------------------------
(***************************************************************************)
(* The election of Raft (Ongaro, Ousterhout: In Search of an               *)
(* Understandable Consensus Algorithm, 2014, section 5.2; section numbers  *)
(* with a T are those of Ongaro's thesis of the same year), with its       *)
(* options: pre-vote (T 9.6), the leader's check of its quorum (T 6.2),    *)
(* and deafness to candidates while a leader is heard (T 4.2.3).           *)
(*                                                                         *)
(* It is here to show what a term promises, one leader at most, on what    *)
(* that rests, and what it does not promise: that one node leads at a      *)
(* time, or that a leader that reaches a quorum is left alone. Each rule   *)
(* and each assumption is an operator of its own, and a mutant replaces    *)
(* one.                                                                    *)
(*                                                                         *)
(* Two worlds. As the module stands, nothing is assumed of time: a timer   *)
(* may end whenever it likes, and net is the set of all that was ever      *)
(* sent, from which nothing is removed: what is never received is lost,    *)
(* what is received again was repeated. For what needs time,               *)
(* MCRaftElection has replacements of OnTime and Left: then a message      *)
(* arrives once, and a timer ends only when its node can expect no         *)
(* heartbeat and nothing is under way.                                     *)
(*                                                                         *)
(* A node that is down is one that hears nothing, so a crash and the       *)
(* restart after it are one step. A vote that is not given is a message    *)
(* not sent. A heartbeat to a node that follows already changes nothing,   *)
(* and so is no message: that it arrives is read off the state.            *)
(*                                                                         *)
(* Not modelled: the log, and so the restriction of votes to those whose   *)
(* log is as good (5.4.1), which only makes fewer of them.                 *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANTS N,                    \* how many members there are
          MaxTerm,              \* the term after which nobody stands any more: a bound for the model checker
          MaxRestart,           \* how many restarts there may be
          MaxCut,               \* how often the set of cut links may change
          Flapping,             \* the nodes that may restart without end, at no cost
          Cuts,                 \* the sets of directed links that may be cut
          Beginnings            \* the states of all nodes in which a run may begin

Node == 1..N                    \* rank plays no part here: ids are only names
None == 0                       \* no node
Link == {l \in Node \X Node : l[1] # l[2]}

Role        == {"follower", "precandidate", "candidate", "leader"}
MessageType == {"REQUEST_PRE_VOTE", "PRE_VOTE", "REQUEST_VOTE", "VOTE", "APPEND", "REFUSE"}
Message     == [type : MessageType, from : Node, to : Node, term : 1..MaxTerm]
State       == [term : 0..MaxTerm, vote : Node \cup {None}, role : Role, votes : SUBSET Node, leader : Node \cup {None}]
Fault       == {"restart", "cut"}

ASSUME /\ Flapping \subseteq Node
       /\ Cuts \subseteq SUBSET Link
       /\ Beginnings \subseteq [Node -> State]

VARIABLES node,                 \* node[i]: term and vote (durable); role, who voted for it, and whom it follows (not durable)
          net,                  \* what is under way
          cut,                  \* the directed links that carry nothing now
          budget                \* the faults that may still happen

vars == <<node, net, cut, budget>>

TypeOK == /\ node \in [Node -> State]
          /\ net \subseteq Message
          /\ cut \in Cuts
          /\ DOMAIN budget = Fault
          /\ \A f \in Fault : budget[f] \in Nat

\* A node as it starts, with term t and vote v on disk.
Started(t, v) == [term |-> t, vote |-> v, role |-> "follower", votes |-> {}, leader |-> None]

\* Node N has led since term 1, or nobody has heard of anybody.
Led  == [i \in Node |-> [Started(1, N) EXCEPT !.role = IF i = N THEN "leader" ELSE "follower", !.leader = N]]
Cold == [i \in Node |-> Started(0, None)]

Init == /\ node \in Beginnings
        /\ net = {}
        /\ cut \in Cuts
        /\ budget = [restart |-> MaxRestart, cut |-> MaxCut]

-----------------------------------------------------------------------------
(* Vocabulary *)

Leads(i)      == node[i].role = "leader"
Follows(j, i) == node[j].leader = i /\ node[j].term = node[i].term
Linked(i, j)  == <<i, j>> \notin cut /\ <<j, i>> \notin cut

\* The heartbeats of its leader reach node i.
Hears(i) == \E l \in Node \ {i} : Follows(i, l) /\ Leads(l) /\ <<l, i>> \notin cut

-----------------------------------------------------------------------------
(* Assumptions: none.  MCRaftElection has those that are needed for more than the promise of a term. *)

\* A timer may end at any time.
OnTime(i) == TRUE

\* What is left under way of a message that is received: it may be repeated.
Left(m) == {m}

-----------------------------------------------------------------------------
(* Rules *)

\* 5.2. A quorum is a majority of the members.
IsQuorum(S) == 2 * Cardinality(S) > N

\* 5.2, figure 2. What a crash leaves of a node: its term and its vote.
Survives(i) == [term |-> node[i].term, vote |-> node[i].vote]

\* 5.2. In a term a node has one vote; s is the node as it is in that term.
MayVote(s, c) == s.vote \in {None, c}

\* 5.1. A message of a term below the node's own is refused.
IsStale(t, s) == t < s.term

\* 5.2. A vote of term t counts for a candidate s of that term only.
CountsVote(t, s) == t = s.term

-----------------------------------------------------------------------------
(* Options: off, as in the paper *)

\* T 9.6. Before node i stands, it asks whether it would be voted for.
AsksFirst(i) == FALSE

\* T 9.6. Node i would vote for another only while it hears no leader.
WouldVote(i) == ~Leads(i) /\ ~Hears(i)

\* T 4.2.3. Node i heeds a candidate; the option is that it does not while it hears a leader.
Heeds(i) == TRUE

\* T 6.2. A leader that hears no quorum for the length of an election timeout steps down.
ChecksQuorum(i) == FALSE

-----------------------------------------------------------------------------
(* Steps *)

Become(i, s) == node' = [node EXCEPT ![i] = s]

\* What is under way after node i has sent a message of type t for term e to the nodes in S; n was before.
Send(n, i, S, t, e) ==
  n \cup {[type |-> t, from |-> i, to |-> j, term |-> e] : j \in {k \in S \ {i} : <<i, k>> \notin cut}}

\* Node i after it has heard of term t. 5.1. A higher term makes a follower of it, without a vote yet.
Heard(i, t) == IF t > node[i].term THEN Started(t, None) ELSE node[i]

\* Node i, as s, has the votes of the nodes in S for the term of s; n is what is under way.
Count(i, s, S, n) ==
  IF IsQuorum(S)
    THEN /\ Become(i, [s EXCEPT !.role = "leader", !.votes = {}, !.leader = i])
         /\ net' = Send(n, i, Node, "APPEND", s.term)
    ELSE /\ Become(i, [s EXCEPT !.votes = S])
         /\ net' = n

\* 5.2. Node i stands in the next term; n is what is under way.
Stand(i, n) ==
  LET t == node[i].term + 1
  IN Count(i, [Started(t, i) EXCEPT !.role = "candidate"], {i}, Send(n, i, Node, "REQUEST_VOTE", t))

\* T 9.6. Node i asks, as s and with the word of the nodes in S, whether it would be voted for.
Ask(i, s, S, n) ==
  IF IsQuorum(S)
    THEN Stand(i, n)
    ELSE /\ Become(i, [s EXCEPT !.votes = S])
         /\ net' = n

-----------------------------------------------------------------------------
(* Timers *)

ElectionTimeout(i) ==
  /\ ~Leads(i) /\ node[i].term < MaxTerm
  /\ OnTime(i)
  /\ IF AsksFirst(i)
       THEN Ask(i, [node[i] EXCEPT !.role = "precandidate", !.leader = None], {i},
                Send(net, i, Node, "REQUEST_PRE_VOTE", node[i].term + 1))
       ELSE Stand(i, net)
  /\ UNCHANGED <<cut, budget>>

\* The answers to a leader's heartbeats are read off the state too.
ReachesQuorum(i) == IsQuorum({i} \cup {j \in Node : Linked(i, j)})

QuorumTimeout(i) ==
  /\ Leads(i) /\ ChecksQuorum(i) /\ ~ReachesQuorum(i)
  /\ Become(i, Started(node[i].term, node[i].vote))
  /\ UNCHANGED <<net, cut, budget>>

\* 5.2. A leader's heartbeat to all who do not follow it: those who know of no leader, and those of another term.
Heartbeat(i) ==
  /\ Leads(i)
  /\ LET n == Send(net, i, {j \in Node : ~Follows(j, i)}, "APPEND", node[i].term)
     IN n # net /\ net' = n
  /\ UNCHANGED <<node, cut, budget>>

-----------------------------------------------------------------------------
(* Receipts *)

\* What is under way after m was received.
After(m) == (net \ {m}) \cup Left(m)

\* Node i receives message m of type t.
Arrives(m, t) == m.type = t /\ UNCHANGED <<cut, budget>>

\* Whoever asks in a term that is over is told of the present one.
Refuse(m, n) == Send(n, m.to, {m.from}, "REFUSE", node[m.to].term)

\* T 9.6. The question is for the next term of who asks, and it binds nobody: no term and no vote is saved.
OnRequestPreVote(m) ==
  /\ Arrives(m, "REQUEST_PRE_VOTE")
  /\ net' = CASE m.term <= node[m.to].term -> Refuse(m, After(m))
              [] m.term > node[m.to].term /\ WouldVote(m.to) -> Send(After(m), m.to, {m.from}, "PRE_VOTE", m.term)
              [] OTHER -> After(m)
  /\ UNCHANGED node

OnPreVote(m) ==
  /\ Arrives(m, "PRE_VOTE")
  /\ LET s == node[m.to]
     IN IF s.role = "precandidate" /\ m.term = s.term + 1
          THEN Ask(m.to, s, s.votes \cup {m.from}, After(m))
          ELSE net' = After(m) /\ UNCHANGED node

OnRequestVote(m) ==
  /\ Arrives(m, "REQUEST_VOTE")
  /\ LET i == m.to
         s == Heard(i, m.term)
     IN IF ~Heeds(i) THEN net' = After(m) /\ UNCHANGED node
        ELSE IF IsStale(m.term, s) THEN net' = Refuse(m, After(m)) /\ UNCHANGED node
        ELSE IF MayVote(s, m.from) THEN /\ Become(i, [s EXCEPT !.vote = m.from])
                                        /\ net' = Send(After(m), i, {m.from}, "VOTE", m.term)
        ELSE Become(i, s) /\ net' = After(m)

OnVote(m) ==
  /\ Arrives(m, "VOTE")
  /\ LET s == Heard(m.to, m.term)
     IN IF s.role = "candidate" /\ CountsVote(m.term, s)
          THEN Count(m.to, s, s.votes \cup {m.from}, After(m))
          ELSE Become(m.to, s) /\ net' = After(m)

\* 5.2. Whoever hears a leader of its term, or of a later one, follows it.
OnAppend(m) ==
  /\ Arrives(m, "APPEND")
  /\ LET s == Heard(m.to, m.term)
     IN IF IsStale(m.term, s)
          THEN net' = Refuse(m, After(m)) /\ UNCHANGED node
          ELSE /\ Become(m.to, [Started(m.term, s.vote) EXCEPT !.leader = m.from])
               /\ net' = After(m)

OnRefuse(m) ==
  /\ Arrives(m, "REFUSE")
  /\ Become(m.to, Heard(m.to, m.term))
  /\ net' = After(m)

-----------------------------------------------------------------------------
(* Faults *)

Spend(f) == budget[f] > 0 /\ budget' = [budget EXCEPT ![f] = @ - 1]

\* A crash, and the restart after it.
Restart(i) ==
  /\ IF i \in Flapping THEN UNCHANGED budget ELSE Spend("restart")
  /\ Become(i, Started(Survives(i).term, Survives(i).vote))
  /\ UNCHANGED <<net, cut>>

Cut(c) ==
  /\ c # cut /\ Spend("cut")
  /\ cut' = c
  /\ net' = {m \in net : <<m.from, m.to>> \notin c}
  /\ UNCHANGED node

-----------------------------------------------------------------------------

Next ==
  \/ \E i \in Node : ElectionTimeout(i)
  \/ \E i \in Node : QuorumTimeout(i)
  \/ \E i \in Node : Heartbeat(i)
  \/ \E m \in net : OnRequestPreVote(m)
  \/ \E m \in net : OnPreVote(m)
  \/ \E m \in net : OnRequestVote(m)
  \/ \E m \in net : OnVote(m)
  \/ \E m \in net : OnAppend(m)
  \/ \E m \in net : OnRefuse(m)
  \/ \E i \in Node : Restart(i)
  \/ \E c \in Cuts : Cut(c)

Spec == Init /\ [][Next]_vars

Timer(i) == ElectionTimeout(i) \/ QuorumTimeout(i)

\* A message of type t arrives on link l.
Arrival(l, t) == \E m \in net : /\ m.from = l[1] /\ m.to = l[2] /\ m.type = t
                                /\ \/ OnRequestPreVote(m) \/ OnPreVote(m)
                                   \/ OnRequestVote(m) \/ OnVote(m)
                                   \/ OnAppend(m) \/ OnRefuse(m)

\* A timer that is due for good, or over and over, ends; leaders send heartbeats; what is under way arrives.
Fairness == /\ \A i \in Node : SF_vars(Timer(i)) /\ WF_vars(Heartbeat(i))
            /\ \A l \in Link : \A t \in MessageType : WF_vars(Arrival(l, t))

FairSpec == Spec /\ Fairness

-----------------------------------------------------------------------------
(* What is promised *)

\* Who led which term, as far as can be told: an APPEND is sent by leaders and by nobody else.
Reigns == {<<node[i].term, i>> : i \in {j \in Node : Leads(j)}} \cup
          {<<m.term, m.from>> : m \in {x \in net : x.type = "APPEND"}}

\* At most one node ever leads in a term.
OneLeaderPerTerm == \A r, s \in Reigns : r[1] = s[1] => r[2] = s[2]

\* A node's term never goes back, over restarts too.
TermMonotonic == [][\A i \in Node : node'[i].term >= node[i].term]_vars

-----------------------------------------------------------------------------
(* What is promised of some options, if timers are on time *)

\* Node i leads, and it and those from whom nothing ever cuts it off are a quorum.
Sound(i) == Leads(i) /\ IsQuorum({j \in Node : \A c \in Cuts : <<i, j>> \notin c /\ <<j, i>> \notin c})

\* No such leader is deposed.
LeaderStays == [][\A i \in Node : Sound(i) => node'[i].term = node[i].term]_vars

\* Nobody leads for good without reaching a quorum.
NoIdleLeader == []<>(\A i \in Node : Leads(i) => ReachesQuorum(i))

\* Once faults stop, one node leads that reaches a quorum, and all follow it whom it reaches.
EndsLed == <>[](\E l \in Node : /\ Leads(l) /\ ReachesQuorum(l)
                                /\ \A i \in Node : Linked(i, l) => Follows(i, l))

=============================================================================
What was checked, with TLC 2.18 and one worker, or by the explorer in Go (model/baselines/raft) alone where it says so; seconds of
one core.  "at will" is without end.  What must fail is in tla/models.json; each witness and mutant fails within 50,000
distinct states, most within 600.  The bound on terms is MaxTerm.

| configuration           | nodes | terms | restarts | checked                         |  distinct |   generated | seconds     |
|-------------------------|-------|-------|----------|---------------------------------|-----------|-------------|-------------|
| RaftElectionOneTerm     | 3     | 1     | at will  | OneLeaderPerTerm, TermMonotonic |       237 |       2,071 |           2 |
| RaftElectionTwoTerms    | 3     | 2     | at will  | OneLeaderPerTerm, TermMonotonic |    82,709 |   1,330,471 |          16 |
| RaftElectionFour        | 4     | 2     | 0        | OneLeaderPerTerm, TermMonotonic | 6,672,036 | 152,671,997 | explorer 16 |
| RaftElectionFive        | 5     | 1     | at will  | OneLeaderPerTerm, TermMonotonic |    20,173 |     381,011 |  explorer 1 |
| RaftElectionTwoAskFirst | 2     | 2     | at will  | OneLeaderPerTerm, TermMonotonic |    14,241 |     206,641 |           6 |
| RaftElectionAllOptions  | 3     | 1     | at will  | OneLeaderPerTerm, TermMonotonic | 1,706,948 |  34,801,960 |  explorer 7 |
| RaftElectionPreVote     | 3     | 3     | 0        | OneLeaderPerTerm, LeaderStays   |       294 |       3,428 |           2 |
| RaftElectionPreVoteCold | 3     | 3     | 0        | OneLeaderPerTerm, LeaderStays   |     5,102 |      14,991 |           3 |
| RaftElectionPreVoteFive | 5     | 3     | 0        | OneLeaderPerTerm, LeaderStays   |     6,864 |     936,376 |  explorer 1 |
| RaftElectionCheckQuorum | 3     | 3     | 0        | NoIdleLeader, EndsLed           |       810 |       1,889 |           5 |

RaftElectionAllOptions has a cut that changes once, RaftElectionCheckQuorum too; RaftElectionPreVoteCold and PreVoteFive
have two changes, and RaftElectionPreVote three.  From a cold start LeaderStays holds while a node is cut off both ways;
if its links fail one by one, RaftElectionPreVoteLostVotes is a counterexample.
