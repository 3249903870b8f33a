package host

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// TestLostQuorum lets a leader lose its quorum: it waits as long as any other before it asks (R36.6).
func TestLostQuorum(t *testing.T) {
	play(t, 3, 3, false, func(t *testing.T, p *fakeHost) {
		p.until(spec.Election, time.Minute)
		p.hear(spec.Assent, 1, 0)
		p.hear(spec.Grant, 1, 1)
		require.Equal(t, spec.Leader, p.Status().Role)
		lan := LAN()
		within(t, lan.Reign+lan.Patience, p.until(spec.Election, time.Minute))
	})
}

// TestParting lets a node grant, and wait in vain, again and again: from the second attempt on T_coord is longer by a random
// time, which grows (R37, Besides 5; L13).
func TestParting(t *testing.T) {
	play(t, 1, 5, false, func(t *testing.T, p *fakeHost) {
		lan := LAN()
		p.until(spec.Election, time.Minute)
		var before time.Duration
		for epoch := spec.Epoch(1); epoch <= 8; epoch++ {
			p.hear(spec.Claim, 3, epoch)
			longer := p.until(spec.Election, time.Minute) - lan.Coordinator
			if epoch == 1 {
				within(t, 0, longer)
			} else {
				require.Greater(t, longer, before/4)
				require.LessOrEqual(t, longer, lan.FirstBackoff()<<(epoch-1)+200*time.Microsecond)
			}
			before = longer
		}
		require.Greater(t, before, lan.Patience)
	})
}

// TestFollowingEndsAttempts: who has followed a leader begins anew with short waits.
func TestFollowingEndsAttempts(t *testing.T) {
	play(t, 3, 3, false, func(t *testing.T, p *fakeHost) {
		refused := func() {
			p.until(spec.Election, time.Minute)
			p.hear(spec.Refuse, 1, 1)
			p.hear(spec.Refuse, 2, 1)
		}
		for range 9 {
			refused()
		}
		p.hear(spec.Heartbeat, 2, 1)
		refused()
		require.LessOrEqual(t, p.until(spec.Election, time.Minute), LAN().FirstBackoff()+200*time.Microsecond)
	})
}

// TestWhoIsHeardLives: a message ends what a proof of death has said.
func TestWhoIsHeardLives(t *testing.T) {
	play(t, 2, 3, false, func(t *testing.T, p *fakeHost) {
		dead := func() bool { return p.Host.links.isDead().Has(2) }
		p.learn(transport.Dead, 3)
		require.True(t, dead(), "node 3 is proved dead")
		p.hear(spec.Heartbeat, 3, 1)
		require.False(t, dead(), "a message of node 3 refutes the proof of its death")
	})
}
