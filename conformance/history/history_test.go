package history_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/seed-fdf591db/bully/conformance/history"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// The operations of these tests, on one resource, with times in nanoseconds.

func led(node string, epoch spec.Epoch, call, back int64) history.Op {
	return history.Op{Client: node, Kind: history.LedOp, Epoch: epoch, Call: call, Return: back}
}

func followed(node string, leader uint64, epoch spec.Epoch, call, back int64) history.Op {
	return history.Op{Client: node, Kind: history.FollowedOp, Epoch: epoch, Leader: spec.IntegerID(leader), Call: call, Return: back}
}

func wrote(node string, value uint64, epoch spec.Epoch, call, back int64) history.Op {
	return history.Op{Client: node, Kind: history.WriteOp, Epoch: epoch, Resource: "r", Value: value, Outcome: history.Done, Call: call, Return: back}
}

func fenced(node string, value uint64, epoch, admitted spec.Epoch, call, back int64) history.Op {
	o := wrote(node, value, epoch, call, back)
	o.Outcome, o.Admitted = history.Fenced, admitted
	return o
}

func unknown(node string, value uint64, epoch spec.Epoch, call int64) history.Op {
	o := wrote(node, value, epoch, call, history.Never)
	o.Outcome = history.Unknown
	return o
}

func read(value uint64, epoch spec.Epoch, call, back int64) history.Op {
	return history.Op{Client: "reader", Kind: history.ReadOp, Epoch: epoch, Resource: "r", Value: value, Call: call, Return: back}
}

// header is of the histories of these tests.
var header = history.Header{Source: "a test", Commit: "none"}

// findings returns what the checks of a history find: registers, NoStaleWrite, fence.
func findings(t testing.TB, h history.Header, ops ...history.Op) [3]history.Finding {
	t.Helper()
	report, err := history.Check(h, ops, history.Options{})
	require.NoError(t, err)
	require.Len(t, report.Findings, 3)
	return [3]history.Finding(report.Findings)
}

