package interactive

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
	"github.com/seed-fdf591db/bully/impl/internal/narrate"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// mostFrames is how many frames a run can have: a variable for the sake of tests.
var mostFrames = recording.MaxFrames

// Run is a run that goes on as far as it is asked to. It is for one goroutine.
type Run struct {
	runSpec RunSpec
	setting
	family *family
	play   *compare.Play
	header recording.Header

	count  int               // how many frames there have been
	frames []recording.Frame // those that nobody has been given
	you    bool              // what happens now is an intervention of whoever looks on
	waited bool              // … who has waited for the leader
	closed bool              // the last frame says that no more come
	over   bool              // and that nothing can be done about it
	limit  time.Duration
	last   time.Duration // when the last frame was

	nodes      []told
	cut        []recording.Link
	indicators indicators
	confs      narrate.Configurations
	model      *conformance.Model // that says what the rules are; nil if it cannot
	members    []spec.NodeID      // of a run of ours
	events     []spec.Event
}

// told is what was told of a node.
type told struct {
	look   recording.Look
	leads  bool          // it has its effects that it leads
	leader int           // whom it takes for the leader, a place; or -1
	epoch  uint64        // that it leads
	conf   int           // the number of its configuration; 0 if members are fixed
	woke   time.Duration // when it went on after its last pause; below 0 if it has had none
	saves  int           // the place of the event whose step it saves, and 1; or 0
	writes bool          // a write of it was on its way
	asked  narrate.Asked // of a node of ours
	leases deadlines     // of another
}

// Begin begins a run: it lets all nodes start, and does what the run spec has done, each when so many frames have happened. The
// error says what of the run spec cannot be.
func Begin(r RunSpec) (*Run, error) {
	s, err := begin(r)
	if err != nil {
		return nil, err
	}
	if s.named != nil {
		s.header.Open = s.firstFault()
	}
	for k, d := range r.Do {
		s.goOn(d.After - s.count)
		switch {
		case s.count < d.After:
			return nil, fmt.Errorf("run spec: do[%d].after: the run is over after %d frames", k, s.count)
		case s.count > d.After:
			return nil, fmt.Errorf("run spec: do[%d].after: %d, and with what was done before there are %d frames", k, d.After, s.count)
		}
		if err := s.do(d); err != nil {
			return nil, fmt.Errorf("run spec: do[%d]: %w", k, err)
		}
		s.runSpec.Do = append(s.runSpec.Do, r.Do[k])
	}
	return s, nil
}

// begin begins a run without what was done to it.
func begin(r RunSpec) (*Run, error) {
	set, err := r.setting()
	if err != nil {
		return nil, err
	}
	s := &Run{runSpec: r, setting: set, family: familyOf(&set.algorithm), limit: set.scenario.Length, nodes: make([]told, set.places())}
	s.runSpec.Do, s.runSpec.Algorithm, s.runSpec.Nodes = []Intervention{}, set.algorithm.Name, set.scenario.Nodes
	for k := range s.nodes {
		s.nodes[k].woke, s.nodes[k].leader = -1, -1
	}
	s.prepare()
	s.play, err = compare.Begin(&s.scenario, s.algorithm, s.seed, compare.Options{Watch: s.happened})
	if err != nil {
		return nil, fmt.Errorf("run spec: %w", err)
	}
	s.goOn(s.places())
	return s, nil
}

