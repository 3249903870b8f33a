package algorithms

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/impl/baselines/lease"
)

// leases are all forms of election against a store.
func leases() []compare.Algorithm {
	unfenced := leaseForm("lease-unfenced", "Lease in a store, writes without revision", false, false)
	unfenced.Fences = false
	return []compare.Algorithm{
		// Candidates for one key of a store: who creates it leads, and all others watch it. The epoch of a reign is the revision at which the key was created.
		leaseForm("lease", "Lease in a store, one key", false, false),
		// An entry for each candidate, as in ZooKeeper's recipe: who was there first leads, and each watches only the one before it.
		leaseForm("lease-sequential", "Lease in a store, each watches the one before", true, false),
		// One key, without a local deadline: a leader leads until the store says that its key is gone.
		leaseForm("lease-careless", "Lease in a store, without a local deadline", false, true),
		// One key, and leaders do not say a revision when they write, so that the resource can refuse nothing: what Kubernetes' client-go offers, by
		// its own documentation.
		unfenced,
	}
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
	n.step(lease.Timeout(lease.Timer(t)), out)
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

// leaseStep is the last step of a candidate or of the store, as far as it is told of.
type leaseStep struct {
	led   bool // before it, of a candidate
	did   lease.Output
	timer lease.Timer
	ended bool // it is the end of that timer
	got   lease.Message
}

// begin notes what people are told of a step that begins.
func (n *leaseNode) begin(step leaseStep) {
	if n.candidate != nil {
		step.led = n.candidate.Leads()
	}
	n.last = step
}

// Tell tells whether a candidate holds the lease, and what is in the store.
func (n *leaseNode) Tell() Telling {
	if n.candidate == nil {
		saved := n.core.(*lease.Store).Saved()
		return Telling{Role: "store", Epoch: uint64(saved.Revision), Fields: []Field{{"lease", entries(saved.Entries)}, {"revision", fmt.Sprint(saved.Revision)}}}
	}
	leader, revision := n.candidate.Leader()
	t := Telling{Role: "silent", Epoch: uint64(revision)}
	switch {
	case n.candidate.Leads():
		t.Role = "holder"
	case n.candidate.Stands():
		t.Role = "asks"
	case leader > 0:
		t.Role = "watches"
	}
	if leader > 0 {
		t.Fields = []Field{{"holder", fmt.Sprint(leader)}, {"revision", fmt.Sprint(revision)}}
	}
	return t
}

// entries says who holds what, whose reign is first.
func entries(of []lease.Entry) string {
	var text []string
	for _, e := range of {
		text = append(text, fmt.Sprintf("%d (revision %d)", e.Holder, e.Revision))
	}
	if len(text) == 0 {
		return "free"
	}
	return strings.Join(text, ", ")
}

// Kept tells the entries of the store. A candidate saves nothing.
func (n *leaseNode) Kept(saved any) string {
	kept, ok := saved.(lease.Saved)
	if !ok {
		return ""
	}
	return fmt.Sprintf("revision %d, lease: %s", kept.Revision, entries(kept.Entries))
}

// About tells which entry a message is about.
func (n *leaseNode) About(m compare.Message) (epoch uint64, text string) {
	message, _ := m.Body.(lease.Message)
	if message.Entry.Revision > 0 {
		return uint64(message.Entry.Revision), fmt.Sprintf("lease of %d", message.Entry.Holder)
	}
	return 0, ""
}

// Did tells of the last step.
func (n *leaseNode) Did() Step {
	step := Step{Note: n.last.did.Note}
	switch t := n.last.timer; {
	case !n.last.ended:
	case t == lease.Tick:
		step.Text = "looks which leases have run out"
	case t == lease.Renewal && n.candidate.Stands():
		step.Text = "asks the store again"
	case t == lease.Renewal:
		step.Text = "renews its lease"
	case t == lease.Rewatch:
		step.Text = "has heard nothing from the store for a while"
	default:
		step.Text = "a deadline of its own has come"
	}
	if m := &n.last.got; step.Note == "" && !n.last.ended && m.Kind != "" {
		step.Note = n.heard(m)
	}
	switch {
	case step.Note != "" || n.last.ended || n.last.got.Kind != "":
	case n.candidate == nil:
		step.Note = "keeps the key that all want"
	case n.candidate.Stands():
		step.Note = "asks the store for the lease"
	}
	return step
}

// heard tells what is made of a message, where the core does not.
func (n *leaseNode) heard(m *lease.Message) string {
	sent := func(k lease.Kind) bool {
		return len(n.last.did.Send) > 0 && n.last.did.Send[0].Kind == k
	}
	switch {
	case n.last.did.Ignored != "":
		return "takes no notice of it: it is late"
	case n.candidate != nil:
		return n.answered(m)
	case m.Kind == lease.Create && n.last.did.Save != nil:
		return fmt.Sprintf("nobody has the key: it is %d's now", m.From)
	case sent(lease.Held):
		return fmt.Sprintf("says no: %d has the key", n.last.did.Send[0].Entry.Holder)
	case m.Kind == lease.Create:
		return fmt.Sprintf("the key is %d's already", m.From)
	case sent(lease.Renewed):
		return fmt.Sprintf("the lease of %d begins anew", m.From)
	case sent(lease.Gone):
		return "says that this lease is gone"
	case m.Kind == lease.Watch:
		return fmt.Sprintf("will tell %d when it goes", m.From)
	}
	return ""
}

// answered tells what a candidate has made of what the store says.
func (n *leaseNode) answered(m *lease.Message) string {
	leader, revision := n.candidate.Leader()
	switch {
	case n.candidate.Leads() && !n.last.led:
		return fmt.Sprintf("has the lease: was the first to ask for it, whatever its number; its reign is revision %d", revision)
	case n.candidate.Leads():
		return "still has the lease"
	case n.candidate.Stands():
		return "asks for the lease"
	case leader > 0:
		return fmt.Sprintf("%d has the lease: follows it, and watches", leader)
	}
	return ""
}
