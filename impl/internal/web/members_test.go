package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/spec"
)

// changer notes what it is asked for, and answers what it is told to.
type changer struct {
	asked []string
	err   error
}

func (c *changer) answer(format string, values ...any) (spec.Configuration, error) {
	c.asked = append(c.asked, fmt.Sprintf(format, values...))
	return members(5), c.err
}

func (c *changer) AddMember(_ context.Context, m spec.Member, version uint64, options ...host.ChangeOption) (spec.Configuration, error) {
	return c.answer("add %s %s %s %d %v", m.ID, m.Kind, m.Address, version, options)
}

func (c *changer) RemoveMember(_ context.Context, id spec.NodeID, version uint64, options ...host.ChangeOption) (spec.Configuration, error) {
	return c.answer("remove %s %d %v", id, version, options)
}

func (c *changer) RankMember(_ context.Context, id spec.NodeID, rank uint16, version uint64, options ...host.ChangeOption) (spec.Configuration, error) {
	return c.answer("rank %s %d %d %v", id, rank, version, options)
}

func (c *changer) ReplaceMember(_ context.Context, old spec.NodeID, m spec.Member, version uint64, options ...host.ChangeOption) (spec.Configuration, error) {
	return c.answer("replace %s %s %s %s %d %v", old, m.ID, m.Kind, m.Address, version, options)
}

// members returns a configuration of a version.
func members(version uint64) spec.Configuration {
	c, err := spec.NewConfiguration(4, version, []spec.Member{{ID: three, Kind: spec.Voter, Address: "a:1"}, {ID: five, Kind: spec.Voter, Address: "b:1"}})
	if err != nil {
		panic(err)
	}
	return c
}

// newChanging returns node 3 of changing members, which leads.
func newChanging() *fake {
	f, now := newFake(), members(4)
	f.status.Leader, f.status.Leading, f.status.Settled, f.status.Configuration, f.status.Membership = three, true, true, &now, "voter"
	return f
}

// send makes a request, and returns the status and the body of the answer.
func send(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, strings.TrimSpace(string(text))
}

func TestMembers(t *testing.T) {
	c := &changer{}
	url, _ := serve(t, newChanging(), func(config *Config) { config.Changer = c })
	code, text := send(t, http.MethodGet, url+"/members", "")
	require.Equal(t, http.StatusOK, code)
	require.Equal(t, `{"node":"3","membership":"voter","leader":"3","leading":true,"epoch":4,"settled":true,"configuration":`+
		`{"epoch":4,"version":4,"members":[{"id":"3","kind":"voter","address":"a:1"},{"id":"5","kind":"voter","address":"b:1"}]}}`, text)

	for _, body := range []string{
		`{"do":"add","id":"7","kind":"witness","address":"c:1","old":null,"version":4}`,
		`{"do":"remove","id":"5","old":null,"force":true}`,
		`{"do":"replace","id":"7","address":"c:1","old":"5"}`,
		`{"do":"rank","id":"5","rank":7,"old":null,"version":4}`,
	} {
		code, text = send(t, http.MethodPost, url+"/members", body)
		require.Equal(t, http.StatusOK, code, text)
		var end Changed
		require.NoError(t, json.Unmarshal([]byte(text), &end))
		require.Equal(t, members(5), *end.Configuration)
	}
	require.Equal(t, []string{"add 7 witness c:1 4 []", "remove 5 0 [1]", "replace 5 7  c:1 0 []", "rank 5 7 4 []"}, c.asked)

	for body, refusal := range map[string]Refusal{"": NotUnderstood, `{"does":"add"}`: NotUnderstood, `{"do":"destroy","id":"3","old":null}`: NotPossible} {
		_, text = send(t, http.MethodPost, url+"/members", body)
		require.Contains(t, text, `"error":"`+string(refusal)+`"`)
	}
	require.Len(t, c.asked, 4)

	code, text = send(t, http.MethodGet, url+"/metrics", "")
	require.Equal(t, http.StatusOK, code)
	for _, line := range []string{"bully_configuration_version 4", "bully_configuration_epoch 4", "bully_configuration_settled 1", `bully_members{kind="voter"} 2`,
		`bully_members{kind="observer"} 0`, "bully_member 1"} {
		require.Contains(t, text, "\n"+line+"\n")
	}
}

