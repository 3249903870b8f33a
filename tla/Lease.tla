------------------------------- MODULE Lease -------------------------------
(***************************************************************************)
(* Election by a store beside the nodes, as etcd, Consul, Kubernetes and   *)
(* ZooKeeper have it: who creates an entry at the store leads, for as long *)
(* as it keeps the entry alive (Gray and Cheriton, Leases, SOSP 1989).     *)
(* Each reign carries the revision at which its entry was created, and the *)
(* resource refuses what is below the highest it has seen (Burrows, The    *)
(* Chubby lock service, OSDI 2006, on sequencers).                         *)
(*                                                                         *)
(* There are two forms.  A lock: one entry, which is created only if there *)
(* is none.  A line (ZooKeeper's recipe, and etcd's concurrency.Election): *)
(* each candidate has a numbered entry, and leads when none is before it.  *)
(* They differ in two operators, MayCreate and Put; the lock is below, the *)
(* line is in MCLease.                                                     *)
(*                                                                         *)
(* A session is one attempt of a node to lead: from the CREATE that it     *)
(* sends to the moment in which it gives up.  Entries belong to sessions,  *)
(* not to nodes.  Messages are delayed and reordered at will, and one that *)
(* never arrives is lost.  There is no clock: DeadlineFirst says when the  *)
(* store may end an entry.  So renewals need no steps of their own: while  *)
(* they succeed, neither the deadline nor the TTL ends.  A node that comes *)
(* back from a crash remembers nothing, and is no other than one whose     *)
(* deadline has ended; so Crash is for good.                               *)
(*                                                                         *)
(* Not modelled: how the store keeps its state (it is one, linearizable    *)
(* and durable), and what is written.  The resource is here only to see    *)
(* the whole at work; module Fencing says more of it, over anything that   *)
(* refines LeaderElection, as this does.                                   *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS N,                    \* how many nodes there are
          Mortal                \* those that may crash

Node == 1..N

ASSUME Mortal \subseteq Node

VARIABLES sessions,             \* every session so far: whose it is, its role, and the revision that it takes for its own
          up,                   \* the nodes that run
          entries,              \* what the store holds: of which session, created at which revision (durable)
          revision,             \* the highest revision that the store has given (durable)
          net,                  \* what is under way between nodes and the store
          writes,               \* every write ever sent, by the epoch that it is stamped with
          checked,              \* the writes that were checked and not yet written; always empty but with B12
          wrote                 \* the epoch of the last write, and with that the fence of the resource (durable)

vars == <<sessions, up, entries, revision, net, writes, checked, wrote>>

Session     == DOMAIN sessions
Role        == {"candidate", "leader", "over"}
MessageType == {"CREATE", "HOLDS", "RELEASE"}

Entry(s, r)      == [session |-> s, revision |-> r]
Message(t, s, r) == [type |-> t, session |-> s, revision |-> r]
Begun(i)         == [node |-> i, role |-> "candidate", epoch |-> 0]

\* The epoch of a reign is the revision at which its entry was created; 0 until the session leads.
reigns == {[epoch |-> sessions[s].epoch, leader |-> sessions[s].node] : s \in {t \in Session : sessions[t].epoch # 0}}
epoch  == [i \in Node |-> LET led == {r.epoch : r \in {q \in reigns : q.leader = i}}
                          IN CHOOSE e \in led \cup {0} : \A f \in led : f <= e]

TypeOK == /\ \A s \in Session : sessions[s] \in [node : Node, role : Role, epoch : 0..revision]
          /\ up \subseteq Node
          /\ entries \subseteq {Entry(s, r) : s \in Session, r \in 1..revision}
          /\ net \subseteq {Message(t, s, r) : t \in MessageType, s \in Session, r \in 0..revision}
          /\ writes \subseteq 1..revision
          /\ checked \subseteq writes
          /\ wrote \in writes \cup {0}

Init == /\ sessions = <<>>
        /\ up = Node
        /\ entries = {}
        /\ revision = 0
        /\ net = {}
        /\ writes = {}
        /\ checked = {}
        /\ wrote = 0

\* Nothing is before it.
First(e) == \A f \in entries : e.revision <= f.revision

-----------------------------------------------------------------------------
(* The assumption *)

\* The store ends the entry of a session only after the session has ended at its node: the deadline of the node
\* counts from before its last renewal was sent, the TTL of the store from when it came, and clocks are right.
\* It covers candidates too: their deadline begins with the CREATE, not with its answer.  A clock that drifts, a
\* pause between looking at the clock and acting, or no deadline at all, take it away.
DeadlineFirst(s) == sessions[s].role = "over"

-----------------------------------------------------------------------------
(* Rules of the store *)

\* Compare and set: an entry is created only if there is none.
MayCreate(s) == entries = {}

\* What the store holds after it has created entry e: under one name, nothing but e.
Put(e) == {e}

\* Each entry gets a revision of its own, above all before.
Fresh == revision + 1

\* RELEASE of a session deletes the entry of that session, and of none that came after it.
Released(s) == {e \in entries : e.session = s}

\* An entry that is not renewed ends.
Expires(s) == TRUE

\* What the store knows of its revision, and of its entries, after it has crashed: all.
KeptRevision == revision
KeptEntries  == entries

-----------------------------------------------------------------------------
(* Rules of the nodes *)

\* An entry is mine if this session has created it.  The name of the node in it says nothing: it may be left from before.
IsMine(e, s) == e.session = s

\* An entry leads if none is before it, and that is looked up each time anew.
Leads(e) == First(e)

\* Who takes itself for the leader writes.  Nothing else keeps it from that: it cannot know that it is deposed.
MayWrite(s) == sessions[s].role = "leader"

\* How many sessions there may be.  MCLease bounds it.
HasRoom == TRUE

-----------------------------------------------------------------------------
(* Rules of the resource *)

\* Nothing below the epoch of the last write is admitted.
Admits(e) == e >= wrote

-----------------------------------------------------------------------------
(* Steps of nodes *)

Over(s) == sessions[s].role = "over"

\* Session s ends at its node, which does not listen to answers to it any more; m is what it sends.
End(s, m) == /\ sessions' = [sessions EXCEPT ![s].role = "over"]
             /\ net' = {x \in net : ~(x.type = "HOLDS" /\ x.session = s)} \cup m

\* Node i begins a session.
Campaign(i) ==
  /\ i \in up /\ HasRoom
  /\ \A s \in Session : sessions[s].node = i => Over(s)
  /\ sessions' = Append(sessions, Begun(i))
  /\ net' = net \cup {Message("CREATE", Len(sessions) + 1, 0)}
  /\ UNCHANGED <<up, entries, revision, writes, checked, wrote>>

\* A candidate hears that its entry leads.
OnHolds(s) == \E m \in net :
  /\ m.type = "HOLDS" /\ m.session = s
  /\ sessions' = [sessions EXCEPT ![s].role = "leader", ![s].epoch = m.revision]
  /\ net' = {x \in net : ~(x.type = "HOLDS" /\ x.session = s)}
  /\ UNCHANGED <<up, entries, revision, writes, checked, wrote>>

\* The deadline of a session ends.
Deadline(s) ==
  /\ ~Over(s)
  /\ End(s, {})
  /\ UNCHANGED <<up, entries, revision, writes, checked, wrote>>

\* A leader gives up, and says so.
Resign(s) ==
  /\ sessions[s].role = "leader"
  /\ End(s, {Message("RELEASE", s, 0)})
  /\ UNCHANGED <<up, entries, revision, writes, checked, wrote>>

\* Node i crashes.
Crash(i) ==
  /\ i \in up \cap Mortal
  /\ up' = up \ {i}
  /\ IF \E s \in Session : sessions[s].node = i /\ ~Over(s)
       THEN End(CHOOSE s \in Session : sessions[s].node = i /\ ~Over(s), {})
       ELSE UNCHANGED <<sessions, net>>
  /\ UNCHANGED <<entries, revision, writes, checked, wrote>>

-----------------------------------------------------------------------------
(* Steps of the store *)

\* CREATE comes, and may come long after its session has ended.  One that finds the entry taken is refused and
\* sent again when there is news of it; here it waits.
OnCreate(s) ==
  /\ Message("CREATE", s, 0) \in net
  /\ MayCreate(s)
  /\ revision' = Fresh
  /\ entries' = Put(Entry(s, Fresh))
  /\ net' = net \ {Message("CREATE", s, 0)}
  /\ UNCHANGED <<sessions, up, writes, checked, wrote>>

\* A candidate is told that its entry leads: in answer to CREATE, or because it reads, or watches.
Tell(s) == \E e \in entries :
  /\ sessions[s].role = "candidate"
  /\ IsMine(e, s) /\ Leads(e)
  /\ net' = net \cup {Message("HOLDS", s, e.revision)}
  /\ UNCHANGED <<sessions, up, entries, revision, writes, checked, wrote>>

OnRelease(s) ==
  /\ Message("RELEASE", s, 0) \in net
  /\ entries' = entries \ Released(s)
  /\ net' = net \ {Message("RELEASE", s, 0)}
  /\ UNCHANGED <<sessions, up, revision, writes, checked, wrote>>

\* The TTL of an entry ends.
Expire(s) == \E e \in entries :
  /\ e.session = s
  /\ DeadlineFirst(s) /\ Expires(s)
  /\ entries' = entries \ {e}
  /\ UNCHANGED <<sessions, up, revision, net, writes, checked, wrote>>

\* The store crashes and comes back.  All TTLs begin anew.
StoreRestart ==
  /\ revision' = KeptRevision
  /\ entries' = KeptEntries
  /\ UNCHANGED <<sessions, up, net, writes, checked, wrote>>

-----------------------------------------------------------------------------
(* Steps of the resource *)

\* A node that takes itself for the leader sends a write.
Write(s) ==
  /\ MayWrite(s)
  /\ writes' = writes \cup {sessions[s].epoch}
  /\ UNCHANGED <<sessions, up, entries, revision, net, checked, wrote>>

\* A write comes, however late, and is admitted.  The check and the write are one step.
Admit(e) ==
  /\ Admits(e)
  /\ wrote' = e
  /\ UNCHANGED <<sessions, up, entries, revision, net, writes, checked>>

-----------------------------------------------------------------------------

Next ==
  \/ \E i \in Node : Campaign(i)
  \/ \E s \in Session : OnHolds(s)
  \/ \E s \in Session : Deadline(s)
  \/ \E s \in Session : Resign(s)
  \/ \E i \in Node : Crash(i)
  \/ \E s \in Session : OnCreate(s)
  \/ \E s \in Session : Tell(s)
  \/ \E s \in Session : OnRelease(s)
  \/ \E s \in Session : Expire(s)
  \/ StoreRestart
  \/ \E s \in Session : Write(s)
  \/ \E e \in writes : Admit(e)

Spec == Init /\ [][Next]_vars

\* Nodes begin sessions, messages arrive, and an entry that may end does.
Fairness == /\ \A i \in Node : WF_vars(Campaign(i))
            /\ WF_vars(\E s \in Session : OnCreate(s))
            /\ WF_vars(\E s \in Session : Tell(s))
            /\ WF_vars(\E s \in Session : OnHolds(s))
            /\ WF_vars(\E s \in Session : Expire(s))

FairSpec == Spec /\ Fairness

-----------------------------------------------------------------------------
(* What is promised with DeadlineFirst *)

\* Never two that take themselves for the leader.
OneLeader == \A s, t \in Session : sessions[s].role = "leader" /\ sessions[t].role = "leader" => s = t

\* Who takes itself for the leader holds the first entry at the store, of the revision that it takes for its own.
LeaderHolds == \A s \in Session :
  sessions[s].role = "leader" => \E e \in entries : e = Entry(s, sessions[s].epoch) /\ First(e)

-----------------------------------------------------------------------------
(* What is promised without it too *)

Election == INSTANCE LeaderElection
Refines  == Election!Spec

\* The store never has two that lead.
OneHolder == \A e, f \in entries : First(e) /\ First(f) => e = f

\* A revision has one leader.
OneLeaderPerEpoch == Election!OneLeaderPerEpoch

\* A new entry is above all reigns before it.
RevisionsRise == [][\A e \in entries' \ entries : \A r \in reigns : r.epoch < e.revision]_vars

\* No write is of a lower epoch than the one written before it.
NoStaleWrite == [][wrote' >= wrote]_vars

\* The fence shuts nobody out that holds an entry.
NoLockout == \A e \in entries : Admits(e.revision)

-----------------------------------------------------------------------------
(* What is promised with fairness *)

\* Nobody is left that could lead: all are dead, or no more sessions are allowed and all are over.
Exhausted == up = {} \/ (~HasRoom /\ \A s \in Session : Over(s))

\* Somebody leads, again and again.
SomeLeader == []<>(Exhausted \/ \E s \in Session : sessions[s].role = "leader")

=============================================================================
Checked with TLC 2.18, one worker; seconds of one core, of which starting Java takes one.  The rest is in models.json.

  configuration    form  nodes  sessions  deadline first  asks                       distinct  generated  depth  seconds
  LeaseLock        lock      2         3  yes             the election alone            3,977     12,904     19        3
  LeaseLine        line      2         3  yes             the election alone            7,663     29,236     19        4
  LeaseFenced      lock      2         2  no              with writes                   1,789      8,292     16        2
  LeaseFencedDeep  lock      2         3  no              with writes                  46,237    253,288     23        9
  LeaseLeader      lock      2         3  yes             SomeLeader, node 1 may die    7,003     25,704     20        2
  LeaseLineLeader  line      2         3  yes             SomeLeader, node 1 may die   13,052     55,424     20        4

By the explorer in Go (model/baselines/lease) alone:

  LeaseLineFenced  line      3         3  no              with writes                 326,347  1,982,483     23      0.4
  LeaseLockLong    lock      2         4  yes             with writes                 548,205  2,784,086     30      0.8
  LeaseLineLong    line      2         4  yes             with writes                 940,063  5,130,922     30      2

All but those of SomeLeader hold TypeOK, OneHolder, OneLeaderPerEpoch, RevisionsRise and Refines, with writes NoLockout
and NoStaleWrite too; those with the deadline first hold OneLeader and LeaderHolds besides.  The election alone of three
nodes and five sessions was run once by the explorer: 8,061,397 states.

What notices a broken assumption or rule; all are named in MCLease:

  DeadlineFirst  NoDeadline, OnlyLeadersStop
  MayCreate      Overwrites
  Released       ReleasesAnyEntry
  Expires        NeverExpires, B16GhostEntry (both by SomeLeader)
  KeptRevision   B07RevisionForgotten, B07LockedOut (by NoLockout: who holds the lock is below the fence)
  KeptEntries    EntriesForgotten
  IsMine         TakesNameForOwn
  Leads          LineNotNext
  Admits         B11NoResourceFence: the deadlines hold, and a write is under way for long
  one step       B12CheckThenAct

With Overwrites, AnyEntry, ForgetsEntries or SameNode, two take themselves for the leader, and all that is promised
without DeadlineFirst still holds: the fence makes up for any of them.  It does not make up for ForgetsRevision.
