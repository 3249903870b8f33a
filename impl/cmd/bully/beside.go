package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/seed-fdf591db/bully/impl/internal/web"
)

// runBeside runs a node while a program of this machine asks to lead, by the socket, until ctx ends or the node fails.
func (p program) runBeside(ctx context.Context, s settings, notifier *notifier) error {
	l, err := listenForPrograms(s.socket)
	if err != nil {
		return err
	}
	programs := web.NewPrograms(newLogger(p.Log, s).With("node", s.id.String()))
	served := make(chan error, 1)
	go func() { served <- programs.Serve(l) }()
	for err == nil {
		var there bool
		if there, err = p.awaitProgram(ctx, s, programs); !there {
			break
		}
		err = p.runNode(ctx, s, notifier, programs)
	}
	return errors.Join(err, programs.Close(), <-served)
}

// awaitProgram waits until a program asks to lead, and says meanwhile that it does. It reports whether one has come before ctx ended.
func (p program) awaitProgram(ctx context.Context, s settings, programs *web.Programs) (there bool, err error) {
	waiting, err := s.wait()
	if err != nil {
		return false, err
	}
	if waiting != nil {
		defer waiting.Close()
		waiting.Says("a program that asks to lead, at " + s.socket)
	}
	return programs.Wait(ctx) == nil && ctx.Err() == nil, nil
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
