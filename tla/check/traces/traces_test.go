package traces

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/tlc"
)

// newChecker returns a Checker with the real TLC. It skips the test where there is no Java.
func newChecker(t testing.TB) *Checker {
	t.Helper()
	java, err := tlc.Java(t.Context())
	if err != nil {
		t.Skipf("needs Java and TLC: %v", err)
	}
	cache, err := filepath.Abs(filepath.Join("..", "..", "..", ".cache"))
	require.NoError(t, err)
	if _, err := exec.LookPath("mvn"); err != nil && os.Getenv("TLC_JAR") == "" {
		if _, err := os.Stat(cache); err != nil {
			t.Skip("needs Java and TLC: make check fetches it")
		}
	}
	jar, err := tlc.Jar(t.Context(), os.Getenv("TLC_JAR"), cache, os.Stderr)
	require.NoError(t, err)
	classes, err := tlc.Driver(t.Context(), java, cache, os.Stderr)
	require.NoError(t, err)
	return &Checker{Modules: tla.FS(), Chunk: 40,
		Runner: tlc.Runner{Java: java, Jar: jar, Classes: classes, Scratch: t.TempDir(), Lanes: 2}}
}

// corpus is traces in a folder, and what must become of them.
type corpus struct {
	t     testing.TB
	dir   string
	files []File
	want  map[string]wanted // by name
}

// wanted is where a trace must be refused, and which part of the event; no line if it must be accepted, and no part if
// that does not matter.
type wanted struct {
	line int
	part Part
}

func newCorpus(t testing.TB) *corpus {
	return &corpus{t: t, dir: t.TempDir(), want: map[string]wanted{}}
}

// add adds a trace, of which is known what must become of it.
func (c *corpus) add(name string, text []byte, line int, part Part) {
	c.t.Helper()
	require.NotEmpty(c.t, text, name)
	require.NotContains(c.t, c.want, name)
	file := filepath.Join(c.dir, name+".ndjson")
	require.NoError(c.t, os.WriteFile(file, text, 0o644))
	c.files = append(c.files, File{Name: file})
	c.want[name] = wanted{line, part}
}

// judge adds a trace, of which package check says what must become of it.
func (c *corpus) judge(name string, text []byte) {
	c.t.Helper()
	line := 0
	if _, err := check.Trace(bytes.NewReader(text), check.Options{}); err != nil {
		var fault *check.TraceError
		require.ErrorAs(c.t, err, &fault)
		line = fault.Line
	}
	c.add(name, text, line, "")
}

// check has TLC check all, and returns what it refuses, by name.
func (c *corpus) check(checker *Checker) map[string]*Refusal {
	c.t.Helper()
	report, err := checker.Check(c.t.Context(), c.files)
	require.NoError(c.t, err)
	refused, parts := map[string]*Refusal{}, map[Part]int{}
	for _, v := range report.Verdicts {
		name := strings.TrimSuffix(filepath.Base(v.File), ".ndjson")
		var got wanted
		if v.Refused != nil {
			refused[name] = v.Refused
			parts[v.Refused.Part]++
			got = wanted{v.Refused.Line, v.Refused.Part}
		}
		want := c.want[name]
		if got.line != want.line || want.part != "" && got.part != want.part {
			text, _ := os.ReadFile(v.File)
			c.t.Errorf("wanted %v (0: accepted), got %v\n%s\n%s", want, got, &v, text)
		}
	}
	c.t.Log(report.Groups, parts)
	return refused
}

// soak returns by how much BULLY_SOAK multiplies the runs.
func soak() int {
	times, _ := strconv.Atoi(os.Getenv("BULLY_SOAK"))
	return max(1, times)
}

// TestTLC has TLC check traces of all kinds, all in one batch.
func TestTLC(t *testing.T) {
	slowtest.Only(t, "TLC replays traces")
	t.Parallel()
	checker, c := newChecker(t), newCorpus(t)
	c.addFaults()
	c.addKinds()
	c.addHighest()
	c.addRandom()
	refused := c.check(checker)
	require.Equal(t, `line 10: state: OnClaim of node 10 (30→10 CLAIM epoch:1 question:3): the state after is not what the rules say
  before    electing leader:none epoch:0 grantee:none support:{} latest:1
  expected  electing leader:30 lease:3 epoch:1 grantee:30 support:{} latest:1
            10→30 GRANT epoch:1 question:3
  got       electing leader:30 lease:3 epoch:2 grantee:30 support:{} latest:1
            10→30 GRANT epoch:1 question:3`, refused["wrong epoch promised"].Error())
	require.Equal(t, `line 6: link: OnElection of node 10 (30→10 ELECTION epoch:7 question:2): the message was never put on its link (section 2)
  expected  30→10 ELECTION epoch:0 question:2
  got       30→10 ELECTION epoch:7 question:2`, refused["invented"].Error())
}

