package conformance

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/model/cluster"
	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/tla"
)

// small are the configurations of the group reachable: those that are explored in a moment. Crashes, restarts, resigning, cuts
// both ways and one way, and proofs of death, false ones too, are among what goes wrong in them.
var small = []string{
	"ClusterOneCrash", "ClusterResign", "ClusterIsolatedLeader", "ClusterOneWayOnce", "ClusterProofNone", "ClusterProofStar",
	"ClusterProofWrong", "ClusterPendant", "ClusterChain", "ClusterStarCrash", "ClusterResignStar",
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

func yieldSteps(steps []cluster.Transition, yield func(*Case) bool) {
	for i := range steps {
		if c := caseOf(&steps[i]); !yield(&c) {
			return
		}
	}
}

// caseOf returns the case that a step of a cluster of fixed members is.
func caseOf(t *cluster.Transition) Case {
	members := integers(t.Nodes)
	names, err := rules.NewStaticNames(members)
	if err != nil {
		panic(fmt.Sprintf("conformance: %v", err)) // the explorer counts to fewer
	}
	c := Case{ID: names.SpecID(t.Node), Members: members}
	c.Before, _ = names.SpecState(&t.Before) // an error would be of a configuration
	c.Want.State, _ = names.SpecState(&t.Step.State)
	c.Want.Ignored, c.Want.Sent = t.Step.Ignored, names.SpecSent(&t.Step, spec.Configuration{})
	if t.Action == spec.RestartAction { // a node reserves numbers in blocks, and that of a cluster one at a time
		if c.Want, err = names.Restart(c.ID, c.Before.Durable()); err != nil {
			panic(fmt.Sprintf("conformance: %v", err))
		}
	}
	if c.Input = (spec.Input{Timer: t.Action.Timer(), Call: t.Action.Call()}); c.Input.OfMessage() {
		m := &t.Message
		c.Input.Message = spec.Message{
			Type: m.Type.Spec(), From: names.SpecID(m.From), To: names.SpecID(m.To), Epoch: m.Epoch, Question: spec.Question(m.Question),
			Keeps:   names.SpecID(m.Keeps),
			Granted: spec.Granted{By: names.SpecID(m.Granted.By), Epoch: m.Granted.Epoch, Question: spec.Question(m.Granted.Question)},
			Names:   names.SpecID(m.Names),
		}
	}
	c.Input.Names = names.SpecID(t.Names)
	c.Rule = check.RuleOf(&c)
	return c
}

// stepsIn returns the steps in configurations, in the order in which they are first found.
func stepsIn(configurations []string) ([]cluster.Transition, error) {
	if len(configurations) == 0 {
		return nil, errors.New("conformance: no configuration is named: there is nothing to explore")
	}
	var steps []cluster.Transition
	seen := map[cluster.Transition]bool{}
	for _, name := range configurations {
		found, err := stepsOf(name)
		if err != nil {
			return nil, fmt.Errorf("conformance: %w", err)
		}
		for _, t := range found {
			if k := withoutMembers(t); !seen[k] {
				seen[k] = true
				steps = append(steps, t)
			}
		}
	}
	return steps, nil
}

// withoutMembers returns the transition without what is the same in all transitions of fixed members, and without the step, which
// follows from the rest.
func withoutMembers(t cluster.Transition) cluster.Transition {
	t.Before.Conf, t.Message.Conf, t.Step = rules.Configuration{}, rules.Configuration{}, rules.Step{}
	return t
}

// explored has the steps in each of the small configurations, which is explored once, when they are first needed.
var explored = func() map[string]func() ([]cluster.Transition, error) {
	once := map[string]func() ([]cluster.Transition, error){}
	for _, name := range small {
		once[name] = sync.OnceValues(func() ([]cluster.Transition, error) { return exploreFor(name) })
	}
	return once
}()

func stepsOf(name string) ([]cluster.Transition, error) {
	if steps, ok := explored[name]; ok {
		return steps()
	}
	return exploreFor(name)
}

// exploreFor explores a configuration for the steps in it.
func exploreFor(name string) (steps []cluster.Transition, err error) {
	all, err := entries()
	if err != nil {
		return nil, err
	}
	e, ok := all[name]
	if !ok {
		return nil, fmt.Errorf("%s: tla/models.json has no configuration of a cluster of that name that holds", name)
	}
	result, err := cluster.Transitions(explore.Configuration{
		Module: e.Module, Specification: e.Configuration.Specification,
		Constants: e.Configuration.Constants, Replacements: e.Configuration.Replacements,
	}, func(t *cluster.Transition) { steps = append(steps, *t) })
	if err == nil && (result.Distinct != e.Distinct || result.Generated != e.Generated) {
		err = fmt.Errorf("the explorer finds %d states, and generates %d; tla/models.json says %d and %d",
			result.Distinct, result.Generated, e.Distinct, e.Generated)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return steps, nil
}

// entries are the configurations of clusters of fixed members that hold, by name without the folder.
var entries = sync.OnceValues(func() (map[string]tla.Entry, error) {
	all, err := tla.Load(tla.FS())
	if err != nil {
		return nil, err
	}
	clusters := map[string]tla.Entry{}
	for _, e := range all {
		if e.Module == "MCCluster" && e.Configuration.Replacements["Wanted"] == "Nothing" && e.Verdict == tla.Holds {
			clusters[e.Name[len(tla.Models)+1:]] = e
		}
	}
	return clusters, nil
})
