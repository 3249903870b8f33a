// Package schema_test holds all that is asked and answered to ../schema.json. It computes much and starts nothing that races, so it is
// apart from the tests of package port, which run with the race detector.
package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/conformance/vectors"
	"github.com/seed-fdf591db/bully/spec"
)

// model is the port that is asked.
var model = port.Implementation{
	Identity: port.Identity{Name: "model", Version: "1.0", Language: "Go"},
	Changing: true,
	Naming:   true,
	Make:     conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} }),
	Load: func(id spec.NodeID, members []spec.NodeID, s spec.State) (conformance.Node, error) {
		return conformance.NodeIn(&conformance.Model{}, id, members, s), nil
	},
}

// schema is a JSON Schema, as far as schema.json uses it. A keyword that it does not know is an error, so that nothing is passed over.
type schema struct {
	root map[string]any
}

// keywords say nothing of a value, or are read with another one.
var passive = []string{"$schema", "$defs", "title", "description"}

// check returns what is wrong with a value, or "".
func (s *schema) check(rule, value any, at string) string {
	if allowed, is := rule.(bool); is {
		if !allowed {
			return at + " must not be there"
		}
		return ""
	}
	fields := rule.(map[string]any)
	for name, want := range fields {
		if slices.Contains(passive, name) {
			continue
		}
		keyword := keywords[name]
		if keyword == nil {
			return fmt.Sprintf("%s: schema.json uses %q, which this test does not know", at, name)
		}
		if problem := keyword(s, fields, want, value, at); problem != "" {
			return problem
		}
	}
	return ""
}

type keyword func(s *schema, rule map[string]any, want, value any, at string) string

var keywords map[string]keyword

func init() {
	keywords = map[string]keyword{
		"$ref": func(s *schema, _ map[string]any, want, value any, at string) string {
			name, _ := strings.CutPrefix(want.(string), "#/$defs/")
			return s.check(s.root["$defs"].(map[string]any)[name], value, at)
		},
		"anyOf": func(s *schema, _ map[string]any, want, value any, at string) string {
			return s.some(want, value, at, 99)
		},
		"oneOf": func(s *schema, _ map[string]any, want, value any, at string) string {
			return s.some(want, value, at, 1)
		},
		"const": func(_ *schema, _ map[string]any, want, value any, at string) string {
			return unless(equal(want, value), "%s is not %v", at, want)
		},
		"enum": func(_ *schema, _ map[string]any, want, value any, at string) string {
			return unless(slices.ContainsFunc(want.([]any), func(one any) bool { return equal(one, value) }), "%s is none of %v", at, want)
		},
		"type": func(_ *schema, _ map[string]any, want, value any, at string) string {
			return unless(typeOf(value) == want, "%s is no %v", at, want)
		},
		"required":             required,
		"properties":           properties,
		"additionalProperties": additional,
		"items": func(s *schema, _ map[string]any, want, value any, at string) string {
			list, _ := value.([]any)
			for i, one := range list {
				if problem := s.check(want, one, fmt.Sprintf("%s[%d]", at, i)); problem != "" {
					return problem
				}
			}
			return ""
		},
		"minItems": func(_ *schema, _ map[string]any, want, value any, at string) string {
			list, is := value.([]any)
			return unless(!is || len(list) >= integer(want), "%s has too few items", at)
		},
		"maxItems": func(_ *schema, _ map[string]any, want, value any, at string) string {
			list, is := value.([]any)
			return unless(!is || len(list) <= integer(want), "%s has too many items", at)
		},
		"uniqueItems": func(_ *schema, _ map[string]any, _, value any, at string) string {
			list, _ := value.([]any)
			for i := range list {
				if slices.ContainsFunc(list[:i], func(one any) bool { return equal(one, list[i]) }) {
					return at + " has an item twice"
				}
			}
			return ""
		},
		"pattern": func(_ *schema, _ map[string]any, want, value any, at string) string {
			text, is := value.(string)
			return unless(!is || pattern(want.(string)).MatchString(text), "%s is not of the form %v", at, want)
		},
		"minLength": func(_ *schema, _ map[string]any, want, value any, at string) string {
			text, is := value.(string)
			return unless(!is || utf8.RuneCountInString(text) >= integer(want), "%s is too short", at)
		},
		"minimum": func(_ *schema, _ map[string]any, want, value any, at string) string {
			n, is := value.(json.Number)
			return unless(!is || float(n) >= float(want.(json.Number)), "%s is too low", at)
		},
		"maximum": func(_ *schema, _ map[string]any, want, value any, at string) string {
			n, is := value.(json.Number)
			return unless(!is || float(n) <= float(want.(json.Number)), "%s is too high", at)
		},
	}
}

// patterns are those that have been compiled: each is asked of thousands of lines.
var patterns sync.Map

