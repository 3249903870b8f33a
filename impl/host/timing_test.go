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

// TestConfigErrorOfPolicy: what package policy says of a timing or a detector is a *ConfigError here.
func TestConfigErrorOfPolicy(t *testing.T) {
	timing := LAN()
	require.NoError(t, configError(timing.Validate()))
	timing.Claim = 48 * ms
	err := configError(timing.Validate())
	require.EqualError(t, err, "host: Timing.Claim is 48ms, but must be above 48.48ms: a claim by way of a hand-over takes four messages (R37 b)")
	require.Equal(t, &ConfigError{Field: "Timing.Claim", Rule: "R37 b",
		Problem: "is 48ms, but must be above 48.48ms: a claim by way of a hand-over takes four messages"}, err)
	phi, err := NewPhi(PhiConfig{Heartbeat: 50 * ms, Floor: 40 * ms})
	require.Nil(t, phi)
	require.Equal(t, &ConfigError{Field: "PhiConfig.Floor", Problem: "is 40ms, but must be at least Heartbeat, 50ms: or every heartbeat is late"}, err)
}
