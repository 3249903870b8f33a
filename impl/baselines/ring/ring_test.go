package ring_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/baselines/ring"
)

var forms = map[string]ring.Form{"chang-roberts": ring.ChangRoberts, "lists": ring.Lists}

// started returns a node of the ring 1 to n that has started.
func started(t *testing.T, id, n int, form ring.Form) *ring.Node {
	c := ring.Config{ID: id, Form: form}
	for i := range n {
		c.Ring = append(c.Ring, i+1)
	}
	node, err := ring.New(c)
	require.NoError(t, err)
	require.Equal(t, "set patience", said(node.Step(ring.Start())))
	return node
}

// said says what came of a step as a person would, in order of duty.
func said(out ring.Output) string {
	if out.Ignored != "" {
		return "ignored: " + out.Ignored
	}
	var words []string
	timers := []string{"patience", "election", "hop", "heartbeat"}
	for _, t := range out.Stop {
		words = append(words, "stop "+timers[t])
	}
	for _, t := range out.Set {
		words = append(words, "set "+timers[t])
	}
	for _, m := range out.Send {
		words = append(words, told(m))
	}
	return strings.Join(words, ", ")
}

// told says what a message is: what goes round has its number after it.
func told(m ring.Message) string {
	text := fmt.Sprintf("%d→%d %s", m.From, m.To, m.Kind)
	if m.ID != 0 {
		text += fmt.Sprintf(" %d", m.ID)
	}
	if m.List != nil {
		text += fmt.Sprintf(" %v", m.List)
	}
	if m.Informed != nil {
		text += fmt.Sprintf(" told %v", m.Informed)
	}
	if m.Hop != 0 {
		text += fmt.Sprintf(" #%d", m.Hop)
	}
	return text
}

// The messages of tests: all to node 3 from node 2, its neighbour behind it in a ring of ascending ids.
func election(id int) ring.Input {
	return ring.Receive(ring.Message{Kind: ring.ElectionKind, From: 2, To: 3, ID: id, Hop: 7})
}

func elected(id int) ring.Input {
	return ring.Receive(ring.Message{Kind: ring.ElectedKind, From: 2, To: 3, ID: id, Hop: 7})
}

func list(ids ...int) ring.Input {
	return ring.Receive(ring.Message{Kind: ring.ElectionKind, From: 2, To: 3, List: ids, Hop: 7})
}

func coordinator(ids, told []int) ring.Input {
	return ring.Receive(ring.Message{Kind: ring.CoordinatorKind, From: 2, To: 3, List: ids, Informed: told, Hop: 7})
}

func heartbeat(from int) ring.Input {
	return ring.Receive(ring.Message{Kind: ring.HeartbeatKind, From: from, To: 3})
}

func ack(from, hop int) ring.Input {
	return ring.Receive(ring.Message{Kind: ring.AckKind, From: from, To: 3, Hop: hop})
}

// step is an input, and what must come of it.
type step struct {
	in   ring.Input
	said string
}

