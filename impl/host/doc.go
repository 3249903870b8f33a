// Package host runs a node: it gives the core of package bully a clock, a disk, a network and users. Its loop is the one
// goroutine that takes steps. This is what a program writes that wants to do something on one machine at a time:
//
//	store, err := storage.Open(dir, me, members)
//	last, _, err := store.Load()
//	…
//	links, err := transport.NewTCP(transport.Config{ID: me, Cluster: "jobs", Members: addresses, Record: last, TLS: certificates})
//	node, err := host.New(host.Config{ID: me, Members: members, Storage: store, Transport: links})
//	go func() { ended <- node.Run(ctx) }() // until ctx ends; then it waits for work, and resigns
//	err = node.Lead(ctx, func(ctx context.Context, reign host.Reign) error {
//		for { // in each reign of this node anew
//			select {
//			case <-ctx.Done(): // the reign is over, or to end: return soon
//				return nil
//			case job := <-jobs:
//				resource.Write(reign.Epoch(), job) // the epoch is the fencing token (R38)
//			}
//		}
//	})
//
// # What a reign is
//
// A reign is known to be over by three signs, each for another kind of work. The context given to work ends. The
// [Reign] has a deadline, which lies ahead while a quorum acknowledges this node; [Reign.Valid] costs some nanoseconds,
// and is for work that is about to act on something that is not fenced. And the epoch is a fencing token: a resource that
// refuses lower ones (R38, package resource) is safe whatever this process believes, stopped and woken hours later too.
// Only the fence is sure; the others make it rare that it is needed.
//
// A deadline is kept by this process alone, without asking anybody: it holds when the network, the disk or the loop
// hang. Work that does not end by it cannot be stopped from outside, and can be made to end the process: see [Config].Overrun.
// Work that hangs while the node is well is found by [Config].Progress: it reports with [Reign.Progress], or its node resigns. A node that
// hangs itself is found by a [Guard].
//
// # Duties
//
// Of each step the host does the duties in the order of section 10 of the specification: the promise becomes durable;
// users learn that the reign is over; timers are set; the step is recorded, if there is a trace; messages are sent; users
// learn who leads. A promise that cannot be saved stops the host for good, and [ErrStopped] says so: it sends nothing of
// that step, closes its transport, and ends the reign (R4). A trace that fails costs its events only.
//
// # Time
//
// How long timers run is said by [Timing]; all nodes of a cluster must be given the same. There are four profiles,
// and [TimingFor] makes one for any Delay.
// Failover is from the death of a leader until all others follow the next: at most, while messages and disks keep to
// Delay. On one machine that has little else to do, a proved death takes some 5 ms with any of them.
//
//	profile   Delay   Heartbeat   Patience   at most, death proved   at most, silence
//	Local     8ms     20ms        59ms       86ms                    166ms
//	LAN       12ms    100ms       154ms      129ms                   314ms
//	Busy      60ms    240ms       748ms      646ms                   1.543s
//	WAN       250ms   500ms       2.61s      2.689s                  6.013s
//
// A death is proved when the address of the leader refuses a connection. A candidate does not wait for who is proved
// dead, nor for who has answered. Patience with a silent leader is that of the [Detector], and at least
// Timing.Patience. Who stands in vain waits longer each time. A pre-emption waits for Timing.Preempt.
//
// A host that was held up for longer than Delay — stopped, suspended with its machine, starved of the processor,
// waiting for its disk — gives others time to be heard before it suspects them. A reign that has ended meanwhile is ended before any
// message is taken. The wall clock is looked at for suspensions only,
// which the monotonic clock may not count; set forward, it costs a leader its reign and no promise: so long as work may act that was
// told a deadline by another clock, the node takes no message, and its address refuses nobody. What a follower waits for does not end
// sooner for it (decision 0059).
//
// # Members that come and go
//
// A host without Config.Members goes by the configuration in its record, which storage.Init makes once, and which keeps up
// with the members (R42 to R49):
//
//	store, err := storage.OpenChanging(dir)
//	who := store.Identity()
//	links, err := transport.NewTCP(transport.Config{ID: who.ID, Cluster: who.Cluster,
//		TLS: certificates,
//		Changing: &transport.Changing{Incarnation: who.Incarnation, Address: address}})
//	node, err := host.New(host.Config{ID: who.ID, Storage: store, Transport: links})
//	...
//	now, err := node.AddMember(ctx, spec.Member{ID: four, Address: "10.0.0.4:7000"}, node.Members().Version)
//
// [Host.AddMember], [Host.RemoveMember] and [Host.ReplaceMember] are for the leader; [Host.WatchMembers] tells everybody.
// A call changes one member after the other, each time as soon as a quorum holds the last change, and returns when a
// quorum holds all of it. There is one at a time. A node that is to vote is an observer until it has answered. A leader
// that is to vote no more is a witness, and resigns as soon as a quorum knows; it becomes one only while a voter that could
// follow it answers. One that was never told of any members waits, and stands for nothing. A witness or an observer that
// follows nobody says so every Patience or so, and with it which members it knows of.
//
// Only members are believed who the members are. A node that was away while all others that it knew were replaced names in
// Status.Unbelieved who says so; it is started with Config.Believe, once.
//
// A node that learns that it was removed is at rest, hears only of newer members, and stops after twice the failover on
// silence: Run returns [ErrRemoved]. A removal is lost if the leader that has made it dies too soon. Then the node mostly hears so before it
// stops; if not, it is to be started again, as a supervisor would: it asks, and is a member, or stops once more.
//
// A change is written by every node before it is acknowledged. So disks that are slower than Delay, which cost nothing
// while nothing changes, can cost the leader its reign in the midst of a change; the next leader settles what came of it.
//
// # Watching
//
// [Host.Watch] gives each caller a channel of its own, with the leadership as it is at once, and the latest whenever it
// changes. [Host.Status] is for people and scrapers, [Host.Check] for health checks. None of them can hold up the node.
package host
