// Package operator has a manager of controller-runtime elect by a node, without a Lease:
//
//	lock, err := resourcelock.New(node, resourcelock.Config{})
//	m, err := manager.New(config, operator.Options(lock, manager.Options{…}))
//	err = m.Start(ctx) // its controllers run while this node's elector holds the lock
//
// When the manager returns, end the node, as a program does that exits: else it leads, and nobody acts. Package resourcelock says the rest.
package operator

import (
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/seed-fdf591db/bully/impl/resourcelock"
)

// Options returns the options with which a manager elects by the lock. It lets go of the lock only when all its runnables have stopped. The documentation of manager.Options says
// that the durations are not heeded beside a lock that is given; they are, and must be those of the lock.
func Options(lock *resourcelock.Lock, options manager.Options) manager.Options {
	c := lock.Config()
	options.LeaderElection, options.LeaderElectionResourceLockInterface, options.LeaderElectionReleaseOnCancel = true, lock, true
	options.LeaderElectionID = c.Name
	options.LeaseDuration, options.RenewDeadline, options.RetryPeriod = &c.LeaseDuration, &c.RenewDeadline, &c.RetryPeriod
	return options
}
