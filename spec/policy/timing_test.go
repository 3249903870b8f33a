package policy

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
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
		{"c", func(t *Timing) { t.Reign = 105 * ms }, "policy: Timing.Reign is 105ms, but must be above 106.05ms: a question must have been answered before the one that dates the reign is too old (R37 c)"},
		{"c by heartbeat", func(t *Timing) { t.Heartbeat = 70 * ms }, "policy: Timing.Reign is 110ms, but must be above 116.865ms: a question must have been answered before the one that dates the reign is too old (R37 c)"},
		{"d", func(t *Timing) { t.Patience = 112 * ms }, "policy: Timing.Patience is 112ms, but must be at least 112.223ms: the lease of a follower must outlast the reign that it backs (R37 d)"},
		{"e", func(t *Timing) { t.Claim = 90 * ms; t.Coordinator = 172 * ms }, "policy: Timing.Coordinator is 172ms, but must be above 172.976ms: whoever said OK has its election and its claim (R37 e)"},
		{"g", func(t *Timing) { t.Reign = 148 * ms; t.Patience = 155 * ms }, "policy: Timing.Coordinator is 150ms, but must be at least 150.99ms: it must outlast the reign that a grant or a forgotten answer backs (R37 g)"},
		{"h", func(t *Timing) { t.Election = 155 * ms; t.Coordinator = 309 * ms }, "policy: Timing.Coordinator is 309ms, but must be at least 310ms: a higher node may open its own election one Election later (R37 h)"},
		{"i", func(t *Timing) { t.Claim = 111 * ms; t.Coordinator = 300 * ms }, "policy: Timing.Reign is 110ms, but must be at least 111ms: a claim must end no later than the reign that it would win (R37 i)"},
		{"no delay", func(t *Timing) { t.Delay = 0 }, "policy: Timing.Delay is 0s, but must be at least 1ns"},
		{"no heartbeat", func(t *Timing) { t.Heartbeat = -1 }, "policy: Timing.Heartbeat is -1ns, but must be at least 1ns"},
		{"negative stagger", func(t *Timing) { t.Stagger = -1 }, "policy: Timing.Stagger is -1ns, but must be at least 0s"},
		{"negative deferral", func(t *Timing) { t.Defer = -1 }, "policy: Timing.Defer is -1ns, but must be at least 0s"},
		{"very long", func(t *Timing) { t.Coordinator = math.MaxInt64 }, "policy: Timing.Coordinator is 2562047h47m16.854775807s, but must be at most 24h0m0s"},
		{"preempt very long", func(t *Timing) { t.Preempt = math.MaxInt64 }, "policy: Timing.Preempt is 2562047h47m16.854775807s, but must be at most 24h0m0s"},
		{"drift 1", func(t *Timing) { t.Drift = 1 }, "policy: Timing.Drift is 1, but must be from 0 to below 1 (R37)"},
		{"drift negative", func(t *Timing) { t.Drift = -0.1 }, "policy: Timing.Drift is -0.1, but must be from 0 to below 1 (R37)"},
		{"drift no number", func(t *Timing) { t.Drift = math.NaN() }, "policy: Timing.Drift is NaN, but must be from 0 to below 1 (R37)"},
	} {
		timing := Timing{
			Delay: 15 * ms, Drift: 0.01, Heartbeat: 50 * ms, Reign: 110 * ms, Patience: 113 * ms, Election: 35 * ms,
			Coordinator: 150 * ms, Claim: 65 * ms, Stagger: 30 * ms, Defer: ms, Preempt: time.Second,
		}
		require.NoError(t, timing.Validate())
		test.change(&timing)
		err := timing.Validate()
		require.EqualError(t, err, test.want, test.name)
		var wrong *Error
		require.ErrorAs(t, err, &wrong, test.name)
	}
	timing := LAN()
	timing.Preempt, timing.Stagger, timing.Defer, timing.Drift = -1, 0, 0, 0
	require.NoError(t, timing.Validate(), "never to pre-empt, no stagger, no drift")
	timing.Stagger = MaxTiming
	require.NoError(t, timing.Validate())
}

// TestValidateActing: OneActing needs some of the bounds only, and lengths in any case.
func TestValidateActing(t *testing.T) {
	for want, change := range map[string]func(*Timing){
		"":         func(t *Timing) { t.Election, t.Heartbeat, t.Delay = 1, time.Hour, time.Hour },
		"(R37 d)":  func(t *Timing) { t.Patience = t.Reign },
		"(R37 g)":  func(t *Timing) { t.Coordinator = t.Reign },
		"(R37 i)":  func(t *Timing) { t.Claim = t.Reign + 1 },
		"at least": func(t *Timing) { t.Delay = 0 },
	} {
		timing := LAN()
		change(&timing)
		if err := timing.ValidateActing(); want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want)
		}
	}
}

// TestTimingFor: whatever the delay, the bounds are kept, and a leader goes on that loses one heartbeat.
func TestTimingFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		delay := time.Duration(rapid.Int64Range(int64(time.Microsecond), int64(20*time.Minute)).Draw(t, "delay"))
		timing := TimingFor(delay)
		require.NoError(t, timing.Validate())
		require.Equal(t, delay, timing.Delay)
		require.Greater(t, float64(timing.Reign), timing.answered(1))
		require.GreaterOrEqual(t, timing.Stagger, 2*delay, "R37, Besides 1")
		require.Greater(t, timing.Preempt, timing.Coordinator)
		require.Less(t, timing.Patience, 14*delay, "no longer than it must be")
	})
}

// TestTimingIsRound: people are to read it.
func TestTimingIsRound(t *testing.T) {
	timing := TimingFor(8 * ms)
	require.Equal(t, Timing{Delay: 8 * ms, Drift: 0.01, Heartbeat: 32 * ms, Reign: 98 * ms, Patience: 100 * ms, Election: 17 * ms, Coordinator: 100 * ms,
		Claim: 33 * ms, Preempt: 400 * ms, Stagger: 17 * ms, Defer: 2 * ms}, timing)
	require.Equal(t, 16200*time.Microsecond, TimingFor(8*ms-1).Election)
	require.NoError(t, TimingFor(1).Validate(), "shorter than it is made for")
}

// TestProfilesForgive holds the profiles to what their comments say of leaders that are held up.
func TestProfilesForgive(t *testing.T) {
	lan := LAN()
	lan.Delay = 15 * ms // 45 ms from the heartbeat to its answer
	require.Greater(t, float64(lan.Reign), lan.answered(0))
	for _, timing := range []Timing{Busy(), WAN()} {
		require.Greater(t, float64(timing.Reign), timing.answered(1))
	}
}
