package main

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// reader makes an outcome of the events of one call of go test.
type reader struct {
	o      *outcome
	report *report
	output map[string]*strings.Builder // of each package and test, and of each build that failed
	cached map[string]bool
}

func newReader(o *outcome, r *report) *reader {
	return &reader{o: o, report: r, output: map[string]*strings.Builder{}, cached: map[string]bool{}}
}

// take takes one event.
func (r *reader) take(e event) {
	switch e.Action {
	case "output":
		r.print(e.Package+" "+e.Test, e.Output)
		if e.Test == "" && strings.HasSuffix(e.Output, "(cached)\n") {
			r.cached[e.Package] = true
		}
	case "build-output":
		r.print(e.ImportPath, e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			r.endPackage(e)
		} else {
			r.endTest(e)
		}
	}
}

func (r *reader) print(of, text string) {
	if r.output[of] == nil {
		r.output[of] = &strings.Builder{}
	}
	r.output[of].WriteString(text)
}

// reason finds why a test was skipped in what it printed: t.Skip prints the place and the words.
var reason = regexp.MustCompile(`(?m)^ +\S+\.go:\d+: (.*)$`)

// endTest notes a test that has ended. What tests below it print belongs to it, as a failure is there.
func (r *reader) endTest(e event) {
	at := e.Package + " " + e.Test
	t := test{pkg: short(e.Package), name: e.Test, stage: r.o.stage, took: time.Duration(e.Elapsed * float64(time.Second))}
	if e.Action == "skip" {
		t.reason = "no reason is given"
		if r.output[at] != nil {
			if found := reason.FindStringSubmatch(r.output[at].String()); found != nil {
				t.reason = found[1]
			}
		}
	}
	if t.reason != "" || !strings.Contains(e.Test, "/") {
		r.o.tests = append(r.o.tests, t)
	}
	if e.Action != "fail" {
		delete(r.output, at)
	}
}

// endPackage notes a package whose tests have ended, and prints it. All that its tests have printed is printed if one of
// them failed, or if the program of the tests did.
func (r *reader) endPackage(e event) {
	pkg := short(e.Package)
	var printed []string
	for _, at := range r.keys(e) {
		if e.Action == "fail" {
			printed = append(printed, r.output[at].String())
		}
		delete(r.output, at)
	}
	took := time.Duration(e.Elapsed * float64(time.Second))
	switch {
	case e.Action == "fail":
		r.o.failed = append(r.o.failed, pkg)
		r.report.say("%s\nFAIL  %s  %s  (%s)", strings.Join(printed, ""), pkg, seconds(took), r.o.stage)
	case e.Action == "skip" || !r.tests(pkg):
		r.o.empty = append(r.o.empty, pkg)
	case r.cached[e.Package]:
		r.o.ok, r.o.cached = r.o.ok+1, r.o.cached+1
	default:
		r.o.ok++
		r.report.say("ok    %s  %s  (%s)", pkg, seconds(took), r.o.stage)
	}
}

// tests reports whether a test of the package has ended: a package whose tests do not run passes too.
func (r *reader) tests(pkg string) bool {
	return slices.ContainsFunc(r.o.tests, func(t test) bool { return t.pkg == pkg })
}

// keys returns the output that is kept of a package: that of a build it failed for, its tests', and its own.
func (r *reader) keys(e event) (all []string) {
	for at := range r.output {
		if strings.HasPrefix(at, e.Package+" ") || e.FailedBuild != "" && at == e.FailedBuild {
			all = append(all, at)
		}
	}
	slices.SortFunc(all, func(a, b string) int { // what the package itself says comes last
		aOwn, bOwn := strings.HasSuffix(a, " "), strings.HasSuffix(b, " ")
		switch {
		case aOwn == bOwn:
			return strings.Compare(a, b)
		case aOwn:
			return 1
		}
		return -1
	})
	return all
}

// module is how the import paths of this repository begin.
const module = "github.com/seed-fdf591db/bully/"

// short returns a package as a folder of the repository.
func short(pkg string) string { return strings.TrimPrefix(pkg, module) }
