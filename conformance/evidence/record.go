package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"time"
)

// record is one run that was as it must be.
type record struct {
	command, date, inputs, machine, took, log string
}

const day = "2006-01-02"

// The form of a file: what was run, when, of what, where, how long it took, what it said; and a digest of all that.
var form = regexp.MustCompile(`\A` +
	`run:     make (\S+(?: \S+=\S+)*)\n` +
	`date:    (\S+)\n` +
	`inputs:  ([0-9a-f]{64})\n` +
	`machine: (.+)\n` +
	`took:    (\S+)\n` +
	`exit:    0\n\n` +
	`((?s).*\n)\n` +
	`digest:  ([0-9a-f]{64})\n\z`)

// text returns the record as it stands in its file.
func (r *record) text() string {
	body := fmt.Sprintf("run:     make %s\ndate:    %s\ninputs:  %s\nmachine: %s\ntook:    %s\nexit:    0\n\n%s\n", r.command, r.date, r.inputs, r.machine, r.took, r.log)
	return body + "digest:  " + digestOf(body) + "\n"
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// parse reads a file. The digest is against slips, not against liars: who doubts a figure runs the command again.
func parse(text string) (*record, error) {
	part := form.FindStringSubmatch(text)
	if part == nil {
		return nil, errors.New("not of the form that make evidence writes: run it again, nothing here is written by hand")
	}
	if body := text[:strings.LastIndex(text, "digest: ")]; digestOf(body) != part[7] {
		return nil, errors.New("changed since make evidence wrote it: its digest is another. Run make evidence again")
	}
	r := &record{command: part[1], date: part[2], inputs: part[3], machine: part[4], took: part[5], log: part[6]}
	if _, err := time.Parse(day, r.date); err != nil {
		return nil, fmt.Errorf("the date: %w", err)
	}
	if _, err := time.ParseDuration(r.took); err != nil {
		return nil, fmt.Errorf("how long it took: %w", err)
	}
	return r, nil
}

// fileOf returns the name of the file of a command.
func fileOf(c *command) string { return path.Join(folder, c.name+".txt") }

// read returns the record of a command; nil if none is kept.
func (c *command) read(root fs.FS) (*record, error) {
	data, err := fs.ReadFile(root, fileOf(c))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r, err := parse(string(data))
	if err == nil {
		if name, _, _ := strings.Cut(r.command, " "); name != c.name {
			err = fmt.Errorf("it is of make %s", name)
		} else if c.saysOf(r.log) == "" {
			err = fmt.Errorf("it does not end as make %s does when all is well", c.name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", fileOf(c), err)
	}
	return r, nil
}

// saysOf returns the line with which a run says that all is well, the last of such.
func (c *command) saysOf(log string) (line string) {
	for l := range strings.Lines(log) {
		if l = strings.TrimSpace(l); c.says.MatchString(l) {
			line = c.says.FindString(l)
		}
	}
	return line
}

// kept returns what is kept of the output of a run.
func (c *command) kept(output string) string {
	var lines []string
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, " \t\n")
		line = line[strings.LastIndex(line, "\r")+1:]
		found := c.keep.MatchString(strings.TrimSpace(line))
		if found || !c.alone && len(lines) > 0 {
			lines = append(lines, line)
		}
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}
