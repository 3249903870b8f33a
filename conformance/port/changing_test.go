package port_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// TestChangingMembers lets the nodes of a port do what those of the model do, where members change: in scripts, and in the simulator.
func TestChangingMembers(t *testing.T) {
	p, err := start(t, "model")
	require.NoError(t, err)
	defer p.Close()
	changed, adopted := 0, 0
	for seed := range uint64(6) {
		choose := rand.New(rand.NewPCG(seed, 42)).IntN
		s := cluster.DrawScript(choose).DrawFirst(choose)
		c, err := cluster.New(s.Members, p.Maker(), cluster.Options{First: s.First, Records: s.Records, Like: model().Make, Observe: func(c *conformance.Case) {
			switch {
			case c.Want.Ignored || c.Before.Configuration == c.Want.State.Configuration:
			case c.Input.Call == spec.ChangeCall:
				changed++
			default:
				adopted++
			}
		}})
		require.NoError(t, err)
		for range 150 {
			require.NoError(t, c.Do(c.Draw(choose)))
		}
	}
	require.Greater(t, changed, 3)
	require.Greater(t, adopted, 15)

	plan, err := sim.Generate(3, 4, sim.ChangingProfile)
	require.NoError(t, err)
	var run []*port.TakenStep
	_, err = sim.Run(&plan, port.Record("r", model().Make, func(g *port.TakenStep) { run = append(run, g.Clone()) }), sim.Options{})
	require.NoError(t, err)
	run = run[:min(len(run), 1500)]
	require.True(t, slices.ContainsFunc(run, func(g *port.TakenStep) bool {
		return g.Input.Call == spec.RestartCall && !g.Promise.Configuration.IsNone()
	}))
	same := 0
	require.NoError(t, p.Replay(slices.Values(run), func(g *port.TakenStep, did *spec.Step, wrong *port.Failure) error {
		require.Nil(t, wrong)
		require.True(t, g.Did.State.Equal(did.State))
		require.Equal(t, g.Did.Save, did.Save)
		same++
		return nil
	}))
	require.Len(t, run, same)
}

// TestServerRefusesConfigurations begins nodes that cannot be, and calls for what is no change.
func TestServerRefusesConfigurations(t *testing.T) {
	const three = `{"epoch":0,"version":1,"members":[{"id":"1","kind":"voter"},{"id":"2","kind":"voter"}]}`
	ask := func(i port.Implementation, lines ...string) string {
		var out strings.Builder
		require.NoError(t, port.Serve(strings.NewReader(strings.Join(lines, "\n")+"\n"), &out, i))
		all := strings.Split(strings.TrimSpace(out.String()), "\n")
		return all[len(all)-1]
	}
	began := `{"id":1,"op":"start","node":"a","me":"1","configuration":` + three + `}`
	for line, says := range map[string]string{
		strings.Replace(began, `"me":"1",`, "", 1):                "me, is missing",
		strings.Replace(began, `"me":"1"`, `"me":"3"`, 1):         "me must be a member of the first configuration",
		strings.Replace(began, `"version":1`, `"version":0`, 1):   "version",
		strings.Replace(began, `"me"`, `"members":["1"],"me"`, 1): "there are members and a configuration",
		`{"id":1,"op":"restart","node":"a","me":"1","promise":{"epoch":1,"grantee":null,"reserved":1048576,"configuration":{"epoch":2}}}`:                         "no request",
		`{"id":1,"op":"load","node":"a","me":"1","state":{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1}}`: "me must be one of them",
	} {
		require.Contains(t, ask(model(), line), says, line)
		require.Contains(t, ask(model(), line), `"error"`, line)
	}
	for _, wanted := range []string{"", `,"configuration":null`, `,"configuration":7`, `,"configuration":{"epoch":0,"version":2,"members":[]}`} {
		require.Contains(t, ask(model(), began, `{"id":2,"op":"call","node":"a","call":"change"`+wanted+`}`), `"ignored"`, wanted)
	}
	fixed := model()
	fixed.Changing, fixed.Naming = false, false
	require.Contains(t, ask(fixed, began), "a configuration is for a port with the feature members")
	require.Contains(t, ask(fixed, `{"id":1,"op":"hello","protocol":1,"kit":"1","spec":"2.0"}`), `"features":["fence"]`)
}
