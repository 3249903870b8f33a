package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// The page that has sections, and this folder, which is nobody's input.
const (
	page   = "spec/README.md"
	folder = "conformance/evidence"
)

// notSource are the names of folders that hold what is built or fetched.
var notSource = []string{"node_modules", "__pycache__", "target", "states", "rapid"}

// files returns the inputs of a command, in order.
func (c *command) files(root fs.FS) (found []string, err error) {
	err = fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if hidden := path != "." && strings.HasPrefix(entry.Name(), "."); hidden || path == folder || slices.Contains(notSource, entry.Name()) {
				return fs.SkipDir
			}
		case c.inputs.MatchString(path) && (c.tests || !strings.HasSuffix(path, "_test.go")):
			found = append(found, path)
		}
		return nil
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("make %s has no inputs here: is this the top of the repository?", c.name)
	}
	return found, err
}

// digest returns the digest of all inputs of a command: what they are called, and what is in them.
func (c *command) digest(root fs.FS) (string, error) {
	all, err := c.files(root)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, name := range all {
		data, err := fs.ReadFile(root, name)
		if err != nil {
			return "", err
		}
		add(sum, name, data)
	}
	for _, heading := range c.sections {
		data, err := fs.ReadFile(root, page)
		if err != nil {
			return "", err
		}
		text, err := section(data, heading)
		if err != nil {
			return "", err
		}
		add(sum, page+" "+heading, text)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func add(sum io.Writer, name string, data []byte) {
	_, _ = fmt.Fprintf(sum, "%x %s\n", sha256.Sum256(data), name) // a hash never fails
}

// section returns the part of a page under a heading, up to the next heading that is not below it.
func section(page []byte, heading string) ([]byte, error) {
	var text []byte
	level, inside, code := strings.Count(heading, "#"), false, false
	for line := range bytes.Lines(page) {
		if bytes.HasPrefix(line, []byte("```")) {
			code = !code
		}
		if is := len(line) - len(bytes.TrimLeft(line, "#")); is > 0 && !code {
			if inside && is <= level {
				break
			}
			inside = inside || bytes.HasPrefix(line, []byte(heading))
		}
		if inside {
			text = append(text, line...)
		}
	}
	if text == nil {
		return nil, fmt.Errorf("the page has no heading %q: say in command.go what it is called now", heading)
	}
	return text, nil
}
