// Package agent lets a program lead that leaves the election to a node beside it: bully run -socket PATH, of the same machine. The
// program may be large and slow to die, or run where no node should; it asks for a lease, and acts while that holds.
//
// What is said on the socket, for programs in other languages, is in impl/AGENT.md; bully_agent.py is a client in Python.
package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/hold"
)

// ErrNotLeader is the cause of the end of the context of work whose reign is over, and what Reign.Progress returns then.
var ErrNotLeader = errors.New("agent: this program does not lead any more")

// Client asks the node of a socket. Its fields must not be changed while it is used; several goroutines may use it.
type Client struct {
	Socket   string        // the path that bully run -socket was given
	Silence  time.Duration // after which the node takes the program to be dead or stopped, and ends; 0 means 2 s. Leases are asked for in a third of it, or sooner
	Progress time.Duration // if it is not 0, work must call Reign.Progress at least so often, or the node takes it to be stuck, and ends

	// HoldMemory has the death of this process be noticed at once, however much memory it has: without, the kernel frees that first, which takes
	// 0.1 ms a MiB. Another process shares the memory meanwhile, as bully.Config.HoldMemory says. Where that is not possible, all is as without.
	HoldMemory bool
}

// Lead runs work in each reign of the node, one after the other, until work returns by itself, as host.Host.Lead does. Work is given a
// context that ends when the reign does, or when nothing is known of it any more; its cause is then ErrNotLeader. When work returns
// while its reign goes on, Lead returns what it has returned. When ctx ends, Lead waits for work, and returns the error of ctx.
//
// The node takes part in elections while a program is in Lead: then it is as if it were inside of that program. So when Lead
// returns, another machine leads, unless another program of this one is in Lead.
//
// If the node is killed alone, its address refuses nobody, and so nobody else leads, until work has returned, or the deadline that it was told
// has passed, or this program is dead: it holds the node's listening socket meanwhile. So work need not be quick to notice; but the
// quicker it returns, the sooner another leads.
//
// Lead returns an error, after work has returned, if the node cannot be reached, or has ended, or takes the program to be stuck. Who wants
// to lead again calls Lead again: see the example.
func (c *Client) Lead(ctx context.Context, work func(context.Context, *Reign) error) error {
	if c.HoldMemory {
		_ = hold.Memory() // before there are connections
	}
	asks := c.newConnection()
	defer asks.CloseIdleConnections()
	streaming, stop := context.WithCancel(ctx) // its end says that nobody asks to lead any more; what acts yet holds the address
	defer stop()
	stream, err := ask(streaming, asks, http.MethodGet, "/lead", c.limits())
	if err != nil {
		return orEnd(ctx, err)
	}
	defer func() { _ = stream.Body.Close() }()
	if stream.StatusCode != http.StatusOK {
		return refusal(stream)
	}
	lines := make(chan line)
	go read(streaming, stream.Body, lines)
	why := hasEnded
	for {
		begins, more := <-lines
		if !more {
			return orEnd(ctx, errors.New("agent: the node leads for this program no longer: "+why))
		}
		if !begins.Leading {
			why = begins.Why // the end of the last one
			continue
		}
		over, said, err := c.reign(ctx, asks, begins, lines, work)
		why = cmp.Or(said, hasEnded)
		if ctx.Err() != nil || !over {
			return orEnd(ctx, err)
		}
	}
}

// hasEnded is said of a node that has said nothing else.
const hasEnded = "it has ended"

// orEnd returns the error of ctx if that has ended, or else err.
func orEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// read reads what the node says, until it says no more.
func read(ctx context.Context, from io.Reader, lines chan<- line) {
	defer close(lines)
	for said := json.NewDecoder(from); ; {
		var next line
		if said.Decode(&next) != nil {
			return
		}
		select {
		case lines <- next:
		case <-ctx.Done():
			return
		}
	}
}

// Resign has the node resign, whichever of its programs leads: what they do ends first. It returns nil once that is done, and if the node
// does not lead. The highest node that runs leads again: to have another lead, return from work.
func (c *Client) Resign(ctx context.Context) error {
	asks := c.newConnection()
	defer asks.CloseIdleConnections()
	answer, err := ask(ctx, asks, http.MethodPost, "/resign", nil)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusConflict {
		return refusal(answer)
	}
	return nil
}

// reign runs work in a reign that has begun, until the node says that it is over, or the last lease ends. It reports whether that was so,
// and why as the node says.
func (c *Client) reign(ctx context.Context, asks *http.Client, begins line, lines <-chan line, work func(context.Context, *Reign) error) (over bool, why string, err error) {
	working, cancel := context.WithCancelCause(ctx)
	r := &Reign{asks: asks, epoch: begins.Epoch, term: begins.Term}
	returned := make(chan struct{})
	var keeping sync.WaitGroup
	held, failed := c.hold(working, begins.Term)
	if failed == nil && r.ask(working, http.MethodGet, "/lease") == nil {
		keeping.Go(func() {
			r.keep(working, c.silence()/3)
			cancel(ErrNotLeader)
			select {
			case <-returned:
			case <-time.After(time.Until(r.acts())):
				_ = held.Close() // work acts no more, whatever it does
			}
		})
		keeping.Go(func() {
			select {
			case said := <-lines: // it is over, or the node has gone
				why = said.Why
				r.end()
				cancel(ErrNotLeader)
			case <-working.Done():
			}
		})
		err = work(working, r)
	} else {
		cancel(ErrNotLeader)
	}
	over = working.Err() != nil
	cancel(context.Canceled)
	close(returned)
	keeping.Wait()
	if failed == nil {
		_ = held.Close() // says that this program acts no more
	}
	if over && ctx.Err() == nil {
		err = nil
	}
	return over, why, err
}

// hold has the address of the node refuse nobody until the connection that it returns is closed. The node sends its listening socket there, which the kernel
// keeps as long as that lies unread: so nobody may ever read from it.
func (c *Client) hold(ctx context.Context, term string) (net.Conn, error) {
	held, err := new(net.Dialer).DialContext(ctx, "unix", c.Socket)
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(held, "GET /hold?term=%s HTTP/1.1\r\nHost: bully\r\n\r\n", url.QueryEscape(term)); err != nil {
		_ = held.Close()
		return nil, err
	}
	return held, nil
}

func (c *Client) silence() time.Duration {
	if c.Silence == 0 {
		return 2 * time.Second
	}
	return c.Silence
}

func (c *Client) limits() url.Values {
	values := url.Values{"hold": {"true"}, "lease": {c.silence().String()}}
	if c.Progress != 0 {
		values.Set("progress", c.Progress.String())
	}
	return values
}

// newConnection returns what asks the node, over its socket.
func (c *Client) newConnection() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", c.Socket)
		},
	}}
}

// line is what the node says of a term.
type line struct {
	Leading bool
	Epoch   uint64
	Term    string
	Why     string
}

// ask sends a request.
func ask(ctx context.Context, asks *http.Client, method, path string, values url.Values) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://bully"+path+"?"+values.Encode(), nil)
	if err != nil {
		return nil, err
	}
	answer, err := asks.Do(request)
	if err != nil {
		return nil, gone(err)
	}
	return answer, nil
}

// gone is what is said of a node that does not answer.
func gone(err error) error {
	return fmt.Errorf("agent: the node does not answer: does bully run -socket run here? %w", err)
}

// refusal is what the node has said instead.
func refusal(answer *http.Response) error {
	said, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
	return fmt.Errorf("agent: the node says %s: %s", answer.Status, strings.TrimSpace(string(said)))
}
