package host

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

func TestPatience(t *testing.T) {
	lan := LAN()
	for _, test := range []struct {
		name  string
		me, n int
		holds func(p *fakeHost)
		want  time.Duration
	}{
		{"of the next highest, with a lease", 2, 3, func(p *fakeHost) { p.hear(spec.Heartbeat, 3, 1) }, lan.Patience + lan.Delay/2},
		{"of a lower one, with a lease", 1, 3, func(p *fakeHost) { p.hear(spec.Heartbeat, 3, 1) }, lan.Patience},
		{"of the highest, with a lease", 3, 3, func(p *fakeHost) { p.hear(spec.Heartbeat, 2, 1) }, lan.Patience + lan.Delay/2},
		{"after a RESIGN, of the next highest", 2, 3, func(p *fakeHost) {
			p.hear(spec.Heartbeat, 3, 1)
			p.hear(spec.Resign, 3, 1)
		}, 0},
		{"after a RESIGN, of a lower one", 1, 4, func(p *fakeHost) {
			p.hear(spec.Heartbeat, 4, 1)
			p.hear(spec.Resign, 4, 1)
		}, 2 * lan.Stagger},
		{"after an IM_BACK", 1, 4, func(p *fakeHost) {
			p.hear(spec.Heartbeat, 4, 1)
			p.hear(spec.ImBack, 4, 1)
		}, 2 * lan.Stagger},
		{"after a proof", 2, 3, func(p *fakeHost) {
			p.hear(spec.Heartbeat, 3, 1)
			p.learn(transport.Dead, 3)
		}, 0},
		{"after a proof, of a lower one", 1, 4, func(p *fakeHost) {
			p.hear(spec.Heartbeat, 4, 1)
			p.learn(transport.Dead, 4)
		}, 2 * lan.Stagger},
		{"after proofs of all higher ones", 1, 3, func(p *fakeHost) {
			p.hear(spec.Heartbeat, 3, 1)
			p.learn(transport.Dead, 3)
			p.learn(transport.Dead, 2)
		}, 0},
		{"after a proof that was no longer one", 1, 3, func(p *fakeHost) {
			p.hear(spec.Heartbeat, 3, 1)
			p.learn(transport.Dead, 2)
			p.learn(transport.Up, 2)
			p.learn(transport.Dead, 3)
		}, lan.Stagger},
		{"a broken connection proves nothing", 1, 3, func(p *fakeHost) {
			p.hear(spec.Heartbeat, 3, 1)
			p.learn(transport.Down, 3)
		}, lan.Patience},
		{"after having granted", 1, 3, func(p *fakeHost) { p.hear(spec.Claim, 3, 1) }, lan.Coordinator},
		{"after having granted, of the next highest", 2, 3, func(p *fakeHost) { p.hear(spec.Claim, 3, 1) }, lan.Coordinator + lan.Delay/2},
		{"after having granted who is then proved dead", 2, 3, func(p *fakeHost) {
			p.hear(spec.Claim, 3, 1)
			p.learn(transport.Dead, 3)
		}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			play(t, test.me, test.n, false, func(t *testing.T, p *fakeHost) {
				time.Sleep(10 * ms)
				p.links.forget()
				test.holds(p)
				if test.want == 0 {
					require.True(t, p.links.has(spec.Election), "node %d must stand at once", test.me)
					return
				}
				within(t, test.want, p.until(spec.Election, time.Second))
			})
		})
	}
}

// TestAwaited: an electing node waits for T_coord, even if all to whom it has given way are proved dead (R37, Besides 2).
func TestAwaited(t *testing.T) {
	play(t, 1, 4, false, func(t *testing.T, p *fakeHost) {
		p.hear(spec.Election, 3, 0)
		p.learn(transport.Dead, 3)
		p.learn(transport.Dead, 2)
		within(t, LAN().Coordinator+3*LAN().Stagger, p.until(spec.Election, time.Second))
	})
	play(t, 1, 3, true, func(t *testing.T, p *fakeHost) { // but not during the silence after a restart
		p.learn(transport.Up, 2)
		p.learn(transport.Up, 3)
		p.hear(spec.Election, 3, 0)
		p.learn(transport.Dead, 3)
		p.learn(transport.Dead, 2)
		within(t, LAN().Coordinator, p.until(spec.Election, time.Second))
	})
}

// TestPatienceFromTheAnswer: patience counts from the ACK, also if the host has waited between its last look at the clock and the
// HEARTBEAT (R36.3).
func TestPatienceFromTheAnswer(t *testing.T) {
	play(t, 1, 3, false, func(t *testing.T, p *fakeHost) {
		p.hear(spec.Heartbeat, 3, 1)
		p.links.waits(20 * ms)
		p.hear(spec.Heartbeat, 3, 1)
		p.links.waits(0)
		time.Sleep(20 * ms)
		within(t, LAN().Patience, p.until(spec.Election, time.Second))
	})
}

