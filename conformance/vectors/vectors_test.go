package vectors

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// What there is, pinned: another number, or another digest, is meant or wrong. Ids are never changed: only new ones come.
const (
	pinnedCases    = 1036
	pinnedRequests = 9339
	pinnedDigest   = "f10442017d4b8f2219cc1cd057abc33f59661be1756e1c1599c436a0bb3445e3"
)

func TestPinned(t *testing.T) {
	m := &all().manifest
	require.Equal(t, pinnedCases, m.Cases, "if the change is meant, pin the new number")
	require.Equal(t, pinnedRequests, m.Asked, "if the change is meant, pin the new number")
	require.Equal(t, pinnedDigest, Digest(), "if only new cases have come, pin the new digest")
	require.Len(t, Cases(), pinnedCases)
	require.Equal(t, spec.Version, m.Spec)
}

// TestEachRuleHasVectors compares the vectors with the index of the specification, in both directions.
func TestEachRuleHasVectors(t *testing.T) {
	require.NoError(t, rulesAndVectors(spec.Rules(), All(), unshown))
}

// rulesAndVectors says which rules have no vector named after them, which vectors no rule, and which excuses are none.
func rulesAndVectors(rules []spec.Rule, vectors []*Vector, excused map[string]string) error {
	var errs []error
	exists := func(name string) bool {
		return slices.ContainsFunc(rules, func(r spec.Rule) bool { return r.Name == name })
	}
	for _, r := range rules {
		named := slices.ContainsFunc(vectors, func(v *Vector) bool { return strings.HasPrefix(v.Case, r.Name+"-") })
		_, excuse := excused[r.Name]
		switch {
		case !named && !excuse:
			errs = append(errs, fmt.Errorf("%s has no vector, and unshown.go does not say why", r.Name))
		case named && excuse:
			errs = append(errs, fmt.Errorf("%s has a vector: take it off the table in unshown.go", r.Name))
		}
	}
	for _, v := range vectors {
		for _, rule := range v.Rules {
			if !exists(rule) {
				errs = append(errs, fmt.Errorf("%s is about %s, which is no rule", v.Case, rule))
			}
		}
	}
	for part := range excused {
		rule, number, isPart := strings.Cut(part, ".")
		k := slices.IndexFunc(rules, func(r spec.Rule) bool { return r.Name == rule })
		if k < 0 || isPart && !regexp.MustCompile(`(?m)^`+number+`\. `).MatchString(rules[k].Text) {
			errs = append(errs, fmt.Errorf("unshown.go excuses %s, which there is not", part))
		}
	}
	return errors.Join(errs...)
}

// TestRulesAndVectorsAreCompared breaks each direction.
func TestRulesAndVectorsAreCompared(t *testing.T) {
	named := func(id string, rules ...string) *Vector { return &Vector{Header: Header{Case: id, Rules: rules}} }
	rules := []spec.Rule{{Name: "R1", Text: "1. one\n2. two"}, {Name: "R2"}}
	require.NoError(t, rulesAndVectors(rules, []*Vector{named("R1-a", "R1")}, map[string]string{"R2": "", "R1.2": ""}))
	require.ErrorContains(t, rulesAndVectors(rules, []*Vector{named("R1-a", "R1")}, nil), "R2 has no vector")
	require.ErrorContains(t, rulesAndVectors(rules, []*Vector{named("R1-a", "R1"), named("R2-a", "R3")}, nil), "R2-a is about R3")
	require.ErrorContains(t, rulesAndVectors(rules[:1], []*Vector{named("R1-a", "R1")}, map[string]string{"R1": ""}), "take it off")
	require.ErrorContains(t, rulesAndVectors(rules[:1], []*Vector{named("R1-a", "R1")}, map[string]string{"R1.3": ""}), "R1.3, which there is not")
}

// TestModelPasses runs all vectors on the model, in one program, and with one for each node.
func TestModelPasses(t *testing.T) {
	for _, isolate := range []bool{false, true} {
		report, err := kit.Run(t.Context(), Cases(), kit.Options{Port: port.Config{Serve: serve, Isolate: isolate}})
		require.NoError(t, err)
		require.Len(t, report.Verdicts, pinnedCases)
		for i := range report.Verdicts {
			v := &report.Verdicts[i]
			require.Equal(t, kit.Pass, v.Outcome, v.Explain(""))
			require.GreaterOrEqual(t, v.Requests, uint64(2*len(Named(v.Case).Steps)), "each is asked twice")
		}
	}
}

