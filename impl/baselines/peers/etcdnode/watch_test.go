package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/baselines/peers"
)

func TestWhatIsSaid(t *testing.T) {
	h := hub{peers.NewHub("1")}
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
	says("candidate", "", 0, false)
	h.knowsNobody()
	select {
	case <-changed:
		require.Fail(t, "nothing has changed")
	default:
	}
	h.names("2", 5)
	<-changed
	says("follower", "2", 5, false)
	h.names("3", 4)
	says("follower", "2", 5, false) // heard of late
	h.names("1", 7)
	says("candidate", "", 7, false) // its key is the oldest, but Campaign has not returned
	h.leads(7)
	says("leader", "1", 7, true)
	h.names("1", 7)
	says("leader", "1", 7, true)
	h.names("2", 9)
	says("leader", "2", 9, true) // it was stopped, and does not know yet
	h.leadsNot()
	says("follower", "2", 9, false)
	h.knowsNobody()
	says("candidate", "", 9, false)
	h.leads(8)
	says("leader", "", 9, true) // a reign that has ended before it was heard of
}
