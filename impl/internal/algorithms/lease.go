package algorithms

import (
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/impl/baselines/lease"
)

// Lease is candidates for one key of a store: who creates it leads, and all others watch it. The epoch of a reign is the
// revision at which the key was created.
func Lease() compare.Algorithm {
	return leaseForm("lease", "Lease in a store, one key", false, false)
}

// LeaseSequential is candidates with an entry each in a store, as in ZooKeeper's recipe: who was there first leads, and each
// watches only the one before it.
func LeaseSequential() compare.Algorithm {
	return leaseForm("lease-sequential", "Lease in a store, each watches the one before", true, false)
}

// LeaseCareless is Lease without a local deadline: a leader leads until the store says that its key is gone.
func LeaseCareless() compare.Algorithm {
	return leaseForm("lease-careless", "Lease in a store, without a local deadline", false, true)
}

// LeaseUnfenced is Lease whose leaders do not say a revision when they write, so that the resource can refuse nothing: what
// Kubernetes' client-go offers, by its own documentation.
func LeaseUnfenced() compare.Algorithm {
	a := leaseForm("lease-unfenced", "Lease in a store, writes without revision", false, false)
	a.Fences = false
	return a
}

// LeaseAlgorithms returns all forms of election against a store, first that with one key.
func LeaseAlgorithms() []compare.Algorithm {
	return []compare.Algorithm{Lease(), LeaseSequential(), LeaseCareless(), LeaseUnfenced()}
}

// leaseForm is the algorithm of a form of candidates. The store is its one server. What keeps a reign up is renewals with
// their answers, and asking to watch. That an entry is gone, and all that comes of it, is part of an election.
func leaseForm(name, title string, sequential, careless bool) compare.Algorithm {
	return compare.Algorithm{
		Name: name, Title: title, Servers: 1, Epochs: true, Fences: true,
		Timers: []string{"deadline 1", "deadline 2", "deadline 3", "deadline 4", "renewal", "rewatch", "tick"},
		Urgent: 1<<lease.Deadlines - 1, // who was paused looks at the clock before it believes an answer that is as old
		Upkeep: []string{string(lease.Renew), string(lease.Renewed), string(lease.Watch)},
		New: func(c compare.Config) compare.Node {
			n := &leaseNode{config: c, after: leaseWaits(c.Timing)}
			var err error
			if c.ID > c.Nodes {
				n.core, err = lease.NewStore(lease.StoreConfig{Candidates: c.Nodes, Ticks: leaseTicks})
			} else {
				own := lease.Config{ID: c.ID, Key: lease.SharedKey, Session: c.Random.Next(), NoDeadline: careless}
				if sequential {
					own.Key = c.ID
				}
				n.candidate, err = lease.New(own)
				n.core = n.candidate
			}
			if err != nil {
				panic(err) // a run has nodes, and their ids are 1 to Nodes
			}
			return n
		},
	}
}

// leaseTicks is how many ticks make a TTL: the store may take an entry for alive that much longer, 10 ms of 325.
const leaseTicks = 32

// leaseWaits returns how long each timer runs. A tick is the smallest time of which leaseTicks make a TTL. A candidate gives up
// what it has sent its last renewal for that long ago: a TTL, less a Delay for a write that it has begun before, less a tenth of the
// TTL, by which its clock may be slower than that of the store. A follower watches again once its patience ends.
func leaseWaits(t compare.Timing) map[lease.Timer]time.Duration {
	after := map[lease.Timer]time.Duration{
		lease.Renewal: t.Heartbeat, lease.Rewatch: max(t.Patience, t.TTL), lease.Tick: (t.TTL + leaseTicks - 1) / leaseTicks,
	}
	for k := range lease.Timer(lease.Deadlines) {
		after[k] = t.TTL - t.Delay - t.TTL/10
	}
	return after
}

// leaseNode is a candidate, or the store, and its host.
type leaseNode struct {
	config compare.Config
	after  map[lease.Timer]time.Duration // how long each timer runs
	core   interface {
		Step(lease.Input) lease.Output
	}
	candidate *lease.Candidate // the core, if it is one
	last      leaseStep
}

func (n *leaseNode) Start(out *compare.Output) {
	n.last = leaseStep{}
	n.step(lease.Start(), out)
}

// Restart has something to take from a disk only for the store: a candidate saves nothing.
func (n *leaseNode) Restart(saved any, out *compare.Output) {
	last, _ := saved.(lease.Saved)
	n.last = leaseStep{}
	n.step(lease.Restart(last), out)
}

// Receive gives the core a message. What is none of a lease is ignored, as one of an unknown kind.
func (n *leaseNode) Receive(from int, m compare.Message, out *compare.Output) {
	message, _ := m.Body.(lease.Message)
	if message.From = from; from > n.config.Nodes {
		message.From = lease.StoreID
	}
	n.begin(leaseStep{got: message})
	n.step(lease.Receive(message), out)
}

func (n *leaseNode) End(t compare.Timer, out *compare.Output) {
	n.begin(leaseStep{timer: lease.Timer(t), ended: true})
	n.step(lease.Ended(lease.Timer(t)), out)
}

func (n *leaseNode) Suspect(out *compare.Output) {
	n.begin(leaseStep{})
	n.step(lease.Suspect(), out)
}

func (n *leaseNode) Status() compare.Status {
	if n.candidate == nil {
		return compare.Status{}
	}
	leader, revision := n.candidate.Leader()
	return compare.Status{Leader: leader, Leading: n.candidate.Leads(), Standing: n.candidate.Stands(), Epoch: uint64(revision)}
}

// step lets the core take a step, and does its duties.
func (n *leaseNode) step(in lease.Input, out *compare.Output) {
	did := n.core.Step(in)
	if did.Save != nil {
		out.Save = *did.Save
	}
	for _, t := range did.Stop {
		out.Stop = append(out.Stop, compare.Timer(t))
	}
	for _, t := range did.Set {
		out.Set = append(out.Set, compare.SetTimer{Timer: compare.Timer(t), After: n.after[t]})
	}
	for _, m := range did.Send {
		sent := compare.Sent{To: m.To, Message: compare.Message{Kind: string(m.Kind), Body: m}}
		if m.To == lease.StoreID {
			sent.To = n.config.Nodes + 1
		}
		out.Send = append(out.Send, sent)
	}
	out.Note, n.last.did = did.Note, did
}
