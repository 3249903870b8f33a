package groups

import (
	"context"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/reigns"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Lead runs work in each reign of this node in a group, one reign after the other, until work returns by itself. It adds the group, if it is not there. It waits while another node leads. Work is given a context that ends when the reign does, when the node is to stop, when
// Resign is called, when a higher node is to take over, and with ctx; context.Cause tells which: ErrNotLeader, ErrNoProgress, ErrClosed, or the cause of ctx. Work must then return soon: another node may
// lead from now on, or waits for that. A higher node waits until the deadline, which moves no more.
//
// If work returns while its reign goes on, the node resigns from the group, and Lead returns what work has returned. If the reign has ended, Lead drops that, and waits for the next one. If ctx ends, it waits for
// work to return, and returns ctx.Err(); the node leads the group on: see Resign and Remove. If the node ends, or the group is removed, it returns ErrClosed or an
// error that wraps ErrStopped. Whatever it returns, no work runs when it does.
func (g *Groups) Lead(ctx context.Context, name string, work func(context.Context, Reign) error) error {
	if err := g.Add(ctx, name); err != nil {
		return err
	}
	g.mu.Lock()
	one := g.byName[name]
	g.mu.Unlock()
	if one == nil {
		return ErrClosed
	}
	return one.seat.Lead(ctx, func(ctx context.Context, w *reigns.Work) error { return work(ctx, Reign{w.Reign, w}) },
		func(r *reigns.Reign) { _ = g.resign(ctx, one, r.Epoch) }, one.gone, g.reason)
}

// Resign makes this node lead a group no longer: it ends the contexts of its work, leads on until that has returned, and then tells the others (R28). It returns nil when that
// has been done, and at once if it does not lead the group. It may lead it again, and if it is the highest it will.
func (g *Groups) Resign(ctx context.Context, name string) error {
	g.mu.Lock()
	one := g.byName[name]
	g.mu.Unlock()
	if one == nil {
		return nil
	}
	return g.resign(ctx, one, 0)
}

// resign resigns if the node leads the epoch, or any if it is 0.
func (g *Groups) resign(ctx context.Context, one *group, epoch spec.Epoch) error {
	over := make(chan struct{})
	err := g.call(ctx, func() {
		if one.reign == nil || epoch != 0 && one.reign.Epoch != epoch {
			close(over)
			return
		}
		one.reign.Close(ErrNotLeader)
		one.resigning = append(one.resigning, over)
		g.looksAt(one)
	})
	if err != nil {
		return err
	}
	return g.await(ctx, over)
}

// Reign is what work is given: the epoch in which this node leads a group, and until when it is sure to. It may be copied, and used by many goroutines. The zero
// Reign is over. It is what host.Reign is of one election.
type Reign struct {
	r *reigns.Reign
	w *reigns.Work
}

// Epoch returns the epoch of the reign. It is the fencing token: give it to the resource of the group with each write (R38).
func (r Reign) Epoch() spec.Epoch {
	if r.r == nil {
		return 0
	}
	return r.r.Epoch
}

// Deadline returns when the reign is over if nobody is heard any more, or the zero time once it is over. It moves on as acknowledgements come.
func (r Reign) Deadline() time.Time { return r.r.Deadline() }

// Valid reports whether the deadline lies ahead, by the monotonic and by the wall clock. Who acts on what is not fenced calls it before each act (R39).
func (r Reign) Valid() bool { return r.r.Valid() }

// Progress reports that the work of the group gets on. With Config.Progress, work that has not for so long loses its reign: a group that is stuck does not hide behind
// its node, which is well.
func (r Reign) Progress() { r.w.Progress() }

// tell tells users who leads a group.
func (l *loop) tell(g *group, leader int, epoch spec.Epoch) {
	now := Leadership{Group: g.name, Epoch: epoch, Leading: leader == l.me}
	if leader != none {
		now.Leader = l.members[leader]
	}
	if now == g.told {
		return
	}
	if now.Leading {
		g.reign = l.of.keeper.New(epoch, func() { l.of.looksAt(g) })
		g.reign.Of = g.name
		l.renew(g)
		if l.closing || g.removing {
			g.reign.Close(ErrClosed)
			l.of.looksAt(g)
		}
		g.seat.Set(g.reign)
	}
	g.told = now
	l.stats.Changes++
	l.of.tells(now)
}

// renew moves the deadline of a reign: to when its leader steps down if nobody answers what it asks any more (R26).
func (l *loop) renew(g *group) {
	if until := g.policy.Due[policy.ReignTimer]; g.reign != nil && g.role == spec.Leader && until != policy.Never {
		g.reign.Renew(until, l.watch)
	}
}

// yields begins to end a reign that a message would end (R18, R7), and reports whether that waits: for work to return, and for the deadline at most, which moves
// no more. It is as if it came later. For work may be in another process, which was told the deadline and acts until then (R39.4). Of several one waits, and the others
// are lost: a CLAIM rather than what only says that there is a higher epoch. All are, once a reign has ended before the deadline, and its work acts until then.
func (l *loop) yields(g *group, in *input) bool {
	if g.outlived.Acts() {
		return true
	}
	if g.reign == nil || !g.node.Yields(&in.message) || !g.reign.Yield(ErrNotLeader) {
		return false
	}
	if g.yielding == nil || in.message.Type == spec.Claim || g.yielding.message.Type != spec.Claim {
		g.yielding = new(*in)
	}
	return true
}

// yield gives a group the message that has waited for its work, once that has returned, or may act no more.
func (l *loop) yield(g *group) {
	if in := g.yielding; in != nil && !g.reign.Acts() {
		g.yielding = nil
		l.tick()
		l.give(g, *in)
	}
}

// endReign makes a reign over for its users, before anybody else hears of it (R39).
func (l *loop) endReign(g *group, cause error) {
	if g.reign != nil {
		if g.reign.Deadline().Sub(l.watch.Read) > 0 {
			g.outlived = g.reign
		}
		g.reign.End(cause)
		g.reign = nil
		g.seat.Set(nil)
	}
	if g.told.Leading {
		g.told = Leadership{Group: g.name}
		l.of.tells(g.told)
	}
}
