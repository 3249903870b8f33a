package kit

import "time"

// A port of a test that goes on is waited for no longer than needed.
func init() { endSoon = 500 * time.Millisecond }
