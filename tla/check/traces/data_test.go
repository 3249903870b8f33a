package traces

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/tlc"
)

var update = flag.Bool("update", false, "write tla/TraceData.tla anew, and the traces in testdata")

// TestSample holds the TraceData.tla that is kept for people, which stands for a small trace in testdata in which members
// change; and the data of one in which they are fixed.
func TestSample(t *testing.T) {
	for _, sample := range []struct {
		name, module string
		trace        []byte
	}{
		{"lead.ndjson", filepath.Join("testdata", "lead.tla"), ndjson(integers(3), led(t).events)},
		{"change.ndjson", filepath.Join("..", "..", dataFile), ndjsonOf(changed(t))},
	} {
		kept, module := filepath.Join("testdata", sample.name), sample.module
		if *update {
			require.NoError(t, os.WriteFile(kept, sample.trace, 0o644))
		}
		in, err := os.Open(kept)
		require.NoError(t, err)
		trace, err := read(kept, in)
		require.NoError(t, err)
		require.NoError(t, in.Close())
		var b bytes.Buffer
		firsts, err := write(&b, trace.chunks(8))
		require.NoError(t, err)
		require.Equal(t, []int{1, 9}, firsts)
		if *update {
			require.NoError(t, os.WriteFile(module, b.Bytes(), 0o644))
		}
		text, err := os.ReadFile(module)
		require.NoError(t, err)
		require.Equal(t, string(text), b.String(), "go test ./tla/check/traces -run Sample -update writes it anew")
	}
}

// TestWordsOfTraceCluster sees that the module knows every action by its name, and every receipt by its message.
func TestWordsOfTraceCluster(t *testing.T) {
	text, err := fs.ReadFile(tla.FS(), "TraceCluster.tla")
	require.NoError(t, err)
	for _, action := range spec.Actions() {
		if received := action.Receipt(); received != "" {
			require.Contains(t, string(text), fmt.Sprintf("%s |-> %q", action, received))
			continue
		}
		require.Contains(t, string(text), fmt.Sprintf("%q", action))
	}
	for part := range explanations {
		require.Contains(t, string(text), fmt.Sprintf("%q", part))
	}
}

// TestShrink sees that small epochs compare as the large ones do, and follow on each other as they do: also those that a
// rule makes by adding one.
func TestShrink(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		near := rapid.Uint64Range(0, 5)
		any := rapid.Uint64Range(0, uint64(spec.MaxEpoch))
		trace := trace{}
		known := map[uint64]bool{0: true}
		for range rapid.IntRange(0, 12).Draw(t, "epochs") {
			e := rapid.OneOf(near, any).Draw(t, "epoch")
			if back := rapid.Bool().Draw(t, "from the end"); back {
				e = uint64(spec.MaxEpoch) - e
			}
			known[e] = true
			trace.epochs.note(e)
		}
		trace.shrink()
		small := trace.epochs.small
		require.Zero(t, small(0))
		for d := range known {
			require.Equal(t, spec.Epoch(d), trace.large(small(d)))
			if !known[d+1] {
				require.Equal(t, spec.Epoch(d+1), trace.large(small(d)+1))
			}
			require.Equal(t, d == uint64(spec.MaxEpoch), small(d) == trace.highest)
			for e := range known {
				require.Equal(t, d < e, small(d) < small(e))
				require.Equal(t, d+1 < e, small(d)+1 < small(e))
				require.Equal(t, d+1 == e, small(d)+1 == small(e))
			}
			require.LessOrEqual(t, small(d), trace.epochs.most())
		}
		require.LessOrEqual(t, trace.epochs.most(), 2*len(known))
		require.Len(t, trace.leaders, trace.epochs.most()+1)
	})
}

// TestReadRefuses more members than TLC is given.
func TestReadRefuses(t *testing.T) {
	members := integers(maxMembers + 1)
	_, err := read("many", bytes.NewReader(ndjson(members, started(t, 1).events)))
	require.ErrorContains(t, err, "line 1: members: 17 are more than TLC is given here, which is 16")
}

