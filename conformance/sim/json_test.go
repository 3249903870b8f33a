package sim_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/sim"
)

// TestPlanJSON writes and reads plans of all profiles: they come back as they were.
func TestPlanJSON(t *testing.T) {
	for _, profile := range sim.Profiles() {
		for seed := range uint64(sim.MaxNodes) {
			p, err := sim.Generate(seed, 1+int(seed%sim.MaxNodes), profile)
			require.NoError(t, err)
			text, err := json.Marshal(p)
			require.NoError(t, err)
			var q sim.Plan
			require.NoError(t, json.Unmarshal(text, &q), "%s", text)
			require.Equal(t, p, q)
			again, err := q.MarshalJSON()
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(again, &q))
			require.Equal(t, p, q)
			lines := 5 + len(p.Faults)
			if profile.Changing() {
				lines += 1 + len(p.Changes)
			}
			require.Equal(t, lines, strings.Count(string(again), "\n")+2, "a line for each fault and change")
		}
	}
}

const planText = `{"plan":1,"seed":81,"members":["1","2","3"],
 "timing":{"delay":"12ms","drift":0.01,"heartbeat":"100ms","reign":"140ms","patience":"325ms","election":"25ms","coordinator":"325ms","claim":"50ms","preempt":"never","stagger":"25ms","defer":"1ms"},
 "links":{"delay":{"min":"1ms","max":"5ms"},"loss":0,"repeated":0.1},"disk":{"min":"0s","max":"1.5ms"},"rates":[1,0.99,1.01],"proofs":true,"length":"10s",
 "faults":[
  {"at":"1s","kind":"crash","node":"3","point":"after 2 messages","for":"500ms"},
  {"at":"2s","kind":"cut","links":[["1","2"],["2","1"]],"for":"1s"},
  {"at":"3s","kind":"break","links":[["3","1"]]},
  {"at":"4s","kind":"conditions","links":[["3","1"]],"for":"1s","delay":{"min":"1ms","max":"2ms"},"loss":0.5,"repeated":0.25},
  {"at":"5s","kind":"slow-disk","node":"2","for":"1s","disk":{"min":"1ms","max":"2ms"}},
  {"at":"7s","kind":"fail-disk","node":"2","for":"1s","kept":true},
  {"at":"9s","kind":"resign","node":"3"},
  {"at":"9.5s","kind":"hand-over","node":"3","to":"1"}]}`

func TestPlanText(t *testing.T) {
	var p sim.Plan
	require.NoError(t, json.Unmarshal([]byte(planText), &p))
	text, err := p.MarshalJSON()
	require.NoError(t, err)
	require.Equal(t, planText, string(text))
	require.Equal(t, `3 nodes [1 2 3], seed 81, faults until 10s
  timing  δ 12ms, ρ 0.01, heartbeat 100ms, reign 140ms, patience 325ms, election 25ms, coordinator 325ms, claim 50ms, preempt never, stagger 25ms, settle 1ms
  links   1ms to 5ms, 10% repeated; a save takes 0s to 1.5ms; rates of clocks [1 0.99 1.01]; deaths are proved
          1s  node 3 crashes after 2 messages, and restarts 500ms later
          2s  1→2 2→1 cut for 1s
          3s  3→1 broken: what is under way is lost
          4s  3→1 for 1s: 1ms to 2ms, 50% lost, 25% repeated
          5s  a save of node 2 takes 1ms to 2ms for 1s
          7s  the next save of node 2 fails, and is on disk; it restarts 1s later
          9s  node 3 is called to resign
        9.5s  node 3 is called to hand over to 1
`, p.String())
}

// TestPlanJSONRefuses changes a good plan: what is wrong is named.
func TestPlanJSONRefuses(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`"plan":1`, `"plan":2`, "plan: is 2, but this program reads 1"},
		{`"seed":81,`, ``, "seed: is missing"},
		{`"seed":81,`, `"seed":81,"seed":81,`, "seed: is given twice"},
		{`"seed":81,`, `"seed":81,"Seed":81,`, "Seed: is unknown here"},
		{`"seed":81,`, `"seed":null,`, "seed: is null"},
		{`"seed":81,`, `"seed":-1,`, "seed: is not as it should be: "},
		{`"members":["1","2","3"]`, `"members":["1","02","3"]`, "members[1]: is not as it should be: "},
		{`"heartbeat":"100ms",`, ``, "timing.heartbeat: is missing"},
		{`"heartbeat":"100ms"`, `"heartbeat":"100"`, `timing.heartbeat: "100" is no length of time: it is written as 12ms`},
		{`"heartbeat":"100ms"`, `"heartbeat":"never"`, `timing.heartbeat: "never" is no length of time`},
		{`"heartbeat":"100ms"`, `"heartbeat":100`, "timing.heartbeat: is not as it should be: "},
		{`"delay":{"min":"1ms","max":"5ms"}`, `"delay":"1ms"`, "links.delay: is no JSON object"},
		{`"max":"5ms"}`, `"max":"5ms","mean":"2ms"}`, "links.delay.mean: is unknown here"},
		{`"kind":"cut"`, `"kind":"cuts"`, `faults[1].kind: "cuts" is no kind of fault: there are [conditions break cut`},
		{`"kind":"cut"`, `"kind":""`, `faults[1].kind: "" is no kind of fault`},
		{`"kind":"crash","node":"3"`, `"kind":"crash"`, "faults[0].node: is missing"},
		{`"kind":"crash"`, `"kind":"resign"`, "faults[0].for: is unknown here"},
		{`"after 2 messages"`, `"later"`, `faults[0].point: "later" is no point of a step: there are "between steps", "before the save", "after the save" and "after 2 messages"`},
		{`["1","2"],`, `["1","2","3"],`, `faults[1].links[0]: is no link: it is written as ["3","2"]`},
		{`"loss":0.5`, `"loss":"half"`, "faults[3].loss: is not as it should be: "},
	} {
		require.Contains(t, planText, c.old)
		p := sim.Plan{Seed: 7}
		err := json.Unmarshal([]byte(strings.Replace(planText, c.old, c.new, 1)), &p)
		require.ErrorContains(t, err, c.want, c.new)
		require.Equal(t, sim.Plan{Seed: 7}, p, "a plan that is refused changes nothing")
	}
	for _, text := range []string{`[]`, `3`, `{}`} {
		require.Error(t, json.Unmarshal([]byte(text), new(sim.Plan)))
	}
}
