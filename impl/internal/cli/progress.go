package cli

import (
	"encoding/json"
	"fmt"
	"time"
)

// Every is how often a long run says how far it has come.
func (p Program) Every() time.Duration {
	if p.Live {
		return time.Second
	}
	return 10 * time.Second
}

// Progress shows how far a long run has come.
func (p Program) Progress(line string) {
	if p.Live {
		_, _ = fmt.Fprintf(p.Log, "\r%s\x1b[K", line)
	} else {
		_, _ = fmt.Fprintln(p.Log, line)
	}
}

// Clear takes the line of progress away.
func (p Program) Clear() {
	if p.Live {
		_, _ = fmt.Fprint(p.Log, "\r\x1b[K")
	}
}

// JSON prints a value as JSON.
func (p Program) JSON(value any) error {
	encoder := json.NewEncoder(p.Out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
