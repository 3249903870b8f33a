package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/spec"
)

// groupsResult is what was measured of a program that runs many groups. All times but those that say so are in milliseconds.
type groupsResult struct {
	Program string `json:"program"`
	Members string `json:"members"` // "fixed" or "changing"
	Profile string `json:"profile"`
	Nodes   int    `json:"nodes"`
	Groups  int    `json:"groups"`

	Cold   float64 `json:"cold_s"` // from the start of the processes until all groups are led, as planned, and all nodes know
	Spread float64 `json:"spread"` // the largest difference from an even share, in parts of it

	CPU       float64 `json:"cpu"`           // idle: of one core, of the node that takes most; here and below
	Resident  float64 `json:"resident"`      // bytes
	Frames    float64 `json:"frames"`        // a second, of a node
	FramesOne float64 `json:"frames_of_one"` // … if each node led one group: with one, of all nodes together, of which one leads
	Bytes     float64 `json:"bytes"`         // a second, of a node
	Steps     float64 `json:"steps"`         // a second, of a node
	Changes   uint64  `json:"changes"`       // of who leads what: the nodes were not idle, as the machine did too much else, or the profile is too fast for it

	Kills []groupsKill `json:"kills"`

	Added *groupsAdded `json:"added,omitempty"`

	Stuck string `json:"stuck,omitempty"` // of another program: what it did not do in time, with which its measurement ended
}

// groupsKill is what came of kill -9 of the node that led most. Times are from then on.
type groupsKill struct {
	Led   int     `json:"led"`      // by it
	Proof float64 `json:"proof_ms"` // until the first node had a proof of its death; 0 if it says nothing of that
	First float64 `json:"first_ms"` // until the first of its groups had another leader
	All   float64 `json:"all_ms"`   // … until the last had
	Saves uint64  `json:"saves"`    // of the node that saved most often
	Back  float64 `json:"back_s"`   // from its next start until all is as planned again; 0 if it was not started
}

// groupsAdded is what came of adding a node. Times are from the request on.
type groupsAdded struct {
	Said  float64 `json:"said_s"` // until the cluster's own election has it
	Has   float64 `json:"has_s"`  // … until all groups have it, at all nodes
	Led   float64 `json:"led_s"`  // … until all is as planned
	Moved int     `json:"moved"`  // groups
	Saves uint64  `json:"saves"`  // of the node that saved most often
}

// groupsOf measures nodes of many groups.
func (p program) groupsOf(ctx context.Context, f benchFlags) error {
	sizes, err := f.sizes("5")
	if err != nil {
		return err
	}
	f.profiles = cmp.Or(f.profiles, "wan")
	members := strings.Split(f.members, ",")
	switch _, known := profileOf(f.profiles); {
	case f.looks <= 0:
		return cli.Usage("-for must be above 0")
	case f.groups < 1:
		return cli.Usage(fmt.Sprintf("-groups: %d is not 1 or more", f.groups))
	case f.kills < 0:
		return cli.Usage(fmt.Sprintf("-kills: %d is not 0 or more", f.kills))
	case !known:
		return cli.Usage(fmt.Sprintf("-profile: there is none of the name %q", f.profiles))
	case slices.ContainsFunc(members, func(m string) bool { return m != "fixed" && m != "changing" }):
		return cli.Usage(fmt.Sprintf("-members %q: say fixed, changing, or both with a comma between", f.members))
	case f.command != "":
		return cli.Usage("-command is of other measurements: give other programs with -against")
	}
	self, err := findProgram("workbench")
	if err != nil {
		return err
	}
	var results []groupsResult
	for _, n := range sizes {
		for _, kind := range members {
			r, err := p.measureGroups(ctx, &f, groupsCluster{command: []string{self, "node", "-groups"}, ours: true, changing: kind == "changing", nodes: n, waits: waitsForOurs})
			if err != nil {
				return err
			}
			results = append(results, r)
		}
		for _, given := range f.against {
			command := strings.Fields(given)
			if len(command) == 0 {
				return cli.Usage("-against needs a command line")
			}
			r, err := p.measureGroups(ctx, &f, groupsCluster{command: command, nodes: n, waits: waitsForOthers})
			if err != nil {
				return err
			}
			results = append(results, r)
		}
	}
	p.Clear()
	if f.json {
		return p.JSON(struct {
			machine
			Groups []groupsResult `json:"groups"`
		}{thisMachine(), results})
	}
	return p.printGroups(results)
}

