package check_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/spec"
)

// TestRuns checks what clusters of the model have done, with anything going wrong: it is all legal, and is reported as it
// was. Without the Lose events it is legal too.
func TestRuns(t *testing.T) {
	var total check.Report
	for n := 1; n <= 7; n++ {
		for seed := range uint64(6 * soak()) {
			members := integers(n)
			if seed%2 == 1 {
				members = uuids(n)
			}
			text := recorded(t, members, seed, 400)
			if seed%3 == 2 {
				text = recordedOf(t, changingScript(t, members, seed), seed, 400)
			}
			header, events := readTrace(t, text)
			next := 0
			report := checked(t, text, check.Options{Strict: true, Observe: func(c *check.Case) {
				for !events[next].Action.OfNode() || events[next].Action == spec.CrashAction {
					next++
				}
				e := &events[next]
				next++
				require.Equal(t, e.Node, c.ID)
				require.True(t, c.Want.Equal(spec.Step{State: e.State, Sent: e.Sent}))
				require.True(t, new(conformance.Model).Step(c.ID, c.Members, c.Before, c.Input).Equal(c.Want), "%v on %v", c.Before, c.Input)
				require.Equal(t, check.RuleOf(c), c.Rule)
			}})
			require.Equal(t, members, report.Members)
			require.Equal(t, uint64(len(events)), report.Events)
			require.Equal(t, reignsIn(events), report.Reigns)
			require.False(t, report.CutShort)
			for action, times := range report.Actions {
				require.Equal(t, times, uint64(len(slices.DeleteFunc(slices.Clone(events), func(e spec.Event) bool { return e.Action != action }))))
			}
			silent := slices.DeleteFunc(slices.Clone(events), func(e spec.Event) bool { return e.Action == spec.LoseAction })
			for i := range silent {
				silent[i].Seq = uint64(i + 1)
			}
			checked(t, writeTrace(t, header, silent), check.Options{})
			total.Events += report.Events
			total.Reigns += report.Reigns
		}
	}
	t.Logf("%d events, %d reigns", total.Events, total.Reigns)
	require.Positive(t, total.Reigns)
}

// changingScript returns some of these members as the first ones.
func changingScript(t testing.TB, members []spec.NodeID, seed uint64) *cluster.Script {
	list := []spec.Member{{ID: members[0], Kind: spec.Voter}}
	for i, id := range members[1:] {
		if kind := (int(seed)/3 + i) % 4; kind < 3 {
			list = append(list, spec.Member{ID: id, Kind: spec.MemberKinds()[kind]})
		}
	}
	first, err := spec.NewConfiguration(0, 1, list)
	require.NoError(t, err)
	return &cluster.Script{Members: members, First: first}
}

// reignsIn returns how many reigns there are in a trace.
func reignsIn(events []spec.Event) uint64 {
	reigns := map[spec.Durable]bool{}
	for _, e := range events {
		if e.State.Role == spec.Leader {
			reigns[spec.Durable{Epoch: e.State.Epoch, Grantee: e.State.Grantee}] = true
		}
	}
	return uint64(len(reigns))
}

// TestRecords checks runs of nodes that had records before: close to the bound of R2, too.
func TestRecords(t *testing.T) {
	bound := 0
	for seed := range uint64(60 * soak()) {
		random := rand.New(rand.NewPCG(seed, 6))
		script := cluster.DrawScript(random.IntN)
		var text bytes.Buffer
		w := spec.NewTraceWriter(&text, spec.Header{Members: script.Members, Seed: seed, Commit: "model"})
		model := conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })
		c, err := cluster.New(script.Members, model, cluster.Options{Records: script.Records, Trace: w})
		require.NoError(t, err)
		for c.Events() < 200 {
			require.NoError(t, c.Do(c.Draw(random.IntN)))
		}
		require.NoError(t, w.Flush())
		checked(t, text.Bytes(), check.Options{Strict: true, Observe: func(c *check.Case) {
			if c.Before.Epoch < spec.MaxEpoch && c.Want.State.Epoch == spec.MaxEpoch {
				bound++
			}
		}})
	}
	require.Positive(t, bound, "a node has come to 2^53-1")
}

// script records what happens to three nodes: a line an op.
func script(t *testing.T, lines string) []byte {
	t.Helper()
	var text bytes.Buffer
	w := spec.NewTraceWriter(&text, spec.Header{Members: integers(3), Commit: "model"})
	model := conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })
	c, err := cluster.New(integers(3), model, cluster.Options{Trace: w})
	require.NoError(t, err)
	for line := range strings.Lines(lines) {
		op, err := cluster.ParseOp(line)
		require.NoError(t, err)
		require.NoError(t, c.Do(op))
	}
	require.NoError(t, w.Flush())
	return text.Bytes()
}

