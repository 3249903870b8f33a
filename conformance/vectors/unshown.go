package vectors

import (
	"maps"
	"slices"
)

// unshown is what a rule, or a numbered part of one, asks of somebody else than a port, and why no vector can show it.
var unshown = map[string]string{
	"R4.4":  "a write that fails: a port has no disk; a host stops for good",
	"R36.3": "when the host does what the port says: a port says it in the order of duty, and has no clock",
	"R36.4": "a timer that ends after it was restarted: the host must not give its end, and a port cannot know",
	"R36.5": "what a host may leave out, or restart besides: a port says what the table says",
	"R36.6": "how long a follower without a lease waits: the host's business",
	"R37":   "how long timers run, and when a proof of death may be given: a port has no clock, and the kit says when a timer ends",
	"R38.3": "a resource's own crashes: the resource of a port has no disk",
	"R38.4": "that a leader that was refused stops: its user's and its host's business; R28 is what they call then",
	"R38.5": "that a writer's own check replaces no fence: the writer's business",
	"R39.4": "the deadline of a user: it is a time, and a port has no clock",
}

// Unshown returns what of a rule, such as R36, no vector can show: parts, such as R36.5, and why, in the order of their names.
func Unshown(rule string) (parts, why []string) {
	for _, part := range slices.Sorted(maps.Keys(unshown)) {
		if part == rule || len(part) > len(rule) && part[:len(rule)+1] == rule+"." {
			parts, why = append(parts, part), append(why, unshown[part])
		}
	}
	return parts, why
}
