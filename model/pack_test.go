package model

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func newCluster(t require.TestingT, n int, topology, budget string) *cluster {
	m, err := New(configuration(n, topology, budget))
	require.NoError(t, err)
	return m.(*cluster)
}

func TestUnpackUndoesPack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, MaxNodes).Draw(t, "n")
		c := newCluster(t, n, "OneWay", "15 15 15 15 15")
		s := clusterState{
			up:  Set(rapid.Uint16().Draw(t, "up")) & upTo(c.rules.n),
			cut: uint8(rapid.IntRange(0, len(c.cuts)-1).Draw(t, "cut")),
		}
		for i := ID(1); i <= c.rules.n; i++ {
			s.node[i] = drawState(t, c.rules.n, i)
		}
		for f := range s.budget {
			s.budget[f] = uint8(rapid.IntRange(0, MaxBudget).Draw(t, "budget"))
		}
		for range rapid.IntRange(0, 3).Draw(t, "reigns") {
			e := rapid.IntRange(0, MaxEpoch).Draw(t, "epoch of a reign")
			s.reigns[e] = s.reigns[e].With(drawID(t, 1, c.rules.n, "leader of a reign"))
		}
		for range rapid.IntRange(0, MaxQueue).Draw(t, "messages") {
			l := rapid.IntRange(0, len(c.links)-1).Draw(t, "link")
			kind := MessageType(rapid.IntRange(0, int(ImBack)).Draw(t, "type"))
			s.push(l, payload{kind, uint8(rapid.IntRange(0, MaxEpoch).Draw(t, "epoch of a message"))})
		}

		packed := c.pack(&s, nil)
		var got clusterState
		c.unpack(packed, &got)
		require.Equal(t, s, got)
		require.True(t, typeOK(c, &s))

		// An unpacker that was used before forgets what it held.
		c.unpack(c.pack(&clusterState{}, nil), &got)
		require.Equal(t, c.render(&clusterState{}), c.render(&got))
	})
}

func TestBoundsOfThePackedStatePanic(t *testing.T) {
	require.PanicsWithValue(t, "model: epoch 32 is above MaxEpoch = 31", func() { smallEpoch(MaxEpoch + 1) })
	var s clusterState
	for range MaxQueue {
		s.push(0, payload{})
	}
	require.PanicsWithValue(t, "model: more than MaxQueue = 15 messages on one link", func() { s.push(0, payload{}) })

	c := newCluster(t, 3, "Whole", "0 0 0 0 0")
	require.Panics(t, func() {
		high := clusterState{}
		high.node[2].Epoch = MaxEpoch + 1
		c.pack(&high, nil)
	})
}

func TestRenderIsInTheOrderOfVariables(t *testing.T) {
	c := newCluster(t, 2, "OneWay", "0 1 0 0 0")
	s := clusterState{up: SetOf(2), cut: 1, budget: c.budget}
	s.node[2] = State{Role: Candidate, Epoch: 3, Grantee: 1, Support: SetOf(1)}
	s.push(c.index[2][1], payload{Election, 3})
	s.reigns[3] = SetOf(1)
	var text []string
	for _, v := range c.render(&s) {
		text = append(text, v.Name+" = "+v.Value)
	}
	require.Equal(t, []string{
		`node = <<[role |-> "follower", leader |-> 0, epoch |-> 0, grantee |-> 0, support |-> {}], ` +
			`[role |-> "candidate", leader |-> 0, epoch |-> 3, grantee |-> 1, support |-> {1}]>>`,
		`up = {2}`,
		`net = (<<1, 2>> :> <<>> @@ <<2, 1>> :> <<[type |-> "ELECTION", epoch |-> 3]>>)`,
		`cut = {<<2, 1>>}`,
		`budget = [early |-> 0, crash |-> 1, loss |-> 0, cut |-> 0, resign |-> 0]`,
		`reigns = {[epoch |-> 3, leader |-> 1]}`,
	}, text)
}

func TestTypeOKSeesEachFault(t *testing.T) {
	c := newCluster(t, 3, "Whole", "0 0 0 0 0")
	for name, spoil := range map[string]func(*clusterState){
		"role":    func(s *clusterState) { s.node[1].Role = Leader + 1 },
		"leader":  func(s *clusterState) { s.node[2].Leader = 4 },
		"grantee": func(s *clusterState) { s.node[3].Grantee = 4 },
		"support": func(s *clusterState) { s.node[3].Support = SetOf(4) },
		"up":      func(s *clusterState) { s.up = SetOf(0) },
		"net":     func(s *clusterState) { s.push(5, payload{kind: ImBack + 1}) },
		"cut":     func(s *clusterState) { s.cut = 1 },
		"reigns":  func(s *clusterState) { s.reigns[1] = SetOf(4) },
	} {
		s := clusterState{up: upTo(3)}
		require.True(t, typeOK(c, &s))
		spoil(&s)
		require.False(t, typeOK(c, &s), name)
	}
}
