package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/engine"
	"github.com/seed-fdf591db/bully/traces/viewer"
)

// A site is a folder for any web server, at any path of it, or for none: all addresses in it are relative. What comes after a # no server sees, and
// no chat either that shows what is behind a link; so each run of the gallery, and each tour, has a small page of its own, with its title and its
// picture, which goes on to index.html.
//
//	index.html  the page, engine and gallery within
//	index.png   its picture
//	runs/       of each run of the gallery: split-brain.html, split-brain.png
//	tours/      of each tour: failover.html

// linked is a small page that goes on to the page.
type linked struct {
	Name, Title, About string
	To                 template.URL // a part of index.html
	Picture            string       // where its picture is, from its own folder
	Whole              string       // the same with its host, if that is known
	Says               string       // what the picture shows
}

// toIndex is the way from a small page to the page. It goes on with the name of a run or a tour, escaped.
const toIndex template.URL = "../index.html#"

// galleryRun is a run of the gallery.
type galleryRun struct {
	kind, name   string // as sketch of the engine wants them
	title, about string
	hash         string
}

// galleryRuns returns the runs of the gallery.
func galleryRuns() (all []galleryRun) {
	gallery := engine.Look()
	for _, s := range gallery.Scenarios {
		all = append(all, galleryRun{"scenario", s.Name, s.Title, s.Watch, "s=" + url.QueryEscape(s.Name)})
	}
	for _, g := range gallery.Golden {
		all = append(all, galleryRun{"golden", g.Name, spoken(g.Name), g.Watch, "g=" + url.QueryEscape(g.Name)})
	}
	for _, g := range gallery.Refused {
		all = append(all, galleryRun{"refused", g.Name, spoken(g.Name), g.Watch, "g=" + url.QueryEscape(g.Name)})
	}
	return all
}

// spoken returns the name of a trace as words.
func spoken(name string) string {
	words := strings.NewReplacer("-", " ", "_", " ").Replace(name)
	return strings.ToUpper(words[:1]) + words[1:]
}

