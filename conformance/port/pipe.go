package port

import (
	"io"
	"os"
	"sync"
)

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
