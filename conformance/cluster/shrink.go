package cluster

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/internal/shrink"
	"github.com/seed-fdf591db/bully/spec"
)

// Shrink returns a small script that breaks a promise as s does, with the violation that ends it, and how many scripts it
// has tried. Ops that are not possible any more are left out, each Settle becomes the deliveries that it came to, crashes
// within steps and members that are not needed go. It returns nil if s breaks nothing.
func (s *Script) Shrink(newNode conformance.Maker, o Options) (small *Script, violation *Violation, tried int) {
	o.Trace, o.Observe = nil, nil
	done, violation, err := s.Try(newNode, o)
	if err != nil || violation == nil {
		return nil, nil, 1
	}
	k := &shrinker{shrink.Smaller[Script]{Smallest: *s, Runs: 1, Clone: Script.clone}}
	k.Smallest.Ops = done
	k.Fails = func(t Script) (Script, bool) {
		done, v, err := t.Try(newNode, o)
		t.Ops = slices.Clone(done)
		if err != nil || v == nil || v.Property != violation.Property || t.First.IsNone() != s.First.IsNone() || t.size() > k.Smallest.size() {
			return t, false
		}
		violation = v
		return t, true
	}
	k.Repeat(func() {
		k.Repeat(k.dropMembers, k.dropOps, k.plainSteps, k.plainKinds, k.plainMembers)
		k.dropPair()
	})
	return &k.Smallest, violation, k.Runs
}

func (s Script) clone() Script {
	s.Members, s.Records, s.Ops = slices.Clone(s.Members), slices.Clone(s.Records), slices.Clone(s.Ops)
	for i := range s.Ops {
		s.Ops[i].Cut = slices.Clone(s.Ops[i].Cut)
	}
	return s
}

// size is what Shrink makes small.
func (s *Script) size() int {
	size := 1000*len(s.Members) + 10*len(s.Ops) + len(s.Records)
	for _, m := range s.First.Members() {
		size += 2
		if m.Kind == spec.Voter {
			size--
		}
	}
	for _, op := range s.Ops {
		size += len(op.Cut) + int(op.Crash)
	}
	return size
}

// Explain shrinks a script that has broken a promise, and says what a person needs: what is broken, and the smallest run,
// to run again and to keep.
func (s *Script) Explain(newNode conformance.Maker, o Options) string {
	small, violation, _ := s.Shrink(newNode, o)
	if small == nil {
		return fmt.Sprintf("the run breaks nothing when it is run again: the implementation is not deterministic\n%s", s)
	}
	return fmt.Sprintf("%v\nsmallest run: %d ops: %s\nKeep it, in a file of conformance/cluster/testdata/regressions:\n-- %s --\n%s",
		violation, len(small.Ops), small.OneLine(), small.name(violation), small)
}

// name returns a name for a script.
func (s *Script) name(v *Violation) string {
	h := fnv.New32a()
	h.Write([]byte(s.OneLine()))
	return fmt.Sprintf("%s-%08x", strings.ReplaceAll(strings.ToLower(v.Property), " ", "-"), h.Sum32())
}

// shrinker is a script that breaks a promise, and is being made smaller.
type shrinker struct{ shrink.Smaller[Script] }

// dropMembers leaves out members, with all that happens to them.
func (k *shrinker) dropMembers() {
	for i := len(k.Smallest.Members) - 1; i >= 0 && len(k.Smallest.Members) > 1; i-- {
		k.Try(func(s *Script) { s.drop(i) })
	}
}

