package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// leastProgress is the shortest time in which a command may be asked to report progress: machines are busy, and it must start first.
const leastProgress = time.Second

// progressFile is a file that a command touches as long as it gets on.
type progressFile struct {
	name string
	last os.FileInfo // or nil, if it was not there
}

// progressName is what the names of such files begin with, below -data.
const progressName = "progress-"

// clearProgress removes what a node that was killed has left: the folder is that of one node, and none of its commands runs yet.
func clearProgress(folder string) {
	left, _ := os.ReadDir(folder) // if it cannot be read, there will be no file in it either
	for _, file := range left {
		if strings.HasPrefix(file.Name(), progressName) {
			_ = os.Remove(filepath.Join(folder, file.Name()))
		}
	}
}

// newProgress makes the file for a command, and tells the command, if there is to be one. It is given up by endProgress.
func (w *worker) newProgress(cmd *exec.Cmd) error {
	if w.flags.progress == 0 {
		return nil
	}
	folder, err := filepath.Abs(w.data) // the command may be in another
	if err != nil {
		return fmt.Errorf("-progress: %w", err)
	}
	f, err := os.CreateTemp(folder, progressName)
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
func reports[R tenure](w *worker, work func(context.Context, R) error) func(context.Context, R) error {
	if w.flags.progress == 0 {
		return work
	}
	return func(ctx context.Context, reign R) error {
		over, reporting := make(chan struct{}), sync.WaitGroup{}
		reporting.Go(func() { w.report(over, reign) })
		defer reporting.Wait()
		defer close(over)
		return work(ctx, reign)
	}
}

// report looks again and again whether there is progress, until the work is over.
func (w *worker) report(over <-chan struct{}, reign tenure) {
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

// errQuiet says that a command made no progress, and another node is to lead.
var errQuiet = errors.New("the command made no progress")

// othersCanLead reports whether this node is connected to a quorum of others: they do without it.
func (w *worker) othersCanLead() bool {
	up, others := w.connected()
	return 2*up > others+1
}

// connected returns how many others there are, and to how many of them this node is connected.
func (w *worker) connected() (up, others int) {
	links := w.host.Status().Links
	for _, l := range links {
		if l.Up {
			up++
		}
	}
	return up, len(links)
}

// standing is how long a node stands aside whose command makes no progress: twice as long each time, unless it got on in between.
type standing struct{ last time.Duration }

const (
	// mostStanding bounds it: a node that stands aside does not vote.
	mostStanding = 5 * time.Minute
	// gotOn is for how many times -progress a command has got on that does.
	gotOn = 10
)

// next returns for how long to stand aside after a reign that was so long.
func (s *standing) next(progress, lived time.Duration) time.Duration {
	if s.last *= 2; s.last == 0 || lived >= gotOn*progress {
		s.last = progress
	}
	s.last = min(s.last, mostStanding)
	return s.last
}

// standAside lets others lead for a while, and says meanwhile that it does. It reports whether the node is to run again: not if it was told to
// stop before.
func (p program) standAside(ctx context.Context, s settings, pause time.Duration) (on bool, err error) {
	why := "it stands aside for " + pause.String() + ", as its command made no progress"
	newLogger(p.Log, s).Warn(why, "node", s.id.String())
	_, closed, err := s.wait(why)
	if err != nil {
		return false, err
	}
	defer closed()
	return sleep(ctx, pause), nil
}

// sayLeaderless says once that nobody leads, if that is so when a first election would be over long since.
func (w *worker) sayLeaderless(ctx context.Context) {
	const long = 20
	if !sleep(ctx, long*w.timing.Coordinator) || !w.host.Status().Leader.IsNone() {
		return
	}
	up, others := w.connected()
	w.logger.Warn("nobody leads, so nobody runs the command: that takes a quorum of nodes that run and reach each other", "connected", up, "others", others)
}
