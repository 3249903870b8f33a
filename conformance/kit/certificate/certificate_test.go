package certificate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/kit/certificate"
	"github.com/seed-fdf591db/bully/conformance/port"
)

// held is a kit of three small levels.
func held() certificate.Kit {
	level := func(name string, ids ...string) certificate.Level {
		l := certificate.Level{Name: name}
		for _, id := range ids {
			l.Cases = append(l.Cases, kit.Case{ID: id, Must: !strings.HasPrefix(id, "advice")})
		}
		return l
	}
	return certificate.Kit{
		Levels:  []certificate.Level{level("bronze", "R1-a", "advice"), level("silver", "sim-1"), level("gold", "fence")},
		Vectors: "abc", Seeds: 2000, SeedsLevel: "silver",
	}
}

// report returns a report in which everything is good, but for what is said.
func report(outcomes map[string]kit.Outcome) *kit.Report {
	r := &kit.Report{Kit: "1.0", Spec: kit.Spec, Port: port.Identity{Name: "p", Version: "2", Language: "C"}, Features: []string{"fence"}, Seconds: 3}
	for _, v := range []kit.Verdict{{Case: "R1-a", Suite: "vectors", Must: true}, {Case: "advice", Suite: "vectors"},
		{Case: "sim-1", Suite: "sim", Must: true}, {Case: "fence", Suite: "fence", Must: true}} {
		v.Seconds, v.Requests, v.Outcome = 1, 7, kit.Pass
		if o, said := outcomes[v.Case]; said {
			v.Outcome = o
			v.Must = v.Must && o != kit.Unsupported
		}
		if v.Outcome != "" {
			r.Verdicts = append(r.Verdicts, v)
		}
	}
	return r
}

// TestLevels says which level each report has reached.
func TestLevels(t *testing.T) {
	for _, c := range []struct {
		outcomes map[string]kit.Outcome
		level    string
		seeds    uint64
	}{
		{nil, "gold", 2000},
		{map[string]kit.Outcome{"fence": kit.Fail}, "silver", 2000},
		{map[string]kit.Outcome{"fence": kit.Unsupported}, "silver", 2000},
		{map[string]kit.Outcome{"fence": kit.Undecided}, "silver", 2000},
		{map[string]kit.Outcome{"fence": ""}, "silver", 2000},
		{map[string]kit.Outcome{"sim-1": kit.Nondeterministic}, "bronze", 0},
		{map[string]kit.Outcome{"sim-1": kit.ExpectedFail}, "bronze", 0},
		{map[string]kit.Outcome{"sim-1": ""}, "bronze", 0},
		{map[string]kit.Outcome{"R1-a": kit.Broken}, certificate.None, 0},
		{map[string]kit.Outcome{"R1-a": ""}, certificate.None, 0},
		{map[string]kit.Outcome{"advice": kit.Fail}, "gold", 2000},
		{map[string]kit.Outcome{"advice": ""}, certificate.None, 0},
	} {
		got := certificate.Of(report(c.outcomes), held())
		require.Equal(t, c.level, got.Level, c.outcomes)
		require.Equal(t, c.seeds, got.Seeds, c.outcomes)
	}
	require.Equal(t, certificate.None, certificate.Of(report(nil), certificate.Kit{}).Level, "who is held to nothing has reached nothing")
}

// TestMembers certifies ports for fixed members, and for changing ones: the first are asked nothing about the others, at no level, and the
// certificate and the badge say which it is.
func TestMembers(t *testing.T) {
	of := func(features []string, came kit.Outcome) *certificate.Certificate {
		k, r := held(), report(nil)
		gold := &k.Levels[len(k.Levels)-1]
		gold.Cases = append(gold.Cases, kit.Case{ID: "live-changing", Must: true, Needs: port.FeatureMembers})
		r.Spec, r.Features = kit.Spec, features
		r.Verdicts = append(r.Verdicts, kit.Verdict{Case: "live-changing", Suite: "live", Must: came != kit.Unsupported, Outcome: came})
		return certificate.Of(r, k)
	}
	fixed, both := of([]string{"fence"}, kit.Unsupported), of([]string{"members", "fence"}, kit.Pass)
	require.Equal(t, "gold", fixed.Level)
	require.Equal(t, kit.Spec, fixed.Spec)
	require.Contains(t, string(fixed.Badge()), `"label":"bully 2.0","message":"gold"`)
	require.Equal(t, "gold", both.Level)
	require.Equal(t, kit.Spec, both.Spec)
	require.Equal(t, []string{"fence", "members"}, both.Features)
	require.Contains(t, string(both.Badge()), `"label":"bully 2.0","message":"gold, changing members"`)
	require.Equal(t, "silver", of(port.Features(), kit.Fail).Level)
	require.NotEqual(t, fixed.Digest, both.Digest)
}

