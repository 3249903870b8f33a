package sqlfence

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/resource"
	"github.com/seed-fdf591db/bully/spec"
)

// database is one that is under test: each call of open opens it anew, as another process would.
type database struct {
	dialect Dialect
	open    func(t *testing.T) *sql.DB
	table   string // makes the table log: what was written, in the order in which it was
	insert  string // writes one row of it
}

// tests are what every database must pass.
func tests(t *testing.T, d database) {
	db := d.open(t)
	fence, err := New(d.dialect, "log")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	require.NoError(t, fence.Create(ctx, db))
	require.NoError(t, fence.Create(ctx, db), "again")
	_, err = db.ExecContext(ctx, d.table)
	require.NoError(t, err)
	s := suite{database: d, ctx: ctx, db: db, fence: fence}
	t.Run("rule", s.rule)
	t.Run("whole or not at all", s.wholeOrNot)
	t.Run("paused before the check", s.pausedBefore)
	t.Run("paused after the check", s.pausedAfter)
	t.Run("many at once", s.manyAtOnce)
}

type suite struct {
	database
	ctx   context.Context
	db    *sql.DB
	fence *Fence
}

// write writes a row with the epoch e.
func (s suite) write(e spec.Epoch) func(*sql.Tx) error {
	return func(tx *sql.Tx) error {
		_, err := tx.ExecContext(s.ctx, s.insert, int64(e))
		return err
	}
}

// begin empties the tables.
func (s suite) begin(t *testing.T) {
	for _, table := range []string{"log", "bully_fence"} {
		_, err := s.db.ExecContext(s.ctx, "DELETE FROM "+table)
		require.NoError(t, err)
	}
}

// log returns the epochs written, in order.
func (s suite) log(t *testing.T) (epochs []int64) {
	rows, err := s.db.QueryContext(s.ctx, "SELECT epoch FROM log ORDER BY seq")
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	for rows.Next() {
		var e int64
		require.NoError(t, rows.Scan(&e))
		epochs = append(epochs, e)
	}
	require.NoError(t, rows.Err())
	return epochs
}

func (s suite) requireAdmitted(t *testing.T, want spec.Epoch) {
	e, err := s.fence.Admitted(s.ctx, s.db)
	require.NoError(t, err)
	require.Equal(t, want, e)
}

func (s suite) rule(t *testing.T) {
	s.begin(t)
	s.requireAdmitted(t, 0)
	for _, c := range []struct {
		epoch    spec.Epoch
		says     string // "" if it is admitted
		admitted spec.Epoch
	}{
		{0, "epoch 0 is nobody's reign", 0},
		{3, "", 3},
		{3, "", 3},
		{2, "the write of epoch 2 is fenced: epoch 3 has been admitted", 3},
		{7, "", 7},
		{3, "the write of epoch 3 is fenced: epoch 7 has been admitted", 7},
		{spec.MaxEpoch + 1, "above 2^53-1", 7},
		{spec.MaxEpoch, "", spec.MaxEpoch},
		{7, "epoch 9007199254740991 has been admitted", spec.MaxEpoch},
	} {
		err := s.fence.Write(s.ctx, s.db, c.epoch, s.write(c.epoch))
		if c.says == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.says)
		}
		s.requireAdmitted(t, c.admitted)
	}
	require.Equal(t, []int64{3, 3, 7, int64(spec.MaxEpoch)}, s.log(t))

	other, err := New(s.dialect, "other")
	require.NoError(t, err)
	require.NoError(t, other.Write(s.ctx, s.db, 1, s.write(1)), "each resource has its own fence")
	s.requireAdmitted(t, spec.MaxEpoch)
}

func (s suite) wholeOrNot(t *testing.T) {
	s.begin(t)
	require.NoError(t, s.fence.Write(s.ctx, s.db, 3, s.write(3)))
	fault := errors.New("no")
	require.Same(t, fault, s.fence.Write(s.ctx, s.db, 9, func(tx *sql.Tx) error {
		require.NoError(t, s.write(9)(tx))
		return fault
	}))
	require.Panics(t, func() {
		_ = s.fence.Write(s.ctx, s.db, 9, func(tx *sql.Tx) error {
			require.NoError(t, s.write(9)(tx))
			panic("oops")
		})
	})
	ctx, cancel := context.WithCancel(s.ctx)
	err := s.fence.Write(ctx, s.db, 9, func(tx *sql.Tx) error {
		require.NoError(t, s.write(9)(tx))
		cancel()
		return nil
	})
	require.Error(t, err)
	require.ErrorContains(t, s.fence.Write(s.ctx, s.db, 9, nil), "the function is nil")
	s.requireAdmitted(t, 3)
	require.Equal(t, []int64{3}, s.log(t))
}

// pausedBefore pauses a leader in a transaction in which it has done nothing yet.
func (s suite) pausedBefore(t *testing.T) {
	s.begin(t)
	tx, err := s.open(t).BeginTx(s.ctx, nil)
	require.NoError(t, err)
	defer func() { _ = tx.Rollback() }() // if the test fails before its end
	require.NoError(t, s.fence.Write(s.ctx, s.db, 34, s.write(34)))
	require.Equal(t, &resource.FencedError{Epoch: 33, Admitted: 34}, s.fence.Raise(s.ctx, tx, 33))
	require.NoError(t, tx.Rollback())
	require.Equal(t, []int64{34}, s.log(t))
}

// pausedAfter pauses a leader after the check: the next one waits for its transaction to end.
func (s suite) pausedAfter(t *testing.T) {
	s.begin(t)
	old := s.open(t)
	tx, err := old.BeginTx(s.ctx, nil)
	require.NoError(t, err)
	defer func() { _ = tx.Rollback() }() // if the test fails before its end
	require.NoError(t, s.fence.Raise(s.ctx, tx, 33))
	next := make(chan error, 1)
	go func() { next <- s.fence.Write(s.ctx, s.db, 34, s.write(34)) }()
	select {
	case err := <-next:
		require.Fail(t, "34 did not wait", "%v", err)
	case <-time.After(100 * time.Millisecond):
	}
	require.NoError(t, s.write(33)(tx))
	require.NoError(t, tx.Commit())
	require.NoError(t, <-next)
	require.ErrorIs(t, s.fence.Write(s.ctx, old, 33, s.write(33)), resource.ErrFenced)
	require.Equal(t, []int64{33, 34}, s.log(t))
}

// manyAtOnce lets many write over connections of their own: no epoch is written after a higher one.
func (s suite) manyAtOnce(t *testing.T) {
	s.begin(t)
	const writers, writes = 4, 40
	fenced := make([]int, writers)
	var wait sync.WaitGroup
	for w := range writers {
		db := s.open(t)
		wait.Go(func() {
			for i := range writes {
				e := spec.Epoch(max(1, i+rand.IntN(10)-5))
				err := s.fence.Write(s.ctx, db, e, s.write(e))
				if errors.Is(err, resource.ErrFenced) {
					fenced[w]++
				} else if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	log := s.log(t)
	require.IsNonDecreasing(t, log)
	total := len(log)
	for _, n := range fenced {
		total += n
	}
	require.Equal(t, writers*writes, total)
	require.Less(t, len(log), total, "some were fenced")
}

func TestNew(t *testing.T) {
	_, err := New(Dialect{}, "log")
	require.ErrorContains(t, err, "there is no dialect")
	_, err = New(SQLite, "")
	require.ErrorContains(t, err, "the resource has no name")
}
