package groups

import (
	"time"

	"github.com/seed-fdf591db/bully/spec/policy"
)

// paces says how many groups may have been told of a death. The first of them are to have another leader before most are told, as what a group does next waits behind what all others do: for
// messages, for the disk, and, where nodes share processors, for the other nodes. So few are told at first, and for each that has a leader again moreTold more; some more as time
// goes by, as some may not get one.
type paces struct {
	began policy.Instant
	told  int // whose leader the dead was
	ended int // … that have another
}

const (
	firstTold = 8
	moreTold  = 16
	pace      = time.Millisecond
)

// room returns how many more may be told now.
func (p *paces) room(now policy.Instant) int {
	return firstTold*(1+int(now.After(p.began)/pace)) + moreTold*p.ended - p.told
}

// mourns tells groups of a proof of death: so many of those whose leader it was as may be told now.
func (l *loop) mourns() {
	for room := min(l.paces.room(l.watch.Now), mostSteps); l.mourned != none && room > 0; {
		if l.mournsNext() {
			room--
		}
	}
}

// mournsAll tells all groups that have not been told.
func (l *loop) mournsAll() {
	for l.mourned != none {
		l.mournsNext()
	}
}

// mournsNext tells the next group of the list, and reports whether the dead was its leader.
func (l *loop) mournsNext() (led bool) {
	if l.err != nil || l.unheard >= len(l.list) {
		l.mourned = none
		return false
	}
	g := l.list[l.unheard]
	if led = g.leader == l.mourned; led {
		l.paces.told++
		g.mourns = true
	}
	l.unheard++
	l.give(g, input{from: l.mourned, dead: true})
	return led
}

// hears has a group hear of a proof of death of which it has not yet, before it takes anything else. That it hears of it once more changes nothing.
func (l *loop) hears(g *group) {
	if l.mourned != none && g.at >= l.unheard && g.held == nil && g.node != nil {
		l.proved(g, l.mourned)
	}
}
