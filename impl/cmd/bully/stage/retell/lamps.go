package retell

import (
	"fmt"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/film"
)

// The names of the lamps. Those of properties are the names that the specification has for them.
const (
	Rules             = "Rules"
	OneLeaderPerEpoch = string(spec.OneLeaderPerEpoch)
	EpochMonotonic    = string(spec.EpochMonotonic)
	OneActing         = string(spec.OneActing)
	SomeLeader        = string(spec.SomeLeader)

	ConfigurationMonotonic = string(spec.ConfigurationMonotonic)
	OneConfiguration       = string(spec.OneConfiguration)
)

// Lamps returns the lamps of a film of ours, as they are before anything happens; changing says that members come and go.
func Lamps(changing bool) []film.Lamp {
	all := []film.Lamp{
		{Name: OneLeaderPerEpoch, Says: "At most one node is ever leader in an epoch. This holds whatever happens.", Light: film.Green, Once: true},
		{Name: EpochMonotonic, Says: "A node's epoch never goes back, over restarts too.", Light: film.Green, Once: true},
		{Name: OneActing, Says: "No two nodes act as leader at the same moment, while all timers are on time.", Light: film.Green},
		{Name: SomeLeader, Says: "Somebody leads. Amber: nobody does just now, though a quorum runs.", Light: film.Green},
	}
	if changing {
		all = append(all,
			film.Lamp{Name: ConfigurationMonotonic, Says: "A node's configuration never gets older, over restarts too.", Light: film.Green, Once: true},
			film.Lamp{Name: OneConfiguration, Says: "An epoch and a version name one list of members.", Light: film.Green, Once: true})
	}
	return append(all, film.Lamp{Name: Rules, Says: "Every step is one that the rules of the specification allow.", Light: film.Green, Once: true})
}

// lamps returns the lamps that have changed with the last event, whose frame is f.
func (t *Teller) lamps(f *film.Frame) (changed []film.Lamp) {
	turn := func(name string, light film.Light, says string) {
		was := t.lights[name]
		if was == "" {
			was = film.Green
		}
		if was != light {
			t.lights[name] = light
			changed = append(changed, film.Lamp{Name: name, Light: light, Says: says})
		}
	}
	if f.Node >= 0 && f.State != nil {
		n := &t.nodes[f.Node]
		if n.up && n.state.Role == spec.Leader {
			if first, led := t.leaders[n.state.Epoch]; !led {
				t.leaders[n.state.Epoch] = f.Node
			} else if first != f.Node {
				turn(OneLeaderPerEpoch, film.Red, fmt.Sprintf("%s and %s have both led epoch %d", t.members[first], t.members[f.Node], n.state.Epoch))
			}
		}
		if n.state.Epoch < n.highest {
			turn(EpochMonotonic, film.Red, fmt.Sprintf("the epoch of %s goes back from %d to %d", t.members[f.Node], n.highest, n.state.Epoch))
		}
		n.highest = max(n.highest, n.state.Epoch)
		if back := n.goesBack(); back != "" {
			turn(ConfigurationMonotonic, film.Red, fmt.Sprintf("the configuration of %s goes back: %s", t.members[f.Node], back))
		}
	}
	if t.confs.Twice() != "" {
		turn(OneConfiguration, film.Red, t.confs.Twice())
	}
	light, says := t.acting()
	turn(OneActing, light, says)
	light, says = t.led()
	turn(SomeLeader, light, says)
	return changed
}

// acting looks at OneActing.
func (t *Teller) acting() (film.Light, string) {
	first := -1
	for i := range t.nodes {
		if !t.nodes[i].up || t.nodes[i].state.Role != spec.Leader {
			continue
		}
		if first >= 0 {
			return film.Red, fmt.Sprintf("%s acts as leader of epoch %d, and %s of epoch %d", t.members[first], t.nodes[first].state.Epoch,
				t.members[i], t.nodes[i].state.Epoch)
		}
		first = i
	}
	return film.Green, ""
}

// led looks at SomeLeader.
func (t *Teller) led() (film.Light, string) {
	up := 0
	for i := range t.nodes {
		if t.nodes[i].up {
			up++
			if t.nodes[i].state.Role == spec.Leader {
				return film.Green, ""
			}
		}
	}
	if t.options.Changing {
		return t.ledChanging()
	}
	if up >= len(t.members)/2+1 {
		return film.Amber, fmt.Sprintf("nobody leads, though %d of %d nodes run", up, len(t.members))
	}
	return film.Green, ""
}
