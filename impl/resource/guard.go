package resource

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/seed-fdf591db/bully/spec"
)

// ErrFenced is wrapped by the error for a write that was refused because a higher epoch has been admitted. The writer
// has been deposed: it must stop acting, and should resign (R38.4). The error is a FencedError.
var ErrFenced = errors.New("fenced")

// FencedError says that a write was refused, and which epoch the resource has admitted.
type FencedError struct {
	Epoch    spec.Epoch // of the write; 0 if not known
	Admitted spec.Epoch // the highest that the resource has admitted
}

// Error says it in words.
func (e *FencedError) Error() string {
	return fmt.Sprintf("resource: the write of epoch %d is fenced: epoch %d has been admitted; stop acting as leader", e.Epoch, e.Admitted)
}

// Is reports whether target is ErrFenced.
func (e *FencedError) Is(target error) bool { return target == ErrFenced }

// Validate returns nil if a write can carry the epoch e: if it is 1 to 2^53−1.
func Validate(e spec.Epoch) error {
	switch {
	case e == 0:
		return errors.New("resource: epoch 0 is nobody's reign: give the epoch of the reign that the write belongs to")
	case !e.Valid():
		return fmt.Errorf("resource: the epoch %d is above 2^53-1", e)
	}
	return nil
}

// admits is the rule: equal epochs are admitted again, since a leader writes more than once (R38.2).
func admits(admitted, e spec.Epoch) bool { return e >= admitted }

// Register keeps the highest epoch that a resource has admitted, over crashes too. A FileRegister does.
type Register interface {
	// Load returns the epoch saved last, or 0 if none has been.
	Load() (spec.Epoch, error)
	// Save makes e durable before it returns nil. After an error it may be durable or not.
	Save(e spec.Epoch) error
}

// Guard is a fence round any write. It admits one write at a time. Its methods may be called from several goroutines.
type Guard struct {
	mu       sync.Mutex // held while a write is under way
	register Register
	admitted atomic.Uint64
	err      error // the first error of the register
}

// NewGuard returns a Guard that goes on from what the register has kept. Each resource has a register, and a Guard, of
// its own; two Guards on one register protect nothing.
func NewGuard(register Register) (*Guard, error) {
	if register == nil {
		return nil, errors.New("resource: the register is nil")
	}
	e, err := register.Load()
	if err != nil {
		return nil, fmt.Errorf("resource: cannot load the admitted epoch: %w", err)
	}
	if !e.Valid() {
		return nil, fmt.Errorf("resource: the register says epoch %d, which is above 2^53-1", e)
	}
	g := &Guard{register: register}
	g.admitted.Store(uint64(e))
	return g, nil
}

// Admitted returns the highest epoch admitted, or 0 if none has been. It does not wait for a write that is under way.
func (g *Guard) Admitted() spec.Epoch { return spec.Epoch(g.admitted.Load()) }

// Admit checks the epoch e of a write, raises the fence to it if it is higher than all before, and writes. No other
// write comes between. It returns
//
//	a FencedError     if e is below the highest epoch admitted: nothing has been done
//	another error     if e is no epoch of a write (Validate): nothing has been done
//	an error of the register, if it could not keep e: nothing has been written, and nothing will be: every later
//	                  call returns it too, since nobody knows what is on disk
//	what write returned
//
// The raise is durable before write begins. If write fails, or panics, or a crash cuts it short, the fence stays
// raised: older leaders are fenced from the moment at which a newer one has tried. A crash between the two has raised
// and not written, which to the writer is a write whose answer was lost. Where that must not be, keep epoch and value
// in one place: see File, and the module sqlfence.
//
// While write runs everybody else waits, and so does the raise of a new leader, if an old one's write hangs: give it
// a deadline. It must not call Admit.
func (g *Guard) Admit(e spec.Epoch, write func() error) error {
	if err := Validate(e); err != nil {
		return err
	}
	if write == nil {
		return errors.New("resource: there is nothing to write: the function is nil")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err != nil {
		return g.err
	}
	admitted := g.Admitted()
	if !admits(admitted, e) {
		return &FencedError{Epoch: e, Admitted: admitted}
	}
	if e > admitted {
		if err := g.register.Save(e); err != nil {
			g.err = fmt.Errorf("resource: could not raise the fence from epoch %d to %d, and admits nothing more: %w", admitted, e, err)
			return g.err
		}
		g.admitted.Store(uint64(e))
	}
	return write()
}
