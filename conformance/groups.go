package conformance

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// mostMembers is how many members there are in questions, at most.
const mostMembers = 7

// Groups returns all groups about fixed members. But for the questions, the answers are the model's.
func Groups() []Group {
	groups := []Group{
		{Name: "questions", Explanation: "questions of section 13, and more, answered by hand", Pinned: 127, All: questions},
		{Name: "start", Explanation: "the first start of each node (R32)", Pinned: 28, All: starts},
	}
	for i, pinned := range []int{290, 36_356, 367_056} {
		groups = append(groups, Group{
			Name:        fmt.Sprintf("all-%d", i+1),
			Explanation: "every state of section 6, and every input, epochs at most two apart",
			Pinned:      pinned,
			All:         exhaustive(integers(i+1), about, allThatDiffer, 0, 2),
		})
	}
	for n := 4; n <= mostMembers; n++ {
		groups = append(groups, Group{
			Name:        fmt.Sprintf("random-%d", n),
			Explanation: "states, inputs and ids drawn at random, the same each time",
			Pinned:      randomCases,
			All:         randomly(n),
		})
	}
	return append(groups,
		Group{
			Name: "reachable", Explanation: "every step that a node takes in the small configurations, as the explorer comes to it",
			Pinned: 6_363, All: reachable,
		},
		Group{
			Name: "bound", Explanation: "every state and input at the end of epochs: nobody claims beyond 2^53-1 (R2)",
			Pinned: 113_088, All: exhaustive(integers(3), about, thatCounts, spec.MaxEpoch-1, spec.MaxEpoch),
		},
		Group{Name: "ids", Explanation: "ids that look lower than they are: ids compare as unsigned bytes (R1)", Pinned: 149_760, All: ids},
		Group{Name: "non-members", Explanation: "messages of non-members, and for others, are ignored (R34)", Pinned: 49_920, All: nonMembers},
		Group{Name: "malformed", Explanation: "what is no message is ignored, and never repaired (R33)", Pinned: 53_760, All: malformed},
	)
}

// asker makes cases, and lets the model answer them.
type asker struct {
	model Model
	c     Case
	yield func(*Case) bool
}

// ask yields one case, and reports whether there may be more.
func (a *asker) ask(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) bool {
	a.c = Case{ID: id, Members: members, Before: before, Input: in}
	a.c.Want = a.model.Step(id, members, before, in)
	a.c.Rule = check.RuleOf(&a.c)
	return a.yield(&a.c)
}

// exhaustive yields every case of these members, the state having one of these epochs, and a message one that is near, and one of these numbers.
func exhaustive(members []spec.NodeID, near func(spec.Epoch) []spec.Epoch, numbers numbers, epochs ...spec.Epoch) iter.Seq[*Case] {
	return func(yield func(*Case) bool) {
		a := asker{yield: yield}
		for _, id := range members {
			for _, epoch := range epochs {
				inputs := slices.Collect(inputsOf(id, members, near(epoch), numbers))
				for before := range statesOf(id, members, epoch) {
					for _, in := range inputs {
						if !a.ask(id, members, before, in) {
							return
						}
					}
				}
			}
		}
	}
}

// starts yields the first start of each node of each number of members.
func starts(yield func(*Case) bool) {
	a := asker{yield: yield}
	blank := check.Survivor(spec.Durable{})
	for n := 1; n <= mostMembers; n++ {
		for _, id := range integers(n) {
			if !a.ask(id, integers(n), blank, spec.Input{Call: spec.StartCall}) {
				return
			}
		}
	}
}

// ids yields every state and input of three members whose ids are easily compared wrongly: as text, as signed bytes, from
// the wrong end, or one half only.
func ids(yield func(*Case) bool) {
	const low, high = "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed", "f47ac10b-58cc-4372-a567-0e02b2c3d479"
	for _, members := range [][]spec.NodeID{
		{spec.IntegerID(3), spec.IntegerID(20), spec.IntegerID(100)},
		{spec.IntegerID(255), spec.IntegerID(256), spec.IntegerID(math.MaxUint64)},
		{spec.IntegerID(math.MaxUint64), uuid(low), uuid(high)},
		{uuid("00000000-0000-4000-8000-000000000001"), uuid("00000000-0000-4000-bfff-ffffffffffff"), uuid("00000000-0000-4001-8000-000000000000")},
	} {
		for c := range exhaustive(members, ownAndNext, thatCounts, 2) {
			if !yield(c) {
				return
			}
		}
	}
}