// TestLinkThatFlaps: who has asked in vain asks sooner when a connection comes, but waits twice as long after each further
// attempt, however often connections come and go (R36.6).
func TestLinkThatFlaps(t *testing.T) {
	play(t, 3, 3, false, func(t *testing.T, p *fakeHost) {
		p.hear(spec.Heartbeat, 2, 1)
		p.hear(spec.Resign, 2, 1)
		for attempt := range 9 {
			p.until(spec.Election, 3*time.Second)
			p.hear(spec.Refuse, 1, 1)
			p.hear(spec.Refuse, 2, 1)
			if attempt == 0 {
				time.Sleep(ms) // the first wait is shorter than any connection makes it
				continue
			}
			p.learn(transport.Down, 1)
			p.learn(transport.Up, 1)
		}
		p.links.forget()
		for range 15 { // its backoff would not end so soon, and two heartbeats have
			time.Sleep(20 * ms)
			p.learn(transport.Down, 1)
			p.learn(transport.Up, 1)
		}
		require.False(t, p.links.has(spec.Election), "a link that flaps must not start a second election")
	})
}

// TestAssentAgain: T_coord begins anew for each node that is assented to, once (R36.5).
func TestAssentAgain(t *testing.T) {
	play(t, 1, 3, false, func(t *testing.T, p *fakeHost) {
		p.hear(spec.Election, 2, 0)
		time.Sleep(200 * ms)
		p.hear(spec.Election, 3, 0)
		for range 4 {
			time.Sleep(50 * ms)
			p.hear(spec.Election, 2, 0)
			p.hear(spec.Election, 3, 0)
		}
		within(t, LAN().Coordinator+2*LAN().Stagger-200*ms, p.until(spec.Election, time.Second))
	})
}

// TestElectionOver: when a candidate need not wait for T_elec.
func TestElectionOver(t *testing.T) {
	candidate := func(t *testing.T, p *fakeHost) {
		p.hear(spec.Heartbeat, 5, 1)
		p.learn(transport.Dead, 5)
		p.until(spec.Election, time.Second)
	}
	for _, test := range []struct {
		name string
		then func(p *fakeHost)
		want time.Duration // until the claim; 0 if there is none
	}{
		{"a quorum, and nobody higher lives", func(p *fakeHost) {
			p.hear(spec.Assent, 1, 1)
			p.hear(spec.Assent, 2, 1)
		}, -1},
		{"no quorum yet", func(p *fakeHost) { p.hear(spec.Assent, 1, 1) }, 0},
		{"the dead is back", func(p *fakeHost) {
			p.learn(transport.Up, 5)
			p.hear(spec.Assent, 1, 1)
			p.hear(spec.Assent, 2, 1)
		}, LAN().Election},
		{"everybody has answered", func(p *fakeHost) {
			p.learn(transport.Up, 5)
			p.hear(spec.Assent, 1, 1)
			p.hear(spec.Assent, 2, 1)
			p.hear(spec.Refuse, 5, 1)
			p.hear(spec.Refuse, 3, 1)
		}, -1},
		{"everybody who lives has refused", func(p *fakeHost) {
			p.hear(spec.Refuse, 1, 1)
			p.hear(spec.Refuse, 2, 1)
			p.hear(spec.Refuse, 3, 1)
		}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			play(t, 4, 5, false, func(t *testing.T, p *fakeHost) {
				candidate(t, p)
				p.links.forget()
				began := time.Now()
				test.then(p)
				switch test.want {
				case -1:
					require.True(t, p.links.has(spec.Claim), "at once")
				case 0:
					time.Sleep(LAN().Election)
					require.False(t, p.links.has(spec.Claim), "a candidate must wait for the election timeout")
				default:
					require.False(t, p.links.has(spec.Claim), "a candidate must not claim while it waits")
					took := time.Since(began) + p.until(spec.Claim, time.Second)
					require.InDelta(t, test.want, took, float64(200*time.Microsecond), "began is when the candidate was seen, and may lag")
				}
			})
		})
	}
}

