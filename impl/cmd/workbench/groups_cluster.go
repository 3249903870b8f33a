package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	library "github.com/seed-fdf591db/bully/impl"
	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec"
)

// groupsCluster is a cluster of nodes of many groups, each a process of its own, with a folder and connections on loopback.
type groupsCluster struct {
	command   []string
	ours      bool // it says what it leads as planned, and counts
	changing  bool
	profile   string
	groups    int
	nodes     int // that it is founded with; one more has a place
	dir       string
	addresses []string
	release   []func()
	all       map[int]*groupsNode // that run, by their ids
	say       func(text string)   // how far it is
	every     time.Duration       // … so often, if it is waited for
	settles   time.Duration       // how long is waited before it is asked how it is
	waits     time.Duration       // … until it is as it is to be
	log       io.Writer
}

// groupsNode is a node that runs.
type groupsNode struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// How long is waited for groups to be led: by our own program, which is to come to an end of it, and by others, of which is written down how far they came.
const waitsForOurs, waitsForOthers = 10 * time.Minute, 2 * time.Minute

// errNotInTime is what did not come while it was waited for.
type errNotInTime string

func (e errNotInTime) Error() string { return string(e) }

// found makes the folders of a cluster, and starts its nodes.
func (c *groupsCluster) found(ctx context.Context) (err error) {
	c.all = map[int]*groupsNode{}
	if c.dir, err = os.MkdirTemp(c.dir, "bench-groups-"); err != nil {
		return err
	}
	var first []spec.Member
	for i := range c.nodes + 1 {
		address, release, err := localcluster.Reserve()
		if err != nil {
			return err
		}
		c.addresses, c.release = append(c.addresses, address), append(c.release, release)
		if i < c.nodes {
			first = append(first, spec.Member{ID: spec.IntegerID(uint64(i + 1)), Kind: spec.Voter, Address: address})
		}
	}
	founders, err := spec.NewConfiguration(0, 1, first)
	if err != nil {
		return err
	}
	for id := 1; id <= c.nodes; id++ {
		if err := c.join(ctx, id, founders); err != nil {
			return err
		}
	}
	return nil
}

// membersOf returns the ids of so many nodes.
func membersOf(n int) (all []spec.NodeID) {
	for i := range n {
		all = append(all, spec.IntegerID(uint64(i+1)))
	}
	return all
}

// folder returns where a node keeps what it has.
func (c *groupsCluster) folder(id int) string { return filepath.Join(c.dir, fmt.Sprint(id)) }

// join has a node begin, with whom the cluster was founded; or, if that is nobody, wait until it is added.
func (c *groupsCluster) join(ctx context.Context, id int, founders spec.Configuration) error {
	if c.changing {
		self := storage.Identity{ID: spec.IntegerID(uint64(id)), Cluster: "bench", Incarnation: storage.NewIncarnation()}
		if err := errors.Join(storage.Init(c.folder(id), self, founders), library.KeepAddress(c.folder(id), c.addresses[id-1], membersOf(c.nodes)...)); err != nil {
			return err
		}
	}
	return c.start(ctx, id)
}

// start starts a node, for the first time or again.
func (c *groupsCluster) start(ctx context.Context, id int) error {
	n := &groupsNode{command: exec.CommandContext(ctx, c.command[0], c.command[1:]...)}
	said := fmt.Sprintf("%s=%d %s %s %d", nodeOfGroups, id, c.folder(id), c.profile, c.groups)
	if !c.changing {
		said += " " + strings.Join(c.addresses[:c.nodes], " ")
	}
	n.command.Env, n.command.Stderr, n.command.SysProcAttr = append(os.Environ(), said), c.log, dieTogether()
	out, err := n.command.StdoutPipe()
	if err != nil {
		return err
	}
	if n.in, err = n.command.StdinPipe(); err != nil {
		return err
	}
	if err := n.command.Start(); err != nil {
		return fmt.Errorf("node %d: %w", id, err)
	}
	n.out = bufio.NewReader(out)
	c.all[id] = n
	return nil
}

