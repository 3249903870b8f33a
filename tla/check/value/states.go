package value

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// State is one state: the canonical values of its variables, by name.
type State map[string]string

// Set gives variable name the value that text means.
func (s State) Set(name, text string) error {
	form, err := canonical(text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	s[name] = form
	return nil
}

// String returns the state on one line, with the variables in alphabetical order.
func (s State) String() string {
	lines := make([]string, 0, len(s))
	for _, name := range slices.Sorted(maps.Keys(s)) {
		lines = append(lines, name+" = "+s[name])
	}
	return strings.Join(lines, `  /\  `)
}

// States is a set of states.
type States struct{ lines map[string]bool }

// NewStates returns an empty set.
func NewStates() *States { return &States{map[string]bool{}} }

// Add adds s.
func (s *States) Add(state State) { s.lines[state.String()] = true }

// Len returns the number of different states.
func (s *States) Len() int { return len(s.lines) }

// Digest returns the SHA-256 of the states, one a line, sorted.
func (s *States) Digest() string {
	h := sha256.New()
	for _, line := range slices.Sorted(maps.Keys(s.lines)) {
		_, _ = io.WriteString(h, line+"\n")
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil))
}

// Missing returns up to limit states of s that other lacks, the first in order.
func (s *States) Missing(other *States, limit int) []string {
	var missing []string
	for _, line := range slices.Sorted(maps.Keys(s.lines)) {
		if len(missing) < limit && !other.lines[line] {
			missing = append(missing, line)
		}
	}
	return missing
}

// ReadDump reads the states that TLC's option -dump writes:
//
//	State 1:
//	/\ epoch = <<0, 0>>
//	/\ reigns = {}
//
// A module of one variable has no /\. Values may go over several lines.
func ReadDump(r io.Reader) (*States, error) {
	states := NewStates()
	var block []string
	flush := func() error {
		defer func() { block = nil }()
		if len(block) == 0 {
			return nil
		}
		state, err := parseState(strings.Join(block, "\n"))
		if err != nil {
			return fmt.Errorf("state %d: %w", states.Len()+1, err)
		}
		states.Add(state)
		return nil
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "State ") && strings.HasSuffix(line, ":") || strings.TrimSpace(line) == "" {
			if err := flush(); err != nil {
				return nil, err
			}
			continue
		}
		block = append(block, line)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return states, flush()
}

// parseState reads a conjunction of variable = value.
func parseState(text string) (State, error) {
	state := State{}
	p := parser{text: text}
	for {
		p.accept(`/\`)
		p.space()
		name := p.word()
		if name == "" || !p.accept("=") {
			return nil, p.unexpected("variable = value")
		}
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		state[name] = value.Text
		if p.space(); p.at == len(p.text) {
			return state, nil
		}
	}
}
