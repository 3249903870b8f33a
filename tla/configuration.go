package tla

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Configuration is what a .cfg file says.
type Configuration struct {
	// Question is the first comment line: what the configuration asks.
	Question string
	// Module is the root module, without .tla. The file's name begins with it, less the MC.
	Module string
	// Specification is Spec (safety only) or FairSpec (with fairness).
	Specification string
	// Constants are the assigned constants, values as written: "N": "3".
	Constants map[string]string
	// Replacements are the replaced operators and constants: "IsQuorum": "AnySet".
	Replacements map[string]string
	// Invariants are the names of the state properties to check.
	Invariants []string
	// Properties are the names of the step and liveness properties to check.
	Properties []string
	// CheckDeadlock says whether a state without a successor is an error.
	CheckDeadlock bool
}

// The sections of a configuration. All but two are optional; none may be repeated.
const (
	specification = "SPECIFICATION"
	constants     = "CONSTANTS"
	invariants    = "INVARIANTS"
	properties    = "PROPERTIES"
	checkDeadlock = "CHECK_DEADLOCK"
)

var (
	identifier = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	// value is a number, a Boolean or a set of numbers; all else goes through a replacement.
	value = regexp.MustCompile(`^(\d+|TRUE|FALSE|\{\s*\}|\{\s*\d+(\s*,\s*\d+)*\s*\})$`)
)

// ParseConfiguration reads the text of a .cfg file, in this dialect:
//
//	\* One sentence: the question that this configuration asks.
//	SPECIFICATION Spec
//	CONSTANTS
//	  N = 3
//	  IsQuorum <- AnySet
//	INVARIANTS
//	  TypeOK
//	PROPERTIES
//	  EpochMonotonic
//	CHECK_DEADLOCK FALSE
//
// One item a line; values are numbers, TRUE, FALSE and sets of numbers; SPECIFICATION (Spec
// or FairSpec), CHECK_DEADLOCK and something to check are obligatory. Errors begin with
// file:line. Module stays empty: the text does not name it.
func ParseConfiguration(file, text string) (Configuration, error) {
	p := parser{seen: map[string]int{}}
	p.Constants, p.Replacements = map[string]string{}, map[string]string{}
	lines := strings.Split(text, "\n")
	if question, ok := strings.CutPrefix(strings.TrimSpace(lines[0]), `\*`); ok {
		p.Question = strings.TrimSpace(question)
	}
	if p.Question == "" {
		return p.Configuration, fmt.Errorf(`%s:1: the first line must be a comment, \* and one sentence: the question that is asked`, file)
	}
	for i, line := range lines {
		line, _, _ = strings.Cut(line, `\*`)
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := p.line(line); err != nil {
			return p.Configuration, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
	}
	if err := p.complete(); err != nil {
		return p.Configuration, fmt.Errorf("%s:%d: %w", file, len(lines), err)
	}
	return p.Configuration, nil
}

// parser is where ParseConfiguration is.
type parser struct {
	Configuration
	section string         // the section of the line
	seen    map[string]int // how often each section and each name was met
}

// line takes one line, without comment and not empty.
func (p *parser) line(line string) error {
	keyword, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch keyword {
	case specification, constants, invariants, properties, checkDeadlock:
		if p.seen[keyword]++; p.seen[keyword] > 1 {
			return fmt.Errorf("%s for the second time", keyword)
		}
		p.section = keyword
		return p.begin(rest)
	}
	switch p.section {
	case constants:
		return p.constant(line)
	case invariants:
		return p.name(line, &p.Invariants)
	case properties:
		return p.name(line, &p.Properties)
	}
	return fmt.Errorf("%q is none of the sections %s, %s, %s, %s, %s", line,
		specification, constants, invariants, properties, checkDeadlock)
}

// begin takes what follows the keyword of a section on its line.
func (p *parser) begin(rest string) error {
	switch p.section {
	case specification:
		if p.Specification = rest; rest != "Spec" && rest != "FairSpec" {
			return fmt.Errorf("%s is %q, not Spec or FairSpec", specification, rest)
		}
	case checkDeadlock:
		if p.CheckDeadlock = rest == "TRUE"; rest != "TRUE" && rest != "FALSE" {
			return fmt.Errorf("%s is %q, not TRUE or FALSE", checkDeadlock, rest)
		}
	default:
		if rest != "" {
			return fmt.Errorf("%q must be on a line of its own, below %s", rest, p.section)
		}
	}
	return nil
}

// constant takes one line of CONSTANTS.
func (p *parser) constant(line string) error {
	into, legal, what := p.Constants, value, "a number, TRUE, FALSE or a set of numbers"
	name, assigned, ok := strings.Cut(line, "=")
	if before, after, arrow := strings.Cut(line, "<-"); arrow {
		name, assigned, ok = before, after, true
		into, legal, what = p.Replacements, identifier, "the name of an operator"
	}
	name, assigned = strings.TrimSpace(name), strings.TrimSpace(assigned)
	switch {
	case !ok || !identifier.MatchString(name):
		return fmt.Errorf("%q is neither Name = value nor Name <- Operator", line)
	case !legal.MatchString(assigned):
		return fmt.Errorf("%s: %q is not %s", name, assigned, what)
	}
	into[name] = assigned
	return p.once(name)
}

// name takes one line of INVARIANTS or PROPERTIES.
func (p *parser) name(line string, into *[]string) error {
	if !identifier.MatchString(line) {
		return fmt.Errorf("%q is not one name", line)
	}
	*into = append(*into, line)
	return p.once(line)
}

// once refuses a name that was met before.
func (p *parser) once(name string) error {
	if p.seen[name]++; p.seen[name] > 1 {
		return fmt.Errorf("%s for the second time", name)
	}
	return nil
}

// complete refuses a configuration without what it must have.
func (p *parser) complete() error {
	for _, section := range []string{specification, checkDeadlock} {
		if p.seen[section] == 0 {
			return fmt.Errorf("%s is missing", section)
		}
	}
	if len(p.Invariants)+len(p.Properties) == 0 && !p.CheckDeadlock {
		return fmt.Errorf("nothing to check: neither %s nor %s, and %s FALSE", invariants, properties, checkDeadlock)
	}
	return nil
}

// Checks reports whether c checks property.
func (c Configuration) Checks(property string) bool {
	return slices.Contains(c.Invariants, property) || slices.Contains(c.Properties, property) ||
		property == Deadlock && c.CheckDeadlock
}
