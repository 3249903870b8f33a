package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// keep runs a command, and keeps what it said if all was well. Inputs that change while it runs make it a run of neither.
func (a *app) keep(ctx context.Context, c *command) error {
	before, err := c.digest(os.DirFS(a.root))
	if err != nil {
		return err
	}
	words := append([]string{c.name}, a.variables[c.name]...)
	began := time.Now()
	output, err := a.make(ctx, words...)
	if err != nil {
		return fmt.Errorf("make %s: %w. Nothing is kept of it", c.name, err)
	}
	r := &record{command: strings.Join(words, " "), date: began.Format(day), inputs: before, machine: a.machine(ctx),
		took: time.Since(began).Round(time.Second).String(), log: strings.ReplaceAll(c.kept(output), a.root, ".")}
	if c.saysOf(r.log) == "" {
		return fmt.Errorf("make %s ended with 0, but does not say that all is well: mend what command.go looks for", c.name)
	}
	after, err := c.digest(os.DirFS(a.root))
	if err == nil && after != before {
		err = errors.New("its inputs have changed meanwhile")
	}
	if err != nil {
		return fmt.Errorf("make %s: %w. Nothing is kept of it", c.name, err)
	}
	return os.WriteFile(filepath.Join(a.root, fileOf(c)), []byte(r.text()), 0o644)
}

// runMake runs make at the top of the repository. It shows what that says, and returns what it wrote to standard output.
func (a *app) runMake(ctx context.Context, words ...string) (string, error) {
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, "make", append([]string{"--silent", "--no-print-directory"}, words...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = a.root, io.MultiWriter(a.out, &output), a.log
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	err := cmd.Run()
	return output.String(), err
}

// machine says what the run was made with: never where.
func (a *app) machine(ctx context.Context) string {
	said := []string{fmt.Sprintf("%d cores, %s/%s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH), runtime.Version()}
	for _, words := range [][]string{{"java", "--version"}, {"python3", "--version"}} {
		if out, err := exec.CommandContext(ctx, words[0], words[1:]...).Output(); err == nil {
			line, _, _ := strings.Cut(string(out), "\n")
			said = append(said, strings.TrimSpace(line))
		}
	}
	return strings.Join(said, ", ")
}
