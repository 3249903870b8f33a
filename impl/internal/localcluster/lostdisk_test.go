package localcluster

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec"
)

// TestLostDisk wipes the disk of a node, or puts an old copy in its place, while the leader is stopped in its tracks: what the
// node has granted is forgotten, and with its vote another could win the epoch of that leader. One node remembers. The other
// stops for good before it votes, and says why; people see it; and it comes back when a person has answered for it.
func TestLostDisk(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T) *Cluster
		lose func(t *testing.T, c *Cluster, copy string)
	}{
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
	} {
		t.Run(c.name, func(t *testing.T) {
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
			ends(t, cluster, 1)
			require.Equal(t, 1, cluster.ExitStatus(1))
			require.Contains(t, cluster.Log(1), "node 2 remembers what it has said after its record was written")
			eventually(t, "2 says so", func() bool {
				return strings.Contains(cluster.Log(2), "a node is not heeded: its disk is lost") && saysLost(t, cluster, 2, 1)
			})
			report, err := storage.Inspect(cluster.Data(1))
			require.NoError(t, err)
			require.NotNil(t, report.Problem, "bully repair exits with 1: %s", report)
			require.Equal(t, storage.Lost, report.Problem.Kind)

			require.NoError(t, cluster.Start(1))
			ends(t, cluster, 1)
			require.Equal(t, 1, cluster.ExitStatus(1), "nor does it start again")
			require.Contains(t, lastLine(cluster.Log(1)), "is lost")

			raise(t, cluster, 1, spec.Epoch(last.Epoch)+1000)
			require.NoError(t, cluster.Start(1))
			agree(t, cluster, last.Epoch, 1, 2)
			require.False(t, saysLost(t, cluster, 2, 1))
			_, err = cluster.Continue(3)
			require.NoError(t, err)
			agree(t, cluster, last.Epoch, 1, 2, 3)
		})
	}
}

// TestLostDiskInFirstRun is the same with a node that has been asked by the leader alone, since it started for the first time: those
// that it has not spoken to know it too.
func TestLostDiskInFirstRun(t *testing.T) {
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
	return bullies(t, Config{Nodes: 3, Command: runCommand()})
}

func changingThree(t *testing.T) *Cluster {
	c := bullies(t, Config{Nodes: 3, Changing: true, Command: changingCommand()})
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
func raise(t *testing.T, c *Cluster, id int, epoch spec.Epoch) {
	others, err := storage.Inspect(c.Data(2))
	require.NoError(t, err)
	if others.Identity == (storage.Identity{}) {
		_, err = storage.Raise(c.Data(id), nodeID(id), others.Members, epoch)
	} else {
		who := storage.Identity{ID: nodeID(id), Cluster: others.Identity.Cluster, Incarnation: storage.NewIncarnation()}
		_, err = storage.RaiseChanging(c.Data(id), who, others.Promise.Configuration, epoch)
	}
	require.NoError(t, err)
}
