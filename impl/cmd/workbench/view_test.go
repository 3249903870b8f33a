package main

import (
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/engine"
	goldens "github.com/seed-fdf591db/bully/traces"
	"github.com/seed-fdf591db/bully/traces/viewer"
)

// opened returns what a page opens.
func opened(t *testing.T, page string) (o struct {
	File   *viewer.File
	Golden string
	Live   *viewer.Live
	Link   string
}) {
	t.Helper()
	_, after, ok := strings.Cut(page, `id="opened">`)
	require.True(t, ok, "this is a page")
	text, _, ok := strings.Cut(after, "</script>")
	require.True(t, ok, "what the page opens does not end")
	if text != "" {
		require.NoError(t, json.Unmarshal([]byte(text), &o))
	}
	return o
}

// viewed runs workbench view with the page on standard output, and returns the page.
func viewed(t *testing.T, args ...string) string {
	t.Helper()
	status, page, log := workbench(t, append([]string{"view", "-o", "-"}, args...)...)
	require.Equal(t, cli.OK, status, log)
	return page
}

// TestViewFile writes pages to files. It is not parallel: it changes the folder of this process.
func TestViewFile(t *testing.T) {
	dir := t.TempDir()
	trace, page := filepath.Join(dir, "run.ndjson"), filepath.Join(dir, "page.html")
	const text = "{\"broken\":\n</script>\xff"
	require.NoError(t, os.WriteFile(trace, []byte(text), 0o644))
	status, out, log := workbench(t, "view", trace, "-o", page)
	require.Equal(t, cli.OK, status, log)
	require.Empty(t, out)
	require.Contains(t, log, "run.ndjson: line 1: ", "the page says what is wrong with it, and so does the command")
	written, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, &viewer.File{Name: "run.ndjson", Text: strings.ToValidUTF8(text, "\ufffd")}, opened(t, string(written)).File)
	require.Contains(t, string(written), "connect-src 'none'")

	require.Equal(t, string(written), viewed(t, trace))
	require.Nil(t, opened(t, viewed(t)).File)
	for _, name := range []string{"failover", "failover.ndjson"} {
		require.Equal(t, "failover", opened(t, viewed(t, name)).Golden)
	}
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("failover", []byte("mine"), 0o644))
	require.Equal(t, "mine", opened(t, viewed(t, "failover")).File.Text, "a file comes first")
}

// TestViewScenario opens every scenario by its name, on the algorithm that it is about and on ours. No golden trace has such a
// name: it would come first.
func TestViewScenario(t *testing.T) {
	t.Parallel()
	for _, s := range scenarios.All() {
		_, err := fs.Stat(goldens.Valid, s.Name+".ndjson")
		require.ErrorIs(t, err, fs.ErrNotExist, "scenario %s has the name of a golden trace", s.Name)
		_, err = fs.Stat(goldens.Invalid, s.Name+".ndjson")
		require.ErrorIs(t, err, fs.ErrNotExist, "scenario %s has the name of a golden trace", s.Name)
		for algorithm, args := range map[string][]string{s.Shows: {s.Name}, "bully": {s.Name, "-algorithm", "bully"}} {
			file := opened(t, viewed(t, args...)).File
			require.NotNil(t, file)
			shown := engine.Open([]byte(file.Text), file.Name)
			require.Nil(t, shown.Problem)
			require.Equal(t, algorithm, shown.Recording.Algorithm)
			if algorithm == s.Shows {
				require.Equal(t, s.Title, shown.Recording.Title)
				continue
			}
			require.Contains(t, shown.Recording.Title, "(ours)", s.Name)
			require.NotContains(t, shown.Recording.Title, s.Title, "what befalls another algorithm is no title of a run of ours")
			require.Contains(t, shown.Recording.Watch, s.Title, "what befalls the other is said: that is the contrast")
		}
	}
}

