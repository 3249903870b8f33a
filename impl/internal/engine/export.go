package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/impl/internal/interactive"
	"github.com/seed-fdf591db/bully/traces"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// ExportTrace returns what is shown as a file: a trace (section 14 of the specification) of what one is or can be made of,
// and else the recording.
func ExportTrace(f *recording.Recording, run *interactive.Run, trace []byte) (name string, text []byte, err error) {
	if trace == nil && run != nil {
		if trace, err = written(run); err != nil {
			return "", nil, err
		}
	}
	if trace != nil {
		return fileName(f, "ndjson"), trace, nil
	}
	begun := *f
	begun.Open = min(f.Open, len(f.Frames)) // a run may not have come so far
	var out bytes.Buffer
	if err := begun.Write(&out); err != nil {
		return "", nil, err
	}
	return fileName(f, "recording.ndjson"), out.Bytes(), nil
}

// written returns the trace of a run of ours, which package check has looked at; nil of another run.
func written(run *interactive.Run) ([]byte, error) {
	header, events, ours := run.Trace()
	switch {
	case !ours:
		return nil, nil
	case len(events) == 0:
		return nil, errors.New("nothing has happened yet that a trace could say")
	}
	text, err := traces.Write(header, events)
	if err != nil {
		return nil, err
	}
	if _, err := check.Trace(bytes.NewReader(text), check.Options{}); err != nil {
		return nil, fmt.Errorf("the run is not what the rules allow: %w", err)
	}
	return text, nil
}

// fileName returns a name for a file about a recording.
func fileName(f *recording.Recording, end string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, f.Title)
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	if name = strings.Trim(name, "-"); name == "" {
		name = "run"
	}
	return name[:min(len(name), 60)] + "." + end
}

// Case is a run that is to be the same for ever: a test plays its run spec again, and compares the frames. The folder
// testdata/cases of this package has some.
type Case struct {
	Case    int                 `json:"case"`    // 1
	Says    string              `json:"says"`    // what it is, and how to run it
	RunSpec interactive.RunSpec `json:"runSpec"` // of the run
	Frames  int                 `json:"frames"`  // how many there were
	Digest  string              `json:"digest"`  // of those frames: see Digest
}

const howToRun = "Put this file into impl/internal/engine/testdata/cases, and run: go test ./impl/internal/engine -run TestCases"

// ExportCase returns a run as a test case: a trace, or a run of ours of which a trace can be made, as a script of package
// cluster, if the script does the same again; any other run as a Case.
func ExportCase(f *recording.Recording, run *interactive.Run, trace []byte) (name string, text []byte, err error) {
	if trace == nil && run != nil {
		trace, _ = written(run) // else the run spec will do
	}
	if trace != nil {
		script, err := Script(trace)
		if err == nil {
			script.Comment = comment(f, run)
			return fileName(f, "script"), []byte(script.String()), nil
		}
		if run == nil {
			return "", nil, fmt.Errorf("no test case can be made of this trace: %w", err)
		}
	}
	if run == nil {
		return "", nil, errors.New("a test case can be made of a run, or of a trace of ours: this is neither")
	}
	c := Case{Case: 1, Says: f.Title + ". " + howToRun, RunSpec: run.RunSpec(), Frames: len(f.Frames), Digest: Digest(f.Frames)}
	text, err = json.MarshalIndent(&c, "", "  ")
	return fileName(f, "case.json"), append(text, '\n'), err
}

// comment says what a script is, and how to run it.
func comment(f *recording.Recording, run *interactive.Run) string {
	said := f.Title + "\n" + "Put this into a file of conformance/cluster/testdata/regressions, under a line -- name --, and run: go test ./conformance/cluster -run TestRegressions"
	if run != nil {
		runSpec, err := json.Marshal(run.RunSpec())
		if err == nil {
			said += "\nIt was played from the run spec " + string(runSpec)
		}
	}
	return said
}

// Digest returns a digest of what happens in frames, and what it changes: SHA-256. The words are no part of it.
func Digest(frames []recording.Frame) string {
	h := sha256.New()
	encoder := json.NewEncoder(h)
	for _, f := range frames {
		f.Text, f.Note, f.Action, f.Rule = "", "", "", ""
		f.Sends, f.Indicators = slices.Clone(f.Sends), slices.Clone(f.Indicators)
		for i := range f.Sends {
			f.Sends[i].Text = ""
		}
		for i := range f.Indicators {
			f.Indicators[i].Says = ""
		}
		if f.State != nil {
			f.State = &recording.State{Look: f.State.Look, Leader: f.State.Leader, Epoch: f.State.Epoch, Paused: f.State.Paused, Saving: f.State.Saving}
		}
		_ = encoder.Encode(&f) // a frame has nothing that cannot be written
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil))
}