// TestRules plays node 3 of a ring of five.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		name                   string
		form                   ring.Form
		steps                  []step
		leader                 int
		leading, participating bool
	}{
		{"a node sends its own id", ring.ChangRoberts, []step{
			{ring.Timeout(ring.Patience), "set election, set hop, 3→4 ELECTION 3 #1"},
			{ack(4, 1), "stop hop"},
		}, 0, false, true},
		{"a higher id is passed on", ring.ChangRoberts, []step{
			{election(5), "stop patience, set election, set hop, 3→2 ACK #7, 3→4 ELECTION 5 #1"},
		}, 0, false, true},
		{"a lower id gives way to the node's own, once", ring.ChangRoberts, []step{
			{election(2), "stop patience, set election, set hop, 3→2 ACK #7, 3→4 ELECTION 3 #1"},
			{election(1), "3→2 ACK #7"},
		}, 0, false, true},
		{"a lower id is swallowed by who has passed a higher one on", ring.ChangRoberts, []step{
			{election(4), "stop patience, set election, set hop, 3→2 ACK #7, 3→4 ELECTION 4 #1"},
			{election(2), "3→2 ACK #7"},
		}, 0, false, true},
		{"whose id is back leads", ring.ChangRoberts, []step{
			{ring.Suspect(), "set election, set hop, 3→4 ELECTION 3 #1"},
			{election(3), "stop election, set heartbeat, 3→2 ACK #7, 3→4 ELECTED 3 #2"},
			{elected(3), "3→2 ACK #7"},
		}, 3, true, false},
		{"an id that was sent before a crash is back too", ring.ChangRoberts, []step{
			{election(3), "stop patience, set hop, set heartbeat, 3→2 ACK #7, 3→4 ELECTED 3 #1"},
		}, 3, true, false},
		{"who is elected is followed", ring.ChangRoberts, []step{
			{election(4), "stop patience, set election, set hop, 3→2 ACK #7, 3→4 ELECTION 4 #1"},
			{ack(4, 1), "stop hop"},
			{elected(4), "stop election, set patience, set hop, 3→2 ACK #7, 3→4 ELECTED 4 #2"},
		}, 4, false, false},
		{"a leader follows who is elected", ring.ChangRoberts, []step{
			{election(3), "stop patience, set hop, set heartbeat, 3→2 ACK #7, 3→4 ELECTED 3 #1"},
			{elected(4), "stop heartbeat, set patience, 3→2 ACK #7, 3→4 ELECTED 4 #2"},
		}, 4, false, false},
		{"ELECTED goes on even if it has been here", ring.ChangRoberts, []step{
			{elected(4), "set patience, set hop, 3→2 ACK #7, 3→4 ELECTED 4 #1"},
			{ack(4, 1), "stop hop"},
			{elected(4), "set patience, set hop, 3→2 ACK #7, 3→4 ELECTED 4 #2"},
		}, 4, false, false},
		{"what waits for an ACK is not sent once more", ring.ChangRoberts, []step{
			{elected(4), "set patience, set hop, 3→2 ACK #7, 3→4 ELECTED 4 #1"},
			{elected(4), "set patience, 3→2 ACK #7"},
			{election(4), "stop patience, set election, 3→2 ACK #7, 3→4 ELECTION 4 #2"},
			{elected(5), "stop election, set patience, 3→2 ACK #7, 3→4 ELECTED 5 #3"},
		}, 5, false, false},
		{"nor is a list, but another one is", ring.Lists, []step{
			{list(1, 2), "stop patience, set election, set hop, 3→2 ACK #7, 3→4 ELECTION [1 2 3] #1"},
			{list(1, 2), "3→2 ACK #7"},
			{list(1), "3→2 ACK #7, 3→4 ELECTION [1 3] #2"},
		}, 0, false, true},
		{"a node sends a list of itself", ring.Lists, []step{
			{ring.Timeout(ring.Patience), "set election, set hop, 3→4 ELECTION [3] #1"},
		}, 0, false, true},
		{"a node adds itself to a list", ring.Lists, []step{
			{list(1, 2), "stop patience, set election, set hop, 3→2 ACK #7, 3→4 ELECTION [1 2 3] #1"},
			{list(2), "3→2 ACK #7, 3→4 ELECTION [2 3] #2"},
		}, 0, false, true},
		{"a list is back", ring.Lists, []step{
			{ring.Suspect(), "set election, set hop, 3→4 ELECTION [3] #1"},
			{list(3, 4, 1, 2), "stop election, set patience, 3→2 ACK #7, 3→4 COORDINATOR [3 4 1 2] told [3] #2"},
			{coordinator([]int{3, 4, 1, 2}, []int{3, 4, 1, 2}), "3→2 ACK #7"},
		}, 4, false, false},
		{"a list whose first node has died is ended by the second", ring.Lists, []step{
			{list(1, 3, 5), "set patience, set hop, 3→2 ACK #7, 3→4 COORDINATOR [1 3 5] told [3] #1"},
		}, 5, false, false},
		{"the highest of the list leads", ring.Lists, []step{
			{coordinator([]int{2, 3, 1}, []int{2}), "stop patience, set hop, set heartbeat, 3→2 ACK #7, 3→4 COORDINATOR [2 3 1] told [2 3] #1"},
		}, 3, true, false},
		{"a leader follows a lower one that a list names", ring.Lists, []step{
			{list(3), "stop patience, set hop, set heartbeat, 3→2 ACK #7, 3→4 COORDINATOR [3] told [3] #1"},
			{coordinator([]int{1, 2}, []int{1, 2}), "stop heartbeat, set patience, 3→2 ACK #7, 3→4 COORDINATOR [1 2] told [1 2 3] #2"},
		}, 2, false, false},
		{"a failed neighbour is skipped, and those after it", ring.Lists, []step{
			{ring.Suspect(), "set election, set hop, 3→4 ELECTION [3] #1"},
			{ring.Timeout(ring.Hop), "set hop, 3→5 ELECTION [3] #1"},
			{ring.Timeout(ring.Hop), "set hop, 3→1 ELECTION [3] #1"},
			{ack(1, 1), "stop hop"},
			{ack(1, 1), "ignored: an ACK of 1, for which nothing waits"},
		}, 0, false, true},
		{"a late ACK counts", ring.Lists, []step{
			{ring.Suspect(), "set election, set hop, 3→4 ELECTION [3] #1"},
			{ring.Timeout(ring.Hop), "set hop, 3→5 ELECTION [3] #1"},
			{ack(4, 1), "stop hop"},
		}, 0, false, true},
		{"what was sent after the timer was set waits once more", ring.ChangRoberts, []step{
			{election(4), "stop patience, set election, set hop, 3→2 ACK #7, 3→4 ELECTION 4 #1"},
			{election(5), "3→2 ACK #7, 3→4 ELECTION 5 #2"},
			{ring.Timeout(ring.Hop), "set hop, 3→5 ELECTION 4 #1"},
			{ring.Timeout(ring.Hop), "set hop, 3→1 ELECTION 4 #1, 3→5 ELECTION 5 #2"},
		}, 0, false, true},
		{"who is alone leads alone", ring.Lists, []step{
			{ring.Suspect(), "set election, set hop, 3→4 ELECTION [3] #1"},
			{ring.Timeout(ring.Hop), "set hop, 3→5 ELECTION [3] #1"},
			{ring.Timeout(ring.Hop), "set hop, 3→1 ELECTION [3] #1"},
			{ring.Timeout(ring.Hop), "set hop, 3→2 ELECTION [3] #1"},
			{ring.Timeout(ring.Hop), "stop election, set hop, set heartbeat, 3→4 COORDINATOR [3] told [3] #2"},
		}, 3, true, false},
		{"a leader is heard of", ring.Lists, []step{
			{heartbeat(4), "set patience"},
			{heartbeat(4), "set patience"},
		}, 4, false, false},
		{"the higher of two leaders is followed", ring.Lists, []step{
			{heartbeat(4), "set patience"},
			{heartbeat(2), ""},
			{heartbeat(5), "set patience"},
		}, 5, false, false},
		{"a leader hears of a higher one, and leads no more", ring.ChangRoberts, []step{
			{election(3), "stop patience, set hop, set heartbeat, 3→2 ACK #7, 3→4 ELECTED 3 #1"},
			{heartbeat(2), ""},
			{heartbeat(4), "stop heartbeat, set patience"},
		}, 4, false, false},
		{"who takes part hears no heartbeat", ring.Lists, []step{
			{heartbeat(4), "set patience"},
			{list(2), "stop patience, set election, set hop, 3→2 ACK #7, 3→4 ELECTION [2 3] #1"},
			{heartbeat(5), ""},
		}, 4, false, true},
		{"a leader is heard", ring.ChangRoberts, []step{
			{election(3), "stop patience, set hop, set heartbeat, 3→2 ACK #7, 3→4 ELECTED 3 #1"},
			{ring.Timeout(ring.Heartbeat), "set heartbeat, 3→1 HEARTBEAT, 3→2 HEARTBEAT, 3→4 HEARTBEAT, 3→5 HEARTBEAT"},
		}, 3, true, false},
		{"an election that does not end is begun anew", ring.ChangRoberts, []step{
			{heartbeat(5), "set patience"},
			{election(4), "stop patience, set election, set hop, 3→2 ACK #7, 3→4 ELECTION 4 #1"},
			{ring.Timeout(ring.Election), "set election, 3→4 ELECTION 3 #2"},
		}, 0, false, true},
		{"a leader whose election does not end goes on leading", ring.ChangRoberts, []step{
			{election(3), "stop patience, set hop, set heartbeat, 3→2 ACK #7, 3→4 ELECTED 3 #1"},
			{election(4), "set election, 3→2 ACK #7, 3→4 ELECTION 4 #2"},
			{ring.Timeout(ring.Election), "set election, 3→4 ELECTION 3 #3"},
		}, 3, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			node := started(t, 3, 5, c.form)
			for i, s := range c.steps {
				require.Equal(t, s.said, said(node.Step(s.in)), "step %d", i)
			}
			require.Equal(t, c.leader, node.Leader())
			require.Equal(t, c.leading, node.Leading())
			require.Equal(t, c.participating, node.Participating())
		})
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		ring.Config
		problem string
	}{
		{ring.Config{ID: 1, Ring: []int{1}}, "ring: no form 0: give ChangRoberts or Lists"},
		{ring.Config{ID: 1, Ring: []int{1}, Form: 3}, "ring: no form 3: give ChangRoberts or Lists"},
		{ring.Config{ID: 1, Form: ring.Lists}, "ring: node 1 does not stand in the ring []: add it, or correct its id"},
		{ring.Config{ID: 0, Ring: []int{2, 1}, Form: ring.Lists}, "ring: node 0 does not stand in the ring [2 1]: add it, or correct its id"},
		{ring.Config{ID: 3, Ring: []int{2, 1}, Form: ring.Lists}, "ring: node 3 does not stand in the ring [2 1]: add it, or correct its id"},
		{ring.Config{ID: 1, Ring: []int{2, 1, 2}, Form: ring.ChangRoberts}, "ring: 3 is not among the ids [2 1 2]: give each from 1 to 3 once"},
		{ring.Config{ID: 4, Ring: []int{1, 2, 4}, Form: ring.ChangRoberts}, "ring: 3 is not among the ids [1 2 4]: give each from 1 to 3 once"},
	} {
		_, err := ring.New(c.Config)
		require.EqualError(t, err, c.problem)
	}
}