// TestBackoff: who asks in vain waits longer each time, but not for ever; a leader makes it forget (R37, Besides 5).
func TestBackoff(t *testing.T) {
	play(t, 3, 3, false, func(t *testing.T, p *fakeHost) {
		p.hear(spec.Heartbeat, 2, 1)
		p.hear(spec.Resign, 2, 1)
		var waits []time.Duration
		require.True(t, p.links.has(spec.Election), "at once")
		for range 13 {
			p.hear(spec.Refuse, 1, 1)
			p.hear(spec.Refuse, 2, 1)
			waits = append(waits, p.until(spec.Election, 3*time.Second))
		}
		t.Log(waits)
		for k := 1; k < len(waits); k++ {
			require.Greater(t, waits[k]*3, waits[k-1]*2)
			require.LessOrEqual(t, waits[k], 4*LAN().Patience+ms)
		}
		require.Less(t, waits[0], 8*ms)
		require.Greater(t, waits[12], 2*LAN().Patience)
		p.hear(spec.Heartbeat, 2, 1)
		p.links.forget()
		p.hear(spec.Resign, 2, 1)
		require.True(t, p.links.has(spec.Election), "at once")
	})
}

// TestHeldUp: who was held up does not suspect a leader whose messages are still on their way to it.
func TestHeldUp(t *testing.T) {
	for _, lease := range []bool{true, false} {
		play(t, 1, 2, false, func(t *testing.T, p *fakeHost) {
			first := spec.Heartbeat // it follows
			if !lease {
				first = spec.Claim // it is electing
			}
			p.hear(first, 2, 1)
			p.clock.hang()
			time.Sleep(10 * time.Second)
			p.links.forget()
			p.clock.open()
			time.Sleep(2*LAN().Heartbeat - ms)
			require.False(t, p.links.has(spec.Election), "node 1 must not suspect a leader whose messages may be queued")
			p.hear(spec.Heartbeat, 2, 1)
			time.Sleep(LAN().Patience - ms)
			require.False(t, p.links.has(spec.Election), "a heartbeat that was queued renews patience")
			require.EqualValues(t, 1, p.Status().Counters.Pauses)
		})
	}
}

// TestLateClaim: a claimant that was held up does not win by grants that may have been given up meanwhile.
func TestLateClaim(t *testing.T) {
	play(t, 3, 3, false, func(t *testing.T, p *fakeHost) {
		p.hear(spec.Election, 1, 0)
		p.hear(spec.Assent, 1, 0)
		require.Equal(t, spec.Claimant, p.Status().Role)
		p.clock.hang()
		time.Sleep(time.Second)
		p.comes(p.says(spec.Grant, 1, 1))
		p.clock.open()
		synctest.Wait()
		require.NotEqual(t, spec.Leader, p.Status().Role)
		require.False(t, p.links.has(spec.Coordinator), "a claimant that was held up must not announce itself")
	})
}

// TestLateEnd: a leader that was held up gives the end of its reign before any message: an answer that has waited meanwhile is too late,
// though the question that it answers dates the reign anew.
func TestLateEnd(t *testing.T) {
	for _, test := range []struct {
		name string
		late time.Duration
		role spec.Role
	}{
		{"just in time", -ms, spec.Leader},
		{"a little late", ms, spec.Follower},
		{"late", time.Minute, spec.Follower},
	} {
		t.Run(test.name, func(t *testing.T) {
			play(t, 3, 3, false, func(t *testing.T, p *fakeHost) {
				claimed := leads(t, p)
				p.until(spec.Heartbeat, time.Second)
				p.clock.hang()
				time.Sleep(time.Until(claimed.Add(LAN().Reign + test.late)))
				p.comes(p.says(spec.Ack, 1, 1))
				p.clock.open()
				synctest.Wait()
				require.Equal(t, test.role, p.Status().Role)
			})
		})
	}
}

// leads makes node 3 of 3 lead epoch 1, and returns when it has claimed that.
func leads(t *testing.T, p *fakeHost) (claimed time.Time) {
	t.Helper()
	p.hear(spec.Election, 1, 0)
	p.hear(spec.Assent, 1, 0)
	claimed = time.Now()
	time.Sleep(7 * ms)
	p.hear(spec.Grant, 1, 1)
	require.Equal(t, spec.Leader, p.Status().Role)
	require.Equal(t, claimed.Add(LAN().Reign), p.Status().Deadline, "from the CLAIM, not from the GRANT")
	return claimed
}

// TestLateAnswer: an answer to a question of long ago lengthens the reign by nothing but what is left of that question, however late
// it comes; and one to an older question than dates it by nothing at all.
func TestLateAnswer(t *testing.T) {
	play(t, 3, 3, false, func(t *testing.T, p *fakeHost) {
		lan := LAN()
		claimed := leads(t, p)
		p.until(spec.Heartbeat, time.Second)
		first, asked := p.says(spec.Ack, 1, 1), time.Now()
		require.InDelta(t, lan.Heartbeat, asked.Sub(claimed), float64(200*time.Microsecond))
		time.Sleep(time.Until(claimed.Add(lan.Reign - 5*ms))) // and the ACK is late
		p.comes(first)
		synctest.Wait()
		until := p.Status().Deadline
		require.InDelta(t, lan.Reign, until.Sub(asked), float64(200*time.Microsecond), "from the HEARTBEAT that it answers")
		p.until(spec.Heartbeat, time.Second)
		for range 20 { // a queue of old ACKs comes after it
			p.comes(first)
			synctest.Wait()
		}
		require.Equal(t, until, p.Status().Deadline)
		require.Equal(t, Numbers{Latest: first.Question + 1, Dated: first.Question}, p.Status().Numbers)
		time.Sleep(time.Until(until))
		synctest.Wait()
		require.Equal(t, spec.Follower, p.Status().Role)
	})
}

