package cli

import "runtime/debug"

// unknown is the commit of a program that was not built from one.
const unknown = "unknown"

// Revision returns which commit this program was built from, or "unknown".
func Revision() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return unknown
}
