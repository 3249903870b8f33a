// Command groups runs many elections over one cluster with systems that people do use, so that workbench bench groups measures them on the same work:
//
//	cd impl/baselines/groups && go build -o ../../../.cache/ . && cd ../../..
//	workbench bench groups -groups 1000 -members fixed -against ".cache/groups etcd" -against ".cache/groups dragonboat"
//
// "etcd" is one concurrency.Election for each group, of one session a node; the servers run in the nodes. "dragonboat" is one Raft group for each. A node is told in the environment
// who it is, and says on standard output, for each moment that it reads, what came since: see impl/cmd/workbench/node_groups.go.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// nodeOf is set in the environment of a node: its id, folder, profile, number of groups, and the addresses of all.
const nodeOf = "BULLY_GROUPS_NODE"

// node is who a node is.
type node struct {
	id        int // from 1 on
	dir       string
	groups    int
	addresses []string // where nodes hear each other, by id

	mu    sync.Mutex
	known map[int]int       // who leads each group
	led   map[int]time.Time // since when this node leads it, or has led it last
	whole map[int]bool      // all nodes stand for it, or have
}

// report is what a node says of what came since a moment.
type report struct {
	Known         int
	Leads         int
	First, Last   time.Duration
	Leading       int
	CPU           time.Duration
	ResidentBytes int
}

// parse reads who a node is.
func parse(said string) (*node, error) {
	words := strings.Fields(said)
	if len(words) < 5 {
		return nil, fmt.Errorf("%s=%q: give an id, a folder, a profile, how many groups, and the addresses of all nodes", nodeOf, said)
	}
	n := &node{dir: words[1], addresses: words[4:], known: map[int]int{}, led: map[int]time.Time{}, whole: map[int]bool{}}
	var err error
	if n.id, err = strconv.Atoi(words[0]); err == nil {
		n.groups, err = strconv.Atoi(words[3])
	}
	if err != nil || n.id < 1 || n.id > len(n.addresses) {
		return nil, fmt.Errorf("%s=%q: the id must be one of %d, and there must be a number of groups", nodeOf, said, len(n.addresses))
	}
	return n, nil
}

// tell notes who leads a group now; 0 is nobody.
func (n *node) tell(group, leader int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if leader == n.id && n.known[group] != n.id {
		n.led[group] = time.Now()
	}
	n.known[group] = leader
}

// since returns what came since a moment.
func (n *node) since(at time.Time) (r report) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for group, leader := range n.known {
		if leader != 0 && n.whole[group] {
			r.Known++
		}
		if leader == n.id {
			r.Leading++
		}
	}
	for _, when := range n.led {
		if after := when.Sub(at); after > 0 {
			if r.Leads++; r.Leads == 1 || after < r.First {
				r.First = after
			}
			r.Last = max(r.Last, after)
		}
	}
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	r.CPU = time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	if statm, err := os.ReadFile("/proc/self/statm"); err == nil {
		pages, _ := strconv.Atoi(strings.Fields(string(statm))[1])
		r.ResidentBytes = pages * os.Getpagesize()
	}
	return r
}

// answer answers until nobody asks any more.
func (n *node) answer(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		at, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err != nil {
			return err
		}
		if err := json.NewEncoder(out).Encode(n.since(time.Unix(0, at))); err != nil {
			return err
		}
	}
	return lines.Err()
}

// systems are what there is.
var systems = map[string]func(*node) error{"etcd": runEtcd, "dragonboat": runDragonboat}

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "groups:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) != 1 || systems[args[0]] == nil {
		return fmt.Errorf("%q: say which system runs the groups: etcd or dragonboat", args)
	}
	n, err := parse(os.Getenv(nodeOf))
	if err != nil {
		return err
	}
	if err := systems[args[0]](n); err != nil {
		return err
	}
	return n.answer(in, out)
}
