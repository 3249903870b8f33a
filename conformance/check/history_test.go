package check_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// The operations of these tests, on one resource, with times in nanoseconds.

func led(node string, epoch spec.Epoch, call, back int64) check.Op {
	return check.Op{Client: node, Kind: check.LedOp, Epoch: epoch, Call: call, Return: back}
}

func followed(node string, leader uint64, epoch spec.Epoch, call, back int64) check.Op {
	return check.Op{Client: node, Kind: check.FollowedOp, Epoch: epoch, Leader: spec.IntegerID(leader), Call: call, Return: back}
}

func wrote(node string, value uint64, epoch spec.Epoch, call, back int64) check.Op {
	return check.Op{Client: node, Kind: check.WriteOp, Epoch: epoch, Resource: "r", Value: value, Outcome: check.Done, Call: call, Return: back}
}

func fenced(node string, value uint64, epoch, admitted spec.Epoch, call, back int64) check.Op {
	o := wrote(node, value, epoch, call, back)
	o.Outcome, o.Admitted = check.Fenced, admitted
	return o
}

func unknown(node string, value uint64, epoch spec.Epoch, call int64) check.Op {
	o := wrote(node, value, epoch, call, check.Never)
	o.Outcome = check.Unknown
	return o
}

func read(value uint64, epoch spec.Epoch, call, back int64) check.Op {
	return check.Op{Client: "reader", Kind: check.ReadOp, Epoch: epoch, Resource: "r", Value: value, Call: call, Return: back}
}

// header is of the histories of these tests.
var header = check.HistoryHeader{Source: "a test", Commit: "none"}

// findings returns what the checks of a history find: registers, NoStaleWrite, fence.
func findings(t testing.TB, h check.HistoryHeader, ops ...check.Op) [3]check.Finding {
	t.Helper()
	report, err := check.History(h, ops, check.HistoryOptions{})
	require.NoError(t, err)
	require.Len(t, report.Findings, 3)
	return [3]check.Finding(report.Findings)
}

// history is one with an operation of every form.
func history() []check.Op {
	return []check.Op{led("3", 4, 1000, 1000), followed("1", 3, 4, 1400, 1400), wrote("3", 17, 4, 2000, 2300), led("2", 3, 0, 100),
		fenced("2", 16, 3, 4, 2000, 2500), unknown("3", 18, 4, 2400), read(17, 4, 2400, 2900), read(0, 0, 100, 200)}
}

const historyText = `{"format":1,"source":"a test","commit":"none","raises":["r","s"]}
{"client":"3","kind":"led","epoch":4,"call":1000,"return":1000}
{"client":"1","kind":"followed","epoch":4,"leader":"3","call":1400,"return":1400}
{"client":"3","kind":"write","epoch":4,"resource":"r","value":17,"outcome":"done","call":2000,"return":2300}
{"client":"2","kind":"led","epoch":3,"call":0,"return":100}
{"client":"2","kind":"write","epoch":3,"resource":"r","value":16,"outcome":"fenced","admitted":4,"call":2000,"return":2500}
{"client":"3","kind":"write","epoch":4,"resource":"r","value":18,"outcome":"unknown","call":2400}
{"client":"reader","kind":"read","epoch":4,"resource":"r","value":17,"call":2400,"return":2900}
{"client":"reader","kind":"read","epoch":0,"resource":"r","value":0,"call":100,"return":200}
`

func TestHistoryFile(t *testing.T) {
	var text bytes.Buffer
	h := header
	h.Raises = []string{"r", "s"}
	require.NoError(t, check.WriteHistory(&text, h, history()))
	require.Equal(t, historyText, text.String())
	readH, ops, err := check.ReadHistory(&text)
	require.NoError(t, err)
	require.Equal(t, h, readH)
	require.Equal(t, history(), ops)

	h.Source = "<a & b>" // which package json would escape
	require.NoError(t, check.WriteHistory(&text, h, nil))
	readH, _, err = check.ReadHistory(&text)
	require.NoError(t, err)
	require.Equal(t, h, readH)

	h.Raises = nil // which is no null
	require.NoError(t, check.WriteHistory(&text, h, nil))
	require.Contains(t, text.String(), `"raises":[]`)
	readH, _, err = check.ReadHistory(&text)
	require.NoError(t, err)
	require.Empty(t, readH.Raises)

	free := strings.Replace(historyText, `{"client":"3","kind":"led",`, ` { "kind" : "led",	"client":"3", `, 1)
	_, ops, err = check.ReadHistory(strings.NewReader(free))
	require.NoError(t, err)
	require.Equal(t, history(), ops)
	_, ops, err = check.ReadHistory(strings.NewReader(historyText[:strings.Index(historyText, "\n")+1]))
	require.NoError(t, err)
	require.Empty(t, ops)
}

