package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/engine"
	"github.com/seed-fdf591db/bully/impl/internal/interactive"
	"github.com/seed-fdf591db/bully/impl/internal/web"
	goldens "github.com/seed-fdf591db/bully/traces"
	"github.com/seed-fdf591db/bully/traces/viewer"
)

const viewHelp = `
Shows elections in the browser, and lets you intervene in them: kill the leader, cut links, step back. It prints
the address of the page, and serves it until it is interrupted; with -o it writes the page to a file, which needs
nothing else, and works without a network.

  workbench view                                 play: choose nodes, an algorithm, faults
  workbench view run.ndjson                      a trace; or a recording, a run spec, what TLC has printed
  workbench view failover                        a golden trace, by its name in traces/valid
  workbench view split-brain                     a scenario of workbench compare -list, on the algorithm that goes wrong in it
  workbench view -algorithm bully split-brain    … on another: here ours
  workbench view -beside bully split-brain       … and another beside it, on one clock
  workbench view -tour split-brain               a story in a few steps, with a sentence at each
  workbench view run.ndjson -o page.html         … as a file; - is standard output
  workbench view -site folder                    for a web server: the page, and a small page with title and picture for each run and tour, which
                                             chats show beside a link; it works from the disk too. -address says where it will be
  workbench view -live 10.0.0.1:8000             a cluster that runs: the nodes that were given -http, and those that they
                                             know by -view

A file that is broken opens all the same, as far as it goes: the page says which line is wrong, and why.

`

// tours are those of the page, in the order in which it lists them: a test compares the two.
var tours = []string{"failover", "split-brain", "fencing", "ok-then-die", "restart-race", "hand-over", "flapping", "members", "late-answer", "raft", "leases"}

// viewing says what a page shows, and where it goes.
type viewing struct {
	http, out string
	live      []string // addresses of nodes
	what      string   // a file, a golden trace or a scenario
	algorithm string   // that plays the scenario; "": the one that it is about
	beside    string   // that plays it too, beside the other; or ""
	tour      string   // a tour of the page
	site      string   // a folder to write: everything, for any web server
	address   string   // where that folder will be; "": nobody knows
}

// view shows runs, traces and clusters in the browser.
func view(ctx context.Context, p program, args []string) error {
	v, err := p.viewing(args)
	if err != nil {
		return err
	}
	if v.site != "" {
		return v.writeSite()
	}
	options, err := v.options(ctx, p)
	if err != nil {
		return err
	}
	page, err := viewer.New(options)
	if err != nil {
		return err
	}
	if v.out != "" {
		return v.write(p, page)
	}
	return v.serve(ctx, p, page)
}

// viewing reads the arguments. Flags may come behind what is to be shown, too.
func (p program) viewing(args []string) (v viewing, err error) {
	flags := p.Flags("view")
	flags.StringVar(&v.http, "http", "127.0.0.1:0", "serve the page on this `address`; port 0 is any that is free")
	flags.StringVar(&v.out, "o", "", "write the page to this `file`, and serve nothing; - is standard output")
	flags.StringVar(&v.algorithm, "algorithm", "", "play a scenario with the algorithm of this `name`")
	flags.StringVar(&v.beside, "beside", "", "play a scenario with the algorithm of this `name` too, beside the other")
	flags.StringVar(&v.tour, "tour", "", "take the tour of this `name`")
	flags.StringVar(&v.site, "site", "", "write a `folder` for any web server: index.html, and a page with a picture for each run of the gallery and each tour")
	flags.StringVar(&v.address, "address", "", "where the folder of -site will be, as `https://…/`: who shows pictures of links wants whole addresses")
	flags.Func("live", "show the running cluster of the node at this `address`; may be given again, or with commas between", func(text string) error {
		for part := range strings.SplitSeq(text, ",") {
			v.live = append(v.live, strings.TrimSpace(part))
		}
		return nil
	})
	for first := true; first || len(args) > 0; first = false {
		if err := p.ParseSome(flags, args, cli.Manual{Arguments: " [trace or scenario]", Text: viewHelp}); err != nil {
			return v, err
		}
		if args = flags.Args(); len(args) == 0 {
			break
		}
		if v.what != "" {
			return v, cli.Usage(fmt.Sprintf("%q and %q: a page shows one thing", v.what, args[0]))
		}
		v.what, args = args[0], args[1:]
	}
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if given["http"] && v.out != "" {
		return v, cli.Usage("-http serves a page, and -o writes one: give one of them")
	}
	if _, _, err := net.SplitHostPort(v.http); err != nil {
		return v, cli.Usage(fmt.Sprintf("-http: %q is no address: give host:port, such as 127.0.0.1:8000", v.http))
	}
	if err := v.single(); err != nil {
		return v, err
	}
	if err := v.checkSite(given); err != nil {
		return v, err
	}
	for i, address := range v.live {
		if v.live[i], err = web.URL(address); err != nil {
			return v, cli.Usage(err.Error())
		}
	}
	return v, nil
}

