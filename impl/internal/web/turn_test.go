package web

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
)

// TestTurns: a burst passes at once, and then one at a time, in the order in which they came; who leaves takes no turn.
func TestTurns(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		turns := newTurns(time.Millisecond)
		begin := time.Now()
		for range turns.burst {
			require.True(t, turns.wait(t.Context()), "a turn of the burst must pass")
		}
		require.Zero(t, time.Since(begin))

		gone, leave := context.WithCancel(t.Context())
		order := make(chan int, 4)
		for k := range 4 {
			ctx := t.Context()
			if k < 2 {
				ctx = gone // one that waits for its time, and one that waits for that one
			}
			go func() {
				if turns.wait(ctx) {
					order <- k
				}
			}()
			synctest.Wait()
		}
		leave()
		synctest.Wait()
		require.Zero(t, len(order))
		time.Sleep(3 * turns.every)
		synctest.Wait()
		require.Equal(t, []int{2, 3}, []int{<-order, <-order})
		require.Equal(t, begin.Add(3*turns.every), time.Now())

		time.Sleep(time.Hour)
		begin = time.Now()
		for range turns.burst + 10 {
			require.True(t, turns.wait(t.Context()), "a turn must pass")
		}
		require.Equal(t, 10*turns.every, time.Since(begin), "nothing is saved up beyond the burst")
	})
}

// TestQuickDoNotWait: who asks whether the node is well, and who leads, does not wait for those who ask for more.
func TestQuickDoNotWait(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		served := 0
		h := inTurn(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served++ }))
		ask := func(method, path, body string) {
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, path, strings.NewReader(body)))
		}
		begin := time.Now()
		for range 200 {
			ask("GET", "/metrics", "")
		}
		require.Equal(t, 175*otherEvery, time.Since(begin))
		begin = time.Now()
		for range 50 {
			ask("GET", "/healthz", "")
			ask("GET", "/leader?group=a", "")
			ask("GET", "/leading", "")
		}
		require.Zero(t, time.Since(begin))
		ask("GET", "/leader", "x")
		ask("POST", "/resign", "")
		require.Equal(t, 2*otherEvery, time.Since(begin))
		for range 12 {
			ask("GET", "/", "")
		}
		require.Equal(t, 2*otherEvery+10*pageEvery, time.Since(begin))
		require.Equal(t, 364, served)
	})
}

// TestHalfARequestGivesWay: who says that a body follows, and does not send it, keeps nobody out, and makes the node do nothing.
func TestHalfARequestGivesWay(t *testing.T) {
	n := newLeader(time.Hour)
	url, _ := serve(t, n, func(c *Config) { c.Most = 4 })
	for _, text := range []string{
		"POST /resign HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n",
		"POST /members HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
		"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx",
		"GET /leader HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
		"POST /resign HTTP/1.1\r\nHost: x\r\nOrigin: http://evil.example\r\nSec-Fetch-Site: cross-site\r\nContent-Length: 100\r\n\r\n",
	} {
		var all []net.Conn
		for range 9 {
			all = append(all, dialOnly(t, url, text))
			code, _, _ := get(t, url+"/healthz")
			require.Equal(t, http.StatusOK, code, text)
			http.DefaultClient.CloseIdleConnections()
		}
		for _, c := range all {
			_ = c.Close()
		}
	}
	require.Zero(t, n.asked)
}

// TestTooMuchIsRefused: a body that is too long is refused as soon as that is known, and one that is not is given whole.
func TestTooMuchIsRefused(t *testing.T) {
	var served string
	h := inTurn(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		served += string(body)
	}))
	for _, size := range []int{mostBody, mostBody + 1} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/members", strings.NewReader(strings.Repeat("x", size))))
		require.Equal(t, size > mostBody, w.Code == http.StatusRequestEntityTooLarge)
	}
	require.Len(t, served, mostBody)
}

// TestWhoGaveWayIsNotServed: what was asked on a connection that has given way is not done.
func TestWhoGaveWayIsNotServed(t *testing.T) {
	here, there := net.Pipe()
	t.Cleanup(func() { _ = there.Close() })
	s := &slots{most: 1}
	c := &slot{Conn: here, slots: s}
	s.open = append(s.open, c)
	require.True(t, c.setActive(true), "a connection that was not evicted can become active")
	require.False(t, s.evict(), "an active connection must not be evicted")
	require.True(t, c.setActive(false), "an active connection can become idle")
	require.True(t, s.evict(), "an idle connection must be evicted")
	require.False(t, c.setActive(true), "an evicted connection must not be served")
	require.Empty(t, s.open)
}
