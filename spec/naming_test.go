package spec_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// TestNaming: what a RESIGN and a CLAIM say of a node that is named is written and read in both forms, and nothing else says it.
func TestNaming(t *testing.T) {
	one, two, three := spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)
	base := spec.Message{From: three, To: one, Epoch: 4, Question: 9}
	for _, c := range []struct {
		change func(m *spec.Message)
		field  string // that is wrong
		size   int    // of the binary form, if none is
	}{
		{func(m *spec.Message) { m.Type, m.Names = spec.Resign, two }, "", 74},
		{func(m *spec.Message) { m.Type, m.Names, m.Hold = spec.Resign, two, spec.MaxHold }, "", 74},
		{func(m *spec.Message) { m.Type, m.Names = spec.Resign, one }, "", 74}, // its receiver
		{func(m *spec.Message) { m.Type, m.Names = spec.Claim, two }, "", 66},
		{func(m *spec.Message) { m.Type, m.Names = spec.Resign, three }, "names", 0},
		{func(m *spec.Message) { m.Type, m.Names = spec.Claim, three }, "names", 0},
		{func(m *spec.Message) { m.Type, m.Names = spec.Claim, spec.NodeID{1} }, "names", 0},
		{func(m *spec.Message) { m.Type, m.Names = spec.Heartbeat, two }, "names", 0},
		{func(m *spec.Message) {
			m.Type, m.Names, m.Granted = spec.Resign, two, spec.Granted{By: two, Epoch: 5, Question: 1}
		}, "names", 0},
		{func(m *spec.Message) { m.Type, m.Hold = spec.Resign, 5 }, "hold", 0},
		{func(m *spec.Message) { m.Type, m.Names, m.Hold = spec.Claim, two, 5 }, "hold", 0},
		{func(m *spec.Message) { m.Type, m.Names, m.Hold = spec.Resign, two, spec.MaxHold+1 }, "hold", 0},
	} {
		m := base
		c.change(&m)
		err := m.Validate()
		if c.field != "" {
			var fault *spec.FieldError
			require.ErrorAs(t, err, &fault, m)
			require.Equal(t, c.field, fault.Field, m)
			continue
		}
		require.NoError(t, err, m)
		data, err := m.MarshalBinary()
		require.NoError(t, err)
		require.Len(t, data, c.size)
		var again spec.Message
		require.NoError(t, again.UnmarshalBinary(data))
		require.Equal(t, m, again)
		text, err := json.Marshal(m)
		require.NoError(t, err)
		again = spec.Message{}
		require.NoError(t, json.Unmarshal(text, &again), string(text))
		require.Equal(t, m, again)
	}
}

// TestNamingIsRefused: bytes and texts that no writer makes.
func TestNamingIsRefused(t *testing.T) {
	m := spec.Message{Type: spec.Resign, From: spec.IntegerID(3), To: spec.IntegerID(1), Epoch: 4, Question: 9, Names: spec.IntegerID(2)}
	data, err := m.MarshalBinary()
	require.NoError(t, err)
	nobody := append([]byte{}, data...)
	nobody[spec.MessageSize+15] = 0 // names sixteen zeros
	heartbeat := append([]byte{}, data...)
	heartbeat[1] = 0x88
	for field, bytes := range map[string][]byte{"names": nobody, "type": heartbeat, "length": data[:len(data)-1]} {
		var fault *spec.FieldError
		require.ErrorAs(t, new(spec.Message).UnmarshalBinary(bytes), &fault)
		require.Equal(t, field, fault.Field)
	}
	for text, says := range map[string]string{
		`{"type":"RESIGN","from":"3","to":"1","epoch":4,"question":9,"names":null}`:         "names",
		`{"type":"RESIGN","from":"3","to":"1","epoch":4,"question":9,"names":"2","hold":0}`: "hold",
		`{"type":"RESIGN","from":"3","to":"1","epoch":4,"question":9,"hold":7}`:             "hold",
		`{"type":"ACK","from":"3","to":"1","epoch":4,"question":9,"names":"2"}`:             "names",
	} {
		require.ErrorContains(t, json.Unmarshal([]byte(text), &m), says, text)
	}
}

// TestNamingInTraces: only a call to resign names a node, and not the one that is called.
func TestNamingInTraces(t *testing.T) {
	rests := `"sent":[],"state":{"role":"follower","leader":null,"lease":0,"epoch":4,"grantee":"3","support":[],"asked":0,"latest":9}}`
	for input, says := range map[string]string{
		`"action":"Resign","input":{"call":"resign"}`:                             "",
		`"action":"Resign","input":{"call":"resign","names":"2"}`:                 "",
		`"action":"Resign","input":{"call":"resign","names":"2","hold":5000}`:     "",
		`"action":"Resign","input":{"call":"resign","names":"3"}`:                 "input.names",
		`"action":"Resign","input":{"call":"resign","hold":5000}`:                 "input.names",
		`"action":"Resign","input":{"call":"resign","names":"2","hold":86400001}`: "input.hold",
		`"action":"HolderDead","input":{"call":"holder-dead","names":"2"}`:        "input.names",
		`"action":"PatienceTimeout","input":{"timer":"patience","hold":1}`:        "input.hold",
		`"action":"Resign","input":{"call":"resign","names":"2","timer":"reign"}`: "input.timer",
	} {
		line := `{"seq":1,"node":"3",` + input + `,` + rests
		var e spec.Event
		err := json.Unmarshal([]byte(line), &e)
		if says != "" {
			require.ErrorContains(t, err, says, line)
			continue
		}
		require.NoError(t, err, line)
		again, err := json.Marshal(e)
		require.NoError(t, err)
		require.Equal(t, line, string(again))
	}
}