// TestGrantOfAClaimGivenUp: a GRANT that answers an earlier claim of the same epoch wins nothing.
func TestGrantOfAClaimGivenUp(t *testing.T) {
	play(t, 3, 3, false, func(t *testing.T, p *fakeHost) {
		p.hear(spec.Election, 1, 0)
		p.hear(spec.Assent, 1, 0)
		late := p.says(spec.Grant, 1, 1)
		p.until(spec.Election, time.Second) // the claim has ended
		p.hear(spec.Assent, 1, 0)
		require.Equal(t, spec.Claimant, p.Status().Role)
		require.NotEqual(t, late.Question, p.links.lastAsked())
		p.comes(late)
		synctest.Wait()
		require.Equal(t, spec.Claimant, p.Status().Role)
		p.hear(spec.Grant, 1, 1)
		require.Equal(t, spec.Leader, p.Status().Role)
	})
}

// TestDetector: it hears of the leader that is followed, and of no other; it decides the patience, above the bound.
func TestDetector(t *testing.T) {
	play(t, 3, 3, false, func(t *testing.T, p *fakeHost) {
		sees := func(heard, resets int) {
			t.Helper()
			require.Equal(t, []int{heard, resets}, []int{p.judge.heard, p.judge.resets})
		}
		p.hear(spec.Heartbeat, 2, 1)
		p.hear(spec.Heartbeat, 2, 1)
		sees(2, 1)
		require.Equal(t, Numbers{Latest: 1, Lease: 2}, p.Status().Numbers)
		p.hear(spec.Heartbeat, 1, 0) // stale
		p.hear(spec.Election, 1, 1)
		sees(2, 1)
		require.Equal(t, 2.0, p.Status().Links[1].Phi)
		require.Zero(t, p.Status().Links[0].Phi)
		p.until(spec.Election, time.Second) // patience ends
		p.hear(spec.Heartbeat, 2, 1)
		sees(3, 1) // a mistake, which it is to remember
		p.hear(spec.Heartbeat, 1, 2)
		sees(4, 2)
		p.hear(spec.Heartbeat, 2, 3)
		sees(5, 3)
		p.hear(spec.Resign, 2, 3)
		p.until(spec.Election, time.Second)
		p.hear(spec.Assent, 1, 3)
		p.hear(spec.Grant, 1, 4)
		require.Equal(t, spec.Leader, p.Status().Role)
		p.hear(spec.Heartbeat, 2, 5)
		sees(6, 4) // this node has led: there was no mistake
		p.judge.patience = 500 * ms
		p.hear(spec.Heartbeat, 2, 5)
		within(t, 500*ms+LAN().Delay/2, p.until(spec.Election, time.Second))
	})
	play(t, 1, 2, false, func(t *testing.T, p *fakeHost) {
		p.hear(spec.Heartbeat, 2, 1)
		p.clock.hang()
		time.Sleep(time.Second)
		p.clock.open()
		synctest.Wait()
		require.Equal(t, time.Now().Add(2*LAN().Heartbeat), p.judge.quiet, "what was queued teaches nothing")
	})
}

// TestDefers: an ELECTION that comes a little before the proof that the leader is dead is answered after it, and one that no proof follows
// a little later.
func TestDefers(t *testing.T) {
	play(t, 3, 5, false, func(t *testing.T, p *fakeHost) {
		p.hear(spec.Heartbeat, 5, 1)
		p.hear(spec.Election, 4, 1)
		require.False(t, p.links.has(spec.Refuse), "a node that defers must not refuse at once")
		p.learn(transport.Dead, 5)
		require.True(t, p.links.has(spec.Assent), "node 3 must assent when the leader is proved dead")
		require.False(t, p.links.has(spec.Refuse), "node 3 must not refuse when it assents")
	})
	play(t, 3, 5, false, func(t *testing.T, p *fakeHost) {
		p.hear(spec.Heartbeat, 5, 1)
		p.hear(spec.Election, 4, 1)
		within(t, LAN().Defer, p.until(spec.Refuse, time.Second))
		p.hear(spec.Election, 4, 1)
		p.links.forget()
		p.hear(spec.ImBack, 4, 1)
		require.True(t, p.links.has(spec.Refuse), "what comes of one node is taken in order")
	})
}
