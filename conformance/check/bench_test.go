package check_test

import (
	"bytes"
	"testing"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

func BenchmarkTrace(b *testing.B) {
	for _, c := range []struct {
		name     string
		members  []spec.NodeID
		changing bool
	}{
		{"integers-3", integers(3), false}, {"integers-5", integers(5), false}, {"integers-7", integers(7), false},
		{"uuids-3", uuids(3), false}, {"uuids-5", uuids(5), false}, {"uuids-7", uuids(7), false},
		{"changing-5", integers(5), true},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := recorded(b, c.members, 1, 100_000)
			if c.changing {
				text = recordedOf(b, changingScript(b, c.members, 1), 1, 100_000)
			}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			var events uint64
			for b.Loop() {
				report, err := check.Trace(bytes.NewReader(text), check.Options{})
				if err != nil {
					b.Fatal(err)
				}
				events += report.Events
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
