package localcluster

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec"
)

// TestLostDisk wipes the disk of a node, or puts an old copy in its place, while the leader is stopped in its tracks: what the
// node has granted is forgotten, and with its vote another could win the epoch of that leader. One node remembers. The other
// stops for good before it votes, and says why; people see it; and it comes back when a person has answered for it.
func TestLostDisk(t *testing.T) {
	t.Parallel()
	type row struct {
		name string
		make func(t *testing.T) *Cluster
		lose func(t *testing.T, c *Cluster, copy string)
	}
	together(t, []row{
		{"wiped", fixedThree, func(t *testing.T, c *Cluster, _ string) {}},
		{"an old copy", fixedThree, func(t *testing.T, c *Cluster, copy string) { require.NoError(t, os.CopyFS(c.Data(1), os.DirFS(copy))) }},
		{"wiped, and made anew", changingThree, func(t *testing.T, c *Cluster, _ string) {
			var members []spec.Member
			for _, id := range c.IDs() {
				members = append(members, spec.Member{ID: nodeID(id), Kind: spec.Voter, Address: c.Addr(id)})
			}
			first, err := spec.NewConfiguration(0, 1, members)
			require.NoError(t, err)
			require.NoError(t, storage.Init(c.Data(1), storage.Identity{ID: nodeID(1), Cluster: "island", Incarnation: storage.NewIncarnation()}, first))
		}},
		{"an old copy of changing members", changingThree, func(t *testing.T, c *Cluster, copy string) {
			require.NoError(t, os.CopyFS(c.Data(1), os.DirFS(copy)))
		}},
	}, func(c row) string { return c.name }, func(t *testing.T, c row) {
		cluster := c.make(t)
		require.NoError(t, cluster.Start())
		old := leads(t, cluster, 3, 0, cluster.IDs()...)
		_, err := cluster.Stop(1)
		require.NoError(t, err)
		copied := t.TempDir()
		require.NoError(t, os.CopyFS(copied, os.DirFS(cluster.Data(1))))
		require.NoError(t, cluster.Start(1))
		last := agree(t, cluster, old.Epoch-1, cluster.IDs()...)

		_, err = cluster.Pause(3)
		require.NoError(t, err)
		_, err = cluster.Kill(1)
		require.NoError(t, err)
		require.NoError(t, os.RemoveAll(cluster.Data(1)))
		c.lose(t, cluster, copied)
		require.NoError(t, cluster.Start(1))
		disowned(t, cluster, 1, 2)
		raise(t, cluster, 1, 2, spec.Epoch(last.Epoch)+1000)
		require.NoError(t, cluster.Start(1))
		agree(t, cluster, last.Epoch, 1, 2)
		require.False(t, saysLost(t, cluster, 2, 1), "node 2 says that the disk of 1 is lost, which has a new record and agrees")
		_, err = cluster.Continue(3)
		require.NoError(t, err)
		agree(t, cluster, last.Epoch, 1, 2, 3)
	})
}

// disowned waits until a node that has lost its disk has stopped for good, and one that remembers more has said so.
func disowned(t *testing.T, c *Cluster, lost, by int) {
	t.Helper()
	ends(t, c, lost)
	require.Equal(t, 1, c.ExitStatus(lost))
	require.Contains(t, c.Log(lost), fmt.Sprintf("node %d remembers what it has said after its record was written", by))
	eventually(t, fmt.Sprintf("%d says so", by), func() bool {
		return strings.Contains(c.Log(by), "a node is not heeded: its disk is lost") && saysLost(t, c, by, lost)
	})
	report, err := storage.Inspect(c.Data(lost))
	require.NoError(t, err)
	require.NotNil(t, report.Problem, "bully repair exits with 1: %s", report)
	require.Equal(t, storage.Lost, report.Problem.Kind)

	require.NoError(t, c.Start(lost))
	ends(t, c, lost)
	require.Equal(t, 1, c.ExitStatus(lost), "nor does it start again")
	require.Contains(t, lastLine(c.Log(lost)), "is lost")
}

// TestCopyOfTheSameRun kills a node and puts a copy of its folder in place that was made while it ran, as a snapshot of a disk is: it
// knows of as many numbers as the node has used. What it does not know is an epoch that the node has promised since, or led, or a
// change of the members.
func TestCopyOfTheSameRun(t *testing.T) {
	t.Parallel()
	elect := func(t *testing.T, c *Cluster, old Reign) {
		_, err := c.Kill(3)
		require.NoError(t, err)
		leads(t, c, 2, old.Epoch, 1, 2)
	}
	change := func(t *testing.T, c *Cluster, _ Reign) {
		_, err := c.Kill(2) // else 3 can do without 1
		require.NoError(t, err)
		who := &island{Cluster: c, t: t}
		require.NoError(t, who.ensure(web.Change{Do: "add", ID: nodeID(4), Address: "127.0.0.1:1", Kind: spec.Observer}))
	}
	type row struct {
		name     string
		make     func(t *testing.T) *Cluster
		goesOn   func(t *testing.T, c *Cluster, old Reign)
		lost, by int
	}
	together(t, []row{
		{"a follower", fixedThree, elect, 1, 2},
		{"the leader", fixedThree, elect, 2, 1},
		{"a follower among changing members", changingThree, elect, 1, 2},
		{"the leader among changing members", changingThree, elect, 2, 1},
		{"members have changed", changingThree, change, 1, 3},
	}, func(c row) string { return c.name }, func(t *testing.T, c row) {
		cluster := c.make(t)
		require.NoError(t, cluster.Start())
		old := leads(t, cluster, 3, 0, cluster.IDs()...)
		copied := t.TempDir()
		require.NoError(t, os.CopyFS(copied, os.DirFS(cluster.Data(c.lost))))
		record, err := storage.Inspect(copied)
		require.NoError(t, err)
		knew := uint64(record.Promise.Epoch)
		c.goesOn(t, cluster, old)

		rollBack(t, cluster, c.lost, copied)
		lacks := "it has held version 2 of the members"
		if slices.ContainsFunc(cluster.Events(0), func(e Event) bool { return e.Node == c.lost && e.Epoch > knew }) { // as it has whenever the machine has cost a reign
			lacks = fmt.Sprintf(`it has held epoch \d+, and its record knew of %d`, knew)
		}
		require.NoError(t, cluster.Start(c.lost))
		disowned(t, cluster, c.lost, c.by)
		require.Regexp(t, lacks, cluster.Log(c.lost))

		raise(t, cluster, c.lost, c.by, spec.Epoch(old.Epoch)+1000)
		require.NoError(t, cluster.Start(c.lost))
		agree(t, cluster, old.Epoch, c.lost, c.by)
		require.False(t, saysLost(t, cluster, c.by, c.lost), "node %d says that the disk of %d is lost, which has a new record and agrees", c.by, c.lost)
	})
}

