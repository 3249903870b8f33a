package twin_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/model/changing"
	"github.com/seed-fdf591db/bully/model/cluster"
	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/twin"
)

// merged returns the configuration of package model/cluster that is one of the two packages before it.
func merged(c explore.Configuration) explore.Configuration {
	if c.Module == "MCCluster" && c.Replacements["First"] == "" {
		c.Constants, c.Replacements = maps.Clone(c.Constants), maps.Clone(c.Replacements)
		c.Constants["MaxChange"] = "0"
		c.Replacements["First"], c.Replacements["Wanted"], c.Replacements["Stamped"] = "All", "Nothing", "Unstamped"
	}
	if c.Module == "MCChangingCluster" && c.Replacements["Cuts"] == "Halves" {
		c.Replacements = maps.Clone(c.Replacements)
		c.Replacements["Cuts"] = "LowTwoIsolated"
	}
	c.Module = "MCCluster"
	return c
}

// constant is what all that is said of configurations comes to where members never change.
var constant = regexp.MustCompile(`, conf \|-> \[epoch \|-> 0, version \|-> 1, voters \|-> \{[^}]*\}, witnesses \|-> \{\}, observers \|-> \{\}\]|, change \|-> 0`)

// digest explores a model, and returns what is found, and a sum over its states, each as it is rendered.
func digest(t *testing.T, m explore.Model, static, sum bool) (explore.Result, uint64) {
	var total uint64
	o := explore.Options{}
	if sum {
		o.Visit = func(state []byte) {
			var b strings.Builder
			for _, v := range m.Render(state) {
				b.WriteString(v.Name + " = " + v.Value + "\n")
			}
			text := b.String()
			if static {
				text = constant.ReplaceAllString(text, "")
			}
			h := sha256.Sum256([]byte(text))
			total += binary.LittleEndian.Uint64(h[:])
		}
	}
	r, err := explore.Run(context.Background(), m, o)
	require.NoError(t, err)
	return r, total
}

func TestMergedClusterIsTheOldOne(t *testing.T) {
	entries, err := tla.Load(tla.FS())
	require.NoError(t, err)
	most, err := strconv.Atoi(os.Getenv("BULLY_MOST")) // states of an entry; all of them take many minutes
	if err != nil {
		most = 2_000
	}
	rows := 0
	for _, e := range entries {
		open := model.New
		if e.Module == "MCChangingCluster" {
			open = changing.New
		}
		if e.Module != "MCCluster" && e.Module != "MCChangingCluster" || e.Explorer == "" || e.Distinct > most {
			continue
		}
		c := twin.Configuration(e)
		old, err := open(c)
		require.NoError(t, err, e.Name)
		now, err := cluster.New(merged(c))
		require.NoError(t, err, e.Name)
		sum := e.Distinct <= 60_000
		want, wantSum := digest(t, old, false, sum)
		got, gotSum := digest(t, now, e.Module == "MCCluster", sum)
		rows++
		t.Logf("%-50s %8d %8d %3d", e.Name, got.Distinct, got.Generated, got.Depth)
		if want.Distinct != got.Distinct || want.Generated != got.Generated || want.Depth != got.Depth || (want.Violation == nil) != (got.Violation == nil) || wantSum != gotSum {
			t.Errorf("%s: %v %d; %v %d", e.Name, want, wantSum, got, gotSum)
			continue
		}
		if want.Violation != nil && want.Violation.Property != got.Violation.Property {
			t.Errorf("%s: %s %s", e.Name, want.Violation.Property, got.Violation.Property)
		}
	}
	t.Log(rows, "rows")
}
