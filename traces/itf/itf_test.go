package itf_test

import (
	"io/fs"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
	"github.com/seed-fdf591db/bully/traces"
	"github.com/seed-fdf591db/bully/traces/itf"
)

func writeTrace(t *testing.T, header spec.Header, events []spec.Event) string {
	t.Helper()
	text, err := traces.Write(header, events)
	require.NoError(t, err)
	return string(text)
}

// TestRoundTrip exports every golden trace and imports it again: the bytes are the same. So are those of traces that the
// rules refuse, as far as they are well formed: to refuse them is not the business of this package. Unless slow tests run,
// it takes the short traces.
func TestRoundTrip(t *testing.T) {
	short, least := map[string]int{"valid": 20_000, "invalid": 10_000}, map[string]int{"valid": 60, "invalid": 30}
	if slowtest.Wanted() {
		short, least = map[string]int{"valid": math.MaxInt, "invalid": math.MaxInt}, map[string]int{"valid": 80, "invalid": 50}
	}
	count := map[string]int{}
	for kind, files := range map[string]fs.FS{"valid": traces.Valid, "invalid": traces.Invalid} {
		names, err := fs.Glob(files, "*.ndjson")
		require.NoError(t, err)
		for _, name := range names {
			text, err := fs.ReadFile(files, name)
			require.NoError(t, err)
			if len(text) > short[kind] {
				continue
			}
			header, events, err := traces.Read(text)
			if err != nil && (kind == "valid" || len(events) == 0) {
				require.Equal(t, "invalid", kind, "%s: %v", name, err)
				continue
			}
			exported, err := itf.Export(header, events)
			require.NoError(t, err, name)
			gotHeader, gotEvents, err := itf.Import(exported)
			require.NoError(t, err, name)
			require.Equal(t, writeTrace(t, header, events), writeTrace(t, gotHeader, gotEvents), name)
			if kind == "valid" {
				require.Equal(t, string(text), writeTrace(t, gotHeader, gotEvents), name)
			}
			count[kind]++
		}
	}
	t.Log(count)
	require.Greater(t, count["valid"], least["valid"])
	require.Greater(t, count["invalid"], least["invalid"])
}

// TestAddresses sees that the states say the addresses of members, too: in "#meta" they are anyway.
func TestAddresses(t *testing.T) {
	file, err := itf.Read([]byte(exported(t, "members-address")))
	require.NoError(t, err)
	last, err := file.States[len(file.States)-1].Values["node"].MarshalJSON()
	require.NoError(t, err)
	require.Regexp(t, `"addresses":\{"#map":\[\[\{"#bigint":"1"\},"[^"]+"\]`, string(last))
}