// measureGroups measures one program, with one group and with all.
func (p program) measureGroups(ctx context.Context, f *benchFlags, c groupsCluster) (r groupsResult, err error) {
	r = groupsResult{Program: shortName(c.command), Members: "fixed", Profile: f.profiles, Nodes: c.nodes, Groups: f.groups}
	if c.ours {
		r.Program = "bully"
	}
	if c.changing {
		r.Members = "changing"
	}
	c.profile, c.dir, c.log, c.every, c.settles = f.profiles, f.dir, p.Log, p.Every(), min(f.looks, mostSettling)
	as := fmt.Sprintf("%s, %s members, %d nodes", r.Program, r.Members, c.nodes)
	measure := func(groups int, of func(c *groupsCluster) error) (err error) {
		c := c
		c.groups, c.say = groups, func(text string) { p.Progress(as + ": " + text) }
		defer func() { err = errors.Join(err, c.end()) }()
		began := time.Now()
		if err := c.found(ctx); err != nil {
			return err
		}
		plan := c.plan(c.nodes, 0)
		now, err := c.awaits(ctx, "cold start", func(all map[int]groupsReport) bool { return c.led(all, plan) })
		if err != nil {
			return err
		}
		r.Cold = now.Sub(began).Seconds()
		return of(&c)
	}
	var one groupsResult
	if c.ours {
		if err := measure(1, func(c *groupsCluster) error { return c.idle(ctx, f.looks, &one) }); err != nil {
			return r, fmt.Errorf("%s, one group: %w", as, err)
		}
	}
	err = measure(f.groups, func(c *groupsCluster) error {
		if err := c.idle(ctx, f.looks, &r); err != nil {
			return err
		}
		r.FramesOne = one.FramesOne
		for range f.kills {
			if err := c.measureKill(ctx, &r); err != nil || !c.ours { // others are not started again
				return err
			}
		}
		if c.changing {
			return c.measureAdded(ctx, &r)
		}
		return nil
	})
	var late errNotInTime
	if !c.ours && errors.As(err, &late) {
		r.Stuck, err = late.Error(), nil
	}
	if err != nil {
		return r, fmt.Errorf("%s, %d groups: %w", as, f.groups, err)
	}
	return r, nil
}

// mostSettling is how long is waited at most for what came before to be over, and for what comes of a kill: to ask is work for a node, and would hold it up.
const mostSettling = 3 * time.Second

// sleep waits, unless ctx ends before.
func sleep(ctx context.Context, long time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(long):
		return nil
	}
}

// idle measures what nodes take that have nothing to do.
func (c *groupsCluster) idle(ctx context.Context, looks time.Duration, r *groupsResult) error {
	c.say(fmt.Sprintf("idle for %v", looks))
	if err := sleep(ctx, c.settles); err != nil {
		return err
	}
	began := time.Now()
	before, err := c.askAll(began)
	if err == nil {
		err = sleep(ctx, looks)
	}
	if err != nil {
		return err
	}
	long := time.Since(began).Seconds()
	after, err := c.askAll(began)
	if err != nil {
		return err
	}
	even := float64(c.groups) / float64(c.nodes)
	for id, is := range after {
		was := before[id]
		r.Changes += is.Status.Changes - was.Status.Changes
		per := func(now, then uint64) float64 { return float64(now-then) / long }
		r.CPU = max(r.CPU, (is.CPU-was.CPU).Seconds()/long)
		r.Resident = max(r.Resident, float64(is.ResidentBytes))
		frames := per(is.Status.Bundles, was.Status.Bundles)
		r.Frames, r.FramesOne = max(r.Frames, frames), r.FramesOne+frames
		r.Bytes = max(r.Bytes, per(is.Status.Bytes, was.Status.Bytes))
		r.Steps = max(r.Steps, per(is.Status.Steps, was.Status.Steps))
		r.Spread = max(r.Spread, math.Abs(float64(is.Leading)-even)/even)
	}
	return nil
}

// measureKill kills the node that leads most, sees who leads then, and starts it again. All groups are led at the kill,
// even if a pause has cost reigns since the cold start.
func (c *groupsCluster) measureKill(ctx context.Context, r *groupsResult) error {
	var before map[int]groupsReport
	_, err := c.awaits(ctx, "before a kill", func(all map[int]groupsReport) bool {
		before = all
		return c.led(all, c.plan(c.nodes, 0))
	})
	if err != nil {
		return err
	}
	dead, leads := most(before)
	k := groupsKill{Led: leads}
	at := time.Now()
	c.kill(dead)
	c.say(fmt.Sprintf("node %d is killed, which led %d", dead, leads))
	if err := sleep(ctx, c.settles); err != nil {
		return err
	}
	plan := c.plan(c.nodes, dead)
	if _, err := c.awaits(ctx, "after a kill", func(all map[int]groupsReport) bool { return c.led(all, plan) }); err != nil {
		return err
	}
	after, err := c.askAll(at)
	if err != nil {
		return err
	}
	k.First = math.Inf(1)
	for id, is := range after {
		if is.Leads > 0 {
			k.First, k.All = min(k.First, ms(is.First)), max(k.All, ms(is.Last))
		}
		if proof := ms(is.Proof); proof > 0 && (k.Proof == 0 || proof < k.Proof) {
			k.Proof = proof
		}
		k.Saves = max(k.Saves, is.Status.Saves-before[id].Status.Saves)
	}
	if math.IsInf(k.First, 1) {
		return errors.New("no group has come to be led by another node")
	}
	if c.ours {
		again := time.Now()
		if err := c.start(ctx, dead); err != nil {
			return err
		}
		plan := c.plan(c.nodes, 0)
		now, err := c.awaits(ctx, "after its next start", func(all map[int]groupsReport) bool { return c.led(all, plan) })
		if err != nil {
			return err
		}
		k.Back = now.Sub(again).Seconds()
	}
	r.Kills = append(r.Kills, k)
	return nil
}

