package contest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// acts reports whether a node acts as leader: it runs, is not paused, and says so.
func (r *run) acts(i int) bool {
	return r.hosts[i].status.Leading && r.runs(i)
}

// runs reports whether a node takes steps.
func (r *run) runs(i int) bool { return r.world.Up(i) && !r.world.Paused(i) }

// account counts the time since the last event, during which those led who led after that.
func (r *run) account() {
	d := r.world.Now() - r.last
	if d == 0 {
		return
	}
	leading := r.leading
	switch n := len(leading); {
	case n == 0 && len(r.result.Reigns) > 0:
		r.result.None += d
	case n > 1:
		r.result.Two += d
	}
	r.result.AtOnce = max(r.result.AtOnce, len(leading))
	if r.options.Timeline && !slices.Equal(leading, r.shown) && (len(leading) > 1 || len(r.shown) > 1) {
		r.result.Timeline = append(r.result.Timeline, Entry{At: r.last, Kind: Happens, Text: leadText(leading)})
	}
	r.shown = append(r.shown[:0], leading...)
	r.last = r.world.Now()
}

// look notes who leads after an event.
func (r *run) look() {
	r.leading = r.leading[:0]
	for i := range r.scenario.Nodes {
		if r.acts(i) {
			r.leading = append(r.leading, i+1)
		}
	}
}

// leadText says how many lead at once.
func leadText(leading []int) string {
	switch len(leading) {
	case 0:
		return "nobody leads now"
	case 1:
		return fmt.Sprintf("only %d leads now", leading[0])
	}
	return fmt.Sprintf("%d lead at once: %s", len(leading), ids(leading))
}

// ids lists ids as people do.
func ids(list []int) string {
	var text []string
	for _, id := range list {
		text = append(text, strconv.Itoa(id))
	}
	if len(text) < 2 {
		return strings.Join(text, "")
	}
	return strings.Join(text[:len(text)-1], ", ") + " and " + text[len(text)-1]
}

// changed notes what has become of a node, once it has its effects.
func (r *run) changed(i int) {
	h := &r.hosts[i]
	was, now := h.status, h.node.Status()
	if h.saves || was == now {
		return
	}
	h.status = now
	r.mix(uint64(i), uint64(now.Leader), now.Epoch)
	if was.Leading && (!now.Leading || was.Epoch != now.Epoch) {
		r.endReign(i)
	}
	if now.Leading && h.reign < 0 {
		h.reign = len(r.result.Reigns)
		r.result.Reigns = append(r.result.Reigns, Reign{Leader: i + 1, Epoch: now.Epoch, Begin: r.world.Now(), End: r.scenario.Length})
		if r.algorithm.Epochs {
			if r.epochs[now.Epoch] == nil {
				r.epochs[now.Epoch] = map[int]bool{}
			}
			r.epochs[now.Epoch][i] = true
			r.result.SameEpoch = max(r.result.SameEpoch, len(r.epochs[now.Epoch]))
		}
	}
	if now.Standing && !was.Standing {
		r.result.Elections++
	}
	r.tell(Entry{Kind: Becomes, Node: i + 1})
	if now.Leading {
		for _, f := range r.waiting {
			r.world.At(r.world.Now(), beginTag|uint32(f)) // after this step
		}
		r.waiting = r.waiting[:0]
	}
}

func (r *run) endReign(i int) {
	if h := &r.hosts[i]; h.reign >= 0 {
		r.result.Reigns[h.reign].End = r.world.Now()
		h.reign = -1
	}
}

// agrees reports whether all nodes that run follow one that leads, but for those that are cut off from it; and more than
// half of those that run do.
func (r *run) agrees() bool {
	for l := range r.scenario.Nodes {
		if r.acts(l) && r.followed(l) {
			return true
		}
	}
	return false
}

func (r *run) followed(l int) bool {
	running, following := 0, 0
	for i := range r.scenario.Nodes {
		if !r.runs(i) {
			continue
		}
		running++
		switch linked := !r.world.IsCut(i, l) && !r.world.IsCut(l, i); {
		case linked && r.hosts[i].status.Leader == l+1:
			following++
		case linked:
			return false
		}
	}
	return 2*following > running
}

// heal looks what has become of the faults.
func (r *run) heal() {
	was := r.agreed
	r.agreed = r.agrees()
	if r.agreed && !was {
		r.since = r.world.Now()
	}
	for f := range r.faults {
		s, result := &r.faults[f], &r.result.Faults[f]
		switch {
		case s.closed || result.Began < 0:
		case !r.agreed:
			s.broken = true
		case s.broken && r.world.Now()-r.since >= r.scenario.Timing.Patience:
			s.closed = true
			result.Healed = r.since - result.Began
		}
	}
}

// finish returns the result.
func (r *run) finish() Result {
	r.account()
	r.result.Agreed = r.agrees() && !r.result.Storm
	for f := range r.faults {
		switch s, result := &r.faults[f], &r.result.Faults[f]; {
		case result.Began < 0 || s.closed:
		case !s.broken:
			result.Healed = 0
		case r.result.Agreed:
			result.Healed = r.since - result.Began
		}
	}
	if len(r.result.Reigns) == 0 {
		r.result.None = r.last
	}
	for i := range r.result.Reigns {
		r.result.Reigns[i].End = min(r.result.Reigns[i].End, max(r.last, r.result.Reigns[i].Begin))
	}
	r.result.Ended = r.last
	slices.SortStableFunc(r.result.Timeline, func(a, b Entry) int { return cmp.Compare(a.At, b.At) })
	return r.result
}

// work lets whoever leads look whether it does: its write is done later.
func (r *run) work() {
	for i := range r.hosts {
		if r.acts(i) && !r.world.Busy(i) {
			r.writes = append(r.writes, write{r.hosts[i].reign})
			r.world.Call(i, WriteDelay, writeTag|uint32(len(r.writes)-1))
		}
	}
	r.world.At(r.world.Now()+r.scenario.Work, workTag)
}

// write does a write of a node.
func (r *run) write(i int, w *write) {
	reign := r.result.Reigns[w.reign]
	switch {
	case r.algorithm.Fences && reign.Epoch < r.highest:
		r.result.Refused++
		r.tell(Entry{Kind: Writes, Node: i + 1, Text: fmt.Sprintf("writes, and epoch %d is refused", reign.Epoch)})
		return
	case r.newest >= 0 && r.later(r.newest, w.reign):
		r.result.Stale++
		r.tell(Entry{Kind: Writes, Node: i + 1, Text: fmt.Sprintf("writes, and is accepted, though one of %d came before", r.result.Reigns[r.newest].Leader)})
	}
	r.result.Accepted++
	if r.newest < 0 || r.later(w.reign, r.newest) {
		r.newest = w.reign
	}
	r.highest = max(r.highest, reign.Epoch)
}

// later reports whether reign a comes after reign b: by their epochs where these are ordered, else by when they began.
func (r *run) later(a, b int) bool {
	x, y := r.result.Reigns[a].Epoch, r.result.Reigns[b].Epoch
	if r.algorithm.Fences && x != y {
		return x > y
	}
	return a > b
}
