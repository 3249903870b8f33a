package cluster

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// buildFixed returns a cluster whose members never change.
func buildFixed(t require.TestingT, n int, topology, budget string) *cluster {
	c, err := newCluster(fixed(n, topology, budget))
	require.NoError(t, err)
	return c
}

// In LeaderElection.tla nodes promise higher epochs, or one node comes to lead an epoch that nobody has led.
func TestRefinesSeesEachFault(t *testing.T) {
	c := buildFixed(t, 3, "Whole", "0 0 0 0 0")
	var now clusterState
	now.node[1].Epoch, now.node[2].Epoch = 1, 1
	now.reigns[1] = 1
	lead := func(s *clusterState, i rules.ID, e uint8) {
		s.node[i].Epoch = spec.Epoch(e)
		s.reigns[e] |= smallSet(rules.SetOf(i))
	}
	for name, test := range map[string]struct {
		change func(*clusterState)
		holds  bool
	}{
		"nothing":                   {func(*clusterState) {}, true},
		"epochs rise":               {func(s *clusterState) { s.node[1].Epoch, s.node[3].Epoch = 2, 5 }, true},
		"epoch goes back":           {func(s *clusterState) { s.node[1].Epoch = 0 }, false},
		"leads anew":                {func(s *clusterState) { lead(s, 2, 2) }, true},
		"leads its own epoch":       {func(s *clusterState) { lead(s, 3, 0) }, true},
		"leads again":               {func(s *clusterState) { lead(s, 2, 1) }, false},
		"two lead":                  {func(s *clusterState) { lead(s, 2, 2); lead(s, 3, 3) }, false},
		"leads while another rises": {func(s *clusterState) { lead(s, 2, 2); s.node[3].Epoch = 1 }, false},
		"leads above its epoch":     {func(s *clusterState) { lead(s, 2, 3); s.node[2].Epoch = 2 }, false},
		"reign is forgotten":        {func(s *clusterState) { s.reigns[1] = 0 }, false},
	} {
		next := now
		test.change(&next)
		require.Equal(t, test.holds, refines(c, &now, &next), name)
	}
}

// promised makes node i promise the epoch to a node.
func promised(i rules.ID, e spec.Epoch, grantee rules.ID) func(s *clusterState) {
	return func(s *clusterState) { s.node[i].Epoch, s.node[i].Grantee = e, grantee }
}

// Node 3 leads epoch 1 and steps down for no reason of its own. That is no disruption if it has learned a higher epoch, and that, or one
// above it, is promised to another node that reaches a quorum or is down; or if node 3 resigned, crashed or reached no quorum.
func TestNoDisruptionKnowsEachReason(t *testing.T) {
	c := buildFixed(t, 3, "TopDeaf", "0 1 0 1 1")
	now := clusterState{up: rules.UpTo(3), budget: c.budget}
	for i := range now.node {
		now.node[i] = rules.State{Leader: 3, Epoch: 1, Grantee: 3, Conf: c.first}
	}
	now.node[3].Role = rules.Leader
	learns := func(e spec.Epoch, besides ...func(s *clusterState)) func(s *clusterState) {
		return func(s *clusterState) {
			promised(3, e, rules.None)(s)
			for _, b := range besides {
				b(s)
			}
		}
	}
	for name, test := range map[string]struct {
		before, after func(s *clusterState)
		holds         bool
	}{
		"no reason":                          {nil, nil, false},
		"it resigns":                         {nil, func(s *clusterState) { s.budget[resign]-- }, true},
		"it crashes":                         {nil, func(s *clusterState) { s.up = rules.SetOf(1, 2) }, true},
		"it reaches no quorum":               {func(s *clusterState) { s.cut = 1 }, nil, true},
		"it hands over":                      {nil, promised(3, 2, 2), true},
		"another is promised what it learns": {nil, learns(2, promised(1, 2, 2)), true},
		"another was promised it":            {promised(1, 2, 2), learns(2), true},
		"another was promised one above it":  {promised(1, 3, 2), learns(2), true},
		"another was promised one below it":  {promised(1, 2, 2), learns(3), false},
		"it does not learn it":               {promised(1, 2, 2), nil, false},
		"another is promised this epoch":     {nil, promised(1, 1, 2), false},
		"itself is promised what it learns":  {nil, learns(2, promised(1, 2, 3)), false},
		"nobody is promised what it learns":  {nil, learns(2, promised(1, 2, rules.None)), false},
		"one that is down was promised it": {func(s *clusterState) {
			s.up = rules.SetOf(2, 3)
			promised(2, 2, 1)(s)
		}, learns(2), true},
		"one that is down promised it": {func(s *clusterState) {
			s.up = rules.SetOf(1, 3)
			promised(2, 2, 1)(s)
		}, learns(2), true},
	} {
		before := now
		if test.before != nil {
			test.before(&before)
		}
		after := before
		after.node[3].Role, after.node[3].Leader = rules.Follower, rules.None
		if test.after != nil {
			test.after(&after)
		}
		require.Equal(t, test.holds, noDisruption(c, &before, &after), name)
	}
}

