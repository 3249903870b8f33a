package behaviour

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The explorer prints the initial state in full, and then of each state what has changed:
//
//	 3. OnClaim(3→1)
//	    node[1].epoch = 1
//	    node[1].support loses 2
//	    messages gains [type |-> "GRANT", from |-> 1, to |-> 3, epoch |-> 1]

var (
	changed = regexp.MustCompile(`^ +(\w+)((?:\[\d+\]|\.\w+)*) (=|gains|loses) (.*)$`)
	stepIn  = regexp.MustCompile(`\[\d+\]|\.\w+`)
)

// change takes a line of a counterexample as the explorer prints it.
func (r *reader) change(line string) error {
	if found := explored.FindStringSubmatch(line); found != nil && found[3] != "" {
		before := r.b.Steps[len(r.b.Steps)-1].State
		r.begin(found[3], found[4])
		for name, text := range before {
			r.b.Steps[len(r.b.Steps)-1].State[name] = text
		}
		return nil
	}
	found := changed.FindStringSubmatch(line)
	switch {
	case found != nil:
	case strings.TrimSpace(line) == "(nothing changes)":
		return nil
	default:
		r.done = true
		return nil
	}
	state := r.b.Steps[len(r.b.Steps)-1].State
	if len(r.b.Steps) == 1 {
		state[found[1]] = found[4]
		return nil
	}
	old, err := parse(state[found[1]])
	if err != nil {
		return fmt.Errorf("%s has not been said before, or cannot be read: %w", found[1], err)
	}
	now, err := parse(found[4])
	if err != nil {
		return err
	}
	text, err := old.changedTo(stepIn.FindAllString(found[2], -1), found[3], now.text)
	state[found[1]] = text
	return err
}

// changedTo returns the text of a term of which a part is changed: the way there is such as [1] or .epoch.
func (t term) changedTo(way []string, how, to string) (string, error) {
	if len(way) == 0 {
		return t.with(how, to), nil
	}
	key := strings.Trim(way[0], "[].")
	place := slices.Index(t.keys, key)
	if way[0][0] == '[' && t.open == '<' {
		place = term{text: key}.number() - 1
	}
	if place < 0 || place >= len(t.items) {
		return "", fmt.Errorf("there is no %s in %s", way[0], t.text)
	}
	inner, err := t.items[place].changedTo(way[1:], how, to)
	if err != nil {
		return "", err
	}
	parts := make([]string, len(t.items))
	arrow, between, open, shut := "", ", ", "<<", ">>"
	switch t.open {
	case '[':
		arrow, open, shut = " |-> ", "[", "]"
	case '(':
		arrow, between, open, shut = " :> ", " @@ ", "(", ")"
	}
	for i := range t.items {
		parts[i] = t.items[i].text
		if i == place {
			parts[i] = inner
		}
		if arrow != "" {
			parts[i] = t.keys[i] + arrow + parts[i]
		}
	}
	return open + strings.Join(parts, between) + shut, nil
}

// with returns the text of a term that has become another, or of a set that has gained or lost an element.
func (t term) with(how, to string) string {
	if how == "=" {
		return to
	}
	var elements []string
	for i := range t.items {
		if t.items[i].text != to {
			elements = append(elements, t.items[i].text)
		}
	}
	if how == "gains" {
		elements = append(elements, to)
	}
	return "{" + strings.Join(elements, ", ") + "}"
}
