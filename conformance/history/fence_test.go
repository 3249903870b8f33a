package history_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seed-fdf591db/bully/conformance/history"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// TestFence takes histories by hand. The second verdict is of a resource whose fence may be raised alone.
func TestFence(t *testing.T) {
	const ok, no = history.Linearizable, history.Refused
	for name, c := range map[string]struct {
		ops     []history.Op
		stale   history.Verdict
		verdict history.Verdict
		raises  history.Verdict
	}{
		"one after the other":       {[]history.Op{read(0, 0, 0, 1), wrote("1", 1, 1, 2, 3), read(1, 1, 4, 5), wrote("2", 2, 2, 6, 7), read(2, 2, 8, 9)}, ok, ok, ok},
		"the same epoch again":      {[]history.Op{wrote("1", 1, 1, 0, 1), wrote("1", 2, 1, 2, 3), read(2, 1, 4, 5)}, ok, ok, ok},
		"a late one is fenced":      {[]history.Op{wrote("2", 2, 2, 0, 1), fenced("1", 1, 1, 2, 2, 3), read(2, 2, 4, 5)}, ok, ok, ok},
		"a late one is admitted":    {[]history.Op{wrote("2", 2, 2, 0, 1), wrote("1", 1, 1, 2, 3)}, no, no, no},
		"at once, either way":       {[]history.Op{wrote("2", 2, 2, 0, 9), wrote("1", 1, 1, 1, 8), read(2, 2, 10, 11)}, ok, ok, ok},
		"at once, and nothing yet":  {[]history.Op{wrote("1", 1, 1, 0, 10), wrote("2", 2, 2, 5, 20), read(0, 0, 6, 7), read(2, 2, 21, 22)}, ok, ok, ok},
		"at once, the wrong way":    {[]history.Op{wrote("2", 2, 2, 0, 9), wrote("1", 1, 1, 1, 8), read(1, 1, 10, 11)}, no, no, no},
		"fenced for nothing":        {[]history.Op{wrote("1", 1, 1, 0, 1), fenced("1", 2, 1, 2, 2, 3)}, ok, no, no},
		"fenced before":             {[]history.Op{fenced("1", 1, 1, 2, 0, 1), wrote("2", 2, 2, 2, 3)}, ok, no, no},
		"fenced by another epoch":   {[]history.Op{wrote("2", 2, 2, 0, 1), wrote("3", 3, 3, 2, 3), fenced("1", 1, 1, 2, 4, 5)}, no, no, no},
		"fenced by its own epoch":   {[]history.Op{wrote("1", 1, 1, 0, 1), fenced("1", 2, 1, 1, 2, 3)}, ok, no, no},
		"fenced by a lower epoch":   {[]history.Op{wrote("1", 1, 1, 0, 1), fenced("2", 2, 2, 1, 2, 3)}, ok, no, no},
		"fenced, and done all same": {[]history.Op{wrote("2", 2, 2, 0, 1), fenced("1", 1, 1, 2, 2, 3), read(1, 1, 4, 5)}, no, no, no},
		"an old value of the epoch": {[]history.Op{wrote("1", 1, 1, 0, 1), wrote("1", 2, 1, 2, 3), read(1, 1, 4, 5)}, ok, no, no},
		"a value from nowhere":      {[]history.Op{read(7, 1, 0, 1)}, ok, no, no},
		"a value of another epoch":  {[]history.Op{wrote("1", 1, 1, 0, 1), read(1, 2, 2, 3)}, ok, no, no},
		"read before it was called": {[]history.Op{read(1, 1, 0, 1), unknown("1", 1, 1, 2)}, ok, no, no},
		"nothing after something":   {[]history.Op{wrote("1", 1, 1, 0, 1), read(0, 0, 2, 3)}, no, no, no},

		"no answer, and done late":         {[]history.Op{unknown("1", 1, 1, 0), read(0, 0, 1, 2), read(1, 1, 3, 4)}, ok, ok, ok},
		"no answer, and never done":        {[]history.Op{wrote("1", 1, 1, 0, 1), unknown("1", 2, 1, 2), read(1, 1, 3, 4)}, ok, ok, ok},
		"no answer, done and undone":       {[]history.Op{unknown("1", 1, 1, 0), read(1, 1, 1, 2), read(0, 0, 3, 4)}, no, no, no},
		"no answer, and fences":            {[]history.Op{unknown("2", 2, 2, 0), fenced("1", 1, 1, 2, 1, 2)}, ok, ok, ok},
		"no answer, and fences too early":  {[]history.Op{fenced("1", 1, 1, 2, 0, 1), unknown("2", 2, 2, 2)}, ok, no, no},
		"no answer, and admits once more":  {[]history.Op{unknown("2", 2, 2, 0), fenced("1", 1, 1, 2, 1, 2), wrote("1", 3, 1, 3, 4)}, no, no, no},
		"it fences, and is not there":      {[]history.Op{wrote("1", 1, 1, 0, 1), unknown("2", 2, 2, 2), fenced("1", 3, 1, 2, 3, 4), read(1, 1, 5, 6)}, ok, no, ok},
		"it fences before, and is not":     {[]history.Op{wrote("1", 1, 1, 0, 1), unknown("2", 2, 2, 2), fenced("1", 3, 1, 2, 3, 6), read(1, 1, 4, 6)}, ok, ok, ok},
		"the first of two fences":          {[]history.Op{unknown("2", 2, 2, 5), unknown("2", 3, 2, 0), fenced("1", 1, 1, 2, 1, 2)}, ok, ok, ok},
		"the first of two fences, twice":   {[]history.Op{unknown("2", 2, 2, 4), unknown("2", 3, 2, 0), fenced("1", 1, 1, 2, 1, 1), fenced("1", 4, 1, 2, 5, 6)}, ok, ok, ok},
		"it fences less than before":       {[]history.Op{wrote("3", 3, 3, 0, 1), unknown("2", 2, 2, 2), fenced("1", 1, 1, 2, 3, 4)}, no, no, no},
		"a late one without an answer":     {[]history.Op{unknown("1", 1, 1, 0), wrote("2", 2, 2, 1, 2), read(1, 1, 3, 4)}, no, no, no},
		"a later one without an answer":    {[]history.Op{wrote("2", 2, 2, 1, 2), unknown("1", 1, 1, 3), read(2, 2, 4, 5), read(1, 1, 6, 7)}, no, no, no},
		"it was read before it was called": {[]history.Op{wrote("1", 1, 1, 5, 6), read(1, 1, 0, 1)}, ok, no, no},
	} {
		t.Run(name, func(t *testing.T) {
			found := findings(t, header, c.ops...)
			require.Equal(t, c.stale, found[1].Verdict, found[1].Explanation)
			require.Equal(t, c.verdict, found[2].Verdict, found[2].Explanation)
			raises := header
			raises.Raises = []string{"r"}
			require.Equal(t, c.raises, findings(t, raises, c.ops...)[2].Verdict)
		})
	}
	// Raised alone: the older value can be read, and its writer is fenced.
	raised := []history.Op{wrote("1", 1, 1, 0, 1), unknown("2", 2, 2, 2), fenced("1", 3, 1, 2, 3, 4), wrote("3", 4, 3, 5, 6)}
	require.Equal(t, ok, findings(t, header, raised...)[2].Verdict)
	raised = append(raised[:3:3], read(1, 1, 5, 6))
	require.Equal(t, no, findings(t, header, raised...)[2].Verdict)
	guard := header
	guard.Raises = []string{"r"}
	require.Equal(t, ok, findings(t, guard, raised...)[2].Verdict)
}

