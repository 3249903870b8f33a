package viewer_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/seed-fdf591db/bully/traces/viewer"
)

// A page that opens a golden trace is served, and asked for twice.
func Example() {
	page, err := viewer.New(viewer.Options{Golden: "failover"})
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(page)
	defer server.Close()

	response, err := http.Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, _ := io.ReadAll(response.Body)
	_ = response.Body.Close()
	fmt.Println(response.Header.Get("Content-Type"), bytes.Contains(text, []byte(`{"golden":"failover"}`)))

	request, _ := http.NewRequest(http.MethodGet, server.URL, nil)
	request.Header.Set("If-None-Match", response.Header.Get("ETag"))
	if response, err = http.DefaultClient.Do(request); err != nil {
		fmt.Println(err)
		return
	}
	_ = response.Body.Close()
	fmt.Println(response.Status)
	// Output:
	// text/html; charset=utf-8 true
	// 304 Not Modified
}
