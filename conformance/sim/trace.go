package sim

import (
	"math/bits"

	"github.com/seed-fdf591db/bully/conformance/cases"
	"github.com/seed-fdf591db/bully/spec"
)

// traceBegins is the virtual time 0 of a trace: the beginning of the year 2026, in microseconds since 1970.
const traceBegins = 1_767_225_600_000_000

// tracer writes a trace. A nil tracer writes none.
type tracer struct {
	w     *spec.TraceWriter
	event spec.Event
	err   error
}

func newTracer(p *Plan, o *Options) *tracer {
	if o.Trace == nil {
		return nil
	}
	commit := o.Commit
	if commit == "" {
		commit = "unknown"
	}
	return &tracer{w: spec.NewTraceWriter(o.Trace, spec.Header{Changing: p.changes(), Members: p.Members, Seed: p.Seed, Commit: commit})}
}

// write writes an event, with its number and its time.
func (t *tracer) write(r *Runner, e spec.Event) {
	e.Seq, e.At = t.event.Seq+1, traceBegins+uint64(r.net.Now().Microseconds())
	t.event = e
	if err := t.w.Write(&t.event); err != nil && t.err == nil {
		t.err = err
	}
}

// step writes a step, with all that it sends, be it lost.
func (t *tracer) step(r *Runner, i rank, out *spec.Step) {
	if t != nil {
		t.write(r, spec.Event{Node: r.members[i], Action: actions[r.in.action], Input: r.in.given.Written(), Sent: out.Sent, State: out.State})
	}
}

// crash writes what is left of a node after a crash.
func (t *tracer) crash(r *Runner, i rank) {
	if t != nil {
		t.write(r, spec.Event{Node: r.members[i], Action: spec.CrashAction, State: cases.Survivor(r.hosts[i].durable)})
	}
}

// lose writes the loss of the first message on its link.
func (t *tracer) lose(r *Runner, m *spec.Message) {
	if t != nil {
		t.write(r, spec.Event{Action: spec.LoseAction, Input: spec.Input{Message: *m}})
	}
}

// cut writes which links are cut now.
func (t *tracer) cut(r *Runner) {
	if t == nil {
		return
	}
	var cut []spec.Link
	for i := range r.members {
		for j := range r.members {
			if i != j && r.net.IsCut(i, j) {
				cut = append(cut, spec.Link{From: r.members[i], To: r.members[j]})
			}
		}
	}
	t.write(r, spec.Event{Action: spec.CutAction, Input: spec.Input{Cut: cut}})
}

// flush ends the trace.
func (t *tracer) flush() error {
	if t == nil {
		return nil
	}
	if err := t.w.Flush(); err != nil && t.err == nil {
		t.err = err
	}
	return t.err
}

// A digest is over words: multiply and rotate, from FNV's offset basis and prime.
const (
	offsetBasis = 0xcbf29ce484222325
	prime       = 0x100000001b3
)

// digest adds a step to the digest of the run: when it is, whose, which; the state after it, and what is sent.
func (r *Runner) digest(i rank, out *spec.Step) {
	d, v := r.result.Digest, &r.hosts[i].view
	add := func(x uint64) { d = bits.RotateLeft64((d^x)*prime, 29) }
	add(uint64(r.net.Now()))
	add(uint64(uint8(r.in.from))<<56 | uint64(uint8(i))<<48 | uint64(r.in.action)<<40 | uint64(v.role)<<32 |
		uint64(uint8(v.leader))<<24 | uint64(uint8(v.grantee))<<16 | uint64(v.support)<<8 | uint64(len(out.Sent)))
	add(uint64(v.epoch))
	for k := range out.Sent {
		add(uint64(typeOf(out.Sent[k].Type))<<56 ^ uint64(r.to[k])<<60 ^ uint64(out.Sent[k].Epoch))
	}
	if c := &v.configuration; !c.IsNone() {
		add(uint64(c.Epoch))
		add(c.Version)
		add(uint64(v.members)<<16 | uint64(v.electors)<<8 | uint64(v.voters))
	}
	r.result.Digest = d
}
