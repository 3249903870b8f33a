package large

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/spec"
)

func integers(n int) (ids []spec.NodeID) {
	for i := range n {
		ids = append(ids, spec.IntegerID(uint64(i+1)))
	}
	return ids
}

// TestFewStandForAll compares what few say for seven with what the model says of seven, in long walks at random.
func TestFewStandForAll(t *testing.T) {
	var one Model
	compared, skipped, actions := 0, 0, map[spec.MessageType]int{}
	for seed := range uint64(40) {
		dice := rand.New(rand.NewPCG(seed, 64))
		maker := conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })
		c, err := cluster.New(integers(7), maker, cluster.Options{Observe: func(seen *conformance.Case) {
			q := &question{seen.ID, seen.Members, &seen.Before, &seen.Input}
			if q.few(6) == nil {
				skipped++
				return
			}
			got := one.step(q, 6)
			require.True(t, got.Equal(seen.Want), "%s %v %s\nexpected %+v\ngot %+v", seen.ID, seen.Before, seen.Input, seen.Want, got)
			compared++
			for _, m := range got.Sent {
				actions[m.Type]++
			}
		}})
		require.NoError(t, err)
		for range 300 {
			require.NoError(t, c.Do(c.Draw(dice.IntN)))
		}
	}
	t.Log(compared, skipped, actions)
	require.Greater(t, compared, 5_000)
	require.Less(t, skipped, compared/4)
	for _, m := range spec.MessageTypes() {
		require.Positive(t, actions[m], m)
	}
}

// A leader of 64 members says so to all others, and steps down with half of them behind it.
func ExampleModel() {
	members := integers(64)
	leads := spec.State{Role: spec.Leader, Leader: members[63], Epoch: 4, Grantee: members[63], Support: members[:31]}
	model := &Model{}
	beat := model.Step(members[63], members, leads, conformance.Input{Timer: spec.BeatTimer})
	fmt.Println(len(beat.Sent), beat.Sent[0], beat.Sent[9], beat.Sent[62])
	fmt.Println(model.Step(members[63], members, leads, conformance.Input{Timer: spec.QuorumTimer}).After.Role)
	leads.Support = members[:32]
	fmt.Println(model.Step(members[63], members, leads, conformance.Input{Timer: spec.QuorumTimer}).After.Role)
	// Output:
	// 63 64→1 HEARTBEAT epoch:4 64→10 HEARTBEAT epoch:4 64→63 HEARTBEAT epoch:4
	// follower
	// leader
}
