package interactive

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// RunSpec is a run: who plays it again has the same frames, to the last.
type RunSpec struct {
	RunSpec   int            `json:"runSpec"`            // the version of run specs: 1
	Algorithm string         `json:"algorithm"`          // a name of Algorithms; "" with a scenario: the one that it is told of
	Nodes     int            `json:"nodes"`              // MinNodes to MaxNodes; with a scenario what that has, or 0
	Profile   string         `json:"profile"`            // a name of Profiles; with a scenario it is not looked at
	Seed      uint64         `json:"seed"`               // at most MaxSeed; with a scenario it is not looked at
	Scenario  string         `json:"scenario,omitempty"` // a name of package scenarios, or ""
	Do        []Intervention `json:"do"`                 // in the order in which it was done
}

// Intervention is something that somebody did to a run, when After frames had happened, those of what was done before included. Nodes
// are places from 0, as in a recording.
type Intervention struct {
	After   int              `json:"after"`
	Do      Deed             `json:"do"`
	Node    *int             `json:"node,omitempty"`    // of all but what follows
	Timer   string           `json:"timer,omitempty"`   // of Fire: its name
	Links   []recording.Link `json:"links,omitempty"`   // of Cut and Heal
	Message int              `json:"message,omitempty"` // of Deliver, Drop and Delay: its number
	By      int64            `json:"by,omitempty"`      // of Delay: microseconds
	Kind    string           `json:"kind,omitempty"`    // of Change: what Node is to be, voter, witness or observer; or removed
}

// Deed is what can be done to a run. Package compare says what each comes to.
type Deed string

const (
	Crash   Deed = "crash"
	Restart Deed = "restart"
	Pause   Deed = "pause"
	Resume  Deed = "resume"
	Cut     Deed = "cut"
	Heal    Deed = "heal"
	Deliver Deed = "deliver"
	Drop    Deed = "drop"
	Delay   Deed = "delay"
	Fire    Deed = "fire"
	Suspect Deed = "suspect"
	Resign  Deed = "resign"
	Change  Deed = "change"
)

var deeds = []Deed{Crash, Restart, Pause, Resume, Cut, Heal, Deliver, Drop, Delay, Fire, Suspect, Resign, Change}

// changeable is what a change makes of a node.
var changeable = []string{string(spec.Voter), string(spec.Witness), string(spec.Observer), removed}

// removed is what a node is that is no member any more.
const removed = "removed"

// The bounds of a run spec.
const (
	MinNodes         = 3
	MaxNodes         = 9
	MaxSeed          = 1<<53 - 1 // what every JSON reader keeps exact
	MaxInterventions = 10_000
	MaxAfter         = 200_000 // frames: so many take a few seconds to play again
	MaxDelay         = time.Hour
)

