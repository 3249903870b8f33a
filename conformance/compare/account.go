package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// acts reports whether a node acts as leader: it runs, is not paused, and says so.
func (p *Play) acts(i int) bool {
	return p.hosts[i].status.Leading && p.runs(i)
}

// runs reports whether a node takes steps.
func (p *Play) runs(i int) bool { return p.network.Up(i) && !p.network.Paused(i) }

// account counts the time since the last event, during which those led who led after that.
func (p *Play) account() {
	d := p.network.Now() - p.last
	if d == 0 {
		return
	}
	leading := p.leading
	switch n := len(leading); {
	case n == 0 && len(p.result.Reigns) > 0:
		p.result.None += d
	case n > 1:
		p.result.Two += d
	}
	p.result.AtOnce = max(p.result.AtOnce, len(leading))
	if p.options.Timeline && !slices.Equal(leading, p.shown) && (len(leading) > 1 || len(p.shown) > 1) {
		p.result.Timeline = append(p.result.Timeline, Entry{At: p.last, Kind: Happens, Text: leadText(leading)})
	}
	p.shown = append(p.shown[:0], leading...)
	p.last = p.network.Now()
}

// look notes who leads after an event.
func (p *Play) look() {
	p.leading = p.leading[:0]
	for i := range p.scenario.Nodes {
		if p.acts(i) {
			p.leading = append(p.leading, i+1)
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
func (p *Play) changed(i int) {
	h := &p.hosts[i]
	was, now := h.status, h.node.Status()
	if h.saves || was == now {
		return
	}
	h.status = now
	p.mix(uint64(i), uint64(now.Leader), now.Epoch)
	if was.Leading && (!now.Leading || was.Epoch != now.Epoch) {
		p.endReign(i)
	}
	if now.Leading && h.reign < 0 {
		h.reign = len(p.result.Reigns)
		p.result.Reigns = append(p.result.Reigns, Reign{Leader: i + 1, Epoch: now.Epoch, Begin: p.network.Now(), End: p.scenario.Length})
		if p.algorithm.Epochs {
			if p.epochs[now.Epoch] == nil {
				p.epochs[now.Epoch] = map[int]bool{}
			}
			p.epochs[now.Epoch][i] = true
			p.result.SameEpoch = max(p.result.SameEpoch, len(p.epochs[now.Epoch]))
		}
	}
	if now.Standing && !was.Standing {
		p.result.Elections++
	}
	p.tell(Entry{Kind: Becomes, Node: i + 1})
	if now.Leading {
		for _, f := range p.waiting {
			p.plan(p.network.Now(), beginTag, f) // after this step
		}
		p.waiting = p.waiting[:0]
	}
}

func (p *Play) endReign(i int) {
	if h := &p.hosts[i]; h.reign >= 0 {
		p.result.Reigns[h.reign].End = p.network.Now()
		h.reign = -1
	}
}

// agrees reports whether all nodes that run follow one that leads, but for those that are cut off from it; and more than
// half of those that run do.
func (p *Play) agrees() bool {
	for l := range p.scenario.Nodes {
		if p.acts(l) && p.followed(l) {
			return true
		}
	}
	return false
}

// followed reports whether all that run, and are not cut off from node l, follow it; and more than half of those that run do.
func (p *Play) followed(l int) bool {
	running, following := 0, 0
	for i := range p.scenario.Nodes {
		if !p.runs(i) {
			continue
		}
		running++
		switch linked := !p.network.IsCut(i, l) && !p.network.IsCut(l, i); {
		case linked && p.hosts[i].status.Leader == l+1:
			following++
		case linked:
			return false
		}
	}
	return 2*following > running
}

// heal looks what has become of the faults.
func (p *Play) heal() {
	was := p.agreed
	p.agreed = p.agrees()
	if p.agreed && !was {
		p.since = p.network.Now()
	}
	for f := range p.faults {
		s, result := &p.faults[f], &p.result.Faults[f]
		switch {
		case s.closed || result.Began < 0:
		case !p.agreed:
			s.broken = true
		case s.broken && p.network.Now()-p.since >= p.scenario.Timing.Patience:
			s.closed = true
			result.Healed = p.since - result.Began
		}
	}
}

// finish returns the result, which is a copy: the run may go on.
func (p *Play) finish() Result {
	p.account()
	r := p.result
	r.Agreed = p.agrees() && !r.Storm
	r.Faults, r.Reigns, r.Timeline = slices.Clone(r.Faults), slices.Clone(r.Reigns), slices.Clone(r.Timeline)
	r.Messages = maps.Clone(r.Messages)
	for f := range p.faults {
		switch s, result := &p.faults[f], &r.Faults[f]; {
		case result.Began < 0 || s.closed:
		case !s.broken:
			result.Healed = 0
		case r.Agreed:
			result.Healed = p.since - result.Began
		}
	}
	if len(r.Reigns) == 0 {
		r.None = p.last
	}
	for i := range r.Reigns {
		r.Reigns[i].End = min(r.Reigns[i].End, max(p.last, r.Reigns[i].Begin))
	}
	r.Ended = p.last
	slices.SortStableFunc(r.Timeline, func(a, b Entry) int { return cmp.Compare(a.At, b.At) })
	return r
}

// work lets whoever leads look whether it does: its write is done later.
func (p *Play) work() {
	for i := range p.hosts {
		if p.acts(i) && !p.network.Busy(i) {
			p.writes = append(p.writes, write{p.hosts[i].reign, p.network.Now()})
			p.hosts[i].writes++
			p.network.Call(i, WriteDelay, writeTag|uint32(len(p.writes)-1))
		}
	}
	p.network.At(p.network.Now()+p.scenario.Work, workTag)
}

// write does a write of a node.
func (p *Play) write(i int, w *write) {
	reign := p.result.Reigns[w.reign]
	p.moment.What, p.moment.Node, p.moment.Epoch, p.moment.Looked = Wrote, i+1, reign.Epoch, w.looked
	p.hosts[i].writes--
	switch {
	case p.algorithm.Fences && reign.Epoch < p.highest:
		p.result.Refused++
		p.moment.Refused = true
		p.tell(Entry{Kind: Writes, Node: i + 1, Text: fmt.Sprintf("writes, and epoch %d is refused", reign.Epoch)})
		return
	case p.newest >= 0 && p.later(p.newest, w.reign):
		p.result.Stale++
		p.moment.Stale = p.result.Reigns[p.newest].Leader
		p.tell(Entry{Kind: Writes, Node: i + 1, Text: fmt.Sprintf("writes, and is accepted, though one of %d came before", p.result.Reigns[p.newest].Leader)})
	}
	p.result.Accepted++
	if p.newest < 0 || p.later(w.reign, p.newest) {
		p.newest = w.reign
	}
	p.highest = max(p.highest, reign.Epoch)
}

// later reports whether reign a comes after reign b: by their epochs where these are ordered, else by when they began.
func (p *Play) later(a, b int) bool {
	x, y := p.result.Reigns[a].Epoch, p.result.Reigns[b].Epoch
	if p.algorithm.Fences && x != y {
		return x > y
	}
	return a > b
}