// single says what is given beside what a page shows already.
func (v viewing) single() error {
	what := cmp.Or(v.what, v.algorithm, v.beside)
	switch {
	case len(v.live) > 0 && cmp.Or(what, v.tour) != "":
		return cli.Usage(fmt.Sprintf("-live and %q: a page shows one thing", cmp.Or(what, v.tour)))
	case v.tour != "" && what != "":
		return cli.Usage(fmt.Sprintf("-tour %s and %q: a page shows one thing", v.tour, what))
	}
	return nil
}

// played returns the flag that says who plays a scenario, if one does.
func (v viewing) played() string {
	switch {
	case v.algorithm != "":
		return "-algorithm"
	case v.beside != "":
		return "-beside"
	}
	return ""
}

// options returns what the page opens.
func (v viewing) options(ctx context.Context, p program) (viewer.Options, error) {
	switch {
	case len(v.live) > 0:
		return viewer.Options{Live: &viewer.Live{Nodes: v.nodes(ctx, p)}}, nil
	case v.tour != "" && !slices.Contains(tours, v.tour):
		return viewer.Options{}, cli.Usage(fmt.Sprintf("-tour: there is none of the name %q: there are %s%s", v.tour, strings.Join(tours, ", "), cli.Suggest(v.tour, tours)))
	case v.tour != "":
		return viewer.Options{Link: "tour=" + v.tour}, nil
	case v.what == "" && v.played() != "":
		return viewer.Options{}, cli.Usage(v.played() + " plays a scenario: give its name too (\"workbench compare -list\" lists them)")
	case v.what == "":
		return viewer.Options{}, nil
	}
	file, err := readFile(v.what)
	if err == nil {
		p.warn(file)
	}
	golden := strings.TrimSuffix(v.what, ".ndjson")
	if errors.Is(err, fs.ErrNotExist) {
		if _, none := fs.Stat(goldens.Valid, golden+".ndjson"); none != nil {
			return v.scenario()
		}
		file, err = nil, nil
	}
	switch {
	case err != nil:
		return viewer.Options{}, err
	case v.played() != "":
		return viewer.Options{}, cli.Usage(fmt.Sprintf("%s plays a scenario, and %s is a trace or a file", v.played(), v.what))
	case file != nil:
		return viewer.Options{File: file}, nil
	}
	return viewer.Options{Golden: golden}, nil
}