// sound is one with an operation of every form.
func sound() []history.Op {
	return []history.Op{led("3", 4, 1000, 1000), followed("1", 3, 4, 1400, 1400), wrote("3", 17, 4, 2000, 2300), led("2", 3, 0, 100),
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

func TestFile(t *testing.T) {
	var text bytes.Buffer
	h := header
	h.Raises = []string{"r", "s"}
	require.NoError(t, history.Write(&text, h, sound()))
	require.Equal(t, historyText, text.String())
	readH, ops, err := history.Read(&text)
	require.NoError(t, err)
	require.Equal(t, h, readH)
	require.Equal(t, sound(), ops)

	h.Source = "<a & b>" // which package json would escape
	require.NoError(t, history.Write(&text, h, nil))
	readH, _, err = history.Read(&text)
	require.NoError(t, err)
	require.Equal(t, h, readH)

	h.Raises = nil // which is no null
	require.NoError(t, history.Write(&text, h, nil))
	require.Contains(t, text.String(), `"raises":[]`)
	readH, _, err = history.Read(&text)
	require.NoError(t, err)
	require.Empty(t, readH.Raises)

	free := strings.Replace(historyText, `{"client":"3","kind":"led",`, ` { "kind" : "led",	"client":"3", `, 1)
	_, ops, err = history.Read(strings.NewReader(free))
	require.NoError(t, err)
	require.Equal(t, sound(), ops)
	_, ops, err = history.Read(strings.NewReader(historyText[:strings.Index(historyText, "\n")+1]))
	require.NoError(t, err)
	require.Empty(t, ops)
}

// TestFileRefused spoils one thing at a time.
func TestFileRefused(t *testing.T) {
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
		_, _, err := history.Read(strings.NewReader(spoiled))
		require.ErrorContains(t, err, c.want)
		var fault *history.Error
		require.ErrorAs(t, err, &fault)
	}
	_, _, err := history.Read(strings.NewReader(""))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	_, _, err = history.Read(iotest.ErrReader(io.ErrClosedPipe))
	require.ErrorIs(t, err, io.ErrClosedPipe)

	for want, o := range map[string]history.Op{
		"it has a field that a led does not carry": {Client: "3", Kind: history.LedOp, Epoch: 1, Value: 1},
		"call: -1 is not from 0":                   led("3", 1, -1, 0),
		"return: a write without an answer":        {Client: "3", Kind: history.WriteOp, Resource: "r", Epoch: 1, Value: 1, Outcome: history.Unknown, Return: 1},
		"admitted: 9007199254740992 is not from 0": fenced("3", 1, 1, 1<<53, 0, 0),
		"leader: it is no node":                    {Client: "3", Kind: history.FollowedOp, Epoch: 1},
		`client: "ü": printable ASCII`:             {Client: "ü", Kind: history.ReadOp, Resource: "r"},
	} {
		require.ErrorContains(t, history.Write(io.Discard, header, []history.Op{o}), "line 2: "+want)
		_, err := history.Check(header, []history.Op{o}, history.Options{})
		require.ErrorContains(t, err, "line 2: "+want)
		require.ErrorContains(t, history.Visualise(io.Discard, header, []history.Op{o}, history.Options{}), "line 2: "+want)
	}
	require.ErrorContains(t, history.Write(io.Discard, history.Header{}, nil), "line 1: source: 0 characters")
	require.ErrorIs(t, history.Write(brokenWriter{}, header, sound()), io.ErrClosedPipe)
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestCheck looks at the verdicts of all checks together.
func TestCheck(t *testing.T) {
	report, err := history.Check(header, sound(), history.Options{})
	require.NoError(t, err)
	require.NoError(t, report.Err())
	require.Equal(t, history.Linearizable, report.Verdict())
	for i, want := range []history.Finding{{Check: "registers", Operations: 5, Parts: 2}, {Check: "NoStaleWrite", Operations: 4, Parts: 1},
		{Check: "fence", Operations: 5, Parts: 1}} {
		got := report.Findings[i]
		want.Verdict, want.Took = history.Linearizable, got.Took
		require.Equal(t, want, got)
	}

	report, err = history.Check(header, nil, history.Options{})
	require.NoError(t, err)
	require.Equal(t, history.Nothing, report.Verdict())
	require.ErrorContains(t, report.Err(), "no operations")

	report, err = history.Check(header, append(sound(), followed("2", 2, 4, 3000, 3000)), history.Options{})
	require.NoError(t, err)
	require.Equal(t, history.Refused, report.Verdict())
	require.EqualError(t, report.Err(), "OneLeaderPerEpoch: epoch 4 has two leaders, 3 and 2: node 3 leads epoch 4 (1µs to 1µs), "+
		"and node 2 is told (3µs to 3µs) that 2 leads epoch 4")
}

// hard returns a history whose refusal takes long: many writes at once, none of which has the value that is read.
func hard(writes int) (ops []history.Op) {
	for i := range writes {
		ops = append(ops, wrote("3", uint64(i+1), 1, 1, 1000))
	}
	return append(ops, read(1, 1, 2000, 2000), read(2, 1, 2001, 2001))
}

// TestInconclusive sees that a search that was given up passes for nothing.
func TestInconclusive(t *testing.T) {
	report, err := history.Check(header, hard(24), history.Options{Timeout: 20 * time.Millisecond})
	require.NoError(t, err)
	require.Equal(t, history.Inconclusive, report.Verdict())
	require.Equal(t, history.Inconclusive, report.Findings[2].Verdict)
	require.ErrorContains(t, report.Err(), "fence: inconclusive: the time of 20ms was up at r, part 1 of 1 with 26 operations")

	// What is refused is refused, whatever becomes of the rest.
	report, err = history.Check(header, append(hard(24), led("4", 1, 0, 0)), history.Options{Timeout: 20 * time.Millisecond})
	require.NoError(t, err)
	require.Equal(t, history.Inconclusive, report.Findings[2].Verdict)
	require.Equal(t, history.Refused, report.Verdict())
	require.ErrorContains(t, report.Err(), "OneLeaderPerEpoch: ")
	require.NotContains(t, report.Err().Error(), "inconclusive")
	other := read(3, 2, 1, 1)
	other.Resource = "z"
	report, err = history.Check(header, append(hard(24), other), history.Options{Timeout: 20 * time.Millisecond})
	require.NoError(t, err)
	require.Contains(t, []history.Verdict{history.Refused, history.Inconclusive}, report.Verdict())
}

// TestVisualise draws histories, and looks only at whether all is on the page: how it looks is for people.
func TestVisualise(t *testing.T) {
	var page bytes.Buffer
	ops := append(sound(), followed("2", 2, 4, 3000, 3000), unknown("3", 19, 4, 3000), read(19, 4, 4000, 4000))
	require.NoError(t, history.Visualise(&page, header, ops, history.Options{}))
	for _, text := range []string{"a test", "Who led, and who was told", "Resource r", "✕ registers: refused", "epoch 4 has two leaders, 3 and 2", "✓ fence: linearizable",
		"node 3 leads epoch 4 (1µs to 1µs); number 1, after which it holds led by 3", "is told: 3 leads epoch 4", "write value 17, epoch 4 → done", "write value 16, epoch 3 → fenced by epoch 4",
		"1 of 6 operations are in no order that explains the others", "it fits into no order", `<span title="node 3">node 3</span>`, `<span title="reader">reader</span>`,
		"write value 18, epoch 4 → unknown", "write value 19, epoch 4 → unknown", "read → value 17, epoch 4", "value 17 of epoch 4", "var(--epoch-4)", "prefers-color-scheme: dark"} {
		require.Contains(t, page.String(), text)
	}
	require.NotContains(t, page.String(), "<script", "it runs none")
	require.Equal(t, 1, strings.Count(page.String(), `<svg xmlns="http`)-1, "a drawing of the epochs, and one of the resource")
	require.ErrorContains(t, history.Visualise(io.Discard, header, nil, history.Options{}), "nothing to draw")
	require.ErrorIs(t, history.Visualise(brokenWriter{}, header, ops, history.Options{}), io.ErrClosedPipe)
	many := make([]history.Op, 20_001)
	for i := range many {
		many[i] = led("1", 1, int64(i), int64(i))
	}
	require.ErrorContains(t, history.Visualise(io.Discard, header, many, history.Options{}), "too many for a page")
}

// TestOrderIsDrawn sees that each operation of an order has its place in it, and that a name cannot become a part of the page.
func TestOrderIsDrawn(t *testing.T) {
	var page bytes.Buffer
	ops := append(sound(), history.Op{Client: "<b>&", Kind: history.ReadOp, Epoch: 4, Resource: "r", Value: 17, Call: 2400, Return: 2900})
	require.NoError(t, history.Visualise(&page, header, ops, history.Options{}))
	require.NotContains(t, page.String(), "<b>")
	require.Contains(t, page.String(), `<span title="&lt;b&gt;&amp;">`)
	require.Equal(t, 11, strings.Count(page.String(), `class="effect"`), "a dot for each operation of the orders")
	for place := 1; place <= 6; place++ {
		require.Contains(t, page.String(), fmt.Sprintf("<tr><td>%d</td>", place))
	}
	require.NotContains(t, page.String(), "misfit\"")
}

// TestColours compares the colours of the page with those of the viewer, in light and in dark.
func TestColours(t *testing.T) {
	colours := func(file, dark string) (light, inDark map[string]string) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		first, second, ok := strings.Cut(string(text), dark)
		require.True(t, ok)
		all := func(text string) map[string]string {
			found := map[string]string{}
			for _, pair := range regexp.MustCompile(`(--[a-z0-9-]+): (#[0-9a-f]{6})`).FindAllStringSubmatch(text, -1) {
				found[pair[1]] = pair[2]
			}
			return found
		}
		return all(first), all(second)
	}
	light, dark := colours("page.css", "@media (prefers-color-scheme: dark)")
	lightOfViewer, darkOfViewer := colours("../../traces/viewer/src/palette.css", "[data-theme='dark']")
	require.Len(t, light, 19)
	require.Len(t, dark, 19)
	for name := range light {
		require.Equal(t, lightOfViewer[name], light[name], name)
		require.Equal(t, darkOfViewer[name], dark[name], name)
	}
}

func ExampleCheck() {
	ops := []history.Op{
		{Client: "3", Kind: history.WriteOp, Epoch: 4, Resource: "printer", Value: 1, Outcome: history.Unknown, Call: 1000, Return: history.Never},
		{Client: "2", Kind: history.WriteOp, Epoch: 5, Resource: "printer", Value: 2, Outcome: history.Done, Call: 2000, Return: 3000},
		{Client: "somebody", Kind: history.ReadOp, Epoch: 4, Resource: "printer", Value: 1, Call: 4000, Return: 5000},
	}
	report, err := history.Check(history.Header{Source: "an example", Commit: "none"}, ops, history.Options{})
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
