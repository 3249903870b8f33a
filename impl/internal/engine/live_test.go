package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/engine"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// TestLiveHeardNoMore sees that a node which is heard no more is not said to have crashed, and is shown as it is if it is
// heard again.
func TestLiveHeardNoMore(t *testing.T) {
	live, err := engine.Listen([]string{"3", "1", "2"}, false)
	require.NoError(t, err)
	feed := func(line string) recording.Frame {
		frames, err := live.Feed([]byte(line))
		require.NoError(t, err)
		require.Len(t, frames, 1)
		return frames[0]
	}
	const heartbeat = `{"seq":7,"at":100,"node":"3","action":"HeartbeatTimeout","input":{"timer":"heartbeat"},"sent":[],` +
		`"state":{"role":"leader","leader":"3","lease":0,"epoch":4,"grantee":"3","support":["2"],"asked":0,"latest":9,"dated":8,"answered":[{"node":"2","question":8}]}}`
	require.Equal(t, recording.Leads, feed(heartbeat).State.Look)
	end := feed(`{"unheard":"3","last":` + heartbeat + `}`)
	require.Equal(t, "is heard no more", end.Text)
	require.NotContains(t, end.Note, "disk")
	require.Equal(t, recording.Down, end.State.Look)
	require.True(t, end.State.Unheard, "the node is shown as unheard")
	require.Equal(t, uint64(4), end.State.Epoch)
	again := feed(strings.Replace(heartbeat, `"seq":7,"at":100`, `"seq":8,"at":900`, 1))
	require.Equal(t, recording.Leads, again.State.Look)
	require.NotEqual(t, recording.Restart, again.Kind)
	require.Equal(t, "says HEARTBEAT to all", again.Text)
}

// TestLiveNeverHeard sees that nothing stays under way to a node that was never heard, once the page has said that it cannot reach it.
func TestLiveNeverHeard(t *testing.T) {
	live, err := engine.Listen([]string{"1", "2"}, false)
	require.NoError(t, err)
	feed := func(seq int) []recording.Frame {
		frames, err := live.Feed(fmt.Appendf(nil, `{"seq":%d,"at":%d,"node":"1","action":"ElectionTimeout","input":{"timer":"election"},"sent":[{"type":"ELECTION","from":"1","to":"2","epoch":4,"question":%d,"keeps":null}],`+
			`"state":{"role":"candidate","leader":null,"lease":0,"epoch":4,"grantee":null,"support":[],"asked":%d,"latest":%d}}`, seq, 100*seq, seq, seq, seq))
		require.NoError(t, err)
		return frames
	}
	asks := feed(7)[0].Sends[0]
	require.False(t, asks.Lost, "2 may run")
	end, err := live.Feed([]byte(`{"unheard":"2"}`))
	require.NoError(t, err)
	require.Len(t, end, 2)
	require.Equal(t, []any{recording.Lose, asks.Number}, []any{end[0].Kind, end[0].Takes})
	require.Equal(t, []any{"is not heard", true}, []any{end[1].Text, end[1].State.Unheard})
	require.True(t, feed(8)[0].Sends[0].Lost, "a message to a node that cannot be reached is lost")
}

// TestLiveNodesAscend: in whatever order nodes are named, a recording has them by their ids.
func TestLiveNodesAscend(t *testing.T) {
	live, err := engine.Listen([]string{"10", "9", "2"}, false)
	require.NoError(t, err)
	require.Equal(t, []string{"2", "9", "10"}, live.Header().Nodes)
}

// TestLiveMembersComeAndGo listens to a cluster whose members change: configurations are told, and one that names a non-member is
// refused.
func TestLiveMembersComeAndGo(t *testing.T) {
	_, err := engine.Listen([]string{"1", "2"}, true)
	require.NoError(t, err)
	live, err := engine.Listen([]string{"1", "2", "3"}, true)
	require.NoError(t, err)
	require.Contains(t, live.Header().Indicators, recording.Indicator{Name: "OneConfiguration", Says: "An epoch and a version name one list of members. The rules are proved to keep this, for any number of nodes.", Light: recording.Green, Once: true})
	heartbeat := `{"seq":1,"at":1,"node":"1","action":"OnHeartbeat","input":{"message":{"type":"HEARTBEAT","from":"2","to":"1","epoch":1,"question":7,"configuration":CONF}},` +
		`"sent":[],"state":{"role":"follower","leader":"2","lease":7,"epoch":1,"grantee":null,"support":[],"asked":0,"latest":1,"configuration":CONF}}`
	conf := `{"epoch":1,"version":2,"members":[{"id":"1","kind":"voter"},{"id":"2","kind":"voter"},{"id":"3","kind":"observer"}]}`
	frames, err := live.Feed([]byte(strings.ReplaceAll(heartbeat, "CONF", conf)))
	require.NoError(t, err)
	require.Equal(t, []recording.Configuration{{Epoch: 1, Version: 2, Members: []recording.Member{{Node: 0, Kind: recording.Voter}, {Node: 1, Kind: recording.Voter}, {Node: 2, Kind: recording.Observer}}}},
		frames[0].Configurations)
	require.Equal(t, 1, frames[0].State.Configuration)
	_, err = live.Feed([]byte(strings.ReplaceAll(heartbeat, "CONF", strings.Replace(conf, `"id":"3"`, `"id":"9"`, 1))))
	require.ErrorContains(t, err, "names 9, which is none of its nodes")
}