// ReadRunSpec reads a run spec. The error says which field cannot be, and why.
func ReadRunSpec(data []byte) (RunSpec, error) {
	var r RunSpec
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return RunSpec{}, fmt.Errorf("run spec: %w", said(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return RunSpec{}, errors.New("run spec: something stands after its end")
	}
	if err := r.Validate(); err != nil {
		return RunSpec{}, err
	}
	return r, nil
}

// said says what is wrong with JSON, without the words of the package that has read it.
func said(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field == "":
		return errors.New("it is no object in braces")
	case errors.As(err, &wrong):
		return fmt.Errorf("%s: a %s does not belong there", wrong.Field, wrong.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it is cut short")
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// Validate says which field of a run spec cannot be, and why. Whether something can be done when its time comes, only the run says.
func (r *RunSpec) Validate() error {
	_, err := r.setting()
	return err
}

// setting returns what is played.
func (r *RunSpec) setting() (setting, error) {
	wrong := func(field, format string, args ...any) (setting, error) {
		return setting{}, fmt.Errorf("run spec: %s: %s", field, fmt.Sprintf(format, args...))
	}
	var s setting
	if r.RunSpec != 1 {
		return wrong("runSpec", "version %d is not known: it is 1", r.RunSpec)
	}
	if r.Seed > MaxSeed {
		return wrong("seed", "%d is above %d", r.Seed, uint64(MaxSeed))
	}
	name := r.Algorithm
	if r.Scenario != "" {
		all := scenarios.All()
		i := slices.IndexFunc(all, func(n scenarios.Named) bool { return n.Name == r.Scenario })
		if i < 0 {
			return wrong("scenario", "there is none of the name %q", r.Scenario)
		}
		s = ofScenario(&all[i])
		if name == "" {
			name = all[i].Shows
		}
		if r.Nodes != 0 && r.Nodes != s.scenario.Nodes {
			return wrong("nodes", "%d, and scenario %s has %d", r.Nodes, r.Scenario, s.scenario.Nodes)
		}
	} else {
		p := profileNamed(r.Profile)
		if p == nil {
			return wrong("profile", "there is none of the name %q: there are %s", r.Profile, profileNames())
		}
		if r.Nodes < MinNodes || r.Nodes > MaxNodes {
			return wrong("nodes", "%d is not from %d to %d", r.Nodes, MinNodes, MaxNodes)
		}
		s = setting{scenario: p.scenario(r.Nodes), seed: r.Seed}
	}
	var ok bool
	if s.algorithm, ok = algorithmNamed(name); !ok {
		return wrong("algorithm", "there is none of the name %q", name)
	}
	if most := s.algorithm.MaxNodes; most > 0 && s.scenario.Nodes > most {
		return wrong("algorithm", "%s can have %d nodes, and not %d", name, most, s.scenario.Nodes)
	}
	return s, r.checkInterventions(&s)
}

// setting is what a run spec comes to.
type setting struct {
	scenario  compare.Scenario
	named     *scenarios.Named // or nil
	algorithm compare.Algorithm
	seed      uint64
}

// places returns how many nodes and servers there are.
func (s *setting) places() int { return s.scenario.Nodes + s.algorithm.Servers }

// checkInterventions says what of the interventions cannot be, whatever happens in the run.
func (r *RunSpec) checkInterventions(s *setting) error {
	if len(r.Do) > MaxInterventions {
		return fmt.Errorf("run spec: do: there are %d, and the most are %d", len(r.Do), MaxInterventions)
	}
	for k := range r.Do {
		if err := r.Do[k].check(s); err != nil {
			return fmt.Errorf("run spec: do[%d].%w", k, err)
		}
		if k > 0 && r.Do[k].After < r.Do[k-1].After {
			return fmt.Errorf("run spec: do[%d].after: %d is below that of the intervention before", k, r.Do[k].After)
		}
	}
	return nil
}

// check says which field of an intervention cannot be.
func (d *Intervention) check(s *setting) error {
	node, links, message := false, d.Do == Cut || d.Do == Heal, d.Do == Deliver || d.Do == Drop || d.Do == Delay
	node = !links && !message
	switch n := s.places(); {
	case !slices.Contains(deeds, d.Do):
		return fmt.Errorf("do: %q cannot be done: it is one of %v", d.Do, deeds)
	case d.After < n || d.After > MaxAfter:
		return fmt.Errorf("after: %d is not from %d, when all nodes have started, to %d", d.After, n, MaxAfter)
	case node != (d.Node != nil):
		return fmt.Errorf("node: what befalls a node says which, and nothing else does; this is %s", d.Do)
	case node && (*d.Node < 0 || *d.Node >= n):
		return fmt.Errorf("node: %d is not from 0 to %d", *d.Node, n-1)
	case links != (len(d.Links) > 0):
		return fmt.Errorf("links: what befalls links says which, and nothing else does; this is %s", d.Do)
	case message != (d.Message > 0) || d.Message < 0:
		return fmt.Errorf("message: what befalls a message says its number, from 1 on, and nothing else does; this is %s", d.Do)
	case (d.Do == Delay) != (d.By > 0) || d.By < 0 || d.By > MaxDelay.Microseconds():
		return fmt.Errorf("by: a delay is by 1 to %d microseconds, and nothing else is; this is %s", MaxDelay.Microseconds(), d.Do)
	case (d.Do == Fire) != slices.Contains(s.algorithm.Timers, d.Timer):
		return fmt.Errorf("timer: %q cannot end; the timers of %s are %q, and only fire has one", d.Timer, s.algorithm.Name, s.algorithm.Timers)
	case (d.Do == Change) != slices.Contains(changeable, d.Kind):
		return fmt.Errorf("kind: %q: a change makes a node one of %q, and nothing else does; this is %s", d.Kind, changeable, d.Do)
	case d.Do == Change && s.algorithm.Name != members:
		return fmt.Errorf("do: members of %s are fixed: those of %s can be changed", s.algorithm.Name, members)
	case d.Do != Fire && d.Timer != "":
		return fmt.Errorf("timer: only fire has one; this is %s", d.Do)
	}
	for _, l := range d.Links {
		if n := s.places(); min(l[0], l[1]) < 0 || max(l[0], l[1]) >= n || l[0] == l[1] {
			return fmt.Errorf("links: there is none from %d to %d: places are from 0 to %d", l[0], l[1], n-1)
		}
	}
	return nil
}