// TestHistoryFileRefused spoils one thing at a time.
func TestHistoryFileRefused(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`"format":1`, `"format":2`, "line 1: format: 2 is not the form of a history that is known: 1"},
		{`"source":"a test",`, ``, "line 1: source: missing"},
		{`"commit":"none"`, `"commit":""`, "line 1: commit: 0 characters"},
		{`["r","s"]`, `"r"`, "line 1: raises: \"r\": an array of strings is wanted"},
		{`["r","s"]`, `["r",1]`, "line 1: raises: [\"r\",1]: an array of strings is wanted"},
		{`["r","s"]`, `["r",""]`, "line 1: raises: 0 characters"},
		{`{"client":"3","kind":"led",`, `{"client":"3","kind":"led","client":"3",`, "line 2: client: given twice"},
		{`"kind":"led"`, `"kind":"leads"`, `line 2: kind: "leads" is no kind of operation`},
		{`"client":"3","kind":"led"`, `"client":"x","kind":"led"`, "line 2: client: of led: "},
		{`"epoch":4,"call":1000`, `"epoch":0,"call":1000`, "line 2: epoch: 0 is not from 1"},
		{`"epoch":4,"call":1000`, `"epoch":4.0,"call":1000`, "line 2: epoch: 4.0: an integer from 0 to 2^53-1 is wanted"},
		{`"epoch":4,"call":1000`, `"epoch":"4","call":1000`, "line 2: epoch: \"4\": an integer from"},
		{`"epoch":4,"call":1000`, `"epoch":9007199254740992,"call":1000`, "line 2: epoch: 9007199254740992 is not from 1 to 2^53-1"},
		{`"call":1000,"return":1000}`, `"call":1000,"return":999}`, "line 2: return: 999 is not from the call, 1000"},
		{`"call":1000,"return":1000}`, `"call":1000}`, "line 2: return: missing"},
		{`"call":1000,"return":1000}`, `"call":1000,"return":1000,"value":1}`, "line 2: value: not wanted here"},
		{`"call":1000,"return":1000}`, `"call":1000,"return":1000,"to":1}`, `line 2: unknown field "to"`},
		{`"call":1000,"return":1000}`, `"call":1000,"return":1000} {}`, "line 2: something follows the object"},
		{`"call":1000,"return":1000}`, `"call":1000,"return":1000`, "line 2: the object does not end"},
		{`{"client":"3","kind":"led"`, `["client","3","kind","led"`, "line 2: it is no object"},
		{`"leader":"3"`, `"leader":"03"`, "line 3: leader: "},
		{`"leader":"3"`, `"leader":"\u0033"`, "line 3: byte 0x5c at column"},
		{`"value":17,"outcome":"done"`, `"value":0,"outcome":"done"`, "line 4: value: 0 is not from 1"},
		{`"outcome":"done"`, `"outcome":"maybe"`, `line 4: outcome: "maybe" is no outcome of a write`},
		{`"outcome":"done"`, `"outcome":"done","admitted":4`, "line 4: admitted: not wanted here"},
		{`"admitted":4`, `"admitted":-1`, "line 6: admitted: -1: an integer from 0 to 2^53-1 is wanted"},
		{`"value":18`, `"value":17`, "line 7: value: 17 was written to r in line 4 already"},
		{`"outcome":"unknown","call":2400`, `"outcome":"unknown","call":2400,"return":2500`, "line 7: return: not wanted here"},
		{`"resource":"r","value":17,"call":2400`, `"resource":"","value":17,"call":2400`, "line 8: resource: 0 characters"},
		{`"epoch":0`, `"epoch":1`, "line 9: value: value 0 of epoch 1"},
		{"200}\n", "200}", "line 9: cut short"},
		{`"a test"`, `"` + strings.Repeat("a", 1<<16) + `"`, "line 1: longer than 64 KiB"},
	} {
		spoiled := strings.Replace(historyText, c.old, c.new, 1)
		require.NotEqual(t, historyText, spoiled, c.old)
		_, _, err := check.ReadHistory(strings.NewReader(spoiled))
		require.ErrorContains(t, err, c.want)
		var fault *check.HistoryError
		require.ErrorAs(t, err, &fault)
	}
	_, _, err := check.ReadHistory(strings.NewReader(""))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	_, _, err = check.ReadHistory(iotest.ErrReader(io.ErrClosedPipe))
	require.ErrorIs(t, err, io.ErrClosedPipe)

	for want, o := range map[string]check.Op{
		"it has a field that a led does not carry": {Client: "3", Kind: check.LedOp, Epoch: 1, Value: 1},
		"call: -1 is not from 0":                   led("3", 1, -1, 0),
		"return: a write without an answer":        {Client: "3", Kind: check.WriteOp, Resource: "r", Epoch: 1, Value: 1, Outcome: check.Unknown, Return: 1},
		"admitted: 9007199254740992 is not from 0": fenced("3", 1, 1, 1<<53, 0, 0),
		"leader: it is no node":                    {Client: "3", Kind: check.FollowedOp, Epoch: 1},
		`client: "ü": printable ASCII`:             {Client: "ü", Kind: check.ReadOp, Resource: "r"},
	} {
		require.ErrorContains(t, check.WriteHistory(io.Discard, header, []check.Op{o}), "line 2: "+want)
		_, err := check.History(header, []check.Op{o}, check.HistoryOptions{})
		require.ErrorContains(t, err, "line 2: "+want)
		require.ErrorContains(t, check.Visualise(io.Discard, header, []check.Op{o}, check.HistoryOptions{}), "line 2: "+want)
	}
	require.ErrorContains(t, check.WriteHistory(io.Discard, check.HistoryHeader{}, nil), "line 1: source: 0 characters")
	require.ErrorIs(t, check.WriteHistory(brokenWriter{}, header, history()), io.ErrClosedPipe)
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestHistory looks at the verdicts of all checks together.
func TestHistory(t *testing.T) {
	report, err := check.History(header, history(), check.HistoryOptions{})
	require.NoError(t, err)
	require.NoError(t, report.Err())
	require.Equal(t, check.Linearizable, report.Verdict())
	for i, want := range []check.Finding{{Check: "registers", Operations: 5, Parts: 2}, {Check: "NoStaleWrite", Operations: 4, Parts: 1},
		{Check: "fence", Operations: 5, Parts: 1}} {
		got := report.Findings[i]
		want.Verdict, want.Took = check.Linearizable, got.Took
		require.Equal(t, want, got)
	}

	report, err = check.History(header, nil, check.HistoryOptions{})
	require.NoError(t, err)
	require.Equal(t, check.Nothing, report.Verdict())
	require.ErrorContains(t, report.Err(), "no operations")

	report, err = check.History(header, append(history(), followed("2", 2, 4, 3000, 3000)), check.HistoryOptions{})
	require.NoError(t, err)
	require.Equal(t, check.Refused, report.Verdict())
	require.EqualError(t, report.Err(), "OneLeaderPerEpoch: epoch 4 has two leaders, 3 and 2: node 3 leads epoch 4 (1µs to 1µs), "+
		"and node 2 is told (3µs to 3µs) that 2 leads epoch 4")
}

