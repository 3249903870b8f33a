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
	"strings"
	"time"
)

// stage is one call of go test.
type stage struct {
	name string
	args []string
}

// stages is a flag that may be given several times.
type stages []stage

// String returns the names of the stages.
func (s *stages) String() string {
	var names []string
	for _, one := range *s {
		names = append(names, one.name)
	}
	return strings.Join(names, ", ")
}

// Set adds a stage: "NAME: ARGUMENTS". A stage without a package is left out, as a list of packages may be empty.
func (s *stages) Set(text string) error {
	name, rest, found := strings.Cut(text, ":")
	if name = strings.TrimSpace(name); !found || name == "" {
		return fmt.Errorf("%q is no stage: write NAME: ARGUMENTS of go test", text)
	}
	args := strings.Fields(rest)
	if len(args) == 0 || !strings.HasPrefix(args[len(args)-1], "./") {
		return fmt.Errorf("stage %s ends with no package: write ./impl/host, say", name)
	}
	*s = append(*s, stage{name: name, args: args})
	return nil
}

// outcome is what came of a stage.
type outcome struct {
	stage  string
	took   time.Duration
	tests  []test
	failed []string // packages
	ok     int      // packages whose tests passed
	cached int      // of these, the ones that Go's test cache answered for
	empty  []string // packages without a test
	err    error    // go test could not run
}

// test is a test at the top of a package that has ended.
type test struct {
	pkg, name, stage string
	took             time.Duration
	reason           string // why it was skipped; "" if it ran
}

// String returns t as a line of the table of slow tests, whose first word is the time.
func (t test) String() string {
	return fmt.Sprintf("%7.1f s  %s %s (%s)", t.took.Seconds(), t.pkg, t.name, t.stage)
}

// run runs the stage. At a lower priority it leaves the processor to the stages beside it.
func (s stage) run(ctx context.Context, r *report, lower bool) *outcome {
	o := &outcome{stage: s.name}
	begin := time.Now()
	defer func() { o.took = time.Since(begin) }()
	command := s.command()
	if nice, err := exec.LookPath("nice"); err == nil && lower {
		command = append([]string{nice, "-n", "10"}, command...)
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	var words bytes.Buffer
	cmd.Stderr = &words
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		o.err = fmt.Errorf("%s: %w", s.name, err)
		return o
	}
	readErr := read(out, newReader(o, r))
	err = cmd.Wait()
	var exit *exec.ExitError
	if readErr != nil || err != nil && (!errors.As(err, &exit) || len(o.failed) == 0) {
		o.err = fmt.Errorf("%s: go test: %w\n%s", s.name, errors.Join(err, readErr), words.String())
	}
	return o
}

// command returns the command line. -C DIR has to be the first flag of go test.
func (s stage) command() []string {
	rest := s.args
	command := []string{"go", "test"}
	if rest[0] == "-C" {
		command, rest = append(command, rest[:2]...), rest[2:]
	}
	return append(append(command, "-json"), rest...)
}

// event is a line of go test -json.
type event struct {
	Action, Package, Test, Output, ImportPath, FailedBuild string
	Elapsed                                                float64
}

// read gives each line of go test -json to a reader.
func read(in io.Reader, r *reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("%q is no event of go test -json: %w", line, err)
		}
		r.take(e)
	}
}
