package certificate

import (
	"fmt"
	"html"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/kit"
)

// HTML returns the releases as a page: what each has passed, by suite and by rule, and what has become better or worse since the one before.
func (r *Releases) HTML() string {
	name := html.EscapeString(r.Certificates[0].Port.Name)
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>%s: releases</title>
<style>body{font:15px system-ui,sans-serif;margin:2em}table{border-collapse:collapse;margin-bottom:2em}
td,th{padding:.3em .8em;border-bottom:1px solid #ccc;text-align:left;white-space:nowrap}tbody th{font-weight:500}
.good{color:#176b2c}.bad{color:#a11;font-weight:600}.none{color:#777}small{font-weight:normal}</style>
<h1>%s: releases</h1>
<p>A column is a release, the oldest one first: what it has passed, of how many cases. A rule is bad where a case says that it is broken; a case that failed for another rule
lacks in those passed. <em>Better</em> and <em>worse</em> are compared with the release before.</p>
<table><thead><tr><th>`, name, name)
	for _, c := range r.Certificates {
		fmt.Fprintf(&b, "<th>%s <small>%s</small>", html.EscapeString(c.Port.Version), html.EscapeString(c.Port.Language))
	}
	b.WriteString("</thead>\n")
	suites, rules := r.lines()
	for _, part := range []struct {
		name  string
		lines []line
	}{{"", r.heads()}, {"suites", suites}, {"rules", rules}} {
		b.WriteString("<tbody>\n")
		if part.name != "" {
			fmt.Fprintf(&b, "<tr><th colspan=%d><h2>%s</h2>\n", len(r.Certificates)+1, part.name)
		}
		for _, l := range part.lines {
			writeLine(&b, &l, part.name != "")
		}
	}
	b.WriteString("</table>\n</html>\n")
	return b.String()
}

// writeLine writes a row; its cells are good or bad if they are about what was passed.
func writeLine(b *strings.Builder, l *line, judged bool) {
	fmt.Fprintf(b, "<tr><th title=\"%s\">%s", html.EscapeString(kit.RuleText(l.name)), html.EscapeString(l.name))
	for _, c := range l.cells {
		class := ""
		switch {
		case c.none:
			class = "none"
		case judged && c.bad:
			class = "bad"
		case judged:
			class = "good"
		}
		fmt.Fprintf(b, "<td class=\"%s\">%s", class, html.EscapeString(c.text))
		if c.news != "" {
			fmt.Fprintf(b, " <small>%s</small>", c.news)
		}
	}
	b.WriteString("\n")
}