// addRandom adds random runs, and the same with one thing changed: package check says where they must be refused.
func (c *corpus) addRandom() {
	members := integers(3)
	for seed := range 80 * soak() {
		random := rand.New(rand.NewPCG(uint64(seed), 6))
		events := newCluster(c.t, members).run(random, 20+random.IntN(80), 10).events
		c.add(fmt.Sprintf("random %d", seed), ndjson(members, events), 0, "")
		mutation := mutations[seed%len(mutations)]
		if text := ndjson(members, mutation(random, members, cloned(events), random.IntN(len(events)))); text != nil {
			c.judge(fmt.Sprintf("random %d, mutated", seed), text)
		}
	}
}

// addKinds adds runs of one node and of seven, with UUIDs, cut short by a crash of the writer, and malformed in the end.
func (c *corpus) addKinds() {
	random := rand.New(rand.NewPCG(2, 6))
	c.add("one node", ndjson(integers(1), newCluster(c.t, integers(1)).run(random, 50, 10).events), 0, "")
	c.add("seven nodes", ndjson(integers(7), newCluster(c.t, integers(7)).run(random, 500, 50).events), 0, "")
	uuids := make([]spec.NodeID, 3)
	for i, text := range []string{"0e6ea4cf-8f02-4ac5-a29a-dc5b9ee4a0a3", "5b0c9f6e-9d0e-4a55-8d8e-0f2f5d2c1b11", "f47ac10b-58cc-4372-a567-0e02b2c3d479"} {
		var err error
		uuids[i], err = spec.ParseNodeID(text)
		require.NoError(c.t, err)
	}
	text := ndjson(uuids, newCluster(c.t, uuids).run(random, 200, 30).events)
	c.add("UUIDs", text, 0, "")
	c.add("cut short", text[:len(text)-10], 0, "")
	c.add("cut short in its first event", text[:bytes.IndexByte(text, '\n')+20], 1, FormPart)
	c.add("malformed", append(slices.Clone(text), "{}\n"...), 202, FormPart)
	events := led(c.t).events
	events[8].State.Epoch = 7
	c.add("malformed after a fault", append(ndjson(integers(3), events), "{}\n"...), 10, StatePart)
}

// addHighest adds runs of nodes that had records before, with epochs far from each other and up to the highest of all,
// beyond which nobody claims (R2); and the same with one thing changed.
func (c *corpus) addHighest() {
	random := rand.New(rand.NewPCG(3, 6))
	held := 0 // How often somebody could claim, were there a higher epoch.
	for seed := range 8 * soak() {
		cluster := newCluster(c.t, integers(3))
		for i := range 3 {
			cluster.rank(i + 1).promise = &spec.Durable{Epoch: spec.MaxEpoch - spec.Epoch(random.Uint64N(6)<<(20*random.Uint64N(2))), Reserved: spec.Block}
		}
		events := cluster.run(random, 150, 100).events
		c.add(fmt.Sprintf("highest epoch %d", seed), ndjson(cluster.members, events), 0, "")
		for i, e := range events {
			if e.Action == spec.ElectionTimeout && e.State.Role == spec.Follower && e.State.Epoch == spec.MaxEpoch && i > 0 && len(events[i-1].State.Support) > 0 {
				held++
			}
		}
		mutation := mutations[random.IntN(len(mutations))]
		if text := ndjson(cluster.members, mutation(random, cluster.members, events, random.IntN(len(events)))); text != nil {
			c.judge(fmt.Sprintf("highest epoch %d, mutated", seed), text)
		}
	}
	require.NotZero(c.t, held)
}

