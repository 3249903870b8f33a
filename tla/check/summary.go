package main

import (
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/tlc"
)

// promise is a line of the table of promises: where one is checked.
type promise struct {
	property spec.Property
	holds    []string // configurations in which it is checked and holds
	fails    []string // configurations in which it fails, as it must
}

// promisesIn returns where each promise is checked. The textbook's algorithm promises nothing.
func promisesIn(all []comparison) []promise {
	var table []promise
	for _, property := range spec.Properties() {
		p := promise{property: property}
		for _, c := range all {
			e, name := c.entry, string(property)
			switch {
			case e.Module == "MCTextbook":
			case e.Property == name:
				p.fails = append(p.fails, e.Name)
			case e.Verdict == tla.Holds && e.Configuration.Checks(name):
				p.holds = append(p.holds, e.Name)
			}
		}
		table = append(table, p)
	}
	return table
}

// unchecked returns the promises that no configuration checks, or none shows to be able to
// fail. It matters only if the configurations were not picked by hand.
func (a *app) unchecked(all []comparison) []string {
	if a.pattern != "" {
		return nil
	}
	var wrong []string
	for _, p := range promisesIn(all) {
		if len(p.holds) == 0 {
			wrong = append(wrong, fmt.Sprintf("no configuration checks %s", p.property))
		}
		if len(p.fails) == 0 {
			wrong = append(wrong, fmt.Sprintf("no configuration shows that %s can fail", p.property))
		}
	}
	return wrong
}

// decided reports whether c has a verdict. Without TLC, a configuration whose property is about
// liveness has none, and neither has one that no model in Go knows.
func (c comparison) decided() bool {
	return c.tlc != nil || c.explorer != nil && c.entry.Explorer == tla.Full
}

// sum counts what configurations came to.
type sum struct{ held, hold, failed, fail, agreed, explored int }

func cameTo(all []comparison) sum {
	var n sum
	for _, c := range all {
		good := 0
		if len(c.differences) == 0 {
			good = 1
		}
		switch {
		case !c.decided():
		case c.entry.Verdict == tla.Holds:
			n.held, n.hold = n.held+good, n.hold+1
		default:
			n.failed, n.fail = n.failed+good, n.fail+1
		}
		if c.explorer != nil {
			n.agreed, n.explored = n.agreed+good, n.explored+1
		}
	}
	return n
}

// printSummary says in a few lines what it all came to.
func (a *app) printSummary(all []comparison, took times) {
	w := tabwriter.NewWriter(a.out, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(w, "\npromise\tholds in\tis seen to fail in\t")
	for _, p := range promisesIn(slices.DeleteFunc(slices.Clone(all), func(c comparison) bool { return !c.decided() })) {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t\n", p.property, inWords(p.holds), inWords(p.fails))
	}
	_ = w.Flush()
	n, who := cameTo(all), "The explorer took"
	if a.skipped == nil {
		who = fmt.Sprintf("TLC took %s on %d JVMs, the explorer", seconds(took.tlc), a.lanes)
	}
	_, _ = fmt.Fprintf(a.out, "\n%d of %d configurations hold as they must, %d of %d fail as they must;\n"+
		"the explorer agrees on %d of %d. %s %s, all %s.\n", n.held, n.hold, n.failed, n.fail,
		n.agreed, n.explored, who, seconds(took.explorer), seconds(time.Since(a.begin)))
}

// sayWithoutTLC says what was not checked for want of TLC, and how to have it checked.
func (a *app) sayWithoutTLC(all []comparison) {
	decided := 0
	for _, c := range all {
		if c.decided() {
			decided++
		}
	}
	to := a.out
	if a.json {
		to = a.log
	}
	_, _ = fmt.Fprintf(to, "\nTLC did not run: %v.\nThe explorer alone has given %d of %d verdicts; "+
		"the others need TLC (liveness, and modules that have no model in Go).\nTo run TLC too: %s\n",
		a.skipped, decided, len(all), tlc.InstallJava())
}

// inWords returns the first names and how many more there are.
func inWords(names []string) string {
	switch len(names) {
	case 0:
		return "none"
	case 1:
		return names[0]
	}
	return fmt.Sprintf("%s and %d more", names[0], len(names)-1)
}

// seconds rounds d for people.
func seconds(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }
