package suites_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/kit/suites"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// does is a port of the model whose hosts are told to do something else: its states are right, its effects are not.
func does(change func(effects []json.RawMessage) []json.RawMessage) port.Config {
	inner := serve(nil)
	return port.Config{Serve: func(r io.Reader, w io.Writer) error { return inner.Serve(r, &changer{to: w, change: change}) }}
}

// changer changes the effects of replies.
type changer struct {
	to     io.Writer
	change func(effects []json.RawMessage) []json.RawMessage
	rest   []byte
}

func (c *changer) Write(text []byte) (int, error) {
	c.rest = append(c.rest, text...)
	for {
		line, rest, whole := bytes.Cut(c.rest, []byte("\n"))
		if !whole {
			return len(text), nil
		}
		var fields map[string]json.RawMessage
		var effects []json.RawMessage
		if json.Unmarshal(line, &fields) == nil && json.Unmarshal(fields["effects"], &effects) == nil && len(effects) > 0 {
			changed, err := json.Marshal(append([]json.RawMessage{}, c.change(effects)...))
			if err != nil {
				return 0, err
			}
			fields["effects"] = changed
			if line, err = json.Marshal(fields); err != nil {
				return 0, err
			}
		}
		if _, err := c.to.Write(append(slices.Clone(line), '\n')); err != nil {
			return 0, err
		}
		c.rest = rest
	}
}

func isSave(effect json.RawMessage) bool { return strings.HasPrefix(string(effect), `{"save"`) }

// late saves after it has sent.
func late(effects []json.RawMessage) []json.RawMessage {
	if isSave(effects[0]) {
		return append(slices.Clone(effects[1:]), effects[0])
	}
	return effects
}

// never saves but when a node starts.
func never(effects []json.RawMessage) []json.RawMessage {
	return slices.DeleteFunc(effects, func(e json.RawMessage) bool { return isSave(e) && len(effects) > 1 })
}

// noGrantee saves the epoch alone.
func noGrantee(effects []json.RawMessage) []json.RawMessage {
	var saved struct{ Save *spec.Durable }
	if json.Unmarshal(effects[0], &saved) == nil && saved.Save != nil {
		saved.Save.Grantee = spec.NodeID{}
		text, _ := json.Marshal(saved.Save)
		effects = append([]json.RawMessage{[]byte(`{"save":` + string(text) + `}`)}, effects[1:]...)
	}
	return effects
}

// noNumbers reserves none behind those of the first start.
func noNumbers(effects []json.RawMessage) []json.RawMessage {
	var saved struct{ Save *spec.Durable }
	if json.Unmarshal(effects[0], &saved) == nil && saved.Save != nil {
		saved.Save.Reserved = 0
		text, _ := json.Marshal(saved.Save)
		effects = append([]json.RawMessage{[]byte(`{"save":` + string(text) + `}`)}, effects[1:]...)
	}
	return effects
}

// beginsAgain restarts with the numbers of its first start.
func beginsAgain(c *conformance.Case) {
	if c.Input.Call == spec.RestartCall {
		c.Want.State.Latest = 1
		for i := range c.Want.Sent {
			c.Want.Sent[i].Question = 1
		}
	}
}

// TestCrashes lets broken ports go on from their crashes. No step is compared with the model's: what they do wrong is seen when a message
// leaves too early; and if nobody looks at that, when an epoch is promised twice, or led twice, after a restart.
func TestCrashes(t *testing.T) {
	for name, c := range map[string]struct {
		port         port.Config
		rule         string
		early, after string
	}{
		"it sends before it saves":  {does(late), "R4", "leaves while the disk of", "and had promised it to"},
		"it never saves":            {does(never), "R4", "leaves while the disk of", "and had promised it to"},
		"it saves no grantee":       {does(noGrantee), "R4", "promised to nobody: a crash now", ""},
		"it reserves no numbers":    {does(noNumbers), "R4", "has reserved numbers up to 0", "of a number that"},
		"it uses its numbers again": {always(beginsAgain), "R50", "had used before it crashed", "had used before it crashed"},
		"it restarts with less":     {always(forgets), "R30", "promised to nobody, and its disk has epoch", "promised to nobody, and its disk has epoch"},
	} {
		t.Run(name, func(t *testing.T) {
			require.True(t, dies(t, suites.Fixed, c.port, false, c.rule, c.early))
			if c.after != "" { // else it takes two claims of one epoch at once, and a crash between them: the script forgets-its-grantee
				require.True(t, dies(t, suites.Fixed, c.port, true, c.rule, c.after))
			}
		})
	}
}

// dies reports whether a script of a kind ends a port, for a rule, and what is said of it.
func dies(t *testing.T, kind *suites.Kind, c port.Config, lenient bool, rule, says string) bool {
	known, err := cluster.Known()
	require.NoError(t, err)
	p, err := port.Start(t.Context(), c)
	require.NoError(t, err)
	defer p.Close()
	for i := range known {
		name, script := known[i].Name, known[i].Script
		var failure *port.Failure
		if suites.OfScript(script) != kind || !errors.As(suites.Crash(t.Context(), p, script, lenient), &failure) || failure.Rule != rule || !strings.Contains(failure.Problem, says) {
			continue
		}
		require.Contains(t, failure.Problem, "script members", name)
		require.NotEmpty(t, failure.Reply)
		require.Greater(t, len(failure.Last), map[*suites.Kind]int{suites.Fixed: 3, suites.Changing: 2}[kind], "all that was asked by then")
		require.Equal(t, failure.Request, failure.Last[len(failure.Last)-1])
		t.Log(name, failure.Problem)
		return true
	}
	return false
}

// TestCrashesOfTheModel puts the model through all of them.
func TestCrashesOfTheModel(t *testing.T) {
	asked := uint64(0)
	for _, v := range run(t, some(named(t, suites.Fixed.Cuts(), "crashes-*"), 0, 7), serve(nil)) {
		require.Equal(t, kit.Pass, v.Outcome, v.Problem)
		require.Greater(t, v.Requests, uint64(10), v.Case)
		asked += v.Requests
	}
	require.Greater(t, asked, uint64(10_000))
}
