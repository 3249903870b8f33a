package spec_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// readOne reads the only event of a trace, and returns what is wrong with which of its fields, if anything.
func readOne(t *testing.T, header, line []byte) (e spec.Event, field string, wrong bool) {
	in, err := spec.NewTraceReader(bytes.NewReader(slices.Concat(header, line)))
	require.NoError(t, err)
	err = in.Read(&e)
	var fault *spec.TraceError
	if err == nil || err == io.EOF || !errors.As(err, &fault) {
		require.NoError(t, err)
		return e, "", false
	}
	return spec.Event{}, fault.Field, true
}

// TestTwoWaysToRead reads lines, and all that they become by a change of one byte, as TraceWriter writes them, and with a
// space that it does not write: a reader may know two ways to read a line, but there is one answer.
func TestTwoWaysToRead(t *testing.T) {
	all, seen, good, bad := map[spec.Action]bool{}, map[spec.Action]bool{}, 0, 0
	for _, name := range []string{"integers", "uuids", "holder-dead", "bounds", "numbers", "changing-pair"} {
		text, err := os.ReadFile("testdata/valid/" + name + ".ndjson")
		require.NoError(t, err)
		lines := bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
		others := []string{"", "0", "2", ",", "twice"}
		if name == "changing-pair" { // Its actions are read again, with configurations; its lines are long.
			clear(seen)
			others = []string{"", "2"}
		}
		for _, line := range lines[1:] {
			line = append(regexp.MustCompile(`"seq":\d+`).ReplaceAll(bytes.TrimSuffix(line, []byte("\n")), []byte(`"seq":1`)), '\n')
			e, _, wrong := readOne(t, lines[0], line)
			require.False(t, wrong)
			if seen[e.Action] {
				continue
			}
			seen[e.Action], all[e.Action] = true, true
			for at := 1; at < len(line)-1; at++ {
				if at%3 != len(all)%3 && os.Getenv("BULLY_SOAK") == "" {
					continue // each line is broken in other places than the last
				}
				for _, other := range others {
					if other == "twice" {
						other = string(line[at]) + string(line[at])
					}
					quick := slices.Concat(line[:at], []byte(other), line[at+1:])
					slow := slices.Concat([]byte("{ "), quick[1:])
					e, field, wrong := readOne(t, lines[0], quick)
					same, sameField, sameWrong := readOne(t, lines[0], slow)
					if wrong != sameWrong || field != sameField || !reflect.DeepEqual(e, same) {
						t.Fatalf("%s\nis read as %v, %q, and with a space as %v, %q", quick, e, field, same, sameField)
					}
					if wrong {
						bad++
					} else {
						good++
					}
				}
			}
		}
	}
	t.Logf("%d actions; %d lines good, %d bad", len(all), good, bad)
	require.Len(t, all, len(spec.Actions()))
	require.Positive(t, good)
	require.Positive(t, bad)
}

// TestManyConfigurations reads a trace with more configurations than a reader remembers, in turn and again at once.
func TestManyConfigurations(t *testing.T) {
	header := spec.Header{Changing: true, Members: []spec.NodeID{one, two, three, four}, Seed: 81, Commit: "9fceb02"}
	var events []spec.Event
	for i := range 60 {
		c := configuration(t, spec.Epoch(i%20), uint64(1+i%7), mixed[:1+i%4]...)
		state := spec.State{Role: spec.Leader, Leader: one, Epoch: 60, Grantee: one, Latest: 9, Configuration: configuration(t, 1, uint64(1+i%11), mixed...)}
		events = append(events, spec.Event{Seq: uint64(i + 1), Node: one, Action: spec.ChangeAction, State: state,
			Input: spec.Input{Call: spec.ChangeCall, Configuration: c},
			Sent: []spec.Message{{Type: spec.Heartbeat, From: one, To: two, Epoch: 20, Question: 9, Configuration: c},
				{Type: spec.Heartbeat, From: one, To: three, Epoch: 20, Question: 9, Configuration: c}}})
	}
	text, err := writeTrace(header, events)
	require.NoError(t, err)
	for _, read := range [][]byte{text, bytes.ReplaceAll(text, []byte(`{"epoch"`), []byte(`{ "epoch"`))} {
		again, got, err := readTrace(bytes.NewReader(read))
		require.NoError(t, err)
		require.Equal(t, header, again)
		require.Equal(t, len(events), len(got))
		for i := range events {
			got[i].State.Support, got[i].State.Answered = nil, nil
			require.Equal(t, events[i], got[i])
		}
	}
	above := bytes.Replace(text, []byte(`"epoch":20,"question":9,"configuration":{"epoch":19,`), []byte(`"epoch":18,"question":9,"configuration":{"epoch":19,`), 1)
	require.NotEqual(t, text, above)
	_, _, err = readTrace(bytes.NewReader(above))
	require.EqualError(t, err, "line 21: sent[0].configuration.epoch: 19 is above epoch 18 beside it")
}
