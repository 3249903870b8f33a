package localcluster

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// redial is the time between two attempts to reach the HTTP face of a node that does not listen yet.
const redial = time.Millisecond

// Event is what one node has said, of itself or by its end.
type Event struct {
	Node    int
	At      time.Time // when, by the node's clock, which is this machine's; by ours if it does not say
	Running bool      // false if its process has ended
	Role    string    // as the node calls it
	Leader  int       // whom it names; 0 is nobody
	Epoch   uint64
	Leading bool
}

// String returns e as a person would say it.
func (e Event) String() string {
	switch {
	case !e.Running:
		return fmt.Sprintf("%d is down", e.Node)
	case e.Leader == 0:
		return fmt.Sprintf("%d (%s) names no leader, epoch %d", e.Node, e.Role, e.Epoch)
	}
	return fmt.Sprintf("%d (%s) names %d, epoch %d", e.Node, e.Role, e.Leader, e.Epoch)
}

// NodeView is the last that is known of a node.
type NodeView struct {
	Event
	Heard bool // it has said something since it was started
}

// View is the last that is known of all nodes; that of id i is Nodes[i-1].
type View struct {
	Nodes []NodeView
}

// Reign is an epoch, and the node that leads it.
type Reign struct {
	Leader int
	Epoch  uint64
	At     time.Time // when the last of those asked named it
}

// Agreed reports whether all the given nodes name one leader in one epoch. If that leader is among them, it must say
// itself that it leads. All nodes that run are asked if none is given.
func (v View) Agreed(ids ...int) (Reign, bool) {
	if len(ids) == 0 {
		for _, n := range v.Nodes {
			if n.Running {
				ids = append(ids, n.Node)
			}
		}
	}
	var r Reign
	for i, id := range ids {
		n := v.Nodes[id-1]
		if i == 0 {
			r = Reign{Leader: n.Leader, Epoch: n.Epoch}
		}
		if !n.Heard || n.Leader == 0 || n.Leader != r.Leader || n.Epoch != r.Epoch || n.Leading != (n.Leader == id) {
			return Reign{}, false
		}
		if n.At.After(r.At) {
			r.At = n.At
		}
	}
	return r, len(ids) > 0
}

// Leaderless reports whether each of the given nodes runs and names no leader.
func (v View) Leaderless(ids ...int) bool {
	return !slices.ContainsFunc(ids, func(id int) bool {
		n := v.Nodes[id-1]
		return !n.Heard || n.Leader != 0 || n.Leading
	})
}

// String lists what all nodes say.
func (v View) String() string {
	var all []string
	for i, n := range v.Nodes {
		switch {
		case n.Node == 0:
			all = append(all, fmt.Sprintf("%d was never started", i+1))
		case n.Running && !n.Heard:
			all = append(all, fmt.Sprintf("%d has said nothing yet", i+1))
		default:
			all = append(all, n.Event.String())
		}
	}
	return strings.Join(all, "; ")
}

// watch keeps all events of a cluster, and wakes those who wait for what they bring.
type watch struct {
	mu      sync.Mutex
	view    View
	runs    []int // how often each node was started
	events  []Event
	waiting map[*waiter]struct{}
}

// waiter is somebody who waits for a condition. It is asked after every single event, so that it misses no
// state that passes quickly.
type waiter struct {
	condition func(View) bool
	met       chan struct{}
}

// begin says that a node is being started, and returns the number of this run of it.
func (w *watch) begin(id int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs[id-1]++
	w.view.Nodes[id-1] = NodeView{Event: Event{Node: id, Running: true, At: time.Now()}}
	w.wake()
	return w.runs[id-1]
}

// add takes in an event of a run of a node. What a process has said that was heard only after its end is dropped.
func (w *watch) add(run int, e Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := &w.view.Nodes[e.Node-1]
	if run != w.runs[e.Node-1] || !now.Running {
		return
	}
	w.events = append(w.events, e)
	*now = NodeView{Event: e, Heard: e.Running}
	w.wake()
}

// wake tells those whose condition is met. The lock is held.
func (w *watch) wake() {
	for x := range w.waiting {
		if x.condition(w.view) {
			close(x.met)
			delete(w.waiting, x)
		}
	}
}

