package policy

import (
	"fmt"
	"math"
	"time"
)

// What a PhiConfig means by the zero value of a field.
const (
	// defaultThreshold is a suspicion once in 10⁸ intervals, if they are as regular as the window says.
	defaultThreshold = 8
	// defaultWindow is how many intervals are remembered.
	defaultWindow = 1000
)

// Limits of a PhiConfig. Within them every sum over the window is exact.
const (
	// maxThreshold is far above what any clock can tell apart.
	maxThreshold = 100
	// maxWindow bounds the memory of a detector, at 8 bytes an interval.
	maxWindow = 1 << 16
	// maxCap is the greatest patience.
	maxCap = time.Hour
)

// PhiConfig says how a Phi judges. Heartbeat and Floor are needed; zero means the default for all else.
type PhiConfig struct {
	// Heartbeat is the heartbeat interval, at which arrivals are expected before any is measured: Timing.Heartbeat of the host.
	Heartbeat time.Duration
	// Floor is the least patience: Timing.Patience of the host. At least Heartbeat. (R37 d)
	Floor time.Duration
	// Cap is the greatest patience, and so the longest time to detect a death. At least Floor, at most an hour; by
	// default four times Floor, which leaves room for two mistakes.
	Cap time.Duration
	// Threshold is the phi at which patience ends: 8 means one false suspicion in 10⁸ intervals. Above 0, at most
	// 100; by default 8.
	Threshold float64
	// MinDeviation is the least standard deviation of the intervals, however regular they were. Above 0, at most Cap;
	// by default a tenth of Heartbeat, and at least a microsecond if that is below Cap.
	MinDeviation time.Duration
	// Pause is for how long after the mean interval nothing is thought of a silence: a pause of the other node that
	// is acceptable. From 0, the default, to Cap. Floor usually leaves enough room already.
	Pause time.Duration
	// Window is how many intervals are remembered. From 2 to 65,536; by default 1,000.
	Window int
}

// withDefaults returns the configuration with no field zero that may not be.
func (c PhiConfig) withDefaults() PhiConfig {
	if c.Cap == 0 {
		c.Cap = 4 * min(c.Floor, maxCap/4)
	}
	if c.Threshold == 0 {
		c.Threshold = defaultThreshold
	}
	if c.MinDeviation == 0 {
		c.MinDeviation = min(max(c.Heartbeat/10, time.Microsecond), c.Cap)
	}
	if c.Window == 0 {
		c.Window = defaultWindow
	}
	return c
}

// validate returns nil if the configuration, with its defaults filled in, can be used, and else an *Error.
func (c PhiConfig) validate() error {
	c = c.withDefaults()
	bad := func(field, format string, a ...any) error {
		return &Error{Field: "PhiConfig." + field, Problem: fmt.Sprintf(format, a...)}
	}
	switch {
	case c.Heartbeat <= 0:
		return bad("Heartbeat", "is %v, but must be above 0: the interval at which arrivals are expected", c.Heartbeat)
	case c.Floor < c.Heartbeat:
		return bad("Floor", "is %v, but must be at least Heartbeat, %v: or every heartbeat is late", c.Floor, c.Heartbeat)
	case c.Floor > maxCap:
		return bad("Floor", "is %v, but must be at most %v", c.Floor, maxCap)
	case c.Cap < c.Floor || c.Cap > maxCap:
		return bad("Cap", "is %v, but must be from Floor, %v, to %v", c.Cap, c.Floor, maxCap)
	case math.IsNaN(c.Threshold) || c.Threshold <= 0 || c.Threshold > maxThreshold:
		return bad("Threshold", "is %v, but must be above 0 and at most %d", c.Threshold, maxThreshold)
	case c.MinDeviation < 0 || c.MinDeviation > c.Cap:
		return bad("MinDeviation", "is %v, but must be above 0 and at most Cap, %v", c.MinDeviation, c.Cap)
	case c.Pause < 0 || c.Pause > c.Cap:
		return bad("Pause", "is %v, but must be from 0 to Cap, %v", c.Pause, c.Cap)
	case c.Window < 2 || c.Window > maxWindow:
		return bad("Window", "is %d, but must be from 2 to %d", c.Window, maxWindow)
	}
	return nil
}

