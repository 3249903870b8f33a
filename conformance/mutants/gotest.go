package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/conformance/mutants/strays"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// outcome is what came of the tests of one package.
type outcome struct {
	built    bool
	ran      int           // tests begun
	failed   bool          // a test failed, or the program of the tests did
	test     string        // that failed first; "" if none is known
	hung     bool          // the time limit stopped it
	unnamed  bool          // and no test had failed before: test is then the one that had run the longest
	ranFor   time.Duration // how long that one had run
	smallest string        // the first line that says what the smallest run is that fails, without that word
	output   string        // what was printed
	took     times         // of each test that passed
}

// crowd stands for the test that failed where the tests had so many processes that they were all killed.
var crowd = fmt.Sprintf("(no test: more than %d processes)", strays.Most)

// tooMany returns what came of tests that had more processes than they may, and what they had printed.
func tooMany(output string) *outcome {
	return &outcome{built: true, ran: 1, failed: true, test: crowd, output: output + "\n" + crowd}
}

// goTest runs tests.
type goTest struct {
	root    string
	overlay string // "" for the tree as it is
	limit   time.Duration
	dir     string   // of the package, relative to the root: ./impl/bully
	which   []string // flags that choose the tests
}

// do runs the tests. An error is that of the go command; tests that fail are an outcome.
func (g *goTest) do(ctx context.Context) (*outcome, error) {
	// A package may be in a module of its own below the root.
	dir := filepath.Join(g.root, filepath.FromSlash(g.dir))
	module, err := moduleRoot(dir)
	if err != nil {
		return nil, err
	}
	relative, err := filepath.Rel(module, dir)
	if err != nil {
		return nil, err
	}
	args := []string{"test", "-json", "-vet=off", "-short=false", "-failfast", "-count=1", "-timeout=" + g.limit.String(), "-parallel=" + parallel}
	args = append(args, g.which...)
	args = append(args, "./"+filepath.ToSlash(relative))
	if usesRapid(dir) {
		args = append(args, rapidFlags...)
	}
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = module
	command.WaitDelay = time.Minute
	command.Env = environment()
	if g.overlay != "" {
		command.Env = append(command.Env, goflags(g.overlay))
	}
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	crowded, failed := strays.Run(command, strays.Most)
	if crowded && ctx.Err() == nil {
		return tooMany(stdout.String() + stderr.String()), nil
	}
	var exit *exec.ExitError
	if failed != nil && !errors.As(failed, &exit) || ctx.Err() != nil {
		return nil, fmt.Errorf("go test %s: %w", g.dir, failed)
	}
	o, err := read(&stdout)
	if err != nil {
		return nil, fmt.Errorf("go test %s: %w\n%s", g.dir, err, stderr.String())
	}
	if o.failed != (failed != nil) {
		return nil, fmt.Errorf("go test %s: %v, but its output says otherwise\n%s%s", g.dir, failed, o.output, stderr.String())
	}
	return o, nil
}

// parallel is how many tests of one package run at the same time. The tool tries several mutants at the
// same time already, and counts the processes that the tests of each have started (strays).
const parallel = "2"

// environment returns the environment of tests. BULLY_SLOW enables slow tests, which kill mutants like
// any other. BULLY_SOAK makes tests many times longer, and is left out.
func environment() []string {
	all := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "BULLY_SOAK=") })
	return append(all, slowtest.Variable+"=yes")
}

// goflags returns the environment variable that makes the go command read an overlay. A test that builds a program then
// builds the mutant too.
func goflags(overlay string) string {
	return "GOFLAGS=" + strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay)
}

// rapidFlags are the flags for the same cases each time, and nothing written into the tree. To shrink them takes time, and
// as much as there is: what is to be the same each time shrinks them in another way.
var rapidFlags = []string{"-rapid.seed=1", "-rapid.nofailfile", "-rapid.shrinktime=1ns"}

// usesRapid reports whether a test of a package imports rapid, and so takes its flags.
func usesRapid(dir string) bool {
	tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return false
	}
	for _, name := range tests {
		if text, err := os.ReadFile(name); err == nil && bytes.Contains(text, []byte(`"pgregory.net/rapid"`)) {
			return true
		}
	}
	return false
}

// event is a line of go test -json.
type event struct {
	Action, Test, Output, FailedBuild string
	Elapsed                           float64
}

// read makes an outcome of the output of go test -json.
func read(r io.Reader) (*outcome, error) {
	o := &outcome{built: true, took: times{}}
	var printed strings.Builder
	running := ""
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("%q is no event: %w", line, err)
		}
		switch e.Action {
		case "run":
			o.ran, running = o.ran+1, e.Test
		case "cont": // a parallel test begins
			running = e.Test
		case "pass":
			if e.Test != "" && !strings.Contains(e.Test, "/") {
				o.took[e.Test] = e.Elapsed
			}
		case "build-fail":
			o.built, o.failed = false, true
		case "fail":
			if o.failed = true; e.FailedBuild != "" {
				o.built = false
			}
			if o.test == "" {
				o.test = e.Test
			}
		case "output", "build-output":
			printed.WriteString(e.Output)
			o.note(e.Output)
		}
	}
	if o.failed && o.built && o.test == "" {
		o.test = running // the program ended in it
	}
	o.output = printed.String()
	return o, nil
}

// note takes from a line of output what is looked for there.
func (o *outcome) note(line string) {
	if strings.Contains(line, "panic: test timed out after ") {
		o.hung, o.unnamed = true, o.test == ""
	}
	if running, found := strings.CutPrefix(line, "\t\t"); found && o.unnamed {
		name, took, _ := strings.Cut(strings.TrimSuffix(running, ")\n"), " (")
		if d, err := time.ParseDuration(took); err == nil && (o.test == "" || d > o.ranFor) {
			o.test, o.ranFor = name, d
		}
	}
	if _, run, found := strings.Cut(line, "smallest run: "); found && o.smallest == "" {
		o.smallest = strings.TrimSpace(run)
	}
}
