package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/web"
)

// runBeside runs a node while a program of this machine asks to lead, by the socket, until ctx ends or the node fails.
func (p program) runBeside(ctx context.Context, s settings, notifier *notifier) error {
	l, err := newSocket(s.socket)
	if err != nil {
		return err
	}
	if s.guard != nil {
		s.guard.Lasting = true
	}
	logger, waiting := newLogger(p.Log, s).With("node", s.id.String()), s.waiting()
	waiting.Says(waitsForProgram + s.socket)
	programs := web.NewPrograms(logger, waiting, s.lends())
	served := make(chan error, 1)
	go func() { served <- programs.Serve(l) }()
	stop := eachSecond(func() { l.renew(logger) })
	s.outlive(ctx)
	for taken := taken(0); err == nil; {
		var there bool
		if there, err = p.awaitProgram(ctx, s, programs); !there {
			break
		}
		err = p.runNode(ctx, s, notifier, programs)
		if taken.again(ctx, logger, err) {
			err = nil
		}
	}
	stop()
	return errors.Join(err, programs.Close(), <-served)
}

// lends reports whether a program that leads, or the command of exec, holds the address of this node: others take it for dead when that refuses.
func (s settings) lends() bool { return (s.socket != "" || s.proof) && !s.noProof && s.search == nil }

// outlive waits until nothing acts any more that an earlier process of this node has let lead, and that has outlived it: it was told a deadline. Else the node might
// say that it is back, and others would lead beside it (R39.4). One that has not run before waits for nothing.
func (s settings) outlive(ctx context.Context) {
	if kept, _ := os.ReadDir(s.data); len(kept) == 0 {
		return
	}
	sleep(ctx, s.timing.Patience) // which outlasts a reign, whatever the clocks (R37 d)
}

// taken counts how often in a row a node has found that its address is taken.
type taken int

// mostTaken is how often until it ends.
const mostTaken = 5

// again waits if a node has not begun as its address is taken, and reports whether it is to be tried again.
func (t *taken) again(ctx context.Context, logger *slog.Logger, err error) bool {
	if !errors.Is(err, syscall.EADDRINUSE) {
		*t = 0
		return false
	}
	if *t++; *t == mostTaken {
		return false
	}
	logger.Warn("another process has the address of this node: a program that it had let lead before it was killed, and that is stopped or hangs, or somebody else. It is tried again", "err", err)
	sleep(ctx, time.Second)
	return true
}

// waitsForProgram is what a node waits for that no program asks anything.
const waitsForProgram = "a program that asks to lead, at "

// awaitProgram waits until a program asks to lead, and says meanwhile that it does. It reports whether one has come before ctx ended.
func (p program) awaitProgram(ctx context.Context, s settings, programs *web.Programs) (there bool, err error) {
	_, closed, err := s.wait(waitsForProgram + s.socket)
	if err != nil {
		return false, err
	}
	defer closed()
	return programs.Wait(ctx) == nil && ctx.Err() == nil, nil
}

// socket is the listener of a Unix socket that is made anew if somebody takes it away.
type socket struct {
	path string
	said string // by renew

	mu     sync.Mutex
	now    net.Listener
	made   os.FileInfo // of the file as it was made
	closed bool
}

func newSocket(path string) (*socket, error) {
	s := &socket{path: path}
	return s, s.listen()
}

// listen makes the socket.
func (s *socket) listen() error {
	l, err := listenForPrograms(s.path)
	if err != nil {
		return err
	}
	made, _ := os.Lstat(s.path) // if it is gone already, it is made anew
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now != nil {
		s.now.(*net.UnixListener).SetUnlinkOnClose(false) // that would be the new one
		_ = s.now.Close()                                 // nobody can reach it
	}
	s.now, s.made = l, made
	return nil
}

// current returns the listener of now, and whether the socket is closed.
func (s *socket) current() (l net.Listener, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now, s.closed
}

// Accept implements net.Listener.
func (s *socket) Accept() (net.Conn, error) {
	for {
		l, _ := s.current()
		c, err := l.Accept()
		if now, closed := s.current(); err != nil && now != l && !closed {
			continue // it was made anew
		}
		return c, err
	}
}

// Close implements net.Listener.
func (s *socket) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return net.ErrClosed
	}
	s.closed = true
	if !s.isThere() {
		s.now.(*net.UnixListener).SetUnlinkOnClose(false) // what is there is not this one
	}
	return s.now.Close()
}

// Addr implements net.Listener.
func (s *socket) Addr() net.Addr {
	l, _ := s.current()
	return l.Addr()
}

// isThere reports whether the file is the one that was made.
func (s *socket) isThere() bool {
	found, err := os.Lstat(s.path)
	return err == nil && os.SameFile(found, s.made)
}

// renew makes the socket anew if somebody has taken it away. Programs that are connected notice nothing. What it has said is not said again.
func (s *socket) renew(logger *slog.Logger) {
	if s.isThere() {
		return
	}
	then := "it is made anew"
	if err := s.listen(); err != nil {
		then = err.Error()
	}
	if then != s.said || s.isThere() {
		logger.Warn("somebody has taken the socket away, and no program could ask to lead", "path", s.path, "then", then)
	}
	s.said = then
}

// maxSocketPath is how long the path of a socket may be where it may be least: in BSD.
const maxSocketPath = 103

// listenForPrograms listens on a Unix socket. What a node that was killed has left behind there is replaced; what another listens on, or
// what is no socket, is not.
func listenForPrograms(path string) (net.Listener, error) {
	if len(path) > maxSocketPath {
		return nil, fmt.Errorf("-socket: %s has %d bytes, and a socket may have %d: give a shorter path", path, len(path), maxSocketPath)
	}
	l, err := net.Listen("unix", path)
	if err == nil {
		return l, nil
	}
	switch found, absent := os.Lstat(path); {
	case absent != nil:
		return nil, fmt.Errorf("-socket: %w", err)
	case found.Mode().Type() != os.ModeSocket:
		return nil, fmt.Errorf("-socket: %s is there, and is no socket: give another path, or take it away", path)
	}
	if c, err := net.Dial("unix", path); err == nil {
		_ = c.Close()
		return nil, fmt.Errorf("-socket: another program listens on %s: does this node run already? Give each node a path of its own", path)
	}
	if err := os.Remove(path); err != nil {
		return nil, fmt.Errorf("-socket: what a program that has ended has left is in the way: %w", err)
	}
	if l, err = net.Listen("unix", path); err != nil {
		return nil, fmt.Errorf("-socket: %w", err)
	}
	return l, nil
}
