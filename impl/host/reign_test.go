package host

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
	"github.com/seed-fdf591db/bully/impl/internal/reigns"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// TestDeadlineIsOfAQuorum: the answers of so many that they are no quorum with the leader move no deadline, to however many questions
// they answer; one more moves it, to Reign after the question that a quorum has answered, and not after the latest (R26).
func TestDeadlineIsOfAQuorum(t *testing.T) {
	slowtest.NoRace(t, "TestStorm runs the same goroutines")
	wan, members := WAN(), []spec.NodeID{id(1), id(2)}
	for n := 3; n <= 7; n++ {
		members = append(members, id(n))
		config := Config{Members: members, Storage: storage.NewMemory(), Timing: wan}
		playAs(t, &fakeHost{me: n}, config, func(t *testing.T, p *fakeHost) {
			needed := n / 2 // others, for a quorum
			p.until(spec.Election, time.Minute)
			answer := func(m spec.MessageType, epoch spec.Epoch, others int) {
				for i := range others {
					p.hear(m, i+1, epoch)
				}
			}
			answer(spec.Assent, 0, needed)
			claimed := time.Now()
			answer(spec.Grant, 1, needed)
			require.Equal(t, claimed.Add(wan.Reign), p.Status().Deadline)

			p.until(spec.Heartbeat, time.Second)
			last, asked := p.says(spec.Ack, needed, 1), time.Now()
			answer(spec.Ack, 1, needed-1)
			p.until(spec.Heartbeat, time.Second)
			answer(spec.Ack, 1, needed-1)
			require.Equal(t, claimed.Add(wan.Reign), p.Status().Deadline, "%d of %d", needed, n)

			p.comes(last)
			synctest.Wait()
			require.InDelta(t, asked.Add(wan.Reign).UnixNano(), p.Status().Deadline.UnixNano(), float64(200*time.Microsecond))
			time.Sleep(time.Until(p.Status().Deadline))
			synctest.Wait()
			require.Equal(t, spec.Follower, p.Status().Role)
		})
	}
}

// TestExpiredReignIsResigned: a reign in which no work can begin any more is resigned from, though the node could lead on: else nobody
// works while it is followed.
func TestExpiredReignIsResigned(t *testing.T) {
	play(t, 3, 3, false, func(t *testing.T, p *fakeHost) {
		leads(t, p)
		worked := make(chan error, 1)
		go func() { worked <- p.Lead(t.Context(), untilOver) }()
		synctest.Wait()
		now := &reigns.Watch{Now: p.policy.Due[policy.ReignTimer] + 1, Read: time.Now()}
		p.seen.Load().reign.Renew(now.Now, now) // an accident of timing: it passes, and an answer that dates the reign anew is on its way
		go func() { _ = p.Lead(t.Context(), untilOver) }()
		synctest.Wait() // who joins has the deadline looked at
		p.hear(spec.Ack, 1, 1)
		require.True(t, p.links.has(spec.Resign), "node 3 must resign from a reign in which no work can begin")
		require.Equal(t, spec.Follower, p.Status().Role)
		require.NoError(t, p.Close())
		require.Equal(t, ErrClosed, <-worked)
	})
}

// onChange are metrics that call a function when the leadership has changed.
type onChange struct {
	noMetrics
	call func(Leadership)
}

func (c onChange) Changed(l Leadership) { c.call(l) }

// TestWonWhileStopping: a grant that was on its way when the node was told to stop wins a reign that no work can begin in: the stop
// would wait for it, and nothing would tell it to end.
func TestWonWhileStopping(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		p := &fakeHost{t: t, me: 3, links: &scripted{wake: make(chan struct{}, 1)}}
		led := 0
		metrics := onChange{call: func(l Leadership) {
			if l.Leading {
				led++
				time.Sleep(ms) // who waits in Lead has time to begin
			}
		}}
		var err error
		p.Host, err = New(Config{ID: id(3), Members: []spec.NodeID{id(1), id(2), id(3)}, Storage: storage.NewMemory(), Transport: p.links, Metrics: metrics})
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		ended, worked := make(chan error), make(chan error)
		go func() { ended <- p.Run(ctx) }()
		go func() {
			worked <- p.Lead(context.Background(), func(context.Context, Reign) error {
				t.Error("work began in a node that stops")
				return nil
			})
		}()
		p.until(spec.Election, time.Minute)
		p.hear(spec.Assent, 1, 0)
		grant := transport.Event{Kind: transport.Received, Node: id(1), Message: p.says(spec.Grant, 1, 1)}
		p.links.mu.Lock()
		p.links.events = append(p.links.events, grant) // it has come, and the loop is not woken
		p.links.mu.Unlock()
		stop()
		require.NoError(t, <-ended)
		require.Equal(t, ErrClosed, <-worked)
		require.Equal(t, 1, led)
		require.True(t, p.links.has(spec.Resign), "node 3 must resign from a reign that it won while it stopped")
	})
}

// TestSlowDiskIsAPause: who was held up by its own disk gives what others have sent meanwhile its time, before a timer ends.
func TestSlowDiskIsAPause(t *testing.T) {
	const slow = time.Second
	disk := storage.NewMemory()
	playAs(t, &fakeHost{me: 3}, Config{Members: []spec.NodeID{id(1), id(2), id(3), id(4), id(5)}, Storage: disk}, func(t *testing.T, p *fakeHost) {
		p.until(spec.Election, time.Minute)
		disk.Before(func(d spec.Durable) error {
			if d.Epoch == 7 && d.Grantee.IsNone() { // as it is learned
				time.Sleep(slow)
			}
			return nil
		})
		p.hear(spec.Refuse, 1, 7)
		time.Sleep(slow + LAN().Delay/2)
		synctest.Wait()
		require.Equal(t, spec.Candidate, p.Status().Role, "T_elec has passed")
		require.EqualValues(t, 1, p.Status().Counters.Pauses)
		p.hear(spec.Assent, 2, 7) // it was sent in time
		p.hear(spec.OK, 5, 7)
		require.Equal(t, spec.Electing, p.Status().Role)
	})
}

// TestEndsWithinABatch: a leader whose reign ends while it takes one message after the other takes no further one as a leader.
func TestEndsWithinABatch(t *testing.T) {
	play(t, 3, 3, false, func(t *testing.T, p *fakeHost) {
		claimed := leads(t, p)
		time.Sleep(time.Until(claimed.Add(LAN().Reign - 30*ms)))
		synctest.Wait()
		p.links.forget()
		p.links.waits(20 * ms) // each takes so long to come
		p.comes(p.says(spec.Assent, 1, 1))
		p.comes(p.says(spec.Assent, 2, 1))
		p.comes(p.says(spec.ImBack, 2, 1))
		time.Sleep(time.Second)
		require.False(t, p.links.has(spec.Coordinator), "it answered as a leader, after its reign")
	})
}
