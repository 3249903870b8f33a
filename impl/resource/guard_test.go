package resource

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/spec"
)

func nothing() error { return nil }

func newGuard(t *testing.T, epoch spec.Epoch) (*Guard, *MemoryRegister) {
	register := &MemoryRegister{Epoch: epoch}
	g, err := NewGuard(register)
	require.NoError(t, err)
	return g, register
}

func TestAdmit(t *testing.T) {
	for _, c := range []struct {
		name     string
		kept     spec.Epoch
		epoch    spec.Epoch
		says     string // "" if it is admitted
		fenced   bool
		admitted spec.Epoch // after
	}{
		{"the first", 0, 1, "", false, 1},
		{"a higher one", 4, 9, "", false, 9},
		{"the same again", 4, 4, "", false, 4},
		{"a lower one", 4, 3, "the write of epoch 3 is fenced: epoch 4 has been admitted", true, 4},
		{"the lowest", spec.MaxEpoch, 1, "epoch 9007199254740991 has been admitted", true, spec.MaxEpoch},
		{"the highest", 4, spec.MaxEpoch, "", false, spec.MaxEpoch},
		{"nobody's", 0, 0, "epoch 0 is nobody's reign", false, 0},
		{"above the bound", 4, spec.MaxEpoch + 1, "the epoch 9007199254740992 is above 2^53-1", false, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, register := newGuard(t, c.kept)
			written := false
			err := g.Admit(c.epoch, func() error {
				written = true
				require.Equal(t, c.admitted, register.Epoch, "the raise is durable before the write")
				return nil
			})
			require.Equal(t, c.says == "", written)
			require.Equal(t, c.admitted, g.Admitted())
			require.Equal(t, c.admitted, register.Epoch)
			require.Equal(t, c.fenced, errors.Is(err, ErrFenced))
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.says)
			if c.fenced {
				require.Equal(t, &FencedError{Epoch: c.epoch, Admitted: c.kept}, err)
			}
		})
	}
}

func TestGuardNeedsWhatItNeeds(t *testing.T) {
	_, err := NewGuard(nil)
	require.ErrorContains(t, err, "the register is nil")
	_, err = NewGuard(&MemoryRegister{Epoch: spec.MaxEpoch + 1})
	require.ErrorContains(t, err, "the register says epoch 9007199254740992")
	fault := errors.New("cannot read")
	_, err = NewGuard(&MemoryRegister{Err: fault})
	require.ErrorIs(t, err, fault)
	g, _ := newGuard(t, 0)
	require.ErrorContains(t, g.Admit(1, nil), "the function is nil")
}

func TestWriteThatFailsLeavesTheFenceRaised(t *testing.T) {
	g, register := newGuard(t, 4)
	fault := errors.New("printer on fire")
	require.Same(t, fault, g.Admit(7, func() error { return fault }))
	require.EqualValues(t, 7, register.Epoch)
	require.ErrorIs(t, g.Admit(6, nothing), ErrFenced)
	require.PanicsWithValue(t, "oops", func() { _ = g.Admit(8, func() error { panic("oops") }) })
	require.ErrorIs(t, g.Admit(7, nothing), ErrFenced)
	require.NoError(t, g.Admit(8, nothing), "the fence is not held by what panicked")
}

func TestRegisterThatFailsIsFinal(t *testing.T) {
	g, register := newGuard(t, 4)
	register.Err = errors.New("no space left on device")
	never := func() error { t.Error("written"); return nil }
	require.NoError(t, g.Admit(4, nothing), "nothing is to be kept")
	first := g.Admit(5, never)
	require.ErrorIs(t, first, register.Err)
	require.ErrorContains(t, first, "could not raise the fence from epoch 4 to 5, and admits nothing more")
	register.Err = nil
	for _, e := range []spec.Epoch{3, 4, 5, 6} {
		require.Same(t, first, g.Admit(e, never))
	}
	require.EqualValues(t, 4, g.Admitted())
}

// TestGuardAgainstTheRule compares a Guard, that is restarted at times, with the table of R38.
func TestGuardAgainstTheRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		register, highest := &MemoryRegister{}, spec.Epoch(0)
		g, err := NewGuard(register)
		require.NoError(t, err)
		for _, e := range rapid.SliceOf(rapid.Uint64Range(1, 6)).Draw(t, "epochs") {
			if rapid.IntRange(0, 3).Draw(t, "restart") == 0 {
				g, err = NewGuard(register)
				require.NoError(t, err)
			}
			err = g.Admit(spec.Epoch(e), nothing)
			require.Equal(t, spec.Epoch(e) < highest, errors.Is(err, ErrFenced))
			highest = max(highest, spec.Epoch(e))
			require.Equal(t, highest, g.Admitted())
		}
	})
}

// TestCheckAndWriteAreOneStep lets many write at once. If a write of a lower epoch came after one of a higher, or two
// came at once, it would be seen.
func TestCheckAndWriteAreOneStep(t *testing.T) {
	g, _ := newGuard(t, 0)
	var log []spec.Epoch // guarded by nothing but the fence: the race detector looks too
	var inside atomic.Int32
	var fenced atomic.Int64
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for i := range 200 {
				e := spec.Epoch(max(1, i+rand.IntN(20)-10))
				err := g.Admit(e, func() error {
					if inside.Add(1) != 1 {
						t.Error("two writes at once")
					}
					log = append(log, e)
					runtime.Gosched() // others would come now
					inside.Add(-1)
					return nil
				})
				if errors.Is(err, ErrFenced) {
					fenced.Add(1)
				}
			}
		})
	}
	wait.Wait()
	require.IsNonDecreasing(t, log)
	require.Equal(t, 8*200, len(log)+int(fenced.Load()))
	require.Positive(t, fenced.Load())
}