// TestUndeliveredMessagesAreNotHandedOn sees that frames do not grow with what nobody ever takes.
func TestUndeliveredMessagesAreNotHandedOn(t *testing.T) {
	c := led(t)
	for range 500 {
		c.end(c.rank(3), spec.HeartbeatTimer)
	}
	trace, err := read("heartbeats", bytes.NewReader(ndjson(c.members, c.events)))
	require.NoError(t, err)
	chunks := trace.chunks(100)
	require.Len(t, chunks, 6)
	for _, c := range chunks {
		require.Empty(t, c.begin.way)
	}
}

// TestFinished sees that TLC must say exactly one thing of each chunk, and that all else is an error.
func TestFinished(t *testing.T) {
	chunks := []chunk{{trace: &trace{file: "a"}, last: 10}, {trace: &trace{file: "b"}, last: 10}}
	outcome := func(printed ...string) tlc.Outcome {
		o := tlc.Outcome{Job: tlc.Job{Name: "job"}}
		o.Report.Verdict, o.Report.Printed = tla.Holds, printed
		return o
	}
	one := `"<<\"verdict\", 1, 11, \"accepted\", <<>>, <<>>>>"`
	two := `"<<\"verdict\", 2, 15, \"state\", <<\"leader\", 3, 0, 1, 3, {1, 2}, 0, 9, 8, <<8, 0, 0>>, <<0, 1, {1, 2, 3}, {}, {}, <<0, 0, 4>>, <<1, 1, 1>>>>>>, ` +
		`<<<<\"follower\", 0, 0, 1, 3, {}, 0, 9, 0, <<0, 0, 0>>, <<0, 1, {1, 2, 3}, {}, {}, <<0, 0, 4>>, <<1, 1, 1>>>>>>, ` +
		`<<<<\"RESIGN\", 3, 1, 1, 9, 0, 2, 2, 7, 3, <<0, 1, {1, 2, 3}, {}, {}, <<0, 0, 4>>, <<1, 1, 1>>>>>>>>>>>>"`
	all := saidConf{0, 1, []rank{1, 2, 3}, []rank{}, []rank{}, []int{0, 0, 4}, []int{1, 1, 1}}
	resign := told{kind: "RESIGN", from: 3, to: 1, epoch: 1, question: 9, names: 3, conf: all}
	resign.granted.by, resign.granted.epoch, resign.granted.question = 2, 2, 7
	j := &job{name: "job", chunks: chunks}
	b := batch{jobs: []*job{j}}
	require.NoError(t, b.finished(outcome(two, one)))
	require.Equal(t, verdict{chunk: 2, at: 15, word: "state", before: said{role: "leader", leader: 3, grantee: 3, epoch: 1,
		support: []rank{1, 2}, latest: 9, dated: 8, answered: []int{8, 0, 0}, conf: all},
		step: answer{said{role: "follower", grantee: 3, epoch: 1, support: []rank{}, latest: 9, answered: []int{0, 0, 0}, conf: all}, []told{resign}}}, j.verdicts[1])

	require.EqualError(t, b.finished(outcome(one)), "TLC gives no verdict on b, lines 2 to 11")
	require.EqualError(t, b.finished(outcome(one, one)), "TLC gives a second verdict on chunk 1 of 2")
	require.ErrorContains(t, b.finished(outcome(one, two[:20])), "TLC prints what is no verdict")
	require.ErrorContains(t, b.finished(outcome(one, `"Warning"`)), "TLC prints what is no verdict")
	require.ErrorContains(t, b.finished(outcome(one, `"<<\"verdict\", 2>>"`)), "2 parts, not 6")
	stuck := outcome(one, two)
	stuck.Report.Verdict, stuck.Report.Property = tla.Violates, tla.Deadlock
	require.ErrorContains(t, b.finished(stuck), "violates Deadlock")
	died := outcome(one, two)
	died.Err = errors.New("the JVM died")
	require.EqualError(t, b.finished(died), "the JVM died")
}