func pattern(text string) *regexp.Regexp {
	if p, known := patterns.Load(text); known {
		return p.(*regexp.Regexp)
	}
	p := regexp.MustCompile(text)
	patterns.Store(text, p)
	return p
}

// some checks that a value fits at least one of some schemas, and at most so many.
func (s *schema) some(want, value any, at string, most int) string {
	var problems []string
	fit := 0
	for _, one := range want.([]any) {
		if problem := s.check(one, value, at); problem == "" {
			fit++
		} else {
			problems = append(problems, problem)
		}
	}
	if fit > most {
		return fmt.Sprintf("%s fits %d of the alternatives", at, fit)
	}
	return unless(fit > 0, "%s fits none: %s", at, strings.Join(problems, "; "))
}

func required(_ *schema, _ map[string]any, want, value any, at string) string {
	object, is := value.(map[string]any)
	for _, name := range want.([]any) {
		if _, there := object[name.(string)]; is && !there {
			return fmt.Sprintf("%s has no %s", at, name)
		}
	}
	return ""
}

func properties(s *schema, _ map[string]any, want, value any, at string) string {
	object, _ := value.(map[string]any)
	for name, rule := range want.(map[string]any) {
		if field, there := object[name]; there {
			if problem := s.check(rule, field, at+"."+name); problem != "" {
				return problem
			}
		}
	}
	return ""
}

func additional(_ *schema, rule map[string]any, want, value any, at string) string {
	object, _ := value.(map[string]any)
	known, _ := rule["properties"].(map[string]any)
	for name := range object {
		if _, is := known[name]; !is && want == false {
			return fmt.Sprintf("%s has a field %s", at, name)
		}
	}
	return ""
}

func unless(good bool, format string, args ...any) string {
	if good {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

func equal(a, b any) bool { return reflect.DeepEqual(a, b) }

func integer(n any) int { return int(float(n.(json.Number))) }

func float(n json.Number) float64 {
	f, err := n.Float64()
	if err != nil {
		return math.Inf(1)
	}
	return f
}

func typeOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case json.Number:
		if f := float(v); f == math.Trunc(f) {
			return "integer"
		}
	}
	return "number"
}

// decode reads JSON, and keeps all digits.
func decode(t *testing.T, text []byte) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&value), string(text))
	return value
}

func readSchema(t *testing.T) *schema {
	text, err := os.ReadFile("../schema.json")
	require.NoError(t, err)
	return &schema{decode(t, text).(map[string]any)}
}

// fits returns what is wrong with a request or a reply.
func (s *schema) fits(t *testing.T, kind, line string) string {
	return s.check(map[string]any{"$ref": "#/$defs/" + kind}, decode(t, []byte(line)), kind)
}

// TestSchemaFitsRuns holds all that is asked and answered in runs to the schema: all vectors, and simulations.
func TestSchemaFitsRuns(t *testing.T) {
	s := readSchema(t)
	lines := 0
	p, err := port.Start(t.Context(), port.Config{
		Serve: func(r io.Reader, w io.Writer) error { return port.Serve(r, w, model) },
		Record: func(request, reply string) {
			lines++
			if !strings.Contains(request, `"op":"dance"`) && !strings.Contains(reply, `"error"`) { // what is meant to be no request
				require.Empty(t, s.fits(t, "request", request), request)
			}
			require.Empty(t, s.fits(t, "reply", reply), reply)
		},
	})
	require.NoError(t, err)
	defer p.Close()
	for _, v := range vectors.All() {
		_, err := p.Ask(&port.Request{Op: port.Reset, Case: v.Case})
		require.NoError(t, err)
		require.NoError(t, v.Run(t.Context(), p), v.Case)
	}
	plan, err := sim.Generate(81, 3, sim.Profiles()[0])
	require.NoError(t, err)
	plan.Faults = nil
	_, err = sim.Run(&plan, p.Maker(), sim.Options{})
	require.NoError(t, err)
	require.Greater(t, lines, 6000)
	for line := range strings.SplitSeq(strings.TrimSpace(vectors.All()[0].Stdin()), "\n") {
		require.Empty(t, s.fits(t, "request", line), line)
	}
	require.Empty(t, s.fits(t, "reply", `{"id":1,"port":{"name":"n","version":"1","language":"C"},"protocol":1,"features":[]}`))
}

