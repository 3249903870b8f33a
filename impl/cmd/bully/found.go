package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	library "github.com/seed-fdf591db/bully/impl"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/spec"
)

// ordinal replaces the id ordinal by that which the name of this host has: that of the environment, which a container is given, or else
// that of the system.
func (p program) ordinal(id *string) error {
	if *id != "ordinal" {
		return nil
	}
	name := ""
	if p.Getenv != nil {
		name = p.Getenv("HOSTNAME")
	}
	var err error
	if name == "" {
		if name, err = os.Hostname(); err != nil {
			return fmt.Errorf("-id ordinal: %w", err)
		}
	}
	if *id, err = library.OrdinalID(name); err != nil {
		return cli.Usage(fmt.Sprintf("-id ordinal: the name of this host: %s", strings.TrimPrefix(err.Error(), "bully: ")))
	}
	return nil
}

// searched reads the flags that say where the members are found.
func (s *settings) searched() error {
	if s.expect == 0 {
		return cli.Usage("-expect is missing: say how many members there are, as in -expect 3, so that no node begins without the others")
	}
	s.search = &library.Search{Where: s.nodeFlags.members, Expect: s.expect, ID: s.id.String(), Folder: s.data}
	if err := s.search.Validate(); err != nil {
		return cli.Usage(fmt.Sprintf("-members and -expect: %s", strings.TrimPrefix(err.Error(), "bully: ")))
	}
	return nil
}

// waiting returns what answers for the node while that is not to run.
func (s *settings) waiting() *web.Waiting {
	return web.NewWaiting(func() host.Status { return host.Status{ID: s.id, Stopped: true, Guard: s.guard.Status()} }, s.cluster, cli.Revision())
}

// wait answers at -http, if that is given, for a node that is not to run yet, and tells systemd that all is well. It is closed when the wait is
// over.
func (s *settings) wait(why string) (says func(string), closed func(), err error) {
	waiting := s.waiting()
	waiting.Says(why)
	if s.http != "" {
		listener, err := net.Listen("tcp", s.http)
		if err != nil {
			return nil, nil, fmt.Errorf("-http: %w", err)
		}
		waiting.Serve(listener)
	}
	stop := eachSecond(s.guard.Stays)
	return waiting.Says, func() {
		waiting.Close()
		stop()
	}, nil
}

// eachSecond does something now, and each second, until stop is called.
func eachSecond(do func()) (stop func()) {
	over, doing := make(chan struct{}), sync.WaitGroup{}
	doing.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			do()
			select {
			case <-tick.C:
			case <-over:
				return
			}
		}
	})
	return func() {
		close(over)
		doing.Wait()
	}
}

// find finds the members, if DNS names them, and answers by HTTP meanwhile. It reports whether the node is to run: not if it was told to
// stop before.
func (p program) find(ctx context.Context, s *settings) (bool, error) {
	if s.search == nil {
		return true, nil
	}
	s.search.Logger = newLogger(p.Log, *s).With(slog.String("node", s.id.String()))
	says, closed, err := s.wait("members")
	if err != nil {
		return false, err
	}
	defer closed()
	s.search.Waits = says
	s.found, err = library.FindMembers(ctx, *s.search)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	s.addresses = map[spec.NodeID]string{}
	for text, address := range s.found.Members {
		id, err := spec.ParseNodeID(text)
		if err != nil {
			return false, err
		}
		s.addresses[id] = address
	}
	s.members = slices.SortedFunc(maps.Keys(s.addresses), spec.NodeID.Compare)
	return true, nil
}
