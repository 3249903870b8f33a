package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
)

// leastProgress is the shortest time in which a command may be asked to report progress: machines are busy, and it must start first.
const leastProgress = time.Second

// progressFile is a file that a command touches as long as it gets on.
type progressFile struct {
	name string
	last os.FileInfo // or nil, if it was not there
}

// newProgress makes the file for a command, and tells the command, if there is to be one. It is given up by endProgress.
func (w *worker) newProgress(cmd *exec.Cmd) error {
	if w.flags.progress == 0 {
		return nil
	}
	f, err := os.CreateTemp("", "bully-progress-")
	if err != nil {
		return fmt.Errorf("-progress: %w", err)
	}
	cmd.Env = append(cmd.Env, "BULLY_PROGRESS="+f.Name())
	p := &progressFile{name: f.Name()}
	p.last, err = f.Stat()
	w.touches.Store(p)
	return errors.Join(err, f.Close())
}

// endProgress notes that no command runs.
func (w *worker) endProgress() {
	if p := w.touches.Swap(nil); p != nil {
		_ = os.Remove(p.name) // the command may have done so
	}
}

// reports is work with progress: that of the command while one runs, and its own while it waits for what is to be run next.
func (w *worker) reports(work func(context.Context, host.Reign) error) func(context.Context, host.Reign) error {
	if w.flags.progress == 0 {
		return work
	}
	return func(ctx context.Context, reign host.Reign) error {
		over, reporting := make(chan struct{}), sync.WaitGroup{}
		reporting.Go(func() { w.report(over, reign) })
		defer reporting.Wait()
		defer close(over)
		return work(ctx, reign)
	}
}

// report looks again and again whether there is progress, until the work is over.
func (w *worker) report(over <-chan struct{}, reign host.Reign) {
	ticker := time.NewTicker(w.flags.progress / 8)
	defer ticker.Stop()
	for {
		select {
		case <-over:
			return
		case <-ticker.C:
		}
		if p := w.touches.Load(); p == nil || p.touched() {
			reign.Progress()
		}
	}
}

// touched reports whether the file has changed since the last look.
func (p *progressFile) touched() bool {
	now, err := os.Stat(p.name)
	if err != nil { // who tidies up has removed it: the next touch makes another
		p.last = nil
		return false
	}
	last := p.last
	p.last = now
	return last == nil || !now.ModTime().Equal(last.ModTime()) || now.Size() != last.Size()
}
