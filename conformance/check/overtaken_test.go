package check_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// renumbered returns a trace of these events, in this order.
func renumbered(t testing.TB, h spec.Header, events []spec.Event) []byte {
	t.Helper()
	for i := range events {
		events[i].Seq = uint64(i + 1)
	}
	return writeTrace(t, h, events)
}

// TestOvertaken puts the line in which a message is received right before the line that says it, as a merge by clocks that differ
// would: the error is of the line that comes too early, and names the one that it has overtaken. What nobody says names none.
func TestOvertaken(t *testing.T) {
	header, events := readTrace(t, recorded(t, integers(3), 4, 300))
	says := func(e *spec.Event, m spec.Message) bool { return slices.Contains(e.Sent, m) }
	named, invented := 0, 0
	for i := range events {
		m := events[i].Input.Message
		if m.Type == "" || events[i].Action == spec.LoseAction {
			continue
		}
		sender := slices.IndexFunc(events[:i], func(e spec.Event) bool { return says(&e, m) })
		early := slices.Insert(slices.Delete(slices.Clone(events), i, i+1), sender, events[i])
		_, err := check.Trace(bytes.NewReader(renumbered(t, header, early)), check.Options{})
		if err == nil || !bytes.Contains([]byte(err.Error()), []byte("never put on that link")) {
			continue // it is down then
		}
		require.ErrorContains(t, err, fmt.Sprintf("line %d: section 2: ", sender+2))
		require.ErrorContains(t, err, fmt.Sprintf("never put on that link; line %d says it, and was overtaken by this one\n", sender+3))
		named++

		early[sender] = events[i].Clone()
		early[sender].Input.Message.Question += 1000
		_, err = check.Trace(bytes.NewReader(renumbered(t, header, early)), check.Options{})
		require.ErrorContains(t, err, "never put on that link\n")
		invented++
	}
	require.Greater(t, named, 20)
	require.Equal(t, named, invented)
}