// hard returns a history whose refusal takes long: many writes at once, none of which has the value that is read.
func hard(writes int) (ops []check.Op) {
	for i := range writes {
		ops = append(ops, wrote("3", uint64(i+1), 1, 1, 1000))
	}
	return append(ops, read(1, 1, 2000, 2000), read(2, 1, 2001, 2001))
}

// TestInconclusive sees that a search that was given up passes for nothing.
func TestInconclusive(t *testing.T) {
	report, err := check.History(header, hard(24), check.HistoryOptions{Timeout: 20 * time.Millisecond})
	require.NoError(t, err)
	require.Equal(t, check.Inconclusive, report.Verdict())
	require.Equal(t, check.Inconclusive, report.Findings[2].Verdict)
	require.ErrorContains(t, report.Err(), "fence: inconclusive: the time of 20ms was up at r, part 1 of 1 with 26 operations")

	// What is refused is refused, whatever becomes of the rest.
	report, err = check.History(header, append(hard(24), led("4", 1, 0, 0)), check.HistoryOptions{Timeout: 20 * time.Millisecond})
	require.NoError(t, err)
	require.Equal(t, check.Inconclusive, report.Findings[2].Verdict)
	require.Equal(t, check.Refused, report.Verdict())
	require.ErrorContains(t, report.Err(), "OneLeaderPerEpoch: ")
	require.NotContains(t, report.Err().Error(), "inconclusive")
	other := read(3, 2, 1, 1)
	other.Resource = "z"
	report, err = check.History(header, append(hard(24), other), check.HistoryOptions{Timeout: 20 * time.Millisecond})
	require.NoError(t, err)
	require.Contains(t, []check.Verdict{check.Refused, check.Inconclusive}, report.Verdict())
}

