package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/viewer"
)

// TestPage sees that the page watches this node and the others that there are views of, may connect to them and to nobody else, and
// may make them resign.
func TestPage(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	three, five := spec.IntegerID(3), spec.IntegerID(5)
	n := node{listener: listener, settings: settings{id: three,
		views: map[spec.NodeID]string{five: "http://five.example:8001", three: "http://three.example:8001"}}}
	n.cluster = "demo"
	page, err := n.page()
	require.NoError(t, err)
	answer := httptest.NewRecorder()
	page.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
	require.Equal(t, http.StatusOK, answer.Code)
	wanted, err := viewer.New(viewer.Options{Live: &viewer.Live{Cluster: "demo", Resign: true,
		Nodes: []viewer.Node{{ID: "3"}, {ID: "5", URL: "http://five.example:8001"}}}})
	require.NoError(t, err)
	require.True(t, string(wanted.Bytes()) == answer.Body.String(), "it is not the page that watches 3, which is here, and 5")
	policy := answer.Header().Get("Content-Security-Policy")
	require.Contains(t, policy, "connect-src 'self' http://five.example:8001;")
	require.Contains(t, policy, "frame-ancestors 'none'")
}
