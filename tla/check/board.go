package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// board shows how far a long work has come: on a terminal in one line that is kept up to
// date, elsewhere in a line for everything that is done.
type board struct {
	log     io.Writer
	live    bool
	what    string
	all     int
	slow    time.Duration // no line for what is done sooner
	begin   time.Time
	quit    chan struct{}
	stopped sync.WaitGroup

	mutex   sync.Mutex
	done    int
	running []task
}

// task is something that was started.
type task struct {
	name  string
	begin time.Time
}

// newBoard returns a board for so many tasks. Its owner closes it.
func (a *app) newBoard(what string, all int, slow time.Duration) *board {
	b := &board{log: a.log, live: a.live, what: what, all: all, slow: slow, begin: time.Now()}
	b.quit = make(chan struct{})
	if b.live {
		b.stopped.Go(b.refresh)
	}
	return b
}

// refresh shows the line every second.
func (b *board) refresh() {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-b.quit:
			_, _ = fmt.Fprint(b.log, "\r\x1b[K")
			return
		case <-ticker.C:
			b.mutex.Lock()
			_, _ = fmt.Fprintf(b.log, "\r%s\x1b[K", b.line())
			b.mutex.Unlock()
		}
	}
}

// line returns the line, cut to what a terminal shows.
func (b *board) line() string {
	const width = 100
	line := fmt.Sprintf("%s %d/%d, %s:", b.what, b.done, b.all, time.Since(b.begin).Round(time.Second))
	for _, t := range b.running {
		line += fmt.Sprintf(" %s %s", t.name, time.Since(t.begin).Round(time.Second))
	}
	return line[:min(len(line), width)]
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
	if !b.live && took >= b.slow {
		width := len(fmt.Sprint(b.all))
		_, _ = fmt.Fprintf(b.log, "%s %*d/%d  %s  %s\n", b.what, width, b.done, b.all, pad(name, 44), result)
	}
}

// pad fills text with blanks.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-len(text)))
}

// close takes the line away.
func (b *board) close() {
	close(b.quit)
	b.stopped.Wait()
}
