package cluster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// Kind names what happens to a cluster. The set is closed.
type Kind string

const (
	// Start starts Node for the first time (R32). A cluster that is new has started all nodes, unless it is asked not to.
	Start Kind = "start"
	// Deliver gives the first message under way on Link to whom it is for.
	Deliver Kind = "deliver"
	// Repeat is Deliver of a message that comes once more: it is under way again, behind all others of Link.
	Repeat Kind = "repeat"
	// Lose loses the first message under way on Link.
	Lose Kind = "lose"
	// End ends Timer of Node, which runs.
	End Kind = "end"
	// Late gives Node the end of Timer though it does not run: the node must ignore it (R35).
	Late Kind = "late"
	// Resign calls Node to resign (R28), and perhaps to name another (R51). For a node that does not lead, or may not name that one, it
	// is no step.
	Resign Kind = "resign"
	// Dead tells Node that the holder of its lease is dead (R41). For a node without one it is no step.
	Dead Kind = "dead"
	// Change calls Node to change its configuration to Configuration (R47). For a node that may not it is no step.
	Change Kind = "change"
	// Crash takes Node down between two steps.
	Crash Kind = "crash"
	// Restart starts Node again, with the promise on its disk (R30).
	Restart Kind = "restart"
	// Cut makes Cut the links that carry nothing, and loses what is under way on them.
	Cut Kind = "cut"
	// Heal lets all links carry again.
	Heal Kind = "heal"
	// Settle delivers all that is under way, first sent first, and what comes of it.
	Settle Kind = "settle"
	// Expect holds Node to what it should have come to: another state is a violation. Nothing happens.
	Expect Kind = "expect"
)

// Down is the role of Expect for a node that does not run.
const Down spec.Role = "down"

// Point is where in a step of an Op its node crashes.
type Point int

const (
	// Whole is nowhere: the step is taken whole.
	Whole Point = iota
	// BeforeSave is before the promise is on disk: it is as if the step had not been taken.
	BeforeSave
	// AfterSave is before anything is sent; AfterSave + k is after k messages have left. Those are under way when the
	// node crashes, and are lost too (section 2).
	AfterSave
)

// Op is something that happens to a cluster. Which fields count, its kind says; the others are zero.
type Op struct {
	Kind  Kind
	Node  spec.NodeID // of all but Deliver, Repeat, Lose, Cut, Heal and Settle
	Link  spec.Link   // of Deliver, Repeat and Lose
	Timer spec.Timer  // of End and Late
	Cut   []spec.Link // of Cut: ascending, each once, at least one
	State spec.State  // of Expect: Role, Epoch, Leader and, unless it is none, Configuration
	Names spec.NodeID // of Resign: who is to stand first (R51), or none
	Crash Point       // of what makes a node take a step: Start, Deliver, Repeat, End, Resign, Dead, Change and Restart
	// Of Change. Of epoch 0, in which nobody leads, it stands for one of the node's epoch, and the version after its own.
	Configuration spec.Configuration
}

// String returns the op as a line of a script.
func (op Op) String() string {
	said := []string{string(op.Kind)}
	switch op.Kind {
	case Deliver, Repeat, Lose:
		said = append(said, op.Link.From.String(), op.Link.To.String())
	case End, Late:
		said = append(said, op.Node.String(), string(op.Timer))
	case Cut:
		for _, l := range op.Cut {
			said = append(said, l.From.String()+"-"+l.To.String())
		}
	case Heal, Settle:
	case Expect:
		said = append(said, fmt.Sprintf("%s %s epoch %d leader %s", op.Node, op.State.Role, op.State.Epoch, op.State.Leader))
		if c := op.State.Configuration; !c.IsNone() {
			said = append(said, "with", configurationText(c))
		}
	case Change:
		said = append(said, op.Node.String(), "to", wantedText(op.Configuration))
	default:
		said = append(said, op.Node.String())
		if !op.Names.IsNone() {
			said = append(said, "to", op.Names.String())
		}
	}
	switch {
	case op.Crash == BeforeSave:
		said = append(said, "crash before")
	case op.Crash >= AfterSave:
		said = append(said, "crash after", strconv.Itoa(int(op.Crash-AfterSave)))
	}
	return strings.Join(said, " ")
}

// ParseOp reads a line that String has written, with any white space between words. The error says what is wrong with it.
func ParseOp(line string) (op Op, err error) {
	said := strings.Fields(line)
	if len(said) == 0 {
		return op, fmt.Errorf("there is no op")
	}
	op.Kind = Kind(said[0])
	if said, err = op.parseWhat(said[1:]); err == nil {
		err = op.parseCrash(said)
	}
	if err != nil {
		return Op{}, fmt.Errorf("%s: %w", op.Kind, err)
	}
	return op, nil
}

// words are how many words go with each kind; of Cut, all.
var words = map[Kind]int{
	Start: 1, Deliver: 2, Repeat: 2, Lose: 2, End: 2, Late: 2, Resign: 1, Dead: 1, Change: 2, Crash: 1, Restart: 1, Cut: -1, Heal: 0, Settle: 0, Expect: 6,
}

