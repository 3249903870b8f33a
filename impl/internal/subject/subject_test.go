package subject_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/impl/internal/subject"
	"github.com/seed-fdf591db/bully/spec"
)

func integers(n int) (ids []spec.NodeID) {
	for i := range n {
		ids = append(ids, spec.IntegerID(uint64(i+1)))
	}
	return ids
}

func Example() {
	members := integers(3)
	node := subject.New(members[2], members)
	var out spec.Step
	node.Start(spec.Configuration{}, &out)
	node.Step(&spec.Input{Timer: spec.PatienceTimer}, &out)
	fmt.Println(out.State)
	fmt.Println(out.Sent, out.Cancel, out.Arm)
	// Output:
	// candidate leader:none epoch:0 grantee:none support:{} asked:2 latest:2
	// [3→1 ELECTION epoch:0 question:2 3→2 ELECTION epoch:0 question:2] {patience} {election}
}

// TestLikeTheModel lets the core and the model take the same inputs, one after the other: what they do, save, cancel and
// arm must be the same. The model has no memory: what it saves and which timers it wants is computed (R4, R36).
func TestLikeTheModel(t *testing.T) {
	model := conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })
	rapid.Check(t, func(t *rapid.T) {
		members := integers(rapid.IntRange(1, 5).Draw(t, "members"))
		id := rapid.SampledFrom(members).Draw(t, "id")
		ours, theirs := subject.New(id, members), model(id, members)
		var did, wanted spec.Step
		if rapid.Bool().Draw(t, "first start") {
			ours.Start(spec.Configuration{}, &did)
			theirs.Start(spec.Configuration{}, &wanted)
		} else {
			promise := spec.Durable{Epoch: 2, Grantee: rapid.SampledFrom(members).Draw(t, "grantee")}
			ours.Restart(promise, &did)
			theirs.Restart(promise, &wanted)
		}
		same(t, wanted, did)
		for range 50 {
			in := input(t, id, members, wanted.State.Epoch)
			ours.Step(&in, &did)
			theirs.Step(&in, &wanted)
			same(t, wanted, did)
		}
	})
}

func same(t *rapid.T, wanted, did spec.Step) {
	require.True(t, wanted.State.Equal(did.State), "%s\n%s", wanted.State, did.State)
	require.True(t, slices.Equal(wanted.Sent, did.Sent), "%s\n%s", wanted.Sent, did.Sent)
	wanted.State, wanted.Sent, did.State, did.Sent = spec.State{}, nil, spec.State{}, nil
	require.Equal(t, wanted, did)
}

// input draws a message from any member, of an epoch near the node's, or the end of any timer, or a call.
func input(t *rapid.T, id spec.NodeID, members []spec.NodeID, epoch spec.Epoch) spec.Input {
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		return spec.Input{Timer: rapid.SampledFrom(spec.Timers()).Draw(t, "timer")}
	case 1:
		return spec.Input{Call: rapid.SampledFrom([]spec.Call{spec.ResignCall, spec.HolderDeadCall}).Draw(t, "call")}
	}
	return spec.Input{Message: spec.Message{
		Type:  rapid.SampledFrom(spec.MessageTypes()).Draw(t, "type"),
		From:  rapid.SampledFrom(members).Draw(t, "from"),
		To:    id,
		Epoch: max(1, epoch) - 1 + spec.Epoch(rapid.IntRange(0, 2).Draw(t, "epoch")),
	}}
}