// Phi is the phi-accrual detector. It suspects when the silence has become so long that, if the intervals between
// arrivals are normally distributed and as they were, a longer one comes but once in 10^Threshold.
//
//	patience = max(Floor, mean + Pause + quantile · deviation) · 2^mistakes, at most Cap
//	phi(t)   = −log₁₀ Q(quantile + (t − patience) / deviation)
//
// Mistakes are suspicions that proved false. One is forgiven when a whole Window of arrivals was in time: it is
// remembered for as long as an interval is. Mean and deviation are those of the window; Q is the tail of the normal distribution, and quantile where it reaches
// 10^−Threshold. Where the patience is not lifted or cut, phi is that of the paper with Akka's acceptable pause; where
// it is, Floor, Cap and the mistakes only change that pause. So in every case phi crosses the threshold when
// patience ends, not sooner and not later.
//
// A Phi is not safe for concurrent use. After NewPhi it allocates nothing, and every call takes constant time.
type Phi struct {
	wait
	config   PhiConfig
	quantile float64
	heard    bool // since Reset
	window   window
	quiet    time.Time     // arrivals before this teach nothing
	mistakes int           // suspicions that were false and are not forgiven
	inTime   int           // arrivals in time since the last mistake was made or forgiven
	learned  int           // intervals that were measured
	patience time.Duration // by the window and the mistakes
	spread   float64       // the deviation, in nanoseconds, at least MinDeviation
}

// NewPhi returns a detector that has heard nothing yet. The error is an *Error.
func NewPhi(config PhiConfig) (*Phi, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	config = config.withDefaults()
	p := &Phi{config: config, quantile: quantile(config.Threshold), window: newWindow(config.Window)}
	p.Reset()
	return p, nil
}

// guesses are how many intervals the window has before anything was measured, and enough is how many must have been measured for them to
// be forgotten: they are wide, and a leader that is suspected after a second or two is to be suspected by what it was like.
const guesses, enough = 2, 8

// Reset forgets what was learned: another node is waited for. The window has two samples, at a quarter below and above
// Heartbeat, so that there is a mean and a deviation before anything was measured. They are forgotten when eight intervals have been. Do not reset when the same node is heard
// again after a suspicion: the mistake would be made again.
func (p *Phi) Reset() {
	p.wait, p.heard = wait{}, false
	p.quiet = time.Time{}
	p.mistakes, p.inTime, p.learned = 0, 0, 0
	p.window.clear()
	p.window.add(p.config.Heartbeat - p.config.Heartbeat/4)
	p.window.add(min(p.config.Heartbeat+p.config.Heartbeat/4, maxCap))
	p.judge()
}

// Heard notes an arrival: the wait begins anew, and the interval since the arrival before is learned. It is not
// learned if patience had ended: then it says how long an accident lasts and not how regular the arrivals are. Nor is
// it learned if one of its ends was before the time given to Paused.
func (p *Phi) Heard(now time.Time) {
	measured := p.begun && p.heard && !p.since.Before(p.quiet) && !now.Before(p.since)
	interval := p.waited(now)
	p.begin(now)
	p.heard = true
	switch {
	case !measured:
		return
	case interval >= p.patience:
		if p.patience < p.config.Cap { // more would change nothing, and take longer to forgive
			p.mistakes++
		}
		p.inTime = 0
	default:
		p.window.add(interval)
		p.learn()
		p.inTime++
		if p.inTime >= p.config.Window {
			p.mistakes, p.inTime = max(p.mistakes-1, 0), 0
		}
	}
	p.judge()
}

// learn counts an interval that was measured, and forgets the guesses when there are enough.
func (p *Phi) learn() {
	if p.learned++; p.learned == enough {
		p.window.forget(min(guesses, max(p.config.Window-enough, 0)))
	}
}

// Patience returns how long after the last arrival to wait before suspecting, from Floor to Cap. If there was no
// arrival since Reset, the wait begins with the first call.
func (p *Phi) Patience(now time.Time) time.Duration {
	if !p.begun {
		p.begin(now)
	}
	return p.patience
}

// Phi returns how suspicious the silence is: 0 after an arrival, the threshold when patience ends, and always finite.
func (p *Phi) Phi(now time.Time) float64 {
	waited := p.waited(now)
	if waited == 0 {
		return 0
	}
	return tail(p.quantile + float64(waited-p.patience)/p.spread)
}

// Paused says that this node itself did not run: arrivals before until, such as those that were queued meanwhile, begin
// the wait anew but teach nothing, and are no sign of a mistake.
func (p *Phi) Paused(until time.Time) {
	if until.After(p.quiet) {
		p.quiet = until
	}
}

// judge works out patience and spread from the window and the mistakes.
func (p *Phi) judge() {
	p.spread = math.Max(p.window.deviation(), float64(p.config.MinDeviation))
	patience := p.window.mean() + float64(p.config.Pause) + p.quantile*p.spread
	patience = math.Ldexp(math.Max(patience, float64(p.config.Floor)), p.mistakes)
	// The cap is applied before the conversion: what is above it may fit no Duration.
	p.patience = time.Duration(math.Min(patience, float64(p.config.Cap)))
}

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
