----------------------------- MODULE TraceData -----------------------------
(***************************************************************************)
(* Recorded runs, for module TraceCluster.  Written by tla/check/traces.   *)
(*                                                                         *)
(* Changing  whether the members of these runs may change                  *)
(* Confs     configurations, and the addresses of their members, numbered; *)
(*           0 for one that is no member.  Of two runs, each has its own,  *)
(*           but for members that are fixed: the second is all of them     *)
(* Msgs      messages, numbered                                            *)
(* Events    <<action, node, msg, conf, state, sent, names>>: which of     *)
(*           Msgs is received or lost, or 0; which of Confs is asked for   *)
(*           by a Change, or is started with; else 1, the empty one; which *)
(*           of States comes; which of Sents is sent; of a Cut, which of   *)
(*           CutSets is cut; whom a Resign names, or 0                     *)
(* Sents     of what is sent in a step, which of Msgs each is              *)
(* Leaders   of each run, of each epoch from 0, who was the first to lead  *)
(* Highest   of each run, what the highest epoch of all is here, or -1     *)
(* Names     of each run, of each epoch and version, which of Confs was    *)
(*           the first to have them                                        *)
(* Frames    states of the whole cluster between two events; net says      *)
(*           which of Msgs were sent before, and are heard of after        *)
(* Chunks    parts of runs, from one frame to another; 0 is the run's end  *)
(***************************************************************************)
EXTENDS Node

Nodes == 2
Changing == TRUE

Conf(epoch, version, voters, witnesses, observers, ranks, addresses) ==
  [epoch |-> epoch, version |-> version, voters |-> voters, witnesses |-> witnesses, observers |-> observers,
   ranks |-> ranks, addresses |-> addresses]

Confs == <<
  Conf(0, 0, {}, {}, {}, {}, <<0, 0>>),
  Conf(0, 1, {1}, {}, {}, {}, <<1, 0>>),
  Conf(1, 1, {1}, {}, {}, {}, <<1, 0>>),
  Conf(1, 2, {1, 2}, {}, {}, {}, <<1, 2>>),
  Conf(1, 3, {1, 2}, {}, {}, {}, <<1, 3>>),
  Conf(1, 4, {1}, {}, {}, {}, <<1, 0>>)
>>

Being(role, leader, lease, epoch, grantee, support, asked, latest, dated, answered, c) ==
  [role |-> role, leader |-> leader, lease |-> lease, epoch |-> epoch, grantee |-> grantee, support |-> support, asked |-> asked,
   latest |-> latest, dated |-> dated, answered |-> answered, conf |-> Confs[c]]

Saying(type, from, to, epoch, question, keeps, by, e, q, names, c) ==
  [type |-> type, from |-> from, to |-> to, epoch |-> epoch, question |-> question, keeps |-> keeps,
   granted |-> [by |-> by, epoch |-> e, question |-> q], names |-> names, conf |-> Confs[c]]

Events == <<
  <<"Start", 1, 0, 2, 1, 1, 0>>,
  <<"Start", 2, 0, 1, 2, 1, 0>>,
  <<"PatienceTimeout", 1, 0, 1, 3, 1, 0>>,
  <<"ElectionTimeout", 1, 0, 1, 4, 1, 0>>,
  <<"Change", 1, 0, 4, 5, 2, 0>>,
  <<"OnHeartbeat", 2, 1, 1, 6, 3, 0>>,
  <<"OnAck", 1, 2, 1, 7, 1, 0>>,
  <<"Change", 1, 0, 5, 8, 4, 0>>,
  <<"HeartbeatTimeout", 1, 0, 1, 10, 5, 0>>,
  <<"OnHeartbeat", 2, 4, 1, 11, 6, 0>>,
  <<"OnAck", 1, 5, 1, 12, 1, 0>>,
  <<"Change", 1, 0, 6, 13, 7, 0>>,
  <<"OnHeartbeat", 2, 6, 1, 14, 1, 0>>,
  <<"PatienceTimeout", 2, 0, 1, 15, 1, 0>>
>>

States == <<
  Being("follower", 0, 0, 0, 0, {}, 0, 1, 0, <<0, 0>>, 2),
  Being("follower", 0, 0, 0, 0, {}, 0, 1, 0, <<0, 0>>, 1),
  Being("candidate", 0, 0, 0, 0, {}, 2, 2, 0, <<0, 0>>, 2),
  Being("leader", 1, 0, 1, 1, {}, 0, 3, 3, <<0, 0>>, 3),
  Being("leader", 1, 0, 1, 1, {}, 0, 4, 3, <<0, 0>>, 4),
  Being("follower", 1, 4, 1, 1, {}, 0, 1, 0, <<0, 0>>, 4),
  Being("leader", 1, 0, 1, 1, {2}, 0, 4, 4, <<0, 4>>, 4),
  Being("leader", 1, 0, 1, 1, {}, 0, 5, 4, <<0, 4>>, 5),
  Being("follower", 0, 0, 0, 0, {}, 0, 0, 0, <<0, 0>>, 1),
  Being("leader", 1, 0, 1, 1, {}, 0, 6, 4, <<0, 4>>, 5),
  Being("follower", 1, 6, 1, 1, {}, 0, 1, 0, <<0, 0>>, 5),
  Being("leader", 1, 0, 1, 1, {2}, 0, 6, 6, <<0, 6>>, 5),
  Being("leader", 1, 0, 1, 1, {}, 0, 7, 7, <<0, 0>>, 6),
  Being("follower", 1, 6, 1, 1, {}, 0, 1, 0, <<0, 0>>, 6),
  Being("follower", 0, 0, 1, 1, {}, 0, 1, 0, <<0, 0>>, 6)
>>

Msgs == <<
  Saying("HEARTBEAT", 1, 2, 1, 4, 0, 0, 0, 0, 0, 4),
  Saying("ACK", 2, 1, 1, 4, 0, 0, 0, 0, 0, 4),
  Saying("HEARTBEAT", 1, 2, 1, 5, 0, 0, 0, 0, 0, 5),
  Saying("HEARTBEAT", 1, 2, 1, 6, 0, 0, 0, 0, 0, 5),
  Saying("ACK", 2, 1, 1, 6, 0, 0, 0, 0, 0, 5),
  Saying("HEARTBEAT", 1, 2, 1, 7, 0, 0, 0, 0, 0, 6)
>>

Sents == <<
  <<>>,
  <<1>>,
  <<2>>,
  <<3>>,
  <<4>>,
  <<5>>,
  <<6>>
>>

CutSets == <<
  {}
>>

Leaders == <<
  <<0, 1>>
>>

Highest == <<
  -1
>>

Names == <<
  {2, 1, 3, 4, 5, 6}
>>

Frames == <<
  [node |-> <<9, 9>>, up |-> {}, new |-> {1, 2}, net |-> {}, cut |-> 1],
  [node |-> <<8, 6>>, up |-> {1, 2}, new |-> {}, net |-> {}, cut |-> 1]
>>

Chunks == <<
  [run |-> 1, first |-> 1, last |-> 8, begin |-> 1, end |-> 2],
  [run |-> 1, first |-> 9, last |-> 14, begin |-> 2, end |-> 0]
>>

\* What no run has: for the Empty and First of modules that know no addresses.
EmptyAddressed == Confs[1]
Plain == [epoch |-> 0, version |-> 0, voters |-> {}, witnesses |-> {}, observers |-> {}, ranks |-> {}]

=============================================================================
