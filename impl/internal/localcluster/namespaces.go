package localcluster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// prefix is how the names of our namespaces begin. The id of the process that made them follows.
const prefix = "localcluster-"

// mostSpaces is how many nodes find room in one subnet, beside this machine.
const mostSpaces = 62

// namespaces is a small network: a router, and behind it a namespace for each node and this machine itself, each with
// a link of its own. The router can lose all packets from one node to another.
//
//	this machine .1 ── .2 router .4i+1 ── .4i+2 node i
//
// All addresses are of 198.18.0.0/15, which is set aside for tests of networks (RFC 2544).
type namespaces struct {
	name   string // of the router; a node's has its id behind
	link   string // this machine's end of its link to the router
	subnet string // the first three bytes of all addresses
	nodes  int

	mu  sync.Mutex
	cut map[Link]bool
}

// CanNamespace returns nil if this process can run a Namespaced cluster, and else what it lacks.
func CanNamespace() error {
	if runtime.GOOS != "linux" {
		return errors.New("network namespaces need Linux")
	}
	if os.Geteuid() != 0 {
		return errors.New("network namespaces need root")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		return errors.New("network namespaces need the ip command of iproute2, which is not installed")
	}
	name := newName() + "-try"
	if err := run("ip", "netns", "add", name); err != nil {
		return fmt.Errorf("network namespaces cannot be made here: %w", err)
	}
	return run("ip", "netns", "del", name)
}

// newNamespaces makes the network for nodes 1 to n.
func newNamespaces(n int) (*namespaces, error) {
	if n > mostSpaces {
		return nil, fmt.Errorf("a cluster in namespaces has at most %d nodes, not %d", mostSpaces, n)
	}
	if err := CanNamespace(); err != nil {
		return nil, err
	}
	sweep()
	for attempt := 1; ; attempt++ {
		s, err := tryNamespaces(n)
		if err == nil || attempt == 3 {
			return s, err
		}
	}
}

