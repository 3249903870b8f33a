----------------------------- MODULE TraceData -----------------------------
(***************************************************************************)
(* Recorded runs, for module TraceCluster.  Written by tla/check/traces.   *)
(*                                                                         *)
(* Changing  whether the members of these runs may change                  *)
(* Confs     configurations, and the addresses of their members, numbered; *)
(*           0 for one that is no member.  Of two runs, each has its own,  *)
(*           but for members that are fixed: the second is all of them     *)
(* Events    <<action, node, from, epoch, conf, state, sent>>: from and    *)
(*           epoch of the message received; conf says which of Confs is    *)
(*           its, is asked for by a Change, or is started with; else 1,    *)
(*           the empty one; which of States comes; which of Sents is sent, *)
(*           or lost by a Lose; of a Cut, which of CutSets is cut          *)
(* Leaders   of each run, of each epoch from 0, who was the first to lead  *)
(* Highest   of each run, what the highest epoch of all is here, or -1     *)
(* Names     of each run, of each epoch and version, which of Confs was    *)
(*           the first to have them                                        *)
(* Frames    states of the whole cluster between two events                *)
(* Chunks    parts of runs, from one frame to another; 0 is the run's end  *)
(***************************************************************************)
EXTENDS Node

Nodes == 2
Changing == TRUE

Conf(epoch, version, voters, witnesses, observers, addresses) ==
  [epoch |-> epoch, version |-> version, voters |-> voters, witnesses |-> witnesses, observers |-> observers,
   addresses |-> addresses]

Confs == <<
  Conf(0, 0, {}, {}, {}, <<0, 0>>),
  Conf(0, 1, {1}, {}, {}, <<1, 0>>),
  Conf(1, 1, {1}, {}, {}, <<1, 0>>),
  Conf(1, 2, {1, 2}, {}, {}, <<1, 2>>),
  Conf(1, 3, {1, 2}, {}, {}, <<1, 3>>),
  Conf(1, 4, {1}, {}, {}, <<1, 0>>)
>>

Being(role, leader, epoch, grantee, support, c) ==
  [role |-> role, leader |-> leader, epoch |-> epoch, grantee |-> grantee, support |-> support, conf |-> Confs[c]]

Saying(type, from, to, epoch, c) == [type |-> type, from |-> from, to |-> to, epoch |-> epoch, conf |-> Confs[c]]

Events == <<
  <<"Start", 1, 0, 0, 2, 1, 1>>,
  <<"Start", 2, 0, 0, 1, 2, 1>>,
  <<"PatienceTimeout", 1, 0, 0, 1, 3, 1>>,
  <<"ElectionTimeout", 1, 0, 0, 1, 4, 1>>,
  <<"Change", 1, 0, 0, 4, 5, 2>>,
  <<"OnHeartbeat", 2, 1, 1, 4, 6, 3>>,
  <<"OnAck", 1, 2, 1, 4, 7, 1>>,
  <<"Change", 1, 0, 0, 5, 8, 4>>,
  <<"HeartbeatTimeout", 1, 0, 0, 1, 8, 4>>,
  <<"OnHeartbeat", 2, 1, 1, 5, 9, 5>>,
  <<"OnAck", 1, 2, 1, 5, 10, 1>>,
  <<"Change", 1, 0, 0, 6, 11, 6>>,
  <<"OnHeartbeat", 2, 1, 1, 6, 12, 1>>,
  <<"PatienceTimeout", 2, 0, 0, 1, 13, 1>>
>>

States == <<
  Being("follower", 0, 0, 0, {}, 2),
  Being("follower", 0, 0, 0, {}, 1),
  Being("candidate", 0, 0, 0, {}, 2),
  Being("leader", 1, 1, 1, {}, 3),
  Being("leader", 1, 1, 1, {}, 4),
  Being("follower", 1, 1, 1, {}, 4),
  Being("leader", 1, 1, 1, {2}, 4),
  Being("leader", 1, 1, 1, {}, 5),
  Being("follower", 1, 1, 1, {}, 5),
  Being("leader", 1, 1, 1, {2}, 5),
  Being("leader", 1, 1, 1, {}, 6),
  Being("follower", 1, 1, 1, {}, 6),
  Being("follower", 0, 1, 1, {}, 6)
>>

Sents == <<
  <<>>,
  <<Saying("HEARTBEAT", 1, 2, 1, 4)>>,
  <<Saying("ACK", 2, 1, 1, 4)>>,
  <<Saying("HEARTBEAT", 1, 2, 1, 5)>>,
  <<Saying("ACK", 2, 1, 1, 5)>>,
  <<Saying("HEARTBEAT", 1, 2, 1, 6)>>
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
  [node |-> <<2, 2>>, up |-> {}, new |-> {1, 2}, net |-> 1, cut |-> 1],
  [node |-> <<8, 6>>, up |-> {1, 2}, new |-> {}, net |-> 4, cut |-> 1]
>>

Chunks == <<
  [run |-> 1, first |-> 1, last |-> 8, begin |-> 1, end |-> 2],
  [run |-> 1, first |-> 9, last |-> 14, begin |-> 2, end |-> 0]
>>

\* What no run has: for the Empty and First of modules that know no addresses.
EmptyAddressed == Confs[1]
Plain == [epoch |-> 0, version |-> 0, voters |-> {}, witnesses |-> {}, observers |-> {}]

=============================================================================
