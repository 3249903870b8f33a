---------------------------- MODULE TraceCluster ----------------------------
(***************************************************************************)
(* Replays recorded runs (spec/README.md, section 14) against module Node, *)
(* and the links, cuts and crashes of module Cluster: is each of them a    *)
(* run that the protocol allows, whenever timers may have ended?           *)
(*                                                                         *)
(* The state after each event, and all that it sends, must be what Node    *)
(* says.  A message received must have been sent: the network loses,        *)
(* repeats, overtakes, and delivers over restarts, and need not say so.    *)
(* A run may begin with nodes that have a record already.  A node starts   *)
(* with the configuration that its first state says, or, where members are *)
(* fixed, with all of them.  Addresses are numbers here, each its own, so  *)
(* that a change of an address is seen to be one.                          *)
(*                                                                         *)
(* Runs are cut into chunks, so that their length is no limit.  A chunk    *)
(* begins in the state of the whole cluster that a frame says, and ends in *)
(* that of the frame with which the next begins; of what was said before,  *)
(* a frame has what is heard after it.  Frames are the guesses of a        *)
(* program; that they are right is seen here.                              *)
(*                                                                         *)
(* Events carry all parameters of their steps, so each chunk has only one  *)
(* behaviour.  It ends in a verdict, which is printed: a run is good if    *)
(* all its chunks are said to be accepted, and not if nothing is said.     *)
(***************************************************************************)
EXTENDS Cluster, TraceData

VARIABLES chunk,                \* which of Chunks is replayed
          at,                   \* the event to come
          new,                  \* the nodes that nothing is known of yet
          verdict               \* Open, or what has come of the chunk

traceVars == <<vars, chunk, at, new, verdict>>

Open == ""

-----------------------------------------------------------------------------
(* What TraceData says *)

This  == Chunks[chunk]
Event == LET e == Events[at]
         IN [action |-> e[1], node |-> e[2], msg |-> e[3], conf |-> Confs[e[4]], state |-> e[5], sent |-> e[6], names |-> e[7]]

NodesOf(frame) == [i \in Node |-> States[frame.node[i]]]
Sent(e)        == [k \in 1..Len(Sents[e.sent]) |-> Msgs[Sents[e.sent][k]]]

\* Whether nobody has led epoch e before node i: the table has the first of the run to lead it.
MayLead(i, e) == Leaders[This.run][e + 1] = i

\* Whether nobody has held another configuration of this epoch and version before: the table has the first of the run.
MayHold(c) == \A k \in Names[This.run] : LET d == Confs[k] IN d.epoch = c.epoch /\ d.version = c.version => d = c

\* R2. For MayClaim: nobody claims beyond the highest epoch of all, which other modules do not know.
MayClaimBelow(i, s) == IsQuorum(s.conf, s.support \cup {i}) /\ s.epoch # Highest[This.run]

\* R48. For Stamped: members that are fixed have one configuration, of no epoch.
StampedIfChanging(c, e) == IF Changing THEN [c EXCEPT !.epoch = e] ELSE c

\* R47. For Kind: another address is another member too.
KindAndAddress(c, k) ==
  <<IF k \in c.voters THEN 1 ELSE IF k \in c.witnesses THEN 2 ELSE IF k \in c.observers THEN 3 ELSE 0, c.addresses[k]>>

\* R50. For Reserved: numbers are reserved in blocks.
Block == 1048576
ReservedInBlocks(n) == ((n + Block - 1) \div Block) * Block

\* Of a node in state s, whose record says q now: each start reserves a block, and may end before anybody records it.
Reserves(s, q) == IF q % Block = 0 /\ q > Reserved(s.latest) THEN [s EXCEPT !.latest = q] ELSE s

\* Of a node that has a record which nothing is known of: each has a block at least.
HasReserved(s, q) == [s EXCEPT !.latest = IF q < Block THEN Block ELSE q]

\* What an event puts on links that are not cut: net has which of Msgs have been there.
Put(e) == {k \in {Sents[e.sent][j] : j \in 1..Len(Sents[e.sent])} : <<Msgs[k].from, Msgs[k].to>> \notin cut}

-----------------------------------------------------------------------------
(* Steps of a node *)