// prepare makes the header, and what is needed for runs of ours.
func (s *Run) prepare() {
	s.header = recording.Header{Recording: recording.Version, Source: recording.Run, Algorithm: s.algorithm.Name, Servers: s.algorithm.Servers,
		Timed: true, Open: s.places(), Watch: s.family.says}
	s.header.Title = fmt.Sprintf("%d nodes, %s", s.scenario.Nodes, s.algorithm.Title)
	if s.named != nil {
		s.header.Title, s.header.Watch = s.named.Title, s.named.Watch
		if shows, ok := algorithms.Named(s.named.Shows); ok && shows.Name != s.algorithm.Name { // what the title says befalls the other one
			s.header.Title = fmt.Sprintf("%s in the story “%s”", s.algorithm.Title, strings.ReplaceAll(s.named.Name, "-", " "))
			s.header.Watch = fmt.Sprintf("With %s it goes like this: “%s.” The same faults happen here. %s", shows.Title, s.named.Title, s.family.says)
			s.limit += longer
		}
	}
	ours := s.family.prefix == "bully" || s.family.prefix == members
	s.confs = narrate.NewConfigurations()
	for i := range s.places() {
		name := strconv.Itoa(i + 1)
		if i >= s.scenario.Nodes {
			name = "store"
		}
		s.header.Nodes = append(s.header.Nodes, name)
		if ours {
			s.members = append(s.members, spec.IntegerID(uint64(i+1)))
		}
	}
	if ours && s.scenario.Nodes <= mostOfModel {
		s.model = &conformance.Model{}
	}
	s.header.Indicators = s.indicatorsOf()
	if s.scenario.Work > 0 {
		s.header.Resource = recording.Unfenced
		if s.algorithm.Fences {
			s.header.Resource = recording.Fenced
		}
	}
}

// longer is for how long a scenario goes on with another algorithm than the one that it is about, which may settle later: so that people
// see that the highest leads again.
const longer = 5 * time.Second

// firstFaults keeps what firstFault has found: a page begins the same run again and again.
var firstFaults sync.Map

// firstFault returns how many frames have happened when the first thing has that the scenario has planned, but for what
// gives it its first leader at the very beginning.
func (s *Run) firstFault() int {
	key := [2]string{s.runSpec.Scenario, s.runSpec.Algorithm}
	found, ok := firstFaults.Load(key)
	if !ok {
		found = s.findFault()
		firstFaults.Store(key, found)
	}
	return found.(int)
}

// findFault plays the scenario ahead, until the first thing that it has planned after somebody has led; if it has planned none
// then, the first of all.
func (s *Run) findFault() int {
	const most = 5000
	ahead, err := begin(RunSpec{RunSpec: 1, Algorithm: s.runSpec.Algorithm, Scenario: s.runSpec.Scenario})
	if err != nil {
		return s.header.Open
	}
	ahead.goOn(most)
	found, led := s.header.Open, false
	for k, f := range ahead.frames {
		if f.By == recording.Plan && f.At > 0 && f.Kind != recording.Step { // which would be the end
			if led {
				return k + 1
			}
			if found == s.header.Open {
				found = k + 1 // the only one, perhaps: a scenario about a first election
			}
		}
		led = led || f.State != nil && f.State.Look == recording.Leads
	}
	return found
}

// RunSpec returns the run spec of the run, with all that has been done to it by now.
func (s *Run) RunSpec() RunSpec {
	r := s.runSpec
	r.Do = slices.Clone(r.Do)
	return r
}

// Header returns the header of the recording of the run.
func (s *Run) Header() recording.Header { return s.header }

// Taken returns the frames that nobody has been given yet. After Begin, these are all up to the last intervention of the run spec.
func (s *Run) Taken() []recording.Frame {
	frames := s.frames
	s.frames = nil
	return frames
}

// Next goes on for k frames, and returns them; fewer if the run ends before, as ended says. A run ends when nothing happens any
// more, or its scenario is over: what is then done to it lets it go on.
func (s *Run) Next(k int) (frames []recording.Frame, ended bool) {
	s.goOn(k)
	return s.Taken(), s.closed
}

// Do does something to the run where it is: d.After is how many frames there have been. It returns the frames that come
// of it at once. The error says what cannot be done, and then nothing has happened.
func (s *Run) Do(d Intervention) ([]recording.Frame, error) {
	if len(s.runSpec.Do) >= MaxInterventions {
		return nil, fmt.Errorf("%d things have been done already, and more cannot", MaxInterventions)
	}
	if d.After != s.count {
		return nil, fmt.Errorf("after: the run is where %d frames have happened, and not %d", s.count, d.After)
	}
	if err := s.do(d); err != nil {
		return nil, err
	}
	s.runSpec.Do = append(s.runSpec.Do, d)
	return s.Taken(), nil
}

// Ended reports whether no frame comes any more, unless something is done.
func (s *Run) Ended() bool { return s.closed }

