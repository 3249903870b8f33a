package port

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// TestKnownReplies reads replies with and without those that were read before: nothing tells the two apart.
func TestKnownReplies(t *testing.T) {
	state := `"state":{"role":"follower","leader":null,"lease":0,"epoch":1,"grantee":null,"support":["1"],"asked":0,"latest":0}`
	know := knownReplies{}
	for range 2 {
		for id, said := range []string{
			`{"id":%d,"effects":[{"arm":"patience"}],` + state + `}`,
			`{"id":%d,"ignored":"stale",` + state + `}`,
			`{"id":%d,"ok":true}`,
			`{"id":%d,"ok":false}`,
			`{"id":%d,"ok":true} x`,
			`{"id":%d,"id":1,"ok":true}`,
			`{"id":%d0,"ok":true}`,
			`{"id":9%d,"ok":true}`,
			`{"ok":true,"id":%d}`,
			` {"id":%d,"ok":true}`,
			`{"id":%d,"state":null,"error":"no"}`,
			`{"id":%d}`,
			`{"id":%d`,
		} {
			for _, op := range []Op{Begin, Reset, Load, Write} {
				line, to := []byte(fmt.Sprintf(said, id+1)), &Request{ID: uint64(id + 1), Op: op}
				want, wantErr := parseReply(line, to)
				got, err := know.parse(line, to)
				require.Equal(t, want, got, "%s to %s", line, op)
				require.Equal(t, wantErr, err, "%s to %s", line, op)
				if err == nil && got.State != nil {
					got.State.Support[0] = spec.IntegerID(77)
				}
			}
		}
	}
	require.Len(t, know, 4, "those of these forms that are replies")
}

// What is known stays small, whatever a port says.
func TestKnownRepliesAreFew(t *testing.T) {
	know := knownReplies{}
	for id := range 2 * mostKnown {
		_, err := know.parse(fmt.Appendf(nil, `{"id":%d,"ok":true,"ignored":"%d"}`, id, id), &Request{ID: uint64(id), Op: Reset})
		require.NoError(t, err)
		require.LessOrEqual(t, len(know), mostKnown)
	}
	before := len(know)
	_, err := know.parse(fmt.Appendf(nil, `{"id":1,"ok":true,"ignored":%q}`, strings.Repeat("x", longestKnown)), &Request{ID: 1, Op: Reset})
	require.NoError(t, err)
	require.Len(t, know, before)
}
