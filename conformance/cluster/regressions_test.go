package cluster_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/cluster"
)

var update = flag.Bool("update", false, "write what is generated anew: the golden traces and their table; with -run Faults the scripts of the faults")

// TestRegressions lets each script that has once broken something happen to the model.
func TestRegressions(t *testing.T) {
	known, err := cluster.Known()
	require.NoError(t, err)
	tried := 0
	for i := range known {
		script := &known[i]
		if script.IsScenario() {
			continue
		}
		tried++
		t.Run(script.Name, func(t *testing.T) {
			require.Positive(t, len(script.Ops)+len(script.Records), script.Where())
			_, violation, err := script.Try(model, cluster.Options{Like: model})
			require.NoError(t, err, script.Where())
			require.Nil(t, violation, script.Where())
		})
	}
	require.GreaterOrEqual(t, tried, len(faults))
}

// TestFaultsAreFound shows that the script of each fault still finds it, and breaks what its comment says.
func TestFaultsAreFound(t *testing.T) {
	scripts := knownByName(t)
	for topic, table := range faultsByTopic {
		file := "testdata/regressions/" + topic + ".txtar"
		for i := range table {
			f := &table[i]
			t.Run(f.name, func(t *testing.T) {
				script := scripts[f.name]
				if *update {
					script = &cluster.KnownScript{Script: find(t, f), Name: f.name, File: file}
					keep(t, script)
				}
				require.NotNil(t, script, "%s has no such script; if the fault is new: -update", file)
				require.Equal(t, file, script.File)
				_, violation, err := script.Try(f.node, optionsOf(script.Script))
				require.NoError(t, err, script.Where())
				require.NotNil(t, violation, "%s: the fault is not found any more; to look for another run: -update", script.Where())
				require.Equal(t, comment(f, violation), script.Comment, script.Where())
			})
		}
	}
}

// knownByName returns all scripts that are kept, by their names.
func knownByName(t *testing.T) map[string]*cluster.KnownScript {
	known, err := cluster.Known()
	require.NoError(t, err)
	byName := map[string]*cluster.KnownScript{}
	for i := range known {
		byName[known[i].Name] = &known[i]
	}
	return byName
}

// keep writes a script into its file, in the place of that of its name if there is one, else at the end.
func keep(t *testing.T, script *cluster.KnownScript) {
	text, err := os.ReadFile(script.File)
	require.NoError(t, err)
	mark := "-- " + script.Name + " --\n"
	before, after, _ := strings.Cut(string(text), mark)
	if _, others, more := strings.Cut(after, "\n-- "); more {
		after = "-- " + others
	} else {
		after = ""
	}
	require.NoError(t, os.WriteFile(script.File, []byte(before+mark+script.String()+after), 0o644))
}

// comment returns what the script of a fault says at its top.
func comment(f *fault, v *cluster.Violation) string {
	if v.Property == "like" {
		return fmt.Sprintf("Fault %s: %s\nThe step is not the model's.", f.name, f.says)
	}
	return fmt.Sprintf("Fault %s: %s\nBreaks %s.", f.name, f.says, v.Property)
}

// optionsOf compares with the model where nothing else finds the fault.
func optionsOf(s *cluster.Script) (o cluster.Options) {
	if strings.Contains(s.Comment, "not the model's") {
		o.Like = model
	}
	return o
}

// find returns the smallest script that it finds for a fault.
func find(t *testing.T, f *fault) *cluster.Script {
	seeds, enough, draw := uint64(3000), 20, cluster.DrawScript
	if f.members {
		seeds, enough, draw = 500, 6, drawChanging // a run is longer, and so is it to make it small
	}
	for _, o := range []cluster.Options{{}, {Like: model}} {
		var best *cluster.Script
		for seed, found := uint64(0), 0; seed < seeds && found < enough; seed++ {
			script, _ := drawn(draw, rand.New(rand.NewPCG(seed, 0)).IntN, f, o)
			if script == nil {
				continue
			}
			found++
			small, violation, _ := script.Shrink(f.node, o)
			small.Comment = comment(f, violation)
			if best == nil || weight(small) < weight(best) {
				best = small
			}
		}
		if best != nil {
			return best
		}
	}
	require.Fail(t, "the fault is not found", f.name)
	return nil
}

// weight says how hard a script is to read.
func weight(s *cluster.Script) int {
	return 10*len(s.Members) + 5*len(s.Ops) + 100*len(s.Records) + len(s.String())/20
}

// drawn draws a run, and returns its script if it has broken something, and what.
func drawn(draw func(func(int) int) *cluster.Script, choose func(int) int, f *fault, o cluster.Options) (*cluster.Script, *cluster.Violation) {
	script := draw(choose)
	o.First, o.Records = script.First, script.Records
	c, err := cluster.New(script.Members, f.node, o)
	for i := 0; err == nil && i < 200; i++ {
		err = c.Do(c.Draw(choose))
	}
	var violation *cluster.Violation
	if !errors.As(err, &violation) {
		return nil, nil
	}
	if c != nil {
		script.Ops = slices.Clone(c.Done())
	}
	return script, violation
}
