package certificate

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Releases are certificates of one port over time, the oldest release first.
type Releases struct {
	Certificates []*Certificate
	Suites       []string // of any of them, in the order of the newest
	Rules        []string // … that any case has asked, likewise
}

// ReleasesOf puts certificates of one port into the order of its releases: by version, number by number; and of one version, which may have
// been certified by several kits, in the order given. The error is that there are none, or of which ports they are.
func ReleasesOf(certificates []*Certificate) (*Releases, error) {
	if len(certificates) == 0 {
		return nil, errors.New("there are no certificates")
	}
	r := &Releases{Certificates: slices.Clone(certificates)}
	for _, c := range certificates[1:] {
		if first := certificates[0].Port.Name; c.Port.Name != first {
			return nil, fmt.Errorf("these are of several ports, %s and %s: give those of one; bullytest matrix shows several beside each other", first, c.Port.Name)
		}
	}
	slices.SortStableFunc(r.Certificates, func(a, b *Certificate) int { return compareVersions(a.Port.Version, b.Port.Version) })
	for _, c := range slices.Backward(r.Certificates) {
		for _, s := range c.Suites {
			if !slices.Contains(r.Suites, s.Suite) {
				r.Suites = append(r.Suites, s.Suite)
			}
		}
		for _, rule := range c.Rules {
			if rule.Cases > 0 && !slices.Contains(r.Rules, rule.Rule) {
				r.Rules = append(r.Rules, rule.Rule)
			}
		}
	}
	return r, nil
}

// number matches what of a version is compared as a number.
var number = regexp.MustCompile(`[0-9]+|[^0-9]+`)

// compareVersions compares versions part by part: 1.9 is before 1.10, and 2.0-rc.1 before 2.0. Leading zeros do not count.
func compareVersions(a, b string) int {
	x, y := number.FindAllString(a, -1), number.FindAllString(b, -1)
	for k := range min(len(x), len(y)) {
		both := x[k][0] <= '9' && x[k][0] >= '0' && y[k][0] <= '9' && y[k][0] >= '0'
		one, other := x[k], y[k]
		if both {
			one, other = strings.TrimLeft(one, "0"), strings.TrimLeft(other, "0")
			if byLength := cmp.Compare(len(one), len(other)); byLength != 0 {
				return byLength
			}
		}
		if order := strings.Compare(one, other); order != 0 {
			return order
		}
	}
	longer, is := x, 1
	if len(y) > len(x) {
		longer, is = y, -1
	}
	if rest := longer[min(len(x), len(y)):]; len(rest) > 0 && strings.HasPrefix(rest[0], "-") { // what is before a release
		return -is
	}
	return cmp.Compare(len(x), len(y))
}

// cell is what one release has passed of a suite or a rule.
type cell struct {
	text string
	bad  bool
	none bool   // it was not asked
	news string // since the release before: better, worse or ""
}

// since says whether it is better or worse than in the release before.
func (c *cell) since(before *cell) {
	switch {
	case before == nil || before.none || c.none || before.bad == c.bad:
	case c.bad:
		c.news = "worse"
	default:
		c.news = "better"
	}
}

// line is a suite or a rule, and what each release has passed of it.
type line struct {
	name  string
	cells []*cell
}

// of makes a line of what each certificate says.
func (r *Releases) of(name string, says func(*Certificate) *cell) line {
	l := line{name: name}
	var before *cell
	for _, c := range r.Certificates {
		one := says(c)
		if one == nil {
			one = &cell{text: "–", none: true}
		}
		one.since(before)
		l.cells = append(l.cells, one)
		before = one
	}
	return l
}

// lines returns what there is to say of each suite, and then of each rule.
func (r *Releases) lines() (suites, rules []line) {
	for _, name := range r.Suites {
		suites = append(suites, r.of(name, func(c *Certificate) *cell {
			k := slices.IndexFunc(c.Suites, func(s Suite) bool { return s.Suite == name })
			if k < 0 {
				return nil
			}
			s := &c.Suites[k]
			return &cell{text: fmt.Sprintf("%d/%d", s.Passed, s.Cases), bad: s.Passed+s.Unsupported < s.Cases}
		}))
	}
	for _, name := range r.Rules {
		rules = append(rules, r.of(name, func(c *Certificate) *cell {
			k := slices.IndexFunc(c.Rules, func(one Rule) bool { return one.Rule == name })
			if k < 0 || c.Rules[k].Cases == 0 {
				return nil
			}
			one := &c.Rules[k]
			text := fmt.Sprintf("%d/%d", one.Passed, one.Cases)
			if one.Failed > 0 {
				text += fmt.Sprintf(" (%d fail)", one.Failed)
			}
			return &cell{text: text, bad: one.Failed > 0}
		}))
	}
	return suites, rules
}

// heads returns what is said of each release before anything else.
func (r *Releases) heads() []line {
	head := func(name string, says func(*Certificate) string) line {
		return r.of(name, func(c *Certificate) *cell { return &cell{text: says(c)} })
	}
	return []line{
		head("level", func(c *Certificate) string { return c.Level }),
		head("members", (*Certificate).members),
		head("specification", func(c *Certificate) string { return c.Spec }),
		head("kit", func(c *Certificate) string { return c.Kit }),
		head("digest", func(c *Certificate) string { return c.Vectors[:min(8, len(c.Vectors))] }),
	}
}

// Text returns the releases as a table for a terminal: one a column.
func (r *Releases) Text() string {
	rows := [][]string{{r.Certificates[0].Port.Name}}
	for _, c := range r.Certificates {
		rows[0] = append(rows[0], c.Port.Version)
	}
	suites, rules := r.lines()
	for _, l := range slices.Concat(r.heads(), suites, rules) {
		row := []string{l.name}
		for _, c := range l.cells {
			row = append(row, strings.TrimSpace(c.text+" "+c.news))
		}
		rows = append(rows, row)
	}
	return columns(rows)
}
