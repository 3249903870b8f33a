package cli

import (
	"runtime/debug"
	"strings"
)

// unknown is the commit of a program that was not built from one.
const unknown = "unknown"

// What a release was built as, and from. The linker sets both, as impl/internal/release tells it to: what Go itself writes into a program of
// where its source came from is not there if the source came from an archive, and the program would be another.
var release, commit string

// Revision returns which commit this program was built from, or "unknown".
func Revision() string {
	if commit != "" {
		return commit
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return unknown
}

// versionOf returns the version of this program: of a release, or as Go has found it.
func versionOf(info *debug.BuildInfo) string {
	if release != "" {
		return release
	}
	return strings.Trim(info.Main.Version, "()")
}
