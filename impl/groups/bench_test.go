package groups_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	bully "github.com/seed-fdf591db/bully/impl"
	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// The benchmarks run nodes as processes of their own, on loopback, each with a folder and connections of TCP, and the profile that -profile names:
//
//	go test ./impl/groups -run '^$' -bench . -benchtime 1x -groups 10000 -nodes 5 -dir /var/tmp
var (
	benchGroups  = flag.Int("groups", 1000, "how many groups the benchmarks run")
	benchNodes   = flag.Int("nodes", 3, "… at how many nodes")
	benchProfile = flag.String("profile", "lan", "… with which profile")
	benchDir     = flag.String("dir", "", "… and where their folders are; default: that of temporary files")
	benchChanges = flag.Bool("changing", false, "… whose members change; BenchmarkSixth is of such alone")
	benchAgainst = flag.String("against", "", "… and programs that BenchmarkFailover measures beside ours, on the same work, with commas between: see impl/baselines/groups")
)

// nodeOf is set in the environment of a node: its id, folder, profile, number of groups, and the addresses of all.
const nodeOf = "BULLY_GROUPS_NODE"

func TestMain(m *testing.M) {
	if said := os.Getenv(nodeOf); said != "" {
		if err := runNode(strings.Fields(said)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// A report is what a node says when it is asked: of what came since a moment.
type report struct {
	Known         int           // groups of which it knows the leader
	Leads         int           // groups that it has come to lead since
	First, Last   time.Duration // when, after the moment
	Proof         time.Duration // when another was proved dead, after the moment; 0 if none was
	Status        groups.Counters
	Leading       int
	CPU           time.Duration // since it began
	ResidentBytes int
	Has           map[int]int // how many groups have so many voters
	Problem       string      // of the change that was asked for
}

// proofs is told of proofs of death, as a logger, and notes when the last was.
type proofs struct {
	slog.Handler
	last atomic.Int64 // in Unix time, ns
}

func (p *proofs) Enabled(context.Context, slog.Level) bool { return true }
func (p *proofs) WithAttrs([]slog.Attr) slog.Handler       { return p }
func (p *proofs) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "proved dead" {
		p.last.Store(time.Now().UnixNano())
	}
	return nil
}

func runNode(args []string) error {
	me, _ := strconv.Atoi(args[0])
	count, _ := strconv.Atoi(args[3])
	config := groups.Config{ID: spec.IntegerID(uint64(me)), Cluster: "bench", Dir: args[1], HoldMemory: true}
	for i, address := range args[4:] {
		if config.Addresses == nil {
			config.Addresses = map[spec.NodeID]string{}
		}
		config.Addresses[spec.IntegerID(uint64(i+1))] = address
	}
	for _, p := range policy.Profiles() {
		if p.Name == args[2] {
			config.Timing = p.Timing
		}
	}
	proofs := &proofs{Handler: slog.DiscardHandler}
	config.Logger = slog.New(proofs)
	node, err := groups.Open(config)
	if err != nil {
		return err
	}
	ctx := context.Background()
	var mu sync.Mutex
	led, known := map[string]time.Time{}, map[string]bool{}
	changes := node.Watch(ctx)
	go func() {
		for l := range changes {
			mu.Lock()
			known[l.Group] = !l.Leader.IsNone()
			if l.Leading {
				led[l.Group] = time.Now()
			}
			mu.Unlock()
		}
	}()
	if err := node.Add(ctx, names(count)...); err != nil {
		return err
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		asked := strings.Fields(in.Text())
		at, _ := strconv.ParseInt(asked[0], 10, 64)
		since, r := time.Unix(0, at), report{Has: map[int]int{}}
		if len(asked) > 2 { // a node that is to be added, and where it listens
			id, _ := strconv.ParseUint(asked[1], 10, 64)
			_, err := node.Own.AddMember(ctx, spec.Member{ID: spec.IntegerID(id), Kind: spec.Voter, Address: asked[2]}, 0)
			r.Problem = fmt.Sprint(err)
		}
		mu.Lock()
		for _, yes := range known {
			if yes {
				r.Known++
			}
		}
		for _, when := range led {
			if after := when.Sub(since); after > 0 {
				if r.Leads++; r.Leads == 1 || after < r.First {
					r.First = after
				}
				r.Last = max(r.Last, after)
			}
		}
		mu.Unlock()
		r.Proof = time.Duration(max(0, proofs.last.Load()-at))
		s := node.Status()
		r.Status, r.Leading = s.Counters, s.Leading
		for i := range s.Groups {
			voters := 0
			for _, m := range s.Groups[i].Members.Members() {
				if m.Kind == spec.Voter {
					voters++
				}
			}
			r.Has[voters]++
		}
		var usage syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
		r.CPU = time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		if statm, err := os.ReadFile("/proc/self/statm"); err == nil {
			pages, _ := strconv.Atoi(strings.Fields(string(statm))[1])
			r.ResidentBytes = pages * os.Getpagesize()
		}
		if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
			return err
		}
	}
	return in.Err()
}

// A process is a node that runs.
type process struct {
	command *exec.Cmd
	in      io.Writer
	out     *bufio.Reader
}

// ask asks a node what came since a moment; and before that to add a node that listens at an address.
func (p *process) ask(b *testing.B, since time.Time, added ...string) (r report) {
	_, err := fmt.Fprintln(p.in, since.UnixNano(), strings.Join(added, " "))
	require.NoError(b, err)
	line, err := p.out.ReadBytes('\n')
	require.NoError(b, err)
	require.NoError(b, json.Unmarshal(line, &r))
	return r
}

func (p *process) kill() {
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
}

// processes starts nodes of a program, and waits until each group has a leader: if it is ours, whom it is to be led by.
func processes(b *testing.B, program ...string) (all map[spec.NodeID]*process) {
	all, _ = processesOf(b, program...)
	return all
}

// processesOf is processes, and returns what starts one more node, which is to be added at the address that it returns.
func processesOf(b *testing.B, program ...string) (all map[spec.NodeID]*process, more func() string) {
	dir, err := os.MkdirTemp(*benchDir, "groups")
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, os.RemoveAll(dir)) })
	var addresses []string
	var listeners []net.Listener
	for range *benchNodes + 1 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(b, err)
		listeners, addresses = append(listeners, l), append(addresses, l.Addr().String())
	}
	for _, l := range listeners {
		require.NoError(b, l.Close())
	}
	all = map[spec.NodeID]*process{}
	b.Cleanup(func() {
		for _, p := range all {
			p.kill()
		}
	})
	plan := groups.Placement{Members: ids(*benchNodes)}.Plan(names(*benchGroups))
	if len(program) == 0 {
		program = os.Args[:1]
	} else {
		plan = nil
	}
	start := func(i int, first spec.Configuration) {
		p, folder, members := &process{command: exec.Command(program[0], program[1:]...)}, filepath.Join(dir, strconv.Itoa(i+1)), addresses[:*benchNodes]
		if *benchChanges {
			id := spec.IntegerID(uint64(i + 1))
			require.NoError(b, storage.Init(folder, storage.Identity{ID: id, Cluster: "bench", Incarnation: storage.NewIncarnation()}, first))
			require.NoError(b, bully.KeepAddress(folder, addresses[i], ids(*benchNodes)...))
			members = nil
		}
		p.command.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s %s %d %s", nodeOf, i+1, folder, *benchProfile, *benchGroups, strings.Join(members, " ")))
		p.command.Stderr = os.Stderr
		in, err := p.command.StdinPipe()
		require.NoError(b, err)
		out, err := p.command.StdoutPipe()
		require.NoError(b, err)
		require.NoError(b, p.command.Start())
		p.in, p.out = in, bufio.NewReader(out)
		all[spec.IntegerID(uint64(i+1))] = p
	}
	var first []spec.Member
	for i := range *benchNodes {
		first = append(first, spec.Member{ID: spec.IntegerID(uint64(i + 1)), Kind: spec.Voter, Address: addresses[i]})
	}
	members, err := spec.NewConfiguration(0, 1, first)
	require.NoError(b, err)
	for i := range *benchNodes {
		start(i, members)
	}
	awaitPlan(b, all, plan)
	return all, func() string {
		start(*benchNodes, spec.EmptyConfiguration())
		return addresses[*benchNodes]
	}
}

