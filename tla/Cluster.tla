------------------------------ MODULE Cluster ------------------------------
(***************************************************************************)
(* A cluster of nodes under partial synchrony, with a budget of faults,    *)
(* and of changes of who its members are.                                  *)
(*                                                                         *)
(* One FIFO queue per directed link, as TCP gives.  A cut or a crash       *)
(* empties the queues concerned and what is sent over a cut or to a node   *)
(* that is down is lost.  A crash between saving and sending is a crash    *)
(* after the step that loses what was sent.  In a configuration that says  *)
(* Kept <- Everything, all that was ever sent, but over a cut, is kept,    *)
(* and arrives at any time, in any order, over and over, in later lives of *)
(* a node too.                                                             *)
(*                                                                         *)
(* There is no clock: time is an order.  When a node's patience ends on    *)
(* time, every question that anybody asked before that patience began has  *)
(* expired: nobody acts, or wins, on the strength of it.  That is all of   *)
(* time that OneActing needs, and a configuration that says                *)
(* Free <- AtAnyTime asks for nothing else.  For liveness a timer is on    *)
(* time when what it waits for can no longer come; one that ends too soon  *)
(* is a fault (early).  spec/README.md turns this into times (R37).        *)
(*                                                                         *)
(* Of the numbers of questions only the order matters, and which are the   *)
(* same: they are given anew in each state, as small as can be.            *)
(*                                                                         *)
(* Left out, unless Free <- AtAnyTime, is what would change nothing but    *)
(* numbers: a heartbeat to who follows, and holds its leader's             *)
(* configuration, while nobody else waits until the leader leads on the    *)
(* strength of a later question; and                                       *)
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
          Wanted                \* who may be asked to be voters, witnesses and observers, of which ranks

VARIABLES node,                 \* node[i]: the state of node i; of a node that is down, what survives
          up,                   \* the nodes that run
          net,                  \* net[<<i, j>>]: what is under way from i to j, first sent first
          cut,                  \* the directed links that carry nothing now
          budget,               \* the faults that may still happen
          reigns,               \* every reign so far (history)
          since                 \* since[i][k]: where i keeps a lease and does not lead, the latest question of k when its patience began

vars == <<node, up, net, cut, budget, reigns, since>>

Link    == {l \in Node \X Node : l[1] # l[2]}
Payload == [type : MessageType, epoch : Nat, question : Nat, keeps : Node \cup {None},     \* a message on a link, which says from whom,
            granted : [by : Node \cup {None}, epoch : Nat, question : Nat], names : Node \cup {None}, conf : Configuration]   \* to whom
Fault   == {"early", "crash", "loss", "cut", "resign", "change", "ask", "heartbeat"}

Unlimited == 15                 \* of a budget: it is never spent

\* How many ELECTIONs and CLAIMs, and how many heartbeats, there may be.
MaxAsk  == Unlimited
MaxHeartbeat == Unlimited

\* Whether all that was ever sent is kept; and whether timers end at any time, but for patience, which keeps to the order of time.
Kept == FALSE
Free == FALSE

\* Whether numbers are given anew, as small as can be, and are taken from what can never count.  Who asks numbers that it has asked before
\* can be told so only of numbers as they were asked.
Renumbers == TRUE

\* What is under way on link l of n; nothing; and what may arrive next, with what is left then.
On(n, l)    == IF Kept THEN n[l] ELSE {n[l][k] : k \in 1..Len(n[l])}
NothingOn   == IF Kept THEN {} ELSE <<>>
Arriving(l) == IF Kept THEN {<<m, net[l]>> : m \in net[l]}
               ELSE IF net[l] = <<>> THEN {} ELSE {<<Head(net[l]), Tail(net[l])>>}

ASSUME Cuts \subseteq SUBSET Link /\ First \in Configuration

TypeOK == /\ node \in [Node -> State]
          /\ up \subseteq Node
          /\ \A l \in Link : On(net, l) \subseteq Payload
          /\ since \in [Node -> [Node -> Nat]]
          /\ cut \in Cuts
          /\ budget \in [Fault -> Nat]
          /\ \A r \in reigns : r.epoch \in Nat /\ r.leader \in Node

\* The faults that may happen in all.
Budget == [early |-> MaxEarly, crash |-> MaxCrash, loss |-> MaxLoss, cut |-> MaxCut, resign |-> MaxResign, change |-> MaxChange,
           ask |-> MaxAsk, heartbeat |-> MaxHeartbeat]

\* Every node runs and has heard nothing yet: the first members know of each other, and no other node of any (R49).
Init == /\ node = [i \in Node |-> Blank(IF i \in Members(First) THEN First ELSE Empty)]
        /\ up = Node
        /\ net = [l \in Link |-> NothingOn]
        /\ since = [i \in Node |-> Unanswered]
        /\ cut \in Cuts
        /\ budget = Budget
        /\ reigns = {}

-----------------------------------------------------------------------------
(* The network and the faults *)

Spend(f) == budget[f] > 0 /\ budget' = [budget EXCEPT ![f] = IF @ = Unlimited THEN @ ELSE @ - 1]

\* What the question of a step of node i costs.
Cost(b, i, s) ==
  LET f == IF node[i].role = "leader" /\ s.role = "leader" THEN "heartbeat" ELSE "ask"
  IN IF s.latest = node[i].latest \/ b[f] = Unlimited THEN b ELSE [b EXCEPT ![f] = @ - 1]
Afford(b, i, step) == budget' = Cost(b, i, step.state) /\ budget'.ask >= 0 /\ budget'.heartbeat >= 0

Quiet         == \A l \in Link : net[l] = NothingOn
Around(i)     == \A l \in Link : i \in {l[1], l[2]} => net[l] = NothingOn
Carries(l)    == l \notin cut /\ (Kept \/ l[2] \in up)
Over(l, msgs) == LET on == SelectSeq(msgs, LAMBDA m : m.from = l[1] /\ m.to = l[2])
                     p  == [k \in 1..Len(on) |-> [type |-> on[k].type, epoch |-> on[k].epoch, question |-> on[k].question,
                                                   keeps |-> on[k].keeps, granted |-> on[k].granted, names |-> on[k].names, conf |-> on[k].conf]]
                 IN IF Kept THEN {p[k] : k \in 1..Len(p)} ELSE p
Send(n, msgs) == [l \in Link |-> IF Carries(l) THEN IF Kept THEN n[l] \cup Over(l, msgs) ELSE n[l] \o Over(l, msgs) ELSE n[l]]

-----------------------------------------------------------------------------
(* Numbers *)

Answers5 == {"OK", "ASSENT", "GRANT", "REFUSE", "ACK"}
Asker(l, m) == IF m.type \in Answers5 THEN l[2] ELSE l[1]

\* Whether an answer may count still, for a node in state d, which it is under way to.  What is taken from one that may not, its number, nobody
\* looks at again: so no run is left out.  (OK, ASSENT, GRANT, REFUSE count for the question that is asked now, and a question that is given
\* up is never asked again, R50.  An ACK counts in the reign that it answers, of an epoch that nobody leads twice; there answers only grow.)
\* But for one: a member that is taken out, and added again by the same leader, is unanswered anew; so there the number would count again, of
\* an ACK that is under way all the while.  MayCount <- EveryAnswer takes nothing away: models/ClusterEveryAnswer, ClusterKeptEveryAnswer, and,
\* with such members, ChangingClusterEveryAnswer.
MayCount(d, l, m) ==
  CASE m.type \in {"OK", "ASSENT"}    -> AnswersMine(d, m) /\ d.role \in {"candidate", "electing"}
    [] m.type = "GRANT"               -> d.role = "claimant" /\ CountsGrant(d, m)
    [] m.type = "REFUSE"              -> d.role = "claimant" /\ AnswersMine(d, m)
    [] m.type = "ACK"                 -> d.role = "leader" /\ m.epoch = d.epoch /\ (Answers(d, m) > d.answered[l[1]] \/ l[1] \notin d.support)
    [] OTHER                          -> TRUE

\* An answer that can never count loses its number; and where all is kept it is left out if its epoch is no news either.
Spent(d, l, m)  == ~MayCount(d, l, m) /\ Kept /\ m.epoch <= d.epoch /\ ~Newer(m.conf, d.conf)
Worn(d, l, m)   == IF MayCount(d, l, m) THEN m ELSE [m EXCEPT !.question = 0]
Forgotten(n, q) == [l \in Link |-> IF Kept THEN {Worn(n[l[2]], l, m) : m \in {x \in q[l] : ~Spent(n[l[2]], l, x)}}
                                   ELSE [k \in 1..Len(q[l]) |-> Worn(n[l[2]], l, q[l][k])]]

\* The numbers that are in use among nodes n, messages q and patience t: of which node, and which.
InUse(n, q, t) ==
  UNION {{<<k, n[k].latest>>, <<k, n[k].asked>>, <<k, n[k].dated>>, <<n[k].leader, n[k].lease>>}
           \cup {<<k, n[k].answered[j]>> : j \in Node} \cup {<<j, t[k][j]>> : j \in Node} : k \in Node}
  \cup UNION {{<<Asker(l, m), m.question>> : m \in On(q, l)} \cup {<<m.granted.by, m.granted.question>> : m \in On(q, l)} : l \in Link}

\* Everything with the least numbers: as it is, if they are that already.
Become(n, q, t) ==
  IF ~Renumbers THEN node' = n /\ net' = q /\ since' = t ELSE
  \E f \in {TLCEval(Forgotten(n, q))} :
  \E all \in {TLCEval(InUse(n, f, t))} :
  \E used \in {TLCEval([k \in Node |-> {p[2] : p \in {x \in all : x[1] = k}} \ {0}])} :
    LET least(k, x) == IF k = None THEN 0 ELSE Cardinality({y \in used[k] : y <= x})
        told(l, m)  == [m EXCEPT !.question = least(Asker(l, m), @), !.granted.question = least(m.granted.by, @)]
    IN IF \A k \in Node : \A x \in used[k] : x <= Cardinality(used[k]) THEN node' = n /\ net' = f /\ since' = t ELSE
       /\ node' = [i \in Node |-> [n[i] EXCEPT !.lease = least(n[i].leader, @), !.asked = least(i, @), !.latest = least(i, @),
                                                !.dated = least(i, @), !.answered = [j \in Node |-> least(i, @[j])]]]
       /\ net' = TLCEval([l \in Link |-> IF Kept THEN {told(l, m) : m \in f[l]} ELSE [k \in 1..Len(f[l]) |-> told(l, f[l][k])]])
       /\ since' = [i \in Node |-> [k \in Node |-> least(k, t[i][k])]]

\* The patience of a node begins when it promises or acknowledges something; and when it restarts.
Begins(n, i) == [since EXCEPT ![i] = [k \in Node |-> IF k = i THEN 0 ELSE n[k].latest]]
Patience(n, i, sent) ==
  IF n[i].leader = None \/ n[i].role = "leader" THEN [since EXCEPT ![i] = Unanswered]
  ELSE IF \E k \in 1..Len(sent) : sent[k].type \in {"GRANT", "ACK"} THEN Begins(n, i) ELSE since

\* Node i takes a step; rest is what is under way without the message that it took, and b the budget that is left.
\* (Quantified, here and below, is what TLC would else evaluate anew wherever it stands, when it looks for ENABLED.)
Take(i, rest, step) ==
  \E s \in {step} : \E n \in {[node EXCEPT ![i] = s.state]} :
    /\ \E q \in {TLCEval(Send(rest, s.sent))} : \E t \in {TLCEval(Patience(n, i, s.sent))} : Become(n, q, t)
    /\ reigns' = IF s.state.role = "leader" THEN reigns \cup {[epoch |-> s.state.epoch, leader |-> i]} ELSE reigns
    /\ UNCHANGED <<up, cut>>

-----------------------------------------------------------------------------
(* On time *)

Linked(i, j) == <<i, j>> \notin cut /\ <<j, i>> \notin cut
Reach(i)     == {j \in up : j = i \/ Linked(i, j)}
Follows(j, l) == node[j].role = "follower" /\ node[j].leader = l /\ node[j].epoch = node[l].epoch

\* Whether a quorum would answer what leader l asks next.
Backed(l) ==
  LET c == node[l].conf
  IN IsQuorum(c, {l} \cup {j \in Reach(l) : Meets(j, l, c) /\ node[j].epoch <= node[l].epoch /\ ~Newer(node[j].conf, c)})

\* What l says as leader reaches i.
Tells(l, i) == <<l, i>> \notin cut /\ i \in Members(node[l].conf)

\* A leader whose heartbeats reach i still owes it one.
Owed(i) == \E l \in up \ {i} : node[l].role = "leader" /\ Tells(l, i) /\ ~Follows(i, l)

\* Others than i acknowledge l, and make a quorum for it.  (Who has granted an earlier claim of l keeps its lease too, and does not.)
Held(l, i) ==
  IsQuorum(node[l].conf, {l} \cup {j \in Reach(l) \ {i} : node[j].leader = l /\ node[j].role # "electing" /\ node[j].epoch = node[l].epoch})

\* Time is an order: nobody acts, or may win, on the strength of what was asked before the patience of i began.
Expired(i) == \A k \in up \ {i} : CASE node[k].role = "leader"   -> node[k].dated > since[i][k]
                                     [] node[k].role = "claimant" -> node[k].asked > since[i][k]
                                     [] OTHER                     -> TRUE

\* The same; and who is told by the holder of its lease that it leads on keeps that lease, though heartbeats that only renew are left out.
LeaseOver(i) ==
  \/ node[i].leader = None
  \/ \A k \in up \ {i} :
       CASE node[k].role = "claimant" -> node[k].asked > since[i][k]
         [] node[k].role = "leader"   -> node[k].dated > since[i][k] /\ ~(k = node[i].leader /\ Tells(k, i))
         [] OTHER                     -> TRUE

\* Somebody whom leader l does not tell waits until l leads on the strength of a later question; and others can renew its reign.
Awaited(l) ==
  \E i \in up \ {l} : /\ node[i].role \in {"follower", "electing"} /\ node[i].leader # None /\ since[i][l] >= node[l].dated
                     /\ ~Tells(l, i) /\ Held(l, i)

\* A RESIGN that names j is under way to it: it is to claim (R51).
Called(j) == \E l \in Link : l[2] = j /\ \E m \in On(net, l) : m.type = "RESIGN" /\ m.names = j

\* Somebody within reach of i claims, or may be about to.
Pending(i) == \E j \in Reach(i) \ {i} : node[j].role \in {"claimant", "candidate"} \/ Called(j)

\* R8, R46. A follower's patience runs, whether it follows anybody or not; but that of one that is no member only while it does.
Watches(i) == node[i].role = "follower" /\ (node[i].leader = None => i \in Members(node[i].conf))

\* R39.4. Who acts on, though its node leads no more, has stopped before the patience of i ends. Here nobody does: module Users says who may.
Lapsed(i) == TRUE

\* No heartbeat can come any more, and the lease is over.
PatienceOver(i) == Lapsed(i) /\ IF Free THEN node[i].leader = None \/ Expired(i) ELSE Around(i) /\ ~Owed(i) /\ ~Pending(i) /\ LeaseOver(i)

\* What was sent to i, and by it, has arrived: with it all answers.
Arrived(i) == Free \/ Around(i)

\* Every ELECTION of i has been answered.  (Of the timers election alone may end before, after proofs: a configuration says so here.)
Answered(i) == Arrived(i)

\* A timer that is not on time costs one of the budget.
MayBeEarly(i) == TRUE
Ends(i, due, step) ==
  \E s \in {step} :
    /\ IF due THEN TRUE ELSE MayBeEarly(i) /\ budget["early"] > 0
    /\ Afford(IF due THEN budget ELSE [budget EXCEPT !.early = @ - 1], i, s)
    /\ Take(i, net, s)

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
  /\ \E step \in {Heeded(i, PatienceEnded(i, node[i]))} : step # Quietly(node[i]) /\ Ends(i, PatienceOver(i), step)

PreemptTimeout(i) ==
  /\ i \in up /\ node[i].role = "follower" /\ node[i].leader # None
  /\ MayStand(i, node[i]) /\ Outranked(node[i].leader, i, node[i].conf)
  /\ Ends(i, Arrived(i), PreemptEnded(i, node[i]))

ElectionTimeout(i) ==
  /\ i \in up /\ node[i].role = "candidate"
  /\ Ends(i, Answered(i), ElectionEnded(i, node[i]))

CoordinatorTimeout(i) ==
  /\ i \in up /\ node[i].role = "electing"
  /\ Ends(i, PatienceOver(i), Heeded(i, CoordinatorEnded(i, node[i])))

ClaimTimeout(i) ==
  /\ i \in up /\ node[i].role = "claimant"
  /\ Ends(i, Arrived(i), ClaimEnded(i, node[i]))

\* A leader that is not backed, or whose latest answers are too old already.
ReignTimeout(i) ==
  /\ i \in up /\ node[i].role = "leader"
  /\ Ends(i, Free \/ (Around(i) /\ ~Backed(i)), ReignEnded(i, node[i]))

\* Heartbeats that change nothing are left out, but where somebody waits for the numbers.
HeartbeatTimeout(i) ==
  /\ i \in up /\ node[i].role = "leader"
  /\ LET inNeed    == {j \in up \ {i} : Tells(i, j) /\ (Awaited(i) \/ ~(Follows(j, i) /\ node[j].conf = node[i].conf))}
         heartbeat == HeartbeatEnded(i, node[i])
     IN /\ IF Free THEN TRUE ELSE inNeed # {}
        /\ Ends(i, Arrived(i), [heartbeat EXCEPT !.sent = SelectSeq(@, LAMBDA m : Free \/ m.to \in inNeed)])

-----------------------------------------------------------------------------
(* Receipts *)

Full(l, p) == [type |-> p.type, from |-> l[1], to |-> l[2], epoch |-> p.epoch, question |-> p.question, keeps |-> p.keeps,
               granted |-> p.granted, names |-> p.names, conf |-> p.conf]
Receive(l, t) ==
  \E a \in Arriving(l) :
    /\ a[1].type = t
    /\ \E step \in {Heard(l[2], node[l[2]], Full(l, a[1]))} : Afford(budget, l[2], step) /\ Take(l[2], [net EXCEPT ![l] = a[2]], step)

OnElection(l)    == l[2] \in up /\ Receive(l, "ELECTION")
OnOk(l)          == l[2] \in up /\ Receive(l, "OK")
OnAssent(l)      == l[2] \in up /\ Receive(l, "ASSENT")
OnClaim(l)       == l[2] \in up /\ Receive(l, "CLAIM")
OnGrant(l)       == l[2] \in up /\ Receive(l, "GRANT")
OnRefuse(l)      == l[2] \in up /\ Receive(l, "REFUSE")
OnCoordinator(l) == l[2] \in up /\ Receive(l, "COORDINATOR")
OnHeartbeat(l)   == l[2] \in up /\ Receive(l, "HEARTBEAT")
OnAck(l)         == l[2] \in up /\ Receive(l, "ACK")
OnResign(l)      == l[2] \in up /\ Receive(l, "RESIGN")
OnImBack(l)      == l[2] \in up /\ Receive(l, "IM_BACK")

-----------------------------------------------------------------------------
(* Calls and faults *)

\* Whom leader i may be told to name as it resigns; None is nobody.  Nobody is named, unless a configuration says who may be.
Nameable(i) == {None}

\* A leader is told to resign, or stops gracefully; it may name who is to stand first (R51).
Resign(i) ==
  /\ i \in up /\ MayResign(node[i])
  /\ Spend("resign")
  /\ \E k \in Nameable(i) : (k = None \/ MayName(i, node[i], k)) /\ Take(i, net, HandedTo(i, node[i], k))

\* The configurations that a leader i may be asked for.
Targets(i) == {[epoch |-> node[i].epoch, version |-> node[i].conf.version + 1] @@ w : w \in Wanted}

\* R47. A leader is asked for a change, and makes it.
Change(i) ==
  /\ i \in up /\ budget["change"] > 0
  /\ \E c \in Targets(i) : /\ MayChange(i, node[i], c)
                           /\ \E step \in {Changed(i, node[i], c)} : /\ Afford([budget EXCEPT !.change = @ - 1], i, step)
                                                                     /\ Take(i, net, step)

\* Whether node i may be told that node l is dead.  Nobody is, unless a configuration says who may be.
MayProve(i, l) == FALSE

\* R41. A node is told that the holder of its lease is dead.
HolderDead(i) ==
  /\ i \in up /\ HasHolder(i, node[i])
  /\ MayProve(i, node[i].leader)
  /\ Take(i, net, HolderDied(node[i]))
  /\ UNCHANGED budget

\* What is under way without what a crash or a cut loses.
Without(S) == [l \in Link |-> IF ~Kept /\ l \in S THEN NothingOn ELSE net[l]]

Crash(i) ==
  /\ i \in up /\ Spend("crash")
  /\ up' = up \ {i}
  /\ Become([node EXCEPT ![i] = Survives(@)], Without({l \in Link : i \in {l[1], l[2]}}), [since EXCEPT ![i] = Unanswered])
  /\ UNCHANGED <<cut, reigns>>

Restart(i) ==
  /\ i \notin up
  /\ \E step \in {Restarted(i, node[i])} : \E n \in {[node EXCEPT ![i] = step.state]} :
       /\ up' = up \cup {i}
       /\ Become(n, Send(net, step.sent), Begins(n, i))
  /\ UNCHANGED <<cut, budget, reigns>>

\* A message is lost though its link holds: the connection broke and came back.
Lose(l) ==
  /\ ~Kept /\ net[l] # <<>> /\ Spend("loss")
  /\ Become(node, [net EXCEPT ![l] = Tail(@)], since)
  /\ UNCHANGED <<up, cut, reigns>>

Cut(c) ==
  /\ c # cut /\ Spend("cut")
  /\ cut' = c
  /\ Become(node, Without(c), since)
  /\ UNCHANGED <<up, reigns>>

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
Known == {node[i].conf : i \in Node} \cup UNION {{m.conf : m \in On(net, l)} : l \in Link}
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
HighestIs(l) == \E able \in {Eligible} : l \in able /\ \A k \in able \ {l} : Higher(l, k, Newest(l))
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

\* A leader that reaches a quorum of its configuration stops leading by its own will, by a crash, or because of a higher epoch, which it
\* promises or learns: somebody has promised that one, or one above it, to another node, which reaches a quorum, or is down.  (That one
\* was a voter when it claimed, and need not be one any more.)
Reaching == {i \in up : IsQuorum(Newest(i), Reach(i))}
Deposed(l) == /\ node[l].role = "leader" /\ node'[l].role # "leader"
              /\ IsQuorum(node[l].conf, Reach(l)) /\ l \in up' /\ budget'.resign = budget.resign
Rival(l)   == /\ node'[l].epoch > node[l].epoch
              /\ \E c \in (Reaching \cup (Node \ up)) \ {l} :
                   \E j \in Node : node'[j].grantee = c /\ node'[j].epoch >= node'[l].epoch
NoDisruption == [][\A l \in Node : Deposed(l) => Rival(l)]_vars

\* R44. A message that is not between members changes nothing but the configuration of who hears it.  (Asked of what would be heard, since
\* a step's numbers are given anew: a lease that it renews may have the number that it had.)
OutsidersUnheeded ==
  \A l \in {k \in Link : k[2] \in up} : \A a \in Arriving(l) :
    LET t == Adopted(node[l[2]], a[1])
    IN {l[1], l[2]} \subseteq Members(t.conf) \/ Heard(l[2], node[l[2]], Full(l, a[1])).state = t

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
