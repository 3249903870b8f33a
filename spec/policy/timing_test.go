package policy

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const ms = time.Millisecond

func TestProfilesAreValid(t *testing.T) {
	for _, p := range Profiles() {
		timing := p.Timing
		require.NoError(t, timing.Validate(), p.Name)
		require.GreaterOrEqual(t, timing.Stagger, 2*timing.Delay, "%s: R37, Besides 1", p.Name)
		require.Greater(t, timing.Preempt, timing.Coordinator, "%s: a node that has just come back is not stable", p.Name)
	}
}

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Timing)
		want   string
	}{
		{"a", func(t *Timing) { t.Election = 30300 * time.Microsecond }, "policy: Timing.Election is 30.3ms, but must be above 30.3ms: every ELECTION must have been answered (R37 a)"},
		{"b", func(t *Timing) { t.Claim = 60 * ms }, "policy: Timing.Claim is 60ms, but must be above 60.6ms: a claim by way of a hand-over takes four messages (R37 b)"},
		{"c", func(t *Timing) { t.Reign = 95 * ms }, "policy: Timing.Reign is 95ms, but must be above 95.45ms: a heartbeat must have been acknowledged between two checks (R37 c)"},
		{"c by heartbeat", func(t *Timing) { t.Heartbeat = 60 * ms }, "policy: Timing.Reign is 100ms, but must be above 105.45ms: a heartbeat must have been acknowledged between two checks (R37 c)"},
		{"d", func(t *Timing) { t.Patience = 249 * ms }, "policy: Timing.Patience is 249ms, but must be above 249.491ms: an ACK supports its leader for two checks (R37 d)"},
		{"e", func(t *Timing) { t.Claim = 150 * ms; t.Coordinator = 234 * ms }, "policy: Timing.Coordinator is 234ms, but must be above 234.188ms: whoever said OK has its election and its claim (R37 e)"},
		{"f", func(t *Timing) { t.Claim = 150 * ms; t.Coordinator = 300 * ms }, "policy: Timing.Coordinator is 300ms, but must be above 300.501ms: a GRANT supports a claim and a reign until its first check (R37 f)"},
		{"g", func(t *Timing) { t.Coordinator = 249 * ms }, "policy: Timing.Coordinator is 249ms, but must be above 249.491ms: it must outlast the lease of a follower (R37 g)"},
		{"h", func(t *Timing) { t.Election = 155 * ms; t.Coordinator = 309 * ms }, "policy: Timing.Coordinator is 309ms, but must be at least 310ms: a higher node may open its own election one Election later (R37 h)"},
		{"no delay", func(t *Timing) { t.Delay = 0 }, "policy: Timing.Delay is 0s, but must be at least 1ns"},
		{"no heartbeat", func(t *Timing) { t.Heartbeat = -1 }, "policy: Timing.Heartbeat is -1ns, but must be at least 1ns"},
		{"negative stagger", func(t *Timing) { t.Stagger = -1 }, "policy: Timing.Stagger is -1ns, but must be at least 0s"},
		{"negative settle", func(t *Timing) { t.Settle = -1 }, "policy: Timing.Settle is -1ns, but must be at least 0s"},
		{"very long", func(t *Timing) { t.Coordinator = math.MaxInt64 }, "policy: Timing.Coordinator is 2562047h47m16.854775807s, but must be at most 24h0m0s"},
		{"preempt very long", func(t *Timing) { t.Preempt = math.MaxInt64 }, "policy: Timing.Preempt is 2562047h47m16.854775807s, but must be at most 24h0m0s"},
		{"drift 1", func(t *Timing) { t.Drift = 1 }, "policy: Timing.Drift is 1, but must be from 0 to below 1 (R37)"},
		{"drift negative", func(t *Timing) { t.Drift = -0.1 }, "policy: Timing.Drift is -0.1, but must be from 0 to below 1 (R37)"},
		{"drift no number", func(t *Timing) { t.Drift = math.NaN() }, "policy: Timing.Drift is NaN, but must be from 0 to below 1 (R37)"},
	} {
		timing := Timing{
			Delay: 15 * ms, Drift: 0.01, Heartbeat: 50 * ms, Reign: 100 * ms, Patience: 265 * ms, Election: 35 * ms,
			Coordinator: 265 * ms, Claim: 65 * ms, Stagger: 30 * ms, Settle: ms, Preempt: time.Second,
		}
		require.NoError(t, timing.Validate())
		test.change(&timing)
		err := timing.Validate()
		require.EqualError(t, err, test.want, test.name)
		var wrong *Error
		require.ErrorAs(t, err, &wrong, test.name)
	}
	timing := LAN()
	timing.Preempt, timing.Stagger, timing.Settle, timing.Drift = -1, 0, 0, 0
	require.NoError(t, timing.Validate(), "never to pre-empt, no stagger, no drift")
}
