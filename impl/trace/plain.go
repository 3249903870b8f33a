package trace

import "strings"

// Plain returns text with what the header of a trace cannot hold left out.
func Plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return -1
		}
		return r
	}, text)
	return text[:min(len(text), 255)]
}
