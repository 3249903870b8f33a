package recording

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The bounds of recordings: a viewer keeps all of one in memory.
const (
	MaxNodes  = 128       // servers included
	MaxFrames = 1_000_000 // of a recording
	MaxLine   = 1 << 20   // bytes of a line, with its LF
	MaxSends  = 1024      // messages of one frame
	maxTime   = 1<<53 - 1 // JavaScript counts so far
	maxRank   = 1<<16 - 1
)

// Error is what is wrong with a header or a frame.
type Error struct {
	Line    int    // from 1; the header is line 1, and frame n is line n+1
	Field   string // such as takes or sends[2].to; "" if it is the whole line
	Problem string // what is wrong, and what is wanted
}

func (e *Error) Error() string {
	text := fmt.Sprintf("line %d: ", e.Line)
	if e.Field != "" {
		text += e.Field + ": "
	}
	return text + e.Problem
}

// Checker says whether frames, one after the other, make a recording.
type Checker struct {
	header     *Header
	indicators map[string]bool
	frames     int
	at         int64
	sent       int          // how many messages have been sent
	told       int          // how many configurations have been
	way        map[int]Link // the messages that are under way, by number
}

// NewChecker returns a checker of the recording that begins with h. The error says what is wrong with h, but for Open, which
// End looks at.
func NewChecker(h *Header) (*Checker, error) {
	c := &Checker{header: h, indicators: map[string]bool{}, way: map[int]Link{}}
	if field, problem := c.checkHeader(); problem != "" {
		return nil, &Error{Line: 1, Field: field, Problem: problem}
	}
	return c, nil
}

// checkHeader says which field of the header is wrong, and why; "" if none is.
func (c *Checker) checkHeader() (field, problem string) {
	h := c.header
	switch {
	case h.Recording != Version:
		return "recording", fmt.Sprintf("%d: recordings of version %d are known", h.Recording, Version)
	case !slices.Contains(sources, h.Source):
		return "source", fmt.Sprintf("%q is none of %s", h.Source, list(sources))
	case len(h.Nodes) == 0 || len(h.Nodes) > MaxNodes:
		return "nodes", fmt.Sprintf("there are %d, and must be from 1 to %d", len(h.Nodes), MaxNodes)
	case h.Servers < 0 || h.Servers >= len(h.Nodes):
		return "servers", fmt.Sprintf("%d of %d nodes cannot be servers", h.Servers, len(h.Nodes))
	case h.Resource != "" && !slices.Contains(resources, h.Resource):
		return "resource", fmt.Sprintf("%q is none of %s", h.Resource, list(resources))
	case h.Open < 0 || h.Open > MaxFrames:
		return "open", fmt.Sprintf("%d is no number of frames", h.Open)
	}
	for i, name := range h.Nodes {
		if name == "" || slices.Contains(h.Nodes[:i], name) {
			return fmt.Sprintf("nodes[%d]", i), fmt.Sprintf("%q: each node has a name of its own", name)
		}
	}
	for i, indicator := range h.Indicators {
		where := fmt.Sprintf("indicators[%d]", i)
		switch {
		case indicator.Name == "" || c.indicators[indicator.Name]:
			return where + ".name", fmt.Sprintf("%q: each indicator has a name of its own", indicator.Name)
		case !slices.Contains(lights, indicator.Light):
			return where + ".light", fmt.Sprintf("%q is none of %s", indicator.Light, list(lights))
		}
		c.indicators[indicator.Name] = true
	}
	return "", ""
}

// Frame takes the next frame. The error is an Error, and says how it does not fit; then the recording has ended.
func (c *Checker) Frame(f *Frame) error {
	field, problem := c.check(f)
	if problem == "" {
		field, problem = c.take(f)
	}
	if problem != "" {
		return &Error{Line: c.frames + 2, Field: field, Problem: problem}
	}
	c.frames++
	c.told += len(f.Configurations)
	c.at = f.At
	return nil
}

// End says whether a recording may end here.
func (c *Checker) End() error {
	if c.header.Open > c.frames {
		return &Error{Line: 1, Field: "open", Problem: fmt.Sprintf("%d, and there are only %d frames", c.header.Open, c.frames)}
	}
	return nil
}