// TestAnswersMatter changes each reply of the model in some way: the vector notices, whatever it is.
func TestAnswersMatter(t *testing.T) {
	for name, spoil := range map[string]func(r *port.Reply) bool{
		"state.epoch": func(r *port.Reply) bool { r.State.Epoch ^= 1; return true },
		"state.role": func(r *port.Reply) bool {
			r.State.Role = spec.Roles()[(slices.Index(spec.Roles(), r.State.Role)+1)%5]
			return true
		},
		"state.leader":  func(r *port.Reply) bool { r.State.Leader = spec.IntegerID(77); return true },
		"state.grantee": func(r *port.Reply) bool { r.State.Grantee = spec.IntegerID(77); return true },
		"state.support": func(r *port.Reply) bool { r.State.Support = append(r.State.Support, spec.IntegerID(77)); return true },
		"state.lease":   func(r *port.Reply) bool { r.State.Lease ^= 1; return r.State.Lease > 1 },
		"state.asked":   func(r *port.Reply) bool { r.State.Asked ^= 1; return r.State.Asked > 1 },
		"state.latest":  func(r *port.Reply) bool { r.State.Latest++; return true },
		"state.dated":   func(r *port.Reply) bool { r.State.Dated++; return true },
		"state.answered": func(r *port.Reply) bool {
			r.State.Answered = append(r.State.Answered, spec.Answered{Node: spec.IntegerID(77), Question: 1})
			return true
		},
		"state.configuration": func(r *port.Reply) bool {
			c := &r.State.Configuration
			*c = c.At(c.Epoch, c.Version+1)
			return !c.IsNone()
		},
		"step":          func(r *port.Reply) bool { r.Ignored = "no"; return true },
		"effects: save": without(func(e *port.Effect) bool { return e.Save != nil }),
		"effects: over": without(func(e *port.Effect) bool { return e.Over != nil }),
		"effects: arm":  without(func(e *port.Effect) bool { return e.Arm != "" }),
		"effects: send": without(func(e *port.Effect) bool { return e.Send != nil }),
		"effects: tell": without(func(e *port.Effect) bool { return e.Tell != nil }),
	} {
		spoiled := 0
		for _, v := range All() {
			if v.Suite == "clusters" {
				continue // they are longer, and say it all again
			}
			require.NoError(t, v.parse())
			for k, s := range v.Steps {
				q, want := v.parsed[k].request, v.parsed[k].reply
				if want.State == nil || want.Ignored != "" || q.Op == port.Load {
					continue
				}
				_, got, err := s.parse()
				require.NoError(t, err)
				rule, problem := differs(q, want, got)
				require.Empty(t, rule+problem)
				if !spoil(got) {
					continue
				}
				spoiled++
				_, problem = differs(q, want, got)
				require.Contains(t, problem, name, s.Request)
			}
		}
		require.Greater(t, spoiled, 40, name)
	}
}

// without takes the first effect of a kind away.
func without(is func(*port.Effect) bool) func(*port.Reply) bool {
	return func(r *port.Reply) bool {
		for k := range r.Effects {
			if is(&r.Effects[k]) {
				r.Effects = slices.Delete(r.Effects, k, k+1)
				return true
			}
		}
		return false
	}
}