// Trace returns what a trace has of the run so far (section 14 of the specification); ours is false if the run is none of ours. The
// memory is the run's, until it goes on.
func (s *Run) Trace() (h spec.Header, events []spec.Event, ours bool) {
	if s.members == nil {
		return h, nil, false
	}
	return spec.Header{Changing: s.changes(), Members: s.members, Seed: s.seed, Commit: "view"}, s.events, true
}

// silence is for how long nothing happens that anybody is told of until a run is taken to have come to its end.
const silence = 10 * time.Second

// goOn goes on until there are k frames more, or the run ends.
func (s *Run) goOn(k int) {
	for most := s.count + k; s.count < most && !s.closed; {
		if s.count >= mostFrames-1 {
			s.end(fmt.Sprintf("the run is given up: a recording has at most %d frames", mostFrames), true)
			return
		}
		until := s.limit
		if !s.play.Planned() {
			until = min(until, s.last+silence)
		}
		if s.play.Next(until) {
			continue
		}
		switch _, err := s.play.Finish(); {
		case err != nil:
			s.end("the run is given up: "+err.Error(), true)
		case s.play.Now() < until:
			s.end("the run is given up: nodes send more messages than they can have cause for", true)
		case until < s.limit:
			s.end("nothing happens any more: nobody is left who would do something", false)
		default:
			s.end("here the scenario ends", false)
		}
	}
}

// end adds the frame that says why no more come.
func (s *Run) end(text string, over bool) {
	s.closed, s.over = true, over
	by := recording.By("")
	if s.named != nil && !over {
		by = recording.Plan
	}
	s.add(&recording.Frame{Kind: recording.Step, Node: -1, Text: text, By: by})
}

// add adds a frame, which happens now.
func (s *Run) add(f *recording.Frame) {
	s.last = s.play.Now()
	f.At = s.last.Microseconds()
	if s.you {
		f.By = recording.You
	}
	f.Indicators, f.Configurations = s.lights(), s.confs.Take()
	s.frames = append(s.frames, *f)
	s.count++
}

// timer returns the timer of a name.
func (s *Run) timer(name string) compare.Timer {
	return compare.Timer(slices.Index(s.algorithm.Timers, name))
}

// again is for how long a run goes on that has ended, when something is done to it.
const again = time.Minute

// do does something to the run. A change of the members waits until the leader can make it, if that passes: what happens meanwhile has
// happened, too.
func (s *Run) do(d Intervention) error {
	if s.over {
		return fmt.Errorf("the run is given up, and nothing can be done to it")
	}
	if err := d.check(&s.setting); err != nil {
		return err
	}
	s.waited = false
	if d.Do == Change {
		before := s.count
		s.goOn(s.wait(*d.Node+1, d.Kind))
		s.waited = s.count > before
	}
	s.you = true
	err := s.deed(&d)
	s.you = false
	if err == nil && s.closed {
		s.closed, s.limit = false, max(s.limit, s.play.Now()+again)
	}
	return err
}

// deed does something, in the words of package compare.
func (s *Run) deed(d *Intervention) error {
	id := 0
	if d.Node != nil {
		id = *d.Node + 1
	}
	var links []compare.Link
	for _, l := range d.Links {
		links = append(links, compare.Link{From: l[0] + 1, To: l[1] + 1})
	}
	switch d.Do {
	case Crash:
		return s.play.Crash(id)
	case Restart:
		return s.play.Restart(id)
	case Pause:
		return s.play.Pause(id)
	case Resume:
		return s.play.Resume(id)
	case Cut:
		return s.play.Cut(links)
	case Heal:
		return s.play.Heal(links)
	case Deliver:
		return s.play.Deliver(d.Message)
	case Drop:
		return s.play.Drop(d.Message)
	case Delay:
		return s.play.Delay(d.Message, time.Duration(d.By)*time.Microsecond)
	case Fire:
		return s.play.Fire(id, s.timer(d.Timer))
	case Suspect:
		return s.play.Suspect(id)
	case Change:
		return s.change(id, d.Kind)
	}
	return s.play.Resign(id)
}
