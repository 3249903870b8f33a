package certificate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/kit/certificate"
)

// release is the certificate of a version of the port p.
func release(version string, outcomes map[string]kit.Outcome, broken string) *certificate.Certificate {
	r := report(outcomes)
	r.Port.Version = version
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		v.Rules = []string{"R17", "R4"}
		if v.Failed() {
			v.Rule = broken
		}
	}
	return certificate.Of(r, held())
}

// TestReleases shows certificates in the order of their versions, however they were given, and what has become better or worse.
func TestReleases(t *testing.T) {
	bad := map[string]kit.Outcome{"sim-1": kit.Fail}
	r, err := certificate.ReleasesOf([]*certificate.Certificate{
		release("1.10", nil, ""), release("1.9", bad, "R17"), release("1.11", map[string]kit.Outcome{"sim-1": ""}, ""), release("2.0", bad, "R4"), release("2.0-rc.1", nil, ""),
	})
	require.NoError(t, err)
	require.Equal(t, `p              1.9           1.10        1.11    2.0-rc.1  2.0
language       C             C           C       C         C
level          bronze        gold        bronze  gold      bronze
members        fixed         fixed       fixed   fixed     fixed
specification  2.0           2.0         2.0     2.0       2.0
kit            1.0           1.0         1.0     1.0       1.0
digest         abc           abc         abc     abc       abc
vectors        2/2           2/2         2/2     2/2       2/2
sim            0/1           1/1 better  –       1/1       0/1 worse
fence          1/1           1/1         1/1     1/1       1/1
R4             3/4           4/4         3/3     4/4       3/4 (1 fail) worse
R17            3/4 (1 fail)  4/4 better  3/3     4/4       3/4
`, r.String())
	page := pageOf(t, r)
	require.Contains(t, page, "<h1>p: releases</h1>")
	require.Contains(t, page, `<tr><th title="`+"A CLAIM is granted")
	require.Contains(t, page, `<td class="bad">3/4 (1 fail) <small>worse</small>`)
	require.Contains(t, page, `<td class="none">–`)
}

// pageOf returns a table as a page.
func pageOf(t *testing.T, table *certificate.Table) string {
	var b strings.Builder
	require.NoError(t, table.HTML(&b))
	return b.String()
}

// TestReleasesOfOne refuses nothing, and several ports.
func TestReleasesOfOne(t *testing.T) {
	_, err := certificate.ReleasesOf(nil)
	require.ErrorContains(t, err, "there are no certificates")
	other := release("1", nil, "")
	other.Port.Name = "q<b>"
	_, err = certificate.ReleasesOf([]*certificate.Certificate{release("1", nil, ""), other})
	require.ErrorContains(t, err, "these are of several ports, p and q<b>")
	r, err := certificate.ReleasesOf([]*certificate.Certificate{other})
	require.NoError(t, err)
	require.Contains(t, pageOf(t, r), "<h1>q&lt;b&gt;: releases</h1>")
}

// TestVersions puts versions into order.
func TestVersions(t *testing.T) {
	var all []*certificate.Certificate
	want := []string{"", "0.9", "1.0-alpha", "1.0-alpha.2", "1.0-alpha.10", "1.0-beta", "1.0", "1.0.1", "1.2", "1.10", "2", "18446744073709551617"}
	for k := range want {
		all = append(all, release(want[len(want)-1-k], nil, ""))
	}
	r, err := certificate.ReleasesOf(all)
	require.NoError(t, err)
	require.Equal(t, want, r.Columns)
}

// TestRead reads what was written, the form of earlier kits too, and nothing else.
func TestRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "c.json")
	write := func(text string) error {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
		_, err := certificate.Read(name)
		return err
	}
	want := release("1", nil, "")
	require.NoError(t, write(string(want.JSON())))
	got, err := certificate.Read(name)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.NoError(t, write(`{"certificate":1,"kit":"1.0","level":"gold","port":{"language":"C","name":"p","version":"0"},"suites":[],"vectors":""}`))
	old, err := certificate.Read(name)
	require.NoError(t, err)
	r, err := certificate.ReleasesOf([]*certificate.Certificate{want, old})
	require.NoError(t, err)
	require.Contains(t, r.String(), "R17            –      4/4\n", "it did not say what came of each rule")

	require.ErrorContains(t, write(`{"certificate":3,"level":"gold","port":{"name":"p"}}`), "is of form 3, and this kit knows those up to 2")
	require.ErrorContains(t, write(`{"kit":"2.0","verdicts":[]}`), "is none: bullytest test -certificate FILE writes one")
	require.ErrorContains(t, write("x"), "is none: ")
	_, err = certificate.Read(name + "x")
	require.ErrorIs(t, err, os.ErrNotExist)
}