// TestWhatIsTheSame shows which replies are as good as the one in the file, and which are not.
func TestWhatIsTheSame(t *testing.T) {
	const state = `"state":{"role":"leader","leader":"2","lease":0,"epoch":4,"grantee":"2","support":[],"asked":0,"latest":6,"dated":6,"answered":[]}`
	q := &port.Request{Op: port.End, Timer: spec.ClaimTimer}
	const right = `{"id":3,"effects":[{"save":{"epoch":4,"grantee":"2","reserved":1048576}},{"cancel":"claim"},{"arm":"reign"},{"arm":"heartbeat"},` +
		`{"send":{"type":"COORDINATOR","from":"2","to":"1","epoch":4,"question":6}},{"send":{"type":"COORDINATOR","from":"2","to":"3","epoch":4,"question":6}},{"tell":{"leader":"2","epoch":4}}],` + state + `}`
	for other, want := range map[string]string{
		right: "",
		strings.Replace(right, `{"cancel":"claim"},{"arm":"reign"},{"arm":"heartbeat"}`, `{"arm":"heartbeat"},{"arm":"reign"},{"cancel":"claim"}`, 1): "",
		strings.Replace(right, `{"cancel":"claim"},`, ``, 1):                                                                                          "",
		strings.Replace(right, `"id":3`, `"id":3,"colour":"blue"`, 1):                                                                                 "",
		strings.Replace(right, `{"arm":"heartbeat"},`, `{"arm":"heartbeat"},{"arm":"election"},`, 1):                                                  "R36 effects: arm: expected",
		strings.Replace(right, `{"cancel":"claim"}`, `{"cancel":"patience"}`, 1):                                                                      "R36 effects: cancel: expected",
		strings.Replace(right, `"to":"1"`, `"to":"4"`, 1):                                                                                             "effects: send number 1: expected 2→1",
		strings.NewReplacer(`"to":"1"`, `"to":"3"`, `"to":"3"`, `"to":"1"`).Replace(right):                                                            "effects: send number 1: expected 2→1",
		strings.Replace(right, `,{"tell":{"leader":"2","epoch":4}}`, `,{"tell":{"leader":"2","epoch":5}}`, 1):                                         "R39 effects: tell: expected",
		strings.Replace(right, `{"save":{"epoch":4,"grantee":"2","reserved":1048576}},`, ``, 1):                                                       "R4 effects: save is missing",
		strings.Replace(right, `{"save":{"epoch":4,"grantee":"2","reserved":1048576}},`, `{"save":{"epoch":4,"grantee":"1","reserved":1048576}},`, 1): "R4 effects: save: expected",
		`{"id":3,"effects":[{"arm":"heartbeat"},{"save":{"epoch":4,"grantee":"2","reserved":1048576}},` + right[strings.Index(right, `{"cancel"`):]:   "R4 effect 2, save, comes too late, after effect 1, arm heartbeat",
		strings.Replace(right, `"epoch":4,"grantee":"2","support"`, `"epoch":5,"grantee":"2","support"`, 1):                                           "state.epoch: expected 4, got 5",
		strings.Replace(right, `"reserved":1048576`, `"reserved":2097152`, 1):                                                                         "R4 effects: save: expected",
		strings.Replace(right, `"question":6`, `"question":5`, 1):                                                                                     "effects: send number 1: expected 2→1",
		`{"id":3,"ignored":"I will not",` + state + `}`:                                                                                               "a step is expected; got none: I will not",
		`{"id":3,"error":"oh"}`:          "it has failed: oh",
		`{"id":3,"unsupported":"later"}`: "does not support this: later",
	} {
		var wanted, got port.Reply
		require.NoError(t, json.Unmarshal([]byte(right), &wanted))
		require.NoError(t, json.Unmarshal([]byte(other), &got), other)
		rule, problem := differs(q, &wanted, &got)
		if want == "" {
			require.Empty(t, rule+problem, other)
		} else {
			require.Contains(t, strings.TrimSpace(rule+" "+problem), want, other)
		}
	}
}

// wrong is the model, but for one thing.
func wrong(change func(c *conformance.Case, out *spec.Step)) func(io.Reader, io.Writer) error {
	i := model()
	i.Make = conformance.NodeOf(func() conformance.Subject { return &changed{change: change} })
	i.Load = func(id spec.NodeID, members []spec.NodeID, s spec.State) (conformance.Node, error) {
		return conformance.NodeIn(&changed{change: change}, id, members, s), nil
	}
	return func(r io.Reader, w io.Writer) error { return port.Serve(r, w, i) }
}

type changed struct {
	model  conformance.Model
	change func(c *conformance.Case, out *spec.Step)
}

func (s *changed) Step(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) spec.Step {
	c := &conformance.Case{ID: id, Members: members, Before: before, Input: in}
	out := s.model.Step(id, members, before, in)
	c.Want = out
	s.change(c, &out)
	return out
}

