package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// Membership is who the members are, as a node knows it.
type Membership struct {
	Configuration spec.Configuration // none if members are fixed; empty if the node has not been told of any yet (R49)
	// Settled says that this node leads, and that a quorum has the configuration on disk: no later leader can pass it over.
	// A node that does not lead cannot tell.
	Settled bool
}

// ChangeOption says how a call changes members.
type ChangeOption uint8

// Force lets a change be made that would leave the cluster without a quorum of nodes that answer, and lets a member be
// moved to another address. What a leader can never do stays refused (R47).
const Force ChangeOption = 1

var (
	// ErrStaleVersion says that the members have been changed since the version that was expected: look at them again.
	ErrStaleVersion = errors.New("the members are not of the version that is expected")
	// ErrChangeInProgress says that another call changes the members: try again when it has ended.
	ErrChangeInProgress = errors.New("another change of members is under way")
	// ErrWouldLoseQuorum says that the nodes that answer now would be no quorum of the members wanted. See Force.
	ErrWouldLoseQuorum = errors.New("the cluster would lose its quorum")
	// ErrHandedOver says that this node, which led and was to vote no more, is a witness now and leads no more, so that its
	// successor can do the rest: call there again.
	ErrHandedOver = errors.New("this node has handed over, and its successor is to do the rest")
	// ErrOutcomeUnknown says that a change was begun, and nobody can tell here whether it holds. Members at the next leader
	// tells, as soon as they are settled.
	ErrOutcomeUnknown = errors.New("it is not known whether the members have been changed")
	// ErrRemoved says that this node is no member any more. Run ends with it, after a while.
	ErrRemoved = errors.New("this node is no member any more")
)

// MembersError is what is wrong with members, or with a call that was to change them.
type MembersError struct {
	// Why is one of the errors above, or ErrNotLeader: call the leader. errors.Is finds it.
	Why error
	// Problem says more, or is "".
	Problem string
	// Leader is who leads, as far as this node knows, or none.
	Leader spec.NodeID
	// Configuration is the one that this node has now.
	Configuration spec.Configuration
	// Wanted is the version that was expected, of an ErrStaleVersion.
	Wanted uint64
}

// Error implements error.
func (e *MembersError) Error() string {
	text := "host: " + strings.TrimPrefix(e.Why.Error(), "host: ")
	if errors.Is(e.Why, ErrNotLeader) {
		text = "host: this node does not lead"
		if !e.Leader.IsNone() {
			text += fmt.Sprintf(": node %s does, ask there", e.Leader)
		}
	}
	if e.Problem != "" {
		text += ": " + e.Problem
	}
	return text
}

// Unwrap returns Why.
func (e *MembersError) Unwrap() error { return e.Why }

// Members returns the configuration of this node: who the members are, as it knows. It is none if members are fixed. Of
// the leader it is the newest there is; others may be behind.
func (h *Host) Members() spec.Configuration { return h.seen.Load().membership.Configuration }

// WatchMembers returns a channel of the caller's own that has the members as they are now, at once, and then whenever
// they change. It is otherwise as that of Watch. It is closed when ctx ends and when the host stops.
func (h *Host) WatchMembers(ctx context.Context) <-chan Membership { return h.members.watch(ctx) }

// AddMember makes a node a member of a kind, or a member one of another kind or rank, and returns the configuration in which it
// is, once that is settled. It is for the leader only. A node that is to vote is an observer first, until it has answered:
// so it must run, or the call waits until ctx ends; it then stays an observer. To repeat the call is to go on where it
// stopped. Of a member that is what it is to be already nothing is changed; a rank of 0 leaves that of a member as it is (see RankMember).
//
// The change is made only if the settled configuration is of the version expected; 0 is any. Its version is up to two
// higher then. A leader that is made a witness resigns as soon as that is settled.
//
// The error is a *MembersError if it is about members; errors.Is tells which: ErrNotLeader, ErrStaleVersion,
// ErrChangeInProgress, ErrWouldLoseQuorum, ErrHandedOver, ErrOutcomeUnknown. Unless it is one of the last two, nothing
// was changed.
func (h *Host) AddMember(ctx context.Context, m spec.Member, expectedVersion uint64, options ...ChangeOption) (spec.Configuration, error) {
	if m.Kind == "" {
		m.Kind = spec.Voter
	}
	return h.changeMembers(ctx, plan{m}, expectedVersion, options)
}

// RemoveMember makes a member none, and returns the configuration without it, once that is settled. It is for the leader
// only, and otherwise as AddMember. A leader does not remove itself: it makes itself a witness, resigns as soon as that is
// settled, and the error is ErrHandedOver: the call is to be made again at the next leader.
//
// A node that is removed is told so, and its Run ends with ErrRemoved, after a while: see Run. One that does not run learns
// of it when it does.
func (h *Host) RemoveMember(ctx context.Context, id spec.NodeID, expectedVersion uint64, options ...ChangeOption) (spec.Configuration, error) {
	return h.changeMembers(ctx, plan{{ID: id}}, expectedVersion, options)
}

