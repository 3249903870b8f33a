package localcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Usage is what a node has used of this machine.
type Usage struct {
	CPU      time.Duration // time on a processor since its process was started, all threads together
	Resident int64         // bytes of memory that it has now (RSS)
	Private  int64         // of these, those that are of no file, such as its program, which other processes have too
	Peak     int64         // the most that it ever had
}

// Usage returns what a node has used. It needs /proc, so Linux.
func (c *Cluster) Usage(id int) (Usage, error) {
	pid, err := c.PID(id)
	if err != nil {
		return Usage{}, err
	}
	u, err := usage(filepath.Join("/proc", strconv.Itoa(pid)))
	if err != nil {
		return Usage{}, fmt.Errorf("what node %d uses: %w", id, err)
	}
	return u, nil
}

// usage reads what a process has used from its folder in /proc.
func usage(folder string) (Usage, error) {
	// The first number of schedstat is nanoseconds; stat would count in hundredths of a second.
	threads, err := filepath.Glob(filepath.Join(folder, "task", "*", "schedstat"))
	if err != nil {
		return Usage{}, err
	}
	if len(threads) == 0 {
		return Usage{}, fmt.Errorf("%s does not tell: that needs Linux, with schedstat", folder)
	}
	var u Usage
	for _, name := range threads {
		text, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue // The thread has ended meanwhile.
		}
		if err != nil {
			return Usage{}, err
		}
		first, _, _ := strings.Cut(string(text), " ") // of three numbers
		ns, err := strconv.ParseInt(first, 10, 64)
		if err != nil {
			return Usage{}, fmt.Errorf("%s: %w", name, err)
		}
		u.CPU += time.Duration(ns)
	}
	text, err := os.ReadFile(filepath.Join(folder, "status"))
	if err != nil {
		return Usage{}, err
	}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		into, is := map[string]*int64{"VmRSS": &u.Resident, "RssAnon": &u.Private, "VmHWM": &u.Peak}[key]
		if !is {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			return Usage{}, fmt.Errorf("%s: %w", key, err)
		}
		*into = kib << 10
	}
	return u, nil
}

// Idle is what a node uses while nothing happens.
type Idle struct {
	Node     int     `json:"node"`
	Leading  bool    `json:"leading"`
	CPU      float64 `json:"cpu"`      // the part of a processor's time: 0.01 is one percent
	Resident int64   `json:"resident"` // bytes of memory at the end
	Private  int64   `json:"private"`  // of these, those that are of no file
	Peak     int64   `json:"peak"`     // the most bytes of memory that it ever had
	Sent     float64 `json:"sent"`     // messages a second
}

// MeasureIdle starts a cluster, waits until all agree and a second more, and measures what each node uses in the
// time that follows. It needs /proc, so Linux.
func MeasureIdle(ctx context.Context, config Config, d time.Duration) ([]Idle, error) {
	c, err := New(config)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	if err := c.Start(); err != nil {
		return nil, err
	}
	if _, err := c.Agree(ctx, 0, c.IDs()...); err != nil {
		return nil, err
	}
	if err := sleep(ctx, time.Second); err != nil {
		return nil, err
	}
	return c.Idle(ctx, d)
}

// Idle measures what each node uses from now on for a time d.
func (c *Cluster) Idle(ctx context.Context, d time.Duration) ([]Idle, error) {
	type sample struct {
		at   time.Time
		used Usage
		sent uint64
	}
	look := func() (all []sample, err error) {
		for _, id := range c.IDs() {
			counters, err := c.counted(ctx, []int{id})
			if err != nil {
				return nil, err
			}
			used, err := c.Usage(id)
			if err != nil {
				return nil, err
			}
			s := sample{at: time.Now(), used: used}
			for _, n := range counters.Sent {
				s.sent += n
			}
			all = append(all, s)
		}
		return all, nil
	}
	before, err := look()
	if err != nil {
		return nil, err
	}
	if err := sleep(ctx, d); err != nil {
		return nil, err
	}
	after, err := look()
	if err != nil {
		return nil, err
	}
	view := c.View()
	var all []Idle
	for i, a := range after {
		b := before[i]
		took := a.at.Sub(b.at)
		all = append(all, Idle{Node: i + 1, Leading: view.Nodes[i].Leading, CPU: float64(a.used.CPU-b.used.CPU) / float64(took),
			Resident: a.used.Resident, Private: a.used.Private, Peak: a.used.Peak, Sent: float64(a.sent-b.sent) / took.Seconds()})
	}
	return all, nil
}
