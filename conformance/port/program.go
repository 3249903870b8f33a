package port

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// program is one program that runs: a process of its own, or a function of this one.
type program struct {
	name     string
	in       io.WriteCloser
	lines    chan line
	standard *tail
	kill     func()       // ends it now; may be called at any time, and more than once
	wait     func() error // waits for its end
}

// line is what a program has written, or why it has not.
type line struct {
	text []byte
	err  error
}

// parts is in how many parts an answer is waited for. What stops the whole machine for longer, or the program that waits, ends one part
// only, and is not laid at the port's door.
const parts = 20

// answer returns the next line, and whether there can be more; and whether it came within a time.
func (g *program) answer(within time.Duration) (l line, more, came bool) {
	for range parts {
		part := time.NewTimer(within / parts)
		select {
		case l, more = <-g.lines:
			part.Stop()
			return l, more, true
		case <-part.C:
		}
	}
	return line{}, true, false
}

var errFlood = fmt.Errorf("a reply is longer than %d bytes", maxReply)

// launch starts a program.
func launch(ctx context.Context, c *Config) (*program, error) {
	if c.Serve != nil {
		return launchHere(ctx, c.Serve), nil
	}
	name := strings.Join(c.Command, " ")
	command := exec.CommandContext(ctx, c.Command[0], c.Command[1:]...)
	g := &program{name: name, lines: make(chan line, 16), standard: &tail{}}
	command.Dir = c.Dir
	group(command)
	in, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("port: %w", err)
	}
	// These are not command's own pipes: its Wait would close them before all is read, or wait for whoever holds them.
	out, toOut, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("port: %w", err)
	}
	standard, toStandard, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("port: %w", err), out.Close(), toOut.Close())
	}
	command.Stdout, command.Stderr = toOut, toStandard
	err = command.Start()
	_, _ = toOut.Close(), toStandard.Close()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("port: %s does not start: %w", name, err), out.Close(), standard.Close())
	}
	g.in, g.kill = in, func() { _ = command.Cancel() }
	said := make(chan struct{})
	go func() {
		_, _ = io.Copy(g.standard, standard)
		_ = standard.Close()
		close(said)
	}()
	g.wait = sync.OnceValue(func() error {
		err := command.Wait()
		g.kill() // what it has started must neither hold its output, so that it looks as if it hung, nor outlive it
		over := time.Now().Add(time.Second)
		_, _ = out.SetReadDeadline(over), standard.SetReadDeadline(over) // who has left its group may hold them still
		<-said
		return err
	})
	go g.read(out)
	go func() { _ = g.wait() }()
	return g, nil
}

// launchHere starts a port that is a function.
func launchHere(ctx context.Context, serve func(io.Reader, io.Writer) error) *program {
	in, toPort := newPipe()
	fromPort, out := newPipe()
	g := &program{name: "a port of this process", in: toPort, lines: make(chan line, 16), standard: &tail{}}
	ended := make(chan error, 1)
	go func() {
		err := serve(in, out)
		_, _ = in.Close(), out.Close()
		ended <- err
	}()
	g.wait = sync.OnceValue(func() error {
		select {
		case err := <-ended:
			return err
		case <-time.After(time.Second):
			return errors.New("it goes on, though its input has ended")
		}
	})
	g.kill = func() { _, _, _ = in.Close(), out.Close(), toPort.Close() }
	context.AfterFunc(ctx, g.kill)
	go g.read(fromPort)
	return g
}

// read hands on what the program writes.
func (g *program) read(out io.ReadCloser) {
	defer func() { _ = out.Close() }()
	defer close(g.lines)
	r := bufio.NewReaderSize(out, 64<<10)
	for {
		var text []byte
		for {
			part, err := r.ReadSlice('\n')
			text = append(text, part...)
			if len(text) > maxReply {
				g.lines <- line{text[:maxReply], errFlood}
				return
			}
			if err == nil {
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				g.lines <- line{text, err}
				return
			}
		}
		g.lines <- line{text[:len(text)-1], nil}
	}
}

// gone says what has become of a program that could not be written to, or read from.
func (g *program) gone(err error) string {
	how, over := g.ended(err)
	switch {
	case over:
		return "it has ended, and did not answer: " + how
	case errors.Is(err, io.EOF) || errors.Is(err, os.ErrDeadlineExceeded):
		return "it has ended, and did not answer: its standard output is closed"
	}
	return "it does not read any more: " + how
}

// ended says how a program has ended, if it has.
func (g *program) ended(err error) (how string, over bool) {
	_ = g.in.Close()
	done := make(chan error, 1)
	go func() { done <- g.wait() }()
	select {
	case waited := <-done:
		if waited != nil {
			return waited.Error(), true
		}
		return "exit status 0", true
	case <-time.After(2 * time.Second):
	}
	return err.Error(), false
}

// close waits a little for the end of a program whose input has ended, and kills it.
func (g *program) close() {
	_ = g.in.Close()
	killer := time.AfterFunc(time.Second, g.kill)
	defer killer.Stop()
	go func() { // so that it is not stuck in a write
		for range g.lines {
		}
	}()
	_ = g.wait()
}

// tail keeps the end of what is written to it, and counts all of it.
type tail struct {
	mu      sync.Mutex
	text    []byte
	written uint64 // bytes
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.written += uint64(len(b))
	t.text = append(t.text, b...)
	if over := len(t.text) - maxStandard; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}

func (t *tail) count() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.written
}

// pipeSize is how much a pipe holds, as one of the system does.
const pipeSize = 64 << 10

// pipe is to a port that is a function what a pipe of the system is to one that is a process: it holds as much, so that one that does
// not read is noticed no earlier. Whoever waits at it waits in virtual time too.
type pipe struct {
	mu                 sync.Mutex
	changed            sync.Cond
	held               []byte
	noReader, noWriter bool
}

func newPipe() (pipeReader, pipeWriter) {
	p := &pipe{}
	p.changed.L = &p.mu
	return pipeReader{p}, pipeWriter{p}
}

type pipeReader struct{ *pipe }

type pipeWriter struct{ *pipe }

// Read implements io.Reader.
func (p pipeReader) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.held) == 0 && !p.noWriter && !p.noReader {
		p.changed.Wait()
	}
	switch {
	case p.noReader:
		return 0, os.ErrClosed
	case len(p.held) == 0:
		return 0, io.EOF
	}
	n := copy(b, p.held)
	p.held = p.held[n:]
	p.changed.Broadcast()
	return n, nil
}

// Close implements io.Closer.
func (p pipeReader) Close() error { return p.close(&p.noReader) }

// Write implements io.Writer.
func (p pipeWriter) Write(b []byte) (n int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(b) > 0 {
		for len(p.held) == pipeSize && !p.noReader && !p.noWriter {
			p.changed.Wait()
		}
		switch {
		case p.noWriter:
			return n, os.ErrClosed
		case p.noReader:
			return n, io.ErrClosedPipe
		}
		part := b[:min(len(b), pipeSize-len(p.held))]
		p.held = append(p.held, part...)
		n, b = n+len(part), b[len(part):]
		p.changed.Broadcast()
	}
	return n, nil
}

// Close implements io.Closer. What was written can be read still.
func (p pipeWriter) Close() error { return p.close(&p.noWriter) }

func (p *pipe) close(end *bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if *end {
		return os.ErrClosed
	}
	*end = true
	p.changed.Broadcast()
	return nil
}
