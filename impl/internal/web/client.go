package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// URL returns where a node is, as a URL without a path: http:// may be left out.
func URL(text string) (string, error) {
	if text == "" {
		return "", errors.New("an address is empty: give host:port, with one comma between two of them")
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	text = strings.TrimSuffix(text, "/")
	if problem := CheckPage(text); problem != "" {
		return "", errors.New(problem)
	}
	return text, nil
}

// mostAnswer is how much a node may answer: of ten thousand groups with the longest of names it is as much as a third of that.
const mostAnswer = 4 << 20

// mostWhy is how much is read of why a node gives no answer.
const mostWhy = 1 << 10

// Get reads JSON from a node. Another status than 200 is an error, with what the node says of it.
func Get(ctx context.Context, address string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err // whoever prints it says where
	}
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, mostWhy))
		return fmt.Errorf("%s: %s", response.Status, onOneLine(text))
	}
	return json.NewDecoder(io.LimitReader(response.Body, mostAnswer)).Decode(into)
}

// Views returns the addresses given, and those that the first of them that answers knows of.
func Views(ctx context.Context, urls []string) []string {
	for _, url := range urls {
		var known struct {
			Node  spec.NodeID
			Views map[spec.NodeID]string
		}
		if Get(ctx, url+"/views", &known) != nil {
			continue
		}
		for id, view := range known.Views {
			if id != known.Node && CheckPage(view) == "" && !slices.Contains(urls, view) {
				urls = append(urls, view)
			}
		}
		break
	}
	return urls
}

// CheckPage says what is wrong with the address of a page, or "".
func CheckPage(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil ||
		address != u.Scheme+"://"+u.Host || strings.ContainsAny(u.Host, " ;,'\"") {
		return fmt.Sprintf("%q is no address of a page: give http://host:port, and nothing after it", address)
	}
	return ""
}

// Operator changes the members of a cluster by way of the HTTP servers of its nodes:
//
//	operator := web.Operator{Nodes: []string{"http://10.0.0.1:8000", "http://10.0.0.2:8000"}}
//	err := operator.CarryOut(ctx, web.Change{Do: "remove", ID: spec.IntegerID(2)})
//
// It asks all for the leader, and goes on at the next when that one hands over.
type Operator struct {
	Nodes []string          // where nodes are seen: http://host:port, without a path
	Say   func(text string) // is told of what happens on the way; nil tells nobody
}

// Heard is what a node has said of members, and where.
type Heard struct {
	Members
	URL string
}

const (
	// askTimeout bounds how long a node may take to answer a question.
	askTimeout = time.Second
	// askAgain lies between two questions for the leader.
	askAgain = 10 * time.Millisecond
)

// Ask asks all nodes who the members are. The error says why none has answered.
func (o *Operator) Ask(ctx context.Context) ([]Heard, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	answers, problems := make([]Heard, len(o.Nodes)), make([]error, len(o.Nodes))
	fixed := make([]bool, len(o.Nodes))
	var asking sync.WaitGroup
	for i, node := range o.Nodes {
		asking.Go(func() {
			answers[i].URL = node
			problems[i] = call(ctx, http.MethodGet, node+"/members", nil, &answers[i].Members)
			if problems[i] == nil && answers[i].Configuration == nil {
				problems[i] = errors.New("its members are fixed, or it has not started")
				fixed[i] = !answers[i].Leader.IsNone() // it has started
			}
		})
	}
	asking.Wait()
	if i := slices.Index(fixed, true); i >= 0 {
		return nil, fixedMembers{o.Nodes[i]}
	}
	answers = slices.DeleteFunc(answers, func(h Heard) bool { return h.Configuration == nil })
	if len(answers) > 0 {
		return answers, nil
	}
	var texts []string
	for i, err := range problems {
		texts = append(texts, fmt.Sprintf("%s: %v", o.Nodes[i], err))
	}
	return nil, fmt.Errorf("no node has said who the members are: %s", strings.Join(texts, "; "))
}

// fixedMembers is why nothing can be done with the members of a cluster, and who has said so.
type fixedMembers struct{ node string }

func (f fixedMembers) Error() string {
	return fmt.Sprintf("%s: its members are fixed: stop all nodes, and bully init -from-fixed makes them such as can be changed", f.node)
}

// Newest asks all nodes, and returns what the leader says; or, if it does not answer, who has the newest configuration.
func (o *Operator) Newest(ctx context.Context) (Heard, error) {
	answers, err := o.Ask(ctx)
	if err != nil {
		return Heard{}, err
	}
	best := answers[0]
	for _, h := range answers[1:] {
		if h.Leading && (!best.Leading || h.Epoch > best.Epoch) || !best.Leading && h.Configuration.Newer(*best.Configuration) {
			best = h
		}
	}
	return best, nil
}