// scenario returns the scenario of a name that is neither a file nor a golden trace.
func (v viewing) scenario() (viewer.Options, error) {
	var names []string
	for _, s := range scenarios.All() {
		names = append(names, s.Name)
	}
	if !slices.Contains(names, v.what) {
		valid, bad := fs.Glob(goldens.Valid, "*.ndjson")
		for _, name := range valid {
			names = append(names, strings.TrimSuffix(name, ".ndjson"))
		}
		return viewer.Options{}, errors.Join(bad, fmt.Errorf("%s: there is no such file, and no golden trace or scenario of that name%s", v.what, cli.Suggest(strings.TrimSuffix(v.what, ".ndjson"), names)))
	}
	runSpec := interactive.RunSpec{RunSpec: 1, Scenario: v.what, Algorithm: v.algorithm, Do: []interactive.Intervention{}}
	if err := runSpec.Validate(); err != nil {
		return viewer.Options{}, cli.Usage(err.Error())
	}
	if v.beside != "" {
		other := interactive.RunSpec{RunSpec: 1, Scenario: v.what, Algorithm: v.beside, Do: []interactive.Intervention{}}
		if err := other.Validate(); err != nil {
			return viewer.Options{}, cli.Usage("-beside: " + err.Error())
		}
		link := url.Values{"s": {v.what}, "beside": {v.beside}}
		if v.algorithm != "" {
			link.Set("by", v.algorithm)
		}
		return viewer.Options{Link: link.Encode()}, nil
	}
	text, err := json.Marshal(runSpec)
	return viewer.Options{File: &viewer.File{Name: v.what + ".json", Text: string(text)}}, err
}

// warn says what the page will say is wrong with a file.
func (p program) warn(file *viewer.File) {
	if wrong := engine.Open([]byte(file.Text), file.Name).Problem; wrong != nil {
		_, _ = fmt.Fprintf(p.Log, "workbench view: %s: %s\n", file.Name, wrong)
	}
}

// nodes returns the nodes to watch: those at the addresses given, and those that they know of.
func (v viewing) nodes(ctx context.Context, p program) (nodes []viewer.Node) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	urls := web.Views(ctx, v.live)
	for _, url := range urls {
		nodes = append(nodes, viewer.Node{URL: url})
	}
	if len(urls) == 1 {
		_, _ = fmt.Fprintf(p.Log, "workbench view: only the node at %s is shown: it has not told of others, by its -view\n", urls[0])
	}
	return nodes
}

// readFile reads a file that a page is to open. Its error names the file, and the limit that it breaks.
func readFile(name string) (*viewer.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a folder: give a file; \"bully trace merge %s\" makes one of what nodes have recorded", name, name)
	}
	text, err := io.ReadAll(io.LimitReader(f, viewer.MaxText+1)) // what is no file has no size
	if err != nil {
		return nil, err
	}
	if len(text) > viewer.MaxText {
		return nil, fmt.Errorf("%s is larger than 16 MiB (%d bytes), which is the most that a page opens: cut it, with head perhaps", name, viewer.MaxText)
	}
	return &viewer.File{Name: info.Name(), Text: string(text)}, nil
}

// write writes the page to a file.
func (v viewing) write(p program, page *viewer.Page) error {
	if v.out == "-" {
		_, err := page.WriteTo(p.Out)
		return err
	}
	f, err := os.Create(v.out)
	if err != nil {
		return err
	}
	_, err = page.WriteTo(f)
	return errors.Join(err, f.Close())
}

// serve serves the page until ctx ends.
func (v viewing) serve(ctx context.Context, p program, page *viewer.Page) error {
	l, err := net.Listen("tcp", v.http)
	if err != nil {
		return fmt.Errorf("-http: %w", err)
	}
	page.Pack()
	mux := http.NewServeMux()
	mux.Handle("/{$}", page)
	var handler http.Handler = mux
	address := l.Addr().(*net.TCPAddr)
	switch {
	case address.IP.IsLoopback():
		handler = byAddress(mux)
	case address.IP.IsUnspecified():
		address = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: address.Port}
		fallthrough
	default:
		_, _ = fmt.Fprintf(p.Log, "workbench view: everybody who reaches %s can read the page\n", l.Addr())
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: time.Minute,
		IdleTimeout: 30 * time.Second, MaxHeaderBytes: 16 << 10}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	_, _ = fmt.Fprintf(p.Out, "http://%s/\n", address)
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// byAddress serves those who ask for this machine by its address, or as localhost. Another name that leads here is one that
// a page elsewhere has made up to read what is not for it.
func byAddress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if host != "localhost" && net.ParseIP(strings.Trim(host, "[]")) == nil {
			http.Error(w, "ask for 127.0.0.1 or localhost", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