// twoActing lets 3 lead, cuts it off, and lets 2 lead before 3 knows.
const twoActing = `end 3 patience
settle
cut 1-3 2-3 3-1 3-2
end 1 patience
settle
end 1 election
end 2 patience
settle
end 2 election
settle`

// TestOneActing refuses two leaders at a time if that is asked. If timers may end too soon it is legal.
func TestOneActing(t *testing.T) {
	text := script(t, twoActing)
	require.Equal(t, uint64(2), checked(t, text, check.Options{}).Reigns)
	_, err := check.Trace(bytes.NewReader(text), check.Options{OneActing: true})
	require.ErrorContains(t, err, "OneActing: two nodes act as leader\n  got       node 2 leads epoch 2\n            node 3 leads epoch 1\n")
	var fault *check.TraceError
	require.ErrorAs(t, err, &fault)
	_, events := readTrace(t, text)
	require.Equal(t, spec.OnGrant, events[fault.Line-2].Action)

	// One who has crashed, or has resigned, acts no more.
	for _, ends := range []string{"crash 3\n", "resign 3\n"} {
		lines := strings.Replace(twoActing, "end 1 patience", ends+"end 1 patience", 1)
		require.Equal(t, uint64(2), checked(t, script(t, lines), check.Options{OneActing: true}).Reigns)
	}
}

// TestCutShort takes a trace that ends within a line, unless that is not wanted; and one that ends within the first.
func TestCutShort(t *testing.T) {
	text := recorded(t, integers(3), 1, 20)
	_, events := readTrace(t, text)
	last := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
	for end := last + 1; end < len(text); end++ {
		report := checked(t, text[:end], check.Options{})
		require.True(t, report.CutShort)
		require.Equal(t, uint64(len(events)-1), report.Events)
	}
	_, err := check.Trace(bytes.NewReader(text[:len(text)-1]), check.Options{Strict: true})
	require.ErrorContains(t, err, fmt.Sprintf("line %d: section 14: cut short", len(events)+1))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	first := bytes.IndexByte(text, '\n') + 1
	for _, end := range []int{0, 10, first - 1, first, first + 10} {
		report, err := check.Trace(bytes.NewReader(text[:end]), check.Options{})
		require.ErrorContains(t, err, "line 1: section 14: ", "of %d bytes", end)
		require.Zero(t, report.Events)
	}
}

// TestReading sees that a trace that cannot be read is not taken for one that has ended.
func TestReading(t *testing.T) {
	text := recorded(t, integers(2), 1, 20)
	broken := errors.New("the disk is gone")
	report, err := check.Trace(io.MultiReader(bytes.NewReader(text), iotest.ErrReader(broken)), check.Options{})
	require.ErrorIs(t, err, broken)
	require.NotZero(t, report.Events)
	_, err = check.Trace(iotest.ErrReader(broken), check.Options{})
	require.ErrorIs(t, err, broken)
	require.Equal(t, checked(t, text, check.Options{}).Events, func() uint64 {
		report, err := check.Trace(iotest.OneByteReader(bytes.NewReader(text)), check.Options{})
		require.NoError(t, err)
		return report.Events
	}())
}

// TestManyNodes checks runs of more nodes than the explorer has, as many as there may be: what was recorded is as it must be, and
// one message too many of the last node is not.
func TestManyNodes(t *testing.T) {
	for _, n := range []int{16, check.MaxNodes - 1} {
		ids := integers(n)
		script := changingScript(t, ids[:min(n, 50)], uint64(n))
		script.Members = ids
		text := recordedOf(t, script, uint64(n), 400)
		report := checked(t, text, check.Options{Strict: true})
		require.EqualValues(t, ids, report.Members)
		require.Positive(t, report.Actions[spec.OnElection])

		h, events := readTrace(t, text)
		at := slices.IndexFunc(events, func(e spec.Event) bool { return len(e.Sent) > 9 })
		require.Positive(t, at)
		sent := &events[at].Sent
		*sent = (*sent)[:len(*sent)-1]
		_, err := check.Trace(bytes.NewReader(writeTrace(t, h, events)), check.Options{})
		require.ErrorContains(t, err, fmt.Sprintf("line %d: R", at+2))
	}
}
