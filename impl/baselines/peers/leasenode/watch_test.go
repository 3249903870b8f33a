package main

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/seed-fdf591db/bully/impl/baselines/peers"
)

// What a follower does not see of a renewal, a leader must not rely on.
func TestProfiles(t *testing.T) {
	require.Len(t, profiles, 2)
	for name, p := range profiles {
		require.Zero(t, p.lease%time.Second, name)
		require.Less(t, p.retry+p.renew, p.lease-time.Second, name)
		n, err := newNode(peers.Options{ID: "1", Profile: name, Log: peers.Off}, t.TempDir(), io.Discard)
		require.NoError(t, err)
		_, err = leaderelection.NewLeaderElector(n.config)
		require.NoError(t, err, name)
	}
}

func TestWhatIsSaid(t *testing.T) {
	h := &hub{Hub: peers.NewHub("1")}
	_, changed := h.Current()
	says := func(role, leader string, epoch uint64, leading bool) {
		t.Helper()
		v, _ := h.Current()
		named := ""
		if v.Leader != nil {
			named = *v.Leader
		}
		require.Equal(t, []any{role, leader, epoch, leading}, []any{v.Role, named, v.Epoch, v.Leading})
	}
	sees := func(holder string, transitions int) {
		h.sees(resourcelock.LeaderElectionRecord{HolderIdentity: holder, LeaderTransitions: transitions})
	}
	says("candidate", "", 0, false)
	sees("1_before", 0)
	<-changed
	says("candidate", "", 1, false) // an earlier process of this node
	_, changed = h.Current()
	sees("1_before", 0)
	select {
	case <-changed:
		require.Fail(t, "nothing has changed")
	default:
	}
	sees("2_x", 1)
	says("follower", "2", 2, false)
	sees("", 1)
	says("candidate", "", 2, false) // it has let go
	sees("1_now", 2)
	says("candidate", "", 3, false) // it holds the Lease, but was not told that it leads
	h.leads(1)
	says("leader", "1", 3, true)
	sees("3_x", 3)
	says("leader", "3", 4, true) // it was stopped, and was not told
	sees("1_now", 4)
	h.leads(1)
	says("leader", "1", 5, true)
	h.leads(-1)
	says("leader", "1", 5, true) // the end of the first reign
	h.leads(-1)
	says("candidate", "", 5, false)
}
