------------------------------ MODULE Cluster ------------------------------
(***************************************************************************)
(* A cluster of nodes under partial synchrony, with a budget of faults,    *)
(* and of changes of who its members are.                                  *)
(*                                                                         *)
(* One FIFO queue per directed link, as TCP gives.  A cut or a crash       *)
(* empties the queues concerned and what is sent over a cut or to a node   *)
(* that is down is lost.  A crash between saving and sending is a crash    *)
(* after the step that loses what was sent.  Repeated and reordered        *)
(* messages are not modelled here but in module Promises.                  *)
(*                                                                         *)
(* There is no clock.  A timer is on time when what it waits for can no    *)
(* longer come; one that ends too soon is a fault (early).  spec/README.md *)
(* turns what is said here about timers into times (R37).                  *)
(*                                                                         *)
(* Left out is what would change nothing: a quorum check that passes; a    *)
(* heartbeat to who follows, and holds its leader's configuration; and     *)
(* what a member that may not stand says (R46) to a node that it would not *)
(* change, and whose answer would not change the member.                   *)
(*                                                                         *)
(* Members are fixed with First <- All, MaxChange = 0, Stamped <- Unstamped*)
(***************************************************************************)
EXTENDS Node, TLC

CONSTANTS MaxEarly,             \* how many timers may end too soon
          MaxCrash,             \* how many crashes there may be
          MaxLoss,              \* how many messages may be lost otherwise
          MaxCut,               \* how often the set of cut links may change
          MaxResign,            \* how many resignations there may be
          MaxChange,            \* how many changes of the configuration there may be
          Cuts,                 \* the sets of directed links that may be cut
          First,                \* the configuration of its first members, version 1 of epoch 0
          Wanted                \* who may be asked to be voters, witnesses and observers

VARIABLES node,                 \* node[i]: the state of node i; of a node that is down, what survives
          up,                   \* the nodes that run
          net,                  \* net[<<i, j>>]: what is under way from i to j, first sent first
          cut,                  \* the directed links that carry nothing now
          budget,               \* the faults that may still happen
          reigns                \* every reign so far (history)

vars == <<node, up, net, cut, budget, reigns>>

Link    == {l \in Node \X Node : l[1] # l[2]}
Payload == [type : MessageType, epoch : Nat, conf : Configuration]      \* a message on a link, which says from whom, to whom
Fault   == {"early", "crash", "loss", "cut", "resign", "change"}

ASSUME Cuts \subseteq SUBSET Link /\ First \in Configuration

TypeOK == /\ node \in [Node -> State]
          /\ up \subseteq Node
          /\ \A l \in Link : \A k \in 1..Len(net[l]) : net[l][k] \in Payload
          /\ cut \in Cuts
          /\ budget \in [Fault -> Nat]
          /\ \A r \in reigns : r.epoch \in Nat /\ r.leader \in Node

\* The faults that may happen in all.
Budget == [early |-> MaxEarly, crash |-> MaxCrash, loss |-> MaxLoss, cut |-> MaxCut, resign |-> MaxResign, change |-> MaxChange]

\* Every node runs and has heard nothing yet: the first members know of each other, and no other node of any (R49).
Init == /\ node = [i \in Node |-> Blank(IF i \in Members(First) THEN First ELSE Empty)]
        /\ up = Node
        /\ net = [l \in Link |-> <<>>]
        /\ cut \in Cuts
        /\ budget = Budget
        /\ reigns = {}

-----------------------------------------------------------------------------
(* The network and the faults *)

Spend(f) == budget[f] > 0 /\ budget' = [budget EXCEPT ![f] = @ - 1]

Quiet        == \A l \in Link : net[l] = <<>>
Carries(l)   == l \notin cut /\ l[2] \in up
Over(l, msgs) == LET on == SelectSeq(msgs, LAMBDA m : m.from = l[1] /\ m.to = l[2])
                 IN [k \in 1..Len(on) |-> [type |-> on[k].type, epoch |-> on[k].epoch, conf |-> on[k].conf]]
Send(n, msgs) == TLCEval([l \in Link |-> IF Carries(l) THEN n[l] \o Over(l, msgs) ELSE n[l]])

\* Node i takes a step; rest is what is under way without the message that it took.
\* (Quantified, here and below, is what TLC would else evaluate anew wherever it stands, when it looks for ENABLED.)
Take(i, rest, step) ==
  \E s \in {step} :
    /\ node' = [node EXCEPT ![i] = s.state]
    /\ net' = Send(rest, s.sent)
    /\ reigns' = IF s.state.role = "leader" THEN reigns \cup {[epoch |-> s.state.epoch, leader |-> i]} ELSE reigns
    /\ UNCHANGED <<up, cut>>

-----------------------------------------------------------------------------
(* On time *)

Linked(i, j) == <<i, j>> \notin cut /\ <<j, i>> \notin cut
Reach(i)     == {j \in up : j = i \/ Linked(i, j)}
Follows(j, l) == node[j].role = "follower" /\ node[j].leader = l /\ node[j].epoch = node[l].epoch

\* Whether leader l's next quorum check will pass.
Backed(l) ==
  LET c == node[l].conf
  IN IsQuorum(c, {l} \cup {j \in Reach(l) : Meets(j, l, c) /\ node[j].epoch <= node[l].epoch /\ ~Newer(node[j].conf, c)})

\* What l says as leader reaches i.
Tells(l, i) == <<l, i>> \notin cut /\ i \in Members(node[l].conf)

\* A leader whose heartbeats reach i still owes it one.
Owed(i) == \E l \in up \ {i} : node[l].role = "leader" /\ Tells(l, i) /\ ~Follows(i, l)

\* Others than i keep leases that make a quorum for l.
Held(l, i) == IsQuorum(node[l].conf, {l} \cup {j \in up \ {i} : node[j].leader = l})

\* The lease that i keeps is over: its holder cannot lead on the strength of it.
LeaseOver(i) ==
  LET l == node[i].leader
  IN CASE l = None -> TRUE
       [] l = i    -> \A k \in up \ {i} : /\ node[k].role # "claimant"
                                          /\ node[k].role = "leader" => Held(k, i)
       [] OTHER    -> \/ l \notin up
                      \/ node[l].role \notin {"leader", "claimant"}
                      \/ node[l].role = "leader" /\ ~Tells(l, i) /\ Held(l, i)

\* Somebody within reach of i claims, or is about to.
Pending(i) == \E j \in Reach(i) \ {i} : \/ node[j].role = "claimant"
                                        \/ node[j].role = "candidate" /\ IsQuorum(node[j].conf, node[j].support \cup {j})

\* R8, R46. A follower's patience runs, whether it follows anybody or not; but that of one that is no member only while it does.
Watches(i) == node[i].role = "follower" /\ (node[i].leader = None => i \in Members(node[i].conf))

\* No heartbeat can come any more, and the lease is over.
PatienceOver(i) == Quiet /\ ~Owed(i) /\ LeaseOver(i)

\* Every ELECTION has been answered.
Answered(i) == Quiet

\* A timer that is not on time costs one of the budget.
MayBeEarly(i) == TRUE
OnTime(i, due) == IF due THEN UNCHANGED budget ELSE MayBeEarly(i) /\ Spend("early")

-----------------------------------------------------------------------------
(* Timers *)

\* Message m, of a sender that is in state s then, changes who hears it, or the answer to it changes the sender.
Moves(m, s) ==
  LET heard == Heard(m.to, node[m.to], m)
  IN /\ Carries(<<m.from, m.to>>)
     /\ \/ heard.state # node[m.to]
        \/ Carries(<<m.to, m.from>>) /\ \E k \in 1..Len(heard.sent) : Heard(m.from, s, heard.sent[k]).state # s

\* What a member that may not stand says is left out where it changes nothing.
Heeded(i, step) == IF MayStand(i, node[i]) THEN step ELSE [step EXCEPT !.sent = SelectSeq(@, LAMBDA m : Moves(m, step.state))]

PatienceTimeout(i) ==
  /\ i \in up /\ Watches(i)
  /\ OnTime(i, PatienceOver(i))
  /\ \E step \in {Heeded(i, PatienceEnded(i, node[i]))} : step # Quietly(node[i]) /\ Take(i, net, step)

PreemptTimeout(i) ==
  /\ i \in up /\ node[i].role = "follower" /\ node[i].leader # None
  /\ MayStand(i, node[i]) /\ Outranked(node[i].leader, i, node[i].conf)
  /\ OnTime(i, Quiet)
  /\ Take(i, net, PreemptEnded(i, node[i]))

ElectionTimeout(i) ==
  /\ i \in up /\ node[i].role = "candidate"
  /\ OnTime(i, Answered(i))
  /\ Take(i, net, ElectionEnded(i, node[i]))

CoordinatorTimeout(i) ==
  /\ i \in up /\ node[i].role = "electing"
  /\ OnTime(i, Quiet /\ ~Owed(i) /\ ~Pending(i) /\ LeaseOver(i))
  /\ Take(i, net, Heeded(i, CoordinatorEnded(i, node[i])))

ClaimTimeout(i) ==
  /\ i \in up /\ node[i].role = "claimant"
  /\ OnTime(i, Quiet)
  /\ Take(i, net, ClaimEnded(i, node[i]))

\* The check of a leader that is not backed, or one that ends before the ACKs are in.
ReignTimeout(i) ==
  /\ i \in up /\ node[i].role = "leader"
  /\ OnTime(i, Quiet /\ ~Backed(i))
  /\ Take(i, net, ReignEnded(i, [node[i] EXCEPT !.support = {}]))

\* Heartbeats that change nothing are left out.
HeartbeatTimeout(i) ==
  /\ i \in up /\ node[i].role = "leader"
  /\ LET inNeed == {j \in up \ {i} : Tells(i, j) /\ ~(Follows(j, i) /\ node[j].conf = node[i].conf)}
     IN /\ inNeed # {}
        /\ OnTime(i, Quiet)
        /\ Take(i, net, LET heartbeat == HeartbeatEnded(i, node[i])
                        IN [heartbeat EXCEPT !.sent = SelectSeq(@, LAMBDA m : m.to \in inNeed)])

-----------------------------------------------------------------------------
(* Receipts *)

Arrives(l, t) == net[l] # <<>> /\ Head(net[l]).type = t
Full(l)    == [type |-> Head(net[l]).type, from |-> l[1], to |-> l[2], epoch |-> Head(net[l]).epoch, conf |-> Head(net[l]).conf]
Receive(l) == /\ \E m \in {Full(l)} : Take(l[2], [net EXCEPT ![l] = Tail(@)], Heard(l[2], node[l[2]], m))
              /\ UNCHANGED budget

OnElection(l)    == Arrives(l, "ELECTION")    /\ Receive(l)
OnOk(l)          == Arrives(l, "OK")          /\ Receive(l)
OnAssent(l)      == Arrives(l, "ASSENT")      /\ Receive(l)
OnClaim(l)       == Arrives(l, "CLAIM")       /\ Receive(l)
OnGrant(l)       == Arrives(l, "GRANT")       /\ Receive(l)
OnRefuse(l)      == Arrives(l, "REFUSE")      /\ Receive(l)
OnCoordinator(l) == Arrives(l, "COORDINATOR") /\ Receive(l)
OnHeartbeat(l)   == Arrives(l, "HEARTBEAT")   /\ Receive(l)
OnAck(l)         == Arrives(l, "ACK")         /\ Receive(l)
OnResign(l)      == Arrives(l, "RESIGN")      /\ Receive(l)
OnImBack(l)      == Arrives(l, "IM_BACK")     /\ Receive(l)

-----------------------------------------------------------------------------
(* Calls and faults *)

\* A leader is told to resign, or stops gracefully.
Resign(i) ==
  /\ i \in up /\ MayResign(node[i])
  /\ Spend("resign")
  /\ Take(i, net, Resigned(i, node[i]))

\* The configurations that a leader i may be asked for.
Targets(i) == {[epoch |-> node[i].epoch, version |-> node[i].conf.version + 1] @@ w : w \in Wanted}

\* R47. A leader is asked for a change, and makes it.
Change(i) ==
  /\ i \in up /\ Spend("change")
  /\ \E c \in Targets(i) : MayChange(i, node[i], c) /\ Take(i, net, Changed(i, node[i], c))

\* Whether node i may be told that node l is dead.  Nobody is, unless a configuration says who may be.
MayProve(i, l) == FALSE

\* R41. A node is told that the holder of its lease is dead.
HolderDead(i) ==
  /\ i \in up /\ HasHolder(i, node[i])
  /\ MayProve(i, node[i].leader)
  /\ Take(i, net, HolderDied(node[i]))
  /\ UNCHANGED budget

Crash(i) ==
  /\ i \in up /\ Spend("crash")
  /\ up' = up \ {i}
  /\ node' = [node EXCEPT ![i] = Survives(@)]
  /\ net' = TLCEval([l \in Link |-> IF i \in {l[1], l[2]} THEN <<>> ELSE net[l]])
  /\ UNCHANGED <<cut, reigns>>

Restart(i) ==
  /\ i \notin up
  /\ LET step == Restarted(i, node[i])
     IN /\ up' = up \cup {i}
        /\ node' = [node EXCEPT ![i] = step.state]
        /\ net' = Send(net, step.sent)
  /\ UNCHANGED <<cut, budget, reigns>>

\* A message is lost though its link holds: the connection broke and came back.
Lose(l) ==
  /\ net[l] # <<>> /\ Spend("loss")
  /\ net' = [net EXCEPT ![l] = Tail(@)]
  /\ UNCHANGED <<node, up, cut, reigns>>

Cut(c) ==
  /\ c # cut /\ Spend("cut")
  /\ cut' = c
  /\ net' = TLCEval([l \in Link |-> IF l \in c THEN <<>> ELSE net[l]])
  /\ UNCHANGED <<node, up, reigns>>

-----------------------------------------------------------------------------

Next ==
  \/ \E i \in Node : PatienceTimeout(i)
  \/ \E i \in Node : PreemptTimeout(i)
  \/ \E i \in Node : ElectionTimeout(i)
  \/ \E i \in Node : CoordinatorTimeout(i)
  \/ \E i \in Node : ClaimTimeout(i)
  \/ \E i \in Node : ReignTimeout(i)
  \/ \E i \in Node : HeartbeatTimeout(i)
  \/ \E l \in Link : OnElection(l)
  \/ \E l \in Link : OnOk(l)
  \/ \E l \in Link : OnAssent(l)
  \/ \E l \in Link : OnClaim(l)
  \/ \E l \in Link : OnGrant(l)
  \/ \E l \in Link : OnRefuse(l)
  \/ \E l \in Link : OnCoordinator(l)
  \/ \E l \in Link : OnHeartbeat(l)
  \/ \E l \in Link : OnAck(l)
  \/ \E l \in Link : OnResign(l)
  \/ \E l \in Link : OnImBack(l)
  \/ \E i \in Node : Resign(i)
  \/ \E i \in Node : HolderDead(i)
  \/ \E i \in Node : Change(i)
  \/ \E i \in Node : Crash(i)
  \/ \E i \in Node : Restart(i)
  \/ \E l \in Link : Lose(l)
  \/ \E c \in Cuts : Cut(c)

Spec == Init /\ [][Next]_vars

\* A timer that is due for good, or over and over, ends; what is under way arrives.
Timer(i) == \/ PatienceTimeout(i) \/ PreemptTimeout(i) \/ ElectionTimeout(i)
            \/ CoordinatorTimeout(i) \/ ClaimTimeout(i) \/ ReignTimeout(i)
Arrival(l) == \/ OnElection(l) \/ OnOk(l) \/ OnAssent(l) \/ OnClaim(l) \/ OnGrant(l) \/ OnRefuse(l)
              \/ OnCoordinator(l) \/ OnHeartbeat(l) \/ OnAck(l) \/ OnResign(l) \/ OnImBack(l)

Fairness == /\ \A i \in Node : SF_vars(Timer(i) /\ UNCHANGED budget)
            /\ \A i \in Node : WF_vars(HeartbeatTimeout(i) /\ UNCHANGED budget)
            /\ \A l \in Link : WF_vars(Arrival(l))

FairSpec == Spec /\ Fairness

-----------------------------------------------------------------------------
(* What is promised *)

OneLeaderPerEpoch == \A r, q \in reigns : r.epoch = q.epoch => r.leader = q.leader

EpochMonotonic == [][\A i \in Node : node'[i].epoch >= node[i].epoch]_vars

\* R42. A node's configuration never gets older, over restarts too.
ConfigurationMonotonic == [][\A i \in Node : node'[i].conf = node[i].conf \/ Newer(node'[i].conf, node[i].conf)]_vars

\* R42. An epoch and a version name one list of members.
Known == {node[i].conf : i \in Node} \cup UNION {{net[l][k].conf : k \in 1..Len(net[l])} : l \in Link}
OneConfiguration == \A c, d \in Known : c.epoch = d.epoch /\ c.version = d.version => c = d

\* R47, R48. A leader is an elector of its configuration, which is of its epoch.
LeaderIsElector == \A i \in up : node[i].role = "leader" => i \in Electors(node[i].conf) /\ node[i].conf.epoch = node[i].epoch

\* No node has a configuration of an epoch that it has not learned.
ConfigurationLearned == \A i \in Node : node[i].conf.epoch <= node[i].epoch

Acting == {i \in up : node[i].role = "leader"}
OneActing == Cardinality(Acting) <= 1

\* The newest configuration of those within reach of i, itself included.  By OneConfiguration there is one.
Newest(i) == LET known == {node[j].conf : j \in Reach(i)} IN CHOOSE c \in known : \A d \in known : ~Newer(d, c)

\* Voters that a quorum can answer, themselves included, of the newest configuration within their reach.
Eligible == {i \in up : \E c \in {Newest(i)} : i \in c.voters /\ IsQuorum(c, Reach(i))}

\* R47. A leader that was made a witness leads on until it hands over, or is told to resign.
Demoted == {i \in up : node[i].role = "leader" /\ \E c \in {Newest(i)} : i \in c.witnesses /\ IsQuorum(c, Reach(i))}

\* Node l leads, and every member within its reach keeps its lease in its epoch, and holds its configuration.
Leads(l) == /\ node[l].role = "leader" /\ l \in Eligible \cup Demoted
            /\ \A j \in Reach(l) \cap Members(node[l].conf) :
                  node[j].leader = l /\ node[j].epoch = node[l].epoch /\ node[j].conf = node[l].conf

\* While nobody is eligible a leader may remain, or come, in a configuration that the newest is about to replace.
Settled == Eligible # {} => \E l \in Acting : Acting = {l} /\ Leads(l)

SomeLeader == <>[]Settled

\* And where nobody can be answered by a quorum for good, nobody leads for good.
NobodyWithoutQuorum == <>[](Eligible = {} => Acting = {})

\* Where every node reaches all that are eligible, or none of them, the highest of these leads.
\* A higher node that the leader, or some of its followers, cannot hear does not take over.
HighestIs(l) == \E able \in {Eligible} : l \in able /\ \A k \in able : k <= l
HalfReached  == \E able \in {Eligible} : \E i \in up : (able \cap Reach(i)) \notin {{}, able}
HighestLed   == HalfReached \/ \A l \in Eligible : HighestIs(l) => Leads(l)
HighestLeads == <>[]HighestLed

\* Nothing is under way, and no timer is due: but for faults, this state lasts for ever.
Still == Quiet /\ \A i \in up : ~ENABLED (Timer(i) /\ UNCHANGED budget) /\ ~ENABLED (HeartbeatTimeout(i) /\ UNCHANGED budget)

\* SomeLeader and HighestLeads of the states that last: what can be asked where there are too many for liveness.
LedWhenStill     == Quiet /\ ~Settled => ~Still
HighestWhenStill == Quiet /\ ~HighestLed => ~Still

\* R46. Who comes to lead is a voter: a witness leads only because it was made one while it led.
OnlyVotersWin == [][\A i \in Node : node[i].role # "leader" /\ node'[i].role = "leader" => i \in node'[i].conf.voters]_vars

\* A leader that reaches a quorum, and is still a voter, stops leading by its own will, by a crash, or because of
\* another node that reaches a quorum: it hands over to it, or that node claims, or has promised, a higher epoch.
Deposed(l) == /\ node[l].role = "leader" /\ node'[l].role # "leader"
              /\ l \in Eligible /\ l \in up' /\ budget'.resign = budget.resign
Rival(l)   == \E c \in Eligible \ {l} : \/ node'[l].grantee = c
                                        \/ node[c].epoch + (IF node[c].role = "claimant" THEN 1 ELSE 0) > node[l].epoch
NoDisruption == [][\A l \in Node : Deposed(l) => Rival(l)]_vars

\* R44. A message that is not between members changes nothing but the configuration of who hears it.
Taken(l) == net[l] # <<>> /\ net'[l] = Tail(net[l]) /\ budget' = budget
OutsidersUnheeded ==
  [][\A l \in Link : Taken(l) => LET t == Adopted(node[l[2]], Head(net[l]))
                                 IN {l[1], l[2]} \subseteq Members(t.conf) \/ node'[l[2]] = t]_vars

\* A node that is no member, and knows it, is at rest for good.
Removed(i)     == i \in up /\ i \notin Members(node[i].conf)
RemovedAtRest  == <>[](\A i \in up : Removed(i) => node[i].role = "follower" /\ node[i].leader = None)

\* R44. Who takes itself for a voter learns of a newer configuration from those whom it would ask for their votes.
VotersLearn == <>[](\A i \in up : i \in node[i].conf.voters =>
                      \A j \in Reach(i) \cap Electors(node[i].conf) : ~Newer(node[j].conf, node[i].conf))

-----------------------------------------------------------------------------

Election == INSTANCE LeaderElection WITH epoch <- [i \in Node |-> node[i].epoch], reigns <- reigns
Refines  == Election!Spec

=============================================================================