// TestMembersRefused sees that each error is told from the others, and nothing else is.
func TestMembersRefused(t *testing.T) {
	seen := map[Refusal]bool{}
	for _, r := range refusals {
		c := &changer{err: fmt.Errorf("so: %w", r.err)}
		url, _ := serve(t, newChanging(), func(config *Config) { config.Changer = c })
		code, text := send(t, http.MethodPost, url+"/members", `{"do":"remove","id":"5","old":null}`)
		require.Equal(t, r.code, code)
		var end Changed
		require.NoError(t, json.Unmarshal([]byte(text), &end))
		require.Equal(t, r.refusal, end.Refusal)
		require.Equal(t, "so: "+r.err.Error(), end.Error())
		require.Equal(t, three, end.Leader)
		require.Equal(t, members(4), *end.Configuration)
		seen[r.refusal] = true
	}
	require.Len(t, seen, 6)
	url, _ := serve(t, newChanging(), func(config *Config) { config.Changer = &changer{err: errors.New("no")} })
	code, text := send(t, http.MethodPost, url+"/members", `{"do":"remove","id":"5","old":null}`)
	require.Equal(t, http.StatusUnprocessableEntity, code)
	require.Contains(t, text, `"error":"not-possible","message":"no"`)
}

// operatorTold is what an operator is told, at once, where the server says something else.
var operatorTold = map[string]string{
	"-http-control":                      "^this node lets nobody change members by HTTP",
	"the members of this node are fixed": "^http://[0-9.:]+: its members are fixed: stop all nodes, and bully init -from-fixed",
}

// TestMembersNotAllowed: a server that may not be controlled changes nothing, and makes nobody resign; one of fixed members says that
// they are.
func TestMembersNotAllowed(t *testing.T) {
	for want, f := range map[string]*fake{"-http-control": newChanging(), "the members of this node are fixed": newFake()} {
		url, _ := serve(t, f, func(config *Config) {
			if config.Control = false; want == "-http-control" {
				config.Changer = &changer{}
			}
		})
		code, text := send(t, http.MethodPost, url+"/resign", "")
		require.Equal(t, http.StatusForbidden, code)
		require.Contains(t, text, "-http-control")
		require.Zero(t, f.asked)
		code, text = send(t, http.MethodPost, url+"/members", `{"do":"remove","id":"5","old":null}`)
		require.Equal(t, http.StatusForbidden, code)
		require.Contains(t, text, want)
		code, _ = send(t, http.MethodGet, url+"/members", "")
		require.Equal(t, http.StatusOK, code)
		said := 0
		err := (&Operator{Nodes: []string{url}, Say: func(string) { said++ }}).CarryOut(bounded(t), Change{Do: "remove", ID: five})
		require.Error(t, err)
		require.Regexp(t, operatorTold[want], err.Error())
		require.Zero(t, said, "it is asked once")
	}
	url, _ := serve(t, newChanging(), func(config *Config) { config.Changer = &changer{} })
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/members", strings.NewReader(`{"do":"remove","id":"5","old":null}`))
	require.NoError(t, err)
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusForbidden, response.StatusCode, "a page of another origin in a browser")

	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			http.Error(w, "not by this proxy", http.StatusForbidden)
			return
		}
		http.Redirect(w, r, url+r.URL.Path, http.StatusFound)
	}))
	t.Cleanup(proxy.Close)
	require.EqualError(t, (&Operator{Nodes: []string{proxy.URL}}).CarryOut(bounded(t), Change{Do: "remove", ID: five}), "not by this proxy")
}

// bounded returns a context for an operator that is to be told something at once: one that asks again and again for that ends too, with another error.
func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// TestOperator follows a hand-over, and does what is left of a change whose outcome is not known.
func TestOperator(t *testing.T) {
	old, next := newChanging(), newChanging()
	first, second := &changer{err: host.ErrHandedOver}, &changer{}
	next.status.ID, next.status.Leader, next.status.Leading, next.status.Epoch = five, three, false, 4
	one, _ := serve(t, old, func(config *Config) { config.Changer, config.Views = first, nil })
	two, _ := serve(t, next, func(config *Config) { config.Changer, config.Views = second, nil })
	var said []string
	o := Operator{Nodes: []string{one, two, "http://127.0.0.1:1"}, Say: func(text string) {
		said = append(said, text)
		old.status.Leading, next.status.Leading, next.status.Leader = false, true, five
	}}
	require.NoError(t, o.CarryOut(t.Context(), Change{Do: "replace", Old: three, ID: spec.IntegerID(7), Address: "c:1", Version: 4}))
	require.Equal(t, []string{"replace 3 7  c:1 4 []"}, first.asked)
	require.Equal(t, []string{"remove 3 4 []"}, second.asked)
	require.Equal(t, []string{"node 3, which led, has handed over"}, said)

	second.err = &host.MembersError{Why: host.ErrOutcomeUnknown}
	err := o.CarryOut(t.Context(), Change{Do: "remove", ID: spec.IntegerID(9), Version: 4})
	why, ok := errors.AsType[*Changed](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, Unknown, why.Refusal, "where a version is expected that is for the caller to find out")
	require.NoError(t, o.CarryOut(t.Context(), Change{Do: "remove", ID: spec.IntegerID(9)}), "it is no member: nothing is left")
	second.err = host.ErrWouldLoseQuorum
	require.Error(t, o.CarryOut(t.Context(), Change{Do: "remove", ID: three}))
}

