// Package counter is the Go mirror of the module Counter, for tests: x counts from 0 to 5 and, if
// it may, starts again. Its properties go wrong in every way that TLC knows.
//
// The loop to write:
//
//	found := explorer.Run(ctx, entry, explorer.Options{Open: counter.Open})
package counter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/model/explore"
)

// last is the highest number.
const last = 5

// model is one configuration of the module.
type model struct {
	explore.Configuration
	back bool // after the last number comes 0
	flaw string
}

// Open returns the model of c. The constant Flaw makes it differ from the module: with
// "states" it has other states as many, with "counts" it has more.
func Open(c explore.Configuration) (explore.Model, error) {
	for _, p := range slices.Concat(c.Invariants, c.Properties) {
		if !slices.Contains([]string{"TypeOK", "Never4", "Grows", "StaysAt3"}, p) {
			return nil, fmt.Errorf("counter: unknown property %s", p)
		}
	}
	return &model{c, c.Constants["Last"] != "5", c.Replacements["Flaw"]}, nil
}

// Init implements explore.Model.
func (m *model) Init(emit func([]byte)) {
	emit([]byte{0})
	if m.flaw == "counts" {
		emit([]byte{last + 1})
	}
}

// Expander implements explore.Model.
func (m *model) Expander() explore.Expander { return m }

// Check implements explore.Expander.
func (m *model) Check(state []byte) string {
	if state[0] == 4 && slices.Contains(m.Invariants, "Never4") {
		return "Never4"
	}
	return ""
}

// Expand implements explore.Expander.
func (m *model) Expand(state []byte, emit func(explore.Step, []byte, string)) {
	switch x := state[0]; {
	case x < last:
		emit(explore.Step{Action: "Up"}, []byte{x + 1}, "")
	case x == last && m.back:
		broken := ""
		if slices.Contains(m.Properties, "Grows") {
			broken = "Grows"
		}
		emit(explore.Step{Action: "Back"}, []byte{0}, broken)
	}
}

// Render implements explore.Model.
func (m *model) Render(state []byte) []explore.Variable {
	x := int(state[0])
	var seen []string
	for i := x - 1; i >= 0; i-- {
		seen = append(seen, strconv.Itoa(i))
	}
	if m.flaw == "states" && x == 3 {
		seen = nil
	}
	return []explore.Variable{{Name: "x", Value: strconv.Itoa(x)}, {Name: "seen", Value: "{" + strings.Join(seen, ",") + "}"}}
}

// Unchecked implements explore.Model.
func (m *model) Unchecked() []string {
	if slices.Contains(m.Properties, "StaysAt3") {
		return []string{"StaysAt3"}
	}
	return nil
}
