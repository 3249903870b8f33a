package main_test

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	bully "github.com/seed-fdf591db/bully/impl"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec"
)

// newMembers returns a cluster whose members come and go, founded with so many.
func newMembers(t *testing.T, founders, shards int) *cluster {
	c := newCluster(t, founders, shards)
	c.admin = map[spec.NodeID]string{}
	var members []spec.Member
	for _, id := range c.ids {
		members = append(members, spec.Member{ID: id, Kind: spec.Voter, Address: c.address[id]})
	}
	first, err := spec.NewConfiguration(0, 1, members)
	require.NoError(t, err)
	for _, id := range c.ids {
		c.record(id, first)
		c.start(id)
	}
	return c
}

// record makes the record of a node, as bully init and join do.
func (c *cluster) record(id spec.NodeID, first spec.Configuration) {
	if c.admin[id] == "" {
		c.admin[id] = c.reserve()
	}
	folder := filepath.Join(c.folder, id.String())
	require.NoError(c.t, storage.Init(folder, storage.Identity{ID: id, Cluster: "orders", Incarnation: storage.NewIncarnation()}, first))
	require.NoError(c.t, bully.KeepAddress(folder, c.address[id], c.ids...))
}

// change has whoever leads the cluster change its members, until it is done.
func (c *cluster) change(what string, values url.Values) {
	c.t.Helper()
	said := ""
	for began := time.Now(); time.Since(began) < patience; time.Sleep(100 * time.Millisecond) {
		for id := range c.runs {
			client := http.Client{Timeout: 20 * time.Second}
			response, err := client.PostForm("http://"+c.admin[id]+"/"+what, values)
			if err != nil {
				said = err.Error()
				continue
			}
			body, _ := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if said = string(body); response.StatusCode == http.StatusOK || what == "remove" && strings.Contains(said, "is no member, and so cannot be removed") {
				return
			}
		}
	}
	require.FailNow(c.t, "the members were not changed", "%s %v: %s", what, values, said)
}

// comes has a new node come.
func (c *cluster) comes() {
	last := slices.MaxFunc(slices.Collect(maps.Keys(c.address)), spec.NodeID.Compare)
	id := spec.IntegerID(uint64(last[15]) + 1)
	c.address[id] = c.reserve()
	c.record(id, spec.EmptyConfiguration())
	c.start(id)
	c.change("add", url.Values{"id": {id.String()}, "address": {c.address[id]}})
	c.ids = append(c.ids, id)
}

// goes has a node go: it ends by itself, when no shard has it any more; or it is killed at once, and never comes back.
func (c *cluster) goes(id spec.NodeID, killed bool) {
	c.change("remove", url.Values{"id": {id.String()}})
	c.ids = slices.DeleteFunc(c.ids, func(other spec.NodeID) bool { return other == id })
	if c.runs[id] == nil {
		return
	}
	if killed {
		c.end(id, syscall.SIGKILL)
		return
	}
	c.endsItself(id, host.ErrRemoved)
}

// losesGroups ends a node, and has it come back without what it has promised in groups, though its record is there: the others know, and it ends by itself. Then it has all again.
func (c *cluster) losesGroups(id spec.NodeID) {
	if c.runs[id] != nil {
		c.end(id, syscall.SIGKILL)
	}
	folder := filepath.Join(c.folder, id.String())
	require.NoError(c.t, os.CopyFS(folder+".kept", os.DirFS(folder)))
	require.NoError(c.t, os.RemoveAll(filepath.Join(folder, "groups")))
	c.start(id)
	c.endsItself(id, host.ErrLostDisk)
	require.NoError(c.t, os.RemoveAll(folder))
	require.NoError(c.t, os.Rename(folder+".kept", folder))
	c.start(id)
}

// TestShardsOfMembers is TestShards while machines come and go for good: nodes are added under new ids, removed, and ranked otherwise, between all else that befalls them. Nobody who was removed runs on.
func TestShardsOfMembers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: it looks into /proc")
	}
	t.Parallel()
	shards, rounds, long := soaks(2)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random, c := rand.New(rand.NewPCG(seed, 0)), newMembers(t, 4, shards)
	c.settles()
	steady := c.ids[0]
	var began leaks
	start, round, came, went, slowest := time.Now(), 0, 0, 0, time.Duration(0)
	for ; round < rounds || time.Since(start) < long; round++ {
		for range 3 {
			c.harm(random, steady)
			time.Sleep(time.Duration(random.IntN(1500)) * time.Millisecond)
		}
		for _, id := range c.ids {
			if c.runs[id] == nil {
				c.start(id)
			}
		}
		switch other := c.ids[1+random.IntN(len(c.ids)-1)]; {
		case round%5 == 4:
			c.rank(random)
			began = leaks{}
		case len(c.ids) < 4 || len(c.ids) < 6 && random.IntN(2) == 0:
			c.comes()
			came++
		default:
			c.goes(other, random.IntN(2) == 0)
			went++
		}
		c.change("rank", url.Values{"id": {c.ids[random.IntN(len(c.ids))].String()}, "rank": {fmt.Sprint(random.IntN(5))}})
		c.store.forget()
		quiet := time.Now()
		c.settles()
		slowest = max(slowest, time.Since(quiet))
		if round%3 == 0 {
			c.losesGroups(c.ids[1+random.IntN(len(c.ids)-1)])
		}
		is := c.doesNotGrow(steady, &began, shards)
		if long > 0 {
			t.Logf("%v: round %d, %d writes, members %v; node %v holds %+v", time.Since(start).Round(time.Second), round, c.store.count(), c.ids, steady, is)
		}
	}
	for id := range c.runs {
		c.end(id, syscall.SIGTERM)
	}
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	require.Empty(t, c.store.wrong)
	c.store.check(t)
	t.Logf("%d rounds in %v; %d came, %d went, all was as planned %v after the last change at most; %d writes, of which %d were of reigns that were over, and refused; %d histories are linearizable", round,
		time.Since(start).Round(time.Second), came, went, slowest.Round(100*time.Millisecond), c.store.written+c.store.fenced, c.store.fenced, len(c.store.ops))
}