// TestNames certifies a port that hands over to nobody by name, too, and says of which features it is.
func TestNames(t *testing.T) {
	k, r := held(), report(nil)
	gold := &k.Levels[len(k.Levels)-1]
	gold.Cases = append(gold.Cases, kit.Case{ID: "R51-names", Must: true, Needs: port.FeatureNames})
	r.Verdicts = append(r.Verdicts, kit.Verdict{Case: "R51-names", Suite: "vectors", Outcome: kit.Unsupported})
	c := certificate.Of(r, k)
	require.Equal(t, "gold", c.Level)
	require.Equal(t, []string{"fence"}, c.Features)
}

// TestSame has the same certificate of two runs that differ in their times, and another if any verdict differs.
func TestSame(t *testing.T) {
	one, other := report(nil), report(nil)
	other.Seconds, other.Command, other.Verdicts[0].Seconds = 99, []string{"/home/me/port"}, 98
	require.Equal(t, string(certificate.Of(one, held()).JSON()), string(certificate.Of(other, held()).JSON()))
	require.NotContains(t, string(certificate.Of(other, held()).JSON()), "home")
	other.Verdicts[1].Outcome = kit.Fail
	require.NotEqual(t, certificate.Of(one, held()).Digest, certificate.Of(other, held()).Digest)

	text := certificate.Of(one, held()).JSON()
	var read certificate.Certificate
	require.NoError(t, json.Unmarshal(text, &read))
	require.Equal(t, *certificate.Of(one, held()), read)
	require.Equal(t, string(text), strings.TrimSpace(string(text))+"\n")
}

// TestMatrix puts three ports beside each other.
func TestMatrix(t *testing.T) {
	bad := report(map[string]kit.Outcome{"sim-1": kit.Fail})
	bad.Port.Name, bad.Verdicts[2].Rule, bad.Features = "<b>", "R17", port.Features()
	m := certificate.PortsOf([]*kit.Report{report(nil), bad}, held())
	require.Equal(t, `port           p 2    <b> 2
language       C      C
level          gold   bronze
members        fixed  changing
specification  2.0    2.0
kit            1.0    1.0
digest         abc    abc
vectors        2/2    2/2
sim            1/1    0/1
fence          1/1    1/1
R17            –      0/1 (1 fail)
protocol       4/4    3/3
`, m.String())
	var page strings.Builder
	require.NoError(t, m.HTML(&page))
	require.Contains(t, page.String(), `<td class="bad" title="sim-1 R17">0/1`)
	require.Contains(t, page.String(), "&lt;b&gt; 2")
	require.NotContains(t, page.String(), "<b>")
}

// The certificate of a port that has passed everything.
func ExampleOf() {
	c := certificate.Of(report(nil), held())
	c.Rules = c.Rules[16:17] // it has all of them
	fmt.Print(string(c.JSON()), string(c.Badge()))
	// Output:
	// {"certificate":2,"digest":"sha256:3239bf5a9fd5644ca9a5300dc9f2bbe65019aec804424282da75eec4a90a90d0","features":["fence"],"kit":"1.0","level":"gold","port":{"language":"C","name":"p","version":"2"},"rules":[{"cases":0,"failed":0,"passed":0,"rule":"R17"}],"seeds":2000,"spec":"2.0","suites":[{"cases":2,"passed":2,"suite":"vectors","unsupported":0},{"cases":1,"passed":1,"suite":"sim","unsupported":0},{"cases":1,"passed":1,"suite":"fence","unsupported":0}],"vectors":"abc"}
	// {"color":"d4af37","label":"bully 2.0","message":"gold","schemaVersion":1}
}