// nonMembers yields, in every state, messages of who is no member, and messages that are for another node.
func nonMembers(yield func(*Case) bool) {
	a := asker{yield: yield}
	members, nonMember, epoch := integers(3), spec.IntegerID(4), spec.Epoch(2)
	for _, id := range members {
		for before := range statesOf(id, members, epoch) {
			ask := func(in spec.Input) bool { return a.ask(id, members, before, in) }
			for _, link := range []spec.Link{
				{From: nonMember, To: id}, {From: id, To: nonMember},
				{From: id, To: others(members, id)[0]},
				{From: others(members, id)[0], To: others(members, id)[1]},
			} {
				if !receiptsOf(link.From, link.To, members[:1], []spec.Epoch{2, 3}, thatCounts, ask) {
					return
				}
			}
		}
	}
}

// others returns the members without id.
func others(members []spec.NodeID, id spec.NodeID) []spec.NodeID {
	return slices.DeleteFunc(slices.Clone(members), func(m spec.NodeID) bool { return m == id })
}

// malformed yields, in every state, what is no message: an epoch above the bound, an unknown type, ids that are none.
func malformed(yield func(*Case) bool) {
	a := asker{yield: yield}
	members := integers(3)
	noID := spec.NodeID{0: 1}
	for _, id := range members {
		from := others(members, id)[0]
		for before := range statesOf(id, members, 2) {
			messages := []spec.Message{
				{}, {From: from, To: id, Epoch: 3, Question: kept}, {Type: "VOTE", From: from, To: id, Epoch: 3, Question: kept},
				{Type: "claim", From: from, To: id, Epoch: 3, Question: kept},
			}
			for _, kind := range spec.MessageTypes() {
				messages = append(messages,
					spec.Message{Type: kind, From: from, To: id, Epoch: spec.MaxEpoch + 1, Question: asks},
					spec.Message{Type: kind, From: from, To: id, Epoch: math.MaxUint64, Question: asks},
					spec.Message{Type: kind, From: id, To: id, Epoch: 3, Question: asks},
					spec.Message{Type: kind, From: none, To: id, Epoch: 3, Question: asks},
					spec.Message{Type: kind, From: from, To: none, Epoch: 3, Question: asks},
					spec.Message{Type: kind, From: noID, To: id, Epoch: 3, Question: asks},
					spec.Message{Type: kind, From: from, To: id, Epoch: 3},
					spec.Message{Type: kind, From: from, To: id, Epoch: 3, Question: spec.MaxQuestion + 1},
				)
				if kind != spec.Election {
					messages = append(messages, spec.Message{Type: kind, From: from, To: id, Epoch: 3, Question: asks, Keeps: from})
				}
				if kind != spec.Resign {
					messages = append(messages, spec.Message{Type: kind, From: from, To: id, Epoch: 3, Question: asks, Granted: spec.Granted{By: from, Epoch: 4, Question: 1}})
				}
			}
			for _, m := range messages {
				if !a.ask(id, members, before, spec.Input{Message: m}) {
					return
				}
			}
		}
	}
}

// randomCases is how many cases there are in each random group.
const randomCases = 25_000

// randomly yields random cases of n members. The seed is n.
func randomly(n int) iter.Seq[*Case] {
	return func(yield func(*Case) bool) {
		a := asker{yield: yield}
		d := dice{rand.New(rand.NewPCG(uint64(n), 1))}
		var members []spec.NodeID
		for i := range randomCases {
			if i%100 == 0 {
				members = d.members(n)
			}
			id := members[d.IntN(n)]
			before := d.state(id, members)
			if !a.ask(id, members, before, d.input(id, members, &before)) {
				return
			}
		}
	}
}

// dice draws what cases are made of.
type dice struct {
	*rand.Rand
}

