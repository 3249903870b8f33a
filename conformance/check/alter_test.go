package check_test

import (
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// changed makes a mutation of one that changes an event in place. The event is put back for each.
func changed(each func(members []spec.NodeID, e *spec.Event, try func())) func([]spec.NodeID, []spec.Event, int, func([]spec.Event)) {
	return func(members []spec.NodeID, events []spec.Event, k int, try func([]spec.Event)) {
		e := events[k].Clone()
		each(members, &e, func() {
			events[k] = e.Clone()
			try(events)
		})
	}
}

// others gives an id the value of each other member, and none.
func others(members []spec.NodeID, id *spec.NodeID, try func()) {
	was := *id
	for _, other := range append([]spec.NodeID{{}}, members...) {
		if *id = other; other != was {
			try()
		}
	}
	*id = was
}

// near gives an epoch, or a number, those next to it.
func near[T spec.Epoch | spec.Question](e *T, try func()) {
	was := *e
	*e = was + 1
	try()
	if *e = was - 1; was > 0 {
		try()
	}
	*e = was
}

// alter changes each field of a message.
func alter(members []spec.NodeID, m *spec.Message, try func()) {
	was := *m
	for _, m.Type = range spec.MessageTypes() {
		if m.Type != was.Type {
			try()
		}
	}
	*m = was
	others(members, &m.From, try)
	others(members, &m.To, try)
	near(&m.Epoch, try)
	near(&m.Question, try)
	others(members, &m.Keeps, try)
	others(members, &m.Granted.By, try)
	near(&m.Granted.Epoch, try)
	near(&m.Granted.Question, try)
	alterConfiguration(members, &m.Configuration, try)
}

// alterConfiguration changes each field of a configuration, and each member in each way; nothing where members are fixed.
func alterConfiguration(members []spec.NodeID, c *spec.Configuration, try func()) {
	was := *c
	if was.IsNone() {
		return
	}
	near(&c.Epoch, try)
	for _, version := range []uint64{was.Version + 1, max(1, was.Version) - 1} {
		if *c = was.At(was.Epoch, version); *c != was {
			try()
		}
	}
	if *c = spec.EmptyConfiguration(); *c != was {
		try()
	}
	for _, id := range members {
		is, _ := was.Member(id)
		for _, m := range []spec.Member{{}, {ID: id, Kind: spec.Voter}, {ID: id, Kind: spec.Witness}, {ID: id, Kind: spec.Observer}, {ID: id, Kind: spec.Voter, Rank: 7}, {ID: id, Kind: spec.Voter, Address: "elsewhere"}} {
			list := slices.DeleteFunc(was.Members(), func(m spec.Member) bool { return m.ID == id })
			if m.Kind != "" {
				list = append(list, m)
			}
			if other, err := spec.NewConfiguration(was.Epoch, max(1, was.Version), list); err == nil && m != is {
				*c = other
				try()
			}
		}
	}
	*c = was
}

func mutateSupport(members []spec.NodeID, e *spec.Event, try func()) {
	support := slices.Clone(e.State.Support)
	for _, id := range members {
		if i, found := slices.BinarySearchFunc(support, id, spec.NodeID.Compare); found {
			e.State.Support = slices.Delete(slices.Clone(support), i, i+1)
		} else {
			e.State.Support = slices.Insert(slices.Clone(support), i, id)
		}
		try()
	}
	for i := range support { // one for another
		for _, id := range members {
			if !slices.Contains(support, id) {
				e.State.Support = slices.Clone(support)
				e.State.Support[i] = id
				slices.SortFunc(e.State.Support, spec.NodeID.Compare)
				try()
			}
		}
	}
}

// mutateLatest gives a node the numbers next to its latest, and a block more or less; what it sends goes along.
func mutateLatest(_ []spec.NodeID, e *spec.Event, try func()) {
	was, sent := e.State.Latest, slices.Clone(e.Sent)
	for _, q := range []spec.Question{was + 1, was - 1, was + spec.Block, was - spec.Block} {
		if !q.Valid() {
			continue // below 0
		}
		e.State.Latest, e.Sent = q, slices.Clone(sent)
		try()
		for i := range e.Sent {
			e.Sent[i].Question += q - was
		}
		try()
	}
	e.State.Latest, e.Sent = was, sent
}

// mutateAnswered gives each answer a number next to it, and each member one that has none.
func mutateAnswered(members []spec.NodeID, e *spec.Event, try func()) {
	was := slices.Clone(e.State.Answered)
	for i := range was {
		e.State.Answered = slices.Clone(was)
		near(&e.State.Answered[i].Question, try)
		e.State.Answered = slices.Delete(slices.Clone(was), i, i+1)
		try()
	}
	for _, id := range members {
		i, found := slices.BinarySearchFunc(was, id, func(a spec.Answered, id spec.NodeID) int { return a.Node.Compare(id) })
		if !found {
			e.State.Answered = slices.Insert(slices.Clone(was), i, spec.Answered{Node: id, Question: max(1, e.State.Dated)})
			try()
		}
	}
	e.State.Answered = was
}

// mutateInput changes what is received, and with its type the action; the timer, and with it the action; the call; the cut.
func mutateInput(members []spec.NodeID, e *spec.Event, try func()) {
	switch in := &e.Input; {
	case in.Message != (spec.Message{}):
		was := e.Action
		alter(members, &in.Message, func() {
			if was != spec.LoseAction {
				e.Action = in.Message.Type.Action()
			}
			try()
		})
	case in.Timer != "":
		for _, t := range spec.Timers() {
			if in.Timer != t {
				old := in.Timer
				in.Timer, e.Action = t, t.Action()
				try()
				in.Timer, e.Action = old, old.Action()
			}
		}
	case in.Call == spec.ChangeCall:
		alterConfiguration(members, &in.Configuration, try)
	case in.Call == spec.ResignCall:
		in.Call, e.Action = spec.HolderDeadCall, spec.HolderDeadAction
		try()
	case in.Call == spec.HolderDeadCall:
		in.Call, e.Action = spec.ResignCall, spec.ResignAction
		try()
	case e.Action == spec.StartAction:
		e.Action = spec.RestartAction
		try()
	case e.Action == spec.RestartAction:
		e.Action = spec.StartAction
		try()
	}
}