// check looks at a frame alone.
func (c *Checker) check(f *Frame) (field, problem string) {
	nodes := len(c.header.Nodes)
	switch {
	case c.frames >= MaxFrames:
		return "", fmt.Sprintf("a recording has at most %d frames", MaxFrames)
	case f.At < 0 || f.At > maxTime:
		return "at", fmt.Sprintf("%d is not from 0 to 2^53-1", f.At)
	case f.At < c.at:
		return "at", fmt.Sprintf("%d comes before %d of the frame before", f.At, c.at)
	case !slices.Contains(kinds, f.Kind):
		return "kind", fmt.Sprintf("%q is none of %s", f.Kind, list(kinds))
	case f.Node < -1 || f.Node >= nodes:
		return "node", fmt.Sprintf("%d is no place among the %d nodes", f.Node, nodes)
	case f.Node < 0 && slices.Contains(befalls, f.Kind):
		return "node", fmt.Sprintf("it is missing: %q befalls a node", f.Kind)
	case f.By != "" && f.By != Plan && f.By != You:
		return "by", fmt.Sprintf("%q is neither %q nor %q", f.By, Plan, You)
	case f.Node < 0 && (len(f.Sends) > 0 || f.State != nil):
		return "node", "it is missing, and something is sent, or has a state"
	case len(f.Sends) > MaxSends:
		return "sends", fmt.Sprintf("%d are more than %d", len(f.Sends), MaxSends)
	}
	if field, problem := c.checkMembers(f); problem != "" {
		return field, problem
	}
	if f.Wrote != nil {
		if field, problem := c.checkWrote(f); problem != "" {
			return "wrote" + field, problem
		}
	}
	if f.State != nil {
		if field, problem := f.State.check(nodes); problem != "" {
			return "state." + field, problem
		}
	}
	if f.Cut != nil {
		if *f.Cut == nil {
			return "cut", "null: if no link is cut any more, [] says so"
		}
		seen := make(map[Link]bool, len(*f.Cut))
		for i, l := range *f.Cut {
			if l[0] < 0 || l[1] < 0 || l[0] >= nodes || l[1] >= nodes || l[0] == l[1] || seen[l] {
				return fmt.Sprintf("cut[%d]", i), fmt.Sprintf("[%d,%d]: a link joins two nodes, and is cut once", l[0], l[1])
			}
			seen[l] = true
		}
	}
	for i, indicator := range f.Indicators {
		switch {
		case !c.indicators[indicator.Name]:
			return fmt.Sprintf("indicators[%d].name", i), fmt.Sprintf("%q is no indicator of the header", indicator.Name)
		case !slices.Contains(lights, indicator.Light):
			return fmt.Sprintf("indicators[%d].light", i), fmt.Sprintf("%q is none of %s", indicator.Light, list(lights))
		}
	}
	return "", ""
}

// checkWrote looks at what has come to the resource.
func (c *Checker) checkWrote(f *Frame) (field, problem string) {
	switch {
	case c.header.Resource == "":
		return "", "the header says nothing of a resource"
	case f.Kind != Write:
		return "", fmt.Sprintf("%q writes nothing", f.Kind)
	case !slices.Contains(fates, f.Wrote.Fate):
		return ".fate", fmt.Sprintf("%q is none of %s", f.Wrote.Fate, list(fates))
	case f.Wrote.Fate == Refused && c.header.Resource == Unfenced:
		return ".fate", "what is unfenced refuses nothing"
	case f.Wrote.Looked < 0 || f.Wrote.Looked > f.At:
		return ".looked", fmt.Sprintf("%d is not from 0 to %d, when it is written", f.Wrote.Looked, f.At)
	}
	return "", ""
}

// checkMembers looks at the configurations that a frame tells, and at those that it names.
func (c *Checker) checkMembers(f *Frame) (field, problem string) {
	for i := range f.Configurations {
		if field, problem := f.Configurations[i].check(len(c.header.Nodes)); problem != "" {
			return fmt.Sprintf("configurations[%d].%s", i, field), problem
		}
	}
	there := c.told + len(f.Configurations)
	none := func(number int) string {
		if number >= 0 && number <= there {
			return ""
		}
		return fmt.Sprintf("there is no configuration %d: %d have been told", number, there)
	}
	if f.State != nil && none(f.State.Configuration) != "" {
		return "state.configuration", none(f.State.Configuration)
	}
	for i := range f.Sends {
		if problem := none(f.Sends[i].Configuration); problem != "" {
			return fmt.Sprintf("sends[%d].configuration", i), problem
		}
	}
	return "", ""
}

func (c *Configuration) check(nodes int) (field, problem string) {
	if c.Epoch > maxTime || c.Version > maxTime {
		return "epoch", "epoch and version are from 0 to 2^53-1"
	}
	if c.Members == nil {
		return "members", "null: if there are none, [] says so"
	}
	for i, m := range c.Members {
		switch {
		case m.Node < 0 || m.Node >= nodes || i > 0 && m.Node <= c.Members[i-1].Node:
			return fmt.Sprintf("members[%d].node", i), fmt.Sprintf("%d: places among the %d nodes are wanted, ascending", m.Node, nodes)
		case !slices.Contains(memberKinds, m.Kind):
			return fmt.Sprintf("members[%d].kind", i), fmt.Sprintf("%q is none of %s", m.Kind, list(memberKinds))
		case m.Rank < 0 || m.Rank > maxRank:
			return fmt.Sprintf("members[%d].rank", i), fmt.Sprintf("%d is not from 0 to %d", m.Rank, maxRank)
		}
	}
	return "", ""
}