// members returns n ids, ascending: integers of any length, and UUIDs.
func (d dice) members(n int) []spec.NodeID {
	drawn := map[spec.NodeID]bool{}
	members := make([]spec.NodeID, 0, n)
	for len(members) < n {
		id := spec.IntegerID(d.Uint64() >> d.IntN(64))
		if d.IntN(2) == 0 {
			for i := range id {
				id[i] = byte(d.Uint32())
			}
			id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
		}
		if id.Valid() && !drawn[id] {
			drawn[id] = true
			members = append(members, id)
		}
	}
	slices.SortFunc(members, spec.NodeID.Compare)
	return members
}

// state returns a state of node id. Epochs are low, high and close to the end, and so are numbers.
func (d dice) state(id spec.NodeID, members []spec.NodeID) spec.State {
	nodes := append([]spec.NodeID{none, none, id}, members...)
	for {
		s := spec.State{
			Role:    spec.Roles()[d.IntN(len(spec.Roles()))],
			Leader:  nodes[d.IntN(len(nodes))],
			Epoch:   []spec.Epoch{0, 1, 7, 1 << 32, spec.MaxEpoch - 1, spec.MaxEpoch}[d.IntN(6)],
			Grantee: nodes[d.IntN(len(nodes))],
			Support: subset(members, d.IntN(1<<len(members))),
		}
		if s.Role == spec.Follower {
			s.Support = nil
		}
		d.number(id, members, &s)
		if legal(id, &s) {
			return s
		}
	}
}

// number gives a state of node id numbers.
func (d dice) number(id spec.NodeID, members []spec.NodeID, s *spec.State) {
	s.Latest = []spec.Question{1, 9, spec.Block, 3*spec.Block - 1, spec.MaxReserved - spec.Block}[d.IntN(5)]
	some := func() spec.Question { return max(s.Latest, 3) - spec.Question(d.IntN(3)) }
	if s.Leader != none && s.Leader != id {
		s.Lease = spec.Question(1 + d.IntN(9))
	}
	switch s.Role {
	case spec.Candidate, spec.Claimant:
		s.Asked = s.Latest
	case spec.Electing:
		if len(s.Support) > 0 || d.IntN(2) == 0 {
			s.Asked = s.Latest
		}
	case spec.Leader:
		s.Latest = max(s.Latest, 3)
		s.Dated = max(s.Latest, 5) - 4
		for _, m := range members {
			if m != id && d.IntN(3) > 0 {
				s.Answered = append(s.Answered, spec.Answered{Node: m, Question: some()})
			}
		}
	}
}

// input returns an input of node id in state s, most often a message with an epoch and a number close to those of the state.
func (d dice) input(id spec.NodeID, members []spec.NodeID, s *spec.State) spec.Input {
	near := about(s.Epoch)
	inputs := []spec.Input{{Call: spec.RestartCall}, {Call: spec.ResignCall}, {Call: spec.HolderDeadCall}}
	kind := d.IntN(10)
	switch {
	case kind == 0:
		return inputs[d.IntN(len(inputs))]
	case kind < 3:
		return spec.Input{Timer: spec.Timers()[d.IntN(len(spec.Timers()))]}
	}
	e := near[d.IntN(len(near))]
	if kind == 3 {
		e = spec.Epoch(d.Uint64N(uint64(spec.MaxEpoch) + 1))
	}
	from := others(members, id)
	m := spec.Message{Type: spec.MessageTypes()[d.IntN(len(spec.MessageTypes()))], From: from[d.IntN(len(from))], To: id, Epoch: e}
	numbers := []spec.Question{s.Asked, s.Asked, s.Lease, s.Lease + 1, max(s.Lease, 2) - 1, s.Latest, max(s.Latest, 2) - 1, spec.MaxQuestion}
	m.Question = max(numbers[d.IntN(len(numbers))], 1)
	switch {
	case m.Type == spec.Election && d.IntN(2) == 0:
		m.Keeps = members[d.IntN(len(members))]
	case m.Type == spec.Resign && d.IntN(2) == 0:
		m.Granted = spec.Granted{By: members[d.IntN(len(members))], Epoch: near[d.IntN(len(near))], Question: 1 + spec.Question(d.IntN(9))}
	}
	return spec.Input{Message: m}
}
