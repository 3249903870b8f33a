package sim

import "time"

// topology is what NoDisruption needs to know of links and nodes.
type topology struct {
	whole    [MaxNodes][MaxNodes]time.Duration // since when nothing has befallen two nodes and the links between them
	eligible [MaxNodes]time.Duration           // when each node was eligible last, if it is not now
}

func (t *topology) reset() {
	*t = topology{}
	for i := range t.eligible {
		t.eligible[i] = -1
	}
}

// disturb notes that something has befallen a link.
func (t *topology) disturb(from, to rank, now time.Duration) {
	t.whole[from][to], t.whole[to][from] = now, now
}

// disturbAll notes that something has befallen a node.
func (t *topology) disturbAll(r *Runner, i rank) {
	t.note(r)
	for j := range t.whole {
		t.disturb(i, rank(j), r.world.Now())
	}
}

// note notes who is eligible, before that may change.
func (t *topology) note(r *Runner) {
	for i := range rank(len(r.members)) {
		if r.eligible(i) {
			t.eligible[i] = r.world.Now()
		}
	}
}

// linked reports whether two nodes run and are linked in both directions; a node is, to itself.
func (r *Runner) linked(i, j rank) bool {
	up := r.world.Up(int(i)) && r.world.Up(int(j))
	return up && !r.world.IsCut(int(i), int(j)) && !r.world.IsCut(int(j), int(i))
}

// eligible reports whether a node runs and is linked in both directions to a quorum of the newest configuration of these nodes,
// in which it is a voter.
func (r *Runner) eligible(i rank) bool {
	linked, newest := set(0), &r.hosts[i].view.who
	for j := range rank(len(r.members)) {
		if r.linked(i, j) {
			linked |= one(j)
			if w := &r.hosts[j].view.who; w.configuration.Newer(newest.configuration) {
				newest = w
			}
		}
	}
	return newest.voters.has(i) && newest.quorum(linked)
}

// undisturbed reports whether a leader has been linked to one and the same quorum, with nothing lost, for so long that no
// check of its can fail for want of messages: since before the check that came last, or would have come. Then a heartbeat has
// been acknowledged since (R37 c), and only a rule can end the reign: who answers it knows of a higher epoch, or the leader
// hands over.
func (t *topology) undisturbed(r *Runner, l rank, was *view) bool {
	var whole set
	for j := range rank(len(r.members)) {
		if r.linked(l, j) && (j == l || t.whole[l][j] <= r.world.Now()-r.plan.check()) {
			whole |= one(j)
		}
	}
	return was.quorum(whole)
}

// wasEligible reports whether a node is eligible, or was when it asked for the support that what it does now may rest upon.
func (t *topology) wasEligible(r *Runner, c rank) bool {
	return r.eligible(c) || t.eligible[c] >= 0 && t.eligible[c] >= r.world.Now()-r.plan.attempt()
}

// check returns how long at most a leader's check is after the one before, and what both wait for is under way.
func (p *Plan) check() time.Duration { return p.Timing.Slowest(p.Timing.Reign) + 3*p.Timing.Delay }

// attempt returns how long at most a node stands: it asks, waits for somebody better, claims on the strength of what it was
// answered (R15), and claims again (R29), while messages are under way in between.
func (p *Plan) attempt() time.Duration {
	t := &p.Timing
	return t.Slowest(t.Election+t.LongestWait(len(p.Members))+t.Claim) + 5*t.Delay
}