// RankMember gives a member a rank, and returns the configuration in which it has it, once that is settled. It is for the leader only, and
// otherwise as AddMember. Of two members that of the higher rank is the better leader, and of two of one rank that of the higher id (R1). So
// if another voter is the highest then, it takes over, as it would after a restart: see Timing.Preempt.
func (h *Host) RankMember(ctx context.Context, id spec.NodeID, rank uint16, expectedVersion uint64, options ...ChangeOption) (spec.Configuration, error) {
	return h.carryOut(&change{plan: plan{{ID: id, Rank: rank}}, ranks: true, version: expectedVersion, ctx: ctx}, options)
}

// ReplaceMember adds a member as AddMember does, and then removes another as RemoveMember does. If the new one has rank 0 it is given that of
// the old. If the error is ErrHandedOver, what is left is to remove old, at the next leader.
func (h *Host) ReplaceMember(ctx context.Context, old spec.NodeID, m spec.Member, expectedVersion uint64, options ...ChangeOption) (spec.Configuration, error) {
	if m.Kind == "" {
		m.Kind = spec.Voter
	}
	if old == m.ID {
		return spec.Configuration{}, fmt.Errorf("host: node %s cannot replace itself: give the new node an id of its own", old)
	}
	return h.changeMembers(ctx, plan{m, {ID: old}}, expectedVersion, options)
}

// A change is a call that changes members, while it is under way.
type change struct {
	plan    plan
	ranks   bool   // the plan gives its one member a rank, and leaves all else of it
	version uint64 // expected; 0 is any
	force   bool
	ctx     context.Context
	stage   atomic.Uint32 // see below
	done    chan changed  // has room for one; only the loop sends

	// The rest is the loop's alone.
	epoch   spec.Epoch // of the reign in which it was called
	looked  bool       // the plan has been looked at
	handing bool       // this node resigns for it
	doubted instant    // since when it would lose the quorum; 0 if it would not
}

// The stages of a change. Who calls may give up the first; from the second on the outcome is not known to who gives up.
const (
	changeWaits = iota
	changeBegan
	changeGivenUp
)

// changed is how a change has ended.
type changed struct {
	configuration spec.Configuration
	err           error
}

// changeMembers carries out a plan.
func (h *Host) changeMembers(ctx context.Context, p plan, version uint64, options []ChangeOption) (spec.Configuration, error) {
	return h.carryOut(&change{plan: p, version: version, ctx: ctx}, options)
}

// carryOut calls the loop to make a change, and waits until it has.
func (h *Host) carryOut(c *change, options []ChangeOption) (spec.Configuration, error) {
	ctx := c.ctx
	c.done = make(chan changed, 1)
	for _, o := range options {
		c.force = c.force || o == Force
	}
	if err := h.call(ctx, func() { h.begin(c) }); err != nil {
		return spec.Configuration{}, err
	}
	select {
	case end := <-c.done:
		return end.configuration, end.err
	case <-ctx.Done():
		if c.stage.CompareAndSwap(changeWaits, changeGivenUp) {
			return spec.Configuration{}, fmt.Errorf("host: the members have not been changed: %w", ctx.Err())
		}
		return spec.Configuration{}, h.unknown(ctx.Err())
	case <-h.done:
	}
	select {
	case end := <-c.done: // it was told before the host has ended
		return end.configuration, end.err
	default:
	}
	if c.stage.Load() == changeWaits {
		return spec.Configuration{}, h.reason()
	}
	return spec.Configuration{}, h.unknown(h.reason())
}

// unknown is the error of a change that has begun, and whose outcome nobody can tell here.
func (h *Host) unknown(because error) error {
	s := h.seen.Load()
	e := &MembersError{Why: ErrOutcomeUnknown, Leader: s.told.Leader, Configuration: s.membership.Configuration,
		Problem: "look at the members of the next leader, as soon as they are settled"}
	if because != nil {
		return fmt.Errorf("%w (%w)", e, because)
	}
	return e
}

// ChangingTransport is a Transport whose links follow the members, as they come and go. A host of changing members needs
// one.
type ChangingTransport interface {
	Transport
	// SetMembers says who the members are, and where they listen. Links to new members are opened. Those to nodes that are
	// none any more are closed as soon as what has been sent on them is out.
	SetMembers(addresses map[spec.NodeID]string)
}

// changing reports whether members come and go (R42).
func (h *Host) changing() bool { return h.config.changing() }

func (c *Config) changing() bool { return len(c.Members) == 0 }

