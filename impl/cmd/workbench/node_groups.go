package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// nodeOfGroups is set in the environment of a node of many groups: its id, folder, profile, number of groups, and the addresses of all nodes; without those its members change. Programs that are measured
// beside ours are told the same: see impl/baselines/groups.
const nodeOfGroups = "BULLY_GROUPS_NODE"

// groupsReport is what a node of many groups says when it is asked: of what came since a moment. Other programs say less.
type groupsReport struct {
	Known         int             // groups of which it knows the leader
	Leads         int             // groups that it has come to lead since
	First, Last   time.Duration   // when, after the moment
	Proof         time.Duration   // when another was last proved dead, after the moment; 0 if none was
	Status        groups.Counters // since it began
	Leading       int
	CPU           time.Duration // since it began
	ResidentBytes int
	Has           map[int]int // how many groups have so many voters, where members change
	Problem       string      // of the change that was asked for
}

// nameOfGroup returns the name of a group.
func nameOfGroup(i int) string { return fmt.Sprintf("group-%d", i) }

func namesOfGroups(count int) (names []string) {
	for i := range count {
		names = append(names, nameOfGroup(i))
	}
	return names
}

// profileOf returns the timing of a profile, and false if there is none of the name.
func profileOf(name string) (policy.Timing, bool) {
	for _, p := range policy.Profiles() {
		if p.Name == name {
			return p.Timing, true
		}
	}
	return policy.Timing{}, false
}

// groupsConfig reads who a node is, and of how many groups.
func groupsConfig(said string) (config groups.Config, count int, err error) {
	words := strings.Fields(said)
	if len(words) < 4 {
		return config, 0, fmt.Errorf("%s=%q: give an id, a folder, a profile, how many groups, and the addresses of all nodes, if they do not change", nodeOfGroups, said)
	}
	config = groups.Config{Cluster: "bench", Dir: words[1], HoldMemory: true}
	if config.ID, err = spec.ParseNodeID(words[0]); err != nil {
		return config, 0, fmt.Errorf("%s=%q: %w", nodeOfGroups, said, err)
	}
	known := false
	if config.Timing, known = profileOf(words[2]); !known {
		return config, 0, fmt.Errorf("%s=%q: there is no profile %s", nodeOfGroups, said, words[2])
	}
	if count, err = strconv.Atoi(words[3]); err != nil {
		return config, 0, fmt.Errorf("%s=%q: %q is no number of groups", nodeOfGroups, said, words[3])
	}
	for i, address := range words[4:] {
		if config.Addresses == nil {
			config.Addresses = map[spec.NodeID]string{}
		}
		config.Addresses[spec.IntegerID(uint64(i+1))] = address
	}
	return config, count, nil
}

// manyGroups is a node of many groups, and what it has noted.
type manyGroups struct {
	node   *groups.Groups
	proved atomic.Int64 // when another was proved dead last, in Unix time, ns

	mu    sync.Mutex
	led   map[string]time.Time // when it came to lead, last
	known map[string]bool
}

// runGroups runs a node of many groups, and answers what it is asked on a stream until that ends.
func runGroups(ctx context.Context, said string, in io.Reader, out io.Writer) (err error) {
	config, count, err := groupsConfig(said)
	if err != nil {
		return err
	}
	m := &manyGroups{led: map[string]time.Time{}, known: map[string]bool{}}
	config.Logger = slog.New(proofs{slog.DiscardHandler, &m.proved})
	if m.node, err = groups.Open(config); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.node.Close()) }()
	go m.note(m.node.Watch(ctx))
	if err := m.node.Add(ctx, namesOfGroups(count)...); err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		r, err := m.answer(ctx, strings.Fields(lines.Text()))
		if err != nil {
			return err
		}
		if err := json.NewEncoder(out).Encode(r); err != nil {
			return err
		}
	}
	return lines.Err()
}

// note notes who comes to lead what.
func (m *manyGroups) note(changes <-chan groups.Leadership) {
	for l := range changes {
		m.mu.Lock()
		if m.known[l.Group] = !l.Leader.IsNone(); l.Leading {
			m.led[l.Group] = time.Now()
		}
		m.mu.Unlock()
	}
}

// answer answers one question: a moment, in Unix time, ns; and perhaps a node that is to be added before, and its address.
func (m *manyGroups) answer(ctx context.Context, asked []string) (r groupsReport, err error) {
	if len(asked) != 1 && len(asked) != 3 {
		return r, fmt.Errorf("%q: ask for what came since a moment", asked)
	}
	at, err := strconv.ParseInt(asked[0], 10, 64)
	if err != nil {
		return r, err
	}
	if len(asked) == 3 {
		id, err := spec.ParseNodeID(asked[1])
		if err == nil {
			_, err = m.node.Own.AddMember(ctx, spec.Member{ID: id, Kind: spec.Voter, Address: asked[2]}, 0)
		}
		if err != nil {
			r.Problem = err.Error()
		}
	}
	m.since(at, &r)
	s := m.node.Status()
	r.Status, r.Leading = s.Counters, s.Leading
	r.Has = map[int]int{}
	for i := range s.Groups {
		voters := 0
		for _, m := range s.Groups[i].Members.Members() {
			if m.Kind == spec.Voter {
				voters++
			}
		}
		r.Has[voters]++
	}
	r.CPU, r.ResidentBytes = usedTime(), residentBytes()
	return r, nil
}

// since notes what came since a moment.
func (m *manyGroups) since(at int64, r *groupsReport) {
	r.Proof = time.Duration(max(0, m.proved.Load()-at))
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, yes := range m.known {
		if yes {
			r.Known++
		}
	}
	for _, when := range m.led {
		if after := when.Sub(time.Unix(0, at)); after > 0 {
			if r.Leads++; r.Leads == 1 || after < r.First {
				r.First = after
			}
			r.Last = max(r.Last, after)
		}
	}
}

// proofs notes when another is proved dead, as a logger is told.
type proofs struct {
	slog.Handler
	last *atomic.Int64
}

// Enabled implements slog.Handler.
func (proofs) Enabled(context.Context, slog.Level) bool { return true }

// WithAttrs implements slog.Handler.
func (p proofs) WithAttrs([]slog.Attr) slog.Handler { return p }

// Handle implements slog.Handler.
func (p proofs) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "proved dead" {
		p.last.Store(time.Now().UnixNano())
	}
	return nil
}

// residentBytes returns how much memory this process has, on Linux; 0 elsewhere.
func residentBytes() int {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _ := strconv.Atoi(strings.Fields(string(statm))[1])
	return pages * os.Getpagesize()
}