// TestTours sees that the program knows the tours of the page, in their order: a name that is in neither is refused before a page is made.
func TestTours(t *testing.T) {
	t.Parallel()
	const stories = "../../../traces/viewer/src/tours/stories/"
	list, err := os.ReadFile(stories + "index.ts")
	require.NoError(t, err)
	files, err := filepath.Glob(stories + "*.ts")
	require.NoError(t, err)
	names := map[string]string{} // by what the sources call a tour
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range regexp.MustCompile(`export const (\w+): Tour = \{\s+name: '([a-z-]+)'`).FindAllSubmatch(source, -1) {
			names[string(found[1])] = string(found[2])
		}
	}
	inOrder := regexp.MustCompile(`tours: Tour\[\] = \[([^\]]+)\]`).FindSubmatch(list)
	require.NotNil(t, inOrder, "index.ts lists the tours")
	var page []string
	for called := range strings.SplitSeq(string(inOrder[1]), ", ") {
		page = append(page, names[called])
	}
	require.Equal(t, page, tours)
	require.Len(t, names, len(tours), "every tour is in the list")
}

// TestViewLink opens a tour, and a scenario twice.
func TestViewLink(t *testing.T) {
	t.Parallel()
	for _, tour := range tours {
		require.Equal(t, "tour="+tour, opened(t, viewed(t, "-tour", tour)).Link)
	}
	require.Equal(t, "beside=bully&s=split-brain", opened(t, viewed(t, "-beside", "bully", "split-brain")).Link)
	require.Equal(t, "beside=raft&by=textbook-stamp&s=split-brain", opened(t, viewed(t, "split-brain", "-algorithm", "textbook-stamp", "-beside", "raft")).Link)
}

// TestViewLive sees which nodes a page watches.
func TestViewLive(t *testing.T) {
	t.Parallel()
	known := map[string]string{"1": "http://127.0.0.1:1", "3": "http://127.0.0.1:3"}
	node := asked(t, map[string]any{"/views": map[string]any{"node": "1", "views": known}})
	page := viewed(t, "-live", node)
	live := opened(t, page).Live
	require.Equal(t, &viewer.Live{Nodes: []viewer.Node{{URL: "http://" + node}, {URL: "http://127.0.0.1:3"}}}, live)
	require.Contains(t, page, "connect-src http://"+node+" http://127.0.0.1:3;")

	gone := freeAddress(t)
	status, page, log := workbench(t, "view", "-live", "http://"+gone+"/", "-o", "-")
	require.Equal(t, cli.OK, status)
	require.Equal(t, []viewer.Node{{URL: "http://" + gone}}, opened(t, page).Live.Nodes, "it may come yet")
	require.Equal(t, "workbench view: only the node at http://"+gone+" is shown: it has not told of others, by its -view\n", log)
	require.Len(t, opened(t, viewed(t, "-live", gone+", https://b.example", "-live", "c.example")).Live.Nodes, 3)
}

// asked is a node that says this. It returns its address.
func asked(t *testing.T, said map[string]any) string {
	t.Helper()
	address := freeAddress(t)
	server := &http.Server{Addr: address, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(said[r.URL.Path])
	})}
	go func() { _ = server.ListenAndServe() }()
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	until(t, "it answers", func() bool { return answers(address) })
	return address
}

// TestViewServe serves a page until the command is told to end.
func TestViewServe(t *testing.T) {
	t.Parallel()
	p := start(t, "view", "failover")
	until(t, "it says where", func() bool { return strings.HasSuffix(p.out.String(), "/\n") })
	url := strings.TrimSpace(p.out.String())
	require.Regexp(t, `^http://127\.0\.0\.1:\d+/$`, url)
	get := func(change func(*http.Request)) *http.Response {
		request, err := http.NewRequest(http.MethodGet, url, nil)
		require.NoError(t, err)
		change(request)
		response, err := http.DefaultTransport.RoundTrip(request)
		require.NoError(t, err)
		t.Cleanup(func() { _ = response.Body.Close() })
		return response
	}
	response := get(func(*http.Request) {})
	require.True(t, response.Uncompressed, "it came as gzip")
	page, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, "failover", opened(t, string(page)).Golden)
	require.Contains(t, response.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
	for name, code := range map[string]int{"localhost": 200, "127.0.0.1:1": 200, "[::1]:80": 200, "evil.example": 421, "evil.example:80": 421, "localhost.evil.example": 421} {
		require.Equal(t, code, get(func(r *http.Request) { r.Host = name }).StatusCode, name)
	}
	require.Equal(t, http.StatusNotFound, get(func(r *http.Request) { r.URL.Path = "/etc/passwd" }).StatusCode)
	require.Equal(t, http.StatusMethodNotAllowed, get(func(r *http.Request) { r.Method = http.MethodPost }).StatusCode)

	p.stop()
	require.Equal(t, cli.OK, <-p.ended, "it was told to end")
	require.Empty(t, p.log.String())
	require.Equal(t, url+"\n", p.out.String(), "one line")
}

