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
	done, first, err := s.Try(newNode, o)
	tried++
	if err != nil || first == nil {
		return nil, nil, tried
	}
	try := func(t *Script) *Script {
		tried++
		if done, v, err := t.Try(newNode, o); err == nil && v != nil && v.Property == first.Property {
			t.Ops, violation = slices.Clone(done), v
			return t
		}
		return nil
	}
	small = s.with(done)
	for {
		size := small.size()
		small = withFewerMembers(small, try)
		shrink.List(func() int { return len(small.Ops) }, func(from, to int) bool {
			t := try(small.with(slices.Concat(small.Ops[:from], small.Ops[to:])))
			if t == nil || len(t.Ops) > len(small.Ops) {
				return false
			}
			small = t
			return true
		})
		small = withFewerCrashes(small, try)
		small = withFewerKinds(small, try)
		small = withPlainMembers(small, try)
		if small.size() == size {
			small = withoutPairs(small, try)
		}
		if small.size() == size {
			break
		}
	}
	small = try(small)
	return small, violation, tried
}

// with returns the script with other ops.
func (s *Script) with(ops []Op) *Script {
	t := *s
	t.Ops = slices.Clone(ops)
	return &t
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
	return fmt.Sprintf("%v\nsmallest run: %d ops: %s\nKeep it: conformance/cluster/testdata/regressions/%s.script\n%s",
		violation, len(small.Ops), small.OneLine(), small.name(violation), small)
}

// name returns a name for the file of a script.
func (s *Script) name(v *Violation) string {
	h := fnv.New32a()
	h.Write([]byte(s.OneLine()))
	return fmt.Sprintf("%s-%08x", strings.ReplaceAll(strings.ToLower(v.Property), " ", "-"), h.Sum32())
}

// attempt returns a script as it was run, if it breaks what is to be broken, and else nil.
type attempt func(*Script) *Script

// withFewerMembers leaves out members, with all that happens to them.
func withFewerMembers(s *Script, try attempt) *Script {
	for i := len(s.Members) - 1; i >= 0 && len(s.Members) > 1; i-- {
		gone := s.Members[i]
		smaller := s.with(nil)
		smaller.Members = slices.Delete(slices.Clone(s.Members), i, i+1)
		if s.Records != nil {
			smaller.Records = slices.Delete(slices.Clone(s.Records), i, i+1)
		}
		smaller.rewrite(without(gone))
		for _, op := range s.Ops {
			op.Cut = slices.DeleteFunc(slices.Clone(op.Cut), func(l spec.Link) bool { return l.From == gone || l.To == gone })
			op.rewrite(without(gone))
			if !slices.Contains(op.ids(), gone) && (op.Kind != Cut || len(op.Cut) > 0) {
				smaller.Ops = append(smaller.Ops, op)
			}
		}
		if smaller.First.IsNone() != s.First.IsNone() {
			continue // without that node there are no first members
		}
		if t := try(smaller); t != nil {
			s = t
		}
	}
	return s
}

// withFewerCrashes takes steps whole, and cuts fewer links.
func withFewerCrashes(s *Script, try attempt) *Script {
	for i := 0; i < len(s.Ops); i++ {
		t := s.with(s.Ops)
		if op := &t.Ops[i]; op.Crash != Whole {
			op.Crash = Whole
			if t = try(t); t != nil {
				s = t
			}
			continue
		}
		for k := len(s.Ops[i].Cut) - 1; k >= 0 && i < len(s.Ops) && len(s.Ops[i].Cut) > 1; k-- {
			t := s.with(s.Ops)
			t.Ops[i].Cut = slices.Delete(slices.Clone(t.Ops[i].Cut), k, k+1)
			if t = try(t); t != nil && len(t.Ops) == len(s.Ops) {
				s = t
			}
		}
	}
	return s
}

// withoutPairs leaves out two ops at once: one and another that it made necessary, such as a message that is lost. It stops
// at the first two that it can do without.
func withoutPairs(s *Script, try attempt) *Script {
	for i := len(s.Ops) - 2; i >= 0; i-- {
		for j := i + 1; j < len(s.Ops); j++ {
			t := s.with(slices.Delete(slices.Clone(s.Ops), j, j+1))
			t.Ops = slices.Delete(t.Ops, i, i+1)
			if t = try(t); t != nil {
				return t
			}
		}
	}
	return s
}

// withFewerKinds makes first members join instead, and voters of all that vote or do not.
func withFewerKinds(s *Script, try attempt) *Script {
	for _, m := range s.First.Members() {
		plain := func(of spec.Member) (spec.Member, bool) {
			if of.ID == m.ID {
				of.Kind = spec.Voter
			}
			return of, true
		}
		for _, change := range []memberChange{without(m.ID), plain} {
			t := s.with(s.Ops)
			if t.First = rewritten(s.First, change); t.First == s.First || t.First.IsNone() {
				continue
			}
			if t = try(t); t != nil && t.size() < s.size() {
				s = t
				break
			}
		}
	}
	return s
}

// withPlainMembers leaves out what is on the disks, and calls the members 1, 2, 3 and so on.
func withPlainMembers(s *Script, try attempt) *Script {
	if s.Records != nil {
		t := s.with(s.Ops)
		t.Records = nil
		if t = try(t); t != nil {
			s = t
		}
	}
	plain := func(id spec.NodeID) spec.NodeID {
		return spec.IntegerID(uint64(slices.Index(s.Members, id) + 1)) // no node stays none
	}
	t := s.with(s.Ops)
	t.Members, t.Records = nil, nil
	for _, id := range s.Members {
		t.Members = append(t.Members, plain(id))
	}
	named := func(m spec.Member) (spec.Member, bool) { return spec.Member{ID: plain(m.ID), Kind: m.Kind}, true }
	for _, record := range s.Records {
		if record != nil {
			record = &spec.Durable{Epoch: record.Epoch, Grantee: plain(record.Grantee), Reserved: record.Reserved, Configuration: record.Configuration}
		}
		t.Records = append(t.Records, record)
	}
	t.rewrite(named)
	for i := range t.Ops {
		op := &t.Ops[i]
		op.rewrite(named)
		op.Node, op.Link.From, op.Link.To, op.State.Leader = plain(op.Node), plain(op.Link.From), plain(op.Link.To), plain(op.State.Leader)
		op.Cut = slices.Clone(op.Cut)
		for k := range op.Cut {
			op.Cut[k] = spec.Link{From: plain(op.Cut[k].From), To: plain(op.Cut[k].To)}
		}
	}
	if t = try(t); t != nil {
		return t
	}
	return s
}
