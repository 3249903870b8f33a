package host

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// changingLeader lets a test play a leader, node 3 of three voters, whose configuration nobody has acknowledged yet.
func changingLeader(t *testing.T, f func(t *testing.T, p *fakeHost)) {
	t.Helper()
	playChanging(t, 3, voters(0, 1, 1, 2, 3), func(t *testing.T, p *fakeHost) {
		p.until(spec.Election, time.Minute)
		p.hear(spec.Assent, 1, 0)
		p.hear(spec.Grant, 1, 1)
		require.Equal(t, spec.Leader, p.Status().Role)
		p.first = p.Members()
		f(t, p)
	})
}

// ended is a context that has ended, though it does not say so yet: as one that ends right after somebody has looked.
type ended struct {
	context.Context
	done chan struct{}
}

func (e ended) Done() <-chan struct{} { return e.done }

// TestGivenUpAtTheLastMoment: who gives a change up before it has begun is told that nothing has changed, and nothing does, even if
// the loop has looked just before.
func TestGivenUpAtTheLastMoment(t *testing.T) {
	changingLeader(t, func(t *testing.T, p *fakeHost) {
		ctx := ended{t.Context(), make(chan struct{})}
		given := make(chan error)
		go func() {
			_, err := p.RemoveMember(ctx, id(1), 0)
			given <- err
		}()
		synctest.Wait()
		close(ctx.done)
		require.ErrorContains(t, <-given, "the members have not been changed")
		p.hear(spec.Ack, 1, 1) // it could begin from now on
		p.hear(spec.Ack, 2, 1)
		require.Equal(t, p.first, p.Members())
	})
}

// TestKnownAfterAChange: what is known of a member is known after a change too: who has answered lately, and when.
func TestKnownAfterAChange(t *testing.T) {
	changingLeader(t, func(t *testing.T, p *fakeHost) {
		p.hear(spec.Ack, 1, 1)
		p.hear(spec.Ack, 2, 1)
		go func() {
			_, _ = p.AddMember(t.Context(), spec.Member{ID: id(4), Kind: spec.Observer, Address: "10.0.0.4:7400"}, 0)
		}()
		synctest.Wait()
		p.first = p.Members()
		require.EqualValues(t, 2, p.first.Version)
		for _, l := range p.Status().Links {
			require.Equal(t, l.Node == id(4), l.LastHeardMS == -1, "node %s", l.Node)
		}
		p.hear(spec.Ack, 1, 1) // that settles it; 2 has answered before
		go func() { _, _ = p.RemoveMember(t.Context(), id(1), 0) }()
		synctest.Wait()
		require.EqualValues(t, 3, p.Members().Version, "with 2 there is a quorum")
	})
}