// measureAdded adds a node to the cluster, and waits until all groups have it, and until they are led as is planned then.
func (c *groupsCluster) measureAdded(ctx context.Context, r *groupsResult) error {
	id := c.nodes + 1
	if err := c.join(ctx, id, spec.EmptyConfiguration()); err != nil {
		return err
	}
	if _, err := c.ask(id, time.Now()); err != nil { // it listens by then
		return err
	}
	before, err := c.askAll(time.Now())
	if err != nil {
		return err
	}
	c.say(fmt.Sprintf("node %d is added", id))
	at := time.Now()
	if err := c.add(ctx, id); err != nil {
		return err
	}
	a := &groupsAdded{Said: time.Since(at).Seconds()}
	now, err := c.awaits(ctx, fmt.Sprintf("node %d comes to be a member of each", id), func(all map[int]groupsReport) bool {
		for _, one := range all {
			if one.Has[id] != c.groups {
				return false
			}
		}
		return true
	})
	if err != nil {
		return err
	}
	a.Has = now.Sub(at).Seconds()
	plan := c.plan(id, 0)
	if now, err = c.awaits(ctx, fmt.Sprintf("node %d comes to lead", id), func(all map[int]groupsReport) bool { return c.led(all, plan) }); err != nil {
		return err
	}
	a.Led, a.Moved = now.Sub(at).Seconds(), plan[id]
	after, err := c.askAll(at)
	for one, is := range after {
		a.Saves = max(a.Saves, is.Status.Saves-before[one].Status.Saves)
	}
	r.Added = a
	return err
}

// add asks one member after the other to add a node, until one does: there may be no leader just now.
func (c *groupsCluster) add(ctx context.Context, id int) error {
	at, problem := time.Now(), ""
	for time.Since(at) < c.waits {
		for member := 1; member <= c.nodes; member++ {
			said, err := c.ask(member, at, strconv.Itoa(id), c.addresses[id-1])
			if err != nil {
				return err
			}
			if problem = said.Problem; problem == "" {
				return nil
			}
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	return fmt.Errorf("node %d is not added after %v: %s", id, c.waits, problem)
}

// printGroups prints the table.
func (p program) printGroups(results []groupsResult) error {
	w := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "program\tmembers\tnodes\tgroups\tprofile\tcold s\tspread\tCPU % of a core\tRSS MiB\tframes/s\tif one each\tled\tproof ms\tfirst ms\tall ms\tsaves\tback s")
	for i := range results {
		r := &results[i]
		_, _ = fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%.1f\t%.1f %%\t%.1f\t%.0f\t%s\t%s", r.Program, r.Members, r.Nodes, r.Groups, r.Profile, r.Cold, 100*r.Spread, 100*r.CPU, r.Resident/(1<<20),
			counted(r.Frames, 1), counted(r.FramesOne, 1))
		for j, k := range r.Kills {
			if j > 0 {
				_, _ = fmt.Fprint(w, "\n", strings.Repeat("\t", 10))
			}
			_, _ = fmt.Fprintf(w, "\t%d\t%s\t%.1f\t%.1f\t%s\t%s", k.Led, counted(k.Proof, 1), k.First, k.All, counted(float64(k.Saves), 0), counted(k.Back, 1))
		}
		_, _ = fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, r := range results {
		if r.Changes > 0 {
			_, _ = fmt.Fprintf(p.Out, "\nNot idle: with %s members the leader of a group was told anew %d times meanwhile. The machine does too much else, or the profile is too fast for it.\n", r.Members, r.Changes)
		}
		if r.Stuck != "" {
			_, _ = fmt.Fprintf(p.Out, "\n%s: %s.\n", r.Program, r.Stuck)
		}
		if a := r.Added; a != nil {
			_, _ = fmt.Fprintf(p.Out, "\nOne node more: the cluster has it after %.1f s, all groups after %.1f s, and all %d that it is to lead are led by it after %.1f s, with %d saves a node.\n", a.Said, a.Has, a.Moved, a.Led, a.Saves)
		}
	}
	_, err := fmt.Fprintf(p.Out, "\n%s.\n", thisMachine())
	return err
}
