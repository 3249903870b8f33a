package vectors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// newModel makes nodes that do what the model does.
var newModel = conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })

// model is the model as a port, of clusters of any size.
func model() port.Implementation {
	return port.Implementation{
		Identity: port.Identity{Name: "model", Version: "1.0", Language: "Go"},
		Changing: true,
		Naming:   true,
		Make:     newModel,
		Load: func(id spec.NodeID, members []spec.NodeID, s spec.State) (conformance.Node, error) {
			return conformance.NodeIn(&conformance.Model{}, id, members, s), nil
		},
	}
}

// answer lets the model answer requests, a line each.
func answer(requests []string) (steps []Step, err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("the model has no answer: %v", why)
		}
	}()
	var out bytes.Buffer
	if err := port.Serve(strings.NewReader(strings.Join(requests, "\n")+"\n"), &out, model()); err != nil {
		return nil, err
	}
	replies := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(replies) != len(requests) {
		return nil, fmt.Errorf("the model has answered %d of %d requests", len(replies), len(requests))
	}
	for k := range requests {
		steps = append(steps, Step{requests[k], replies[k]})
	}
	return steps, nil
}

// Of makes a vector of requests, a line each, as Stdin writes them: what the model answers is right. What is said once to each port, hello
// and bye, is left out. The error says which line is none that could be asked.
func Of(name string, requests []string) (*Vector, error) {
	v := &Vector{Header: Header{Case: name, Title: "requests from a file", Rules: []string{}, Level: "MUST", Suite: "requests", Spec: spec.Version}}
	var asked []string
	for k, line := range requests {
		var about struct {
			ID *uint64
			Op port.Op
		}
		if err := json.Unmarshal([]byte(line), &about); err != nil || about.ID == nil || !strings.HasPrefix(line, `{"id":`) {
			return nil, fmt.Errorf("request %d is no JSON object that begins with its id, an integer: %.200s", k+1, line)
		}
		if !slices.Contains([]port.Op{port.Hello, port.Bye}, about.Op) {
			asked = append(asked, line)
		}
	}
	if len(asked) == 0 {
		return nil, fmt.Errorf("of %d requests none is more than hello and bye", len(requests))
	}
	steps, err := answer(asked)
	v.Steps = steps
	return v, err
}
