package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"

	library "github.com/seed-fdf591db/bully/impl"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/spec"
)

const nodeHelp = `
Runs a node in a program that has so much memory, as one does that embeds the host in a large service. It is what workbench bench failover -ballast
measures, and listens on this machine alone.

`

// mostBallast is the most memory that a node is given, in MiB.
const mostBallast = 1 << 16

// largeNode runs a node in a process of a given size.
func largeNode(ctx context.Context, p program, args []string) error {
	var id, members, data, http string
	var ballast int
	flags := p.Flags("node")
	flags.StringVar(&id, "id", "", "the `id` of this node")
	flags.StringVar(&members, "members", "", "all nodes, `id=host:port,…`")
	flags.StringVar(&data, "data", "", "keep the record in this `folder`")
	flags.StringVar(&http, "http", "", "serve the HTTP face at this `address`")
	flags.IntVar(&ballast, "ballast", 0, "so many `MiB` of memory that is touched, and stays")
	if err := p.ParseSome(flags, args, cli.Manual{Text: nodeHelp}); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return cli.Usage(fmt.Sprintf("unexpected argument %q", flags.Arg(0)))
	case ballast < 0 || ballast > mostBallast:
		return cli.Usage(fmt.Sprintf("-ballast: %d is not from 0 to %d", ballast, mostBallast))
	case data == "" || http == "":
		return cli.Usage("-data and -http are needed")
	}
	addresses := map[string]string{}
	for one := range strings.SplitSeq(members, ",") {
		member, address, _ := strings.Cut(one, "=")
		addresses[member] = address
	}
	self, err := spec.ParseNodeID(id)
	if err != nil {
		return cli.Usage(fmt.Sprintf("-id: %v", err))
	}
	memory := touched(ballast)
	defer runtime.KeepAlive(memory)
	return serveNode(ctx, self, http, library.Config{Folder: data, ID: id, Cluster: "bench", Members: addresses, Insecure: true})
}

// touched returns memory that the kernel has given to this process, so many MiB of it.
func touched(size int) []byte {
	memory := make([]byte, size<<20)
	for at := 0; at < len(memory); at += os.Getpagesize() {
		memory[at] = 1
	}
	return memory
}

// serveNode runs a node with an HTTP face until ctx ends.
func serveNode(ctx context.Context, self spec.NodeID, http string, c library.Config) error {
	events := web.NewEvents(self, nil)
	c.Timing = host.LAN()
	c.Timing.Preempt = -1 // as the other nodes that are measured
	c.Host = func(h *host.Config) { h.Clock, h.Metrics, h.Trace = host.KernelClock{}, events, events }
	node, err := library.Open(c)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", http)
	if err != nil {
		return errors.Join(err, node.Close())
	}
	server, err := web.New(web.Config{Node: node, Events: events, Cluster: c.Cluster, Stats: node.Links().Stats, Version: cli.Revision()})
	if err != nil {
		return errors.Join(err, listener.Close(), node.Close())
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) }) // its end is the end of the node, or shows in what is measured
	err = errors.Join(node.Run(ctx), server.Close())
	serving.Wait()
	return err
}
