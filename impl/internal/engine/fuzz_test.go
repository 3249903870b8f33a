package engine_test

import (
	"io/fs"
	"os"
	"testing"

	"github.com/seed-fdf591db/bully/impl/internal/engine"
	"github.com/seed-fdf591db/bully/traces"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// FuzzOpen opens anything: either there is a recording that is coherent, or a problem that says why not.
func FuzzOpen(f *testing.F) {
	for _, name := range []string{"single-node.ndjson", "ok-that-does-not-deliver.ndjson", "sim-loss-seed-13.ndjson"} {
		text, err := fs.ReadFile(traces.Valid, name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, name := range []string{"testdata/tlc/TextbookB01Partition.txt", "testdata/cases/textbook-leader-crashes.case.json"} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"recording":1,"title":"t","source":"run","nodes":["1"],"timed":true}` + "\n" + `{"at":0,"kind":"start","node":0,"text":"starts"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		opened := engine.Open(text, "x")
		switch {
		case opened.Recording == nil && (opened.Problem == nil || opened.Problem.Problem == ""):
			t.Fatal("there is neither a recording nor a problem")
		case opened.Recording != nil:
			checker, err := recording.NewChecker(&opened.Recording.Header)
			if err != nil {
				t.Fatal(err)
			}
			for i := range opened.Recording.Frames {
				if err := checker.Frame(&opened.Recording.Frames[i]); err != nil {
					t.Fatal(err)
				}
			}
			if err := checker.End(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
