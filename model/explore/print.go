package explore

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// String returns what WriteTo writes.
func (v *Violation) String() string {
	var b strings.Builder
	b.WriteString(v.title())
	width := len(strconv.Itoa(len(v.Run)))
	for i, e := range v.Run {
		lines := make([]string, 0, len(e.State))
		if i == 0 {
			fmt.Fprintf(&b, "%*d. Initial state\n", width, i)
			for _, x := range e.State {
				lines = append(lines, x.Name+" = "+x.Value)
			}
		} else {
			fmt.Fprintf(&b, "%*d. %s\n", width, i, e.Step)
			for j, x := range e.State {
				lines = append(lines, changes(x.Name, v.Run[i-1].State[j].Value, x.Value)...)
			}
			if len(lines) == 0 {
				lines = append(lines, "(nothing changes)")
			}
		}
		for _, line := range lines {
			fmt.Fprintf(&b, "%*s  %s\n", width, "", line)
		}
	}
	return b.String()
}

// WriteTo writes the run for people to read: what is violated, the initial state in full,
// and then each step by its number and name, with only what it changed, such as
//
//  3. OnClaim(3→1)
//     node[1].epoch = 1
//     messages gains [type |-> "GRANT", from |-> 1, to |-> 3, epoch |-> 1]
func (v *Violation) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, v.String())
	return int64(n), err
}

// title says in one line what is violated, and when.
func (v *Violation) title() string {
	steps := len(v.Run) - 1
	switch {
	case v.Kind == StepProperty:
		return fmt.Sprintf("Step property %s is violated by step %d.\n", v.Property, steps)
	case v.Kind == Deadlock:
		return fmt.Sprintf("Deadlock after step %d: no action is enabled.\n", steps)
	case steps == 0:
		return fmt.Sprintf("Invariant %s is violated by an initial state.\n", v.Property)
	}
	return fmt.Sprintf("Invariant %s is violated after step %d.\n", v.Property, steps)
}

// changes says, a line each, how to get from one value of name to another. It looks into
// tuples, records and sets of the same shape; anything else is given whole.
func changes(name, before, after string) []string {
	if before == after {
		return nil
	}
	var lines []string
	old, isTuple := items(before, "<<", ">>")
	now, stillTuple := items(after, "<<", ">>")
	if isTuple && stillTuple && len(old) == len(now) {
		for i := range old {
			lines = append(lines, changes(fmt.Sprintf("%s[%d]", name, i+1), old[i], now[i])...)
		}
		return lines
	}
	old, isRecord := items(before, "[", "]")
	now, stillRecord := items(after, "[", "]")
	if isRecord && stillRecord && slices.EqualFunc(old, now, sameField) {
		for i := range old {
			field, value, _ := strings.Cut(now[i], "|->")
			_, was, _ := strings.Cut(old[i], "|->")
			name := name + "." + strings.TrimSpace(field)
			lines = append(lines, changes(name, strings.TrimSpace(was), strings.TrimSpace(value))...)
		}
		return lines
	}
	old, isSet := items(before, "{", "}")
	now, stillSet := items(after, "{", "}")
	if isSet && stillSet {
		for _, x := range old {
			if !slices.Contains(now, x) {
				lines = append(lines, name+" loses "+x)
			}
		}
		for _, x := range now {
			if !slices.Contains(old, x) {
				lines = append(lines, name+" gains "+x)
			}
		}
	}
	if len(lines) == 0 {
		lines = append(lines, name+" = "+after)
	}
	return lines
}

// sameField reports whether two items of records, such as epoch |-> 1, name one field.
func sameField(a, b string) bool {
	field, _, ok := strings.Cut(a, "|->")
	other, _, also := strings.Cut(b, "|->")
	return ok && also && strings.TrimSpace(field) == strings.TrimSpace(other)
}

// items splits a TLA+ value such as <<1, {2, 3}>> at its outermost commas. ok is false
// if value does not stand between left and right.
func items(value, left, right string) (list []string, ok bool) {
	if len(value) < len(left)+len(right) ||
		!strings.HasPrefix(value, left) || !strings.HasSuffix(value, right) {
		return nil, false
	}
	value = value[len(left) : len(value)-len(right)]
	depth, start, quoted := 0, 0, false
	for i, c := range []byte(value) {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.IndexByte("[{(<", c) >= 0:
			depth++
		case strings.IndexByte("]})", c) >= 0, c == '>' && !arrow(value[:i]):
			depth--
		case c == ',' && depth == 0:
			list = append(list, strings.TrimSpace(value[start:i]))
			start = i + 1
		}
	}
	if strings.TrimSpace(value) != "" {
		list = append(list, strings.TrimSpace(value[start:]))
	}
	return list, true
}

// arrow reports whether a > after s ends |-> or :>, and closes nothing.
func arrow(s string) bool {
	return strings.HasSuffix(s, "-") || strings.HasSuffix(s, ":")
}
