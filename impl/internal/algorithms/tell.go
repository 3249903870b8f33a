package algorithms

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/compare"
)

// Teller is a node that tells people what it is and what it does, in the words of its algorithm. Every node of this package is
// one. Nothing of it is asked where nobody looks on, and what it says is that of the last step.
type Teller interface {
	compare.Node
	// Tell tells what the node is.
	Tell() Telling
	// Did tells of its last step.
	Did() Step
	// Kept tells what a disk has kept, which has what the node has saved; nil if that is nothing.
	Kept(saved any) string
	// About tells of a message: its epoch, or 0, and the rest of it in words.
	About(m compare.Message) (epoch uint64, text string)
}

// Telling is what a node is.
type Telling struct {
	Role   string  // in the algorithm's own word
	Epoch  uint64  // the highest that it knows of; 0 if there is none
	Waits  bool    // it takes part in an election, and lets another win
	Stands bool    // it takes part in one, and may win it, beyond what its Status counts as standing
	Fields []Field // all else
}

// Field is a part of a state, as words.
type Field struct{ Name, Value string }

// Step is what a node has done.
type Step struct {
	Text   string // what happened to it, in words, without its name: "has heard nothing from 5 for too long"; "" for a message that is taken
	Note   string // what it made of it; or ""
	Action string // as the specification names the step; "" for others than ours
	Rule   string // that the step follows from; "" for others than ours
}

// list says who is meant, as people do: "1, 2 and itself".
func list(of []int, self int) string {
	var text []string
	for _, id := range of {
		if id != self {
			text = append(text, strconv.Itoa(id))
		}
	}
	if slices.Contains(of, self) {
		text = append(text, "itself")
	}
	if len(text) < 2 {
		return strings.Join(append(text, "nobody")[:1], "")
	}
	return strings.Join(text[:len(text)-1], ", ") + " and " + text[len(text)-1]
}

// orNone says who is meant, or that nobody is.
func orNone(id int) string {
	if id == 0 {
		return "none"
	}
	return strconv.Itoa(id)
}

// ofNodes says how many are behind a node, and how many it takes.
func ofNodes(some, nodes int) string {
	if need := nodes/2 + 1; some < need {
		return fmt.Sprintf("%d of the %d that it needs", some, need)
	}
	return fmt.Sprintf("%d of %d, more than half", some, nodes)
}