// TestSchemaRefuses shows what the schema does not let pass.
func TestSchemaRefuses(t *testing.T) {
	s := readSchema(t)
	configuration := `{"epoch":0,"version":1,"members":[{"id":"1","kind":"voter","address":"h:1"}]}`
	blank := `"state":{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1}`
	for kind, lines := range map[string][]string{
		"request": {
			`{"id":1,"op":"dance"}`, `{"op":"bye"}`, `{"id":-1,"op":"bye"}`, `{"id":1,"op":"end","node":"a","timer":7}`, `{"id":1,"op":"call","node":"a"}`,
			`{"id":1,"op":"start","node":"a","me":"0","members":["1"]}`, `{"id":1,"op":"start","node":"a","me":"1","members":[]}`,
			`{"id":1,"op":"restart","node":"a","me":"1","members":["1"],"promise":{"epoch":4,"reserved":1048576}}`, `{"id":1,"op":"receive","node":"a"}`,
			`{"id":1,"op":"start","node":"a","me":"1","members":["1"],"configuration":` + configuration + `}`, `{"id":1,"op":"start","node":"a","me":"1"}`,
			`{"id":1,"op":"start","node":"a","me":"1","configuration":{"epoch":0,"version":1}}`,
			`{"id":1,"op":"start","node":"a","me":"1","configuration":` + strings.Replace(configuration, "voter", "king", 1) + `}`,
			`{"id":1,"op":"start","node":"a","me":"1","configuration":` + strings.Replace(configuration, `h:1`, `h 1`, 1) + `}`,
			`{"id":1,"op":"restart","node":"a","me":"1","promise":{"epoch":4,"grantee":null,"reserved":1048576}}`, `{"id":1,"op":"restart","node":"a","me":"1","members":["1"],"promise":{"epoch":4,"grantee":null}}`,
			`{"id":1,"op":"load","node":"a","me":"1","members":["1"],` + strings.Replace(blank, "[]", `[],"configuration":`+configuration, 1) + `}`,
		},
		"reply": {
			`{"id":1}`, `[]`, `{"id":1,"ok":true,"colour":"blue"}`, `{"id":1,"effects":[],"x":1,` + blank + `}`,
			`{"id":1,"ok":false}`, `{"id":1,"effects":[]}`, `{"id":1,"effects":[{}],` + blank + `}`, `{"id":1,"effects":[{"vote":1}],` + blank + `}`,
			`{"id":1,"effects":[{"arm":"heartbeat","cancel":"heartbeat"}],` + blank + `}`, `{"id":1,"ignored":"","effects":[],` + blank + `}`,
			`{"id":1,"ignored":"why","effects":[{"arm":"heartbeat"}],` + blank + `}`, `{"id":1,"effects":[{"over":9007199254740993}],` + blank + `}`,
			`{"id":1,"effects":[{"save":{"epoch":1.5,"grantee":null,"reserved":1048576}}],` + blank + `}`, `{"id":1,"effects":[],"state":{"role":"king"}}`,
			`{"id":1,"effects":[],"state":{"role":"follower","leader":3,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1}}`,
			`{"id":1,"effects":[],"state":{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":["1","1"],"asked":0,"latest":1}}`,
			`{"id":1,"effects":[],"state":{"role":"follower","leader":null,"epoch":0,"grantee":null,"support":[]}}`,
			`{"id":1,"effects":[],"state":{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":0}}`,
			`{"id":1,"effects":[{"send":{"type":"CLAIM","from":"1","to":"2","epoch":1,"question":0}}],` + blank + `}`,
			`{"id":1,"effects":[{"send":{"type":"CLAIM","from":"1","to":"02","epoch":1,"question":1}}],` + blank + `}`,
			`{"id":1,"effects":[{"save":{"epoch":1,"grantee":null,"reserved":1048576,"configuration":null}}],` + blank + `}`,
			`{"id":1,"port":{"name":"n","version":"1","language":"C"},"protocol":1,"features":["witnesses"]}`,
		},
	} {
		for _, line := range lines {
			require.NotEmpty(t, s.fits(t, kind, line), line)
		}
	}
	require.Contains(t, s.check(map[string]any{"maxLength": 3}, "four", "x"), "does not know")
}

// TestExamplesOfChangingMembers asks what conformance/CERTIFYING.md shows, and has the replies that it shows.
func TestExamplesOfChangingMembers(t *testing.T) {
	page, err := os.ReadFile("../../CERTIFYING.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "## Changing members")
	require.True(t, found)
	_, block, found := strings.Cut(section, "```json\n")
	require.True(t, found)
	block, _, _ = strings.Cut(block, "\n```")
	s := readSchema(t)
	replies := map[uint64]string{}
	var requests []string
	for line := range strings.SplitSeq(block, "\n") {
		var about struct {
			ID uint64
			Op string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &about), line)
		kind := "reply"
		if about.Op != "" {
			kind = "request"
			requests = append(requests, line)
		} else {
			replies[about.ID] = line
		}
		require.Empty(t, s.fits(t, kind, line), line)
	}
	require.Len(t, replies, 3)
	var out strings.Builder
	require.NoError(t, port.Serve(strings.NewReader(strings.Join(requests, "\n")+"\n"), &out, model))
	answered := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, answered, len(requests))
	for k, line := range requests {
		require.NotContains(t, answered[k], `"error"`, line)
		var q port.Request
		require.NoError(t, json.Unmarshal([]byte(line), &q))
		if want := replies[q.ID]; want != "" {
			require.Equal(t, want, answered[k])
		}
	}
}