// tryNamespaces makes the network once. It fails if another process takes the same subnet at the same time.
func tryNamespaces(n int) (*namespaces, error) {
	subnet, err := freeSubnet()
	if err != nil {
		return nil, err
	}
	s := &namespaces{name: newName(), subnet: subnet, nodes: n, cut: map[Link]bool{}}
	s.link = "lc" + strconv.FormatUint(rand.Uint64N(1<<40), 36)
	if err := s.build(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// newName returns a name for a namespace that no other has.
func newName() string {
	return prefix + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatUint(rand.Uint64N(1<<40), 36)
}

// build makes all namespaces and links.
func (s *namespaces) build() error {
	commands := []string{
		"netns add " + s.name,
		fmt.Sprintf("link add %s type veth peer name uplink netns %s", s.link, s.name),
		fmt.Sprintf("addr add %s.1/30 dev %s", s.subnet, s.link),
		fmt.Sprintf("link set %s up", s.link),
		fmt.Sprintf("route add %s.0/24 via %s.2", s.subnet, s.subnet),
	}
	for id := 1; id <= s.nodes; id++ {
		commands = append(commands, "netns add "+s.space(id))
	}
	if err := batch(commands, ""); err != nil {
		return err
	}
	router := []string{"link set lo up", fmt.Sprintf("addr add %s.2/30 dev uplink", s.subnet), "link set uplink up"}
	for id := 1; id <= s.nodes; id++ {
		gateway := fmt.Sprintf("%s.%d", s.subnet, 4*id+1)
		router = append(router,
			fmt.Sprintf("link add node%d type veth peer name uplink netns %s", id, s.space(id)),
			fmt.Sprintf("addr add %s/30 dev node%d", gateway, id),
			fmt.Sprintf("link set node%d up", id))
	}
	if err := batch(router, s.name); err != nil {
		return err
	}
	for id := 1; id <= s.nodes; id++ {
		node := []string{"link set lo up", fmt.Sprintf("addr add %s/30 dev uplink", s.address(id)), "link set uplink up",
			fmt.Sprintf("route add default via %s.%d", s.subnet, 4*id+1)}
		if err := batch(node, s.space(id)); err != nil {
			return err
		}
	}
	return run("ip", "netns", "exec", s.name, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward")
}

// space returns the name of a node's namespace.
func (s *namespaces) space(id int) string { return s.name + "-" + strconv.Itoa(id) }

// address returns the address of a node.
func (s *namespaces) address(id int) string { return fmt.Sprintf("%s.%d", s.subnet, 4*id+2) }

// wrap returns the command line that runs a command in a node's namespace. The ip command becomes the other: the
// process id stays the same.
func (s *namespaces) wrap(id int, command []string) []string {
	return append([]string{"ip", "netns", "exec", s.space(id)}, command...)
}

// set lets the router lose the packets of links, or no longer. All change with one command, so nearly at once. What is
// so already stays so.
func (s *namespaces) set(cut bool, links []Link) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	verb := "del"
	if cut {
		verb = "add"
	}
	var commands []string
	var changed []Link
	for _, link := range links {
		if link.From != link.To && s.cut[link] != cut && !slices.Contains(changed, link) {
			changed = append(changed, link)
			commands = append(commands, fmt.Sprintf("rule %s from %s to %s blackhole", verb, s.address(link.From), s.address(link.To)))
		}
	}
	if err := batch(commands, s.name); err != nil {
		return err
	}
	for _, link := range changed {
		s.cut[link] = cut
	}
	return nil
}

// close removes all namespaces; their links go with them.
func (s *namespaces) close() error {
	list, err := output("ip", "netns", "list")
	errs := []error{err}
	for _, name := range names(list) {
		if name == s.name || strings.HasPrefix(name, s.name+"-") {
			errs = append(errs, run("ip", "netns", "del", name))
		}
	}
	// The link would go with the router, but a little later, and its route with it.
	if _, err := net.InterfaceByName(s.link); err == nil {
		_ = run("ip", "link", "del", s.link)
	}
	return errors.Join(errs...)
}

// sweep removes namespaces of processes that were killed before they could.
func sweep() {
	list, err := output("ip", "netns", "list")
	if err != nil {
		return
	}
	for _, name := range names(list) {
		rest, ours := strings.CutPrefix(name, prefix)
		pid, _, _ := strings.Cut(rest, "-")
		if _, err := strconv.Atoi(pid); !ours || err != nil {
			continue
		}
		if _, err := os.Stat("/proc/" + pid); errors.Is(err, os.ErrNotExist) {
			_ = run("ip", "netns", "del", name) // It is only tidiness: another process may do the same just now.
		}
	}
}

// names returns the names that "ip netns list" lists.
func names(list string) []string {
	var all []string
	for line := range strings.Lines(list) {
		if name := strings.Fields(line); len(name) > 0 {
			all = append(all, name[0])
		}
	}
	return all
}

// freeSubnet returns a /24 of 198.18.0.0/15 that this machine knows nothing of.
func freeSubnet() (string, error) {
	routes, err := output("ip", "route", "show", "table", "all")
	if err != nil {
		return "", err
	}
	for range attempts {
		subnet := fmt.Sprintf("198.%d.%d", 18+rand.IntN(2), rand.IntN(256))
		if !strings.Contains(routes, subnet+".") {
			return subnet, nil
		}
	}
	return "", errors.New("no free subnet of 198.18.0.0/15 for the nodes: remove old namespaces with ip netns del")
}

// batch runs commands of ip as one, in a namespace if it is not "".
func batch(commands []string, space string) error {
	arguments := []string{"-batch", "-"}
	if space != "" {
		arguments = append([]string{"-n", space}, arguments...)
	}
	command := exec.Command("ip", arguments...)
	command.Stdin = strings.NewReader(strings.Join(commands, "\n") + "\n")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("ip: %w: %s", err, out)
	}
	return nil
}

// run runs a command that prints nothing of interest.
func run(name string, arguments ...string) error {
	_, err := output(name, arguments...)
	return err
}

// output runs a command and returns what it prints.
func output(name string, arguments ...string) (string, error) {
	out, err := exec.Command(name, arguments...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%s: %w: %s", strings.Join(append([]string{name}, arguments...), " "), err, exit.Stderr)
	}
	return string(out), err
}
