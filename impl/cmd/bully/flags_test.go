package main

import (
	"flag"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/spec"
)

// understood returns the settings of a node with good flags, changed by more.
func understood(t testing.TB, environment map[string]string, more ...string) (settings, error) {
	t.Helper()
	p := program{cli.Program{Out: io.Discard, Log: io.Discard, Getenv: func(name string) string { return environment[name] }}}
	var f nodeFlags
	flags := p.Flags("run")
	f.define(flags)
	require.NoError(t, p.ParseSome(flags, append([]string{"-id", "2", "-cluster", "c", "-members", "1=127.0.0.1:7001,2=localhost:7001, 10=[::1]:7002", "-data", "d"}, more...), cli.Manual{}))
	return p.settings(&f, flags)
}

func TestSettings(t *testing.T) {
	t.Parallel()
	s, err := understood(t, nil)
	require.NoError(t, err)
	require.Equal(t, spec.IntegerID(2), s.id)
	require.Equal(t, []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(10)}, s.members)
	require.Equal(t, "[::1]:7002", s.addresses[spec.IntegerID(10)])
	require.Equal(t, host.LAN(), s.timing)
	require.Nil(t, s.own, "without -tls-cert there is no certificate")
	require.False(t, s.noProof, "a node takes a refused connection for a proof by default")

	s, err = understood(t, nil, "-profile", "wan", "-preempt", "never", "-http", ":8001", "-view", "1=http://a:8001,2=https://b")
	require.NoError(t, err)
	require.Equal(t, host.WAN().Patience, s.timing.Patience)
	require.Negative(t, s.timing.Preempt)
	require.Equal(t, "https://b", s.views[spec.IntegerID(2)])
	s, err = understood(t, nil, "-preempt", "now")
	require.NoError(t, err)
	require.Zero(t, s.timing.Preempt, "-preempt now")
	s, err = understood(t, nil, "-preempt", "5s")
	require.NoError(t, err)
	require.Equal(t, 5*time.Second, s.timing.Preempt)
	for want, flags := range map[bool][]string{false: {"-socket", "s"}, true: {"-socket", "s", "-no-proof"}} { // a program that outlives its node holds its address
		s, err = understood(t, nil, flags...)
		require.NoError(t, err)
		require.Equal(t, want, s.noProof)
	}
	s, err = understood(t, nil, "-profile", "30ms")
	require.NoError(t, err)
	require.Equal(t, host.TimingFor(30*time.Millisecond), s.timing)
}

// TestEnvironment sees that every flag can be given in the environment, and that a flag wins.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	s, err := understood(t, map[string]string{"BULLY_ID": "1", "BULLY_CLUSTER": "c", "BULLY_TRACE_BYTES": "77", "BULLY_NO_PROOF": "true"})
	require.NoError(t, err)
	require.Equal(t, spec.IntegerID(2), s.id, "given by a flag")
	require.Equal(t, "c", s.cluster)
	require.EqualValues(t, 77, s.traceBytes)
	require.True(t, s.noProof, "BULLY_NO_PROOF=true is -no-proof")
	_, err = understood(t, map[string]string{"BULLY_TRACE_BYTES": "many"})
	require.ErrorContains(t, err, `BULLY_TRACE_BYTES="many": `)
	require.ErrorAs(t, err, &cli.UsageError{})

	var f nodeFlags
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	f.define(flags)
	flags.VisitAll(func(g *flag.Flag) {
		require.NoError(t, fromEnvironment(flags, func(name string) string {
			if name != variable(g.Name) {
				return ""
			}
			switch g.DefValue {
			case "false":
				return "1"
			case "true":
				return "0"
			}
			return "7"
		}))
		require.NotEqual(t, g.DefValue, g.Value.String(), g.Name)
	})
}