// A ring of one elects itself without a message, and hears nobody.
func TestOne(t *testing.T) {
	for name, form := range forms {
		node := started(t, 1, 1, form)
		require.Equal(t, "set heartbeat", said(node.Step(ring.Suspect())), name)
		require.True(t, node.Leading(), "a ring of one must elect itself (%s)", name)
		require.Equal(t, "set heartbeat", said(node.Step(ring.Timeout(ring.Heartbeat))), name)
	}
}

// As published, nobody watches an election: who waits for its end does so for ever.
func TestNoRetry(t *testing.T) {
	node, err := ring.New(ring.Config{ID: 1, Ring: []int{1, 2}, Form: ring.Lists, NoRetry: true})
	require.NoError(t, err)
	require.Equal(t, "set patience", said(node.Step(ring.Restart())))
	require.Equal(t, "set hop, 1→2 ELECTION [1] #1", said(node.Step(ring.Suspect())))
	require.Equal(t, "stop hop", said(node.Step(ring.Receive(ring.Message{Kind: ring.AckKind, From: 2, To: 1, Hop: 1}))))
	require.Equal(t, "ignored: the end of timer 1, which does not run", said(node.Step(ring.Timeout(ring.Election))))
}

// What is passed on must not write to a list that is on its way: two nodes may have got the same one.
func TestListsAreNotShared(t *testing.T) {
	sent := make([]int, 1, 8)
	sent[0] = 1
	a, b := started(t, 3, 5, ring.Lists), started(t, 3, 5, ring.Lists)
	first := a.Step(ring.Receive(ring.Message{Kind: ring.ElectionKind, From: 1, To: 3, List: sent, Hop: 1}))
	b.Step(ring.Receive(ring.Message{Kind: ring.CoordinatorKind, From: 1, To: 3, List: sent, Informed: sent, Hop: 1}))
	require.Equal(t, []int{1, 3}, first.Send[1].List)
	require.Equal(t, []int{0}, sent[1:2], "the memory behind the list is untouched")
}

