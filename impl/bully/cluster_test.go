package bully_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// hosted is a core as a node of package cluster, and its user. What a step says that this package does not ask about, it
// checks itself: what is to be saved, which timers run, and when the user is told what (R39). It panics if that is wrong.
type hosted struct {
	id    spec.NodeID
	core  *bully.Node // with fixed members, until it starts with a configuration
	runs  spec.TimerSet
	reign spec.Epoch   // that the user has been told it leads, or 0
	told  spec.Durable // the leader that the user has been told of, and its epoch
}

var _ conformance.Maker = newHosted

func newHosted(id spec.NodeID, members []spec.NodeID) conformance.Node {
	core, err := bully.New(id, members)
	if err != nil {
		panic(err)
	}
	return &hosted{id: id, core: core}
}

func (h *hosted) Start(first spec.Configuration, out *spec.Step) {
	h.core = beginning(h.core, h.id, first)
	h.step(bully.Start(), out)
}

func (h *hosted) Restart(promise spec.Durable, out *spec.Step) {
	if !promise.Configuration.IsNone() {
		h.core = beginning(h.core, h.id, spec.EmptyConfiguration())
	}
	h.step(bully.Restart(promise), out)
}

// beginning returns a node that begins with a configuration, or with none: with the members that it was made with.
func beginning(fixed *bully.Node, id spec.NodeID, c spec.Configuration) *bully.Node {
	if c.IsNone() {
		return fixed
	}
	core, err := bully.NewChanging(id, c)
	if err != nil {
		panic(err)
	}
	return core
}

func (h *hosted) Step(in *spec.Input, out *spec.Step) {
	if in.Timer != "" && h.runs.Has(in.Timer) {
		h.runs &^= only(in.Timer) // it has ended
	}
	yields, before := h.core.Yields(&in.Message), h.core.State()
	h.step(bully.InputOf(*in), out)
	if over := before.Role == spec.Leader && in.Message.Type != "" && (out.State.Role != spec.Leader || out.State.Epoch != before.Epoch); !out.Ignored && yields != over {
		panic(fmt.Sprintf("R39.4: Yields says %v of %v, and it comes to %v: %v", yields, in, out.Sent, out.State))
	}
}

func (h *hosted) step(in bully.Input, out *spec.Step) {
	did := h.core.Step(in)
	h.serve(in, &did)
	out.Ignored = did.Action == ""
	out.Save, out.Cancel, out.Arm = did.Save, did.Cancel, did.Arm
	out.Sent = append(out.Sent[:0], did.Send...)
	h.core.CopyState(&out.State)
}

// serve does what the step tells the host, in order of duty.
func (h *hosted) serve(in bully.Input, did *bully.Output) {
	s := h.core.State()
	breaks := func(rule string) { panic(fmt.Sprintf("%s: %v: %+v: %v", rule, in, *did, s)) }
	if did.Save != (did.Promise != spec.Durable{}) && did.Action != spec.StartAction || did.Save && did.Promise != s.Durable() {
		breaks("R4: the promise that is to be saved")
	}
	if did.ReignEnded {
		if h.reign == 0 {
			breaks("R39: there was no reign to end")
		}
		h.reign = 0
	}
	leads := spec.Epoch(0)
	if s.Role == spec.Leader {
		leads = s.Epoch
	}
	if h.reign != 0 && h.reign != leads {
		breaks("R39: the user still takes itself to lead when the messages leave")
	}
	if h.runs = h.runs&^did.Cancel | did.Arm; h.runs != h.core.Running() {
		breaks("R36: the host runs other timers than the node")
	}
	leader, epoch := h.core.Leader()
	now := spec.Durable{Epoch: epoch, Grantee: leader}
	if did.LeaderChanged != (now != h.told) || now != mayTell(&s) {
		breaks("R39: what the user is told")
	}
	if h.told = now; leader == h.id {
		h.reign = epoch
	}
	if h.reign != leads {
		breaks("R39: the user does not know of its reign")
	}
}

// only returns the set of one timer.
func only(timer spec.Timer) spec.TimerSet {
	return 1 << slices.Index(spec.Timers(), timer)
}

var likeModel = conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })

// happened counts what the steps of many runs were.
type happened struct {
	steps                        map[spec.Action]int
	reigns                       [8]int // by the number of members
	contested, handOvers, downed int
}

func (h *happened) observe(c *conformance.Case) {
	if c.Want.Ignored {
		return
	}
	h.steps[actionOf(c)]++
	if c.Before.Role == spec.Leader && c.Want.State.Role != spec.Leader {
		switch actionOf(c) {
		case spec.OnClaim:
			h.handOvers++
		case spec.ReignTimeout:
			h.downed++
		}
	}
}

// actionOf returns the name of a step.
func actionOf(c *conformance.Case) spec.Action {
	in := &c.Input
	switch {
	case in.Call == spec.StartCall:
		return spec.StartAction
	case in.Call == spec.RestartCall:
		return spec.RestartAction
	case in.Call == spec.ResignCall:
		return spec.ResignAction
	case in.Call == spec.HolderDeadCall:
		return spec.HolderDeadAction
	case in.Timer != "":
		return in.Timer.Action()
	}
	return in.Message.Type.Action()
}

