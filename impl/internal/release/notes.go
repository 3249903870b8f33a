package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// page is where the notes are from: what is not written there is not released.
const page = "spec/README.md"

// notes returns the notes of the release: what section 17 says.
func (b build) notes() (string, error) {
	text, err := os.ReadFile(filepath.Join(b.Root, filepath.FromSlash(page)))
	if err != nil {
		return "", err
	}
	_, section, found := strings.Cut(string(text), "\n## 17. Changes\n")
	if !found {
		return "", fmt.Errorf("%s has no section \"17. Changes\", which the notes are from", page)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(b.Version) + ` \|.*$`).FindString(section)
	if row == "" {
		return "", fmt.Errorf("%s, section 17, has no row of %s: say there what changes for who uses it, and commit that", page, b.Version)
	}
	if strings.Contains(row, "not released") {
		return "", fmt.Errorf("%s, section 17, says of %s that it is not released yet: take that out, and commit it", page, b.Version)
	}
	return fmt.Sprintf("# %s\n\nSpec %s, wire %d, trace %d. Built with %s.\n\n```sh\ngo get %[7]s@%[1]s      # to embed it\nsha256sum -c SHA256SUMS      # what is here is whole\n"+
		"make release VERSION=%[1]s   # of that tag, and with that Go, makes the same bytes again\n```\n\n## Changes\n\n%[8]s\n", b.Version, spec.Version,
		spec.WireVersion, spec.TraceFormat, runtime.Version(), b.Version, module, strings.TrimSpace(inNotes(section))), nil
}

// inNotes makes links of the page work where the notes are read: they name files of the repository.
func inNotes(section string) string {
	return regexp.MustCompile(`\]\(([^:)#][^:)]*)\)`).ReplaceAllString(section, "](spec/$1)")
}