// The ring is the caller's, who may write to it.
func TestRingIsCopied(t *testing.T) {
	ids := []int{1, 2, 3}
	node, err := ring.New(ring.Config{ID: 1, Ring: ids, Form: ring.Lists})
	require.NoError(t, err)
	ids[1] = 3
	node.Step(ring.Start())
	require.Equal(t, "set election, set hop, 1→2 ELECTION [1] #1", said(node.Step(ring.Suspect())))
}

// TestBadInputIsIgnored gives a node what no node may send. Nothing changes, and it is said why.
func TestBadInputIsIgnored(t *testing.T) {
	message := func(kind ring.Kind, m ring.Message) ring.Input {
		m.Kind, m.From, m.To, m.Hop = kind, 2, 3, 7
		return ring.Receive(m)
	}
	for _, c := range []struct {
		form   ring.Form
		in     ring.Input
		reason string
	}{
		{ring.Lists, ring.Input{}, "no input, one before the start, or a second start"},
		{ring.Lists, ring.Start(), "no input, one before the start, or a second start"},
		{ring.Lists, ring.Restart(), "no input, one before the start, or a second start"},
		{ring.Lists, ring.Timeout(-1), "the end of timer -1, which does not run"},
		{ring.Lists, ring.Timeout(4), "the end of timer 4, which does not run"},
		{ring.Lists, ring.Timeout(ring.Heartbeat), "the end of timer 3, which does not run"},
		{ring.Lists, ring.Timeout(ring.Hop), "the end of timer 2, which does not run"},
		{ring.Lists, ring.Receive(ring.Message{}), "a message from 0 to 0"},
		{ring.Lists, ring.Receive(ring.Message{Kind: ring.HeartbeatKind, From: 3, To: 3}), "a message from 3 to 3"},
		{ring.Lists, ring.Receive(ring.Message{Kind: ring.HeartbeatKind, From: 6, To: 3}), "a message from 6 to 3"},
		{ring.Lists, ring.Receive(ring.Message{Kind: ring.HeartbeatKind, From: 2, To: 4}), "a message from 2 to 4"},
		{ring.Lists, ack(4, 0), "an ACK of 4, for which nothing waits"},
		{ring.Lists, message("OK", ring.Message{}), "a bad OK"},
		{ring.Lists, message(ring.ElectionKind, ring.Message{ID: 2}), "a bad ELECTION"},
		{ring.Lists, list(1, 6), "a bad ELECTION"},
		{ring.Lists, list(0, 1), "a bad ELECTION"},
		{ring.Lists, list(2, 1, 2), "a bad ELECTION"},
		{ring.Lists, elected(5), "a bad ELECTED"},
		{ring.Lists, coordinator([]int{1}, nil), "a bad COORDINATOR"},
		{ring.Lists, coordinator(nil, []int{1}), "a bad COORDINATOR"},
		{ring.ChangRoberts, election(0), "a bad ELECTION"},
		{ring.ChangRoberts, election(6), "a bad ELECTION"},
		{ring.ChangRoberts, elected(-1), "a bad ELECTED"},
		{ring.ChangRoberts, list(1, 2), "a bad ELECTION"},
		{ring.ChangRoberts, coordinator([]int{1}, []int{1}), "a bad COORDINATOR"},
	} {
		node := started(t, 3, 5, c.form)
		out := node.Step(c.in)
		require.Equal(t, ring.Output{Ignored: c.reason}, out)
		require.Equal(t, 0, node.Leader())
		require.False(t, node.Participating(), "an input that is ignored must not begin an election")
	}
	node, err := ring.New(ring.Config{ID: 3, Ring: []int{1, 2, 3}, Form: ring.Lists})
	require.NoError(t, err)
	require.Equal(t, "ignored: no input, one before the start, or a second start", said(node.Step(heartbeat(1))))
}