// TestResourcesApart sees that each resource has a fence of its own.
func TestResourcesApart(t *testing.T) {
	ops := []history.Op{wrote("2", 2, 2, 0, 1), wrote("1", 1, 1, 2, 3)}
	ops[1].Resource = "s"
	found := findings(t, header, ops...)
	require.Equal(t, history.Linearizable, found[2].Verdict)
	require.Equal(t, 2, found[2].Parts)
	require.Equal(t, history.Linearizable, found[1].Verdict)
}

// TestFenceAgainstAll compares the verdict with that of trying every order, on small histories in which anything happens.
func TestFenceAgainstAll(t *testing.T) {
	histories := 8000 * soak()
	dice := rand.New(rand.NewPCG(7, 11))
	verdicts := map[history.Verdict]int{}
	stale := 0
	for range histories {
		ops := anything(dice)
		h := header
		raises := dice.IntN(3) == 0
		if raises {
			h.Raises = []string{"r"}
		}
		found := findings(t, h, ops...)
		want := history.Refused
		if explained(ops, content{}, raises) {
			want = history.Linearizable
		}
		require.Equal(t, want, found[2].Verdict, "%v (the fence may be raised alone: %v)", ops, raises)
		verdicts[want]++
		if found[1].Verdict == history.Refused {
			stale++
			require.Equal(t, history.Refused, want, "NoStaleWrite refuses what an order explains: %v", ops)
		}
	}
	t.Logf("%d histories: %v; NoStaleWrite refused %d", histories, verdicts, stale)
	require.Greater(t, verdicts[history.Linearizable], histories/20)
	require.Greater(t, verdicts[history.Refused], histories/20)
	require.Greater(t, stale, histories/100)
}

