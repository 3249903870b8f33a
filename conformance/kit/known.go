package kit

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// Known is a list of failures that are expected of a port. As a file it has a case a line, and what the kit says of it:
//
//	# What port.py fails until …
//	R12-ok-of-a-higher-epoch  # state.epoch: expected 5, got 4
//
// Such a case is run like any other. It is an expected failure while it fails, and the kit says what stands there; if it
// says something else, or nothing stands there, that shows. A case that passes must be taken off the list, and so must one that does not exist any more.
type Known struct {
	says map[string]string
}

// ReadKnown reads such a file.
func ReadKnown(name string) (*Known, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("kit: there is no list of expected failures yet, and -fix writes one: %w", err)
		}
		return nil, fmt.Errorf("kit: the list of expected failures: %w", err)
	}
	k := &Known{says: map[string]string{}}
	for number, line := range strings.Split(string(text), "\n") {
		id, says, _ := strings.Cut(line, "#")
		id = strings.TrimSpace(id)
		if id == "" {
			continue
		}
		if _, twice := k.says[id]; twice || strings.ContainsAny(id, " \t") {
			return nil, fmt.Errorf("kit: %s, line %d: %q is not one case, or is there twice: a line is such as: R12-ok  # what the kit says of it", name, number+1, id)
		}
		k.says[id] = strings.TrimSpace(says)
	}
	return k, nil
}

// Known returns the failures of a report as such a list.
func (r *Report) Known() *Known {
	k := &Known{says: map[string]string{}}
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; v.Failed() && v.Outcome != UnexpectedPass || v.Outcome == ExpectedFail {
			k.says[v.Case] = v.first()
		}
	}
	return k
}

// Len returns how many cases are on the list.
func (k *Known) Len() int {
	if k == nil {
		return 0
	}
	return len(k.says)
}

// Write writes the list to a file.
func (k *Known) Write(name string) error {
	var b strings.Builder
	b.WriteString("# Cases that this port fails, and what the kit says of each. bullytest test -known-failing THIS -fix writes it.\n")
	for _, id := range slices.Sorted(maps.Keys(k.says)) {
		fmt.Fprintf(&b, "%s  # %s\n", id, k.says[id])
	}
	return os.WriteFile(name, []byte(b.String()), 0o644)
}

// apply makes a verdict that of a case that may be on the list.
func (k *Known) apply(v *Verdict) {
	if k == nil {
		return
	}
	says, listed := k.says[v.Case]
	switch {
	case !listed:
	case v.Outcome == Pass:
		v.Outcome, v.Problem = UnexpectedPass, "it passes, and the list of expected failures says that it fails: take it off the list"
	case !v.Failed():
	case says == "" || !strings.HasPrefix(v.first(), says):
		v.Problem += fmt.Sprintf("\nlisted  %q: it fails in another way than the list of expected failures says", says)
	default:
		v.Outcome = ExpectedFail
	}
}

// Stale returns what is on the list and is none of all the cases that there are.
func (k *Known) Stale(cases []Case) (stale []string) {
	if k == nil {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(k.says)) {
		if !slices.ContainsFunc(cases, func(c Case) bool { return c.ID == id }) {
			stale = append(stale, id)
		}
	}
	return stale
}

// first returns the first line of the problem.
func (v *Verdict) first() string {
	line, _, _ := strings.Cut(v.Problem, "\n")
	return line
}
