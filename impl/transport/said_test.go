package transport_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// TestSaidIsOnDisk holds what is remembered of a node against the rules: in every step of every group, the record that is written before
// anything leaves knows all that the messages of the step are taken to say. Else a node that has lost nothing would be stopped for good.
// And each of the things that a record can lack is said by some message.
func TestSaidIsOnDisk(t *testing.T) {
	slowtest.NoRace(t, "it runs in one goroutine")
	const most = 40_000 // of a group
	said, tight := 0, map[spec.MessageType]int{}
	for _, g := range append(conformance.Groups(), conformance.ChangingGroups()...) {
		every, n := max(1, g.Pinned/most), 0
		for c := range g.All {
			if n++; n%every != 0 || c.Want.Ignored {
				continue
			}
			for _, m := range c.Want.Sent {
				lacks, all := transport.Said(c.Want.State.Durable(), m)
				require.Empty(t, lacks, "%s: %v in %v says %v", g.Name, c.Input, c.Before, m)
				said++
				if all {
					tight[m.Type]++
				}
			}
		}
	}
	require.Greater(t, said, most)
	for _, m := range []spec.MessageType{spec.Election, spec.OK, spec.Assent, spec.Claim, spec.Grant, spec.Refuse, spec.Coordinator, spec.Heartbeat, spec.Ack, spec.Resign, spec.ImBack} {
		require.NotZero(t, tight[m], "a %v never says all of the epoch, its promise and the configuration", m)
	}
	t.Logf("%d messages, of which %v say all", said, tight)
}
