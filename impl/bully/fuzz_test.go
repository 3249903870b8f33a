package bully_test

import (
	"math/rand/v2"
	"slices"
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
			fuzzStep(t, node, fuzzInput(text[0], text[1], text[2]))
		}
	})
}

// fuzzStep takes a step, and checks what holds of every one.
func fuzzStep(t testing.TB, node *bully.Node, in bully.Input) spec.Action {
	before := node.State()
	out := node.Step(in)
	after := node.State()
	if after.Epoch < before.Epoch {
		require.Fail(t, "EpochMonotonic", "%v in %v → %v", in, before, after)
	}
	if c := after.Configuration; c != before.Configuration && !c.Newer(before.Configuration) && out.Action != spec.RestartAction {
		require.Fail(t, "ConfigurationMonotonic", "%v in %v → %v", in, before, after)
	}
	if out.Action == "" && !after.Equal(before) {
		require.Fail(t, "no step, and another state", "%v in %v → %v", in, before, after)
	}
	if _, err := bully.At(id(2), integers(3), after); err != nil {
		require.NoError(t, err, "%v in %v → %v", in, before, after)
	}
	for _, m := range out.Send {
		if m.Configuration != after.Configuration {
			require.Fail(t, "R43: a message carries the configuration after the step", "%v in %v → %v: %v", in, before, after, m)
		}
		if err := m.Validate(); err != nil || m.From != id(2) {
			require.NoError(t, err, "%v in %v → %v: %v", in, before, after, m)
		}
	}
	return out.Action
}

// fuzzConfigurations are those that FuzzStepChanging knows, in version 1 of epoch 0.
var fuzzConfigurations = []spec.Configuration{
	conf("epoch:0 version:1 {1 2 3}"), conf("epoch:0 version:1 {2}"), conf("epoch:0 version:1 {1 2}"), conf("epoch:0 version:1 {1 witness:2}"),
	conf("epoch:0 version:1 {1 observer:2 3}"), conf("epoch:0 version:1 {1 3}"), conf("epoch:0 version:1 {1 2 witness:3 4}"),
	conf("epoch:0 version:1 {1 2 observer:3 5}*"), conf("epoch:0 version:1 {witness:1 2 3}"), conf("epoch:0 version:1 {4 5}"),
}

// FuzzStepChanging is FuzzStep where members change: a fourth byte says the configuration of a message, of the record, or
// that is wanted, and whether it has the stamp that is due. The node begins with one of them, or is to join.
func FuzzStepChanging(f *testing.F) {
	f.Add([]byte{1, 1, 0, 0, 0, 2, 0, 0, 0, 2, 1, 0, 0, 4, 1, 0, 0x82})
	f.Add([]byte{0, 1, 0, 0, 0, 5, 0x11, 4, 0x16, 6, 0x37, 4, 0x24, 4, 1, 4, 0x15, 3, 0, 0, 0})
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) == 0 {
			return
		}
		first := fuzzConfigurations[int(text[0])%len(fuzzConfigurations)]
		if _, is := first.Member(id(2)); !is {
			first = spec.EmptyConfiguration()
		}
		node, err := bully.NewChanging(id(2), first)
		require.NoError(t, err)
		for text = text[1:]; len(text) >= 4; text = text[4:] {
			fuzzStep(t, node, fuzzChanging(node, text[0], text[1], text[2], text[3]))
		}
	})
}

// TestRandomBytes does for a while what FuzzStepChanging does, with bytes that nobody chooses.
func TestRandomBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	seen := map[spec.Action]int{}
	for range 1000 {
		node, err := bully.NewChanging(id(2), fuzzConfigurations[random.IntN(4)])
		require.NoError(t, err)
		for range 100 {
			seen[fuzzStep(t, node, fuzzChanging(node, byte(random.Uint32()), byte(random.Uint32()), byte(random.Uint32()), byte(random.Uint32())))]++
		}
	}
	for _, action := range spec.Actions() {
		require.Equal(t, action.OfNode() && action != spec.CrashAction, seen[action] > 0, "%s: %v", action, seen)
	}
}

// fuzzChanging returns the input that four bytes say to a node.
func fuzzChanging(node *bully.Node, kind, what, epoch, which byte) bully.Input {
	s := node.State()
	e := spec.Epoch(epoch % 16)
	c := fuzzConfigurations[int(which%16)%len(fuzzConfigurations)].At(min(e, spec.Epoch(which>>4&3)), uint64(which>>6)+1)
	if which>>7 == 1 { // what would be due
		c = c.At(s.Configuration.Epoch, s.Configuration.Version+1)
		e = max(e, c.Epoch)
	}
	switch kind % 10 {
	case 0:
		if kind >= 0xf0 {
			c = spec.Configuration{}
		}
		return bully.Restart(spec.Durable{Epoch: e, Grantee: id(int(what % 6)), Reserved: spec.Block, Configuration: c})
	case 1:
		if which&1 == 0 {
			return bully.Start()
		}
		return fuzzInput(5+what%3, what, epoch) // a call
	case 2:
		return fuzzInput(2, what, epoch)
	case 3:
		running := slices.Collect(node.Running().All())
		if len(running) == 0 {
			return bully.Timeout("")
		}
		return bully.Timeout(running[int(what)%len(running)])
	case 4:
		return bully.Change(c.At(s.Epoch, s.Configuration.Version+uint64(what%3)))
	}
	kinds := append(spec.MessageTypes(), "VOTE")
	if kind >= 0xf0 {
		c = s.Configuration
	}
	number := max(1, []spec.Question{1, max(1, s.Lease) - 1, s.Lease, s.Asked, s.Latest, s.Latest + 1}[kind/10%6])
	m := spec.Message{Type: kinds[int(what&0xf)%len(kinds)], From: id(int(what>>4) % 6), To: id(2), Epoch: e, Question: number, Configuration: c}
	switch other := id(int(epoch>>4) % 6); {
	case m.Type == spec.Election:
		m.Keeps = other
	case m.Type == spec.Resign && !other.IsNone():
		m.Granted = spec.Granted{By: other, Epoch: e + 1, Question: number}
	}
	return bully.Receive(m)
}

// fuzzInput returns the input that three bytes say. Epochs are small, or close to the bound, on both sides of it.
func fuzzInput(kind, what, epoch byte) bully.Input {
	e := spec.Epoch(epoch)
	if epoch > 100 {
		e = spec.MaxEpoch - 200 + e
	}
	switch kind % 8 {
	case 0:
		return bully.Restart(spec.Durable{Epoch: e, Grantee: id(int(what % 6)), Reserved: spec.Block})
	case 1:
		return bully.Start()
	case 2:
		timers := append(spec.Timers(), "lunch")
		return bully.Timeout(timers[int(what)%len(timers)])
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
	m := spec.Message{Type: kinds[int(what&0xf)%len(kinds)], From: id(int(what>>4) % 5), To: id(to), Epoch: e, Question: spec.Question(kind>>3) % 8}
	switch {
	case m.Type == spec.Election:
		m.Keeps = id(int(kind>>6) % 4)
	case m.Type == spec.Resign && kind>>6 != 0:
		m.Granted = spec.Granted{By: id(int(kind >> 6)), Epoch: e + 1, Question: m.Question}
	}
	return bully.Receive(m)
}
