package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

const measureHelp = `
Says which timer profiles this machine can keep. Run it where a node is to run, with -data on the disk that the node will have, and with
addresses of the other machines; best for an hour in which the machine does what it does at its worst. It looks at how late this process is
woken, how long the disk takes to keep a promise, and how long a connection to each address takes. An address need not be one of a
node: a port that refuses is an answer too. It makes a folder in that of -data, and removes it.

A profile has a Delay, in which a promise must be on disk, a message be there, and who takes it be awake. What was longest of each,
added up, must be less than that. Half as much again is to spare in the delay that it proposes: -profile takes a delay too.

It exits with 0 if the profile that -profile names, or any, can be kept, and with 1 if not.

`

// measured is what was longest.
type measured struct {
	late  longest
	save  longest
	there map[string]longest // and back, by address
}

// longest is the longest of some lengths of time.
type longest struct {
	time time.Duration
	of   int // how many there were
}

func (l *longest) note(d time.Duration) { l.time, l.of = max(l.time, d), l.of+1 }

// needed returns the Delay that the longest of all would have needed, had they come together.
func (m *measured) needed() time.Duration {
	var way time.Duration
	for _, there := range m.there {
		way = max(way, there.time/2)
	}
	return m.late.time + m.save.time + way
}

// proposed returns a delay with half as much again to spare, in whole milliseconds.
func (m *measured) proposed() time.Duration {
	return (m.needed() * 3 / 2).Truncate(time.Millisecond) + time.Millisecond
}

// measurement is what bully measure is told.
type measurement struct {
	data, profile string
	time          time.Duration
	addresses     []string
}

// measure says which profiles this machine can keep.
func measure(ctx context.Context, p program, args []string) error {
	m := measurement{}
	flags := p.Flags("measure")
	flags.StringVar(&m.data, "data", "", "a `folder` on the disk that the record of the node will be on; it must be there")
	flags.DurationVar(&m.time, "for", time.Minute, "look for this `time`")
	flags.StringVar(&m.profile, "profile", "", "exit with 1 unless this `profile` can be kept: local, lan, busy, wan, or a delay such as 30ms (default: any)")
	if err := p.ParseSome(flags, args, cli.Manual{Arguments: " [host:port…]", Text: measureHelp}); err != nil {
		return err
	}
	m.addresses = flags.Args()
	for _, address := range m.addresses {
		if problem := transport.CheckAddress(address); problem != "" {
			return cli.Usage(problem)
		}
	}
	profiles := policy.Profiles()
	if m.profile != "" {
		timing, err := profileNamed(m.profile)
		if err != nil {
			return err
		}
		profiles = []policy.Profile{{Name: m.profile, Timing: timing}}
	}
	switch {
	case m.data == "":
		return cli.Usage("-data is missing: give a folder on the disk that the node will have, as in -data /var/lib/bully")
	case m.time <= 0:
		return cli.Usage(fmt.Sprintf("-for: %v is no time to look for", m.time))
	}
	keepSmall() // as a node
	found, err := m.run(ctx)
	if err != nil {
		return err
	}
	return found.print(p.Out, m.time, profiles)
}

// How often each thing is looked at.
const (
	wakeEvery = time.Millisecond
	saveEvery = 20 * time.Millisecond
	dialEvery = 100 * time.Millisecond
	dialMost  = 5 * time.Second
)

// run looks at all of it at the same time.
func (m *measurement) run(ctx context.Context) (*measured, error) {
	folder, err := os.MkdirTemp(m.data, "measure-")
	if err != nil {
		return nil, fmt.Errorf("-data: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, m.time)
	defer cancel()
	found := &measured{there: map[string]longest{}}
	ways := make([]longest, len(m.addresses))
	problems := make([]error, len(m.addresses)+1)
	var looking sync.WaitGroup
	looking.Go(func() { problems[len(m.addresses)] = watchDisk(ctx, folder, &found.save) })
	for i, address := range m.addresses {
		looking.Go(func() { problems[i] = watchWay(ctx, address, &ways[i]) })
	}
	watchWaking(ctx, &found.late)
	looking.Wait()
	for i, address := range m.addresses {
		found.there[address] = ways[i]
	}
	return found, errors.Join(append(problems, os.RemoveAll(folder))...)
}

// watchWaking notes how late this process is woken, at least once.
func watchWaking(ctx context.Context, late *longest) {
	for {
		began := time.Now()
		time.Sleep(wakeEvery)
		late.note(time.Since(began) - wakeEvery)
		if ctx.Err() != nil {
			return
		}
	}
}

// each does something at once, and then again and again until ctx ends, or it fails.
func each(ctx context.Context, every time.Duration, do func() error) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		if err := do(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// watchDisk notes how long it takes to keep a promise, by keeping some.
func watchDisk(ctx context.Context, folder string, save *longest) (err error) {
	one := spec.IntegerID(1)
	store, err := storage.Open(folder, one, []spec.NodeID{one})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	promise := spec.Durable{}
	return each(ctx, saveEvery, func() error {
		promise.Epoch++
		began := time.Now()
		err := store.Save(promise)
		save.note(time.Since(began))
		return err
	})
}

// watchWay notes how long it takes until another machine has answered.
func watchWay(ctx context.Context, address string, there *longest) error {
	return each(ctx, dialEvery, func() error {
		began := time.Now()
		conn, err := net.DialTimeout("tcp", address, dialMost)
		took := time.Since(began)
		switch {
		case err == nil:
			_ = conn.Close()
		case !errors.Is(err, syscall.ECONNREFUSED):
			return fmt.Errorf("%s does not answer: %w", address, err)
		}
		there.note(took)
		return nil
	})
}

// print says what was found, and which profiles that allows.
func (m *measured) print(out io.Writer, looked time.Duration, profiles []policy.Profile) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(what string, l longest) {
		_, _ = fmt.Fprintf(w, "%s\t%v\tthe longest of %d\n", what, l.time.Round(10*time.Microsecond), l.of)
	}
	row("woken late by", m.late)
	row("disk", m.save)
	for _, address := range slices.Sorted(maps.Keys(m.there)) {
		row(address+" and back", m.there[address])
	}
	needed := m.needed()
	_, _ = fmt.Fprintf(w, "needed\t%v\tin %v\n\t\t\n", needed.Round(10*time.Microsecond), looked)
	kept := false
	for _, profile := range profiles {
		keeps := "cannot be kept"
		if needed < profile.Timing.Delay {
			keeps, kept = "can be kept", true
		}
		_, silent := profile.Timing.Failover()
		_, _ = fmt.Fprintf(w, "-profile %s\t%v\t%s; a leader that falls silent is followed within %v\n", profile.Name, profile.Timing.Delay, keeps, silent.Round(time.Millisecond))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	delay := m.proposed()
	if policy.TimingFor(delay).Validate() == nil {
		_, _ = fmt.Fprintf(out, "\nWith half as much again to spare: -profile %v, the same at every node. Take the longest that any of the machines says.\n", delay)
	}
	if !kept {
		return errors.New("this machine cannot keep it: it was held up for longer than the delay of the profile")
	}
	return nil
}