func TestRenderIsInTheOrderOfVariables(t *testing.T) {
	c := buildFixed(t, 2, "OneWay", "0 1 0 0 0")
	s := clusterState{up: rules.SetOf(2), cut: 1, budget: c.budget}
	s.node[1].Conf = c.first
	s.node[2] = node(candidate, rules.None, 3, 1, c.first, 1)
	s.push(c.index[2][1], c.payload(&rules.Said{Type: rules.Election, Epoch: 3, Question: 4, Keeps: 1}, c.first))
	s.reigns[3] = 1
	const numbers = `, asked |-> 0, latest |-> 0, dated |-> 0, answered |-> <<0, 0>>`
	const conf = `, conf |-> [epoch |-> 0, version |-> 1, voters |-> {1, 2}, witnesses |-> {}, observers |-> {}, ranks |-> {}]`
	var text []string
	for _, v := range c.render(&s) {
		text = append(text, v.Name+" = "+v.Value)
	}
	require.Equal(t, []string{
		`node = <<[role |-> "follower", leader |-> 0, lease |-> 0, epoch |-> 0, grantee |-> 0, support |-> {}` + numbers + conf + `], ` +
			`[role |-> "candidate", leader |-> 0, lease |-> 0, epoch |-> 3, grantee |-> 1, support |-> {1}` + numbers + conf + `]>>`,
		`up = {2}`,
		`net = (<<1, 2>> :> <<>> @@ <<2, 1>> :> <<[type |-> "ELECTION", epoch |-> 3, question |-> 4, keeps |-> 1, granted |-> [by |-> 0, epoch |-> 0, question |-> 0], names |-> 0` + conf + `]>>)`,
		`cut = {<<2, 1>>}`,
		`budget = [early |-> 0, crash |-> 1, loss |-> 0, cut |-> 0, resign |-> 0, change |-> 0, ask |-> 15, heartbeat |-> 15]`,
		`reigns = {[epoch |-> 3, leader |-> 1]}`,
		`since = <<<<0, 0>>, <<0, 0>>>>`,
	}, text)
}

func TestTypeOKSeesEachFault(t *testing.T) {
	c := buildFixed(t, 3, "Whole", "0 0 0 0 0")
	for name, spoil := range map[string]func(*clusterState){
		"role":    func(s *clusterState) { s.node[1].Role = leader + 1 },
		"leader":  func(s *clusterState) { s.node[2].Leader = 4 },
		"grantee": func(s *clusterState) { s.node[3].Grantee = 4 },
		"support": func(s *clusterState) { s.node[3].Support = rules.SetOf(4) },
		"up":      func(s *clusterState) { s.up = rules.SetOf(4) },
		"net":     func(s *clusterState) { s.push(5, payload(rules.ImBack+1)) },
		"cut":     func(s *clusterState) { s.cut = 1 },
		"reigns":  func(s *clusterState) { s.reigns[1] = smallSet(rules.SetOf(4)) },
	} {
		s := clusterState{up: rules.UpTo(3)}
		require.True(t, typeOK(c, &s))
		spoil(&s)
		require.False(t, typeOK(c, &s), name)
	}
}
