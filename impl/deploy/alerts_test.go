package deploy

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
	"github.com/seed-fdf591db/bully/impl/internal/proctest"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec"
)

// window is for how long, as the server sees it, something is looked at: no alert looks back farther, or waits longer.
const window = 16 * time.Minute

// until looks at the nodes for a window, and again, until just these alerts fire. On a machine that does much else a node can be held up,
// which the alerts say too, rightly; so one window that is not as wanted does not tell. Harm is done in the middle of each window; nil is none.
func (s *server) until(harm func(), want ...string) {
	s.t.Helper()
	slices.Sort(want)
	if want == nil {
		want = []string{}
	}
	for began := time.Now(); ; {
		for left := window; left > 0; left -= interval {
			if harm != nil && left == window/interval/2*interval {
				harm()
			}
			s.scrape()
		}
		if got := s.firing(); slices.Equal(got, want) {
			return
		} else if time.Since(began) > patience {
			require.Equal(s.t, want, got)
		}
	}
}

// fired are the alerts that have been seen to fire.
var fired = map[string]bool{}

func (s *server) fires(harm func(), want ...string) {
	s.t.Helper()
	s.until(harm, want...)
	for _, alert := range want {
		fired[alert] = true
	}
}

// TestAlerts runs real nodes, does to them what alerts are for, and sees which fire: just those, and none before and after.
func TestAlerts(t *testing.T) {
	flags := certificates(t, 3)
	c := cluster(t, localcluster.Config{Nodes: 3, Extra: func(id int) []string { return flags(id) }})
	require.NoError(t, c.Start())
	reign := leads(t, c, 0, c.IDs()...)
	s := newServer(t, c.HTTP(1), c.HTTP(2), c.HTTP(3))
	s.until(nil)
	dashboard(t, s)

	resigns := func() {
		for range 6 {
			resign(t, c, reign.Leader)
			reign = leads(t, c, reign.Epoch, c.IDs()...)
			s.scrape()
		}
	}
	s.fires(resigns, "BullyLeadersComeAndGo")
	s.until(nil)

	follower := other(reign.Leader)
	s.fires(func() { stall(t, c, follower, reign.Leader) }, "BullyHeldUp")
	s.until(nil)

	own := flags
	flags = certificates(t, 3) // of an authority that the others do not trust
	restart(t, c, follower)
	s.fires(nil, "BullyLinkDown", "BullyNodeWithoutLeader")
	flags = own
	restart(t, c, follower)
	s.until(nil)

	alone := cluster(t, localcluster.Config{Nodes: 1})
	require.NoError(t, alone.Start())
	leads(t, alone, 0, 1)
	s.targets = append(s.targets, alone.HTTP(1))
	s.fires(nil, "BullyTwoLeaders")
	s.targets = s.targets[:3]
	s.now = s.now.Add(kept)
	s.until(nil)

	before := s.now
	s.now = s.now.Add(355 * 24 * time.Hour)
	s.fires(nil, "BullyCertificateEnds")
	s.now = before.Add(400 * 24 * time.Hour) // nobody looks at it again in the past

	t.Run("without a disk, and without a quorum", func(t *testing.T) { ends(t, c) })
	t.Run("a slow disk", slowDisk)
	t.Run("a node that hangs", hangs)
	t.Run("the end of numbers", numbersEnd)
	t.Run("groups", ofGroups)
	t.Run("groups that lag behind", ofGroupsLag)
	t.Run("the work of a group that hangs", ofGroupsHangs)
	for _, r := range rules(t) {
		require.True(t, fired[r.Alert], "nothing here lets %s fire: is it of any use?", r.Alert)
	}
}

// other returns a node of three that is not the given one.
func other(than int) int { return than%3 + 1 }

func restart(t *testing.T, c *localcluster.Cluster, id int) {
	t.Helper()
	_, err := c.Stop(id)
	require.NoError(t, err)
	require.NoError(t, c.Start(id))
}

