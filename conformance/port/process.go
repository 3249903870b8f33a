package port

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Config says how a port is started, and what it may take.
type Config struct {
	Command []string                         // the program and its arguments
	Serve   func(io.Reader, io.Writer) error // instead of Command: a port in Go, such as Serve, that runs in this process
	Dir     string                           // where Command runs; "" is here
	Answer  time.Duration                    // how long it may take for a reply; 5 s if 0
	Start   time.Duration                    // how long for the first one, as some languages take their time; 30 s if 0
	Kit     string                           // the version of the kit, which it is told
	Spec    string                           // the version of the specification, which it is told
	Record  func(request, reply string)      // is told of each exchange of a case; nil: nobody
	Isolate bool                             // each node, and each resource, runs in a program of its own
	Last    int                              // how many requests a failure shows; 10 if 0, all since the last reset if below 0
}

const (
	maxReply    = 1 << 20 // bytes of a line
	maxStandard = 4 << 10 // bytes of standard error that are kept
)

// Process is a port that runs: one program, or with Config.Isolate as many as a case needs. It is for one goroutine, but
// for Kill.
type Process struct {
	config   Config
	ctx      context.Context // of all programs
	next     uint64
	nodes    int  // how often nodes have been asked for
	slowly   bool // nothing is asked ahead
	last     []string
	answered string // the line that was answered last
	taken    map[string]uint64
	known    knownReplies
	failed   *Failure // it is of no more use
	standard *tail    // of the program asked last
	Identity Identity
	Features []string

	mu       sync.Mutex // guards what follows; only Kill is called by others
	killed   bool
	programs []*program // all that run; the first one is the only one without Config.Isolate

	busy map[string]*program // with Config.Isolate: who is asked about a node or a resource
	free []*program          // … and who has forgotten what it was asked
}

// Start starts a port, and asks who it is. The error says how it failed, if it did.
func Start(ctx context.Context, c Config) (*Process, error) {
	if len(c.Command) == 0 && c.Serve == nil {
		return nil, errors.New("port: no command is given: say how the port is started")
	}
	if c.Answer <= 0 {
		c.Answer = 5 * time.Second
	}
	if c.Start <= 0 {
		c.Start = 30 * time.Second
	}
	if c.Last == 0 {
		c.Last = 10
	}
	p := &Process{config: c, ctx: ctx, known: knownReplies{}, busy: map[string]*program{}}
	reply, err := p.launch()
	if err != nil {
		p.Close()
		return nil, err
	}
	p.Identity, p.Features = *reply.Port, reply.Features
	return p, nil
}

// launch starts one more program, and asks who it is.
func (p *Process) launch() (*Reply, error) {
	g, err := launch(p.ctx, &p.config)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.programs = append(p.programs, g)
	if p.killed {
		g.kill()
	}
	p.mu.Unlock()
	p.free = append(p.free, g)
	reply, failure := p.exchange(g, &Request{Op: Hello, Protocol: Version, Kit: p.config.Kit, Spec: p.config.Spec}, p.config.Start)
	if failure == nil && (reply.Error != "" || reply.Unsupported != "") {
		failure = p.fail(Erred, "it does not want to speak: "+reply.Error+reply.Unsupported)
	}
	if failure != nil {
		p.failed = failure
		return nil, fmt.Errorf("port: %s: %w", g.name, failure)
	}
	return reply, nil
}

// Ask asks one thing. What fails is a *Failure; from a port that has died, hung or flooded, no more is to be had.
func (p *Process) Ask(request *Request) (*Reply, error) {
	p.next++
	request.ID = p.next
	data, err := json.Marshal(request)
	if err != nil {
		panic(fmt.Sprintf("port: %s: %v", request.Op, err)) // the kit makes requests that can be written
	}
	return p.ask(request, string(data))
}

// AskText asks what a line of JSON says, which begins with the id of the request: that is replaced, and all else is passed
// on as it is, whether it is a request or not. It returns the line that the port has answered, too.
func (p *Process) AskText(text string) (reply *Reply, answer string, err error) {
	rest, begins := strings.CutPrefix(text, `{"id":`)
	rest = strings.TrimLeft(rest, "0123456789")
	var request Request // what is needed to know who is asked, and what a reply must have
	var parts struct {
		Op             Op
		Node, Resource string
	}
	if err := json.Unmarshal([]byte(text), &parts); err != nil || !begins {
		return nil, "", fmt.Errorf("port: %s is no JSON object that begins with its id", short(text))
	}
	p.next++
	request.ID, request.Op, request.Node, request.Resource = p.next, parts.Op, parts.Node, parts.Resource
	record := p.config.Record
	defer func() { p.config.Record = record }()
	p.config.Record = func(q, r string) {
		if answer = r; record != nil {
			record(q, r)
		}
	}
	reply, err = p.ask(&request, `{"id":`+strconv.FormatUint(p.next, 10)+rest)
	return reply, answer, err
}

// ask asks whom it concerns.
func (p *Process) ask(request *Request, text string) (*Reply, error) {
	if p.failed != nil {
		return nil, p.failed
	}
	if request.Op == Reset && p.config.Last < 0 {
		p.last = nil
	}
	if !p.config.Isolate {
		return p.answer(p.programs[0], request, text)
	}
	if request.Op == Reset {
		return p.resetAll(request, text)
	}
	who := "node " + request.Node
	if request.Op == Write || request.Op == Read {
		who = "resource " + request.Resource
	}
	g := p.busy[who]
	if g != nil && (request.Op == Begin || request.Op == Restart) { // what a node has been must not matter to it
		if _, failure := p.exchange(g, &Request{Op: Reset}, p.config.Answer); failure != nil {
			return nil, failure
		}
		p.free, g = append(p.free, g), nil
	}
	if g == nil {
		if len(p.free) == 0 {
			if _, err := p.launch(); err != nil {
				return nil, p.give(Died, text, "", "another program for another node: "+err.Error())
			}
		}
		g, p.free = p.free[0], p.free[1:]
		p.busy[who] = g
	}
	return p.answer(g, request, text)
}

