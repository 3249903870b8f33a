package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/spec"
)

// job is what a cluster does once, or once a period. What has been done is kept behind a fence that all nodes share. Whoever leads claims a
// run there before it begins, so that no other ever begins the same one.
type job struct {
	key           string
	every, offset time.Duration // every is 0 if the job is done once, and no more
	retry         bool          // at least once, instead of at most once
	fence         fence

	mu sync.Mutex // held by who uses the fence: storage that hangs holds up one after the other
}

// fence keeps the record of one job for all nodes.
type fence interface {
	// update replaces the record by what change makes of it, in one step, and raises the fence to the epoch. It is a FencedError if a
	// higher epoch was there before. If change returns errAsIs only the fence is raised, if it is lower.
	update(epoch spec.Epoch, change func(old []byte) ([]byte, error)) error
	// read returns the record, or nothing if there is none. It holds up nobody.
	read() ([]byte, error)
	// place says what to remove to have the record forgotten.
	place() string
}

// state is how far a run has come.
type state string

const (
	claimed state = "claimed" // it may have begun
	done    state = "done"    // CMD has ended with 0
	failed  state = "failed"  // CMD has ended with another status
	ended   state = "ended"   // CMD was ended with its reign, and has ended
	freed   state = "freed"   // CMD has not begun, and will not by this claim
	lost    state = "lost"    // the reign in which it was claimed is over, and nobody has said what came of it
)

// jobRun is the last run of a job, as it is kept.
type jobRun struct {
	State   state       `json:"state"`
	Period  time.Time   `json:"period,omitzero"` // when it has begun; zero of a job that is done once
	Attempt int         `json:"attempt"`         // 1 for the first
	Node    spec.NodeID `json:"node"`            // that has claimed it
	Epoch   spec.Epoch  `json:"epoch"`           // in which it has
	Status  int         `json:"status"`          // of CMD, if it has ended
	At      time.Time   `json:"at"`              // when this was written, by the clock of who wrote it
}

const lettersAndDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// isKey reports whether a text is a key: up to 100 letters, digits, dots, hyphens and underscores, a letter or a digit first. Package regexp would be a
// fortieth of the program.
func isKey(text string) bool {
	return text != "" && len(text) <= 100 && strings.Trim(text[:1], lettersAndDigits) == "" && strings.Trim(text, "._-"+lettersAndDigits) == ""
}

// newJob returns the job that the flags describe, or nil if they describe none.
func newJob(x *execFlags, cluster string) (*job, error) {
	switch {
	case !x.isJob() && (x.every != 0 || x.offset != 0 || x.retry || x.fence != ""):
		return nil, cli.Usage("-every, -offset, -retry and -fence are for jobs: name the job with -once")
	case !x.isJob():
		return nil, nil
	case !isKey(x.once):
		return nil, cli.Usage(fmt.Sprintf("-once: %q is not 1 to 100 letters, digits, dots, hyphens and underscores, the first a letter or a digit", x.once))
	case x.fence == "":
		return nil, cli.Usage("-fence is missing: give the folder that all nodes share, or the URL of the server, where it is kept what has run")
	case (x.every != 0 || x.given["every"]) && x.every < time.Second:
		return nil, cli.Usage(fmt.Sprintf("-every: %v is less than a second", x.every))
	case x.offset != 0 && x.every == 0:
		return nil, cli.Usage("-offset is of -every, which is missing")
	case x.offset != 0 && (x.offset < 0 || x.offset >= x.every):
		return nil, cli.Usage(fmt.Sprintf("-offset: %v is not from 0 to less than -every, which is %v", x.offset, x.every))
	}
	j := &job{key: x.once, every: x.every, offset: x.offset, retry: x.retry}
	var err error
	j.fence, err = newFence(x.fence, cluster, "once-"+x.once)
	return j, err
}

// period returns when the period of now has begun, and when the next begins. They are the same for everybody whose clock is right.
func (j *job) period(now time.Time) (begin, next time.Time) {
	if j.every == 0 {
		return time.Time{}, time.Time{}
	}
	since := now.Add(-j.offset).UnixNano()
	begin = time.Unix(0, since-since%int64(j.every)).Add(j.offset).UTC()
	return begin, begin.Add(j.every)
}

