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
	Changing []int          `json:"changing,omitempty"` // the groups that have other members than the cluster, as yet
	Problems map[int]string `json:"problems,omitempty"` // why this node takes no part in a group, or waits
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
	if s.config.Node != nil {
		mux.HandleFunc("GET /members", s.members)
		mux.HandleFunc("POST /members", s.change)
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		select {
		case <-s.config.Groups.Done():
			http.Error(w, "the node has ended", http.StatusServiceUnavailable)
		default:
			_, _ = w.Write([]byte("ok\n"))
		}
	})
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
		if own != nil && !sameMembers(g.Members, *own) {
			p.Changing = append(p.Changing, i)
		}
		if g.Problem != "" {
			if p.Problems == nil {
				p.Problems = map[int]string{}
			}
			p.Problems[i] = g.Problem
		}
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

// sameMembers reports whether a group has the members of the cluster, each of its kind.
func sameMembers(group, cluster spec.Configuration) bool {
	for _, m := range cluster.Members() {
		if is, there := group.Member(m.ID); !there || is.Kind != m.Kind {
			return false
		}
	}
	return group.Len() == cluster.Len()
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
	for i := range p.Problems {
		if i < 0 || i >= n {
			return errors.New("what it says of problems names groups that are not there")
		}
	}
	return nil
}
