package port_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// TestForm asks what is not of the form of a request (conformance/CERTIFYING.md, The loop, 5): that is an error, whatever it is asked of, and
// what names a timer or a call that there is not is ignored. Nothing changes the node, and nothing ends the port.
func TestForm(t *testing.T) {
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	for request, want := range map[string]string{
		`x`:                              "error",
		``:                               "error",
		`[]`:                             "error",
		`{"id":2,"op":3}`:                "error",
		`{"id":2}`:                       "unsupported",
		`{"id":2,"op":"dance"}`:          "unsupported",
		`{"id":2,"op":"end"}`:            "error",
		`{"id":2,"op":"call"}`:           "error",
		`{"id":2,"op":"start"}`:          "error",
		`{"id":2,"op":"end","node":"a"}`: "error",
		`{"id":2,"op":"end","node":"a","timer":null}`:                                       "error",
		`{"id":2,"op":"end","node":"a","timer":7}`:                                          "error",
		`{"id":2,"op":"end","node":"a","timer":""}`:                                         "ignored",
		`{"id":2,"op":"end","node":"a","timer":"alarm"}`:                                    "ignored",
		`{"id":2,"op":"call","node":"a"}`:                                                   "error",
		`{"id":2,"op":"call","node":"a","call":null}`:                                       "error",
		`{"id":2,"op":"call","node":"a","call":["resign"]}`:                                 "error",
		`{"id":2,"op":"call","node":"a","call":"dance"}`:                                    "ignored",
		`{"id":2,"op":"call","node":"a","call":"change"}`:                                   "ignored",
		`{"id":2,"op":"receive","node":"a"}`:                                                "error",
		`{"id":2,"op":"receive","node":"a","message":null}`:                                 "ignored",
		`{"id":2,"op":"receive","node":"a","message":` + deep + `}`:                         "ignored",
		`{"id":2,"op":"receive","node":"a","message":"` + strings.Repeat("x", 2<<20) + `"}`: "ignored",
		`{"id":2,"op":"restart","node":"a","me":"2","members":["1","2"]}`:                   "error",
		`{"id":2,"op":"write","resource":"r","epoch":-1}`:                                   "error",
	} {
		before := `{"id":1,"op":"start","node":"a","me":"2","members":["1","2"]}`
		var out strings.Builder
		err := port.Serve(strings.NewReader(before+"\n"+request+"\n"+`{"id":3,"op":"end","node":"a","timer":"heartbeat"}`+"\n"), &out, model())
		require.NoError(t, err)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		require.Len(t, lines, 3, request)
		replies := make([]map[string]json.RawMessage, len(lines))
		for k := range lines {
			require.NoError(t, json.Unmarshal([]byte(lines[k]), &replies[k]))
		}
		require.Contains(t, replies[1], want, "%.200s: %s", request, lines[1])
		require.Contains(t, replies[2], "ignored", "it goes on")
		require.JSONEq(t, string(replies[0]["state"]), string(replies[2]["state"]), request)
	}
}

// TestRepliesAreSpelt refuses replies whose fields are there twice, or in other letters than they have; white space and a CR are no matter.
func TestRepliesAreSpelt(t *testing.T) {
	for _, c := range []struct{ old, with, says string }{
		{`"id":`, `"id":7,"id":`, `the field "id" is there twice`},
		{`"state":`, `"state":null,"state":`, `the field "state" is there twice`},
		{`"save":`, `"save":null,"save":`, `the field "save" is there twice`},
		{`"effects":`, `"Effects":`, `there is no field "Effects": names are as conformance/CERTIFYING.md spells them`},
		{`"effects":`, `"effect\u0073":`, `there is no field "effect\u0073"`},
		{`{"arm":`, `{"ARM":`, `there is no field "ARM"`},
		{`"features":["fence","members","names"]`, `"features":["fence","fence"]`, `"features" has "fence" twice`},
		{`"features":["fence","members","names"]`, `"features":["fly"]`, `"features" has "fly": there are fence, members, names`},
		{`,"features":["fence","members","names"]`, ``, ""},
		{`,"state":`, " , \t\"state\" : ", ""},
		{"}\n", "}\r\n", ""},
	} {
		err := first(t, c.old, c.with)
		if c.says == "" {
			require.NoError(t, err, c.with)
		} else {
			require.ErrorContains(t, err, c.says, c.with)
		}
	}
}

// first starts a node of a port whose output is changed.
func first(t *testing.T, old, with string) error {
	p, err := port.Start(t.Context(), port.Config{Serve: func(in io.Reader, out io.Writer) error {
		return port.Serve(in, replacing{out, old, with}, model())
	}})
	if err != nil {
		return err
	}
	defer p.Close()
	ids := []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2)}
	_, err = p.Ask(&port.Request{Op: port.Begin, Node: "a", Me: &ids[0], Members: ids})
	return err
}

// replacing changes what is written.
type replacing struct {
	io.Writer
	old, with string
}

func (r replacing) Write(b []byte) (int, error) {
	_, err := r.Writer.Write(bytes.ReplaceAll(b, []byte(r.old), []byte(r.with)))
	return len(b), err
}
