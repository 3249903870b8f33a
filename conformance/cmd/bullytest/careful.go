package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"unicode"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/vectors"
)

// flagsFirst refuses flags of a command that stand behind how the port is started: the port would be given them, and the command not.
// What follows -- is the port's, whatever it is.
func flagsFirst(set *flag.FlagSet, args []string) error {
	rest := set.Args()
	if before := len(args) - len(rest); before > 0 && args[before-1] == "--" {
		return nil
	}
	for _, arg := range rest {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch {
		case arg == "--":
			return nil
		case strings.HasPrefix(arg, "-") && set.Lookup(name) != nil:
			return wrong("%s stands behind the port, which would be given it: put the flags first, and -- before the port: bullytest %s %s … -- %s", arg, set.Name(), arg, rest[0])
		}
	}
	return nil
}

// writable reports which of these files cannot be written, before an hour's work is lost. "" is none.
func writable(names ...string) error {
	for _, name := range names {
		if name == "" {
			continue
		}
		_, err := os.Stat(name)
		isNew := errors.Is(err, fs.ErrNotExist)
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o644)
		if err != nil {
			return wrong("%s cannot be written, and nothing was run: %v", filepath.Base(name), err)
		}
		if err = file.Close(); err == nil && isNew {
			err = os.Remove(name)
		}
		if err != nil {
			return wrong("%v", err)
		}
	}
	return nil
}

// outlive lets a run go on when nobody reads its output any more (… | head), so that the files are written that it was asked for. What it
// starts is not touched by that.
func outlive(names ...string) {
	if strings.Join(names, "") != "" {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	}
}

// choose returns the cases that globs and a rule choose; the error says of a rule that no case is about why that is so.
func choose(cases []kit.Case, globs, rule string) ([]kit.Case, error) {
	rule = strings.ToUpper(rule)
	some, err := kit.Select(cases, globs, rule)
	if err == nil {
		return some, nil
	}
	if parts, why := vectors.Unshown(rule); rule != "" && len(parts) > 0 {
		err = fmt.Errorf("%w\n  no level asks %s: %s", err, parts[0], why[0])
	}
	return nil, &exit{exitUsage, err}
}

// plain is a writer to a terminal: what a port says comes through it, and must not move the cursor, or worse.
type plain struct{ to io.Writer }

// Write writes control characters as \x1b, but for line feeds and tabs.
func (p plain) Write(text []byte) (int, error) {
	var b strings.Builder
	for _, c := range string(text) {
		if unicode.IsControl(c) && c != '\n' && c != '\t' {
			fmt.Fprintf(&b, `\x%02x`, c)
		} else {
			b.WriteRune(c)
		}
	}
	_, err := io.WriteString(p.to, b.String())
	return len(text), err
}
