package web

import (
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/spec"
)

// Groups is a node of many groups. A groups.Groups is one.
type Groups interface {
	Status() groups.Status
	Placement() groups.Placement
	Done() <-chan struct{} // closed when it has ended
}

// placementPage is the page for people, which draws what GET /groups answers.
//
//go:embed placement.html
var placementPage []byte

// Placed is what GET /groups answers: who leads what, as this node knows it, beside who is to while all run. The groups are in columns, in the order of their
// names, and members are said by their places in Members, from 0 on: ten thousand groups are some 200 kB.
type Placed struct {
	Node    spec.NodeID    `json:"node"`
	Cluster string         `json:"cluster"`
	Version string         `json:"version"`
	Members []PlacedMember `json:"members"`
	Names   []string       `json:"names"`
	Leaders []int          `json:"leaders"` // of each group; -1 if this node knows of none
	Wanted  []int          `json:"wanted"`  // who leads it while all run; -1 if this node knows of no member
	Epochs  []spec.Epoch   `json:"epochs"`
	Pinned  []int          `json:"pinned"` // which groups are pinned: places in Names
	Stuck   []int          `json:"stuck"`  // whose work hangs at this node

	// Where members change:
	Changing []int                     `json:"changing,omitempty"` // the groups that have other members than the cluster, as yet: they lag behind
	Lags     map[int]string            `json:"lags,omitempty"`     // … and why, as this node knows: whoever leads the group knows best
	Problems map[int]string            `json:"problems,omitempty"` // why this node takes no part in a group, or waits
	Sets     []map[int]spec.MemberKind `json:"sets,omitempty"`     // the members that groups have, and of which kind: they are few
	Has      []int                     `json:"has,omitempty"`      // which of these each group has
}

// PlacedMember is a member in Placed.
type PlacedMember struct {
	ID     spec.NodeID `json:"id"`
	State  string      `json:"state"` // this, up, down, or dead: proved to be
	Weight int         `json:"weight"`
	Leads  int         `json:"leads"`         // how many groups
	Wanted int         `json:"wanted"`        // how many while all run
	Out    bool        `json:"out,omitempty"` // it is to lead nothing, as it is no voter of the cluster: it comes, or goes
	View   string      `json:"view,omitempty"`

	Kind spec.MemberKind `json:"kind,omitempty"` // of the cluster, where members change; "" if it is no member there
}

// GroupsNow is what GET /status says of the groups of a node, beside the cluster's own election.
type GroupsNow struct {
	All           int   `json:"all"` // in which it takes part
	Led           int   `json:"led"` // by it
	WithoutLeader int   `json:"without_leader"`
	Lagging       int   `json:"lagging"` // that have other members than the cluster, as yet
	Pending       int   `json:"pending"` // how many members that makes in all
	Lags          []Lag `json:"lags"`    // of the first of them that no other node leads, by their names
}

// Lag says why a group has other members than the cluster.
type Lag struct {
	Group string `json:"group"`
	Why   string `json:"why"`
}

// mostLags is how many groups GET /status names.
const mostLags = 20

// groupsNow returns what a node is to tell of its groups.
func groupsNow(s *groups.Status) *GroupsNow {
	now := GroupsNow{All: len(s.Groups), Led: s.Leading, Lags: []Lag{}}
	for _, g := range s.Groups {
		if g.Leader.IsNone() {
			now.WithoutLeader++
		}
		if g.Pending == 0 {
			continue
		}
		now.Lagging++
		now.Pending += g.Pending
		if (g.Leader.IsNone() || g.Leader == s.ID) && len(now.Lags) < mostLags {
			now.Lags = append(now.Lags, Lag{g.Name, g.Lags})
		}
	}
	return &now
}

// showGroups serves what there is to see of a node of many groups.
func (s *Server) showGroups(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		_, _ = w.Write(placementPage)
	})
	mux.HandleFunc("GET /groups", s.placed)
	mux.HandleFunc("GET /leader", s.leaderOf)
	health := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) }
	if s.config.Node != nil {
		health = s.health
		mux.Handle("GET /election", http.StripPrefix("/election", s.page))
		s.showElection(mux)
	} else {
		for _, path := range []string{"/status", "/views", "/leading", "/resign", "/members", "/events", "/steps"} {
			mux.HandleFunc(path, noElection)
		}
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-s.config.Groups.Done():
			http.Error(w, "the node has ended", http.StatusServiceUnavailable)
		default:
			health(w, r)
		}
	})
}