// TestRandomClusters lets all happen to clusters of one to seven cores: messages wait and are lost, timers end at any
// moment, links are cut, nodes crash within a step, proofs of death are false at will. Each step must be the model's too.
func TestRandomClusters(t *testing.T) {
	checks := 300 * soak()
	if raceDetector() {
		checks /= 3
	}
	budget(t, "rapid.checks", strconv.Itoa(checks))
	budget(t, "rapid.steps", "200")
	budget(t, "rapid.shrinktime", "1s") // what is shrunk is the script
	budget(t, "rapid.nofailfile", "true")
	all := happened{steps: map[spec.Action]int{}}
	var failed *cluster.Script
	t.Cleanup(func() {
		if failed != nil {
			t.Log(failed.Explain(newHosted, cluster.Options{Like: likeModel}))
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		choose := tosses(t)
		script := cluster.DrawScript(choose)
		c, err := cluster.New(script.Members, newHosted, cluster.Options{Records: script.Records, Like: likeModel, Observe: all.observe})
		if err != nil {
			failed = script
			t.Fatal(err)
		}
		t.Repeat(map[string]func(*rapid.T){"next": func(t *rapid.T) {
			if err := c.Do(c.Draw(choose)); err != nil {
				script.Ops, failed = slices.Clone(c.Done()), script
				t.Fatal(err)
			}
		}})
		all.reigns[len(script.Members)] += len(c.Leaders())
		if len(c.Leaders()) > 1 {
			all.contested++
		}
	})
	t.Logf("%+v", all)
	if testing.Short() {
		return // then there are too few for what follows
	}
	for n := 1; n <= 7; n++ {
		require.Greater(t, all.reigns[n], checks/15, "leaders of %d have been elected", n)
	}
	require.Greater(t, all.contested, checks/4, "epochs have followed on each other")
	require.Greater(t, all.handOvers, checks/40)
	require.Greater(t, all.downed, checks/20)
	for _, action := range spec.FixedActions() {
		require.Equal(t, action.OfNode() && action != spec.CrashAction, all.steps[action] > 10, action)
	}
}

// tosses draws from t. The numbers of rapid itself are mostly small.
func tosses(t *rapid.T) func(n int) int {
	coin := rapid.Bool()
	return cluster.Tosses(func() bool { return coin.Draw(t, "toss") })
}

// soak returns by how much BULLY_SOAK multiplies the runs.
func soak() int {
	times, _ := strconv.Atoi(os.Getenv("BULLY_SOAK"))
	return max(1, times)
}

// given returns the flags that this run of the tests was given. They are looked at before budget sets any.
var given = sync.OnceValue(func() (names []string) {
	flag.Visit(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
})

// budget sets a flag of rapid, unless it was given.
func budget(t *testing.T, name, value string) {
	if !slices.Contains(given(), name) {
		before := flag.Lookup(name).Value.String()
		require.NoError(t, flag.Set(name, value))
		t.Cleanup(func() { require.NoError(t, flag.Set(name, before)) })
	}
}

// TestScripts lets what has broken other implementations, and what the golden traces show, happen to the core.
func TestScripts(t *testing.T) {
	known, err := cluster.Known()
	require.NoError(t, err)
	require.Greater(t, len(known), 170)
	for i := range known {
		k := &known[i]
		t.Run(k.Name, func(t *testing.T) {
			o := cluster.Options{Like: likeModel}
			if _, violation, err := k.Try(newHosted, o); err != nil || violation != nil {
				t.Error(k.Where(), err, k.Explain(newHosted, o))
			}
		})
	}
}

// TestHighestLeads lets every node fall silent in turn, the highest first, with timers on time and nothing lost.
func TestHighestLeads(t *testing.T) {
	for n := 1; n <= 7; n++ {
		members := integers(n)
		c, err := cluster.New(members, newHosted, cluster.Options{Like: likeModel})
		require.NoError(t, err)
		for top := n - 1; 2*(top+1) > n; top-- {
			for i := top; i >= 0; i-- {
				endIfRuns(t, c, members[i], spec.PatienceTimer)
			}
			require.NoError(t, c.Do(cluster.Op{Kind: cluster.Settle}))
			endIfRuns(t, c, members[top], spec.ElectionTimer)
			require.NoError(t, c.Do(cluster.Op{Kind: cluster.Settle}))
			for i := range top + 1 {
				s := c.State(members[i])
				require.Equal(t, spec.Durable{Epoch: spec.Epoch(n - top), Grantee: members[top]}, mayTell(&s), "%d nodes, and the highest of %d leads", n, top+1)
			}
			require.NoError(t, c.Do(cluster.Op{Kind: cluster.Crash, Node: members[top]}))
		}
	}
}

// endIfRuns ends a timer, if it runs.
func endIfRuns(t testing.TB, c *cluster.Cluster, id spec.NodeID, timer spec.Timer) {
	if c.Timers(id).Has(timer) {
		require.NoError(t, c.Do(cluster.Op{Kind: cluster.End, Node: id, Timer: timer}))
	}
}