// TestMutantsOfTheModule puts another operator in the place of a rule: then good runs are refused, or bad ones are not
// until they break a promise.
func TestMutantsOfTheModule(t *testing.T) {
	slowtest.Only(t, "TLC replays traces")
	good := ndjson(integers(3), led(t).events)
	crashed := led(t)
	crashed.crash(crashed.rank(3))
	forgotten := cloned(crashed.events)
	forgotten[len(forgotten)-1].State = spec.State{Role: spec.Follower, Latest: spec.Block}
	// While 1 keeps the lease of 3, it refuses the claim of 2.
	shielded := led(t)
	shielded.end(shielded.rank(2), spec.PatienceTimer)
	shielded.deliver(shielded.rank(2), shielded.rank(1))

	type want struct {
		name string
		text []byte
		wanted
	}
	for mutant, wants := range map[string][]want{
		"Survives <- ForgetsAll": {
			{"good", good, wanted{}}, {"crashed", ndjson(integers(3), crashed.events), wanted{16, StatePart}},
			{"forgotten", ndjson(integers(3), forgotten), wanted{16, monotonicPart}},
		},
		"IsQuorum <- AnySet":           {{"good", good, wanted{8, StatePart}}, {"two leaders", twoLeaders(t), wanted{8, leaderPart}}},
		"MaySupport <- AlwaysSupports": {{"good", good, wanted{}}, {"shielded", ndjson(integers(3), shielded.events), wanted{17, sentPart}}},
	} {
		t.Run(mutant, func(t *testing.T) {
			t.Parallel()
			checker, c := newChecker(t), newCorpus(t)
			checker.mutant = mutant
			for _, w := range wants {
				c.add(w.name, w.text, w.line, w.part)
			}
			c.check(checker)
		})
	}
}

// twoLeaders is a trace in which each of two nodes takes itself for a quorum.
func twoLeaders(t testing.TB) []byte {
	c := started(t, 3)
	for _, i := range []int{3, 2} {
		id := c.members[i-1]
		c.end(c.rank(i), spec.PatienceTimer)
		e := spec.Event{Node: id, Action: spec.ElectionTimeout, Input: spec.Input{Timer: spec.ElectionTimer},
			State: spec.State{Role: spec.Leader, Leader: id, Epoch: 1, Grantee: id, Latest: 3, Dated: 3}}
		for _, to := range c.members {
			if to != id {
				e.Sent = append(e.Sent, spec.Message{Type: spec.Coordinator, From: id, To: to, Epoch: 1, Question: 3})
			}
		}
		c.events = append(c.events, e)
	}
	return ndjson(c.members, c.events)
}

// TestFramesAreCompared spoils what is handed from one chunk to the next, in each way that there is.
func TestFramesAreCompared(t *testing.T) {
	slowtest.Only(t, "TLC replays traces")
	t.Parallel()
	checker := newChecker(t)
	corpus := newCorpus(t)
	events := started(t, 3).run(rand.New(rand.NewPCG(1, 6)), 100, 1000).events
	spoilers := map[string]func(f *frame){
		"state": func(f *frame) { f.states[2] = 0 },
		"up":    func(f *frame) { f.up[2] = false },
		"new":   func(f *frame) { f.new[2] = true },
		"cut":   func(f *frame) { f.cut = 1 },
		"way":   func(f *frame) { f.way = append(f.way, 0) }, // no message at all
	}
	for name := range spoilers {
		corpus.add(name, ndjson(integers(3), events), 0, "")
	}
	b := batch{checker: checker, report: &Report{Verdicts: make([]Verdict, len(corpus.files))}, size: 40}
	for i, f := range corpus.files {
		require.NoError(t, b.read(i, f))
	}
	b.prepare()
	for _, c := range b.jobs[0].chunks {
		if c.first == 40 {
			c.trace.cut([]spec.Link{{From: c.trace.members[0], To: c.trace.members[1]}})
			spoilers[strings.TrimSuffix(filepath.Base(c.trace.file), ".ndjson")](c.begin)
		}
	}
	require.NoError(t, b.replay(t.Context()))
	for i, c := range b.jobs[0].chunks {
		if c.first == 0 {
			require.Equal(t, brokenFrame, b.jobs[0].verdicts[i].word, c.trace.file)
		}
	}
	require.ErrorContains(t, b.conclude(), "this is an error of package traces")
}
