package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// TestMisnamed: a page in a browser that has its own name lead here changes nothing, and makes nobody resign.
func TestMisnamed(t *testing.T) {
	c := &changer{}
	url, _ := serve(t, newChanging(), func(config *Config) {
		config.Changer, config.Views = c, map[spec.NodeID]string{five: "http://five.example:8005"}
	})
	for _, test := range []struct {
		host, origin string
		code         int
	}{
		{"evil.example:8001", "http://evil.example:8001", http.StatusForbidden},
		{"evil.example", "http://evil.example", http.StatusForbidden},
		{"five.example:8001", "http://five.example:8001", http.StatusForbidden},
		{"localhost.evil.example", "http://localhost.evil.example", http.StatusForbidden},
		{"127.0.0.1.evil.example:8001", "http://127.0.0.1.evil.example:8001", http.StatusForbidden},
		{"xlocalhost:8001", "http://xlocalhost:8001", http.StatusForbidden},
		{"localhostx:8001", "http://localhostx:8001", http.StatusForbidden},
		{"127.0.0.1:8001", "http://127.0.0.1:8001", http.StatusOK},
		{"[::1]:8001", "http://[::1]:8001", http.StatusOK},
		{"[::1]", "http://[::1]", http.StatusOK},
		{"localhost:8001", "http://localhost:8001", http.StatusOK},
		{"five.example:8005", "http://five.example:8005", http.StatusOK},
		{"one.example:8001", "", http.StatusOK}, // no browser
	} {
		for _, path := range []string{"/members", "/resign"} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+path, strings.NewReader(`{"do":"remove","id":"5","old":null}`))
			require.NoError(t, err)
			request.Host = test.host
			if test.origin != "" {
				request.Header.Set("Origin", test.origin)
				request.Header.Set("Sec-Fetch-Site", "same-origin")
			}
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.Equal(t, test.code, response.StatusCode, "%s at %s", path, test.host)
		}
	}
	require.Len(t, c.asked, 6)
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodTrace, "PROPFIND"} {
		for _, mark := range []string{"Origin", "Sec-Fetch-Site"} { // a browser sends both, or one
			request, err := http.NewRequestWithContext(t.Context(), method, url+"/members", nil)
			require.NoError(t, err)
			request.Host = "evil.example"
			request.Header.Set(mark, map[string]string{"Origin": "http://evil.example", "Sec-Fetch-Site": "same-origin"}[mark])
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.Equal(t, http.StatusForbidden, response.StatusCode, "%s with %s", method, mark)
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/members", nil)
	require.NoError(t, err)
	request.Host = "evil.example"
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode, "everybody may look")
}
