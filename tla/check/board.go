package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// board shows how far a long work has come, and how long it will still take. On a terminal that is
// one line that is kept up to date. Elsewhere it is a line for each task that is done, and a line
// about the rest every 15 s.
type board struct {
	log     io.Writer
	live    bool
	what    string
	slow    time.Duration // no line for what is done sooner
	begin   time.Time
	plan    plan
	quit    chan struct{}
	stopped sync.WaitGroup

	mutex   sync.Mutex
	done    int
	running []task
	passed  load // recorded and took, of the tasks that are done
}

// task is something that was started.
type task struct {
	name  string
	begin time.Time
}

// How often a board speaks on a terminal, and elsewhere.
const (
	everyLive = time.Second
	everyLine = 15 * time.Second
)

// newBoard returns a board for the tasks of p. Its owner closes it.
func (a *app) newBoard(what string, slow time.Duration, p plan) *board {
	b := &board{log: a.log, live: a.live, what: what, slow: slow, begin: time.Now(), plan: p}
	b.quit = make(chan struct{})
	b.stopped.Go(b.refresh)
	return b
}

// refresh shows how far the work has come, until the board is closed.
func (b *board) refresh() {
	every := everyLine
	if b.live {
		every = everyLive
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-b.quit:
			return
		case <-ticker.C:
			b.show()
		}
	}
}

// show writes the line.
func (b *board) show() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.live {
		_, _ = fmt.Fprintf(b.log, "\r%s\x1b[K", b.line())
		return
	}
	_, _ = fmt.Fprintln(b.log, b.line())
}

// line returns the line, cut to what a terminal shows.
func (b *board) line() string {
	const width = 100
	line := fmt.Sprintf("%s %d/%d, %s", b.what, b.done, b.plan.tasks, time.Since(b.begin).Round(time.Second))
	if b.plan.seconds != nil {
		line += fmt.Sprintf(", about %s left", roughly(b.left()))
	}
	line += ":"
	for _, t := range b.running {
		line += fmt.Sprintf(" %s %s", t.name, time.Since(t.begin).Round(time.Second))
	}
	return line[:min(len(line), width)]
}

// left estimates how long this work, and what follows it, will still take.
func (b *board) left() time.Duration {
	l := b.passed
	l.lanes = b.plan.lanes
	rest := b.plan.total() - l.recorded
	for _, t := range b.running {
		recorded := b.plan.seconds[t.name]
		l.running = append(l.running, share{recorded, time.Since(t.begin).Seconds()})
		rest -= recorded
	}
	l.queued = max(0, rest)
	return l.left() + time.Duration(b.plan.after*l.pace()*float64(time.Second))
}

// started says that name has begun.
func (b *board) started(name string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.running = append(b.running, task{name, time.Now()})
}

// finished says that name is done, and what came of it.
func (b *board) finished(name, result string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	i := slices.IndexFunc(b.running, func(t task) bool { return t.name == name })
	took := time.Since(b.running[i].begin)
	b.running = slices.Delete(b.running, i, i+1)
	b.done++
	b.passed.took += took.Seconds()
	b.passed.recorded += b.plan.seconds[name]
	if !b.live && took >= b.slow {
		width := len(fmt.Sprint(b.plan.tasks))
		_, _ = fmt.Fprintf(b.log, "%s %*d/%d  %s  %s\n", b.what, width, b.done, b.plan.tasks, pad(name, 44), result)
	}
}

// pad fills text with blanks.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-len(text)))
}

// close stops the board, and takes the line off a terminal.
func (b *board) close() {
	close(b.quit)
	b.stopped.Wait()
	if b.live {
		_, _ = fmt.Fprint(b.log, "\r\x1b[K")
	}
}