// kill kills a node, as kill -9 does.
func (c *groupsCluster) kill(id int) {
	n := c.all[id]
	delete(c.all, id)
	_ = n.command.Process.Kill() // it is to end, and has if this fails
	_ = n.command.Wait()
	_ = n.in.Close()
}

// end ends all, and takes away what they had.
func (c *groupsCluster) end() error {
	for id := range c.all {
		c.kill(id)
	}
	for _, release := range c.release {
		release()
	}
	return os.RemoveAll(c.dir)
}

// ask asks a node what came since a moment; and before that to add a node that listens at an address.
func (c *groupsCluster) ask(id int, since time.Time, added ...string) (r groupsReport, err error) {
	question := strings.TrimSpace(fmt.Sprintf("%d %s", since.UnixNano(), strings.Join(added, " ")))
	if _, err = fmt.Fprintln(c.all[id].in, question); err == nil {
		var line []byte
		if line, err = c.all[id].out.ReadBytes('\n'); err == nil {
			err = json.Unmarshal(line, &r)
		}
	}
	if err != nil {
		err = fmt.Errorf("node %d of %s does not answer: %w", id, strings.Join(c.command, " "), err)
	}
	return r, err
}

// askAll asks all nodes that run what came since a moment.
func (c *groupsCluster) askAll(since time.Time) (map[int]groupsReport, error) {
	all := map[int]groupsReport{}
	for id := range c.all {
		r, err := c.ask(id, since)
		if err != nil {
			return nil, err
		}
		all[id] = r
	}
	return all, nil
}

// plan returns who is to lead how many groups, of so many nodes of which one is down, or none is.
func (c *groupsCluster) plan(nodes, down int) map[int]int {
	var without []spec.NodeID
	if down > 0 {
		without = append(without, spec.IntegerID(uint64(down)))
	}
	plan := groups.Placement{Members: membersOf(nodes)}.Plan(namesOfGroups(c.groups), without...)
	counts := map[int]int{}
	for id := range c.all {
		counts[id] = len(plan[spec.IntegerID(uint64(id))])
	}
	return counts
}

// awaits asks the nodes again and again until what they say is so, and returns when it was: at most that much too late as is between two questions. What says what is waited for.
func (c *groupsCluster) awaits(ctx context.Context, what string, is func(all map[int]groupsReport) bool) (time.Time, error) {
	// To answer for ten thousand groups is work too.
	between := time.NewTicker(max(50*time.Millisecond, time.Duration(c.groups)*25*time.Microsecond))
	defer between.Stop()
	began := time.Now()
	for said := began; ; {
		all, err := c.askAll(began)
		now := time.Now()
		if err != nil || is(all) {
			return now, err
		}
		led := 0
		for _, r := range all {
			led += r.Leading
		}
		if now.Sub(said) >= c.every {
			said = now
			c.say(fmt.Sprintf("%s: %d of %d groups are led", what, led, c.groups))
		}
		if now.Sub(began) > c.waits {
			return now, errNotInTime(fmt.Sprintf("%s: %d of %d groups are led after %v", what, led, c.groups, c.waits))
		}
		select {
		case <-ctx.Done():
			return now, ctx.Err()
		case <-between.C:
		}
	}
}

// led reports whether all groups are led, and all nodes know by whom: if they are ours, as it is planned, if a plan is given.
func (c *groupsCluster) led(all map[int]groupsReport, plan map[int]int) bool {
	led := 0
	for id, r := range all {
		led += r.Leading
		if r.Known != c.groups || c.ours && plan != nil && r.Leading != plan[id] {
			return false
		}
	}
	return led == c.groups
}

// most returns who leads most, and how many.
func most(all map[int]groupsReport) (id, leads int) {
	for one, r := range all {
		if r.Leading > leads || r.Leading == leads && one > id {
			id, leads = one, r.Leading
		}
	}
	return id, leads
}