// take looks at the messages of a frame, and remembers what is under way after it.
func (c *Checker) take(f *Frame) (field, problem string) {
	if f.Takes != 0 || f.Kind == Lose {
		if problem := c.end(f); problem != "" {
			return "takes", problem
		}
	}
	if f.Kind == Crash {
		maps.DeleteFunc(c.way, func(_ int, l Link) bool { return l[0] == f.Node || l[1] == f.Node })
	}
	for i, m := range f.Sends {
		switch {
		case m.Number != c.sent+1:
			return fmt.Sprintf("sends[%d].number", i), fmt.Sprintf("%d, and the next message is number %d", m.Number, c.sent+1)
		case m.To < 0 || m.To >= len(c.header.Nodes):
			return fmt.Sprintf("sends[%d].to", i), fmt.Sprintf("%d is no place among the %d nodes", m.To, len(c.header.Nodes))
		case m.Due < 0 || m.Due > maxTime || m.Epoch > maxTime:
			return fmt.Sprintf("sends[%d]", i), "due and epoch are from 0 to 2^53-1"
		}
		if c.sent++; !m.Lost {
			c.way[c.sent] = Link{f.Node, m.To}
		}
	}
	for i, m := range f.Moves {
		if _, under := c.way[m.Number]; !under || m.Due < 0 || m.Due > maxTime {
			return fmt.Sprintf("moves[%d]", i), fmt.Sprintf("message %d is not under way, or %d is no time", m.Number, m.Due)
		}
	}
	if f.Cut != nil {
		cut := make(map[Link]bool, len(*f.Cut))
		for _, l := range *f.Cut {
			cut[l] = true
		}
		maps.DeleteFunc(c.way, func(_ int, l Link) bool { return cut[l] })
	}
	return "", ""
}

// end takes the message of a frame off its way, and says why it cannot.
func (c *Checker) end(f *Frame) string {
	if f.Kind != Receive && f.Kind != Lose && f.Kind != Step {
		return fmt.Sprintf("%q takes no message", f.Kind)
	}
	switch link, under := c.way[f.Takes]; {
	case f.Takes < 1 || f.Takes > c.sent:
		return fmt.Sprintf("message %d has not been sent", f.Takes)
	case !under:
		return fmt.Sprintf("message %d has arrived already, or is lost", f.Takes)
	case f.Kind == Receive && link[1] != f.Node:
		return fmt.Sprintf("message %d is for %s", f.Takes, c.header.Nodes[link[1]])
	}
	delete(c.way, f.Takes)
	return ""
}

func (s *State) check(nodes int) (field, problem string) {
	switch {
	case !slices.Contains(looks, s.Look):
		return "look", fmt.Sprintf("%q is none of %s", s.Look, list(looks))
	case s.Unheard && s.Look != Down:
		return "unheard", fmt.Sprintf("a node that is heard no more is %q, and not %q", Down, s.Look)
	case s.Leader < -1 || s.Leader >= nodes:
		return "leader", fmt.Sprintf("%d is no place among the %d nodes", s.Leader, nodes)
	case s.Epoch > maxTime:
		return "epoch", fmt.Sprintf("%d is above 2^53-1", s.Epoch)
	case s.Lease != nil && (s.Look != Leads || s.Lease.Asked < 0 || s.Lease.Ends != 0 && s.Lease.Ends < s.Lease.Asked):
		return "lease", "it is of who leads, and ends after it was asked for"
	}
	return "", ""
}

var (
	sources = []Source{Run, Trace, Counterexample, Live}
	kinds   = []Kind{Start, Restart, Receive, Timer, Call, Save, Crash, Pause, Resume, Lose, Links, Write, Intervene, Step}
	befalls = []Kind{Start, Restart, Receive, Timer, Call, Save, Crash, Pause, Resume, Write}
	looks   = []Look{Leads, Stands, Waits, Follows, Idle, Down, Serves}
	lights  = []Light{Green, Amber, Red}
	fates   = []Fate{Taken, Refused, Stale}

	resources = []Resource{Fenced, Unfenced}

	memberKinds = []MemberKind{Voter, Witness, Observer}
)

// list says words with commas between them.
func list[T ~string](words []T) string {
	said := make([]string, len(words))
	for i, w := range words {
		said[i] = string(w)
	}
	return strings.Join(said, ", ")
}