Received == [OnElection |-> "ELECTION", OnOk |-> "OK", OnAssent |-> "ASSENT", OnClaim |-> "CLAIM", OnGrant |-> "GRANT",
             OnRefuse |-> "REFUSE", OnCoordinator |-> "COORDINATOR", OnHeartbeat |-> "HEARTBEAT", OnAck |-> "ACK",
             OnResign |-> "RESIGN", OnImBack |-> "IM_BACK"]

Receipts == DOMAIN Received

\* What node i does in state s; m is what it receives, if it does, c what it is asked for, or starts with, and k whom it is to name.
StepOf(action, i, s, m, c, k) ==
  CASE action \in Receipts           -> Heard(i, s, m)
    [] action = "PatienceTimeout"    -> PatienceEnded(i, s)
    [] action = "PreemptTimeout"     -> PreemptEnded(i, s)
    [] action = "ElectionTimeout"    -> ElectionEnded(i, s)
    [] action = "CoordinatorTimeout" -> CoordinatorEnded(i, s)
    [] action = "ClaimTimeout"       -> ClaimEnded(i, s)
    [] action = "ReignTimeout"       -> ReignEnded(i, s)
    [] action = "HeartbeatTimeout"   -> HeartbeatEnded(i, s)
    [] action = "Resign"             -> HandedTo(i, s, k)
    [] action = "HolderDead"         -> HolderDied(s)
    [] action = "Change"             -> Changed(i, s, c)
    [] action = "Start"              -> Quietly(Blank(c))
    [] action = "Restart"            -> Restarted(i, s)
    [] action = "Crash"              -> Quietly(Survives(s))

