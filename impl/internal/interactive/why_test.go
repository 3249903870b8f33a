package interactive_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/interactive"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// both are links in both directions, from a place to others.
func both(from int, others ...int) (links []recording.Link) {
	for _, to := range others {
		links = append(links, recording.Link{from, to}, recording.Link{to, from})
	}
	return links
}

// TestWhyIsSaid cuts links and crashes leaders, and wants what is said of it: who leads on, who leads next, or that nobody can.
// What is said of ours comes true.
func TestWhyIsSaid(t *testing.T) {
	// Of places, -1 is the leader, and -2 a follower.
	crash := func(node int) interactive.Intervention {
		return interactive.Intervention{Do: interactive.Crash, Node: place(node)}
	}
	cut := func(links ...recording.Link) interactive.Intervention {
		return interactive.Intervention{Do: interactive.Cut, Links: links}
	}
	for _, c := range []struct {
		algorithm string
		nodes     int
		do        []interactive.Intervention
		says      string
		leads     int // who leads two seconds later, a place; -1 is nobody, and -2 that chance decides
	}{
		{"bully", 5, []interactive.Intervention{crash(4)}, "4 should lead next: it is the highest that is left, and reaches 4 of 5, more than half", 3},
		{"bully", 4, []interactive.Intervention{crash(0), crash(3)}, "Nobody can: that takes 3 nodes that reach each other, more than half", -1},
		{"bully", 5, []interactive.Intervention{{Do: interactive.Pause, Node: place(3)}, crash(4)}, "3 should lead next: it is the highest that is left, and reaches 3 of 5", 2},
		// 4 asks, and says OK to 3, which then waits for it (R12, R15): 2 may come to lead first, and 3 pre-empts in vain.
		{"bully", 5, []interactive.Intervention{cut(recording.Link{0, 3}, recording.Link{1, 3}), crash(4)}, "3 should lead next: it is the highest that is left, and reaches 4 of 5", -2},
		{"bully", 5, []interactive.Intervention{cut(recording.Link{3, 0}, recording.Link{3, 1}), crash(4)}, "3 should lead next: it is the highest that is left, and reaches 4 of 5", -2},
		{"bully", 5, []interactive.Intervention{cut(both(4, 0, 1)...)}, "5 still reaches 3 of 5, more than half, and leads on", 4},
		{"bully", 4, []interactive.Intervention{cut(both(3, 0, 1)...)}, "4 reaches only 2 of 4, no more than half: it will find out, and lead no more. 3 should lead next", 2},
		{"bully", 3, []interactive.Intervention{crash(0)}, "3 leads on", 2},
		{"textbook", 5, []interactive.Intervention{crash(4)}, "4 should lead next: it is the highest that is left", 3},
		{"textbook", 5, []interactive.Intervention{cut(both(4, 0, 1)...)}, "5 leads on, and who cannot hear it will choose another", -2},
		{"textbook", 5, []interactive.Intervention{cut(recording.Link{0, 4})}, "5 leads on: all hear it still, though it does not hear all", 4},
		{"raft", 5, []interactive.Intervention{crash(-1)}, "Each of them waits for a random time", -2},
		{"raft", 4, []interactive.Intervention{crash(-2), crash(-1)}, "Nobody can: that takes 3 nodes that reach each other", -1},
		{"lease", 3, []interactive.Intervention{crash(-1)}, "Who asks first then has it", -2},
	} {
		s, frames := begun(t, plain(c.algorithm, c.nodes, "lan", 1))
		v := viewerOf(t, s.Header())
		v.show(frames)
		v.until(s, 5000, func() bool { return v.at > 2_000_000 })
		note := ""
		for _, d := range c.do {
			if d.Node != nil && *d.Node == -1 {
				d.Node = place(v.leader())
			} else if d.Node != nil && *d.Node == -2 {
				d.Node = place(slices.IndexFunc(v.nodes, func(n recording.State) bool { return n.Look == recording.Follows }))
			}
			d.After = v.count
			done, err := s.Do(d)
			require.NoError(t, err)
			v.show(done)
			note += done[0].Note + "\n"
		}
		require.Contains(t, note, c.says, c.algorithm)
		v.until(s, 20_000, func() bool { return v.at > 4_000_000 })
		if c.leads >= -1 {
			require.Equal(t, c.leads, v.leader(), "%s: %s", c.algorithm, c.says)
		}
	}
}
