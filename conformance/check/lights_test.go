package check

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLights stay broken of what is promised for always, and are mended of what is of a moment.
func TestLights(t *testing.T) {
	l := NewLights(three())
	see := func(all ...seen) (changed []Light) {
		for k := range all {
			l.See(all[k].node-1, &all[k].view)
		}
		return l.Changed()
	}
	require.Len(t, l.Promises(), len(l.m.asked))
	require.Empty(t, see(leads(1, 4)))
	require.Equal(t, []Light{{&oneActing, "two nodes act as leader: node 1 leads epoch 4, node 2 leads epoch 5"}}, see(leads(2, 5)))
	require.Equal(t, []Light{{&oneActing, ""}}, see(in(1, 5)))
	require.Empty(t, see(leads(3, 6), in(2, 6)), "one after the other, at the same moment")
	require.Equal(t, []Light{{&oneLeaderPerEpoch, "nodes 2 and 3 have both led epoch 5"}, {&epochMonotonic, "the epoch of node 3 goes back from 6 to 5"}}, see(leads(3, 5)))
	require.Empty(t, see(leads(3, 7)))
	require.Equal(t, "nodes 2 and 3 have both led epoch 5", l.brokenNow(&oneLeaderPerEpoch))
	require.Empty(t, l.brokenNow(&noDisruption))
}

// brokenNow says how a promise is broken; "" if it holds.
func (l *Lights) brokenNow(p *Promise) string {
	for k := range l.m.asked {
		if l.m.asked[k].Promise == p {
			return l.broken[k]
		}
	}
	return ""
}
