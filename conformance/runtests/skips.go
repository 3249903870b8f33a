package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// enable says how each thing that a test may lack is had. A test that lacks one calls t.Skip("needs THING: …").
var enable = map[string]string{
	"Linux":                              "run the tests on Linux",
	"Unix":                               "run the tests on a Unix",
	"root":                               "run the tests as root",
	"ip":                                 "as root: apt-get install iproute2",
	"python3":                            "apt-get install python3",
	"setpriv":                            "apt-get install util-linux",
	"strace":                             "apt-get install strace",
	"gcc":                                "apt-get install gcc libc6-dev (the race detector needs it)",
	"Python":                             "apt-get install python3 (3.11 or later)",
	"haproxy":                            "apt-get install haproxy",
	"PostgreSQL":                         "apt-get install postgresql",
	"systemd":                            "apt-get install systemd",
	"setsid":                             "apt-get install util-linux",
	"curl":                               "apt-get install curl",
	"a disk that fails":                  "as root on Linux, and: apt-get install strace",
	"a file system that writes in place": "set TMPDIR to a folder on ext4 or xfs",
	"containers":                         "install Docker or Podman, with its engine running",
	"unshare":                            "as root: apt-get install util-linux",
	"Java and TLC":                       "apt-get install default-jdk-headless; then make check",
	"a clone":                            "clone the repository with git",
	"ptrace":                             "run the tests where a process may trace another",
	"cgroups":                            "run the tests as root, where control groups are writable and limit memory",
	"more files":                         "raise the limit of open files: ulimit -n",
	"no root":                            "run the tests as another user than root",
	"the page":                           "make viewer (it needs Node 20)",
	"/bin/sh":                            "run the tests where there is a shell",
	"a newer Linux":                      "run the tests on Linux 5.10 or later",
}

// meant are the beginnings of reasons why a test is skipped on every machine: another target runs it, or another test
// starts it as a process.
var meant = []string{"long: ", "runs in make test-slow: ", "runs without the race detector: ", "make test-modules runs it", "make soak runs it",
	"another test starts it", "not drawn: "}

// skips are the tests that were skipped, by the thing that they lack.
type skips map[string][]string

// add notes a test that was skipped.
func (s skips) add(reason, test string) {
	for _, beginning := range meant {
		if strings.HasPrefix(reason, beginning) {
			return
		}
	}
	thing := reason
	if rest, found := strings.CutPrefix(reason, "needs "); found {
		thing, _, _ = strings.Cut(rest, ":")
	}
	s[thing] = append(s[thing], test)
}

// print prints what was skipped and how to enable it, and returns the reasons that it does not know.
func (s skips) print(out io.Writer) (unknown []string) {
	if len(s) == 0 {
		return nil
	}
	fmt.Fprintln(out, "\nSkipped, as this machine lacks something:")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, thing := range slices.Sorted(maps.Keys(s)) {
		how, known := enable[thing]
		if !known {
			unknown = append(unknown, fmt.Sprintf("%q (%s)", thing, s[thing][0]))
		}
		tests := "the race detector"
		if len(s[thing]) > 1 {
			tests = fmt.Sprintf("%d tests", len(s[thing]))
		} else if s[thing][0] != "" {
			tests = s[thing][0]
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\n", thing, tests, cmp.Or(how, "?"))
	}
	_ = table.Flush() // a writer to a terminal: nothing can be done
	return unknown
}
