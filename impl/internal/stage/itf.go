package stage

import (
	"bytes"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/itf"
)

// TraceOfITF returns the trace that was written in the Informal Trace Format. The error is itf.ErrNotOurs if it is none, but states of
// another origin.
func TraceOfITF(text []byte) ([]byte, error) {
	header, events, err := itf.Import(text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := spec.NewTraceWriter(&out, header)
	for k := range events {
		if err := w.Write(&events[k]); err != nil {
			return nil, err
		}
	}
	err = w.Flush()
	return out.Bytes(), err
}
