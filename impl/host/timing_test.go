package host

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestProfileTable compares the table of the package comment with the profiles.
func TestProfileTable(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	for name, timing := range map[string]Timing{"Local": Local(), "LAN": LAN(), "Busy": Busy(), "WAN": WAN()} {
		proved, silent := timing.Failover()
		want := []string{name}
		for _, d := range []time.Duration{timing.Delay, timing.Heartbeat, timing.Patience, proved.Round(time.Millisecond), silent.Round(time.Millisecond)} {
			want = append(want, d.String())
		}
		found := ""
		for line := range strings.Lines(string(doc)) {
			if fields := strings.Fields(strings.TrimPrefix(line, "//")); len(fields) == len(want) && fields[0] == name {
				found = strings.Join(fields, " ")
			}
		}
		require.Equal(t, strings.Join(want, " "), found)
	}
}

// TestWrongTiming: what package policy says of a timing is a *ConfigError here.
func TestWrongTiming(t *testing.T) {
	timing := LAN()
	require.NoError(t, wrongTiming(timing))
	timing.Claim = 48 * ms
	err := wrongTiming(timing)
	require.EqualError(t, err, "host: Timing.Claim is 48ms, but must be above 48.48ms: a claim by way of a hand-over takes four messages (R37 b)")
	require.Equal(t, &ConfigError{Field: "Timing.Claim", Rule: "R37 b",
		Problem: "is 48ms, but must be above 48.48ms: a claim by way of a hand-over takes four messages"}, err)
}
