package conformance

import (
	"iter"
	"slices"

	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// ChangingGroups returns all groups about members that change. But for the questions, the answers are the model's.
func ChangingGroups() []Group {
	return []Group{
		{
			Name: "membership", Explanation: "questions about members that change, answered by hand (R42 to R49)",
			Pinned: 87, All: questionsOfMembers,
		},
		{
			Name: "kinds", Explanation: "two nodes, members of every kind or none, in every state, and every input, of every configuration beside theirs",
			Pinned: 280_016, All: kinds,
		},
		{
			Name: "members", Explanation: "states, configurations, messages and changes drawn at random, the same each time (R42 to R50)",
			Pinned: drawnQuestions, All: drawnChanges,
		},
	}
}

// What the configurations of the group kinds are of: the node's own, and the epochs of a state and of messages.
const (
	ownEpoch   = 3
	ownVersion = 2
)

// kinds yields the cases of two nodes where members change: one is a member of any kind, or none, and so is the other. What they say is
// of the same configuration, of older and newer ones, and of none.
func kinds(yield func(*Case) bool) {
	a := asker{yield: yield}
	nodes := integers(2)
	every := configurationsOf(nodes)
	for _, own := range every {
		for _, id := range nodes {
			inputs := slices.Collect(inputsOfMembers(id, others(nodes, id)[0], own, every))
			for before := range statesOfMember(id, nodes, own) {
				for _, in := range inputs {
					if !a.ask(id, nodes, before, in) {
						return
					}
				}
			}
		}
	}
}

// configurationsOf returns the empty configuration, and all in which these nodes are members, each of any kind or none.
func configurationsOf(nodes []spec.NodeID) []spec.Configuration {
	lists := [][]spec.Member{nil}
	for _, id := range nodes {
		for _, list := range slices.Clone(lists) {
			for _, kind := range spec.MemberKinds() {
				lists = append(lists, append(slices.Clone(list), spec.Member{ID: id, Kind: kind}))
			}
		}
	}
	every := []spec.Configuration{spec.EmptyConfiguration()}
	for _, list := range lists {
		if c, err := spec.NewConfiguration(ownEpoch, ownVersion, list); err == nil {
			every = append(every, c)
		}
	}
	return every
}

// statesOfMember yields each state of node id with a configuration, in one epoch, with numbers.
func statesOfMember(id spec.NodeID, nodes []spec.NodeID, own spec.Configuration) iter.Seq[spec.State] {
	maybe := append([]spec.NodeID{none}, nodes...)
	return func(yield func(spec.State) bool) {
		for _, role := range spec.Roles() {
			for _, leader := range maybe {
				for _, grantee := range maybe {
					for bits := range 1 << len(nodes) {
						s := spec.State{Role: role, Leader: leader, Epoch: ownEpoch, Grantee: grantee, Support: subset(nodes, bits), Configuration: own}
						if s = Numbered(id, nodes, s); rules.CheckState(id, s) != nil {
							continue
						}
						if !yield(s) {
							return
						}
						if role == spec.Electing && bits == 0 { // it may have asked, and had no answer but a refusal
							if s.Asked = asks; !yield(s) {
								return
							}
						}
					}
				}
			}
		}
	}
}

// inputsOfMembers yields each input of node id, which holds its own configuration: with messages from the other, of configurations
// beside its own, with calls to change to any.
func inputsOfMembers(id, other spec.NodeID, own spec.Configuration, every []spec.Configuration) iter.Seq[spec.Input] {
	nodes := []spec.NodeID{id, other}
	return func(yield func(spec.Input) bool) {
		for _, c := range besideOwn(own, every) {
			with := func(in spec.Input) bool {
				in.Message.Configuration = c
				return yield(in)
			}
			if !receiptsOf(other, id, nodes, ownAndNext(ownEpoch), thatCounts, with) {
				return
			}
		}
		for _, timer := range spec.Timers() {
			if !yield(spec.Input{Timer: timer}) {
				return
			}
		}
		for _, c := range every {
			for _, at := range []spec.Stamp{{Epoch: ownEpoch, Version: ownVersion + 1}, {Epoch: ownEpoch, Version: ownVersion}, {Epoch: ownEpoch + 1, Version: ownVersion + 1}} {
				if !yield(spec.Input{Call: spec.ChangeCall, Configuration: c.At(at.Epoch, at.Version)}) {
					return
				}
			}
		}
		_ = yield(spec.Input{Call: spec.ResignCall}) && yield(spec.Input{Call: spec.HolderDeadCall}) && yield(spec.Input{Call: spec.RestartCall})
	}
}

// besideOwn returns the configurations of messages to a node with its own: that, older ones, of which nobody looks at the members, newer
// ones of all members, the empty one, and none.
func besideOwn(own spec.Configuration, every []spec.Configuration) []spec.Configuration {
	beside := []spec.Configuration{own, {}}
	if !own.IsEmpty() {
		beside = append(beside, spec.EmptyConfiguration(), own.At(ownEpoch, ownVersion-1), own.At(ownEpoch-1, ownVersion+1), own.At(ownEpoch+1, 1))
	}
	for _, c := range every[1:] {
		beside = append(beside, c.At(ownEpoch, ownVersion+1))
	}
	return beside
}
