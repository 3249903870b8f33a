package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestURL(t *testing.T) {
	for text, want := range map[string]string{
		"h:1": "http://h:1", "http://h:1": "http://h:1", "https://h:1/": "https://h:1", "h:1/": "http://h:1",
	} {
		url, err := URL(text)
		require.NoError(t, err, text)
		require.Equal(t, want, url)
	}
	for text, says := range map[string]string{"": "an address is empty", "h:1/path": "and nothing after it", "ftp://h": "is no address of a page", "u@h:1": "is no address of a page"} {
		_, err := URL(text)
		require.ErrorContains(t, err, says, text)
	}
}

// TestViews: the first node that answers is asked for the others, and only that one; itself it says by another name.
func TestViews(t *testing.T) {
	var asked atomic.Int32
	knows := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = fmt.Fprint(w, `{"node":"3","views":{"3":"http://itself:1","5":"http://other:1"}}`)
	}))
	defer knows.Close()
	const gone = "http://127.0.0.1:1"
	want := []string{gone, knows.URL, "http://other:1"}
	require.Equal(t, want, Views(t.Context(), []string{gone, knows.URL}))
	require.Equal(t, slices.Concat([]string{knows.URL, knows.URL}, want[2:]), Views(t.Context(), []string{knows.URL, knows.URL}))
	require.EqualValues(t, 2, asked.Load())
}

// TestNoLeaderInTime: when time is up, that is what is said, and not that the last request was broken off.
func TestNoLeaderInTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := (&Operator{Nodes: []string{"http://127.0.0.1:1"}}).Leader(ctx)
	require.EqualError(t, err, "no leader was found in time, and without one no member can be changed: see bully status; if a quorum of "+
		"the members is lost for good, begin a new cluster: see bully help init")
}
