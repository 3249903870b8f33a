package transport

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/spec"
)

// The inbox does what a plain list does from which the oldest of a node is cut.
func TestInboxAgainstAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 40).Draw(t, "most")
		ids := []spec.NodeID{one, two, three}
		in := newInbox(ids, most)
		var list []Event
		cut := func(id spec.NodeID, message bool, most int) (dropped bool) {
			var of []int
			for i, e := range list {
				if e.Node == id && (e.Kind == Received) == message {
					of = append(of, i)
				}
			}
			if len(of) <= most {
				return false
			}
			list = append(list[:of[0]:of[0]], list[of[0]+1:]...)
			return true
		}
		for i := range rapid.IntRange(0, 200).Draw(t, "steps") {
			b := in.boxes[rapid.IntRange(0, 2).Draw(t, "node")]
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				list = append(list, Event{Kind: Down, Node: b.node})
				require.Equal(t, cut(b.node, false, maxTold), in.tell(b, Down))
			case 1:
				n := 0
				for cut(b.node, true, 0) {
					n++
				}
				require.Equal(t, n, in.forget(b))
			case 2:
				in.untell(b)
				list = slices.DeleteFunc(list, func(e Event) bool { return e.Node == b.node && e.Kind != Received })
			case 3, 4, 5:
				got, ok := in.next()
				require.Equal(t, len(list) > 0, ok)
				if ok {
					require.Equal(t, list[0], got)
					list = list[1:]
				}
			default:
				m := claim(b.node, nine, i)
				list = append(list, Event{Kind: Received, Node: b.node, Message: m})
				require.Equal(t, cut(b.node, true, most), in.receive(b, m))
			}
			require.Equal(t, len(list), in.size)
			require.Equal(t, min(1, len(list)), len(in.wake), "there is a value while there is an event")
		}
	})
}

func TestKindString(t *testing.T) {
	require.Equal(t, "Received Up Down Dead Kind(0)", Received.String()+" "+Up.String()+" "+Down.String()+" "+Dead.String()+" "+Kind(0).String())
}

// A queue keeps nothing of what was taken: a bundle may be a megabyte.
func TestQueueKeepsNothing(t *testing.T) {
	r := ring[string]{max: 4}
	for range 3 {
		for range 5 {
			r.push("a bundle")
		}
		for r.n > 1 {
			r.pop()
		}
		left := slices.DeleteFunc(slices.Clone(r.items), func(s string) bool { return s == "" })
		require.Len(t, left, 1)
	}
	require.Equal(t, 1, r.clear())
	require.Empty(t, r.items)
}
