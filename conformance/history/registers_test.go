package history_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/history"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// soak returns how many times as long a test is to be as it commonly is: the environment variable BULLY_SOAK, or 1.
func soak() int {
	if n, err := strconv.Atoi(os.Getenv("BULLY_SOAK")); err == nil && n > 0 {
		return n
	}
	return 1
}

func TestRegisters(t *testing.T) {
	for name, c := range map[string]struct {
		ops  []history.Op
		want string // what the refusal says; "" if there is none
	}{
		"one led, all told":          {[]history.Op{led("3", 4, 10, 12), followed("1", 3, 4, 13, 13), followed("2", 3, 4, 20, 30)}, ""},
		"told while it comes to":     {[]history.Op{led("3", 4, 10, 12), followed("1", 3, 4, 8, 10)}, ""},
		"every epoch by itself":      {[]history.Op{led("3", 4, 10, 12), led("2", 5, 10, 12), led("1", 3, 20, 20), followed("3", 2, 5, 12, 14)}, ""},
		"it says so twice":           {[]history.Op{led("3", 4, 10, 12), led("3", 4, 20, 20)}, ""},
		"its write says so":          {[]history.Op{wrote("3", 1, 4, 10, 12), followed("1", 3, 4, 11, 11)}, ""},
		"its first write says so":    {[]history.Op{wrote("3", 2, 4, 20, 22), wrote("3", 1, 4, 10, 12), followed("1", 3, 4, 11, 11)}, ""},
		"two led":                    {[]history.Op{led("3", 4, 10, 12), led("2", 4, 90, 99)}, "OneLeaderPerEpoch: epoch 4 has two leaders, 3 and 2: node 3 leads epoch 4 (10ns to 12ns), and node 2 leads epoch 4 (90ns to 99ns)"},
		"two led at once":            {[]history.Op{led("3", 4, 10, 99), led("2", 4, 10, 99)}, "epoch 4 has two leaders"},
		"told of another":            {[]history.Op{led("3", 4, 10, 12), followed("1", 2, 4, 20, 20)}, "OneLeaderPerEpoch: epoch 4 has two leaders, 3 and 2: node 3 leads epoch 4 (10ns to 12ns), and node 1 is told (20ns to 20ns) that 2 leads epoch 4"},
		"told of two":                {[]history.Op{followed("1", 2, 4, 20, 20), followed("1", 3, 4, 10, 12)}, "epoch 4 has two leaders, 3 and 2"},
		"told too early":             {[]history.Op{followed("1", 3, 4, 8, 9), led("3", 4, 10, 12)}, "R39: node 1 is told (8ns to 9ns) that 3 leads epoch 4, and that was before: node 3 leads epoch 4 (10ns to 12ns)"},
		"told, and it never led":     {[]history.Op{followed("1", 3, 4, 8, 9)}, "R39: node 1 is told (8ns to 9ns) that 3 leads epoch 4, and nobody ever led it"},
		"another writes":             {[]history.Op{led("3", 4, 10, 12), unknown("2", 1, 4, 20)}, "epoch 4 has two leaders, 3 and 2: node 3 leads epoch 4 (10ns to 12ns), and node 2 writes 1 of epoch 4 to r (from 20ns on), which is unknown"},
		"two write":                  {[]history.Op{wrote("3", 1, 4, 10, 12), fenced("2", 2, 4, 5, 1, 20)}, "epoch 4 has two leaders, 2 and 3"},
		"two led one, all is well":   {[]history.Op{led("1", 1, 0, 0), led("3", 4, 10, 12), led("2", 4, 90, 99), led("2", 5, 100, 100)}, "epoch 4 has two leaders"},
		"who claims is told nothing": {[]history.Op{followed("1", 3, 4, 8, 9), wrote("3", 1, 4, 10, 12)}, "R39: node 1 is told (8ns to 9ns) that 3 leads epoch 4, and that was before: node 3 writes 1"},
	} {
		t.Run(name, func(t *testing.T) {
			found := findings(t, header, c.ops...)[0]
			if c.want == "" {
				require.Equal(t, history.Linearizable, found.Verdict, found.Explanation)
				return
			}
			require.Equal(t, history.Refused, found.Verdict)
			require.Contains(t, found.Broken+": "+found.Explanation, c.want)
		})
	}
}