// noElection answers whoever asks nodes whose members are fixed for an election of the cluster itself.
func noElection(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "this node runs many elections, and none of the cluster itself, as its members are fixed: bully groups, GET /groups and /leader?group=NAME say who leads; stop a node, and others lead its groups", http.StatusNotFound)
}

// noGroups answers whoever asks a node of one election for groups.
func noGroups(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "this node runs one election, and no groups: bully status and GET /leader say who leads; bully run -group runs many", http.StatusNotFound)
}

// placed answers who leads what; or, with ?down=3,4, who would while these are down: nobody, if the others are no quorum.
func (s *Server) placed(w http.ResponseWriter, r *http.Request) {
	var down []spec.NodeID
	for part := range strings.SplitSeq(r.FormValue("down"), ",") {
		if part == "" {
			continue
		}
		id, err := spec.ParseNodeID(part)
		if err != nil || !slices.Contains(s.config.Groups.Placement().Members, id) {
			http.Error(w, fmt.Sprintf("down: %q is no member: give ids, as in ?down=3,4", part), http.StatusBadRequest)
			return
		}
		down = append(down, id)
	}
	if all := s.config.Groups.Placement().Members; 2*(len(all)-len(down)) <= len(all) {
		down = all
	}
	answer(w, http.StatusOK, s.placement(down))
}

// placement returns who leads what, and who is to while some are down.
func (s *Server) placement(down []spec.NodeID) Placed {
	now, placement := s.config.Groups.Status(), s.config.Groups.Placement()
	p := Placed{Node: now.ID, Cluster: s.config.Cluster, Version: s.config.Version, Names: []string{}, Leaders: []int{}, Wanted: []int{}, Epochs: []spec.Epoch{}, Pinned: []int{}, Stuck: []int{}}
	ids := s.placedMembers(&now, &placement)
	for _, id := range ids {
		p.Members = append(p.Members, PlacedMember{ID: id, State: stateOf(&now, id), Weight: placement.Weights[id], Out: !slices.Contains(placement.Members, id), View: s.config.Views[id]})
	}
	own := s.ownMembers()
	if own != nil {
		for i, id := range ids {
			m, _ := own.Member(id)
			p.Members[i].Kind = m.Kind
		}
		p.Lags, p.Problems = map[int]string{}, map[int]string{}
	}
	sets := map[string]int{}
	for i, g := range now.Groups {
		leader, wanted := slices.Index(ids, g.Leader), slices.Index(ids, first(&placement, &g, down))
		if leader >= 0 {
			p.Members[leader].Leads++
		}
		if wanted >= 0 {
			p.Members[wanted].Wanted++
		}
		p.Names, p.Leaders, p.Wanted, p.Epochs = append(p.Names, g.Name), append(p.Leaders, leader), append(p.Wanted, wanted), append(p.Epochs, g.Epoch)
		if !placement.Pins[g.Name].IsNone() {
			p.Pinned = append(p.Pinned, i)
		}
		if g.Stuck {
			p.Stuck = append(p.Stuck, i)
		}
		if own == nil {
			continue
		}
		if g.Pending > 0 {
			p.Changing, p.Lags[i] = append(p.Changing, i), g.Lags
		}
		if g.Problem != "" {
			p.Problems[i] = g.Problem
		}
		p.Has = append(p.Has, p.setOf(g.Members, ids, sets))
	}
	return p
}

// placedMembers returns the members: those that are to lead, and where members change also those that are members of the cluster, or of a group as yet.
func (s *Server) placedMembers(now *groups.Status, placement *groups.Placement) []spec.NodeID {
	all := slices.Clone(placement.Members)
	if own := s.ownMembers(); own != nil {
		for _, m := range own.Members() {
			all = append(all, m.ID)
		}
		for _, g := range now.Groups {
			for _, m := range g.Members.Members() {
				all = append(all, m.ID)
			}
			if !g.Leader.IsNone() {
				all = append(all, g.Leader)
			}
		}
	}
	slices.SortFunc(all, spec.NodeID.Compare)
	return slices.Compact(all)
}

// ownMembers returns the members of the cluster, where they change; else nil.
func (s *Server) ownMembers() *spec.Configuration {
	if s.config.Node == nil {
		return nil
	}
	return s.config.Node.Status().Configuration
}