// TestVisualise draws histories, and looks only at whether all is on the page: how it looks is for people.
func TestVisualise(t *testing.T) {
	var page bytes.Buffer
	ops := append(history(), followed("2", 2, 4, 3000, 3000), unknown("3", 19, 4, 3000), read(19, 4, 4000, 4000))
	require.NoError(t, check.Visualise(&page, header, ops, check.HistoryOptions{}))
	for _, text := range []string{"a test", "3 leads 4", "1 is told: 3 leads 4", "3: write r 17 of 4 → done", "2: write r 16 of 3 → fenced by 4",
		"3: write r 18 of 4 → unknown", "3: write r 19 of 4 → unknown", "reader: read r → 17 of 4", "led by 3", "value 17 of epoch 4"} {
		require.Contains(t, page.String(), text)
	}
	require.ErrorContains(t, check.Visualise(io.Discard, header, nil, check.HistoryOptions{}), "nothing to draw")
	require.ErrorIs(t, check.Visualise(brokenWriter{}, header, ops, check.HistoryOptions{}), io.ErrClosedPipe)
	many := make([]check.Op, 20_001)
	for i := range many {
		many[i] = led("1", 1, int64(i), int64(i))
	}
	require.ErrorContains(t, check.Visualise(io.Discard, header, many, check.HistoryOptions{}), "too many for a page")
}

func ExampleHistory() {
	ops := []check.Op{
		{Client: "3", Kind: check.WriteOp, Epoch: 4, Resource: "printer", Value: 1, Outcome: check.Unknown, Call: 1000, Return: check.Never},
		{Client: "2", Kind: check.WriteOp, Epoch: 5, Resource: "printer", Value: 2, Outcome: check.Done, Call: 2000, Return: 3000},
		{Client: "somebody", Kind: check.ReadOp, Epoch: 4, Resource: "printer", Value: 1, Call: 4000, Return: 5000},
	}
	report, err := check.History(check.HistoryHeader{Source: "an example", Commit: "none"}, ops, check.HistoryOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range report.Findings {
		fmt.Printf("%s: %s\n", f.Check, f.Verdict)
	}
	fmt.Println(report.Err())
	// Output:
	// registers: linearizable
	// NoStaleWrite: refused
	// fence: refused
	// NoStaleWrite: printer had admitted epoch 5 (node 2 writes 2 of epoch 5 to printer (2µs to 3µs), which is done) when somebody reads 1 of epoch 4 from printer (4µs to 5µs)
	// R38: no order of the 3 operations on printer explains what came of them: after 2 of them it holds value 2 of epoch 5, and then somebody reads 1 of epoch 4 from printer (4µs to 5µs)
}