// TestRightRuleIsBlamed refuses ports that break one rule, and says which.
func TestRightRuleIsBlamed(t *testing.T) {
	for rule, change := range map[string]func(c *conformance.Case, out *spec.Step){
		"R17": func(c *conformance.Case, out *spec.Step) { // grants its own epoch to two
			m := c.Input.Message
			if m.Type == spec.Claim && m.Epoch == c.Before.Epoch && !out.Ignored && c.Before.Role != spec.Leader && c.Before.Leader.IsNone() {
				out.State = spec.State{Role: spec.Electing, Leader: m.From, Epoch: m.Epoch, Grantee: m.From}
				out.Sent = []spec.Message{{Type: spec.Grant, From: c.ID, To: m.From, Epoch: m.Epoch}}
			}
		},
		"R13": func(c *conformance.Case, out *spec.Step) { // the highest waits, too: no case about ids passes
			if m := c.Input.Message; m.Type == spec.Assent && out.State.Role == spec.Claimant && c.Before.Role == spec.Candidate {
				out.State, out.Sent = c.Before.Clone(), nil
				out.State.Epoch = max(m.Epoch, c.Before.Epoch)
				if out.State.Epoch > c.Before.Epoch {
					out.State.Grantee = spec.NodeID{}
				}
				out.State.Support = append(out.State.Support, m.From)
				slices.SortFunc(out.State.Support, spec.NodeID.Compare)
			}
		},
		"R24": func(c *conformance.Case, out *spec.Step) { // says nothing to a stale leader
			if check.RuleOf(c) == "R24" {
				out.Sent = nil
			}
		},
		"R27": func(c *conformance.Case, out *spec.Step) { // a HEARTBEAT for all but the last
			if c.Input.Timer == spec.HeartbeatTimer && len(out.Sent) > 0 {
				out.Sent = out.Sent[:len(out.Sent)-1]
			}
		},
		"R35": func(c *conformance.Case, out *spec.Step) { // takes a timer that does not run
			if c.Input.Timer == spec.ClaimTimer && out.Ignored {
				out.Ignored = false
			}
		},
	} {
		isBlamed(t, rule, change, "R*,Q-*")
	}
}

// isBlamed puts a port that breaks a rule through some vectors: it is that rule that they say is most likely broken.
func isBlamed(t *testing.T, rule string, change func(c *conformance.Case, out *spec.Step), globs string) {
	t.Helper()
	cases, err := kit.Select(Cases(), globs, "")
	require.NoError(t, err)
	report, err := kit.Run(t.Context(), cases, kit.Options{Port: port.Config{Serve: wrong(change)}})
	require.NoError(t, err)
	suspects := report.Suspects()
	require.NotEmpty(t, suspects, rule)
	require.Equal(t, rule, suspects[0].Rule, "%+v", suspects)
}

// TestMessagesAreNotIDs blames no R1 for messages that are missing, one too many or in another order, whatever the ids of a case.
func TestMessagesAreNotIDs(t *testing.T) {
	for name, change := range map[string]func(sent []spec.Message) []spec.Message{
		"missing":   func(sent []spec.Message) []spec.Message { return sent[:len(sent)-1] },
		"more":      func(sent []spec.Message) []spec.Message { return append(sent, sent[0]) },
		"backwards": func(sent []spec.Message) []spec.Message { slices.Reverse(sent); return sent },
	} {
		cases, err := kit.Select(Cases(), "R1-*", "")
		require.NoError(t, err)
		report, err := kit.Run(t.Context(), cases, kit.Options{Port: port.Config{Serve: wrong(func(_ *conformance.Case, out *spec.Step) {
			if len(out.Sent) > 0 {
				out.Sent = change(slices.Clone(out.Sent))
			}
		})}})
		require.NoError(t, err)
		failed, _ := report.Failed()
		require.Greater(t, failed, 5, name)
		for _, s := range report.Suspects() {
			require.NotEqual(t, "R1", s.Rule, name)
		}
	}
}

// TestRefusedIDs blames R1 if a port refuses members because it compares ids as text.
func TestRefusedIDs(t *testing.T) {
	i := model()
	i.Load = func(id spec.NodeID, members []spec.NodeID, s spec.State) (conformance.Node, error) {
		if !slices.IsSortedFunc(members, func(a, b spec.NodeID) int { return strings.Compare(a.String(), b.String()) }) {
			return nil, errors.New("this is no list of members")
		}
		return conformance.NodeIn(&conformance.Model{}, id, members, s), nil
	}
	cases, err := kit.Select(Cases(), "R1-9-and-10", "")
	require.NoError(t, err)
	report, err := kit.Run(t.Context(), cases, kit.Options{Port: port.Config{Serve: func(r io.Reader, w io.Writer) error { return port.Serve(r, w, i) }}})
	require.NoError(t, err)
	require.Equal(t, kit.Broken, report.Verdicts[0].Outcome)
	require.Equal(t, []kit.Suspect{{Rule: "R1", Failed: 1, Cases: 1}}, report.Suspects())
}