// TestViewEverybody sees that it is said when others can read the page.
func TestViewEverybody(t *testing.T) {
	t.Parallel()
	p := start(t, "view", "-http", "0.0.0.0:0")
	until(t, "it says where", func() bool { return strings.HasSuffix(p.out.String(), "/\n") })
	require.Regexp(t, `^workbench view: everybody who reaches (0\.0\.0\.0|\[::\]):\d+ can read the page\n$`, p.log)
	require.Regexp(t, `^http://127\.0\.0\.1:\d+/\n$`, p.out)
	p.stop()
	require.Equal(t, cli.OK, <-p.ended)
}

// TestViewRefused sees what is said of what cannot be shown, before anything is served.
func TestViewRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	big := filepath.Join(dir, "big.ndjson")
	require.NoError(t, os.WriteFile(big, nil, 0o644))
	require.NoError(t, os.Truncate(big, viewer.MaxText+1))
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{cli.Mismatch, "big.ndjson is larger than 16 MiB (16777216 bytes)", []string{big}},
		{cli.Mismatch, "is a folder: give a file", []string{dir}},
		{cli.Mismatch, "failovre: there is no such file, and no golden trace or scenario of that name; did you mean failover?", []string{"failovre"}},
		{cli.Mismatch, "did you mean split-brain?", []string{"split-brian"}},
		{cli.Misused, `algorithm: there is none of the name "paxos"`, []string{"-algorithm", "paxos", "split-brain"}},
		{cli.Misused, "-algorithm plays a scenario, and failover is a trace", []string{"-algorithm", "bully", "failover"}},
		{cli.Misused, "-algorithm plays a scenario: give its name too", []string{"-algorithm", "bully"}},
		{cli.Misused, `-live and "bully": a page shows one thing`, []string{"-live", "x:1", "-algorithm", "bully"}},
		{cli.Misused, "-beside plays a scenario, and failover is a trace", []string{"-beside", "bully", "failover"}},
		{cli.Misused, "-beside plays a scenario: give its name too", []string{"-beside", "bully"}},
		{cli.Misused, `-beside: run spec: algorithm: there is none of the name "paxos"`, []string{"-beside", "paxos", "split-brain"}},
		{cli.Misused, `-tour: there is none of the name "split-brian": there are failover, split-brain, fencing, ok-then-die, restart-race, hand-over, flapping, members, late-answer, raft, leases; did you mean split-brain?`, []string{"-tour", "split-brian", "-o", "-"}},
		{cli.Misused, `-tour failover and "split-brain": a page shows one thing`, []string{"-tour", "failover", "split-brain"}},
		{cli.Misused, `-live and "failover": a page shows one thing`, []string{"-tour", "failover", "-live", "x:1"}},
		{cli.Mismatch, "page.html: no such file or directory", []string{"-o", filepath.Join(dir, "none", "page.html")}},
		{cli.Mismatch, "-http: listen tcp", []string{"-http", "192.0.2.1:1"}},
		{cli.Misused, `"a" and "b": a page shows one thing`, []string{"a", "b"}},
		{cli.Misused, `-live and "a": a page shows one thing`, []string{"-live", "x:1", "a"}},
		{cli.Misused, `-http: "8000" is no address: give host:port`, []string{"-http", "8000"}},
		{cli.Misused, "-http serves a page, and -o writes one", []string{"-http", ":8000", "-o", "x"}},
		{cli.Misused, `"http://a/x" is no address of a page`, []string{"-live", "a/x"}},
		{cli.Misused, "an address is empty: give host:port", []string{"-live", "a:1,"}},
		{cli.Misused, "flag provided but not defined: -liv; did you mean -live?", []string{"a", "-liv", "x"}},
	} {
		status, out, log := workbench(t, append([]string{"view"}, c.args...)...)
		require.Equal(t, c.status, status, log)
		require.Contains(t, log, c.want)
		require.Empty(t, out)
	}
}

func TestViewHelp(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"help", "view"}, {"view", "-h"}} {
		status, out, _ := workbench(t, args...)
		require.Equal(t, cli.OK, status)
		for _, want := range []string{"Usage: workbench view [flags] [trace or scenario]", "workbench view run.ndjson -o page.html", "-live address"} {
			require.Contains(t, out, want)
		}
	}
}
