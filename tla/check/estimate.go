package main

import (
	"time"

	"github.com/seed-fdf591db/bully/tla"
)

// load is the work that remains, as it was when it was looked at. All values are seconds. Recorded
// seconds are those of models.json, measured on another machine or beside other work.
type load struct {
	recorded, took float64 // of the tasks that are done: what was recorded, and what they took here
	running        []share // one for each task that runs
	queued         float64 // recorded, of the tasks that have not begun
	lanes          int     // how many tasks run at a time
}

// share is one task that runs.
type share struct{ recorded, elapsed float64 }

// trusted is how many recorded seconds must be done before this machine's own pace counts as much
// as the recorded one. One short task that was slow must not turn two minutes into twenty.
const trusted = 10

// late is the part of its time until now that a running task takes at least: how much a task that
// is late still needs, nobody knows.
const late = 0.1

// pace is how many seconds a recorded second takes here.
func (l load) pace() float64 { return (l.took + trusted) / (l.recorded + trusted) }

// left estimates how long the rest takes: all work, divided by the lanes, but no less than one of
// the running tasks alone. The longest tasks begin first, so none in the queue is longer.
func (l load) left() time.Duration {
	pace := l.pace()
	sum, longest := l.queued*pace, 0.0
	for _, s := range l.running {
		rest := max(s.elapsed*late, s.recorded*pace-s.elapsed)
		sum, longest = sum+rest, max(longest, rest)
	}
	return time.Duration(max(sum/float64(max(1, l.lanes)), longest) * float64(time.Second))
}

// exploredPerSecond is how many states the explorer generates in a second on two processors, about.
const exploredPerSecond = 2_000_000

// explorerSeconds is how long the explorer takes for e, about. What models.json records are the
// seconds of TLC.
func explorerSeconds(e tla.Entry) float64 { return float64(e.Generated) / exploredPerSecond }

// roughly rounds an estimate for people: to 5 s, or to 1 s if little is left.
func roughly(d time.Duration) time.Duration {
	if d < 10*time.Second {
		return d.Round(time.Second)
	}
	return d.Round(5 * time.Second)
}
