package spec_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// A message in JSON, and one in binary on a stream.
func ExampleMessage() {
	claim := spec.Message{Type: spec.Claim, From: spec.IntegerID(3), To: spec.IntegerID(1), Epoch: 4, Question: 7}
	text, err := json.Marshal(claim)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))

	frame, err := spec.AppendFrame(nil, claim)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%x\n", frame)

	err = json.Unmarshal([]byte(`{"type":"CLAIM","from":"3","to":"1","epoch":9007199254740992,"question":7}`), &claim)
	fmt.Println(err)
	// Output:
	// {"type":"CLAIM","from":"3","to":"1","epoch":4,"question":7}
	// 000000320304000000000000000000000000000000030000000000000000000000000000000100000000000000040000000000000007
	// epoch: 9007199254740992 is above 2^53-1
}

// Who the members are, in a cluster in which they come and go: a leader adds a node, which is in its message then.
func ExampleConfiguration() {
	now, err := spec.NewConfiguration(4, 1, []spec.Member{
		{ID: spec.IntegerID(3), Kind: spec.Witness},
		{ID: spec.IntegerID(1), Kind: spec.Voter, Address: "10.0.0.1:7400"},
		{ID: spec.IntegerID(2), Kind: spec.Voter},
	})
	if err != nil {
		panic(err)
	}
	wanted, err := spec.NewConfiguration(now.Epoch, now.Version+1, append(now.Members(), spec.Member{ID: spec.IntegerID(4), Kind: spec.Observer}))
	if err != nil {
		panic(err)
	}
	fmt.Println(now)
	fmt.Println(wanted, wanted.Newer(now), wanted == now)
	_, found := now.Member(spec.IntegerID(4))
	fmt.Println(found, spec.EmptyConfiguration())

	text, err := json.Marshal(spec.Message{Type: spec.Heartbeat, From: spec.IntegerID(1), To: spec.IntegerID(3), Epoch: 4, Question: 8, Configuration: now})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))

	_, err = spec.NewConfiguration(4, 2, now.Members()[2:])
	fmt.Println(err)
	// Output:
	// epoch:4 version:1 {1 2 witness:3}
	// epoch:4 version:2 {1 2 witness:3 observer:4} true false
	// false epoch:0 version:0 {}
	// {"type":"HEARTBEAT","from":"1","to":"3","epoch":4,"question":8,"configuration":{"epoch":4,"version":1,"members":[{"id":"1","kind":"voter","address":"10.0.0.1:7400"},{"id":"2","kind":"voter"},{"id":"3","kind":"witness"}]}}
	// members: there is no voter, and so nobody to lead
}

// Ids rank as unsigned integers, and every UUID ranks above every integer.
func ExampleNodeID_Compare() {
	var ids []spec.NodeID
	for _, text := range []string{"ffffffff-0000-4000-8000-000000000000", "10", "9", "00000001-0000-4000-8000-000000000000", "18446744073709551615"} {
		id, err := spec.ParseNodeID(text)
		if err != nil {
			panic(err)
		}
		ids = append(ids, id)
	}
	slices.SortFunc(ids, spec.NodeID.Compare)
	for _, id := range ids {
		fmt.Println(id)
	}
	_, err := spec.ParseNodeID("007")
	fmt.Println(err)
	// Output:
	// 9
	// 10
	// 18446744073709551615
	// 00000001-0000-4000-8000-000000000000
	// ffffffff-0000-4000-8000-000000000000
	// node id: "007" has a leading zero
}

// The writer of this trace crashed in the middle of its last line: the events before are good.
func ExampleTraceReader() {
	file := strings.NewReader(`{"format":3,"spec":"2.0","members":["1","2","3"],"seed":81,"commit":"9fceb02"}
{"seq":1,"node":"1","action":"Start","sent":[],"state":{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1}}
{"seq":2,"node":"1","action":"OnClaim","input":{"message":{"type":"CLAIM","from":"3","to":"1","epoch":1,"question":3}},"sent":[{"type":"GRANT","from":"1","to":"3","epoch":1,"question":3}],"state":{"role":"electing","leader":"3","lease":3,"epoch":1,"grantee":"3","support":[],"asked":0,"latest":1}}
{"seq":3,"action":"Lose","input":{"message":{"type":"GRANT","from":"1","to":"3","epoch":1,"question":3}}}
{"seq":4,"node":"3","action":"ClaimTi`)

	trace, err := spec.NewTraceReader(file)
	if err != nil {
		panic(err)
	}
	fmt.Println("members", trace.Header().Members)
	for {
		var event spec.Event
		err := trace.Read(&event)
		if err == io.EOF {
			break
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			fmt.Println(err)
			break
		}
		if err != nil {
			panic(err)
		}
		fmt.Println(event)
	}
	// Output:
	// members [1 2 3]
	// 1 Start | 1 is follower leader:none epoch:0 grantee:none support:{} latest:1
	// 2 OnClaim 3→1 CLAIM epoch:1 question:3 | 1→3 GRANT epoch:1 question:3 | 1 is electing leader:3 lease:3 epoch:1 grantee:3 support:{} latest:1
	// 3 Lose 1→3 GRANT epoch:1 question:3
	// line 5: cut short: no LF at its end
}

// A trace of one step, written.
func ExampleTraceWriter() {
	one := spec.IntegerID(1)
	var out strings.Builder
	trace := spec.NewTraceWriter(&out, spec.Header{Members: []spec.NodeID{one}, Host: "db-1.example", Commit: "9fceb02"})
	err := trace.Write(&spec.Event{Seq: 1, Node: one, Action: spec.StartAction, State: spec.State{Role: spec.Follower, Latest: 1}})
	if err == nil {
		err = trace.Flush()
	}
	fmt.Print(out.String(), err, "\n")
	// Output:
	// {"format":3,"spec":"2.0","members":["1"],"host":"db-1.example","commit":"9fceb02"}
	// {"seq":1,"node":"1","action":"Start","sent":[],"state":{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1}}
	// <nil>
}
