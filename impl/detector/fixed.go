package detector

import "time"

// Fixed suspects after the same time always. It never learns, and so is never wrong about what it has learned: it is
// the detector to take where the network and the machines are known.
type Fixed struct {
	wait
	patience time.Duration
}

// NewFixed returns a detector whose patience is d: Timing.Patience of the host. Below 0 it is 0. (R37 d)
func NewFixed(d time.Duration) *Fixed {
	return &Fixed{patience: max(d, 0)}
}

// Heard notes an arrival: the wait begins anew.
func (f *Fixed) Heard(now time.Time) {
	f.begin(now)
}

// Patience returns how long after the last arrival to wait before suspecting. If there was none since Reset, the
// wait begins with the first call.
func (f *Fixed) Patience(now time.Time) time.Duration {
	if !f.begun {
		f.begin(now)
	}
	return f.patience
}

// Phi returns a number that rises with the time waited, from 0, and is 8 when patience ends. It is for
// people to see, on the same scale as that of Phi.
func (f *Fixed) Phi(now time.Time) float64 {
	waited := f.waited(now)
	switch {
	case waited == 0:
		return 0
	case f.patience == 0:
		return defaultThreshold
	}
	return defaultThreshold * float64(waited) / float64(f.patience)
}

// Paused does nothing: there is nothing that a pause could teach wrongly.
func (*Fixed) Paused(time.Time) {}

// Reset forgets the last arrival: another node is waited for.
func (f *Fixed) Reset() {
	f.wait = wait{}
}

// wait is a wait for the next arrival.
type wait struct {
	begun bool
	since time.Time // if begun: the last arrival, or the first call of Patience
}

// begin starts the wait anew.
func (w *wait) begin(now time.Time) {
	w.begun, w.since = true, now
}

// waited returns how long the wait has lasted: 0 if it has not begun, or begins later by a clock that was set back.
func (w *wait) waited(now time.Time) time.Duration {
	if !w.begun {
		return 0
	}
	return max(now.Sub(w.since), 0)
}
