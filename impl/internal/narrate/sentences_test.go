package narrate

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces"
	"github.com/seed-fdf591db/bully/traces/recording"
)

var update = flag.Bool("update", false, "write testdata/sentences.txt anew")

// sentencesFile has all that is said of the golden traces, each sentence once: of which kind of event, by which rules, and with # for numbers.
const sentencesFile = "testdata/sentences.txt"

var numbers = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|\d+`) // and UUIDs

// spoken is a set of sentences.
type spoken map[string]bool

func (s spoken) of(place string, texts ...string) {
	for _, text := range texts {
		if text != "" {
			s[place+" "+numbers.ReplaceAllString(text, "#")+"\n"] = true
		}
	}
}

// frame adds what one frame says.
func (s spoken) frame(f *recording.Frame) {
	upkeep := ""
	if f.Upkeep {
		upkeep = "upkeep"
	}
	s.of(strings.Join(strings.Fields(fmt.Sprintln(f.Kind, f.Rule, upkeep)), " ")+":", strings.Trim(f.Text+" | "+f.Note, " |"))
	s.of("action", f.Action)
	for i := range f.Sends {
		s.of("says:", f.Sends[i].Text)
	}
	for _, indicator := range f.Indicators {
		s.of("indicator "+indicator.Name+":", string(indicator.Light)+" "+indicator.Says)
	}
	if f.State == nil {
		return
	}
	s.of("disk:", f.State.Disk)
	for _, field := range f.State.Fields {
		s.of(field.Name+" of a "+f.State.Role+":", field.Value)
	}
}

// TestSentences compares all that is said of the golden traces with what was read by people. With -update it writes it anew: read what
// has changed.
func TestSentences(t *testing.T) {
	said := spoken{}
	names, err := fs.Glob(traces.Valid, "*.ndjson")
	require.NoError(t, err)
	for _, name := range names {
		text, err := fs.ReadFile(traces.Valid, name)
		require.NoError(t, err)
		for _, options := range []Options{{}, {Timed: true, Middle: true}} {
			in, err := spec.NewTraceReader(bytes.NewReader(text))
			require.NoError(t, err)
			options.Changing = in.Header().Changing
			narrator, err := New(in.Header().Members, options)
			require.NoError(t, err)
			for _, indicator := range narrator.Header().Indicators {
				said.of("indicator "+indicator.Name+":", indicator.Says)
			}
			var e spec.Event
			for i, shown := 0, 0; in.Read(&e) == nil; i++ {
				if options.Middle && (i < 7 || e.Action == spec.CrashAction) {
					continue
				}
				frames := narrator.Tell(&e)
				shown += len(frames)
				for k := range frames {
					said.frame(&frames[k])
				}
				if !options.Changing {
					require.Empty(t, frames[0].Configurations)
				}
				if !options.Timed {
					require.Equal(t, int64(shown), frames[len(frames)-1].At, "a film without times counts its frames")
				}
			}
		}
	}
	got := strings.Join(slices.Sorted(maps.Keys(said)), "")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(sentencesFile, []byte(got), 0o644))
	}
	want, err := os.ReadFile(sentencesFile)
	require.NoError(t, err)
	require.Equal(t, strings.Split(string(want), "\n"), strings.Split(got, "\n"), "if this is better, go test ./impl/internal/narrate -run Sentences -update")
}
