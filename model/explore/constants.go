package explore

import (
	"fmt"
	"strconv"
	"strings"
)

// Number returns the value of the constant of that name in [Configuration].Constants: a number from least to most. The
// error says what it is instead.
func Number(constants map[string]string, name string, least, most int) (int, error) {
	x, err := strconv.Atoi(constants[name])
	if err != nil || x < least || x > most {
		return 0, fmt.Errorf("constant %s = %q is not a number from %d to %d", name, constants[name], least, most)
	}
	return x, nil
}

// NodeSet returns the members of a constant that is a set of nodes, {1, 3} for instance, of which there are n. The error says
// what it is instead, or which member is no node.
func NodeSet(constants map[string]string, name string, n int) (members []int, err error) {
	text, opened := strings.CutPrefix(constants[name], "{")
	text, closed := strings.CutSuffix(text, "}")
	if !opened || !closed {
		return nil, fmt.Errorf("constant %s = %q is not a set of nodes", name, constants[name])
	}
	for member := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		i, err := strconv.Atoi(member)
		if err != nil || i < 1 || i > n {
			return nil, fmt.Errorf("constant %s has %s in it, which is no node", name, member)
		}
		members = append(members, i)
	}
	return members, nil
}