// setOf returns the place in Sets of the members of a group. Of the sets that are there, by their members, it keeps account.
func (p *Placed) setOf(c spec.Configuration, ids []spec.NodeID, sets map[string]int) int {
	members := map[int]spec.MemberKind{}
	key := make([]byte, 0, 8*len(ids))
	for i, id := range ids {
		if m, is := c.Member(id); is {
			members[i] = m.Kind
			key = append(key, string(m.Kind)...)
		}
		key = append(key, ',')
	}
	at, there := sets[string(key)]
	if !there {
		at = len(p.Sets)
		sets[string(key)], p.Sets = at, append(p.Sets, members)
	}
	return at
}

// first returns who is to lead a group while some are down, or none.
func first(p *groups.Placement, g *groups.GroupStatus, down []spec.NodeID) spec.NodeID {
	if len(down) == 0 {
		return g.Wanted
	}
	order := p.Order(g.Name)
	if i := slices.IndexFunc(order, func(id spec.NodeID) bool { return !slices.Contains(down, id) }); i >= 0 {
		return order[i]
	}
	return spec.NodeID{}
}

func stateOf(s *groups.Status, id spec.NodeID) string {
	switch {
	case id == s.ID:
		return "this"
	case slices.Contains(s.Up, id):
		return "up"
	case slices.Contains(s.Dead, id):
		return "dead"
	}
	return "down"
}

// errNoGroup says that a question names no group.
var errNoGroup = errors.New("which group? Give it as in ?group=orders-17")

// leaderOf answers who leads a group.
func (s *Server) leaderOf(w http.ResponseWriter, r *http.Request) {
	name := r.FormValue("group")
	if name == "" {
		http.Error(w, errNoGroup.Error(), http.StatusBadRequest)
		return
	}
	now := s.config.Groups.Status()
	at, found := slices.BinarySearchFunc(now.Groups, name, func(g groups.GroupStatus, name string) int { return strings.Compare(g.Name, name) })
	if !found {
		http.Error(w, fmt.Sprintf("this node takes part in no group %q: GET /groups says in which it does", name), http.StatusNotFound)
		return
	}
	g, code := now.Groups[at], http.StatusOK
	if g.Role == "" {
		notStarted(w)
		return
	}
	if g.Leader.IsNone() {
		code = http.StatusServiceUnavailable
	}
	answer(w, code, struct {
		Group  string      `json:"group"`
		Leader spec.NodeID `json:"leader"`
		Epoch  spec.Epoch  `json:"epoch"`
		View   string      `json:"view,omitempty"`
	}{g.Name, g.Leader, g.Epoch, s.config.Views[g.Leader]})
}

// Check returns nil if it fits together, and else an error: what a node has told may be anything.
func (p *Placed) Check() error {
	n := len(p.Names)
	if len(p.Leaders) != n || len(p.Wanted) != n || len(p.Epochs) != n {
		return errors.New("what it says of its groups does not fit together")
	}
	for i := range n {
		if p.Leaders[i] < -1 || p.Leaders[i] >= len(p.Members) || p.Wanted[i] < -1 || p.Wanted[i] >= len(p.Members) {
			return errors.New("what it says of its groups names members that are not there")
		}
	}
	if slices.ContainsFunc(p.Pinned, func(i int) bool { return i < 0 || i >= n || p.Wanted[i] < 0 }) {
		return errors.New("what it says of its pins names groups that are not there")
	}
	if slices.ContainsFunc(p.Changing, func(i int) bool { return i < 0 || i >= n }) {
		return errors.New("what it says of members that change names groups that are not there")
	}
	for _, said := range []map[int]string{p.Problems, p.Lags} {
		for i := range said {
			if i < 0 || i >= n {
				return errors.New("what it says of problems names groups that are not there")
			}
		}
	}
	if len(p.Has) != 0 && len(p.Has) != n || slices.ContainsFunc(p.Has, func(set int) bool { return set < 0 || set >= len(p.Sets) }) {
		return errors.New("what it says of the members of groups does not fit together")
	}
	for _, set := range p.Sets {
		for m := range set {
			if m < 0 || m >= len(p.Members) {
				return errors.New("what it says of the members of groups names members that are not there")
			}
		}
	}
	return nil
}
