package check

// Lights show of each promise whether it holds, and go on when one is broken: what is promised for always stays broken then.
type Lights struct {
	m      *Monitor
	broken []string // how each promise that is asked is broken; "" for one that holds
	shown  []string // the same, when it was looked at last
}

// Light is how a promise has come to be broken, or to hold again: then it has no problem.
type Light struct {
	Promise *Promise
	Problem string
}

// NewLights returns lights, all of which hold.
func NewLights(o MonitorOptions) *Lights {
	m := NewMonitor(o)
	return &Lights{m: m, broken: make([]string, len(m.asked)), shown: make([]string, len(m.asked))}
}

// Promises returns of which promises there are lights.
func (l *Lights) Promises() (all []*Promise) {
	for k := range l.m.asked {
		all = append(all, l.m.asked[k].Promise)
	}
	return all
}

// See takes what is seen of node i.
func (l *Lights) See(i int, now *View) {
	if *now == l.m.nodes[i] {
		return
	}
	l.m.now = *now
	for k := range l.m.asked {
		if p := &l.m.asked[k]; p.When == Always && l.broken[k] == "" {
			if breach := p.breaks(l.m, i, &l.m.now); breach != nil {
				l.broken[k] = breach.Text()
			}
		}
	}
	l.m.Note(i, now)
}

// Changed returns the lights that are others than when it was called last. What may hold again is looked at here, and not
// before: what is seen at one moment is seen of one node after the other.
func (l *Lights) Changed() (changed []Light) {
	for k := range l.m.asked {
		p := &l.m.asked[k]
		if p.When != Always {
			l.broken[k] = ""
			if breach := p.breaks(l.m, 0, &l.m.nodes[0]); breach != nil {
				l.broken[k] = breach.Text()
			}
		}
		if (l.broken[k] == "") != (l.shown[k] == "") {
			changed = append(changed, Light{p.Promise, l.broken[k]})
		}
		l.shown[k] = l.broken[k]
	}
	return changed
}
