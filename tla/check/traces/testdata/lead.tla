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

Nodes == 3
Changing == FALSE

Conf(epoch, version, voters, witnesses, observers, ranks, addresses) ==
  [epoch |-> epoch, version |-> version, voters |-> voters, witnesses |-> witnesses, observers |-> observers,
   ranks |-> ranks, addresses |-> addresses]

Confs == <<
  Conf(0, 0, {}, {}, {}, {}, <<0, 0, 0>>),
  Conf(0, 1, {1, 2, 3}, {}, {}, {}, <<1, 1, 1>>)
>>

Being(role, leader, lease, epoch, grantee, support, asked, latest, dated, answered, c) ==
  [role |-> role, leader |-> leader, lease |-> lease, epoch |-> epoch, grantee |-> grantee, support |-> support, asked |-> asked,
   latest |-> latest, dated |-> dated, answered |-> answered, conf |-> Confs[c]]

Saying(type, from, to, epoch, question, keeps, by, e, q, names, c) ==
  [type |-> type, from |-> from, to |-> to, epoch |-> epoch, question |-> question, keeps |-> keeps,
   granted |-> [by |-> by, epoch |-> e, question |-> q], names |-> names, conf |-> Confs[c]]

Events == <<
  <<"Start", 1, 0, 2, 1, 1, 0>>,
  <<"Start", 2, 0, 2, 1, 1, 0>>,
  <<"Start", 3, 0, 2, 1, 1, 0>>,
  <<"PatienceTimeout", 3, 0, 1, 2, 2, 0>>,
  <<"OnElection", 1, 1, 1, 3, 3, 0>>,
  <<"OnElection", 2, 2, 1, 3, 4, 0>>,
  <<"OnAssent", 3, 3, 1, 4, 5, 0>>,
  <<"OnAssent", 3, 4, 1, 4, 1, 0>>,
  <<"OnClaim", 1, 5, 1, 6, 6, 0>>,
  <<"OnClaim", 2, 6, 1, 6, 7, 0>>,
  <<"OnGrant", 3, 7, 1, 7, 8, 0>>,
  <<"OnCoordinator", 1, 9, 1, 8, 9, 0>>,
  <<"OnCoordinator", 2, 10, 1, 8, 10, 0>>,
  <<"OnAck", 3, 11, 1, 9, 1, 0>>
>>

States == <<
  Being("follower", 0, 0, 0, 0, {}, 0, 1, 0, <<0, 0, 0>>, 2),
  Being("candidate", 0, 0, 0, 0, {}, 2, 2, 0, <<0, 0, 0>>, 2),
  Being("electing", 0, 0, 0, 0, {}, 0, 1, 0, <<0, 0, 0>>, 2),
  Being("claimant", 0, 0, 0, 0, {}, 3, 3, 0, <<0, 0, 0>>, 2),
  Being("follower", 0, 0, 0, 0, {}, 0, 0, 0, <<0, 0, 0>>, 2),
  Being("electing", 3, 3, 1, 3, {}, 0, 1, 0, <<0, 0, 0>>, 2),
  Being("leader", 3, 0, 1, 3, {}, 0, 3, 3, <<3, 0, 0>>, 2),
  Being("follower", 3, 3, 1, 3, {}, 0, 1, 0, <<0, 0, 0>>, 2),
  Being("leader", 3, 0, 1, 3, {1}, 0, 3, 3, <<3, 0, 0>>, 2)
>>

Msgs == <<
  Saying("ELECTION", 3, 1, 0, 2, 0, 0, 0, 0, 0, 2),
  Saying("ELECTION", 3, 2, 0, 2, 0, 0, 0, 0, 0, 2),
  Saying("ASSENT", 1, 3, 0, 2, 0, 0, 0, 0, 0, 2),
  Saying("ASSENT", 2, 3, 0, 2, 0, 0, 0, 0, 0, 2),
  Saying("CLAIM", 3, 1, 1, 3, 0, 0, 0, 0, 0, 2),
  Saying("CLAIM", 3, 2, 1, 3, 0, 0, 0, 0, 0, 2),
  Saying("GRANT", 1, 3, 1, 3, 0, 0, 0, 0, 0, 2),
  Saying("GRANT", 2, 3, 1, 3, 0, 0, 0, 0, 0, 2),
  Saying("COORDINATOR", 3, 1, 1, 3, 0, 0, 0, 0, 0, 2),
  Saying("COORDINATOR", 3, 2, 1, 3, 0, 0, 0, 0, 0, 2),
  Saying("ACK", 1, 3, 1, 3, 0, 0, 0, 0, 0, 2),
  Saying("ACK", 2, 3, 1, 3, 0, 0, 0, 0, 0, 2)
>>

Sents == <<
  <<>>,
  <<1, 2>>,
  <<3>>,
  <<4>>,
  <<5, 6>>,
  <<7>>,
  <<8>>,
  <<9, 10>>,
  <<11>>,
  <<12>>
>>

CutSets == <<
  {}
>>

Leaders == <<
  <<0, 3>>
>>

Highest == <<
  -1
>>

Names == <<
  {2}
>>

Frames == <<
  [node |-> <<5, 5, 5>>, up |-> {}, new |-> {1, 2, 3}, net |-> {}, cut |-> 1],
  [node |-> <<3, 3, 4>>, up |-> {1, 2, 3}, new |-> {}, net |-> {5, 6}, cut |-> 1]
>>

Chunks == <<
  [run |-> 1, first |-> 1, last |-> 8, begin |-> 1, end |-> 2],
  [run |-> 1, first |-> 9, last |-> 14, begin |-> 2, end |-> 0]
>>

\* What no run has: for the Empty and First of modules that know no addresses.
EmptyAddressed == Confs[1]
Plain == [epoch |-> 0, version |-> 0, voters |-> {}, witnesses |-> {}, observers |-> {}, ranks |-> {}]

=============================================================================
