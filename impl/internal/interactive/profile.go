package interactive

import (
	"slices"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Algorithm is an algorithm that can be played.
type Algorithm struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Servers  int    `json:"servers"`           // how many servers it needs beside its nodes
	MaxNodes int    `json:"maxNodes"`          // how many nodes it can have here
	Says     string `json:"says"`              // who leads next, and why
	Resigns  bool   `json:"resigns,omitempty"` // a node can be told to lead no longer
	Changes  bool   `json:"changes,omitempty"` // a leader can be asked to change the members
}

// Profile is how long things take in a run.
type Profile struct {
	Name string `json:"name"`
	Says string `json:"says"`

	timing      compare.Timing
	delay, disk compare.Range
	loss        float64
}

// Algorithms returns every algorithm, ours first.
func Algorithms() (all []Algorithm) {
	for _, a := range playable() {
		_, resigns := a.New(compare.Config{ID: 1, Nodes: MinNodes, Order: []int{1, 2, 3}, Timing: compare.LAN(), Random: random()}).(compare.Resigner)
		most := MaxNodes
		if a.MaxNodes > 0 {
			most = min(most, a.MaxNodes)
		}
		all = append(all, Algorithm{Name: a.Name, Title: a.Title, Servers: a.Servers, MaxNodes: most, Says: familyOf(&a).says, Resigns: resigns, Changes: a.Name == members})
	}
	return all
}

// members is the name of the algorithm in which a leader can be asked to change the members.
const members = "bully-members"

// playable returns every algorithm: those that are compared with each other, and ours with members that come and go.
func playable() []compare.Algorithm {
	all := algorithms.All()
	return slices.Insert(all, 1, algorithms.BullyMembers())
}

// algorithmNamed returns the algorithm of a name.
func algorithmNamed(name string) (compare.Algorithm, bool) {
	if name == members {
		return algorithms.BullyMembers(), true
	}
	return algorithms.Named(name)
}

// Profiles returns every profile, first the one to begin with. Messages take long enough to be seen under way, and so little
// that nobody who is alive is taken for dead; but for those that are lost.
func Profiles() []Profile {
	const ms = time.Millisecond
	lan, wan := policy.LAN(), policy.WAN()
	return []Profile{
		{Name: "lan", Says: "One room: messages take 3 to 9 ms, and a silence of " + span(lan.Patience) + " is a death.",
			timing: compare.TimingOf(lan), delay: compare.Range{Min: 3 * ms, Max: 9 * ms}, disk: compare.Range{Min: ms / 2, Max: 3 * ms / 2}},
		{Name: "wan", Says: "Around the world: messages take 40 to 90 ms, and a silence of " + span(wan.Patience) + " is a death.",
			timing: compare.TimingOf(wan), delay: compare.Range{Min: 40 * ms, Max: 90 * ms}, disk: compare.Range{Min: ms, Max: 4 * ms}},
		{Name: "lossy", Says: "A bad network: messages take 1 to 10 ms, and one in ten is lost.",
			timing: compare.TimingOf(lan), delay: compare.Range{Min: ms, Max: 10 * ms}, disk: compare.Range{Min: ms / 2, Max: 3 * ms / 2}, loss: 0.1},
	}
}

func profileNamed(name string) *Profile {
	all := Profiles()
	if i := slices.IndexFunc(all, func(p Profile) bool { return p.Name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

func profileNames() string {
	var names []string
	for _, p := range Profiles() {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// long is how long a run goes on that no scenario ends.
const long = 24 * time.Hour

// scenario returns what happens to so many nodes: nothing, until somebody intervenes. Leaders write once in a while, so that it
// shows if one of a past reign does.
func (p *Profile) scenario(nodes int) compare.Scenario {
	return compare.Scenario{Name: p.Name, Nodes: nodes, Length: long, Timing: p.timing, Delay: p.delay, Disk: p.disk, Loss: p.loss,
		Work: p.timing.Heartbeat}
}

// ofScenario returns what is played of a scenario. Its end is that of its time: a run that somebody may intervene in is not
// over when it is quiet.
func ofScenario(n *scenarios.Named) setting {
	s := n.Scenario
	s.Quiet = false
	return setting{scenario: s, named: n, seed: n.Seed}
}

// family is what algorithms have in common: who leads next, and why.
type family struct {
	prefix string // of their names
	ranked bool   // the highest leads
	quorum bool   // nobody leads whom no more than half of all nodes have promised it
	reigns string // what a reign is counted by; "" if by nothing
	says   string // who leads next, and why: two sentences
	missed string // how it comes out that a leader is gone, after how long
	next   string // what comes then, if the highest does not lead
}

var families = []family{
	{prefix: members, ranked: true, quorum: true, reigns: "epoch",
		says: "The highest voter that reaches more than half of those who vote leads. It can be asked to add a node, to remove one, or to make one a voter, a witness or an observer."},
	{prefix: "bully", ranked: true, quorum: true, reigns: "epoch",
		says: "The highest node that reaches more than half of all leads. It leads an epoch, which more than half have promised to it alone, on disk."},
	{prefix: "textbook", ranked: true,
		says: "A node leads when no higher one answers it in time. Nobody counts how many it reaches, so each side of a cut has a leader."},
	{prefix: "ring", ranked: true,
		says: "A message goes round the ring, and the highest that it has met leads. Who does not answer is skipped, so each side of a cut has a leader."},
	{prefix: "raft", quorum: true, reigns: "term",
		says: "Whose patience ends first asks for votes, and with those of more than half of all nodes it leads a term. Numbers of nodes count for nothing.",
		next: "Each of them waits for a random time, and whose time is over first asks for votes: with those of more than half of all it leads the next term"},
	{prefix: "lease", reigns: "revision",
		says:   "Who creates a key in a store leads, until it does not renew it in time. Numbers of nodes count for nothing, and without the store nobody leads.",
		missed: "the store waits until its lease has run out, about %s",
		next:   "Who asks first then has it"},
}

func familyOf(a *compare.Algorithm) *family {
	for k := range families {
		if strings.HasPrefix(a.Name, families[k].prefix) {
			return &families[k]
		}
	}
	return &family{}
}

// random is for a node that is made only to be looked at.
func random() *simnet.Random {
	r := simnet.NewRandom(0, 0)
	return &r
}
