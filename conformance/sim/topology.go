package sim

import (
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// topology is what NoDisruption needs to know of links and nodes.
type topology struct {
	whole    [MaxNodes][MaxNodes]time.Duration // since when nothing has befallen two nodes and the links between them
	member   [MaxNodes][MaxNodes]time.Duration // when each node, as leader, made each a member: it asks it since
	eligible [MaxNodes]time.Duration           // when each node was eligible last, if it is not now
	asked    [MaxNodes]asking                  // who would follow each node, when it asked that last
	asks     [MaxNodes][]asking                // of a claimant and a leader: what may come to date its reign, ascending
}

// asking is a question of a node, and when it was asked.
type asking struct {
	question spec.Question
	at       time.Duration
}

func (t *topology) reset() {
	*t = topology{asks: t.asks}
	for i := range t.eligible {
		t.eligible[i] = -1
		t.asks[i] = t.asks[i][:0]
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
		t.disturb(i, rank(j), r.net.Now())
	}
}

// note notes who is eligible, before that may change.
func (t *topology) note(r *Runner) {
	for i := range rank(len(r.members)) {
		if r.eligible(i) {
			t.eligible[i] = r.net.Now()
		}
	}
}

// linked reports whether two nodes run and are linked in both directions; a node is, to itself.
func (r *Runner) linked(i, j rank) bool {
	up := r.net.Up(int(i)) && r.net.Up(int(j))
	return up && !r.net.IsCut(int(i), int(j)) && !r.net.IsCut(int(j), int(i))
}

// reaches returns the newest configuration of a node and of those that are linked with it in both directions, and whether these,
// itself included, hold a quorum of it.
func (r *Runner) reaches(i rank) (newest *who, quorum bool) {
	linked, newest := set(0), &r.hosts[i].view.who
	for j := range rank(len(r.members)) {
		if r.linked(i, j) {
			linked |= one(j)
			if w := &r.hosts[j].view.who; w.configuration.Newer(newest.configuration) {
				newest = w
			}
		}
	}
	return newest, newest.quorum(linked)
}

// eligible reports whether a node runs, reaches a quorum, and is a voter.
func (r *Runner) eligible(i rank) bool {
	newest, quorum := r.reaches(i)
	return quorum && newest.voters.has(i)
}

// notes keeps what a node, which is in a state now, has asked: who would follow it; and since the question from which its reign is
// dated.
func (t *topology) notes(r *Runner, i rank, v *view, s *spec.State) {
	now := r.net.Now()
	if v.role == candidate && s.Asked != t.asked[i].question {
		t.asked[i] = asking{s.Asked, now}
		if r.eligible(i) {
			t.eligible[i] = now
		}
	}
	if v.role != claimant && v.role != leader {
		t.asks[i] = t.asks[i][:0]
		return
	}
	asks := t.asks[i]
	for len(asks) > 1 && asks[1].question <= s.Dated {
		asks = append(asks[:0], asks[1:]...)
	}
	if n := len(asks); n == 0 || asks[n-1].question < s.Latest {
		asks = append(asks, asking{s.Latest, now})
	}
	t.asks[i] = asks
}

// adds notes whom a leader has made members.
func (t *topology) adds(l rank, members set, now time.Duration) {
	for j := range t.member[l] {
		if members.has(rank(j)) {
			t.member[l][j] = now
		}
	}
}

// backed reports whether a leader is linked in both directions to a quorum of its configuration, itself included.
func (t *topology) backed(r *Runner, l rank, was *view) bool {
	return was.quorum(t.within(r, l, r.net.Now()))
}

// undisturbed reports whether one and the same quorum of a leader's configuration has run, been linked with it, with nothing lost,
// and been members, since it asked the question from which its reign is dated. Then they have answered a later one before the reign
// ended (R37 c). Who was made a member since does not count: it may have been asked too late, as a change makes no reign longer (R47).
func (t *topology) undisturbed(r *Runner, l rank, was *view) bool {
	return was.quorum(t.within(r, l, t.asks[l][0].at))
}

// within returns the nodes with which a leader has been linked since then, and which it has asked.
func (t *topology) within(r *Runner, l rank, since time.Duration) (whole set) {
	for j := range rank(len(r.members)) {
		if r.linked(l, j) && (j == l || max(t.whole[l][j], t.member[l][j]) <= since) {
			whole |= one(j)
		}
	}
	return whole
}

// wasEligible reports whether a node is eligible, or was since it asked for the support that what it does now rests upon.
func (t *topology) wasEligible(r *Runner, c rank) bool {
	return r.eligible(c) || t.eligible[c] >= t.asked[c].at
}
