package spec_test

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// longTrace is the events of a trace in testdata, repeated until there are so many; and dated, if there is a first date.
func longTrace(b *testing.B, name string, size int, first uint64) (spec.Header, []spec.Event, []byte) {
	text, err := os.ReadFile("testdata/valid/" + name + ".ndjson")
	require.NoError(b, err)
	header, events, err := readTrace(bytes.NewReader(text))
	require.NoError(b, err)
	for i := 0; len(events) < size; i++ {
		event := events[i]
		event.Seq = uint64(len(events) + 1)
		events = append(events, event)
	}
	for i := range events {
		if first > 0 {
			events[i].At = first + uint64(i)
		}
	}
	text, err = writeTrace(header, events)
	require.NoError(b, err)
	return header, events, text
}

func BenchmarkTraceReader(b *testing.B) {
	for _, c := range []struct {
		name, file string
		first      uint64
	}{
		{"integers", "integers", 0},
		{"uuids", "uuids", 0},
		{"dated", "integers", 1763715600000000},
		{"changing", "changing", 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			_, events, text := longTrace(b, c.file, 100_000, c.first)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			var event spec.Event
			for b.Loop() {
				trace, err := spec.NewTraceReader(bytes.NewReader(text))
				require.NoError(b, err)
				for err == nil {
					err = trace.Read(&event)
				}
				require.Equal(b, io.EOF, err)
			}
			b.ReportMetric(float64(len(events)*b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

func BenchmarkTraceWriter(b *testing.B) {
	for _, name := range []string{"integers", "changing"} {
		b.Run(name, func(b *testing.B) {
			header, events, text := longTrace(b, name, 100_000, 0)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				w := spec.NewTraceWriter(io.Discard, header)
				for i := range events {
					require.NoError(b, w.Write(&events[i]))
				}
				require.NoError(b, w.Flush())
			}
			b.ReportMetric(float64(len(events)*b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

func BenchmarkMessageBinary(b *testing.B) {
	for name, message := range map[string]spec.Message{"fixed": claim, "changing": changing(b)} {
		b.Run(name, func(b *testing.B) {
			buffer := make([]byte, 0, spec.MaxFrame)
			b.ReportAllocs()
			for b.Loop() {
				data, err := message.AppendBinary(buffer)
				if err != nil {
					b.Fatal(err)
				}
				var back spec.Message
				if err := back.UnmarshalBinary(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