// drop leaves out a member.
func (s *Script) drop(i int) {
	gone := s.Members[i]
	s.Members = slices.Delete(s.Members, i, i+1)
	if s.Records != nil {
		s.Records = slices.Delete(s.Records, i, i+1)
	}
	s.rewrite(without(gone))
	for i := range s.Ops {
		op := &s.Ops[i]
		wasCut := len(op.Cut) > 0
		op.Cut = slices.DeleteFunc(op.Cut, func(l spec.Link) bool { return l.From == gone || l.To == gone })
		if wasCut && len(op.Cut) == 0 {
			op.Node = gone // it goes, too
		}
	}
	s.Ops = slices.DeleteFunc(s.Ops, func(op Op) bool { return slices.Contains(op.ids(), gone) })
}

// dropOps leaves out ops.
func (k *shrinker) dropOps() {
	k.Drop(func(s *Script) int { return len(s.Ops) }, func(s *Script, from, to int) { s.Ops = slices.Delete(s.Ops, from, to) })
}

// dropPair leaves out two ops at once: one and another that it made necessary, such as a message that is lost. It stops
// at the first two that it can do without.
func (k *shrinker) dropPair() {
	for i := len(k.Smallest.Ops) - 2; i >= 0; i-- {
		for j := i + 1; j < len(k.Smallest.Ops); j++ {
			if k.Try(func(s *Script) { s.Ops = slices.Delete(slices.Delete(s.Ops, j, j+1), i, i+1) }) {
				return
			}
		}
	}
}

// plainSteps takes steps whole, and cuts fewer links.
func (k *shrinker) plainSteps() {
	at := func(s *Script, i int) *Op { return &s.Ops[i] }
	for i := 0; i < len(k.Smallest.Ops); i++ {
		k.TryIf(at(&k.Smallest, i).Crash != Whole, func(s *Script) { at(s, i).Crash = Whole })
		for c := 0; i < len(k.Smallest.Ops) && len(at(&k.Smallest, i).Cut) > max(1, c); {
			if !k.Try(func(s *Script) { at(s, i).Cut = slices.Delete(at(s, i).Cut, c, c+1) }) {
				c++
			}
		}
	}
}

// plainKinds makes first members join instead, and voters of all that vote or do not.
func (k *shrinker) plainKinds() {
	for _, m := range k.Smallest.First.Members() {
		plain := func(of spec.Member) (spec.Member, bool) {
			if of.ID == m.ID {
				of.Kind = spec.Voter
			}
			return of, true
		}
		for _, change := range []memberChange{without(m.ID), plain} {
			other := rewritten(k.Smallest.First, change)
			if k.TryIf(other != k.Smallest.First && !other.IsNone(), func(s *Script) { s.First = other }) {
				break
			}
		}
	}
}

// plainMembers leaves out what is on the disks, and calls the members 1, 2, 3 and so on.
func (k *shrinker) plainMembers() {
	k.TryIf(k.Smallest.Records != nil, func(s *Script) { s.Records = nil })
	plain := func(id spec.NodeID) spec.NodeID {
		return spec.IntegerID(uint64(slices.Index(k.Smallest.Members, id) + 1)) // no node stays none
	}
	last := k.Smallest.Members[len(k.Smallest.Members)-1]
	addressed := strings.Contains(k.Smallest.OneLine(), "@")
	k.TryIf(plain(last) != last || addressed, func(s *Script) { s.rename(plain) })
}

// rename calls members otherwise. Nobody has an address then.
func (s *Script) rename(name func(spec.NodeID) spec.NodeID) {
	s.rewrite(func(m spec.Member) (spec.Member, bool) { return spec.Member{ID: name(m.ID), Kind: m.Kind}, true })
	for i, id := range s.Members {
		s.Members[i] = name(id)
	}
	for _, record := range s.Records {
		if record != nil {
			record.Grantee = name(record.Grantee)
		}
	}
	for i := range s.Ops {
		op := &s.Ops[i]
		op.Node, op.Link.From, op.Link.To, op.State.Leader = name(op.Node), name(op.Link.From), name(op.Link.To), name(op.State.Leader)
		for k, l := range op.Cut {
			op.Cut[k] = spec.Link{From: name(l.From), To: name(l.To)}
		}
	}
}