// resign makes a leader resign.
func resign(t *testing.T, c *localcluster.Cluster, id int) {
	t.Helper()
	request, err := http.NewRequestWithContext(within(t), http.MethodPost, "http://"+c.HTTP(id)+"/resign", nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
}

// stall stops a node until another has not heard of it for long enough to be sure, five times.
func stall(t *testing.T, c *localcluster.Cluster, id, by int) {
	t.Helper()
	heard := fmt.Sprintf("bully_link_heard_seconds{node=\"%d\"}", id)
	for range 5 {
		_, err := c.Pause(id)
		require.NoError(t, err)
		eventually(t, "the node is silent", func() bool { return metric(t, c.HTTP(by), heard) > 1 })
		_, err = c.Continue(id)
		require.NoError(t, err)
		eventually(t, "the node goes on", func() bool { return metric(t, c.HTTP(by), heard) < 1 })
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	proctest.Until(t, func() string { return what }, holds)
}

// metric returns the number of a series of the node at an address.
func metric(t *testing.T, address, name string) float64 {
	t.Helper()
	all, err := fetch(t.Context(), address)
	require.NoError(t, err)
	_, rest, there := strings.Cut(string(all), "\n"+name+" ")
	require.True(t, there, "%s has no %s", address, name)
	text, _, _ := strings.Cut(rest, "\n")
	number, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return number
}

// ends loses the disk of one node of three, and then another node.
func ends(t *testing.T, c *localcluster.Cluster) {
	reign := leads(t, c, 0, c.IDs()...)
	follower := other(reign.Leader)
	s := newServer(t, c.HTTP(1), c.HTTP(2), c.HTTP(3))
	_, err := c.Kill(follower)
	require.NoError(t, err)
	s.fires(nil, "BullyNodeDown")
	lost := fmt.Sprintf("bully_link_lost_disk{node=%q}", fmt.Sprint(follower))
	hasNotHeard := func(id int) bool { return metric(t, c.HTTP(id), lost) == 0 }
	for ctx := within(t); slices.ContainsFunc(c.IDs(follower), hasNotHeard); { // it ends as soon as one of both has told it
		require.NoError(t, os.RemoveAll(c.Data(follower)))
		require.NoError(t, c.Start(follower))
		select {
		case <-c.Gone(follower):
		case <-ctx.Done():
			require.Fail(t, "a node without its disk runs on, or the others do not say so")
		}
	}
	s.fires(nil, "BullyDiskLost", "BullyNodeDown")
	_, err = c.Kill(reign.Leader)
	require.NoError(t, err)
	s.fires(nil, "BullyDiskLost", "BullyNodeDown", "BullyNoLeader")
	require.NoError(t, c.Start(reign.Leader))
	leads(t, c, reign.Epoch, c.IDs(follower)...)
	s.fires(nil, "BullyDiskLost", "BullyNodeDown")
	_, err = c.Kill(other(follower), other(other(follower)))
	require.NoError(t, err)
	s.fires(nil, "BullyNodeDown", "BullyNoLeader")
}

// slowDisk lets the kernel take its time for each fsync of a node.
func slowDisk(t *testing.T) {
	if err := localcluster.CanInject(); err != nil {
		fired["BullySlowDisk"] = true
		t.Skip("needs strace: for a slow fsync: ", err)
	}
	c := cluster(t, localcluster.Config{Nodes: 3, Extra: func(int) []string { return []string{"-insecure"} }})
	require.NoError(t, c.Start())
	reign := leads(t, c, 0, c.IDs()...)
	slow := other(reign.Leader)
	end, err := c.InjectFsync(slow, "delay_exit=200000")
	require.NoError(t, err)
	t.Cleanup(end)
	s := newServer(t, c.HTTP(1), c.HTTP(2), c.HTTP(3))
	s.fires(func() {
		resign(t, c, reign.Leader)
		reign = leads(t, c, reign.Epoch, c.IDs()...)
	}, "BullySlowDisk")
}

// hangs stops a node that has a guard, which kills it, and starts it again.
func hangs(t *testing.T) {
	if runtime.GOOS != "linux" {
		fired["BullyHangs"] = true
		t.Skip("needs Linux: for a guard")
	}
	c := cluster(t, localcluster.Config{Nodes: 1, Extra: func(int) []string { return []string{"-guard"} }})
	require.NoError(t, c.Start())
	leads(t, c, 0, 1)
	s := newServer(t, c.HTTP(1))
	s.until(nil)
	kills := 0
	s.fires(func() {
		guard, err := c.PID(1)
		require.NoError(t, err)
		nodes := slices.Collect(maps.Keys(localcluster.Children(guard)))
		require.Len(t, nodes, 1)
		require.NoError(t, proctest.Kill(nodes[0], syscall.SIGSTOP))
		kills++
		eventually(t, "it is killed, and leads again", func() bool {
			text, err := fetch(t.Context(), c.HTTP(1)) // nothing answers meanwhile
			return err == nil && strings.Contains(string(text), fmt.Sprintf("\nbully_guard_kills_total %d\n", kills)) && strings.Contains(string(text), "\nbully_leading 1\n")
		})
	}, "BullyHangs")
}

// ofGroups runs nodes of two groups, of which one is at one node only.
func ofGroups(t *testing.T) {
	of := "orders,of-one-node"
	c := cluster(t, localcluster.Config{Nodes: 3, Extra: func(id int) []string {
		if id == 1 {
			return []string{"-insecure", "-group", of}
		}
		return []string{"-insecure", "-group", "orders"}
	}})
	require.NoError(t, c.Start())
	s := newServer(t, c.HTTP(1), c.HTTP(2), c.HTTP(3))
	s.fires(nil, "BullyGroupsWithoutLeader")
	of = "orders"
	restart(t, c, 1)
	s.until(nil)
}

// ofGroupsLag adds a node to a cluster, and to none of its groups.
func ofGroupsLag(t *testing.T) {
	one, two, at, data := reserve(t), reserve(t), []string{reserve(t), reserve(t)}, []string{filepath.Join(t.TempDir(), "1"), filepath.Join(t.TempDir(), "2")}
	command(t, "init", "-data", data[0], "-cluster", "jobs", "-id", "1", "-members", "1="+one)
	command(t, "join", "-data", data[1], "-cluster", "jobs", "-id", "2", "-address", two, "-members", "1")
	node := func(i int, group string) *exec.Cmd {
		return exec.Command(binary, "run", "-data", data[i], "-http", at[i], "-profile", "busy", "-group", group)
	}
	runs(t, node(0, "orders"), at[0], func() {
		eventually(t, "it leads", func() bool { return metric(t, at[0], "bully_groups_led") == 1 })
		runs(t, node(1, "another"), at[1], func() {
			command(t, "member", "add", "-kind", "witness", "-http", at[0], "2="+two)
			s := newServer(t, at[0])
			s.fires(nil, "BullyGroupsLag")
		})
	})
}

// ofGroupsHangs runs a command for a group that never says that it gets on.
func ofGroupsHangs(t *testing.T) {
	address := reserve(t)
	node := exec.Command(binary, "exec", "-id", "1", "-members", "1="+reserve(t), "-data", filepath.Join(t.TempDir(), "data"), "-cluster", "jobs",
		"-profile", "busy", "-http", address, "-group", "orders", "-restart", "-progress", "1s", "--", "sleep", "3600")
	runs(t, node, address, func() {
		quiets := 0.0
		newServer(t, address).fires(func() {
			before := quiets
			eventually(t, "work is quiet once more, and its group is led again", func() bool {
				quiets = metric(t, address, "bully_groups_quiet_total")
				return quiets > before && metric(t, address, "bully_groups_led") == 1
			})
		}, "BullyHangs")
	})
}

// numbersEnd starts a node whose epochs are half used up, and one whose epochs all are.
func numbersEnd(t *testing.T) {
	for epoch, want := range map[spec.Epoch][]string{
		storage.MaxRaise: {"BullyNumbersEnd"},
		spec.MaxEpoch:    {"BullyNumbersEnd", "BullyEpochsExhausted", "BullyNoLeader"},
	} {
		data := filepath.Join(t.TempDir(), "data")
		one := spec.IntegerID(1)
		file, err := storage.Open(data, one, []spec.NodeID{one})
		require.NoError(t, err)
		require.NoError(t, file.Save(spec.Durable{Epoch: epoch, Reserved: spec.Block}))
		require.NoError(t, file.Close())
		c := cluster(t, localcluster.Config{Nodes: 1, Data: func(int) string { return data }})
		require.NoError(t, c.Start())
		s := newServer(t, c.HTTP(1))
		s.fires(nil, want...)
	}
}
