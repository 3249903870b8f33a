package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/impl/internal/narrate"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// Live is a cluster of ours that runs now, as far as it is heard of. It may be heard of from the middle on, and with gaps.
type Live struct {
	members  []spec.NodeID
	narrator *narrate.Narrator
}

// Listen begins to listen to these nodes; changing says that members come and go, and these are all who ever are any. The error
// says which of them cannot be one.
func Listen(nodes []string, changing bool) (*Live, error) {
	l := &Live{}
	for _, name := range nodes {
		id, err := spec.ParseNodeID(name)
		if err != nil {
			return nil, fmt.Errorf("%q cannot be a node: %w", name, err)
		}
		l.members = append(l.members, id)
	}
	slices.SortFunc(l.members, spec.NodeID.Compare)
	if len(slices.Compact(slices.Clone(l.members))) != len(l.members) {
		return nil, errors.New("a node is named twice")
	}
	var err error
	l.narrator, err = narrate.New(l.members, narrate.Options{Timed: true, Middle: true, Changing: changing, Real: true})
	return l, err
}

// Header returns the header of the recording.
func (l *Live) Header() recording.Header {
	h := l.narrator.Header()
	h.Title, h.Source = fmt.Sprintf("%d nodes, live", len(l.members)), recording.Live
	h.Watch = "What the nodes say that they do, as they do it."
	h.Indicators = slices.DeleteFunc(h.Indicators, func(indicator recording.Indicator) bool { return indicator.Name == narrate.Rules }) // for that one must see all
	return h
}

// Feed takes the next event, a line of a trace, and returns its frames. The error says why there are none; the next event may
// be good. A node that is not heard, or never was, tells nothing: of it whoever listens feeds {"unheard": its id, "last": its last event}.
func (l *Live) Feed(line []byte) ([]recording.Frame, error) {
	var e spec.Event
	if bytes.HasPrefix(line, []byte(`{"unheard":`)) {
		return l.unheard(line)
	}
	if err := e.UnmarshalJSON(line); err != nil {
		return nil, fmt.Errorf("an event of the cluster cannot be read: %w", err)
	}
	for _, id := range ids(&e) {
		if !slices.Contains(l.members, id) {
			return nil, fmt.Errorf("an event of the cluster names %s, which is none of its nodes", id)
		}
	}
	return l.narrator.Tell(&e), nil
}

// unheard tells that a node is not heard, as of the last event of it that was.
func (l *Live) unheard(line []byte) ([]recording.Frame, error) {
	var gone struct {
		Unheard string     `json:"unheard"`
		Last    spec.Event `json:"last"`
	}
	if err := json.Unmarshal(line, &gone); err != nil {
		return nil, fmt.Errorf("who is not heard cannot be read: %w", err)
	}
	id, err := spec.ParseNodeID(gone.Unheard)
	if err != nil || !slices.Contains(l.members, id) {
		return nil, fmt.Errorf("%s is not heard, and is none of the nodes of the cluster", gone.Unheard)
	}
	return l.narrator.Unheard(id, &gone.Last.State, "it has crashed or was stopped, or cannot be reached from here"), nil
}

// ids returns every node that an event names.
func ids(e *spec.Event) []spec.NodeID {
	all := append([]spec.NodeID{e.Node, e.Input.Message.From, e.Input.Message.To, e.State.Leader, e.State.Grantee}, e.State.Support...)
	configurations := []spec.Configuration{e.Input.Message.Configuration, e.Input.Configuration, e.State.Configuration}
	for _, m := range e.Sent {
		all = append(all, m.From, m.To)
		configurations = append(configurations, m.Configuration)
	}
	for _, c := range configurations {
		for _, m := range c.Members() {
			all = append(all, m.ID)
		}
	}
	for _, l := range e.Input.Cut {
		all = append(all, l.From, l.To)
	}
	return slices.DeleteFunc(all, spec.NodeID.IsNone)
}
