package explore

import (
	"fmt"
	"testing"
)

// cheap is that many counters to eight, in states of 40 bytes. Its expander costs next to
// nothing, so that what is measured is the explorer.
type cheap int

type cheapExpander struct {
	counters int
	next     [40]byte
}

func (cheap) Init(emit func([]byte))   { emit(make([]byte, 40)) }
func (c cheap) Expander() Expander     { return &cheapExpander{counters: int(c)} }
func (cheap) Render([]byte) []Variable { return nil }
func (cheap) Unchecked() []string      { return nil }

func (e *cheapExpander) Check([]byte) string { return "" }

func (e *cheapExpander) Expand(s []byte, emit func(Step, []byte, string)) {
	copy(e.next[:], s)
	for i := range e.counters {
		e.next[5*i] = (s[5*i] + 1) % 8
		emit(Step{Action: "Count", Args: [2]int8{int8(i)}}, e.next[:], "")
		e.next[5*i] = s[5*i]
	}
}

// BenchmarkRun explores 2,097,152 states of 40 bytes, with seven steps from each.
func BenchmarkRun(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			var r Result
			for b.Loop() {
				r = mustRun(b, cheap(7), Options{Workers: workers})
			}
			b.ReportMetric(float64(r.Generated)*float64(b.N)/b.Elapsed().Seconds(), "generated/s")
			b.ReportMetric(float64(r.PeakBytes)/float64(r.Distinct), "bytes/state")
		})
	}
}

func BenchmarkFingerprint(b *testing.B) {
	for _, size := range []int{16, 40, 100} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			state := make([]byte, size)
			b.SetBytes(int64(size))
			for b.Loop() {
				state[0] = byte(fingerprint(state))
			}
		})
	}
}
