package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestViewsThatDiffer(t *testing.T) {
	two, three := "2", "3"
	v := view{At: 1, Node: "1", Role: "follower", Leader: &two, Epoch: 4}
	other := "2"
	require.True(t, v.same(view{At: 2, Node: "1", Role: "follower", Leader: &other, Epoch: 4}))
	for _, w := range []view{
		{Role: "candidate", Leader: &two, Epoch: 4},
		{Role: "follower", Epoch: 4},
		{Role: "follower", Leader: &three, Epoch: 4},
		{Role: "follower", Leader: &two, Epoch: 5},
		{Role: "follower", Leader: &two, Epoch: 4, Leading: true},
	} {
		require.False(t, v.same(w))
		require.False(t, w.same(v))
	}
}

func TestWhatIsSaid(t *testing.T) {
	h := newHub("1")
	_, changed := h.current()
	says := func(role, leader string, epoch uint64, leading bool) {
		t.Helper()
		v, _ := h.current()
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
