// Package catalogue finds the Go model for a configuration: the mirror of its root module.
//
// The loop to write:
//
//	m, err := catalogue.Open(configuration)
//	if err != nil {
//		return err
//	}
//	result, err := explore.Run(ctx, m, explore.Options{})
package catalogue

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/model/baselines/lease"
	"github.com/seed-fdf591db/bully/model/baselines/raft"
	"github.com/seed-fdf591db/bully/model/baselines/ring"
	"github.com/seed-fdf591db/bully/model/baselines/textbook"
	"github.com/seed-fdf591db/bully/model/cluster"
	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/fencing"
	"github.com/seed-fdf591db/bully/model/members"
	"github.com/seed-fdf591db/bully/model/promises"
)

// models has the constructor of the model of each root module.
var models = map[string]func(explore.Configuration) (explore.Model, error){
	"MCCluster":       cluster.New,
	"MCFencing":       fencing.New,
	"MCLease":         lease.New,
	"MCMembers":       members.New,
	"MCPromises":      promises.New,
	"MCRaftElection":  raft.New,
	"MCRing":          ring.New,
	"MCTextbook":      textbook.New,
	"MCTextbookStamp": textbook.NewStamp,
	"MCUsers":         cluster.New,
}

// Modules returns the root modules that have a model, in alphabetical order.
func Modules() []string { return slices.Sorted(maps.Keys(models)) }

// Open returns the model of c. It is an error if no model is of its module, or if the model
// does not know one of the constants, replacements, invariants or properties of c.
func Open(c explore.Configuration) (explore.Model, error) {
	open, ok := models[c.Module]
	if !ok {
		return nil, fmt.Errorf("catalogue: module %q has no model in Go; these have one: %s",
			c.Module, strings.Join(Modules(), ", "))
	}
	return open(c)
}
