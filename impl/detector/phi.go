package detector

import (
	"math"
	"time"
)

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

// NewPhi returns a detector that has heard nothing yet. The error is a *ConfigError.
func NewPhi(config PhiConfig) (*Phi, error) {
	if err := config.Validate(); err != nil {
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
