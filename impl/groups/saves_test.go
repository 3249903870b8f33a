package groups

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/reigns"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// A few promises wait for more of them after a save of many, for as long as that took; one alone, and the first of many, never do (decision 0058).
func TestFewPromisesGather(t *testing.T) {
	const took, delay = policy.Instant(2 * time.Millisecond), 100 * time.Millisecond
	for name, want := range map[string]struct {
		last, next int
		after      policy.Instant // how long after the last save has ended
		long       policy.Instant // how long that took
		gathers    bool
	}{
		"few":                 {100, 49, 0, took, true},
		"few, for a while":    {100, 49, took - 1, took, true},
		"few, no longer":      {100, 49, took, took, false},
		"half as many":        {100, 50, 0, took, false},
		"the first of many":   {1, 1, 0, took, false},
		"after none":          {0, 1, 0, 0, false},
		"none":                {100, 0, 0, took, false},
		"of a disk that hung": {100, 49, policy.Instant(delay / 8), policy.Instant(time.Minute), false},
	} {
		l := &loop{config: &Config{}, watch: &reigns.Watch{}, next: job{promises: make([]storage.GroupPromise, want.next)}}
		l.config.Timing.Delay = delay
		l.paid = paid{size: want.last, began: 1, ended: 1 + want.long}
		l.watch.Now = l.paid.ended + want.after
		require.Equal(t, want.gathers, l.gathers(), name)
		l.saving = &job{}
		require.False(t, l.gathers(), "%s: the disk is busy", name)
	}
}
