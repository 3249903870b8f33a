package explore

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
)

func TestStepString(t *testing.T) {
	for want, s := range map[string]Step{
		"":               {},
		"Settle":         {Action: "Settle"},
		"Crash(2)":       {Action: "Crash", Args: [2]int8{2}},
		"OnClaim(3→1)":   {Action: "OnClaim", Args: [2]int8{3, 1}},
		"Write(0)":       {Action: "Write", Form: One},
		"Promise(2, 0)":  {Action: "Promise", Args: [2]int8{2}, Form: Two},
		"Promise(-1, 3)": {Action: "Promise", Args: [2]int8{-1, 3}, Form: Two},
	} {
		if got := s.String(); got != want {
			t.Errorf("%#v is written %q, want %q", s, got, want)
		}
	}
}

func TestViolationString(t *testing.T) {
	state := func(node, messages string) []Variable {
		return []Variable{{"node", node}, {"messages", messages}}
	}
	v := &Violation{StepProperty, "EpochMonotonic", []Event{
		{Step{}, state(`<<[role |-> "follower", epoch |-> 1], [role |-> "leader", epoch |-> 2]>>`, `{}`)},
		{Step{Action: "OnClaim", Args: [2]int8{2, 1}},
			state(`<<[role |-> "electing", epoch |-> 2], [role |-> "leader", epoch |-> 2]>>`, `{<<2, "a, b">>, {1}}`)},
		{Step{Action: "Resign", Args: [2]int8{2}},
			state(`<<[role |-> "electing", epoch |-> 2], [role |-> "leader", epoch |-> 2]>>`, `{<<2, "a, b">>, {1}}`)},
		{Step{Action: "Crash", Args: [2]int8{1}},
			state(`<<[role |-> "electing", epoch |-> 0], [role |-> "leader", epoch |-> 2]>>`, `{{1}}`)},
	}}
	want := `Step property EpochMonotonic is violated by step 3.
0. Initial state
   node = <<[role |-> "follower", epoch |-> 1], [role |-> "leader", epoch |-> 2]>>
   messages = {}
1. OnClaim(2→1)
   node[1].role = "electing"
   node[1].epoch = 2
   messages gains <<2, "a, b">>
   messages gains {1}
2. Resign(2)
   (nothing changes)
3. Crash(1)
   node[1].epoch = 0
   messages loses <<2, "a, b">>
`
	if got := v.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	var b bytes.Buffer
	if n, err := v.WriteTo(&b); err != nil || n != int64(len(want)) || b.String() != want {
		t.Errorf("WriteTo wrote %d bytes, %v", n, err)
	}
}

func TestViolationTitle(t *testing.T) {
	for want, v := range map[string]Violation{
		"Invariant TypeOK is violated by an initial state.\n": {Invariant, "TypeOK", make([]Event, 1)},
		"Invariant TypeOK is violated after step 4.\n":        {Invariant, "TypeOK", make([]Event, 5)},
		"Deadlock after step 4: no action is enabled.\n":      {Deadlock, "Deadlock", make([]Event, 5)},
	} {
		if got := v.title(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestChanges(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{`1`, `1`, ``},
		{`1`, `2`, `x = 2`},
		{`<<1, 2>>`, `<<1, 3>>`, `x[2] = 3`},
		{`<<1>>`, `<<1, 3>>`, `x = <<1, 3>>`},
		{`<<>>`, `<<1>>`, `x = <<1>>`},
		{`<<<<1, 2>>, <<>>>>`, `<<<<1, 5>>, <<>>>>`, `x[1][2] = 5`},
		{`[a |-> 1, b |-> <<1>>]`, `[a |-> 1, b |-> <<2>>]`, `x.b[1] = 2`},
		{`[a |-> 1]`, `[b |-> 1]`, `x = [b |-> 1]`},
		{`[a |-> 1]`, `<<2>>`, `x = <<2>>`},
		{`{1, 2}`, `{2, 3}`, `x loses 1;x gains 3`},
		{`{1, 2}`, `{2, 1}`, `x = {2, 1}`},
		{`{[a |-> {1, 2}]}`, `{}`, `x loses [a |-> {1, 2}]`},
		{`<<(1 :> 2 @@ 3 :> 4), 5>>`, `<<(1 :> 2 @@ 3 :> 7), 5>>`, `x[1] = (1 :> 2 @@ 3 :> 7)`},
		{`<<"a]", "b,">>`, `<<"a]", "c,">>`, `x[2] = "c,"`},
		{`>`, `<<>`, `x = <<>`},
	} {
		if got := strings.Join(changes("x", c.before, c.after), ";"); got != c.want {
			t.Errorf("%s to %s: got %q, want %q", c.before, c.after, got, c.want)
		}
	}
}

func TestProgress(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var seen []Progress
	r, err := Run(ctx, cheap(7), Options{Workers: 2, ProgressEvery: 20 * time.Millisecond, Progress: func(p Progress) {
		if seen = append(seen, p); len(seen) >= 3 && p.Rate > 0 {
			cancel()
		}
	}})
	if err != context.Canceled || len(seen) < 3 {
		t.Fatalf("%v after %d reports", err, len(seen))
	}
	for i, p := range seen {
		if p.Rate < 0 || p.Frontier < 0 || p.Frontier > p.Distinct || p.Distinct > p.Generated {
			t.Errorf("report %d: %+v", i, p)
		}
		if i > 0 && (p.Generated < seen[i-1].Generated || p.Depth < seen[i-1].Depth) {
			t.Errorf("report %d goes back: %+v after %+v", i, p, seen[i-1])
		}
	}
	last := seen[len(seen)-1]
	if last.Depth == 0 || last.Frontier == 0 || last.Distinct == 0 || last.Bytes == 0 {
		t.Errorf("the last report is %+v", last)
	}
	if last.Generated > r.Generated || last.Bytes > r.PeakBytes {
		t.Errorf("%+v, but the result is %+v", last, r)
	}
	p := Progress{14, 1204417, 6118230, 88411, 2_104_000, 33 << 20}
	want := "depth 14, 1204417 distinct, 6118230 generated, 88411 to do, 2.10M/s, 33 MiB"
	if p.String() != want {
		t.Errorf("got %q, want %q", p, want)
	}
}