// parseWhat reads the words that go with the kind, and returns those after them.
func (op *Op) parseWhat(said []string) (rest []string, err error) {
	n, known := words[op.Kind]
	switch {
	case !known:
		return nil, fmt.Errorf("there is no such op; there are start, deliver, repeat, lose, end, late, resign, dead, change, crash, restart, cut, heal, settle, expect")
	case n < 0:
		return nil, op.parseLinks(said)
	case len(said) < n:
		return nil, fmt.Errorf("it takes %d words, not %d", n, len(said))
	case n == 0:
		return said, nil
	}
	first, err := spec.ParseNodeID(said[0])
	if err != nil {
		return nil, err
	}
	op.Node = first
	switch op.Kind {
	case Deliver, Repeat, Lose:
		op.Node, op.Link.From = spec.NodeID{}, first
		if op.Link.To, err = spec.ParseNodeID(said[1]); err == nil && op.Link.To == first {
			err = fmt.Errorf("there is no link from %s to itself", said[0])
		}
	case End, Late:
		if op.Timer = spec.Timer(said[1]); !op.Timer.Valid() {
			err = fmt.Errorf("there is no timer %q", said[1])
		}
	case Expect:
		err = op.parseState(said[1:n])
		if err == nil && len(said) > n && said[n] == "with" {
			op.State.Configuration, said, err = parseConfiguration(said[n+1:])
			n = 0
		}
	case Change:
		return op.parseWanted(said[1:])
	case Resign:
		if len(said) > 2 && said[1] == "to" {
			op.Names, err = spec.ParseNodeID(said[2])
			n = 3
		}
	}
	return said[n:], err
}

// parseState reads, such as: follower epoch 1 leader 3.
func (op *Op) parseState(said []string) (err error) {
	op.State.Role = spec.Role(said[0])
	epoch, notNumber := strconv.ParseUint(said[2], 10, 64)
	op.State.Epoch = spec.Epoch(epoch)
	if said[4] != "none" {
		op.State.Leader, err = spec.ParseNodeID(said[4])
	}
	if !op.State.Role.Valid() && op.State.Role != Down || said[1] != "epoch" || notNumber != nil || !op.State.Epoch.Valid() || said[3] != "leader" || err != nil {
		return fmt.Errorf("%q does not say a state so: follower epoch 1 leader 3", strings.Join(said, " "))
	}
	return nil
}

// parseWanted reads, such as: to 1 2 witness:3.
func (op *Op) parseWanted(said []string) (rest []string, err error) {
	if said[0] != "to" {
		return nil, fmt.Errorf("%q is not said so: to 1 2 witness:3", said[0])
	}
	said = said[1:]
	if len(said) > 0 && said[0] == "epoch" {
		if op.Configuration, rest, err = parseConfiguration(said); err == nil && op.Configuration.Epoch == 0 {
			err = fmt.Errorf("nobody leads epoch 0")
		}
		return rest, err
	}
	op.Configuration, rest, err = parseMembers(said, 0, 1)
	return rest, err
}

// parseLinks reads links, such as 3-1. The ids may be UUIDs, which have a - in them: there is one place at which both
// halves are ids.
func (op *Op) parseLinks(said []string) error {
	for _, word := range said {
		link, found := spec.Link{}, false
		for i := 0; i < len(word) && !found; i++ {
			if word[i] != '-' {
				continue
			}
			from, err := spec.ParseNodeID(word[:i])
			to, err2 := spec.ParseNodeID(word[i+1:])
			link, found = spec.Link{From: from, To: to}, err == nil && err2 == nil
		}
		if !found || link.From == link.To {
			return fmt.Errorf("%q is no link, such as 3-1", word)
		}
		op.Cut = append(op.Cut, link)
	}
	if len(op.Cut) == 0 {
		return fmt.Errorf("there must be a link, such as 3-1; to cut none is: heal")
	}
	slices.SortFunc(op.Cut, spec.Link.Compare)
	op.Cut = slices.Compact(op.Cut)
	return nil
}

// parseCrash reads where the node crashes, if it does.
func (op *Op) parseCrash(said []string) error {
	switch {
	case len(said) == 0:
		return nil
	case !op.isStep():
		return fmt.Errorf("%q is one word too many", said[0])
	case len(said) == 2 && said[0] == "crash" && said[1] == "before":
		op.Crash = BeforeSave
		return nil
	case len(said) == 3 && said[0] == "crash" && said[1] == "after":
		if k, err := strconv.Atoi(said[2]); err == nil && k >= 0 && k < 100 {
			op.Crash = AfterSave + Point(k)
			return nil
		}
	}
	return fmt.Errorf("%q is neither %q nor %q", strings.Join(said, " "), "crash before", "crash after 1")
}

// isStep reports whether the op makes a node take a step.
func (op *Op) isStep() bool {
	switch op.Kind {
	case Start, Deliver, Repeat, End, Resign, Dead, Change, Restart:
		return true
	}
	return false
}
