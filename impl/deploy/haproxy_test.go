package deploy

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
)

// TestProxy brings requests to the service beside the leader, and beside the next when that one is killed.
func TestProxy(t *testing.T) {
	haproxy, err := exec.LookPath("haproxy")
	if err != nil {
		t.Skip("needs haproxy")
	}
	c := cluster(t, localcluster.Config{Nodes: 3})
	require.NoError(t, c.Start())
	text, err := os.ReadFile("haproxy.cfg")
	require.NoError(t, err)
	config, front := string(text), reserve(t)
	_, frontPort, err := net.SplitHostPort(front)
	require.NoError(t, err)
	replace := func(old, new string) {
		t.Helper()
		require.Contains(t, config, old)
		config = strings.Replace(config, old, new, 1)
	}
	replace("bind :9000", "bind 127.0.0.1:"+frontPort)
	for _, id := range c.IDs() {
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, id) }))
		t.Cleanup(service.Close)
		_, port, err := net.SplitHostPort(c.HTTP(id))
		require.NoError(t, err)
		replace(fmt.Sprintf(" 10.0.0.%d:9001", id), fmt.Sprintf(" %s port %s", service.Listener.Addr(), port)) // one host, where the file has three
	}
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
	proxy := exec.CommandContext(t.Context(), haproxy, "-db", "-f", file)
	var log strings.Builder
	proxy.Stdout, proxy.Stderr = &log, &log
	require.NoError(t, proxy.Start())
	t.Cleanup(func() {
		_ = proxy.Process.Kill()
		_ = proxy.Wait()
	})
	first := leads(t, c, 0, c.IDs()...)
	brings(t, front, first.Leader)
	_, err = c.Kill(first.Leader)
	require.NoError(t, err)
	brings(t, front, leads(t, c, first.Epoch, c.IDs(first.Leader)...).Leader)
}

// many requests last longer than the proxy needs to ask all nodes anew.
const many = 50

// brings waits until all requests, one after the other, come to the service beside a node.
func brings(t *testing.T, front string, id int) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	came := 0
	eventually(t, fmt.Sprintf("the proxy brings requests to node %d", id), func() bool {
		if came == many {
			return true
		}
		response, err := client.Get("http://" + front)
		if err != nil {
			came = 0
			return false
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		if came++; err != nil || string(body) != fmt.Sprint(id) {
			came = 0
		}
		return false
	})
}
