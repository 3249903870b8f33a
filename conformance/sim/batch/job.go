package batch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/sim"
)

// maxShards is into how many shards seeds can be split.
const maxShards = 100_000

// Job says what a batch runs.
type Job struct {
	Subject  string        `json:"subject"` // what the nodes are, for people: results of different subjects are not merged
	First    uint64        `json:"first"`   // seed
	Last     uint64        `json:"last"`    // seed, included
	Shard    int           `json:"shard"`   // with Shards: of the seeds, those whose remainder by Shards is Shard-1
	Shards   int           `json:"shards"`  // 1 and 1: all
	Nodes    []int         `json:"nodes"`
	Profiles []sim.Profile `json:"profiles"`
	Done     uint64        `json:"done"` // how many runs were made: all of them, unless the batch was stopped
}

// Validate returns nil if the job is to run something, and else what is wrong with it.
func (j *Job) Validate() error {
	switch {
	case j.First > j.Last:
		return fmt.Errorf("batch: seeds %d to %d: there is none", j.First, j.Last)
	case j.Last > sim.MaxSeed:
		return fmt.Errorf("batch: the seed %d is above %d", j.Last, uint64(sim.MaxSeed))
	case j.Shard < 1 || j.Shard > j.Shards || j.Shards > maxShards:
		return fmt.Errorf("batch: shard %d of %d: they are from 1 to at most %d", j.Shard, j.Shards, maxShards)
	case len(j.Nodes) == 0:
		return errors.New("batch: no number of nodes")
	case len(j.Profiles) == 0:
		return errors.New("batch: no profile")
	case j.seeds() == 0:
		return fmt.Errorf("batch: none of the seeds %d to %d is in shard %d of %d", j.First, j.Last, j.Shard, j.Shards)
	}
	for i, n := range j.Nodes {
		if n < 1 || n > sim.MaxNodes || slices.Contains(j.Nodes[:i], n) {
			return fmt.Errorf("batch: numbers of nodes %v: each is from 1 to %d, and there once", j.Nodes, sim.MaxNodes)
		}
	}
	for i, p := range j.Profiles {
		if !p.Valid() || slices.Contains(j.Profiles[:i], p) {
			return fmt.Errorf("batch: profiles %v: each is one of %v, and there once", j.Profiles, sim.Profiles())
		}
	}
	return nil
}

// first returns the first seed of the shard, which may be above Last.
func (j *Job) first() uint64 {
	n, want := uint64(j.Shards), uint64(j.Shard-1)
	return j.First + (want+n-j.First%n)%n
}

// seeds returns how many seeds there are to run.
func (j *Job) seeds() uint64 {
	if j.first() > j.Last {
		return 0
	}
	return (j.Last-j.first())/uint64(j.Shards) + 1
}

// Runs returns how many runs there are: one for each seed, number of nodes and profile.
func (j *Job) Runs() uint64 { return j.seeds() * uint64(len(j.Nodes)*len(j.Profiles)) }

// Args returns the arguments of Generate for run i, which is below Runs.
func (j *Job) Args(i uint64) (seed uint64, nodes int, profile sim.Profile) {
	profiles, kinds := uint64(len(j.Profiles)), uint64(len(j.Nodes)*len(j.Profiles))
	return j.first() + i/kinds*uint64(j.Shards), j.Nodes[i%kinds/profiles], j.Profiles[i%profiles]
}

// common returns a seed that both jobs run with the same nodes and profile, if there is one.
func (j *Job) common(k *Job) (uint64, bool) {
	shared := func(n int) bool { return slices.Contains(k.Nodes, n) }
	sharedProfile := func(p sim.Profile) bool { return slices.Contains(k.Profiles, p) }
	if !slices.ContainsFunc(j.Nodes, shared) || !slices.ContainsFunc(j.Profiles, sharedProfile) {
		return 0, false
	}
	seed, first := j.first(), max(j.First, k.First)
	if seed < first {
		seed += (first - seed + uint64(j.Shards) - 1) / uint64(j.Shards) * uint64(j.Shards)
	}
	for range k.Shards {
		if seed > min(j.Last, k.Last) {
			break
		}
		if seed%uint64(k.Shards) == uint64(k.Shard-1) {
			return seed, true
		}
		seed += uint64(j.Shards)
	}
	return 0, false
}

// String returns the job as a person would say it.
func (j *Job) String() string {
	text := fmt.Sprintf("seeds %d-%d", j.First, j.Last)
	if j.Shards > 1 {
		text += fmt.Sprintf(", shard %d/%d", j.Shard, j.Shards)
	}
	return text + fmt.Sprintf(", nodes %s, %s", strings.Trim(fmt.Sprint(j.Nodes), "[]"), strings.Trim(fmt.Sprint(j.Profiles), "[]"))
}
