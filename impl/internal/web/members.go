package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/spec"
)

// Changer changes members. A host.Host of changing members is one.
type Changer interface {
	AddMember(ctx context.Context, m spec.Member, expectedVersion uint64, options ...host.ChangeOption) (spec.Configuration, error)
	RemoveMember(ctx context.Context, id spec.NodeID, expectedVersion uint64, options ...host.ChangeOption) (spec.Configuration, error)
	RankMember(ctx context.Context, id spec.NodeID, rank uint16, expectedVersion uint64, options ...host.ChangeOption) (spec.Configuration, error)
	ReplaceMember(ctx context.Context, old spec.NodeID, m spec.Member, expectedVersion uint64, options ...host.ChangeOption) (spec.Configuration, error)
}

var _ Changer = (*host.Host)(nil)

// Members is what GET /members answers: who the members are, as the node knows.
type Members struct {
	Node          spec.NodeID         `json:"node"`
	Membership    string              `json:"membership"` // what the node is among them, as of host.Status
	Leader        spec.NodeID         `json:"leader"`     // or null
	Leading       bool                `json:"leading"`
	Epoch         spec.Epoch          `json:"epoch"`
	Settled       bool                `json:"settled"`       // the node leads, and a quorum is known to hold the configuration
	Configuration *spec.Configuration `json:"configuration"` // null if members are fixed
}

// Change is what POST /members takes: what to do, and with which member.
type Change struct {
	Do      string          `json:"do"`                // add, remove, replace or rank
	ID      spec.NodeID     `json:"id"`                // whom to add, remove or rank; of replace, whom to add
	Kind    spec.MemberKind `json:"kind,omitempty"`    // of who is added: voter if there is none
	Rank    uint16          `json:"rank,omitempty"`    // to rank, or of who is added: there 0 leaves what it has
	Address string          `json:"address,omitempty"` // of who is added
	Old     spec.NodeID     `json:"old"`               // of replace, whom to remove; else null
	Version uint64          `json:"version,omitempty"` // that is expected; 0 is any
	Force   bool            `json:"force,omitempty"`
}

// Changed is what POST /members answers: 200 and the configuration in which it is done, or another status and why not.
type Changed struct {
	Configuration *spec.Configuration `json:"configuration"` // that of the node; null if it does not say
	Refusal       Refusal             `json:"error,omitempty"`
	Message       string              `json:"message,omitempty"`
	Leader        spec.NodeID         `json:"leader"` // or null
}

// Refusal says why members were not changed as wanted.
type Refusal string

// The refusals, which are the errors of package host. The members may have been changed in part by the last two, and
// perhaps by Unknown.
const (
	NotLeader     Refusal = "not-leader"
	StaleVersion  Refusal = "stale-version"
	InProgress    Refusal = "in-progress"
	WouldLose     Refusal = "would-lose-quorum"
	NotPossible   Refusal = "not-possible" // it makes no sense, or never can be
	NotAllowed    Refusal = "not-allowed"  // this server changes nothing
	Unknown       Refusal = "unknown"
	HandedOver    Refusal = "handed-over"
	NotUnderstood Refusal = "not-understood" // the request is none
)

var refusals = []struct {
	err     error
	refusal Refusal
	code    int
}{
	{host.ErrNotLeader, NotLeader, http.StatusConflict},
	{host.ErrStaleVersion, StaleVersion, http.StatusConflict},
	{host.ErrChangeInProgress, InProgress, http.StatusConflict},
	{host.ErrWouldLoseQuorum, WouldLose, http.StatusConflict},
	{host.ErrHandedOver, HandedOver, http.StatusConflict},
	{host.ErrOutcomeUnknown, Unknown, http.StatusGatewayTimeout},
	{context.DeadlineExceeded, InProgress, http.StatusGatewayTimeout},
}

// members answers who the members are.
func (s *Server) members(w http.ResponseWriter, _ *http.Request) {
	now := s.config.Node.Status()
	answer(w, http.StatusOK, Members{Node: now.ID, Membership: now.Membership, Leader: now.Leader, Leading: now.Leading, Epoch: now.Epoch,
		Settled: now.Settled, Configuration: now.Configuration})
}

// change changes members.
func (s *Server) change(w http.ResponseWriter, r *http.Request) {
	switch now := s.config.Node.Status(); {
	case s.config.Changer == nil:
		answer(w, http.StatusForbidden, Changed{Refusal: NotAllowed, Message: "the members of this node are fixed"})
		return
	case !s.config.Control:
		answer(w, http.StatusForbidden, Changed{Refusal: NotAllowed, Configuration: now.Configuration, Leader: now.Leader,
			Message: fmt.Sprintf(notControlled, "change members")})
		return
	}
	var wanted Change
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&wanted); err != nil {
		answer(w, http.StatusBadRequest, Changed{Refusal: NotUnderstood, Message: err.Error()})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), longest)
	defer cancel()
	s.config.Logger.Info("asked to change members", "by", r.RemoteAddr, "do", wanted.Do, "id", wanted.ID.String(), "force", wanted.Force)
	result, err := s.carryOut(ctx, wanted)
	if err == nil {
		answer(w, http.StatusOK, Changed{Configuration: &result, Leader: s.config.Node.Status().Leader})
		return
	}
	code, why := s.whyNot(err)
	answer(w, code, why)
}

// carryOut does what is wanted.
func (s *Server) carryOut(ctx context.Context, c Change) (spec.Configuration, error) {
	member := spec.Member{ID: c.ID, Kind: c.Kind, Rank: c.Rank, Address: c.Address}
	var options []host.ChangeOption
	if c.Force {
		options = append(options, host.Force)
	}
	switch c.Do {
	case "add":
		return s.config.Changer.AddMember(ctx, member, c.Version, options...)
	case "remove":
		return s.config.Changer.RemoveMember(ctx, c.ID, c.Version, options...)
	case "rank":
		return s.config.Changer.RankMember(ctx, c.ID, c.Rank, c.Version, options...)
	case "replace":
		return s.config.Changer.ReplaceMember(ctx, c.Old, member, c.Version, options...)
	}
	return spec.Configuration{}, fmt.Errorf("do %q: there are add, remove, replace and rank", c.Do)
}

// whyNot returns the answer that says why members were not changed.
func (s *Server) whyNot(err error) (code int, _ Changed) {
	now := s.config.Node.Status()
	c := Changed{Refusal: NotPossible, Message: err.Error(), Leader: now.Leader, Configuration: now.Configuration}
	for _, r := range refusals {
		if errors.Is(err, r.err) {
			c.Refusal = r.refusal
			if r.refusal == InProgress {
				c.Message += s.lagging()
			}
			return r.code, c
		}
	}
	return http.StatusUnprocessableEntity, c
}

// lagging says which groups keep members from being changed further, or "".
func (s *Server) lagging() string {
	if s.config.Groups == nil {
		return ""
	}
	status := s.config.Groups.Status()
	now := groupsNow(&status)
	if now.Lagging == 0 {
		return ""
	}
	text := fmt.Sprintf("; %d groups have not followed the last change yet, and the next waits for them (bully groups names them)", now.Lagging)
	if len(now.Lags) > 0 {
		text += fmt.Sprintf(": %s: %s", now.Lags[0].Group, now.Lags[0].Why)
	}
	return text
}
