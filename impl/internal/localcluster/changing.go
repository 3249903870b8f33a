package localcluster

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// Init makes the records of the first members of a cluster whose members come and go, all of them voters. Their nodes must
// not run.
func (c *Cluster) Init(cluster string, first ...int) error {
	var members []spec.Member
	for _, id := range first {
		members = append(members, spec.Member{ID: nodeID(id), Kind: spec.Voter, Address: c.Addr(id)})
	}
	all, err := spec.NewConfiguration(0, 1, members)
	if err != nil {
		return err
	}
	for _, id := range first {
		who := storage.Identity{ID: nodeID(id), Cluster: cluster, Incarnation: storage.NewIncarnation()}
		if err := storage.Init(c.Data(id), who, all); err != nil {
			return err
		}
	}
	return nil
}

// Join makes the record of a node that is to be added to such a cluster, and returns it as the voter that it is to be.
func (c *Cluster) Join(cluster string, id int) (spec.Member, error) {
	who := storage.Identity{ID: nodeID(id), Cluster: cluster, Incarnation: storage.NewIncarnation()}
	if err := storage.Init(c.Data(id), who, spec.EmptyConfiguration()); err != nil {
		return spec.Member{}, err
	}
	return spec.Member{ID: who.ID, Kind: spec.Voter, Address: transport.JoinAddress(c.Addr(id), who.Incarnation)}, nil
}

func nodeID(id int) spec.NodeID { return spec.IntegerID(uint64(id)) }

// URLs returns where the HTTP servers of nodes are; of all that run if none is given.
func (c *Cluster) URLs(ids ...int) []string {
	var all []string
	for _, n := range c.nodes {
		if slices.Contains(ids, n.id) || len(ids) == 0 && n.running() {
			all = append(all, "http://"+n.http)
		}
	}
	return all
}

// Gap is a time in which no node led.
type Gap struct {
	From, To time.Time
	Old, New int // who led before, and after
}

// Took returns how long it was.
func (g Gap) Took() time.Duration { return g.To.Sub(g.From) }

// String returns g as a person would say it.
func (g Gap) String() string {
	return fmt.Sprintf("nobody led for %s between %d and %d", g.Took().Round(10*time.Microsecond), g.Old, g.New)
}

// Gaps returns the times in which no node said that it led, between the first that did and the last. A node that has gone
// leads no more when that was noticed.
func Gaps(events []Event) (all []Gap) {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b Event) int { return a.At.Compare(b.At) })
	leading := map[int]bool{}
	var gap Gap
	for _, e := range events {
		switch leads := e.Running && e.Leading; {
		case leads && len(leading) == 0 && gap.Old != 0:
			gap.To, gap.New = e.At, e.Node
			all = append(all, gap)
			leading[e.Node] = true
		case leads:
			leading[e.Node] = true
		case leading[e.Node]:
			delete(leading, e.Node)
			if len(leading) == 0 {
				gap = Gap{From: e.At, Old: e.Node}
			}
		}
	}
	return all
}
