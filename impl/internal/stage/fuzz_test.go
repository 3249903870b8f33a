package stage_test

import (
	"io/fs"
	"os"
	"testing"

	"github.com/seed-fdf591db/bully/impl/internal/stage"
	"github.com/seed-fdf591db/bully/traces"
	"github.com/seed-fdf591db/bully/traces/film"
)

// FuzzOpen opens anything: either there is a film that is coherent, or a problem that says why not.
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
	f.Add([]byte(`{"film":1,"title":"t","source":"run","nodes":["1"],"timed":true}` + "\n" + `{"at":0,"kind":"start","node":0,"text":"starts"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		opened := stage.Open(text, "x")
		switch {
		case opened.Film == nil && (opened.Problem == nil || opened.Problem.Problem == ""):
			t.Fatal("there is neither a film nor a problem")
		case opened.Film != nil:
			checker, err := film.NewChecker(&opened.Film.Header)
			if err != nil {
				t.Fatal(err)
			}
			for i := range opened.Film.Frames {
				if err := checker.Frame(&opened.Film.Frames[i]); err != nil {
					t.Fatal(err)
				}
			}
			if err := checker.End(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