var stub = template.Must(template.New("stub").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file: data:; base-uri 'none'; form-action 'none'">
<meta http-equiv="refresh" content="0; url={{.To}}">
<title>{{.Title}} · Bully</title>
<meta name="description" content="{{.About}}">
<meta property="og:type" content="website">
<meta property="og:title" content="{{.Title}}">
<meta property="og:description" content="{{.About}}">
<meta property="og:image" content="{{.Whole}}">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:image:alt" content="{{.Says}}">
<meta name="twitter:card" content="summary_large_image">
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; --paper: #f7f6f2; --ink: #1b1f24; --accent: #0a58a6; }
@media (prefers-color-scheme: dark) { :root { --paper: #12161b; --ink: #e6eaef; --accent: #72b7f2; } }
body { margin: 1rem auto; max-width: 60rem; padding: 0 1rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
a { color: var(--accent); }
img { display: block; width: 100%; height: auto; }
</style>
</head>
<body>
<main>
<h1>{{.Title}}</h1>
<p>{{.About}}</p>
<p><a href="{{.To}}">See it play</a></p>
<img src="{{.Picture}}" alt="{{.Says}}" width="1200" height="630">
</main>
</body>
</html>
`))

// writeSite writes a folder, which may be there already: what is there of the same name is written anew.
func (v viewing) writeSite() error {
	tours, err := viewer.Tours()
	if err != nil {
		return err
	}
	for _, folder := range []string{"runs", "tours"} {
		if err := os.MkdirAll(filepath.Join(v.site, folder), 0o755); err != nil {
			return err
		}
	}
	pictures := map[string]string{} // what each picture of a run shows
	for _, r := range galleryRuns() {
		rows, err := rowsOf(r.kind, r.name)
		if err != nil {
			return err
		}
		if err := v.put("runs/"+r.name+".png", drawSketch(rows)); err != nil {
			return err
		}
		pictures[r.name] = leadersOf(rows)
		if err := v.putLinked("runs", r.name+".png", linked{Name: r.name, Title: r.title, About: r.about, To: toIndex + template.URL(r.hash), Says: pictures[r.name]}); err != nil {
			return err
		}
	}
	for _, t := range tours {
		of := t.Shows
		if pictures[of] == "" {
			of = emblem
		}
		if err := v.putLinked("tours", "../runs/"+of+".png", linked{Name: t.Name, Title: t.Title, About: t.About, To: toIndex + template.URL("tour="+url.QueryEscape(t.Name)), Says: pictures[of]}); err != nil {
			return err
		}
	}
	return v.putIndex()
}

// emblem is the run whose picture stands for the whole page, and for what has none of its own.
const emblem = "failover"

func (v viewing) putIndex() error {
	page, err := viewer.New(viewer.Options{Picture: v.whole("", "index.png")})
	if err != nil {
		return err
	}
	rows, err := rowsOf("golden", emblem)
	if err != nil {
		return err
	}
	return errors.Join(v.put("index.html", page.Bytes()), v.put("index.png", drawSketch(rows)))
}

// putLinked writes a small page into a folder of the site.
func (v viewing) putLinked(folder, picture string, l linked) error {
	l.Picture, l.Whole = picture, v.whole(folder, picture)
	var page bytes.Buffer
	if err := stub.Execute(&page, l); err != nil {
		return err
	}
	return v.put(folder+"/"+l.Name+".html", page.Bytes())
}

// whole returns the address of a file, as a page in a folder of the site says it: with its host, if that is known.
func (v viewing) whole(folder, name string) string {
	if v.address == "" {
		return name
	}
	at, _ := url.JoinPath(v.address, folder, name) // checkSite has read the address
	return at
}

func (v viewing) put(name string, data []byte) error {
	return os.WriteFile(filepath.Join(v.site, filepath.FromSlash(name)), data, 0o644)
}

// checkSite says what is wrong with the flags of a site.
func (v viewing) checkSite(given map[string]bool) error {
	u, err := url.Parse(v.address)
	switch {
	case v.address != "" && v.site == "":
		return cli.Usage("-address says where the folder of -site will be: give that too")
	case v.address != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != ""):
		return cli.Usage(fmt.Sprintf("-address: %q is no address of a folder: give one such as https://example.org/bully/", v.address))
	case v.site != "" && (v.what != "" || slices.ContainsFunc(slices.Collect(maps.Keys(given)), func(flag string) bool { return flag != "site" && flag != "address" })):
		return cli.Usage("-site writes all there is: no other flag goes with it but -address, and nothing to show")
	}
	return nil
}

// rowsOf returns what a run of the gallery looks like from afar: a line of letters of each node (interactive.Sketch).
func rowsOf(kind, name string) ([]string, error) {
	var e engine.Engine
	args, err := json.Marshal([]string{kind, name})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Rows    []string `json:"rows"`
		Problem *struct {
			Problem string `json:"problem"`
		} `json:"problem"`
	}
	if err := json.Unmarshal([]byte(e.Call("sketch", string(args))), &answer); err != nil {
		return nil, err
	}
	if answer.Problem != nil {
		return nil, fmt.Errorf("there is no picture of %s: %s", name, answer.Problem.Problem)
	}
	return answer.Rows, nil
}

// leadersOf says in words who leads, one after the other: that is what the picture of a run shows. The page says it in the same words.
func leadersOf(rows []string) string {
	var said []string
	columns := 0
	for _, row := range rows {
		columns = max(columns, len(row))
	}
	for column := range columns {
		var who []string
		for node, row := range rows {
			if column < len(row) && row[column] >= '0' && row[column] <= '7' {
				who = append(who, strconv.Itoa(node+1))
			}
		}
		is := cmp.Or(strings.Join(who, " and "), "nobody")
		if len(said) == 0 || said[len(said)-1] != is {
			said = append(said, is)
		}
	}
	return "Who leads, from the beginning to the end: " + strings.Join(said, ", ") + "."
}
