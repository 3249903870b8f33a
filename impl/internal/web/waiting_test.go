package web_test

import (
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/spec"
)

// TestWaiting asks a node that does not know its members yet. When it does, its address is free again.
func TestWaiting(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	waiting := web.NewWaiting(func() host.Status { return host.Status{ID: spec.IntegerID(3), Stopped: true} }, "jobs", "v1")
	waiting.Serve(l)
	ask := func(path string) (int, string) {
		response, err := http.Get("http://" + address + path)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, string(body)
	}
	for _, why := range []string{"members", "DNS has no such name"} {
		code, body := ask("/status")
		require.Equal(t, http.StatusOK, code)
		for _, part := range []string{`"id":"3"`, `"waits":"` + why + `"`, `"stopped":true`, `"cluster":"jobs"`, `"version":"v1"`} {
			require.Contains(t, body, part)
		}
		code, body = ask("/healthz")
		require.Equal(t, http.StatusOK, code)
		require.Equal(t, "ok\n", body)
		code, body = ask("/leader")
		require.Equal(t, http.StatusServiceUnavailable, code)
		require.Equal(t, "the node does not run yet: "+why+"\n", body)
		waiting.Says("DNS has no such name")
	}
	waiting.Close()
	l, err = net.Listen("tcp", address)
	require.NoError(t, err)
	require.NoError(t, l.Close())
}
