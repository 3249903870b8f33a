package conformance

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/tla"
)

// small are the configurations of the group reachable: those that are explored in a moment. Crashes, restarts, resigning, cuts
// both ways and one way, and proofs of death, false ones too, are among what goes wrong in them.
var small = []string{
	"ClusterOneCrash", "ClusterResign", "ClusterIsolatedLeader", "ClusterTopDeaf", "ClusterProofNone", "ClusterProofStarLeader",
	"ClusterProofWrong", "ClusterWithoutTop", "ClusterPendant", "ClusterChain", "ClusterStar", "ClusterBridge", "ClusterPartial",
}

// SmallConfigurations returns the configurations of the group reachable: files of the folder tla/models, without the ending.
func SmallConfigurations() []string { return slices.Clone(small) }

// ConfigurationsUpTo returns the configurations of clusters in tla/models.json that hold, and that the explorer generates at
// most so many states for: what Reachable may be asked when there is more time.
func ConfigurationsUpTo(states int) (names []string, err error) {
	all, err := entries()
	for name, e := range all {
		if e.Generated <= states {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, err
}

// Reachable explores configurations of the folder tla/models, named like those of SmallConfigurations. It returns the group of
// all steps that nodes take there, each once, with the input that made them; the answers are the model's. Pinned is how many
// there are. It is an error if there is no such configuration, if none is named, or if the explorer does not find the states
// that tla/models.json says.
func Reachable(configurations ...string) (Group, error) {
	steps, err := stepsIn(configurations)
	if err != nil {
		return Group{}, err
	}
	return Group{
		Name:        "reachable",
		Explanation: "every step of a node that the explorer comes to in a configuration",
		Pinned:      len(steps),
		All:         func(yield func(*Case) bool) { yieldSteps(steps, yield) },
	}, nil
}

// reachable yields the cases of the group. If there is an error there are none, which fails the group.
func reachable(yield func(*Case) bool) {
	steps, _ := stepsIn(small)
	yieldSteps(steps, yield)
}

func yieldSteps(steps []model.Transition, yield func(*Case) bool) {
	for i := range steps {
		if c := caseOf(&steps[i]); !yield(&c) {
			return
		}
	}
}

// caseOf returns the case that a step of the model is.
func caseOf(t *model.Transition) Case {
	w := words{integers(t.Members)}
	c := Case{ID: w.id(t.Node), Members: w.members, Before: w.specState(t.Before)}
	switch t.Action {
	case spec.StartAction:
		c.Input.Start = true
	case spec.RestartAction:
		c.Input.Restart = true
	case spec.ResignAction:
		c.Input.Call = spec.ResignCall
	case spec.HolderDeadAction:
		c.Input.Call = spec.HolderDeadCall
	default:
		if c.Input.Timer = t.Action.Timer(); c.Input.Timer == "" {
			c.Input.Message = w.specMessage(t.Message)
		}
	}
	c.Want = w.outcome(&t.Step)
	c.Rule = ruleOf(&c)
	return c
}

// stepsIn returns the steps in configurations, in the order in which they are first found.
func stepsIn(configurations []string) ([]model.Transition, error) {
	if len(configurations) == 0 {
		return nil, errors.New("conformance: no configuration is named: there is nothing to explore")
	}
	var steps []model.Transition
	seen := map[model.Transition]bool{}
	for _, name := range configurations {
		found, err := stepsOf(name)
		if err != nil {
			return nil, fmt.Errorf("conformance: %w", err)
		}
		for _, t := range found {
			if !seen[t] {
				seen[t] = true
				steps = append(steps, t)
			}
		}
	}
	return steps, nil
}

// explored has the steps in each of the small configurations, which is explored once, when they are first needed.
var explored = func() map[string]func() ([]model.Transition, error) {
	once := map[string]func() ([]model.Transition, error){}
	for _, name := range small {
		once[name] = sync.OnceValues(func() ([]model.Transition, error) { return exploreFor(name) })
	}
	return once
}()

func stepsOf(name string) ([]model.Transition, error) {
	if steps, ok := explored[name]; ok {
		return steps()
	}
	return exploreFor(name)
}

// exploreFor explores a configuration for the steps in it.
func exploreFor(name string) (steps []model.Transition, err error) {
	all, err := entries()
	if err != nil {
		return nil, err
	}
	e, ok := all[name]
	if !ok {
		return nil, fmt.Errorf("%s: tla/models.json has no configuration of a cluster of that name that holds", name)
	}
	result, err := model.Transitions(explore.Configuration{
		Module: e.Module, Specification: e.Configuration.Specification,
		Constants: e.Configuration.Constants, Replacements: e.Configuration.Replacements,
	}, func(t *model.Transition) { steps = append(steps, *t) })
	if err == nil && (result.Distinct != e.Distinct || result.Generated != e.Generated) {
		err = fmt.Errorf("the explorer finds %d states, and generates %d; tla/models.json says %d and %d",
			result.Distinct, result.Generated, e.Distinct, e.Generated)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return steps, nil
}

// entries are the configurations of clusters that hold, by name without the folder.
var entries = sync.OnceValues(func() (map[string]tla.Entry, error) {
	all, err := tla.Load(tla.FS())
	if err != nil {
		return nil, err
	}
	clusters := map[string]tla.Entry{}
	for _, e := range all {
		if e.Module == "MCCluster" && e.Verdict == tla.Holds {
			clusters[e.Name[len(tla.Models)+1:]] = e
		}
	}
	return clusters, nil
})
