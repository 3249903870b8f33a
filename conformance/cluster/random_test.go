package cluster_test

import (
	"flag"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/spec"
)

// seen counts what has happened in all runs: what a run without elections would leave out.
type seen struct {
	actions                            map[spec.Action]int
	reigns                             [8]int // by the number of members
	contested, handOvers, stale, downs int
	members                            changed
}

func (s *seen) observe(c *conformance.Case) {
	if c.Want.Ignored {
		return
	}
	s.members.observe(c)
	in := &c.Input
	switch {
	case in.Restart:
		s.actions[spec.RestartAction]++
	case in.Start:
		s.actions[spec.StartAction]++
	case in.Call == spec.ResignCall:
		s.actions[spec.ResignAction]++
	case in.Call == spec.HolderDeadCall:
		s.actions[spec.HolderDeadAction]++
	case in.Call == spec.ChangeCall:
		s.actions[spec.ChangeAction]++
	case in.Timer != "":
		s.actions[in.Timer.Action()]++
	default:
		s.actions[in.Message.Type.Action()]++
	}
	led, leads := c.Before.Role == spec.Leader && !in.Restart, c.Want.After.Role == spec.Leader
	said := func(kind spec.MessageType) bool {
		return slices.ContainsFunc(c.Want.Sent, func(m spec.Message) bool { return m.Type == kind })
	}
	switch {
	case led && !leads && said(spec.Grant):
		s.handOvers++
	case led && !leads && in.Timer == spec.QuorumTimer:
		s.downs++
	case said(spec.Refuse) && (in.Message.Type == spec.Heartbeat || in.Message.Type == spec.Coordinator):
		s.stale++
	}
}

// TestRandomClusters lets all happen to clusters of the model. No promise that holds for any timing may break.
func TestRandomClusters(t *testing.T) {
	checks := 600
	if raceDetector {
		checks /= 3
	}
	all := randomClusters(t, cluster.DrawScript, model, checks)
	t.Logf("%+v", *all)
	for n := 1; n <= 7; n++ {
		require.Greater(t, all.reigns[n], checks/15, "leaders of %d have been elected", n)
	}
	require.Greater(t, all.contested, checks/4, "epochs have followed on each other")
	for _, n := range []int{all.handOvers, all.stale, all.downs} {
		require.Positive(t, n, "of each there were some: %+v", *all)
	}
	for _, action := range spec.FixedActions() {
		require.Equal(t, action.OfNode() && action != spec.CrashAction, all.actions[action] > 0, action)
	}
}

// randomClusters draws so many clusters, and what happens to them. Of a run that breaks a promise it tells the smallest.
func randomClusters(t *testing.T, draw func(choose func(n int) int) *cluster.Script, newNode conformance.Maker, checks int) *seen {
	budget(t, checks)
	all := &seen{actions: map[spec.Action]int{}}
	var failed *cluster.Script
	t.Cleanup(func() {
		if failed != nil {
			t.Log(failed.Explain(newNode, cluster.Options{}))
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		choose := tosses(t)
		script := draw(choose)
		c, err := cluster.New(script.Members, newNode, cluster.Options{First: script.First, Records: script.Records, Observe: all.observe})
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
	return all
}

// tosses draws from t. The numbers of rapid itself are mostly small.
func tosses(t *rapid.T) func(n int) int {
	coin := rapid.Bool()
	return cluster.Tosses(func() bool { return coin.Draw(t, "toss") })
}

// given returns which flags were given, before any is set here.
var given = sync.OnceValue(func() (names []string) {
	flag.Visit(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
})

// budget sets how many runs of how many ops rapid makes, unless its flags were given. BULLY_SOAK multiplies the runs.
func budget(t *testing.T, checks int) {
	if soak, err := strconv.Atoi(os.Getenv("BULLY_SOAK")); err == nil && soak > 0 {
		checks *= soak
	}
	values := map[string]string{"rapid.checks": strconv.Itoa(checks), "rapid.steps": "200", "rapid.shrinktime": "5s", "rapid.nofailfile": "true"}
	for _, name := range given() {
		delete(values, name)
	}
	for name, value := range values {
		before := flag.Lookup(name).Value.String()
		require.NoError(t, flag.Set(name, value))
		t.Cleanup(func() { require.NoError(t, flag.Set(name, before)) })
	}
}
