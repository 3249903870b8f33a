package sim

import "github.com/seed-fdf591db/bully/spec"

// bid is what has come of an epoch: who has claimed it, of those who were eligible when they asked, or claimed, or in between; and
// to whom it was promised.
type bid struct{ claimed, promised set }

// claimed notes who claims an epoch.
func (r *Runner) claimed(i rank, e spec.Epoch) {
	if r.links.wasEligible(r, i) {
		b := r.bids[e]
		b.claimed |= one(i)
		r.bids[e] = b
	}
}

// granted notes to whom a node has promised its epoch.
func (r *Runner) granted(v *view) {
	if v.grantee != none {
		b := r.bids[v.epoch]
		b.promised |= one(v.grantee)
		r.bids[v.epoch] = b
	}
}

// deposed holds the end of a reign, that the leader has not called for, to NoDisruption, in the words of section 3.
func (r *Runner) deposed(l rank, was *view) {
	if r.in.timer == reign {
		if r.links.undisturbed(r, l, was) {
			r.result.Stats.Deposed++
			r.disrupts(l, was, "which nothing has disturbed for so long", "")
		}
		return
	}
	if !r.links.backed(r, l, was) {
		return
	}
	r.result.Stats.Deposed++
	now, bid := &r.hosts[l].view, r.bids[r.hosts[l].view.epoch]
	rivals := bid.claimed & bid.promised &^ one(l)
	if r.in.given.Message.Type == spec.Claim { // it hands over
		rivals &= one(r.in.from)
	}
	switch {
	case now.epoch == was.epoch || rivals == 0:
		r.disrupts(l, was, "within its reach", ", though no node that was eligible has claimed that epoch, and was promised it")
	case r.rivalled(l, now.epoch):
	case r.result.Stats.Actions[cutAction] > 0:
		r.result.Stats.Stale++
	default:
		r.disrupts(l, was, "within its reach",
			", though no link was ever cut, and nobody who reaches a quorum, or is down, is promised that epoch, or a higher one")
	}
}

func (r *Runner) disrupts(l rank, was *view, quorum, though string) {
	r.breaks(spec.NoDisruption, "node %s led epoch %d with a quorum %s, and with %s is %s%s",
		r.members[l], was.epoch, quorum, &r.in, r.hosts[l].out().State, though)
}

// rivalled reports whether epoch e, or a higher one, is promised to another node that reaches a quorum now, or is down: what Cluster
// asks where links do not change. It need not be a voter any more.
func (r *Runner) rivalled(l rank, e spec.Epoch) bool {
	for j := range r.hosts {
		v := &r.hosts[j].view
		c := v.grantee
		if v.epoch < e || c == none || c == l {
			continue
		}
		if _, quorum := r.reaches(c); quorum || !r.net.Up(int(c)) {
			return true
		}
	}
	return false
}