// TestIDsOnly blames R1 for ids that are compared as text.
func TestIDsOnly(t *testing.T) {
	var model conformance.Model
	i := port.Implementation{Identity: port.Identity{Name: "text"}}
	i.Load = func(id spec.NodeID, members []spec.NodeID, s spec.State) (conformance.Node, error) {
		members = slices.Clone(members)
		slices.SortFunc(members, func(a, b spec.NodeID) int { return strings.Compare(a.String(), b.String()) })
		return conformance.NodeIn(&model, id, members, s), nil
	}
	cases, err := kit.Select(Cases(), "R1-9-and-10,R1-99-and-100", "")
	require.NoError(t, err)
	report, err := kit.Run(t.Context(), cases, kit.Options{Workers: 1, Port: port.Config{Serve: func(r io.Reader, w io.Writer) error { return port.Serve(r, w, i) }}})
	require.NoError(t, err)
	require.Equal(t, []kit.Suspect{{Rule: "R1", Failed: 2, Cases: 2}}, report.Suspects())
}

// TestIDsAreForever shows what -update refuses.
func TestIDsAreForever(t *testing.T) {
	before := &Manifest{Files: []Entry{{ID: "a", Digest: "1"}, {ID: "b", Digest: "2"}}, Retired: []string{"z"}}
	now := func(retired []string, files ...Entry) *Manifest { return &Manifest{Files: files, Retired: retired} }
	require.NoError(t, immutable(before, now([]string{"z"}, Entry{ID: "a", Digest: "1"}, Entry{ID: "b", Digest: "2"}, Entry{ID: "c"})))
	require.NoError(t, immutable(before, now([]string{"b", "z"}, Entry{ID: "a", Digest: "1"})))
	require.ErrorContains(t, immutable(before, now([]string{"z"}, Entry{ID: "a", Digest: "1"})), "b is gone")
	require.ErrorContains(t, immutable(before, now([]string{"z"}, Entry{ID: "a", Digest: "7"}, Entry{ID: "b", Digest: "2"})), "a has changed")
	require.ErrorContains(t, immutable(before, now(nil, before.Files...)), "z was retired")
	require.ErrorContains(t, immutable(before, now([]string{"a", "z"}, before.Files...)), "a is retired")
}

// TestBadFiles shows that a set that is not what its manifest says is not read.
func TestBadFiles(t *testing.T) {
	good := string(All()[0].Append(nil))
	e := all().manifest.Files[0]
	readSet := read
	read := func(text string, change func(e *Entry)) error {
		entry := e
		change(&entry)
		manifest, err := json.Marshal(Manifest{Files: []Entry{entry}})
		require.NoError(t, err)
		files := fstest.MapFS{"manifest.json": {Data: manifest}}
		for _, suite := range suites() {
			files[suite+".ndjson"] = &fstest.MapFile{}
		}
		files["rules.ndjson"].Data = []byte(text)
		_, err = readSet(files)
		return err
	}
	same := func(*Entry) {}
	require.NoError(t, read(good, same))
	require.ErrorContains(t, read(good, func(e *Entry) { e.Digest = "0" }), "a case never changes; its digest is "+e.Digest+", and was 0")
	require.ErrorContains(t, read(good, func(e *Entry) { e.ID = "R99-no" }), "is where the manifest has")
	require.ErrorContains(t, read(good+good, same), "is not in the manifest")
	lines := strings.SplitAfter(good, "\n")
	require.ErrorContains(t, read(strings.Join(lines[:len(lines)-2], ""), same), "cut short")
	require.ErrorContains(t, read(strings.Join(slices.Delete(slices.Clone(lines), 1, 2), ""), same), "should be")
	require.ErrorContains(t, read("no\n"+good, same), "no header")
	_, err := readSet(fstest.MapFS{"manifest.json": {Data: []byte("{}")}})
	require.ErrorContains(t, err, "not exist")
}
