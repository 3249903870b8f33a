package explore

import (
	"fmt"
	"time"
)

// Progress is a moment of a run.
type Progress struct {
	Depth     int     // the level that is being filled
	Distinct  int     // distinct states found so far
	Generated int     // states generated so far
	Frontier  int     // distinct states that are still to be expanded
	Rate      float64 // states generated a second, since the previous report
	Bytes     int64   // memory held by table and frontier
}

// String returns p on one line, such as
//
//	depth 14, 1204417 distinct, 6118230 generated, 88411 to do, 2.10M/s, 31 MiB
func (p Progress) String() string {
	return fmt.Sprintf("depth %d, %d distinct, %d generated, %d to do, %.2fM/s, %d MiB",
		p.Depth, p.Distinct, p.Generated, p.Frontier, p.Rate/1e6, p.Bytes>>20)
}

// report starts calling Options.Progress, and returns a function that ends it.
func (r *run) report() (stop func()) {
	if r.options.Progress == nil {
		return func() {}
	}
	every := r.options.ProgressEvery
	if every <= 0 {
		every = time.Second
	}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		last, generated := time.Now(), 0
		for {
			select {
			case <-quit:
				return
			case now := <-ticker.C:
				p := r.progress()
				p.Rate = float64(p.Generated-generated) / now.Sub(last).Seconds()
				last, generated = now, p.Generated
				r.options.Progress(p)
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}

// progress returns where the run is, but for the rate.
func (r *run) progress() Progress {
	p := Progress{Depth: int(r.level.Load()), Bytes: r.memory.used.Load()}
	for _, w := range r.workers {
		// A state is counted as distinct before it is expanded: read in reverse order.
		expanded := int(w.expanded.Load())
		p.Frontier -= expanded
	}
	for _, w := range r.workers {
		p.Distinct += int(w.distinct.Load())
		p.Generated += int(w.generated.Load())
	}
	p.Frontier += p.Distinct
	return p
}