// between returns how long nodes are left alone between two questions: to answer for ten thousand groups is work too.
func between() time.Duration {
	return max(50*time.Millisecond, time.Duration(*benchGroups)*50*time.Microsecond)
}

func awaitPlan(b *testing.B, all map[spec.NodeID]*process, plan map[spec.NodeID][]string) {
	says := ""
	for began, is := time.Now(), false; !is; {
		require.Less(b, time.Since(began), 5*time.Minute, says)
		time.Sleep(between())
		led := 0
		is, says = true, ""
		for id, p := range all {
			r := p.ask(b, time.Now())
			led += r.Leading
			says += fmt.Sprintf("node %v knows of %d leaders, leads %d, and is to lead %d: %+v\n", id, r.Known, r.Leading, len(plan[id]), r.Status)
			is = is && (plan == nil || r.Leading == len(plan[id])) && r.Known == *benchGroups
		}
		is = is && led == *benchGroups
	}
}

// BenchmarkIdle measures what a node costs while nothing happens.
func BenchmarkIdle(b *testing.B) {
	all := processes(b)
	time.Sleep(3 * time.Second) // of what came before
	const long = 10 * time.Second
	for range b.N {
		before := map[spec.NodeID]report{}
		for id, p := range all {
			before[id] = p.ask(b, time.Now())
		}
		time.Sleep(long)
		var cpu time.Duration
		var bundles, bytes, steps, memory, changes float64
		for id, p := range all {
			was, is := before[id], p.ask(b, time.Now())
			cpu = max(cpu, is.CPU-was.CPU)
			bundles += float64(is.Status.Bundles - was.Status.Bundles)
			bytes += float64(is.Status.Bytes - was.Status.Bytes)
			steps += float64(is.Status.Steps - was.Status.Steps)
			memory = max(memory, float64(is.ResidentBytes))
			changes += float64(is.Status.Changes - was.Status.Changes)
		}
		per := long.Seconds() * float64(len(all))
		b.ReportMetric(100*cpu.Seconds()/long.Seconds(), "%core/node")
		b.ReportMetric(memory/(1<<20), "MiB/node")
		b.ReportMetric(bundles/per, "frames/s/node")
		b.ReportMetric(bytes/per, "bytes/s/node")
		b.ReportMetric(steps/per, "steps/s/node")
		b.ReportMetric(changes, "changes") // if it is not 0, something has happened
		b.ReportMetric(0, "ns/op")
	}
}

