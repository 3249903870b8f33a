----------------------------- MODULE TraceData -----------------------------
(***************************************************************************)
(* Recorded runs, for module TraceCluster.  Written by tla/check/traces.   *)
(*                                                                         *)
(* Events    <<action, node, from, epoch, state, sent>>: from and epoch of *)
(*           the message received; which of States comes; which of Sents   *)
(*           is sent, or lost by a Lose; of a Cut, which of CutSets is cut *)
(* Leaders   of each run, of each epoch from 0, who was the first to lead  *)
(* Highest   of each run, what the highest epoch of all is here, or -1     *)
(* Frames    states of the whole cluster between two events                *)
(* Chunks    parts of runs, from one frame to another; 0 is the run's end  *)
(***************************************************************************)
EXTENDS Node

Members == 3

Being(role, leader, epoch, grantee, support) ==
  [role |-> role, leader |-> leader, epoch |-> epoch, grantee |-> grantee, support |-> support]

Events == <<
  <<"Start", 1, 0, 0, 1, 1>>,
  <<"Start", 2, 0, 0, 1, 1>>,
  <<"Start", 3, 0, 0, 1, 1>>,
  <<"HeartbeatTimeout", 3, 0, 0, 2, 2>>,
  <<"OnElection", 1, 3, 0, 3, 3>>,
  <<"OnElection", 2, 3, 0, 3, 4>>,
  <<"OnAssent", 3, 1, 0, 4, 5>>,
  <<"OnAssent", 3, 2, 0, 4, 1>>,
  <<"OnClaim", 1, 3, 1, 5, 6>>,
  <<"OnClaim", 2, 3, 1, 5, 7>>,
  <<"OnGrant", 3, 1, 1, 6, 8>>,
  <<"OnCoordinator", 1, 3, 1, 7, 9>>,
  <<"OnCoordinator", 2, 3, 1, 7, 10>>,
  <<"OnAck", 3, 1, 1, 8, 1>>
>>

States == <<
  Being("follower", 0, 0, 0, {}),
  Being("candidate", 0, 0, 0, {}),
  Being("electing", 0, 0, 0, {}),
  Being("claimant", 0, 0, 0, {}),
  Being("electing", 3, 1, 3, {}),
  Being("leader", 3, 1, 3, {}),
  Being("follower", 3, 1, 3, {}),
  Being("leader", 3, 1, 3, {1})
>>

Sents == <<
  <<>>,
  <<Msg("ELECTION", 3, 1, 0), Msg("ELECTION", 3, 2, 0)>>,
  <<Msg("ASSENT", 1, 3, 0)>>,
  <<Msg("ASSENT", 2, 3, 0)>>,
  <<Msg("CLAIM", 3, 1, 1), Msg("CLAIM", 3, 2, 1)>>,
  <<Msg("GRANT", 1, 3, 1)>>,
  <<Msg("GRANT", 2, 3, 1)>>,
  <<Msg("COORDINATOR", 3, 1, 1), Msg("COORDINATOR", 3, 2, 1)>>,
  <<Msg("ACK", 1, 3, 1)>>,
  <<Msg("ACK", 2, 3, 1)>>
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

Frames == <<
  [node |-> <<1, 1, 1>>, up |-> {}, new |-> {1, 2, 3}, net |-> 1, cut |-> 1],
  [node |-> <<3, 3, 4>>, up |-> {1, 2, 3}, new |-> {}, net |-> 5, cut |-> 1]
>>

Chunks == <<
  [run |-> 1, first |-> 1, last |-> 8, begin |-> 1, end |-> 2],
  [run |-> 1, first |-> 9, last |-> 14, begin |-> 2, end |-> 0]
>>

=============================================================================
