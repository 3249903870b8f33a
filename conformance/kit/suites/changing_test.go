package suites_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/kit/suites"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// TestFixedIsAskedNothing has a port without the feature: no case in which members change is put to it, and that is no fault.
func TestFixedIsAskedNothing(t *testing.T) {
	fixed := edited(`"fence","members"`, `"fence"`)
	for _, v := range run(t, slices.Concat(suites.Changing.Cuts()[:1], suites.Changing.Sim(1, 1), suites.Changing.Sample(), suites.Changing.Live()[:1]), fixed) {
		require.Equal(t, kit.Unsupported, v.Outcome, v.Case)
		require.False(t, v.Failed(), v.Case)
		require.Zero(t, v.Requests, v.Case)
	}
}

// adoptsNothing hears of newer configurations, and keeps its own.
func adoptsNothing(c *conformance.Case) {
	if m := c.Input.Message; c.Want.State.Configuration == m.Configuration && m.Configuration != c.Before.Configuration {
		c.Want = spec.Step{State: c.Before.Clone()}
	}
}

// grantsOlder grants a CLAIM whose configuration is older.
func grantsOlder(c *conformance.Case) {
	if m := c.Input.Message; m.Type == spec.Claim && check.RuleOf(c) == "R45" && c.Before.Configuration.Epoch <= m.Epoch {
		in := c.Input
		in.Message.Configuration = c.Before.Configuration
		c.Want = (&conformance.Model{}).Step(c.ID, c.Members, c.Before, in)
	}
}

// unstamped leaves the configuration of who wins as it is.
func unstamped(c *conformance.Case) {
	if own := c.Before.Configuration; c.Want.State.Role == spec.Leader && c.Before.Role != spec.Leader && !own.IsNone() {
		c.Want.State.Configuration = own
		for i := range c.Want.Sent {
			c.Want.Sent[i].Configuration = own
		}
	}
}

// eager changes whether the last change is settled or not.
func eager(c *conformance.Case) {
	if c.Input.Call == spec.ChangeCall && c.Want.Ignored && c.Before.Role == spec.Leader {
		before := c.Before.Clone()
		before.Support = nil
		for _, m := range before.Configuration.Members() {
			if m.ID != c.ID {
				before.Support = append(before.Support, m.ID)
			}
		}
		got := (&conformance.Model{}).Step(c.ID, c.Members, before, c.Input)
		if !got.Ignored {
			c.Want = got
		}
	}
}

// mute says nothing when the patience of a member ends that may not stand.
func mute(c *conformance.Case) {
	if c.Input.Timer == spec.PatienceTimer && c.Want.State.Role == spec.Follower {
		c.Want.Sent = nil
	}
}

// forgetsMembers restarts without its configuration.
func forgetsMembers(c *conformance.Case) {
	if c.Input.Call == spec.RestartCall && !c.Want.State.Configuration.IsNone() {
		c.Want.State.Configuration = spec.EmptyConfiguration()
	}
}

// TestBrokenMembers puts ports with bugs about members through the suites: each finds them, and says which rule it is.
func TestBrokenMembers(t *testing.T) {
	slowtest.Only(t, "it runs whole suites against broken ports")
	refused(t, []bug{
		{"adopts nothing", always(adoptsNothing), suites.Changing.Sample(), "R43", "state."},
		{"adopts nothing", always(adoptsNothing), suites.Changing.Sim(1, 3), "R43", "state."},
		{"adopts nothing", always(adoptsNothing), suites.Changing.Live()[:2], "R43", "state."},
		{"grants older", always(grantsOlder), suites.Changing.Sample(), "R45", "state."},
		{"unstamped", always(unstamped), suites.Changing.Sample(), "R48", "state.configuration: expected"},
		{"adopts nothing", always(adoptsNothing), suites.Changing.Isolate()[:1], "", "a program of its own"},
		{"eager", always(eager), suites.Changing.Sample(), "R47", "a step: expected that the input is ignored"},
		{"mute", always(mute), suites.Changing.Sim(1, 20), "R46", "message 1 that is sent"},
		{"forgets members", always(forgetsMembers), suites.Changing.Cuts(), "R30", "state.configuration: expected"},
		{"shares", serve(shares), suites.Changing.Runs(), "", "of the two clusters alone is as it must be"},
	})
}

// noConfiguration saves epoch and grantee alone.
func noConfiguration(effects []json.RawMessage) []json.RawMessage {
	var saved struct{ Save *spec.Durable }
	if json.Unmarshal(effects[0], &saved) == nil && saved.Save != nil && !saved.Save.Configuration.IsNone() {
		saved.Save.Configuration = spec.EmptyConfiguration()
		text, _ := json.Marshal(saved.Save)
		effects = append([]json.RawMessage{[]byte(`{"save":` + string(text) + `}`)}, effects[1:]...)
	}
	return effects
}

// TestCrashesOfMembers lets broken ports go on from crashes in which configurations are lost. No model is asked.
func TestCrashesOfMembers(t *testing.T) {
	for name, c := range map[string]struct {
		port         port.Config
		rule         string
		early, after string
	}{
		"it sends before it saves":   {does(late), "R4", "while the disk of", "which is not newer than"},
		"it never saves":             {does(never), "R4", "a crash now, and it is forgotten", "which is not newer than"},
		"it saves no configuration":  {does(noConfiguration), "R4", "a crash now, and it is forgotten", "which is not newer than"},
		"it forgets it as it begins": {always(forgetsMembers), "R30", "and its disk has epoch", ""},
		"it takes back what it has": {always(func(c *conformance.Case) {
			if m := c.Input.Message; c.Before.Configuration.Newer(m.Configuration) && m.Configuration.Len() > 0 && m.Configuration.Epoch == c.Before.Configuration.Epoch {
				c.Want.State.Configuration = m.Configuration
				c.Want.State.Support = nil
				if c.Want.State.Role == spec.Candidate || c.Want.State.Role == spec.Claimant {
					c.Want.State.Role = spec.Electing
				}
				for i := range c.Want.Sent {
					c.Want.Sent[i].Configuration = m.Configuration
				}
			}
		}), string(spec.ConfigurationMonotonic), "", "which is not newer than"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.early != "" {
				require.True(t, dies(t, suites.Changing, c.port, false, c.rule, c.early))
			}
			if c.after != "" {
				require.True(t, dies(t, suites.Changing, c.port, true, c.rule, c.after))
			}
		})
	}
}
