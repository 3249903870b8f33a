package itf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

const (
	described = "https://apalache-mc.org/docs/adr/015adr-trace.html"
	says      = "a recorded trace (spec/trace.md), as states of module Cluster: state k is that after event k"
)

// variables are those of module Cluster.
var variables = []string{"node", "up", "net", "cut", "budget", "reigns", "since"}

// unlimited is the budget of faults that module Cluster never spends.
const unlimited = 15

// Export writes a trace as states of module Cluster. Whether the rules allow it makes no difference. Traces of any length become files
// of that many states, each of them whole.
func Export(header spec.Header, events []spec.Event) ([]byte, error) {
	if err := header.Validate(); err != nil {
		return nil, err
	}
	e := exporter{cluster: cluster{header: header, addressed: hasAddresses(events)}, up: Value{Kind: Set}, cut: Value{Kind: Set},
		reigns: Value{Kind: Set}, heard: map[spec.Message][]int{}, way: map[spec.Link][]spec.Message{}}
	e.nodes = e.each(func(spec.NodeID) Value { s := e.blank(); return e.state(&s) })
	for range header.Members {
		e.latest = append(e.latest, 1)
		e.since = append(e.since, make([]spec.Question, len(header.Members)))
	}
	for k := range events {
		if m := events[k].Input.Message; m.Type != "" {
			e.heard[m] = append(e.heard[m], k)
		}
	}
	var out bytes.Buffer
	first, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&out, `{"#meta":{"format":"ITF","format-description":%q,"source":"Cluster.tla","description":%q,"header":%s},`, described, says, first)
	names, _ := json.Marshal(variables)
	fmt.Fprintf(&out, "\n\"vars\":%s,\n\"states\":[\n", names)
	e.write(&out, `{"index":0}`)
	for k := range events {
		meta, err := metaOf(&events[k])
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", k+1, err)
		}
		e.step(k, &events[k])
		out.WriteString(",\n")
		e.write(&out, meta)
	}
	out.WriteString("\n]}\n")
	return out.Bytes(), nil
}

func hasAddresses(events []spec.Event) bool {
	of := func(c spec.Configuration) bool {
		return slices.ContainsFunc(c.Members(), func(m spec.Member) bool { return m.Address != "" })
	}
	return slices.ContainsFunc(events, func(e spec.Event) bool {
		return of(e.State.Configuration) || slices.ContainsFunc(e.Sent, func(m spec.Message) bool { return of(m.Configuration) })
	})
}

// metaOf writes an event, whose number is the index of the state after it.
func metaOf(e *spec.Event) (string, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return "", err
	}
	rest, ok := strings.CutPrefix(string(text), fmt.Sprintf(`{"seq":%d,`, e.Seq))
	if !ok {
		return "", fmt.Errorf("an event begins with its number: %.40s", text)
	}
	return fmt.Sprintf(`{"index":%d,%s`, e.Seq, rest), nil
}

// exporter has the state of the cluster after an event.
type exporter struct {
	cluster
	nodes, up, cut, reigns Value
	latest                 []spec.Question   // of each node
	since                  [][]spec.Question // of each node, of each other
	heard                  map[spec.Message][]int
	way                    map[spec.Link][]spec.Message // what was sent and is heard still
}

func (e *exporter) write(out *bytes.Buffer, meta string) {
	net := Value{Kind: Map}
	for _, from := range e.header.Members {
		for _, to := range e.header.Members {
			if from == to {
				continue
			}
			way := Value{Kind: List}
			for k := range e.way[spec.Link{From: from, To: to}] {
				way.Items = append(way.Items, e.payload(&e.way[spec.Link{From: from, To: to}][k]))
			}
			net.set(e.link(spec.Link{From: from, To: to}), way)
		}
	}
	budget := Value{Kind: Record}
	for _, fault := range []string{"early", "crash", "loss", "cut", "resign", "change", "ask", "heartbeat"} {
		budget.set(Word(fault), Number(unlimited))
	}
	since := e.each(func(id spec.NodeID) Value {
		of := e.since[e.place(id)-1]
		return e.each(func(k spec.NodeID) Value { return Number(of[e.place(k)-1]) })
	})
	fmt.Fprintf(out, `{"#meta":%s`, meta)
	for i, v := range []Value{e.nodes, e.up, net, e.cut, budget, e.reigns, since} {
		out.Write(v.append(fmt.Appendf(nil, `,%q:`, variables[i])))
	}
	out.WriteByte('}')
}

// step takes event k, from 0.
func (e *exporter) step(k int, event *spec.Event) {
	if event.Action == spec.CutAction {
		e.cut = Value{Kind: Set}
		for _, l := range event.Input.Cut {
			e.cut.Items = append(e.cut.Items, e.link(l))
		}
	}
	if at := e.place(event.Node); at > 0 {
		e.nodes.Items[at-1] = e.state(&event.State)
		e.latest[at-1] = event.State.Latest
		e.up = upAfter(e.up, event.Action, Number(at))
		if event.State.Role == spec.Leader {
			e.reigns = with(e.reigns, record("epoch", Number(event.State.Epoch), "leader", Number(at)))
		}
		e.patience(at, event)
	}
	for i := range event.Sent {
		m := event.Sent[i]
		l := spec.Link{From: m.From, To: m.To}
		if !slices.Contains(e.way[l], m) && !e.isCut(l) {
			e.way[l] = append(e.way[l], m)
		}
	}
	for l := range e.way {
		e.way[l] = slices.DeleteFunc(e.way[l], func(m spec.Message) bool {
			all := e.heard[m]
			return len(all) == 0 || all[len(all)-1] <= k
		})
	}
}

func (e *exporter) isCut(l spec.Link) bool {
	return slices.ContainsFunc(e.cut.Items, e.link(l).Equal)
}

// upAfter returns which nodes run after a step of one.
func upAfter(up Value, action spec.Action, node Value) Value {
	if action != spec.CrashAction {
		return with(up, node)
	}
	up.Items = slices.DeleteFunc(slices.Clone(up.Items), node.Equal)
	return up
}

// with returns a set with one more.
func with(set, item Value) Value {
	if slices.ContainsFunc(set.Items, item.Equal) {
		return set
	}
	set.Items = append(slices.Clone(set.Items), item)
	return set
}

// patience keeps since: a patience begins when a node promises or acknowledges something, and when it restarts.
func (e *exporter) patience(at int, event *spec.Event) {
	s, since := &event.State, e.since[at-1]
	begins := event.Action == spec.RestartAction || slices.ContainsFunc(event.Sent, func(m spec.Message) bool { return m.Type == spec.Grant || m.Type == spec.Ack })
	for i := range since {
		switch {
		case s.Leader.IsNone() || s.Role == spec.Leader || event.Action == spec.CrashAction:
			since[i] = 0
		case begins && i != at-1:
			since[i] = e.latest[i]
		case begins:
			since[i] = 0
		}
	}
}