\* R46. Who is no member has no patience of its own; who may not stand pre-empts nobody.
Runs(i, s)     == s.role = "follower" /\ (i \in Members(s.conf) \/ s.leader # None)
Preempts(i, s) == s.role = "follower" /\ s.leader # None /\ MayStand(i, s) /\ Outranked(s.leader, i, s.conf)

\* R28, R35, R41, R46, R47, R51. Whether node i takes that step at all: whether the timer runs, or the call is one that it heeds.
Heeds(action, i, s, c, k) ==
  CASE action = "PatienceTimeout"    -> Runs(i, s)
    [] action = "PreemptTimeout"     -> Preempts(i, s)
    [] action = "ElectionTimeout"    -> s.role = "candidate"
    [] action = "CoordinatorTimeout" -> s.role = "electing"
    [] action = "ClaimTimeout"       -> s.role = "claimant"
    [] action = "ReignTimeout"       -> s.role = "leader"
    [] action = "HeartbeatTimeout"   -> s.role = "leader"
    [] action = "Resign"             -> MayResign(s) /\ (k = None \/ MayName(i, s, k))
    [] action = "HolderDead"         -> HasHolder(i, s)
    [] action = "Change"             -> MayChange(i, s, c)
    [] OTHER                         -> TRUE

\* R49. What node i may start with for the first time.
MayStart(i, c) == c = Empty \/ (c.epoch = 0 /\ c.version = 1 /\ i \in Members(c))

\* What is wrong with the event, or Open: s is the state of its node before, and step what Node says of it.
Wrong(e, s, step) ==
  CASE e.action = "Start" /\ e.node \notin new                            -> "started"
    [] e.action = "Restart" /\ e.node \in up                              -> "up"
    [] e.action \notin {"Start", "Restart", "Crash"} /\ e.node \notin up  -> "down"
    [] e.action \in Receipts /\ e.msg \notin net                           -> "link"
    [] e.action = "Start" /\ ~MayStart(e.node, e.conf)                    -> "start"
    [] ~Heeds(e.action, e.node, s, e.conf, e.names)                             -> "unheeded"
    [] step.state # States[e.state]                                       -> "state"
    [] step.sent # Sent(e)                                                -> "sent"
    [] step.state.epoch < s.epoch                                         -> "EpochMonotonic"
    [] step.state.conf # s.conf /\ ~Newer(step.state.conf, s.conf)        -> "ConfigurationMonotonic"
    [] ~MayHold(step.state.conf)                                          -> "OneConfiguration"
    [] step.state.role = "leader" /\ ~MayLead(e.node, step.state.epoch)   -> "OneLeaderPerEpoch"
    [] OTHER                                                              -> Open

-----------------------------------------------------------------------------
(* Verdicts, each in one line: for a program *)

SaidConf(c)     == <<c.epoch, c.version, c.voters, c.witnesses, c.observers, [k \in 1..N |-> Rank(k, c)], c.addresses>>
Said(s)         == <<s.role, s.leader, s.lease, s.epoch, s.grantee, s.support, s.asked, s.latest, s.dated,
                     [k \in 1..N |-> s.answered[k]], SaidConf(s.conf)>>
SaidMsg(m)      == <<m.type, m.from, m.to, m.epoch, m.question, m.keeps, m.granted.by, m.granted.epoch, m.granted.question, m.names, SaidConf(m.conf)>>
SaidAll(msgs)   == TLCEval([k \in 1..Len(msgs) |-> SaidMsg(msgs[k])])

\* Ends the chunk with a verdict, and says why: the state before, and the step that Node says.
End(word, before, step) ==
  /\ PrintT(ToString(<<"verdict", chunk, at, word, before, step>>))
  /\ verdict' = word
  /\ UNCHANGED <<vars, chunk, at, new>>

-----------------------------------------------------------------------------
(* Actions *)

TraceInit == \E c \in 1..Len(Chunks) :
  LET f == Frames[Chunks[c].begin]
  IN /\ chunk = c /\ at = Chunks[c].first /\ verdict = Open
     /\ node = NodesOf(f) /\ up = f.up /\ new = f.new /\ net = f.net /\ cut = CutSets[f.cut]
     /\ budget = Budget /\ reigns = {} /\ since = <<>>

Replays == verdict = Open /\ at <= This.last

\* A node takes a step, or crashes.  Of a node that has a record already, its first event says what is in it.
StepsOrCrashes ==
  LET e     == Event
      i     == e.node
      m     == IF e.action \in Receipts THEN Msgs[e.msg] ELSE Msg("", i, i, 0, 0)
      said  == States[e.state]
      kept  == IF e.action = "Restart" THEN said.latest - 1 ELSE said.latest      \* R30
      s     == IF e.action = "Start" THEN Blank(Empty)
               ELSE IF e.action \notin {"Restart", "Crash"} THEN node[i]
               ELSE IF i \in new THEN HasReserved(said, kept) ELSE Reserves(node[i], kept)
      step  == StepOf(e.action, i, s, m, e.conf, e.names)
      wrong == Wrong(e, s, step)
  IN IF wrong # Open
     THEN End(wrong, Said(s), <<Said(step.state), SaidAll(step.sent)>>)
     ELSE /\ node' = [node EXCEPT ![i] = step.state]
          /\ up' = IF e.action = "Crash" THEN up \ {i} ELSE up \cup {i}
          /\ new' = new \ {i}
          /\ net' = net \cup Put(e)
          /\ at' = at + 1
          /\ UNCHANGED <<cut, budget, reigns, since, chunk, verdict>>

\* A message is lost: one that was sent.  It may come all the same, if the network has it twice.
LosesMessage ==
  IF Event.msg \notin net THEN End("link", <<>>, <<>>)
  ELSE /\ at' = at + 1
       /\ UNCHANGED <<vars, chunk, new, verdict>>

ChangesCut ==
  LET c == CutSets[Event.sent]
  IN IF c = cut THEN End("cut", <<>>, <<>>)
     ELSE /\ cut' = c
          /\ at' = at + 1
          /\ UNCHANGED <<node, up, net, budget, reigns, since, chunk, new, verdict>>

\* The next chunk must begin as this one ends, but that it may know of less that was sent.
HandsOn ==
  LET f == Frames[This.end]
  IN node = NodesOf(f) /\ up = f.up /\ new = f.new /\ cut = CutSets[f.cut] /\ f.net \subseteq net

EndsChunk == verdict = Open /\ at > This.last /\
        IF This.end = 0 \/ HandsOn THEN End("accepted", <<>>, <<>>) ELSE End("frame", <<>>, <<>>)

Ended == verdict # Open /\ UNCHANGED traceVars

TraceNext == \/ Replays /\ Event.action \notin {"Lose", "Cut"} /\ StepsOrCrashes
             \/ Replays /\ Event.action = "Lose" /\ LosesMessage
             \/ Replays /\ Event.action = "Cut" /\ ChangesCut
             \/ EndsChunk
             \/ Ended

TraceSpec == TraceInit /\ [][TraceNext]_traceVars

\* A chunk has one behaviour, so its states are told apart by this alone (VIEW).
Progress == <<chunk, at, verdict>>

=============================================================================
