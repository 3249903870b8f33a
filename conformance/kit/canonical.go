package kit

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// canonical returns a reply so that two that say the same are the same text: without its id and white space, its fields and the
// timers of a step in order, and whatever a port says to people left out. What is no JSON stays as it is.
func canonical(reply string) string {
	decoder := json.NewDecoder(strings.NewReader(reply))
	decoder.UseNumber()
	var fields map[string]any
	if err := decoder.Decode(&fields); err != nil {
		return reply
	}
	delete(fields, "id")
	for _, words := range []string{"ignored", "unsupported", "error"} {
		if _, said := fields[words]; said {
			fields[words] = true
		}
	}
	if effects, is := fields["effects"].([]any); is {
		sortTimers(effects)
	}
	text, err := json.Marshal(fields) // which sorts the fields
	if err != nil {
		return reply
	}
	return string(text)
}

// withoutID returns a reply without the id that most begin with.
func withoutID(reply string) string {
	if rest, begins := strings.CutPrefix(reply, `{"id":`); begins {
		return strings.TrimLeft(rest, " 0123456789")
	}
	return reply
}

// sortTimers sorts timers that follow on each other: they are set in any order.
func sortTimers(effects []any) {
	for begin := 0; begin < len(effects); begin++ {
		end := begin
		for end < len(effects) && isTimer(effects[end]) {
			end++
		}
		slices.SortFunc(effects[begin:end], func(a, b any) int {
			x, _ := json.Marshal(a)
			y, _ := json.Marshal(b)
			return bytes.Compare(x, y)
		})
		begin = max(begin, end)
	}
}

// isTimer reports whether an effect cancels or arms a timer.
func isTimer(effect any) bool {
	fields, _ := effect.(map[string]any)
	names := slices.Collect(maps.Keys(fields))
	return len(names) == 1 && (names[0] == "arm" || names[0] == "cancel")
}