// BenchmarkFailover measures how long the groups have no leader that a node leads which is killed; and the same of other systems.
func BenchmarkFailover(b *testing.B) {
	b.Run("bully", func(b *testing.B) { benchFailover(b) })
	for program := range strings.SplitSeq(*benchAgainst, ",") {
		if words := strings.Fields(program); len(words) > 0 {
			b.Run(words[len(words)-1], func(b *testing.B) { benchFailover(b, words...) })
		}
	}
}

func benchFailover(b *testing.B, program ...string) {
	all := processes(b, program...)
	for range b.N {
		victims := slices.SortedFunc(maps.Keys(all), spec.NodeID.Compare)
		dead := victims[len(victims)-1]
		before := map[spec.NodeID]report{}
		for id, p := range all {
			before[id] = p.ask(b, time.Now())
		}
		runtime.GC()
		at := time.Now()
		all[dead].kill()
		delete(all, dead)
		known := func() bool {
			led := 0
			for _, p := range all {
				led += p.ask(b, at).Leading
			}
			return led == *benchGroups
		}
		for time.Sleep(3 * time.Second); !known(); time.Sleep(100 * time.Millisecond) {
			require.Less(b, time.Since(at), 5*time.Minute)
		}
		led, saves := 0, uint64(0)
		first, last, proof := time.Hour, time.Duration(0), time.Hour
		for id, p := range all {
			r := p.ask(b, at)
			if r.Leads > 0 {
				first, last = min(first, r.First), max(last, r.Last)
			}
			if r.Proof > 0 {
				proof = min(proof, r.Proof)
			}
			led += r.Leads
			saves = max(saves, r.Status.Saves-before[id].Status.Saves)
			require.Equal(b, *benchGroups, r.Known)
		}
		require.GreaterOrEqual(b, led, before[dead].Leading)
		b.ReportMetric(float64(led), "groups")
		if len(program) == 0 {
			b.ReportMetric(float64(proof.Microseconds())/1000, "ms-proof") // of the death, at the first node that has it: before is the kernel's time
		}
		b.ReportMetric(float64(first.Microseconds())/1000, "ms-first")
		b.ReportMetric(float64(last.Microseconds())/1000, "ms-all")
		b.ReportMetric(float64(saves), "saves/node")
		b.ReportMetric(0, "ns/op")
		if b.N > 1 {
			return // a node is not started again
		}
	}
}

// BenchmarkSixth measures how long it takes, after one more node was added to the cluster, until all groups have it as a voter at all nodes, and are led as planned; and what it costs.
func BenchmarkSixth(b *testing.B) {
	if !*benchChanges {
		b.Skip("members are fixed: give -changing")
	}
	all, more := processesOf(b)
	address := more()
	sixth := spec.IntegerID(uint64(*benchNodes + 1))
	all[sixth].ask(b, time.Now()) // it listens by then
	before := map[spec.NodeID]report{}
	for id, p := range all {
		before[id] = p.ask(b, time.Now())
	}
	at := time.Now()
	added, problem := false, ""
	for _, id := range ids(*benchNodes) {
		if !added {
			problem = all[id].ask(b, at, sixth.String(), address).Problem
			added = problem == "<nil>"
		}
	}
	require.True(b, added, problem)
	say := time.Since(at)
	have := func() bool {
		for _, p := range all {
			if p.ask(b, at).Has[*benchNodes+1] != *benchGroups {
				return false
			}
		}
		return true
	}
	for !have() {
		require.Less(b, time.Since(at), 5*time.Minute)
		time.Sleep(between())
	}
	b.ReportMetric(say.Seconds(), "s-said") // until the cluster's own election has it
	b.ReportMetric(time.Since(at).Seconds(), "s-all")
	awaitPlan(b, all, groups.Placement{Members: ids(*benchNodes + 1)}.Plan(names(*benchGroups)))
	b.ReportMetric(time.Since(at).Seconds(), "s-led")
	saves, changes := uint64(0), uint64(0)
	for id, p := range all {
		r := p.ask(b, at)
		saves = max(saves, r.Status.Saves-before[id].Status.Saves)
		changes += r.Status.Changes - before[id].Status.Changes
	}
	b.ReportMetric(float64(saves), "saves/node")
	b.ReportMetric(float64(changes), "changes")
	b.ReportMetric(0, "ns/op")
}