// snapshot returns a copy of the view. The lock is held.
func (w *watch) snapshot() View { return View{Nodes: slices.Clone(w.view.Nodes)} }

// View returns what all nodes say now.
func (c *Cluster) View() View {
	c.watch.mu.Lock()
	defer c.watch.mu.Unlock()
	return c.watch.snapshot()
}

// Events returns what nodes have said since the first n events, in the order in which it was heard.
func (c *Cluster) Events(n int) []Event {
	c.watch.mu.Lock()
	defer c.watch.mu.Unlock()
	return slices.Clone(c.watch.events[min(n, len(c.watch.events)):])
}

// Wait waits until a condition holds of what the nodes say. The condition is asked at once and after every event; it
// must be quick, and must not keep the view. If ctx ends before, the error says what was awaited, what the nodes say
// instead, and how those that have failed have ended.
func (c *Cluster) Wait(ctx context.Context, what string, condition func(View) bool) error {
	x := &waiter{condition: condition, met: make(chan struct{})}
	w := &c.watch
	w.mu.Lock()
	if condition(w.view) {
		w.mu.Unlock()
		return nil
	}
	if w.waiting == nil {
		w.waiting = map[*waiter]struct{}{}
	}
	w.waiting[x] = struct{}{}
	w.mu.Unlock()
	begin := time.Now()
	select {
	case <-x.met:
		return nil
	case <-ctx.Done():
	}
	w.mu.Lock()
	delete(w.waiting, x)
	view := w.snapshot()
	w.mu.Unlock()
	return fmt.Errorf("waited %s until %s: %w; but %s%s", time.Since(begin).Round(time.Millisecond), what,
		context.Cause(ctx), view, c.failures())
}

// failures says how the nodes have ended that have ended by themselves and not well.
func (c *Cluster) failures() string {
	var text strings.Builder
	for _, n := range c.nodes {
		if status := c.ExitStatus(n.id); status > 0 {
			_, _ = fmt.Fprintf(&text, "\nnode %d has exited with status %d; it said:\n%s", n.id, status, c.Log(n.id))
		}
	}
	return text.String()
}

// follow listens to the events of a node as long as its process lives.
func (n *node) follow(p *process, run int) {
	ctx, cancel := context.WithCancel(n.cluster.ctx)
	defer cancel()
	n.cluster.wait.Go(func() {
		select {
		case <-p.gone:
			cancel()
		case <-ctx.Done():
		}
	})
	transport := &http.Transport{DisableKeepAlives: true}
	client := &http.Client{Transport: transport}
	// A node that has just been started does not listen yet, and nothing says when it will.
	for ctx.Err() == nil {
		n.listen(ctx, client, run)
		_ = sleep(ctx, redial)
	}
}

// listen listens to the events of a node until the connection ends.
func (n *node) listen(ctx context.Context, client *http.Client, run int) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+n.http+"/events", nil)
	if err != nil {
		return
	}
	response, err := client.Do(request)
	if err != nil {
		return
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return
	}
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		data, found := strings.CutPrefix(lines.Text(), "data:")
		if !found {
			continue // an empty line, a comment, another field of the stream
		}
		if e, err := parseEvent(n.id, data, time.Now()); err == nil {
			n.cluster.watch.add(run, e)
		}
	}
}

// parseEvent reads one event of a node as it is served, heard at the given moment.
func parseEvent(id int, data string, heard time.Time) (Event, error) {
	var e struct {
		At      int64   `json:"at"` // microseconds since 1970
		Node    string  `json:"node"`
		Role    string  `json:"role"`
		Leader  *string `json:"leader"`
		Epoch   uint64  `json:"epoch"`
		Leading bool    `json:"leading"`
	}
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		return Event{}, err
	}
	if e.Node != strconv.Itoa(id) {
		return Event{}, fmt.Errorf("node %d says that it is %q", id, e.Node)
	}
	parsed := Event{Node: id, At: heard, Running: true, Role: e.Role, Epoch: e.Epoch, Leading: e.Leading}
	if e.At > 0 {
		parsed.At = time.UnixMicro(e.At)
	}
	if e.Leader == nil {
		return parsed, nil
	}
	leader, err := strconv.Atoi(*e.Leader)
	parsed.Leader = leader
	return parsed, err
}