// resetAll lets all programs forget.
func (p *Process) resetAll(request *Request, text string) (reply *Reply, err error) {
	clear(p.busy)
	p.free = append(p.free[:0], p.programs...)
	for _, g := range p.programs {
		if reply, err = p.answer(g, request, text); err != nil {
			return nil, err
		}
	}
	return reply, nil
}

// answer asks a program.
func (p *Process) answer(g *program, request *Request, text string) (*Reply, error) {
	reply, failure := p.exchangeText(g, request, text, p.config.Answer)
	if failure != nil {
		return nil, failure
	}
	return reply, nil
}

// exchange asks what no case has asked for, and records nothing of it.
func (p *Process) exchange(g *program, request *Request, wait time.Duration) (*Reply, *Failure) {
	record := p.config.Record
	defer func() { p.config.Record = record }()
	p.config.Record = nil
	p.next++
	request.ID = p.next
	data, err := json.Marshal(request)
	if err != nil {
		panic(fmt.Sprintf("port: %s: %v", request.Op, err))
	}
	return p.exchangeText(g, request, string(data), wait)
}

// exchangeText sends a request, and takes the reply.
func (p *Process) exchangeText(g *program, request *Request, text string, wait time.Duration) (*Reply, *Failure) {
	p.remember(g, text)
	if _, err := g.in.Write([]byte(text + "\n")); err != nil {
		return nil, p.give(Died, text, "", g.gone(err))
	}
	return p.take(g, request, text, wait)
}

// remember keeps a request as the last one, of this program.
func (p *Process) remember(g *program, text string) {
	p.standard = g.standard
	if len(p.last) == p.config.Last {
		p.last = append(p.last[:0], p.last[1:]...)
	}
	p.last = append(p.last, text)
}

// unordered is what package spec says of ids that do not ascend.
const unordered = "ascending order is wanted"

// take takes the reply to a request.
func (p *Process) take(g *program, request *Request, text string, wait time.Duration) (*Reply, *Failure) {
	l, more, came := g.answer(wait)
	switch {
	case !came:
		return nil, p.give(Hung, text, "", fmt.Sprintf("it has not answered for %s: each request has one reply, which ends with a line feed and is flushed", wait))
	case !more:
		return nil, p.give(Died, text, "", "it has ended, and did not answer")
	case errors.Is(l.err, errFlood):
		return nil, p.give(Flooded, text, string(l.text), l.err.Error())
	case l.err != nil:
		return nil, p.give(Died, text, string(l.text), g.gone(l.err))
	}
	p.answered = string(l.text)
	if p.config.Record != nil {
		p.config.Record(text, p.answered)
	}
	reply, err := p.known.parse(l.text, request)
	if err != nil {
		failure := p.give(Nonsense, text, string(l.text), err.Error())
		if strings.Contains(err.Error(), unordered) {
			failure.Rule = "R1"
		}
		return nil, failure
	}
	return reply, nil
}

// give gives a port up.
func (p *Process) give(kind Kind, request, reply, problem string) *Failure {
	p.failed = p.failure(kind, "", problem, request, reply)
	return p.failed
}

// fail makes a failure of the last exchange, after which the port can go on.
func (p *Process) fail(kind Kind, problem string) *Failure {
	return p.failure(kind, "", problem, p.lastRequest(), "")
}

func (p *Process) lastRequest() string {
	if len(p.last) == 0 {
		return ""
	}
	return p.last[len(p.last)-1]
}

func (p *Process) failure(kind Kind, rule, problem, request, reply string) *Failure {
	return &Failure{Kind: kind, Rule: rule, Problem: problem, Request: request, Reply: reply, Last: append([]string(nil), p.last...),
		Standard: p.standard.String(), Written: p.standard.count()}
}

// Usable reports whether the port can be asked more.
func (p *Process) Usable() bool { return p.failed == nil }

// Standard returns how many bytes the port has written to its standard error, and the end of those that came last.
func (p *Process) Standard() (written uint64, last string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, g := range p.programs {
		if n := g.standard.count(); n > 0 {
			written, last = written+n, g.standard.String()
		}
	}
	return written, last
}

// Took counts an input that a node of the port must take by a rule, such as R17.
func (p *Process) Took(rule string) {
	if p.taken == nil {
		p.taken = map[string]uint64{}
	}
	p.taken[rule]++
}

// Taken returns how many inputs there were that a node must take by each rule, since it was last asked for; nil if there were none.
func (p *Process) Taken() map[string]uint64 {
	taken := p.taken
	p.taken = nil
	return taken
}

// Asked returns how many requests there have been.
func (p *Process) Asked() uint64 { return p.next }

// Kill ends the port at once, whatever it does: what waits for its answer gets a *Failure. It may be called from any goroutine.
func (p *Process) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.killed = true
	for _, g := range p.programs {
		g.kill()
	}
}

// Close ends the port: it says bye, waits a little, and kills it.
func (p *Process) Close() {
	for _, g := range p.programs {
		if p.failed == nil {
			_, _ = p.exchange(g, &Request{Op: Bye}, time.Second)
		}
	}
	var all sync.WaitGroup
	for _, g := range p.programs {
		all.Go(g.close)
	}
	all.Wait()
}