// TestCopyOfTheSameRunElectsNobody is what such a copy would do: 1 has helped 2 to lead, and 2, put back to before that, helps 3 to lead
// in the same epoch, as 3 was down. Both hear nothing of 1, which hears 2.
func TestCopyOfTheSameRunElectsNobody(t *testing.T) {
	t.Parallel()
	cluster := bullies(t, Config{Nodes: 3, Command: steadyCommand(t, "-preempt", "1s"), Network: Proxied})
	require.NoError(t, cluster.Start())
	old := leads(t, cluster, 3, 0, cluster.IDs()...)
	copied := t.TempDir()
	require.NoError(t, os.CopyFS(copied, os.DirFS(cluster.Data(2))))
	_, err := cluster.Kill(3)
	require.NoError(t, err)
	leads(t, cluster, 2, old.Epoch, 1, 2)
	_, err = cluster.Cut(append(Between([]int{1}, []int{3}), OneWay([]int{1}, []int{2})...)...)
	require.NoError(t, err)

	rollBack(t, cluster, 2, copied)
	require.NoError(t, cluster.Start(2, 3))
	disowned(t, cluster, 2, 1) // and nobody has told of two leaders in an epoch: see finish
}

// rollBack kills a node, and puts a copy of its folder in the place of that.
func rollBack(t *testing.T, c *Cluster, id int, copied string) {
	t.Helper()
	_, err := c.Kill(id)
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(c.Data(id)))
	require.NoError(t, os.CopyFS(c.Data(id), os.DirFS(copied)))
}

// TestLostDiskInFirstRun is the same with a node that has been asked by the leader alone, since it started for the first time: those
// that it has not spoken to know it too.
func TestLostDiskInFirstRun(t *testing.T) {
	t.Parallel()
	cluster := fixedThree(t)
	require.NoError(t, cluster.Start(1, 3))
	leads(t, cluster, 3, 0, 1, 3)
	require.NoError(t, cluster.Start(2))
	leads(t, cluster, 3, 0, 1, 2, 3)
	eventually(t, "1 has a connection to 2", func() bool { return strings.Contains(cluster.Log(1), "msg=connected node=1 cluster=localcluster to=2") })
	_, err := cluster.Stop(1) // what it has said leaves
	require.NoError(t, err)
	_, err = cluster.Pause(3)
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(cluster.Data(1)))
	require.NoError(t, cluster.Start(1))
	ends(t, cluster, 1)
	require.Contains(t, cluster.Log(1), "node 2 remembers what it has said after its record was written")
	_, err = cluster.Continue(3)
	require.NoError(t, err)
}

func fixedThree(t *testing.T) *Cluster {
	return bullies(t, Config{Nodes: 3, Command: steadyCommand(t, "-preempt", "1s")})
}

func changingThree(t *testing.T) *Cluster {
	c := bullies(t, Config{Nodes: 3, Changing: true, Command: changingCommand(steadyCommand(t, "-preempt", "1s"))})
	require.NoError(t, c.Init("island", 1, 2, 3))
	return c
}

// saysLost reports whether the status of a node says that another has lost its disk.
func saysLost(t *testing.T, c *Cluster, id, lost int) bool {
	response, err := http.Get("http://" + c.HTTP(id) + "/status")
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	var s struct {
		Links []struct {
			Node     string
			LostDisk bool `json:"lost_disk"`
		}
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&s))
	for _, l := range s.Links {
		if l.Node == nodeID(lost).String() {
			return l.LostDisk
		}
	}
	return false
}

// raise gives a node a new record, as bully repair -raise does, and storage.RaiseChanging for members that come and go.
func raise(t *testing.T, c *Cluster, id, other int, epoch spec.Epoch) {
	others, err := storage.Inspect(c.Data(other))
	require.NoError(t, err)
	if others.Identity == (storage.Identity{}) {
		_, err = storage.Raise(c.Data(id), nodeID(id), others.Members, epoch)
	} else {
		who := storage.Identity{ID: nodeID(id), Cluster: others.Identity.Cluster, Incarnation: storage.NewIncarnation()}
		_, err = storage.RaiseChanging(c.Data(id), who, others.Promise.Configuration, epoch)
	}
	require.NoError(t, err)
}