// prepare makes the core of a node of changing members, which goes by the configuration of its record.
func (h *Host) prepare(promise spec.Durable, found bool) error {
	now := promise.Configuration
	if now.IsNone() {
		return errors.New("it has no configuration: give Members, all nodes, if they are fixed; or make a record of changing members (storage.Init)")
	}
	first := now
	if found {
		first = spec.EmptyConfiguration() // a restart brings its own
	}
	node, err := bully.NewChanging(h.config.ID, first)
	if err != nil {
		return err
	}
	h.node, h.state.Configuration = node, now
	h.reconfigure()
	h.noteMembers()
	h.connectMembers()
	return nil
}

// reconfigure makes all that goes by members go by the configuration of now. It comes before what the step sends.
func (h *Host) reconfigure() {
	links, old := linksOf(h.config.ID, h.state.Configuration), h.links
	h.policy.Reconfigure(links.who, func(s set) set { return links.translate(old, s) })
	links.inherit(old)
	links.show(h.policy.Peers())
	h.links = links
}

// connectMembers makes the transport go by the configuration. It comes after what the step sends: so a node that is
// removed is told on the link that is then closed.
func (h *Host) connectMembers() {
	addresses := map[spec.NodeID]string{}
	for _, m := range h.state.Configuration.Members() {
		addresses[m.ID] = m.Address
	}
	h.config.Transport.(ChangingTransport).SetMembers(addresses) // withDefaults has seen that it is one
}

// noteMembers tells users who the members are, if that is new.
func (h *Host) noteMembers() {
	now := Membership{Configuration: h.state.Configuration, Settled: h.changing() && h.node.Settled()}
	if now == h.membership {
		return
	}
	anew := now.Configuration != h.membership.Configuration
	h.membership = now
	h.show()
	h.members.tell(now)
	h.config.Metrics.Configured(now)
	if !anew {
		return
	}
	h.unbelieved.forget()
	h.config.Logger.Info("members", slog.String("configuration", now.Configuration.String()))
	_, member := now.Configuration.Member(h.config.ID)
	switch removed := !member && !now.Configuration.IsEmpty(); {
	case !removed:
		h.leaves = never
	case h.leaves == never:
		h.leaves = h.watch.Now.Add(h.config.Timing.Linger())
		h.config.Logger.Warn("no member any more: to stop soon, unless that is lost", slog.Duration("in", h.config.Timing.Linger()))
	}
}

// leave stops a node that is no member any more, when it has waited for long enough to hear that it is one after all: a
// leader that has removed it, and died, may be followed by one that has not heard of that (R47).
func (h *Host) leave() {
	if h.err != nil || h.watch.Now.Before(h.leaves) {
		return
	}
	if h.config.Leaves != nil && !h.config.Leaves() {
		h.leaves = h.leaves.Add(h.config.Timing.Linger()) // to look again
		return
	}
	h.err = h.membersError(ErrRemoved, fmt.Sprintf("the members are %s; with its disk it can be added again; without it, it comes back under a new id", h.state.Configuration))
	h.config.Logger.Warn("stopped", slog.Any("err", h.err))
}

// A non-member is not believed who the members are (decision 0032): whoever reaches a node, or has a certificate of its cluster, could
// else make it adopt members that were never made such (R43). Its message is not heard, which is what a network may do to any: nothing
// of safety rests on it. Nor does anything of it get lost for good where a member that this node knows has adopted the same: those who
// made the change, or heard of it, say so too.

// maxUnbelieved is how many non-members are remembered, so that people see who they are.
const maxUnbelieved = 16

// nonMembers are those who were not believed since the node was last told of members. The loop adds, and Status reads.
type nonMembers struct {
	mu  sync.Mutex
	ids []spec.NodeID // ascending
}

// heeds reports whether a message may be given to the node: not if a non-member says that there are other members.
func (h *Host) heeds(m *spec.Message) bool {
	own := h.state.Configuration
	if own.IsNone() || !m.Configuration.Newer(own) || slices.Contains(h.config.Believe, m.From) {
		return true
	}
	if own.IsEmpty() && (len(h.config.AddedBy) == 0 || slices.Contains(h.config.AddedBy, m.From)) {
		return true
	}
	if _, member := own.Member(m.From); member {
		return true
	}
	h.counters.unbelieved.Add(1)
	if h.unbelieved.note(m.From) {
		h.config.Logger.Warn("a node that is no member, as far as this one knows, says that there are other members, and is not believed. If it is so, a member says it too; if none is left that could, start this node with -believe and that id",
			slog.String("non-member", m.From.String()),
			slog.String("claims", m.Configuration.String()), slog.String("members", own.String()))
	}
	return false
}

// note remembers a non-member, and reports whether it is a new one, and there is room for it.
func (s *nonMembers) note(id spec.NodeID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, known := slices.BinarySearchFunc(s.ids, id, spec.NodeID.Compare)
	if known || len(s.ids) == maxUnbelieved {
		return false
	}
	s.ids = slices.Insert(s.ids, at, id)
	return true
}

// forget forgets all: the node has been told who the members are.
func (s *nonMembers) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids = nil
}

func (s *nonMembers) list() []spec.NodeID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ids)
}
