// Package resourcelock lets a program that elects with client-go, as operators of Kubernetes do, elect by a node instead of by a Lease: no API
// server is asked, and none needs to be there. A [Lock] is the resourcelock.Interface of client-go on top of a node:
//
//	node, err := bully.Open(bully.Config{…})
//	lock, err := resourcelock.New(node, resourcelock.Config{})
//	go func() { ended <- node.Run(ctx) }()
//	elector, err := leaderelection.NewLeaderElector(lock.Elector(leaderelection.LeaderCallbacks{
//		OnStartedLeading: func(ctx context.Context) { work(ctx, lock.Reign) }, // ctx ends when it is to stop
//		OnStoppedLeading: func() { log.Fatal("no longer the leader") },
//	}))
//	elector.Run(ctx)
//
// With controller-runtime it goes into the options of the manager, with the durations that the lock has:
//
//	c := lock.Config()
//	manager.Options{LeaderElection: true, LeaderElectionResourceLockInterface: lock, LeaderElectionReleaseOnCancel: true,
//		LeaseDuration: &c.LeaseDuration, RenewDeadline: &c.RenewDeadline, RetryPeriod: &c.RetryPeriod}
//
// # What an elector is told
//
// The holder is the leader: its identity is the id of its node, and [Lock.Get] names it at every node. An Update as holder succeeds at the node
// that leads, while its reign is valid, and nowhere else. One with no holder, as ReleaseOnCancel writes it, has the node resign. Nobody is told "not found",
// and Create is Update. LeaderTransitions of a record with a holder is the epoch of the reign in which it was acquired.
//
// # No two act at once
//
// An elector acts on until it has failed to renew for RenewDeadline: at most for
//
//	S = RetryPeriod + RenewDeadline + h
//
// after its last Update that has succeeded, where h is how long its goroutines may be held up in all. Its reign may be over long before that: it ends as
// soon as a higher node takes over, or when Timing.Reign has passed without a quorum, which is a fraction of a second. So it is the next who waits. A lock lets its elector
// acquire no sooner than LeaseDuration after the reign of its node has begun:
//
//   - The last Update of A that has succeeded was at a moment u at which A led. By the promise OneActing, B, which leads after A, began to lead after u.
//   - B acquires no sooner than LeaseDuration after it began, and so after u + LeaseDuration. A has stopped by u + S.
//   - An elector that goes on in another reign of its own node, within RetryPeriod + RenewDeadline after u, need not wait: by the same bound nobody else can have acquired since u.
//
// All of it holds if S/(1−ρ) ≤ LeaseDuration/(1+ρ), where clocks run at rates within ρ of true: LeaseDuration is what client-go has it for. [New] wants
// RetryPeriod + RenewDeadline ≤ 9/10 LeaseDuration, so that with the 1 % of [host.LAN] and its like h may be 8 % of LeaseDuration. All nodes must be given the same durations.
//
// As with a Lease, this is time: who is stopped for longer than h, and goes on, acts beside another, until its timers are heard. What an elector
// guards should check the epoch of [Lock.Reign] as a fencing token, or ask [host.Reign.Valid] before it acts; that is known to be over when the reign is, and not S later.
//
// # How long it takes
//
// From the death of a leader to the next that acts: the failover of the node, then LeaseDuration, 1 s by default, as with a release. To renew costs
// no message and no disk: the node has asked its quorum already. So durations may be as short as the scheduler allows, and the defaults are a fifteenth of client-go's.
//
// # What to know besides
//
// A node leads whether or not its elector runs. So end the node when the elector ends, as a program does that exits then: else nobody acts while it leads. The other way
// round it is seen to: a node whose Run is to end leads on until its elector has let go, or has not renewed for LeaseDuration.
//
// A reign that passes its deadline calls Overrun of [host.Config], as the lock is work that does not return before: let it end the process, or leave it unset.
// Coordinated elections (LeaderElectionConfig.Coordinated) are not for this lock: the highest node leads.
package resourcelock
