package web

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// lentTo is the address of a node, which notes to whom it was lent, or cannot be.
type lentTo struct {
	fails error
	to    chan net.Conn
}

func newLent(fails error) lentTo { return lentTo{fails, make(chan net.Conn, 10)} }

// Lend implements Lent.
func (l lentTo) Lend(to net.Conn) error {
	l.to <- to
	return l.fails
}

// holds opens a connection that holds the address in a term, or tries to.
func (a *alone) holds(t *testing.T, term string) net.Conn {
	at, err := url.Parse(a.url)
	require.NoError(t, err)
	conn, err := net.Dial("tcp", at.Host)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "GET /hold?term=%s HTTP/1.1\r\nHost: bully\r\n\r\n", term)
	require.NoError(t, err)
	return conn
}

// TestProgramHoldsTheAddress: it is given a lease once it does; when it does no longer it acts no more, and the node has resigned.
func TestProgramHoldsTheAddress(t *testing.T) {
	address := newLent(nil)
	node := newLending(t, address)
	p := newProgram(t, node.url, "?hold=true&lease=24h")
	leads := p.line()
	leased := make(chan int, 1)
	go func() {
		response, err := http.Get(node.url + "/lease?term=" + leads.Term)
		if err != nil {
			leased <- 0
			return
		}
		_ = response.Body.Close()
		leased <- response.StatusCode
	}()
	held := node.holds(t, leads.Term)
	require.IsType(t, &net.TCPConn{}, <-address.to, "it is the connection itself that the address is sent on")
	require.Equal(t, http.StatusOK, <-leased)

	again := node.holds(t, leads.Term)
	_, err := bufio.NewReader(again).ReadByte()
	require.Error(t, err, "one connection holds the address")
	require.Empty(t, address.to)

	require.NoError(t, held.Close())
	then := p.line()
	require.True(t, then.Leading, "the program must lead again when it holds its address no longer")
	require.Greater(t, then.Epoch, leads.Epoch)
	code, _ := p.asks(http.MethodGet, "/lease", leads.Term)
	require.Equal(t, http.StatusGone, code)

	held = node.holds(t, then.Term)
	<-address.to
	p.asks(http.MethodPost, "/stopped", then.Term)
	_, err = bufio.NewReader(held).ReadByte()
	require.Error(t, err, "the node needs the connection no longer than the term")
}

// TestProgramDoesNotHold: who says that he will, and does not, has no lease; nor has who says neither that nor that what he writes to is fenced.
func TestProgramDoesNotHold(t *testing.T) {
	node := newLending(t, newLent(nil))
	code, body, _ := do(t, http.MethodGet, node.url+"/lead", nil)
	require.Equal(t, http.StatusConflict, code)
	require.Contains(t, body, "/lead?hold=true")

	fenced := newProgram(t, node.url, "?fenced=true&lease=24h")
	leads := fenced.line()
	code, _ = fenced.asks(http.MethodGet, "/lease", leads.Term)
	require.Equal(t, http.StatusOK, code)
	code, body, _ = do(t, http.MethodGet, node.url+"/hold?term="+leads.Term, nil)
	require.Equal(t, http.StatusConflict, code)
	require.Contains(t, body, "ask GET /lead?hold=true")
	fenced.close()

	holds := newProgram(t, node.url, "?hold=true&lease=30ms")
	leads = holds.line()
	code, _ = holds.asks(http.MethodGet, "/lease", leads.Term)
	require.Equal(t, http.StatusGone, code)
}

// TestProgramWithoutProofs: where nobody takes a refused connection for a death nothing is lent, and who would hold the address leads all the same.
func TestProgramWithoutProofs(t *testing.T) {
	node := newAlone(t)
	p := newProgram(t, node.url, "?hold=true&lease=24h")
	leads := p.line()
	held := node.holds(t, leads.Term)
	code, _ := p.asks(http.MethodGet, "/lease", leads.Term)
	require.Equal(t, http.StatusOK, code)
	require.NoError(t, held.Close())
	require.Greater(t, p.line().Epoch, leads.Epoch)
}

// TestAddressIsNotLent: a program is told, and is there no longer.
func TestAddressIsNotLent(t *testing.T) {
	node := newLending(t, newLent(errors.New("forbidden")))
	p := newProgram(t, node.url, "?hold=true&lease=24h")
	leads := p.line()
	node.programs.enter(-1)
	node.holds(t, leads.Term)
	require.Equal(t, TermLine{Epoch: leads.Epoch, Term: leads.Term, Why: errUnheld.Error()}, p.line())
	require.False(t, p.lines.Scan(), "it is to ask anew")
	<-node.ctx.Done()
}

// TestProgramHasGone: a program that ends before it holds the address has just ended.
func TestProgramHasGone(t *testing.T) {
	node := newLending(t, newLent(syscall.EPIPE))
	p := newProgram(t, node.url, "?hold=true&lease=24h")
	leads := p.line()
	node.holds(t, leads.Term)
	then := p.line()
	require.True(t, then.Leading, "the program must lead again")
	require.Greater(t, then.Epoch, leads.Epoch)
}

// TestHolderKeepsItsSlot: a connection that holds an address gives way to nobody, though nothing is asked on it.
func TestHolderKeepsItsSlot(t *testing.T) {
	ours, theirs := net.Pipe()
	t.Cleanup(func() { _ = errors.Join(ours.Close(), theirs.Close()) })
	s := &slots{most: 1}
	holder := &slot{Conn: ours, slots: s}
	s.open = []*slot{holder}
	s.note(holder, http.StateActive)
	s.note(holder, http.StateHijacked)
	require.False(t, s.evict(), "a connection that holds an address must not be evicted")
}