// anything returns a few operations on one resource. Half of the histories are of one that works, with some outcomes
// forgotten; the rest is made up.
func anything(dice *rand.Rand) (ops []history.Op) {
	works, c, reach := dice.IntN(2) == 0, content{}, 1+dice.Int64N(7)
	for i := range 1 + dice.IntN(7) {
		at := int64(i)
		o := wrote("1", uint64(i+1), spec.Epoch(1+dice.IntN(3)), max(0, at-dice.Int64N(reach)), at+dice.Int64N(reach))
		if !works {
			o.Call = dice.Int64N(8)
			o.Return = o.Call + dice.Int64N(8-o.Call)
			c = content{epoch: spec.Epoch(dice.IntN(4)), value: uint64(1 + dice.IntN(8)), fence: spec.Epoch(dice.IntN(4))}
		}
		switch kind := dice.IntN(8); {
		case kind < 3:
			if c.epoch == 0 {
				c.value = 0
			}
			o = read(c.value, c.epoch, o.Call, o.Return)
		case o.Epoch < c.fence:
			o.Outcome, o.Admitted = history.Fenced, c.fence
		default:
			c = content{o.Epoch, o.Value, o.Epoch}
		}
		if o.Kind == history.WriteOp && dice.IntN(3) == 0 {
			o.Outcome, o.Admitted, o.Return = history.Unknown, 0, history.Never
		}
		ops = append(ops, o)
	}
	dice.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
	return ops
}

// content is what a resource holds.
type content struct {
	epoch spec.Epoch
	value uint64
	fence spec.Epoch
}

// explained reports whether some order of the operations explains them, by trying all.
func explained(ops []history.Op, c content, raises bool) bool {
	if len(ops) == 0 {
		return true
	}
	first := history.Never // the next one is called before any other has returned
	for _, o := range ops {
		first = min(first, o.Return)
	}
	for i, o := range ops {
		if o.Call > first {
			continue
		}
		rest := append(append([]history.Op{}, ops[:i]...), ops[i+1:]...)
		for _, after := range outcomes(o, c, raises) {
			if explained(rest, after, raises) {
				return true
			}
		}
	}
	return false
}

// outcomes returns what a resource may hold after an operation.
func outcomes(o history.Op, c content, raises bool) (after []content) {
	written := content{o.Epoch, o.Value, o.Epoch}
	switch {
	case o.Kind == history.ReadOp && o.Epoch == c.epoch && o.Value == c.value:
		return []content{c}
	case o.Kind == history.ReadOp:
		return nil
	case o.Outcome == history.Done && o.Epoch >= c.fence:
		return []content{written}
	case o.Outcome == history.Fenced && o.Epoch < c.fence && o.Admitted == c.fence:
		return []content{c}
	case o.Outcome == history.Unknown:
		after = []content{c}
		if o.Epoch >= c.fence {
			after = append(after, written)
		}
		if o.Epoch >= c.fence && raises {
			after = append(after, content{c.epoch, c.value, o.Epoch})
		}
	}
	return after
}

// TestFenceLong sees that long histories, with many answers lost, take little time; and that the one bad read in them is found.
func TestFenceLong(t *testing.T) {
	const operations = 3000
	dice := rand.New(rand.NewPCG(1, 2))
	var ops []history.Op
	var c content
	unknowns := 0
	for i := range operations {
		at := int64(10 * i)
		call, back := max(0, at-dice.Int64N(40)), at+dice.Int64N(40)
		o := wrote("1", uint64(i+1), max(1, c.fence-spec.Epoch(dice.IntN(2))), call, back)
		if dice.IntN(100) == 0 {
			o.Epoch = c.fence + 1
		}
		switch {
		case dice.IntN(2) == 0:
			o = read(c.value, c.epoch, call, back)
		case o.Epoch < c.fence:
			o.Outcome, o.Admitted = history.Fenced, c.fence
		default:
			c = content{o.Epoch, o.Value, o.Epoch}
		}
		if o.Kind == history.WriteOp && dice.IntN(4) == 0 {
			o.Outcome, o.Admitted, o.Return = history.Unknown, 0, history.Never
			unknowns++
		}
		ops = append(ops, o)
	}
	found := findings(t, header, ops...)
	require.Equal(t, history.Linearizable, found[2].Verdict, found[2].Explanation)
	t.Logf("%d operations, %d without an answer, %d epochs: %s in %s", operations, unknowns, c.fence, found[2].Verdict,
		found[2].Took.Round(time.Millisecond))
	for i := operations / 2; ; i++ {
		if old := ops[i-100]; ops[i].Kind == history.ReadOp && old.Outcome == history.Done {
			ops[i].Value, ops[i].Epoch = old.Value, old.Epoch
			break
		}
	}
	found = findings(t, header, ops...)
	require.Equal(t, history.Refused, found[2].Verdict)
	t.Logf("with one bad read: %s in %s: %s", found[2].Verdict, found[2].Took.Round(time.Millisecond), found[2].Explanation)
}