// TestOperatorGivesUp: who gives up before the leader has answered, as when the node that is to vote does not run, is told where to look.
func TestOperatorGivesUp(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	url, _ := serve(t, newChanging(), func(config *Config) { config.Changer = hangs{&changer{}, stop} })
	o := Operator{Nodes: []string{url}}
	err := o.CarryOut(ctx, Change{Do: "add", ID: spec.IntegerID(7), Address: "c:1"})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "node 3, which leads, has not said in time what has come of it (context canceled): bully member list shows it")
}

// hangs adds no member before who asks has given up.
type hangs struct {
	*changer
	giveUp func()
}

func (h hangs) AddMember(ctx context.Context, m spec.Member, version uint64, options ...host.ChangeOption) (spec.Configuration, error) {
	h.giveUp()
	<-ctx.Done()
	return h.changer.AddMember(ctx, m, version, options...)
}

// TestNewest: of those who say that they lead the one of the highest epoch does, in whatever order they are asked: another has not
// heard of it yet. Where none leads, the newest configuration counts.
func TestNewest(t *testing.T) {
	at := func(e spec.Epoch, leads bool) string {
		f := newChanging()
		f.status.Epoch, f.status.Leading = e, leads
		c := f.status.Configuration.At(e, f.status.Configuration.Version)
		f.status.Configuration = &c
		url, _ := serve(t, f, func(config *Config) { config.Views = nil })
		return url
	}
	old, now, newer := at(4, true), at(5, true), at(6, false)
	for _, nodes := range [][]string{{old, now, newer}, {now, old, newer}, {newer, now, old}, {newer, old, now}} {
		best, err := (&Operator{Nodes: nodes}).Newest(t.Context())
		require.NoError(t, err)
		require.Equal(t, now, best.URL)
	}
	best, err := (&Operator{Nodes: []string{newer, at(5, false)}}).Newest(t.Context())
	require.NoError(t, err)
	require.Equal(t, newer, best.URL)
}

func TestLeft(t *testing.T) {
	seven := spec.IntegerID(7)
	there := Change{Do: "add", ID: five, Address: "b:1"}
	for name, test := range map[string]struct{ change, left Change }{
		"added":                   {there, Change{}},
		"of another kind":         {Change{Do: "add", ID: five, Address: "b:1", Kind: spec.Witness}, Change{Do: "add", ID: five, Address: "b:1", Kind: spec.Witness}},
		"ranked":                  {Change{Do: "rank", ID: five}, Change{}},
		"not ranked":              {Change{Do: "rank", ID: five, Rank: 7}, Change{Do: "rank", ID: five, Rank: 7}},
		"added with a rank":       {Change{Do: "add", ID: five, Rank: 7, Address: "b:1"}, Change{Do: "add", ID: five, Rank: 7, Address: "b:1"}},
		"removed":                 {Change{Do: "remove", ID: seven}, Change{}},
		"not removed":             {Change{Do: "remove", ID: five}, Change{Do: "remove", ID: five}},
		"replaced":                {Change{Do: "replace", Old: seven, ID: five, Address: "b:1"}, Change{}},
		"removed, and not added":  {Change{Do: "replace", Old: seven, ID: five, Address: "c:1"}, Change{Do: "add", ID: five, Address: "c:1"}},
		"added, and not removed":  {Change{Do: "replace", Old: three, ID: five, Address: "b:1"}, Change{Do: "replace", Old: three, ID: five, Address: "b:1"}},
		"neither of both is done": {Change{Do: "replace", Old: three, ID: seven, Address: "c:1"}, Change{Do: "replace", Old: three, ID: seven, Address: "c:1"}},
	} {
		require.Equal(t, test.left, test.change.left(members(4)), name)
	}
}
