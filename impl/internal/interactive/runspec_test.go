package interactive_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
	"github.com/seed-fdf591db/bully/impl/internal/interactive"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// TestRunSpecsAreRead reads what is written, and says of what cannot be where it is wrong, and why.
func TestRunSpecsAreRead(t *testing.T) {
	good := interactive.RunSpec{RunSpec: 1, Algorithm: "bully", Nodes: 5, Profile: "lan", Seed: interactive.MaxSeed, Do: []interactive.Intervention{
		{After: 5, Do: interactive.Crash, Node: place(0)}, {After: 9, Do: interactive.Fire, Node: place(4), Timer: "heartbeat"},
		{After: 9, Do: interactive.Cut, Links: []recording.Link{{0, 1}}}, {After: 12, Do: interactive.Delay, Message: 1, By: 1000},
	}}
	text, err := json.Marshal(good)
	require.NoError(t, err)
	read, err := interactive.ReadRunSpec(text)
	require.NoError(t, err)
	require.Equal(t, good, read)

	head := `"runSpec":1,"algorithm":"bully","nodes":5,"profile":"lan","seed":1`
	withDo := func(d string) string { return "{" + head + `,"do":[{"after":5,"do":"crash","node":1},` + d + "]}" }
	for text, want := range map[string]string{
		``:                          "run spec: it is cut short",
		`{`:                         "run spec: it is cut short",
		`[]`:                        "run spec: it is no object in braces",
		`{} {}`:                     "run spec: something stands after its end",
		"{" + head + `,"colour":1}`: `run spec: unknown field "colour"`,
		"{" + strings.Replace(head, "5", `"5"`, 1) + "}":                              "run spec: nodes: a string does not belong there",
		"{" + strings.Replace(head, "1", "2", 1) + "}":                                "run spec: runSpec: version 2 is not known",
		"{" + strings.Replace(head, "5", "2", 1) + "}":                                "run spec: nodes: 2 is not from 3 to 9",
		"{" + strings.Replace(head, "5", "10", 1) + "}":                               "run spec: nodes: 10 is not from 3 to 9",
		"{" + strings.Replace(head, "lan", "moon", 1) + "}":                           `run spec: profile: there is none of the name "moon": there are lan, wan, lossy`,
		"{" + strings.Replace(head, "bully", "paxos", 1) + "}":                        `run spec: algorithm: there is none of the name "paxos"`,
		"{" + strings.Replace(head, `"seed":1`, `"seed":9007199254740992`, 1) + "}":   "run spec: seed: 9007199254740992 is above 9007199254740991",
		"{" + head + `,"scenario":"x"}`:                                               `run spec: scenario: there is none of the name "x"`,
		"{" + head + `,"scenario":"lease-pause"}`:                                     "run spec: nodes: 5, and scenario lease-pause has 3",
		withDo(`{"after":4,"do":"crash","node":1}`):                                   "run spec: do[1].after: 4 is not from 5",
		withDo(`{"after":6,"do":"crash","node":1},{"after":5,"do":"pause","node":1}`): "run spec: do[2].after: 5 is below",
		withDo(`{"after":6,"do":"explode","node":1}`):                                 `run spec: do[1].do: "explode" cannot be done`,
		withDo(`{"after":6,"do":"crash"}`):                                            "run spec: do[1].node: what befalls a node says which",
		withDo(`{"after":6,"do":"crash","node":5}`):                                   "run spec: do[1].node: 5 is not from 0 to 4",
		withDo(`{"after":6,"do":"drop","node":1,"message":1}`):                        "run spec: do[1].node: ",
		withDo(`{"after":6,"do":"drop"}`):                                             "run spec: do[1].message: ",
		withDo(`{"after":6,"do":"crash","node":1,"message":3}`):                       "run spec: do[1].message: ",
		withDo(`{"after":6,"do":"cut"}`):                                              "run spec: do[1].links: ",
		withDo(`{"after":6,"do":"cut","links":[[1,1]]}`):                              "run spec: do[1].links: there is none from 1 to 1",
		withDo(`{"after":6,"do":"cut","links":[[1,5]]}`):                              "run spec: do[1].links: there is none from 1 to 5",
		withDo(`{"after":6,"do":"cut","links":[[1]]}`):                                "run spec: [1] is no link",
		withDo(`{"after":6,"do":"cut","links":[[0,1,2]]}`):                            "run spec: [0,1,2] is no link",
		withDo(`{"after":6,"do":"delay","message":1}`):                                "run spec: do[1].by: ",
		withDo(`{"after":6,"do":"drop","message":1,"by":5}`):                          "run spec: do[1].by: ",
		withDo(`{"after":6,"do":"fire","node":1,"timer":"lease"}`):                    `run spec: do[1].timer: "lease" cannot end`,
		withDo(`{"after":6,"do":"pause","node":1,"timer":"heartbeat"}`):               "run spec: do[1].timer: ",
	} {
		_, err := interactive.ReadRunSpec([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
	_, err = interactive.ReadRunSpec([]byte(`{` + strings.Replace(head, `"nodes":5`, `"nodes":0`, 1) + `,"scenario":"lease-pause"}`))
	require.NoError(t, err)
}

// TestRunSpecsCannotBePlayed says which doing of a run spec cannot be done when its time comes.
func TestRunSpecsCannotBePlayed(t *testing.T) {
	r := plain("textbook", 3, "lan", 1)
	r.Do = []interactive.Intervention{{After: 3, Do: interactive.Crash, Node: place(1)}, {After: 9, Do: interactive.Crash, Node: place(1)}}
	_, err := interactive.Begin(r)
	require.EqualError(t, err, "run spec: do[1]: node 2 is down: restart it first")
	r.Do = []interactive.Intervention{{After: 3, Do: interactive.Crash, Node: place(1)}, {After: 3, Do: interactive.Restart, Node: place(1)}}
	_, err = interactive.Begin(r)
	require.EqualError(t, err, "run spec: do[1].after: 3, and with what was done before there are 4 frames")
	r.Do = []interactive.Intervention{{After: 3, Do: interactive.Crash, Node: place(0)}, {After: 4, Do: interactive.Crash, Node: place(1)}, {After: 5, Do: interactive.Crash, Node: place(2)}, {After: 50, Do: interactive.Restart, Node: place(2)}}
	_, err = interactive.Begin(r)
	require.EqualError(t, err, "run spec: do[3].after: the run is over after 7 frames")
	r.Do[3].After = 7
	s, frames := begun(t, r)
	require.Equal(t, "nothing happens any more: nobody is left who would do something", frames[6].Text)
	require.Equal(t, recording.Restart, frames[7].Kind)
	require.Equal(t, r, s.RunSpec())
	_, err = s.Do(interactive.Intervention{After: 3, Do: interactive.Crash, Node: place(2)})
	require.EqualError(t, err, "after: the run is where 8 frames have happened, and not 3")
	_, err = s.Do(interactive.Intervention{After: 8, Do: interactive.Resign, Node: place(2)})
	require.EqualError(t, err, "a node of textbook cannot be told to lead no longer")
	more, ended := s.Next(2000)
	require.Len(t, more, 2000)
	require.False(t, ended, "the run must go on after an intervention was refused")
	require.Greater(t, more[1999].At, int64(90*time.Second/time.Microsecond), "it goes on for as long as any run")
}

// TestScenariosAreTheirs plays scenarios as package compare runs them, with the same messages at the same times.
func TestScenariosAreTheirs(t *testing.T) {
	for _, n := range scenarios.All() {
		a, ok := algorithms.Named(n.Shows)
		require.True(t, ok, "the algorithm of scenario %s must exist", n.Name)
		want, err := compare.Run(&n.Scenario, a, n.Seed, compare.Options{Timeline: true, Upkeep: true})
		require.NoError(t, err)
		s, frames := begun(t, interactive.RunSpec{RunSpec: 1, Scenario: n.Name})
		for len(frames) < 5000 && !s.Ended() {
			more, _ := s.Next(500)
			frames = append(frames, more...)
		}
		var sent, told []string
		for _, f := range frames {
			for _, m := range f.Sends {
				sent = append(sent, fmt.Sprint(f.At, f.Node+1, m.To+1, m.Kind))
			}
		}
		for _, e := range want.Timeline {
			if e.Kind == compare.Sends {
				told = append(told, fmt.Sprint(e.At.Microseconds(), e.Node, e.Other, e.Text))
			}
		}
		require.NotEmpty(t, told)
		both := min(len(sent), len(told))
		require.Equal(t, told[:both], sent[:both], n.Name)
		require.True(t, len(sent) >= len(told) || len(frames) >= 5000, n.Name)
	}
}

// TestProfiles has profiles whose timers ours can keep to what the specification asks of them, and algorithms that say who leads.
func TestProfiles(t *testing.T) {
	for _, p := range interactive.Profiles() {
		require.NotEmpty(t, p.Says)
		s, _ := begun(t, plain("bully", 5, p.Name, 1))
		frames, ended := s.Next(5000)
		require.False(t, ended, "a run with profile %s must go on", p.Name)
		leaders := map[int]bool{}
		for _, f := range frames {
			if f.State != nil && f.State.Look == recording.Leads {
				leaders[f.Node] = true
			}
			for _, l := range f.Indicators {
				require.NotEqual(t, recording.Red, l.Light, p.Name)
			}
		}
		require.True(t, leaders[4], p.Name)
		require.True(t, len(leaders) == 1 || p.Name == "lossy", p.Name)
	}
	for _, a := range interactive.Algorithms() {
		require.NotEmpty(t, a.Says, a.Name)
		require.Equal(t, interactive.MaxNodes, a.MaxNodes, a.Name)
		require.Equal(t, strings.HasPrefix(a.Name, "bully"), a.Resigns, a.Name)
	}
}

// TestResign tells a leader to lead no longer, and a follower too.
func TestResign(t *testing.T) {
	s, frames := begun(t, plain("bully", 3, "lan", 1))
	v := viewerOf(t, s.Header())
	v.show(frames)
	v.until(s, 500, func() bool { return v.leader() == 2 })
	v.until(s, 50, func() bool { return v.nodes[0].Leader == 2 && v.nodes[1].Leader == 2 })
	done, err := s.Do(interactive.Intervention{After: v.count, Do: interactive.Resign, Node: place(0)})
	require.NoError(t, err)
	require.Contains(t, done[0].Note, "nothing comes of it")
	v.show(done)
	done, err = s.Do(interactive.Intervention{After: v.count, Do: interactive.Resign, Node: place(2)})
	require.NoError(t, err)
	require.Equal(t, "Resign", done[0].Action)
	require.Equal(t, "R28", done[0].Rule)
	v.show(done)
	require.Equal(t, -1, v.leader())
}

// TestSpeed makes 10,000 frames in less than half a second: the page asks for them while people wait.
func TestSpeed(t *testing.T) {
	s, _ := begun(t, plain("bully", 5, "lan", 1))
	begins := time.Now()
	frames, _ := s.Next(10_000)
	took := time.Since(begins)
	require.Len(t, frames, 10_000)
	t.Logf("%s", took)
	require.Less(t, took, 5*time.Second, "ten times as long as it should take: machines are busy")
}
