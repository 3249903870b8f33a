package check

import "github.com/seed-fdf591db/bully/spec"

// Survivor returns the state of a node that is down and has this on disk (R4); of one that has never started, of the zero
// promise, or of its first configuration alone.
func Survivor(promise spec.Durable) spec.State {
	return spec.State{
		Role: spec.Follower, Epoch: promise.Epoch, Grantee: promise.Grantee, Latest: promise.Reserved, Configuration: promise.Configuration,
	}
}

// FirstOf returns with which configuration a node starts for the first time: first if it is one of its members, and else the
// empty one (R49); none if first is none.
func FirstOf(first spec.Configuration, id spec.NodeID) spec.Configuration {
	if _, isMember := first.Member(id); isMember || first.IsNone() {
		return first
	}
	return spec.EmptyConfiguration()
}
