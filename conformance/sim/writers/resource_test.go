package writers

import (
	"time"

	"github.com/seed-fdf591db/bully/conformance/history"
	"github.com/seed-fdf591db/bully/spec"
)

// resource is a fenced resource (R38).
type resource struct {
	name    string
	play    *play
	raises  bool // a crash can raise the fence and write nothing
	content Content
	down    time.Duration // until when it does not answer
	lives   int           // how often it has come back
}

// ask takes a request, and answers it unless a crash comes first.
func (r *resource) ask(op *history.Op, answer func(history.Op)) {
	if r.play.now() < r.down {
		return
	}
	if r.play.one(crashes) {
		r.crash(op)
		return
	}
	if op.Kind == history.ReadOp {
		seen := *op
		seen.Epoch, seen.Value = r.content.Epoch, r.content.Value
		answer(seen)
		return
	}
	if !r.admits(op.Epoch) {
		refused := *op
		refused.Outcome, refused.Admitted = history.Fenced, r.content.Fence
		answer(refused)
		return
	}
	write := func() {
		r.write(op)
		done := *op
		done.Outcome = history.Done
		answer(done)
	}
	if r.play.config.Rules.TwoSteps {
		life := r.lives
		r.play.at(r.play.now()+r.play.draw(2*r.play.pace), func() {
			if r.lives == life {
				write()
			}
		})
		return
	}
	write()
}

// admits is the rule: equal epochs are admitted again, since a leader writes more than once (R38.2).
func (r *resource) admits(e spec.Epoch) bool {
	if broken := r.play.config.Rules.Admits; broken != nil {
		return broken(r.content.Fence, e)
	}
	return e >= r.content.Fence
}

// write raises the fence and writes.
func (r *resource) write(op *history.Op) {
	r.content = Content{Fence: op.Epoch, Epoch: op.Epoch, Value: op.Value}
}

// crash ends the resource at a request: before, amid or after it. It comes back with what is on its disk.
func (r *resource) crash(op *history.Op) {
	if op.Kind == history.WriteOp && r.admits(op.Epoch) {
		switch r.play.dice.IntN(3) {
		case 0:
			r.write(op)
		case 1:
			if r.raises {
				r.content.Fence = op.Epoch
			}
		}
	}
	r.lives++
	r.down = r.play.now() + r.play.draw(3*r.play.pace)
	if survives := r.play.config.Rules.Survives; survives != nil {
		r.content = survives(r.content)
	}
}
