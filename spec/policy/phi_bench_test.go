package policy

import (
	"testing"
	"time"
)

// What an arrival costs: it is learned, and the timer is set anew.
func BenchmarkArrival(b *testing.B) {
	p := newPhi(b, lan)
	now := steady(p, at(0), 50*ms, 2000)
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(50 * ms)
		p.Heard(now)
		p.Patience(now)
	}
}

// What a look at phi costs, for the status of a node.
func BenchmarkPhi(b *testing.B) {
	p := newPhi(b, lan)
	now := steady(p, at(0), 50*ms, 2000)
	for _, test := range []struct {
		name   string
		waited time.Duration
	}{{"in-time", 60 * ms}, {"overdue", 300 * ms}, {"dead", time.Hour}} {
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Phi(now.Add(test.waited))
			}
		})
	}
}
