package groups

import (
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// A job is what is saved at once.
type job struct {
	promises []storage.GroupPromise
	groups   []*group // whose they are
	gone     []*group // whose place is to be freed
}

func (j *job) empty() bool { return len(j.promises) == 0 && len(j.gone) == 0 }

// do does a job.
func (j *job) do(store Storage) error {
	if len(j.promises) > 0 {
		if err := store.Save(j.promises); err != nil {
			return err
		}
	}
	if len(j.gone) == 0 {
		return nil
	}
	var keys []uint64
	for _, g := range j.gone {
		keys = append(keys, g.key)
	}
	return store.Forget(keys)
}

// save begins to save what is to be saved, unless a save is under way.
func (l *loop) save() {
	if l.next.empty() || l.saving != nil || l.err != nil || l.gathers() {
		return
	}
	now := l.next
	l.saving, l.next, l.paid = &now, job{}, paid{size: len(now.promises), began: l.watch.Now}
	l.stats.Saves++
	l.saves <- l.saving
}

// release does what was held for a save, and gives each group what has come meanwhile, in its order.
func (l *loop) release(err error) {
	was := l.saving
	l.saving, l.paid.ended = nil, l.watch.Now
	if err != nil {
		l.unsure = true
		l.fail("saving the promises", err)
		return
	}
	for _, g := range was.gone {
		l.drop(g)
	}
	for _, g := range was.groups {
		s, inputs := g.held, g.deferred
		g.held, g.deferred = nil, nil
		l.perform(g, s)
		for _, in := range inputs {
			l.give(g, in)
		}
		l.look(g)
	}
}

// paid is what the last save was, and what it took.
type paid struct {
	size         int // promises
	began, ended policy.Instant
}

// until returns until when what waits for the next save may wait for more of it: as long as the last took, and not for so long that timers are late by that.
func (p *paid) until(c *Config) policy.Instant {
	return p.ended.Add(min(p.ended.After(p.began), c.Timing.Delay/8))
}

// gathers reports whether what waits to be saved waits for more of it, though the disk is free. It does after a save that was of more than twice as much, and that has just ended: a thousand groups elect then, and
// each save begun for a few of them holds up the rest. So a first group never waits, nor does one alone.
func (l *loop) gathers() bool {
	return l.saving == nil && !l.next.empty() && 2*len(l.next.promises) < l.paid.size && l.watch.Now.Before(l.paid.until(l.config))
}
