package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/child"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/resource"
)

// jobOver says how a job that is done once has ended, on a node that has not run it.
type jobOver struct{ error }

// workJob does the job in one reign: it begins each run that is due, once it has claimed it.
func (w *worker) workJob(ctx context.Context, reign host.Reign) error {
	for {
		period, next := w.job.period(time.Now())
		last, err := within(ctx, func() (jobRun, error) { return w.job.claim(period, w.id, reign.Epoch()) })
		switch {
		case errors.Is(err, resource.ErrFenced):
			w.logger.Error("the fence has admitted a higher epoch: the node resigns, and no run is begun", "job", w.job.key, "epoch", uint64(reign.Epoch()), "err", err)
			return err
		case errors.Is(err, errUnsure):
			w.logger.Error("a run may have been claimed, or may be yet: the node resigns, and no run is begun", "job", w.job.key, "err", err)
			return err
		case err != nil:
			w.logger.Error("the fence cannot be used: no run is begun, and it is tried again", "job", w.job.key, "err", err)
		case last.State == claimed && last.Epoch == reign.Epoch():
			if end, over := w.runJob(ctx, reign, last); over {
				return end
			}
		default:
			w.sayLast(last)
			if how, over := w.job.verdict(last); over {
				return w.over(how)
			}
		}
		if !sleep(ctx, w.until(last, err, next)) {
			return errEnded
		}
	}
}

// runJob runs a run that has been claimed, and notes what has come of it. It reports whether the work of the reign is over.
func (w *worker) runJob(ctx context.Context, reign host.Reign, r jobRun) (err error, over bool) {
	w.ran.Store(true) // what becomes of the job is told by this node from now on, and not read of others
	var c *child.Child
	if err = host.ErrNotLeader; ctx.Err() == nil {
		c, err = w.start(reign, "BULLY_KEY="+w.job.key, "BULLY_ATTEMPT="+strconv.Itoa(r.Attempt), "BULLY_PERIOD="+stampOf(r.Period))
	}
	switch {
	case errors.Is(err, host.ErrNotLeader): // the reign is over, or about to be, and CMD has not begun
		r.State = freed
	case err != nil:
		w.logger.Error("the command does not start", "err", err)
		r.State, r.Status = failed, 127
	case w.watch(ctx, reign, c):
		if r.State, r.Status = failed, c.Status(); r.Status == 0 {
			r.State = done
		}
	default:
		r.State, r.Status = ended, c.Status()
	}
	noted := w.note(ctx, r)
	w.logger.Info("a run is over", "job", w.job.key, "period", stampOf(r.Period), "attempt", r.Attempt, "state", string(r.State), "status", r.Status, "noted", noted)
	switch {
	case r.State == ended || r.State == freed:
		w.ran.Store(false)
		return errEnded, true
	case w.job.every == 0 && (r.State == done || !w.job.retry):
		return cli.ExitError{Status: r.Status}, true
	case !noted:
		return errEnded, true
	}
	return nil, false
}

// note notes the end of a run, as long as the reign lasts and a moment longer; and reports whether that was possible.
func (w *worker) note(ctx context.Context, r jobRun) bool {
	for {
		_, err := within(ctx, func() (jobRun, error) { return r, w.job.note(r) })
		if err == nil {
			return true
		}
		w.logger.Error("what came of a run could not be noted: for others it is not known", "job", w.job.key, "state", string(r.State), "err", err)
		if errors.Is(err, resource.ErrFenced) || errors.Is(err, errUnsure) || !sleep(ctx, fencePause) {
			return false
		}
	}
}

// until returns how long to wait before the next attempt to claim a run.
func (w *worker) until(last jobRun, err error, next time.Time) time.Duration {
	if err != nil {
		return fencePause
	}
	if w.job.retry && last.State != done && last.State != "" {
		return min(time.Duration(last.Attempt)*restartPause, time.Minute)
	}
	if next.IsZero() {
		return fencePause
	}
	return min(max(time.Until(next), 0), time.Minute) // the wall clock may be set meanwhile
}

// sleep waits, and reports whether ctx goes on.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// sayLast says how the last run of a period has ended, once, if that was not well; and that its period is still to come, if a clock is wrong.
func (w *worker) sayLast(last jobRun) {
	if w.said == last {
		return
	}
	w.said = last
	switch ahead := time.Until(last.Period); {
	case ahead > 0:
		w.logger.Warn("the last run was in a period that is still to come by this clock: it, or that of who ran it, is wrong", "job", w.job.key,
			"period", stampOf(last.Period), "ahead", ahead.Round(time.Millisecond))
	case last.State != done:
		w.logger.Warn("the run is not begun again", "job", w.job.key, "period", stampOf(last.Period), "because", last.text())
	}
}

// over is what work returns when the job is over, and another has run it.
func (w *worker) over(how error) error {
	if how == nil {
		return cli.ExitError{Status: cli.OK}
	}
	return jobOver{how}
}

// settled waits until the fence says that a job which is done once is over, whoever has run it: so nodes end together that were started
// together. It returns nil if ctx ends first.
func (w *worker) settled(ctx context.Context) error {
	if w.job == nil || w.job.every != 0 {
		<-ctx.Done()
		return nil
	}
	unreachable := ""
	for {
		last, err := within(ctx, w.job.read)
		switch how, over := w.job.verdict(last); {
		case err != nil && ctx.Err() == nil && err.Error() != unreachable:
			unreachable = err.Error()
			w.logger.Warn("the fence cannot be read", "job", w.job.key, "err", err)
		case err == nil && over && !w.ran.Load() && ctx.Err() == nil:
			if how == nil {
				w.logger.Info("the job is done", "job", w.job.key, "by", last.Node.String(), "epoch", uint64(last.Epoch))
			}
			return w.over(how)
		}
		if !sleep(ctx, fencePause) {
			return nil
		}
	}
}

// stampOf returns the beginning of a period as text, or nothing.
func stampOf(period time.Time) string {
	if period.IsZero() {
		return ""
	}
	return period.UTC().Format(time.RFC3339Nano)
}

// isJob reports whether -once was given, perhaps without a key.
func (x *execFlags) isJob() bool { return x.once != "" || x.given["once"] }

// modes are the ways in which a command can be run, of which one must be chosen.
func (x *execFlags) mode() error {
	chosen := 0
	for _, is := range []bool{x.isJob(), x.restart, x.move} {
		if is {
			chosen++
		}
	}
	if chosen == 1 {
		return nil
	}
	if chosen > 1 {
		return cli.Usage("-once, -restart and -move are three ways to run CMD: give one")
	}
	return cli.Usage(fmt.Sprintf("say what is to be when CMD ends:\n%s", modesText))
}

// modesText tells the ways apart.
const modesText = `
  -once KEY -fence DIR             a job: CMD runs once in the whole cluster; then all nodes end
  -once KEY -every 24h -fence DIR  a job again and again: CMD runs once in each period; the nodes run on
  -restart                         a service: CMD is started again on the same node, as long as that leads
  -move                            a service that moves: the node ends with CMD, and the next that leads runs CMD`
