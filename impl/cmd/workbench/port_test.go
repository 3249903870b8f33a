package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/kit/suites"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/conformance/vectors"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
)

// TestPortIsBronze puts the core through what ports in other languages are put through first, and through one case each of what comes
// after that. All of it is in make ports.
func TestPortIsBronze(t *testing.T) {
	t.Parallel()
	cases := slices.Concat(kit.Loop(), vectors.Cases(), suites.Fence()[:1], suites.Fixed.Cuts()[:1], suites.Fixed.Sim(1, 10),
		suites.Changing.Cuts()[:1], suites.Changing.Sim(1, 5))
	report, err := kit.Run(t.Context(), cases, kit.Options{Port: port.Config{Serve: servePort}})
	require.NoError(t, err)
	require.Equal(t, port.Identity{Name: "bully", Version: "2.0", Language: "Go"}, report.Port)
	for _, v := range report.Verdicts {
		require.Equal(t, kit.Pass, v.Outcome, v.Explain(""))
	}
	require.Greater(t, len(report.Verdicts), 500)
}

// TestPortThatLies sees the same cases fail: another replies for the core, in one word.
func TestPortThatLies(t *testing.T) {
	t.Parallel()
	lies := func(r io.Reader, w io.Writer) error {
		return servePort(r, writer(func(text []byte) (int, error) {
			_, err := io.WriteString(w, strings.ReplaceAll(string(text), `"send":{"type":"REFUSE"`, `"send":{"type":"OK"`))
			return len(text), err
		}))
	}
	report, err := kit.Run(t.Context(), vectors.Cases(), kit.Options{Port: port.Config{Serve: lies}})
	require.NoError(t, err)
	failed, _ := report.Failed()
	require.Greater(t, failed, 20)
}

type writer func(text []byte) (int, error)

func (w writer) Write(text []byte) (int, error) { return w(text) }

// TestPortAnswersAll answers what no kit asks.
func TestPortAnswersAll(t *testing.T) {
	t.Parallel()
	for request, says := range map[string]string{
		"nonsense":            `{"id":null,"error":"this is no request`,
		`{"id":7,"op":5}`:     `{"id":7,"error":"this is no request`,
		`{"id":7,"op":"fly"}`: `{"id":7,"unsupported":"there is no op \"fly\""}`,
		`{"id":7,"op":"start","node":"a","members":["1"]}`:                                                                 "me, is missing",
		`{"id":7,"op":"start","node":"a","me":"1","members":["2","1"]}`:                                                    "must be ascending",
		`{"id":7,"op":"start","node":"a","me":"3","members":["1","2"]}`:                                                    "me must be one of them",
		`{"id":7,"op":"restart","node":"a","me":"1","members":["1","2"],"promise":{"epoch":1,"grantee":"3","reserved":0}}`: "to a non-member",
		`{"id":7,"op":"load","node":"a","me":"1","members":["1"],"state":{"role":"leader","leader":"1","lease":0,"epoch":0,"grantee":"1","support":[],"asked":0,"latest":2,"dated":2,"answered":[]}}`:                                                                        "no input leads to it",
		`{"id":7,"op":"receive","node":"a","message":{"type":"OK","from":"2","to":"1","epoch":1,"question":1}}`:                                                                                                                                                              "has not started",
		`{"id":7,"op":"start","node":"a","me":"2","configuration":{"epoch":0,"version":1,"members":[{"id":"1","kind":"voter"}]}}`:                                                                                                                                            "me must be a member of the first configuration",
		`{"id":7,"op":"start","node":"a","me":"2","configuration":{"epoch":0,"version":0,"members":[]}}`:                                                                                                                                                                     `"configuration":{"epoch":0,"version":0,"members":[]}}}],"state"`,
		`{"id":7,"op":"load","node":"a","me":"1","state":{"role":"candidate","leader":null,"lease":0,"epoch":1,"grantee":null,"support":[],"asked":2,"latest":2,"configuration":{"epoch":1,"version":1,"members":[{"id":"1","kind":"witness"},{"id":"2","kind":"voter"}]}}}`: "R46: a candidate and a claimant are voters",
		`{"id":7,"op":"write","resource":"a","epoch":-1,"value":"x"}`:                                                                                                                                                                                                        "negative",
		`{"id":7,"op":"start","node":"a","me":"1","members":["1"]}` + "\n" + `{"id":8,"op":"receive","node":"a"}`:                                                                                                                                                            `{"id":8,"error":"the message is missing"}`,
		`{"id":7,"op":"write","resource":"a","value":"x"}` + "\n" + `{"id":8,"op":"read","resource":"a"}`:                                                                                                                                                                    `{"id":8,"highest":0,"value":"x"}`,
		`{"id":7,"op":"write","resource":"a","epoch":2,"value":"x"}` + "\n" + `{"id":8,"op":"write","resource":"a","value":"y"}`:                                                                                                                                             `{"id":8,"admitted":false,"highest":2}`,
		`{"id":7,"op":"bye"}` + "\n" + `{"id":8,"op":"bye"}`:                                                                                                                                                                                                                 `{"id":7,"ok":true}`,
		`{"id":7,"op":"reset"}` + "\n" + `{"id":8,"op":"rese`:                                                                                                                                                                                                                `{"id":7,"ok":true}`,
		`{"id":7,"op":"start","node":"a","me":"1","members":["` + strings.Join(slices.Repeat([]string{"1"}, port.MaxMembers+1), `","`) + `"]}`:                                                                                                                               "there are 65 members",
	} {
		var out strings.Builder
		end := "\n"
		if strings.HasSuffix(request, "rese") {
			end = ""
		}
		require.NoError(t, servePort(strings.NewReader(request+end), &out))
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		require.Contains(t, lines[len(lines)-1], says, request)
	}
}

func TestPortUsage(t *testing.T) {
	t.Parallel()
	status, _, log := workbench(t, "port", "--", "python3")
	require.Equal(t, cli.Misused, status)
	require.Contains(t, log, "workbench port: port takes no arguments")
	_, out, _ := workbench(t, "help", "port")
	require.Contains(t, out, "bullytest test -level gold -- workbench port")
}