// TestRegistersAgainstRule compares the verdict with what it comes to: all agree, and nobody is told before somebody led.
func TestRegistersAgainstRule(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 5))
	verdicts := map[history.Verdict]int{}
	for range 5000 * soak() {
		var ops []history.Op
		want := history.Linearizable
		for range 1 + dice.IntN(6) {
			node, call := uint64(1+dice.IntN(20)/18), dice.Int64N(20)
			back := call + dice.Int64N(10)
			o := led(strconv.FormatUint(node, 10), 1, call, back)
			if dice.IntN(2) == 0 {
				o = followed("7", node, 1, call+5, back+5)
			}
			ops = append(ops, o)
		}
		first := history.Never
		for _, o := range ops {
			if o.Kind == history.LedOp {
				first = min(first, o.Call)
			}
		}
		for _, o := range ops {
			for _, p := range ops {
				if leaderOf(t, o) != leaderOf(t, p) {
					want = history.Refused
				}
			}
			if o.Kind == history.FollowedOp && o.Return < first {
				want = history.Refused
			}
		}
		require.Equal(t, want, findings(t, header, ops...)[0].Verdict, "%v", ops)
		verdicts[want]++
	}
	require.Len(t, verdicts, 2, "%v", verdicts)
}

func leaderOf(t *testing.T, o history.Op) spec.NodeID {
	t.Helper()
	if o.Kind == history.FollowedOp {
		return o.Leader
	}
	id, err := spec.ParseNodeID(o.Client)
	require.NoError(t, err)
	return id
}

const toldTrace = `{"format":3,"spec":"2.0","members":["1","2"],"host":"here","commit":"none"}
{"seq":1,"at":1000,"node":"1","action":"Start","sent":[],"state":{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1}}
{"seq":2,"at":1002,"node":"2","action":"OnGrant","input":{"message":{"type":"GRANT","from":"1","to":"2","epoch":1,"question":3}},"sent":[],"state":{"role":"leader","leader":"2","lease":0,"epoch":1,"grantee":"2","support":["1"],"asked":0,"latest":3,"dated":3,"answered":[{"node":"1","question":3}]}}
{"seq":3,"at":1001,"node":"1","action":"OnCoordinator","input":{"message":{"type":"COORDINATOR","from":"2","to":"1","epoch":1,"question":3}},"sent":[],"state":{"role":"follower","leader":"2","lease":3,"epoch":1,"grantee":"2","support":[],"asked":0,"latest":1}}
{"seq":4,"at":1009,"node":"1","action":"OnHeartbeat","input":{"message":{"type":"HEARTBEAT","from":"2","to":"1","epoch":1,"question":4}},"sent":[],"state":{"role":"follower","leader":"2","lease":4,"epoch":1,"grantee":"2","support":[],"asked":0,"latest":1}}
{"seq":5,"action":"Cut","input":{"cut":[["1","2"]]}}
{"seq":6,"node":"2","action":"Crash","state":{"role":"follower","leader":null,"lease":0,"epoch":1,"grantee":"2","support":[],"asked":0,"latest":1048576}}
{"seq":7,"at":1020,"node":"1","action":"OnClaim","input":{"message":{"type":"CLAIM","from":"2","to":"1","epoch":2,"question":1048578}},"sent":[],"state":{"role":"electing","leader":"2","lease":1048578,"epoch":2,"grantee":"2","support":[],"asked":0,"latest":1}}
`

func TestTraceOps(t *testing.T) {
	ops, err := history.TraceOps(strings.NewReader(toldTrace))
	require.NoError(t, err)
	require.Equal(t, []history.Op{led("2", 1, 2000, 2000), followed("1", 2, 1, 2001, 2001)}, ops, "in the order of the trace, whatever the clocks say")
	ops, err = history.TraceOps(strings.NewReader(toldTrace[:len(toldTrace)-1]))
	require.ErrorContains(t, err, "line 8: cut short")
	require.Len(t, ops, 2)
	_, err = history.TraceOps(strings.NewReader("nonsense"))
	require.Error(t, err)

	// The model keeps its promises, and a trace of it in which one leader is another does not.
	text := recorded(t, 3000)
	ops, err = history.TraceOps(bytes.NewReader(text))
	require.NoError(t, err)
	require.Greater(t, len(ops), 100)
	found := findings(t, header, ops...)[0]
	require.Equal(t, history.Linearizable, found.Verdict, found.Explanation)
	require.Greater(t, found.Parts, 10, "epochs")
	for i := range ops {
		if ops[i].Kind == history.LedOp {
			ops[i].Epoch++
		}
	}
	require.Equal(t, history.Refused, findings(t, header, ops...)[0].Verdict)
}

// recorded returns the trace of a run of three nodes in which anything happens, with at least so many events.
func recorded(t *testing.T, events uint64) []byte {
	var text bytes.Buffer
	members := []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}
	w := spec.NewTraceWriter(&text, spec.Header{Members: members, Commit: "model"})
	model := conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })
	c, err := cluster.New(members, model, cluster.Options{Trace: w})
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 5))
	for c.Events() < events {
		require.NoError(t, c.Do(c.Draw(random.IntN)))
	}
	require.NoError(t, w.Flush())
	return text.Bytes()
}