// TestSettingsRefused sees that each wrong flag is named, with what is wrong.
func TestSettingsRefused(t *testing.T) {
	t.Parallel()
	for want, more := range map[string][]string{
		"-id is missing: give it as in -id 3, or in BULLY_ID":             {"-id", ""},
		"-members is missing: ":                                           {"-members", ""},
		"-cluster is missing: ":                                           {"-cluster", ""},
		`-cluster: "a/b" is not 1 to 64 characters`:                       {"-cluster", "a/b"},
		"node 1 is at a:1, which is no loopback address: give -tls-cert":  {"-members", "1=a:1,2=127.0.0.1:1"},
		"this node listens at :7001, which is no loopback address":        {"-listen", ":7001"},
		"-believe is for members that come and go":                        {"-believe", "4"},
		"-insecure: links are not plain with -tls-":                       {"-insecure", "-tls-ca", "x"},
		"-data is missing: ":                                              {"-data", ""},
		`-id: node id: "x" is neither`:                                    {"-id", "x"},
		"-id: node 7 is not one of -members, which are [1 2 10]":          {"-id", "7"},
		`-members: "1" has no =: give id=address`:                         {"-members", "1"},
		`-members: node id: "01" has a leading zero`:                      {"-members", "01=a:1"},
		"-members: node 1 is there twice":                                 {"-members", "1=a:1,1=b:1"},
		`-http: "a" is no address: give host:port`:                        {"-http", "a"},
		`-http: the port in "a:99999" is not a number from 1 to 65535`:    {"-http", "a:99999"},
		`-members: node 1: "a" is no address: give host:port`:             {"-members", "1=a"},
		`-members: node 1: the port in "a:0" is not a number from 1 to`:   {"-members", "1=a:0"},
		`-members: node 1: the port in "a:http" is not`:                   {"-members", "1=a:http"},
		"-members: nodes 1 and 2 have the same address a:1: each needs":   {"-members", "1=a:1,2=a:1"},
		`-profile: unknown "lam"; did you mean lan`:                       {"-profile", "lam"},
		"(there are local, lan, busy, wan and delays such as 30ms)":       {"-profile", "fast"},
		"-profile: 0s is no delay that timers can be made for":            {"-profile", "0s"},
		"-profile: 20h0m0s is no delay that timers can be made for":       {"-profile", "20h"},
		`-preempt: "soon" is no length of time: give 5s, 500ms, now or `:  {"-preempt", "soon"},
		`-preempt: "-1s" is no length of time`:                            {"-preempt", "-1s"},
		"-preempt: is 9000h0m0s, but must be at most":                     {"-preempt", "9000h"},
		`-view: node 1: "a:1" is no address of a page: give http://`:      {"-http", ":1", "-view", "1=a:1"},
		`-view: node 1: "http://a/x" is no address of a page`:             {"-http", ":1", "-view", "1=http://a/x"},
		`-view: node 1: "http://a;b" is no address of a page`:             {"-http", ":1", "-view", "1=http://a;b"},
		"-view: node 3 is not one of -members":                            {"-http", ":1", "-view", "3=http://a"},
		"-view says where pages are, but -http is missing":                {"-view", "1=http://a"},
		"-http-control says who may use -http, which is missing":          {"-http-control"},
		"-socket: give the path of the socket":                            {"-socket", ""},
		"there is no record in d, and no -id":                             {"-id", "", "-cluster", "", "-members", ""},
		`-listen: "here" is no address`:                                   {"-listen", "here"},
		`-log: unknown "jsno"; did you mean json? (there are text and js`: {"-log", "jsno"},
		`-log-level: unknown "loud" (there are debug, info, warn and er`:  {"-log-level", "loud"},
		"-trace-bytes and -trace-files cannot be negative":                {"-trace-files", "-1"},
		"-tls-cert, -tls-key and -tls-ca: give all three, or none":        {"-tls-ca", "x"},
	} {
		_, err := understood(t, nil, more...)
		require.ErrorContains(t, err, want, more)
		require.ErrorAs(t, err, &cli.UsageError{}, more)
	}
}
