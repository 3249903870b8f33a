package vectors

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// clustersSuite is of vectors that are in no file: they are made of scripts when they are asked for.
const clustersSuite = "clusters"

//go:embed scripts/rare.txt
var rare string

// clusters returns what the nodes of clusters are asked, and answer, while a script happens to them: the scripts of package cluster,
// and those of scripts/rare.txt.
func clusters() (all []*Vector, err error) {
	known, err := cluster.Known()
	if err != nil {
		return nil, err
	}
	for i := range known {
		name, run := known[i].Name, known[i].Script
		h := newHeader(clustersSuite, "run-"+name, strings.ReplaceAll(run.Comment, "\n", " "))
		fault, rest, isFault := strings.Cut(run.Comment, "\n")
		if isFault && strings.HasPrefix(fault, "Fault ") {
			_, title, _ := strings.Cut(fault, ": ")
			h.Case, h.Title = "fault-"+name, "Found a port of which this is true: "+title
			if rule := strings.TrimSuffix(strings.TrimPrefix(rest, "Breaks "), "."); strings.HasPrefix(rule, "R") {
				h.Rules = []string{rule}
			}
		}
		if !run.First.IsNone() {
			h.Needs = port.FeatureMembers
		}
		v, err := record(h, run)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	for _, part := range strings.Split(rare, "\n\n")[1:] {
		run, err := cluster.ParseScript(part)
		if err != nil {
			return nil, fmt.Errorf("scripts/rare.txt: %w", err)
		}
		rule, rest, _ := strings.Cut(run.Comment, " ")
		h := newHeader(clustersSuite, "rare-"+rule+"-"+slug(rest, 60), run.Comment+": a run that comes to it")
		h.Rules = []string{rule}
		v, err := record(h, run)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b *Vector) int { return strings.Compare(a.Case, b.Case) })
	return all, nil
}

// newHeader returns the header of a case that every port must pass, about no rule yet.
func newHeader(suite, id, title string) Header {
	return Header{Case: id, Title: title, Level: "MUST", Suite: suite, Spec: spec.Version, Rules: []string{}}
}

// notSlug matches what an id does not have.
var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

// slug returns words as a part of an id.
func slug(text string, most int) string {
	text = strings.Trim(notSlug.ReplaceAllString(strings.ToLower(strings.ReplaceAll(text, "2^53-1", "last")), "-"), "-")
	if len(text) > most {
		text = text[:most]
		text = text[:strings.LastIndex(text, "-")]
	}
	return text
}

// record lets a script happen to the model, and keeps what was asked and answered. It is about the rules of the header, and that
// of its last step.
func record(h Header, run *cluster.Script) (*Vector, error) {
	v := &Vector{Header: h}
	p, err := port.Start(context.Background(), port.Config{Serve: serve, Record: func(request, reply string) {
		if !strings.Contains(request, `"op":"hello"`) && !strings.Contains(request, `"op":"bye"`) {
			id := fmt.Sprintf(`{"id":%d,`, len(v.Steps)+3)
			_, request, _ = strings.Cut(request, ",")
			_, reply, _ = strings.Cut(reply, ",")
			v.Steps = append(v.Steps, Step{id + request, anyReason(id + reply)})
		}
	}})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h.Case, err)
	}
	defer p.Close()
	last := ""
	_, violation, err := run.Try(p.Maker(), cluster.Options{Like: newModel, Observe: func(c *conformance.Case) { last = check.RuleOf(c) }})
	if err == nil && violation != nil {
		err = violation
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h.Case, err)
	}
	if !slices.Contains(v.Rules, last) {
		v.Rules = append(v.Rules, last)
	}
	return v, nil
}

// serve runs the model in this process.
func serve(r io.Reader, w io.Writer) error { return port.Serve(r, w, model()) }

// reason matches what a port says to people.
var reason = regexp.MustCompile(`"(ignored|unsupported|error)":"(?:[^"\\]|\\.)*"`)

// anyReason returns a reply without the words that a port says to people: any will do.
func anyReason(reply string) string {
	return reason.ReplaceAllString(reply, `"$1":"any reason"`)
}
