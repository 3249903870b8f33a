package kit

import (
	"fmt"
	"strings"
)

// mostLines is how many lines of what a port has written to its standard error are shown.
const mostLines = 10

// standard returns the end of what the port had written to its standard error when it failed, or "".
func (v *Verdict) standard() string { return ending(v.Standard, v.Written) }

// StandardError says how much the port has written to its standard error in all, and how that ends; "" if it has written nothing.
func (r *Report) StandardError() string {
	if r.Written == 0 {
		return ""
	}
	return fmt.Sprintf("It has written %d bytes to its standard error, which end so:\n%s", r.Written, ending(r.Standard, 0))
}

// ending returns the last lines of a text; and if it is the end of more, of so many bytes in all, it says so.
func ending(text string, written uint64) string {
	lines := strings.Split(text, "\n")
	last := strings.Join(lines[max(0, len(lines)-mostLines):], "\n")
	if shown := uint64(len(last)); shown > 0 && written > shown+1 {
		return fmt.Sprintf("… (the end of %d bytes)\n%s", written, last)
	}
	return last
}