// Leader asks until a node says that it leads. When ctx ends, the error says what is known instead.
func (o *Operator) Leader(ctx context.Context) (Heard, error) {
	asking, cancel := context.WithTimeout(ctx, askTimeout)
	o.Nodes = Views(asking, o.Nodes)
	cancel()
	why := "" // nobody has answered
	for {
		best, err := o.Newest(ctx)
		if err != nil && ctx.Err() == nil {
			why = ": " + err.Error()
		}
		if err == nil && best.Leading || errors.As(err, new(fixedMembers)) {
			return best, err
		}
		select {
		case <-time.After(askAgain):
			continue
		case <-ctx.Done():
		}
		if err == nil && !best.Leader.IsNone() {
			return Heard{}, fmt.Errorf("node %s leads, and is not among those that were asked: give the address of its HTTP server too", best.Leader)
		}
		return Heard{}, errors.New("no leader was found in time, and without one no member can be changed: see bully status; if a quorum of " +
			"the members is lost for good, begin a new cluster: see bully help init" + why)
	}
}

// CarryOut makes a change at the leader, and goes on at the next if that one hands over. It returns nil when a quorum is
// known to hold the configuration in which it is done. If it is not known what has come of it, as the leader has gone, the
// next is asked, and what is left of it is done; but that is an error if a version was expected. A *Changed is what a
// leader says.
func (o *Operator) CarryOut(ctx context.Context, c Change) error {
	for unknown := false; ; {
		leader, err := o.Leader(ctx)
		if err != nil {
			return err
		}
		end, err := o.post(ctx, leader, c)
		if err != nil {
			return err
		}
		switch end.Refusal {
		case "":
			return nil
		case NotLeader:
			o.tell("node %s leads no more", leader.Node)
		case HandedOver:
			o.tell("node %s, which led, has handed over", leader.Node)
			if end.Configuration != nil && c.Version != 0 {
				c.Version = end.Configuration.Version
			}
			if c.Do == "replace" { // the new one was added before
				c = Change{Do: "remove", ID: c.Old, Force: c.Force, Version: c.Version}
			}
		case Unknown:
			if c.Version != 0 {
				return end
			}
			o.tell("node %s, which led, has gone: %v", leader.Node, end)
			if leader, err = o.settled(ctx); err != nil {
				return err
			}
			unknown = true
			if c = c.left(*leader.Configuration); c.Do == "" {
				return nil
			}
		default:
			if unknown {
				return fmt.Errorf("what was left of the change: %w; bully member list shows what has been done of it", end)
			}
			return end
		}
		select {
		case <-time.After(askAgain):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// post asks a leader to make a change. If it does not answer, the outcome is not known.
func (o *Operator) post(ctx context.Context, leader Heard, c Change) (*Changed, error) {
	body, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	var end Changed
	if err := call(ctx, http.MethodPost, leader.URL+"/members", body, &end); errors.As(err, new(refused)) {
		return nil, err
	} else if err != nil {
		end = Changed{Refusal: Unknown, Message: fmt.Sprintf("node %s, which led, has not answered: %v; the next leader tells whether the "+
			"members have been changed", leader.Node, err)}
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("node %s, which leads, has not said in time what has come of it (%w): bully member list shows it; a node that is to vote must run, and answer, before it does",
			leader.Node, err)
	}
	return &end, nil
}

// settled asks until a leader says that its configuration is settled.
func (o *Operator) settled(ctx context.Context) (Heard, error) {
	for {
		leader, err := o.Leader(ctx)
		if err != nil || leader.Settled {
			return leader, err
		}
		time.Sleep(askAgain)
	}
}

// left returns what is left of a change in a configuration; nothing, if it is done.
func (c Change) left(now spec.Configuration) Change {
	added, member := now.Member(c.ID)
	_, old := now.Member(c.Old)
	kind := c.Kind
	if kind == "" {
		kind = spec.Voter
	}
	done := added == spec.Member{ID: c.ID, Kind: kind, Rank: cmp.Or(c.Rank, added.Rank), Address: c.Address}
	switch {
	case c.Do == "rank" && member && added.Rank == c.Rank:
		return Change{}
	case c.Do == "add" && done, c.Do == "remove" && !member, c.Do == "replace" && done && !old:
		return Change{}
	case c.Do == "replace" && !old:
		c.Do, c.Old = "add", spec.NodeID{}
	}
	return c
}

// Error implements error: why members were not changed.
func (c *Changed) Error() string { return onOneLine([]byte(c.Message)) }

func (o *Operator) tell(format string, values ...any) {
	if o.Say != nil {
		o.Say(fmt.Sprintf(format, values...))
	}
}

// call makes a request, and reads the JSON that answers it, whatever the status says. A refused is a text that says why nothing was done.
func call(ctx context.Context, method, address string, body []byte, into any) error {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err // whoever prints it says where
	}
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		if code := response.StatusCode; code == http.StatusForbidden || code == http.StatusUnprocessableEntity {
			return refused{errors.New(onOneLine(text))}
		}
		return fmt.Errorf("%s: %s", response.Status, onOneLine(text))
	}
	return nil
}

// onOneLine returns what a server has said, so that it does not look like several lines of ours.
func onOneLine(text []byte) string { return strings.Join(strings.Fields(string(text)), " ") }