// follows returns what comes after the last run in the period, in the reign of who asks: a run to begin, with claimed; what is to be noted
// of the last one, with lost; or, with its own state, the last one, after which nothing is to be done.
func (j *job) follows(last jobRun, period time.Time, node spec.NodeID, epoch spec.Epoch) jobRun {
	next := jobRun{State: claimed, Period: period, Attempt: 1, Node: node, Epoch: epoch}
	switch {
	case last.State == "" || last.Period.Before(period):
		return next
	case last.Period.After(period) || last.State == done:
		return last
	case last.State == claimed && last.Epoch == epoch: // by this reign, which has not heard that it was noted
		return last
	case j.retry || last.State == freed:
		next.Attempt = last.Attempt + 1
		return next
	case last.State == claimed:
		last.State = lost
	}
	return last
}

// errAsIs says that a record is as it is to be.
var errAsIs = errors.New("nothing to note")

// claim claims the next run in a reign, if there is one to begin: then it returns that, claimed. Else it returns how the last one has ended.
func (j *job) claim(period time.Time, node spec.NodeID, epoch spec.Epoch) (next jobRun, err error) {
	err = j.update(epoch, func(last jobRun) (jobRun, error) {
		if next = j.follows(last, period, node, epoch); next == last {
			return last, errAsIs
		}
		return next, nil
	})
	return next, err
}

// note notes what has come of a run that this node has claimed. That of another it leaves as it is.
func (j *job) note(r jobRun) error {
	return j.update(r.Epoch, func(last jobRun) (jobRun, error) {
		if last.State != "" && (last.State != claimed || last.Epoch != r.Epoch || !last.Period.Equal(r.Period)) {
			return last, fmt.Errorf("it is %s already, by node %s in epoch %d", last.State, last.Node, last.Epoch)
		}
		return r, nil
	})
}

// update changes the record, behind its fence.
func (j *job) update(epoch spec.Epoch, change func(last jobRun) (jobRun, error)) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	err := j.fence.update(epoch, func(old []byte) ([]byte, error) {
		last, err := parseRun(old)
		if err != nil {
			return nil, err
		}
		next, err := change(last)
		if err != nil {
			return nil, err
		}
		next.At = time.Now().UTC()
		return json.Marshal(next)
	})
	if errors.Is(err, errAsIs) {
		return nil
	}
	return err
}

// read returns the last run, as anybody may see it.
func (j *job) read() (last jobRun, err error) {
	text, err := j.fence.read()
	if err != nil {
		return last, err
	}
	return parseRun(text)
}

func parseRun(text []byte) (r jobRun, err error) {
	if len(text) == 0 {
		return r, nil
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("what is kept of the job cannot be read: %w", err)
	}
	return r, nil
}

// verdict returns how a job that is done once has ended, and false if it has not. The error is nil if it is done.
func (j *job) verdict(last jobRun) (err error, over bool) {
	switch {
	case j.every != 0 || last.State == "" || last.State == claimed || last.State == freed:
		return nil, false
	case !last.Period.IsZero():
		return fmt.Errorf("-once %s is a job that has been done with -every, last for %s: give another KEY", j.key, last.Period.Format(time.RFC3339)), true
	case last.State == done:
		return nil, true
	case j.retry:
		return nil, false
	}
	return fmt.Errorf("-once %s: %s. It is not begun again: see what it has done; then start with -retry, or remove %s, and start again",
		j.key, last.text(), j.fence.place()), true
}

// text says how a run has ended.
func (r *jobRun) text() string {
	by := fmt.Sprintf("node %s, in epoch %d, ", r.Node, r.Epoch)
	switch r.State {
	case claimed:
		return by + "has claimed it"
	case done:
		return by + "has done it"
	case failed:
		return by + fmt.Sprintf("has run it, and it has ended with status %d", r.Status)
	case ended:
		return by + "has run it, and had to end it with its reign"
	}
	return by + "has claimed it, and it is not known whether it has begun, or ended"
}

// within calls f, and no longer waits for it than a moment after ctx has ended: storage may hang.
func within[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	result := make(chan outcome, 1)
	go func() {
		value, err := f()
		result <- outcome{value, err}
	}()
	select {
	case o := <-result:
		return o.value, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-result:
		return o.value, o.err
	case <-time.After(fencePatience):
		var none T
		return none, fmt.Errorf("the fence does not answer: %w", context.Cause(ctx))
	}
}

const (
	// fencePatience is how long the fence is waited for once the reign is over, or about to be.
	fencePatience = time.Second
	// fencePause lies between two attempts to reach it, and between two looks at it.
	fencePause = time.Second
)
