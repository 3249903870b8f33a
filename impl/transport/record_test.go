package transport

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// TestRecord is what one record does not know of another, and what it comes to when that is added.
func TestRecord(t *testing.T) {
	v := func(e spec.Epoch, version uint64) spec.Stamp { return spec.Stamp{Epoch: e, Version: version} }
	for _, c := range []struct {
		name    string
		has, of record
		lacks   string
		sum     record
	}{
		{"nothing of nothing", record{}, record{}, "", record{}},
		{"all", record{9, 4, true, v(3, 2), 6}, record{9, 4, true, v(3, 2), 6}, "", record{9, 4, true, v(3, 2), 6}},
		{"numbers", record{8, 5, true, v(3, 3), 6}, record{9, 4, true, v(3, 2), 6}, "numbers up to 9, and its record knew of 8", record{9, 5, true, v(3, 3), 6}},
		{"an epoch", record{9, 3, true, v(3, 2), 6}, record{9, 4, false, v(3, 2), 6}, "epoch 4, and its record knew of 3", record{9, 4, false, v(3, 2), 6}},
		{"a promise", record{9, 4, false, v(3, 2), 6}, record{9, 4, true, v(3, 2), 6}, "promised epoch 4 to somebody", record{9, 4, true, v(3, 2), 6}},
		{"a promise of before", record{9, 5, false, v(3, 2), 6}, record{9, 4, true, v(3, 2), 6}, "", record{9, 5, false, v(3, 2), 6}},
		{"a version", record{9, 4, true, v(3, 1), 6}, record{9, 4, false, v(3, 2), 6}, "version 2 of the members, of epoch 3, and its record knew of version 1, of epoch 3", record{9, 4, true, v(3, 2), 6}},
		{"a version of an older epoch", record{9, 4, true, v(2, 7), 6}, record{9, 4, false, v(3, 2), 6}, "version 2", record{9, 4, true, v(3, 2), 6}},
		{"saves in groups", record{9, 4, true, v(3, 2), 5}, record{9, 4, true, v(3, 2), 6}, "saved 6 times in its groups, and its log of them knew of 5", record{9, 4, true, v(3, 2), 6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, c.has.lacks(c.of), c.lacks)
			require.Equal(t, c.lacks == "", c.has.lacks(c.of) == "")
			for _, order := range [][2]record{{c.has, c.of}, {c.of, c.has}} {
				order[0].add(order[1])
				require.Equal(t, c.sum, order[0])
				require.Empty(t, c.sum.lacks(order[1]))
			}
		})
	}
}

// TestOlderConfiguration: a message that comes late says nothing of the members that is not known.
func TestOlderConfiguration(t *testing.T) {
	var r record
	for _, said := range []spec.Stamp{{Epoch: 3, Version: 2}, {Epoch: 3, Version: 1}, {Epoch: 2, Version: 7}} {
		configuration, err := spec.NewConfiguration(said.Epoch, said.Version, []spec.Member{{ID: one, Kind: spec.Voter}, {ID: two, Kind: spec.Voter}})
		require.NoError(t, err)
		r.said(&spec.Message{Type: spec.Ack, From: two, To: one, Epoch: 3, Question: 7, Configuration: configuration})
		require.Equal(t, spec.Stamp{Epoch: 3, Version: 2}, r.configuration)
	}
}

// TestRememberingCostsNothing: it is done for each message, under the lock of all links.
func TestRememberingCostsNothing(t *testing.T) {
	configuration, err := spec.NewConfiguration(3, 2, []spec.Member{{ID: one, Kind: spec.Voter}, {ID: two, Kind: spec.Voter}})
	require.NoError(t, err)
	m := spec.Message{Type: spec.Heartbeat, From: two, To: one, Epoch: 3, Question: 7, Configuration: configuration}
	var k memory
	require.Zero(t, testing.AllocsPerRun(100, func() {
		m.Question++
		k.heard(life{boot: 1}, &m)
	}))
	require.Equal(t, record{m.Question, 3, true, configuration.Stamp(), 0}, k.record)
}
