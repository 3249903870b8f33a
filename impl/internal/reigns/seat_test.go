package reigns

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
)

var errEnough = errors.New("enough")

// TestLead: work runs in each reign that comes, until it returns while its reign goes on, which is then resigned from.
func TestLead(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		k, seat := keeperOf(time.Now), &Seat{}
		reign := func() *Reign {
			r := k.New(1, func() {})
			r.renew(time.Now().Add(time.Hour))
			return r
		}
		var worked, resigned []*Reign
		led := make(chan error, 1)
		go func() {
			led <- seat.Lead(t.Context(), func(ctx context.Context, w *Work) error {
				if worked = append(worked, w.Reign); len(worked) == 2 {
					return errEnough
				}
				<-ctx.Done()
				require.Equal(t, errOver, context.Cause(ctx))
				return nil
			}, func(r *Reign) { resigned = append(resigned, r) }, nil, nil)
		}()
		synctest.Wait()
		require.Empty(t, worked, "nobody leads")
		first, second := reign(), reign()
		seat.Set(first)
		synctest.Wait()
		first.End(errOver)
		synctest.Wait()
		seat.Set(nil)
		seat.Set(first) // it cannot be joined any more
		synctest.Wait()
		require.Equal(t, []*Reign{first}, worked)
		seat.Set(second)
		require.Equal(t, errEnough, <-led)
		require.Equal(t, []*Reign{first, second}, worked)
		require.Equal(t, []*Reign{second}, resigned)
		synctest.Wait()
		require.Nil(t, k.kick, "no work runs, so nobody looks")
	})
}

// TestLeadTogether: all who wait hear of a reign.
func TestLeadTogether(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		seat, r := &Seat{}, keeperOf(time.Now).New(1, func() {})
		r.renew(time.Now().Add(time.Hour))
		led := make(chan error, 3)
		for range 3 {
			go func() {
				led <- seat.Lead(t.Context(), func(context.Context, *Work) error { return errEnough }, func(*Reign) {}, nil, nil)
			}()
			synctest.Wait()
		}
		seat.Set(r)
		for range 3 {
			require.Equal(t, errEnough, <-led)
		}
	})
}

// TestLeadEnds: by its context, whatever is going on, and when there will be no reign any more.
func TestLeadEnds(t *testing.T) {
	nothing := func(context.Context, *Work) error { panic("it was told to end") }
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	seat := &Seat{}
	require.Equal(t, context.Canceled, seat.Lead(ended, nothing, nil, nil, nil))
	r := keeperOf(time.Now).New(1, func() {})
	r.renew(time.Now().Add(time.Hour))
	seat.Set(r)
	require.Equal(t, context.Canceled, seat.Lead(ended, nothing, nil, nil, nil))

	ends, cancel := context.WithCancel(t.Context())
	require.Equal(t, context.Canceled, seat.Lead(ends, func(context.Context, *Work) error { cancel(); return errEnough }, nil, nil, nil),
		"it did not return by itself")

	seat.Set(nil)
	waits, cancel := context.WithCancel(t.Context())
	led := make(chan error)
	go func() { led <- seat.Lead(waits, nothing, nil, nil, nil) }()
	cancel()
	require.Equal(t, context.Canceled, <-led)
	done := make(chan struct{})
	close(done)
	require.Equal(t, errOver, seat.Lead(t.Context(), nothing, nil, done, func() error { return errOver }))
}
