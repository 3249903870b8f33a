package bully_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// FuzzStep gives node 2 of three inputs that bytes say: three bytes an input, good and bad. No input may make it panic,
// lead to a state that is none, or take an epoch back.
func FuzzStep(f *testing.F) {
	f.Add([]byte{1, 0, 0, 4, 5, 1, 3, 3, 1})
	f.Add([]byte{1, 0, 0, 2, 0, 0, 3, 0x32, 0, 2, 1, 0, 3, 0x34, 1, 2, 4, 0, 2, 5, 0, 5, 0, 0})
	f.Add([]byte{0, 0, 0xff, 6, 0, 0, 3, 0x3b, 0xff, 7, 9, 9})
	f.Fuzz(func(t *testing.T, text []byte) {
		node, err := bully.New(id(2), integers(3))
		require.NoError(t, err)
		for ; len(text) >= 3; text = text[3:] {
			before := node.State()
			in := fuzzInput(text[0], text[1], text[2])
			out := node.Step(in)
			after := node.State()
			if after.Epoch < before.Epoch {
				require.Fail(t, "EpochMonotonic", "%v in %v → %v", in, before, after)
			}
			if out.Action == "" && !after.Equal(before) {
				require.Fail(t, "no step, and another state", "%v in %v → %v", in, before, after)
			}
			if _, err := bully.At(id(2), integers(3), after); err != nil {
				require.NoError(t, err, "%v in %v → %v", in, before, after)
			}
		}
	})
}

// fuzzInput returns the input that three bytes say. Epochs are small, or close to the bound, on both sides of it.
func fuzzInput(kind, what, epoch byte) bully.Input {
	e := spec.Epoch(epoch)
	if epoch > 100 {
		e = spec.MaxEpoch - 200 + e
	}
	switch kind % 8 {
	case 0:
		return bully.Restart(spec.Durable{Epoch: e, Grantee: id(int(what % 6))})
	case 1:
		return bully.Start()
	case 2:
		timers := append(spec.Timers(), "lunch")
		return bully.Ended(timers[int(what)%len(timers)])
	case 5:
		return bully.Resign()
	case 6:
		return bully.HolderDead()
	case 7:
		return bully.Input{}
	}
	kinds := append(spec.MessageTypes(), "VOTE")
	to := 2
	if kind >= 0xf0 {
		to = int(kind) % 5
	}
	return message(kinds[int(what&0xf)%len(kinds)], int(what>>4)%5, to, e)
}
