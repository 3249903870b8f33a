// Package lease is leader election against a store, as people do it with etcd, Consul, ZooKeeper and Kubernetes: candidates
// that compare and set a key with a time to live (TTL). It has the [Candidate], in two forms, and the [Store] itself. Both
// are functions of what they are given, without clock, disk, network, goroutines or randomness: they take an [Input], and
// return an [Output], which their host does from top to bottom. This is the loop that a host writes round either:
//
//	candidate, err := lease.New(lease.Config{ID: 3, Key: lease.SharedKey, Session: random()})
//	if err != nil {
//		return err
//	}
//	in := lease.Start()
//	for {
//		out := candidate.Step(in)
//		if out.Ignored != "" {
//			counters[out.Ignored]++ // bad or late input: nothing has changed
//		}
//		if out.Save != nil { // only a store saves
//			disk.Save(*out.Save) // and go on when it is durable
//		}
//		for _, t := range out.Stop {
//			timers.Stop(t)
//		}
//		for _, t := range out.Set {
//			timers.Set(t, lengths[t]) // from now on; one that runs begins anew
//		}
//		for _, m := range out.Send {
//			network.Send(m) // the store has the id StoreID
//		}
//		leader, revision := candidate.Leader() // revision goes with every write, so that a resource can refuse an old one
//		in = <-inputs
//	}
//
// # The store
//
// An [Entry] of the store is a key with the revision at which it was created. Who creates a key that is there already is told
// whose it is. An entry goes when nobody has renewed it for a TTL, or when its holder deletes it; those who watch it are told,
// once. The revision of the store goes up with each entry that comes or goes, so that a later reign has a higher one: etcd's
// create_revision (etcd documentation, "etcd API", Key-Value pairs), ZooKeeper's czxid, the LockIndex of Consul, and what
// M. Burrows, "The Chubby lock service" (OSDI 2006, §2.4), calls a sequencer.
//
// The store counts a TTL in ends of a timer, [Tick]: an entry lives at least as many ticks as [StoreConfig] says, and less than
// one more, like a session of ZooKeeper, which is rounded up to its tickTime. After a crash what was saved is there again; the
// watches are not, and each TTL begins anew, as when etcd's lessor is promoted (server/lease/lessor.go, Promote): how much of it
// was left, nobody knows.
//
// # The candidates
//
// With one key ("lease"), whoever creates it leads, and all others watch it. When it goes, all of them try at once: the herd.
// Consul's guide ("Application leader election") and client-go (tools/leaderelection) do it so, the latter without watches.
//
// In the sequential form each candidate has a key of its own, and whose revision is the lowest leads. Each watches only the
// one before it, so that one candidate wakes up, whoever goes (ZooKeeper, "Recipes and Solutions", Leader Election; etcd's
// client/v3/concurrency, Election.Campaign with waitDeletes). The answers to its renewals tell a candidate who leads.
//
// A lease is a promise with a time limit that both sides count (C. Gray, D. Cheriton, "Leases: an efficient fault-tolerant
// mechanism for distributed file cache consistency", SOSP 1989). A holder that hears nothing from the store must give up by
// itself before the store does: at a local deadline, which is shorter than the TTL by what clocks may differ (client-go:
// RenewDeadline < LeaseDuration). It counts from when the renewal was sent, not from when its answer came: the answer may have
// been under way for any time, and the store began to count before it was. As only the answer says which renewal counts, each
// has a deadline of its own, of [Deadlines] in turn. [Config].NoDeadline turns the rule off, to show why it is there.
//
// Even so a holder may be paused between looking whether it leads and writing. Against that only the resource can do
// something: refuse a revision below the highest that it has seen. "This implementation does not guarantee that only one
// client is acting as a leader (a.k.a. fencing)", says client-go of itself.
//
// A candidate saves nothing. Its Session tells its life from a former one: what that still holds is somebody else's, and has
// to run out (etcd and ZooKeeper give a client that returns a new session as well).
//
// # Timers
//
// How long a timer runs is the host's to say. A deadline runs less than the TTL, by more than clocks may differ meanwhile; a
// Renewal is at most a third of a deadline, so that a renewal may be lost; a Rewatch may be as long as one likes to wait for a
// leader when the news that the old one is gone was lost.
package lease