func TestCheckRefuses(t *testing.T) {
	_, err := (&Checker{}).Check(t.Context(), nil)
	require.EqualError(t, err, "no trace is given to check")
	_, err = (&Checker{Chunk: 32_001}).Check(t.Context(), []File{{Name: "x"}})
	require.ErrorContains(t, err, "they must have from 1 to 32000")
	_, err = (&Checker{}).Check(t.Context(), []File{{Name: "no such file"}})
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	_, err := Find(dir)
	require.ErrorContains(t, err, "there is no trace in this folder")
	write("valid/a.ndjson", "")
	write("valid/more/b.ndjson", "")
	write("valid/README.md", "")
	write("invalid/c.ndjson", "")
	write("invalid/more/d.ndjson", "")
	expect := filepath.Join("invalid", ExpectFile)
	for text, problem := range map[string]string{
		`{"c.ndjson": {"line": 3, "rule": "R1"}}`: "d.ndjson is not listed",
		`{"c.ndjson": {"line": 0, "rule": "R1"}}`: "c.ndjson: a line, from 1, and a rule must be given",
		`{"c.ndjson": {"line": 3}}`:               "a line, from 1, and a rule must be given",
		`{"c.ndjson": {"lines": 3}}`:              `unknown field "lines"`,
		`{} {}`:                                   "more after the object",
		`{"c.ndjson": {"line": 3, "rule": "R1"}, "more/d.ndjson": {"line": 4, "rule": "R2"}, "e.ndjson": {"line": 4, "rule": "R2"}}`: "lists e.ndjson, and there is no such trace",
	} {
		write(expect, text)
		_, err := Find(filepath.Join(dir, "invalid"))
		require.ErrorContains(t, err, problem, text)
	}
	write(expect, `{"c.ndjson": {"line": 3, "rule": "R1"}, "more/d.ndjson": {"line": 4, "rule": "R2"}}`)
	files, err := Find(filepath.Join(dir, "valid"), filepath.Join(dir, "invalid"), filepath.Join(dir, "invalid", "c.ndjson"))
	require.NoError(t, err)
	for i := range files {
		files[i].Name, err = filepath.Rel(dir, files[i].Name)
		require.NoError(t, err)
	}
	require.Equal(t, []File{{"valid/a.ndjson", nil}, {"valid/more/b.ndjson", nil}, {"invalid/c.ndjson", &Expect{3, "R1"}},
		{"invalid/more/d.ndjson", &Expect{4, "R2"}}, {"invalid/c.ndjson", nil}}, files)
}

// TestNumbers sees that small numbers compare as the large ones do, and that the next one, and the end of a block, are what they are.
func TestNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var n numbers
		all := []spec.Question{0}
		for range rapid.IntRange(0, 12).Draw(t, "numbers") {
			block := rapid.OneOf(rapid.Uint64Range(0, 4), rapid.Uint64Range(0, uint64(spec.MaxReserved/spec.Block)-1)).Draw(t, "block")
			within := rapid.SampledFrom([]spec.Question{1, 2, 3, spec.Block - 1, spec.Block}).Draw(t, "within")
			all = append(all, spec.Question(block)*spec.Block+within)
			n.note(all[len(all)-1])
		}
		require.NoError(t, n.shrinkBlocks())
		end := func(small int) int { return (small + int(spec.Block) - 1) / int(spec.Block) * int(spec.Block) } // Reserved of TraceCluster
		for _, p := range all {
			require.Equal(t, p, n.question(n.number(p)))
			require.Equal(t, p+1, n.question(n.number(p)+1))
			for _, q := range all {
				require.Equal(t, p < q, n.number(p) < n.number(q))
				require.Equal(t, p+1 == q, n.number(p)+1 == n.number(q))
				require.Equal(t, p.Reserved() == q, end(n.number(p)) == n.number(q))
				require.Equal(t, p.Reserved()+1 == q, end(n.number(p))+1 == n.number(q))
			}
		}
	})
	var n numbers
	for i := range spec.Question(maxBlocks) {
		n.note(2*i*spec.Block + 1)
	}
	require.ErrorContains(t, n.shrinkBlocks(), "line 1: the numbers of questions are of 2000 lives, and TLC can be given those of about 1000")
}
