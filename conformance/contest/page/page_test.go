package page_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/conformance/contest"
	"github.com/seed-fdf591db/bully/conformance/contest/chart"
	"github.com/seed-fdf591db/bully/conformance/contest/diagram"
	"github.com/seed-fdf591db/bully/conformance/contest/page"
)

// drawn is a picture that is there already.
type drawn string

func (d drawn) SVG(int) ([]byte, error) { return []byte(d), nil }

// broken is a picture that cannot be drawn.
type broken struct{}

func (broken) SVG(int) ([]byte, error) { return nil, errors.New("there is no paper") }

const box = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><title>box</title><rect width="9" height="9"/></svg>`

// sample is a page with all that a page can have; the texts are all the same.
func sample(text string) page.Page {
	lines := chart.Lines{Title: text + "t", Note: text, X: chart.Axis{Label: text}, Series: []chart.Series{
		{Name: text, Points: []chart.Point{{X: 3, Y: 8, Low: 2, High: 9}, {X: 5, Y: chart.Never}}}}, Bounds: []chart.Curve{{Name: text, At: func(x float64) float64 { return x }}}}
	bars := chart.Bars{Title: text + "t", Categories: []string{text}, Rows: []chart.Row{{Name: text, Values: []float64{1}, Notes: []string{text}}}, LimitName: text}
	run := diagram.Diagram{Title: text + "t", Scenario: &contest.Scenario{Nodes: 2, Length: time.Second}, Result: &contest.Result{
		Timeline: []contest.Entry{{Kind: contest.Decides, Node: 1, Text: text}, {Kind: contest.Sends, Node: 1, Other: 2, Text: text, Arrives: time.Millisecond}}}}
	return page.Page{Title: text, Intro: text + "\n\n" + text, Machine: text, Notes: []string{text}, Sections: []page.Section{
		{ID: "messages", Title: text, Question: text, Text: text, Pictures: []page.Picture{lines, bars}, Command: text,
			Table: page.Table{Caption: text, Columns: []page.Column{{Name: text}, {Name: text, Number: true}}, Rows: [][]string{{text, text}, {"3", "8"}}}},
		{ID: "flaws", Title: text, Stories: []page.Story{{ID: "split-brain", Title: text, Watch: text, Cause: text, Remedy: text, Command: text, Runs: []page.Run{
			{Name: text, Verdict: text, Wrong: true, Picture: run}, {Name: text, Verdict: text, Picture: run}}}}},
	}}
}

// write writes a page.
func write(t require.TestingT, p page.Page) string {
	var b bytes.Buffer
	require.NoError(t, page.Write(&b, p))
	return b.String()
}

// shape returns the tags of a page, with their attributes but for those that have texts.
func shape(html string) string {
	html = regexp.MustCompile(`(?s)<style>.*?</style>`).ReplaceAllString(html, "")
	html = regexp.MustCompile(`aria-label="[^"]*"`).ReplaceAllString(html, "")
	return strings.Join(regexp.MustCompile(`</?[a-zA-Z!][^>]*>`).FindAllString(html, -1), "\n")
}

// No text becomes anything but text: the page has the same tags, whatever the texts are.
func TestHostileTexts(t *testing.T) {
	for _, text := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `</title></style></svg><script>x</script>`,
		`{{.Title}}{{template "x"}}`, `]]><!--`, `javascript:alert(1)`, "\x00\x1b[31m", `&lt;b&gt;`, `</desc><foreignObject>`, "\u202etxet",
	} {
		html := write(t, sample(text))
		for _, never := range []string{"<script", "<img", "<foreignObject", "<!--", `href="java`, "\x00", "\x1b", "\u202e"} {
			require.False(t, strings.Contains(html, never), "%q became %q", text, never)
		}
	}
	want := tags(write(t, sample("plain")))
	rapid.Check(t, func(t *rapid.T) {
		// Of the same letters there are as many lines of text, so that the drawings have the same elements.
		text := rapid.StringMatching(`[<>"'&;/=!{}\-]{1,5}`).Draw(t, "text")
		require.Equal(t, want, tags(write(t, sample(text))))
	})
}

// tags returns how often a page has each tag, without those of which drawings have as many as text needs.
func tags(html string) map[string]int {
	count := map[string]int{}
	for _, tag := range strings.Split(shape(html), "\n") {
		name, _, _ := strings.Cut(strings.Trim(tag, "<>"), " ")
		if name != "text" && name != "/text" {
			count[name]++
		}
	}
	return count
}

// A page needs nothing from elsewhere, and says so to the browser.
func TestSelfContained(t *testing.T) {
	html := write(t, sample("text"))
	require.Empty(t, regexp.MustCompile(`(?i)\b(src|srcset|action|data|poster)\s*=`).FindAllString(html, -1))
	for _, link := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		require.Truef(t, strings.HasPrefix(link[1], "#"), "%s", link[1])
		require.Containsf(t, html, `id="`+link[1][1:]+`"`, "the link %s goes nowhere", link[1])
	}
	for _, never := range []string{"<link", "<script", "@import", "url(", "<iframe"} {
		require.NotContains(t, html, never)
	}
	require.Empty(t, regexp.MustCompile(`https?://`).FindAllString(strings.ReplaceAll(html, "http://www.w3.org/2000/svg", ""), -1))
	require.Contains(t, html, `default-src 'none'`)
	require.Contains(t, html, "prefers-color-scheme:dark")
	require.Contains(t, html, `name="viewport"`)
}

// IDs are unique, all that is labelled by another has that other, tables can be scrolled with the keyboard, and every
// element that begins ends.
func TestAccessible(t *testing.T) {
	html := write(t, sample("text"))
	seen := map[string]bool{}
	for _, id := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		require.Falsef(t, seen[id[1]], "%s is there twice", id[1])
		seen[id[1]] = true
	}
	for _, by := range regexp.MustCompile(`aria-labelledby="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		require.True(t, seen[by[1]], by[1])
	}
	require.Contains(t, html, `<div class="scroll" tabindex="0" role="region" aria-label="text">`)
	require.Contains(t, html, `<th scope="row">3</th><td class="number">8</td>`)
	require.Contains(t, html, `<html lang="en">`)
	require.Equal(t, 1, strings.Count(html, "<h1>"))
	body := regexp.MustCompile(`(?s)<body>.*</body>`).FindString(html)
	require.NoError(t, xml.Unmarshal([]byte(body), new(struct{})), "each element of the body ends")
	p := sample("text")
	for range 20 {
		p.Sections[0].Table.Rows = append(p.Sections[0].Table.Rows, []string{"a", "b"})
	}
	require.Contains(t, write(t, p), `<div class="scroll tall" tabindex="0"`)
	require.Equal(t, write(t, p), write(t, p), "the same page, the same bytes")
}

// What is empty is left out.
func TestEmpty(t *testing.T) {
	html := write(t, page.Page{Title: "t", Sections: []page.Section{{ID: "a", Title: "A"}}})
	for _, never := range []string{"<table", "<figure", "<pre", "<dl", "<article", "<p></p>", `class="question"`, "<li></li>"} {
		require.NotContains(t, html[strings.Index(html, "<body>"):], never)
	}
}

func TestBadPages(t *testing.T) {
	with := func(change func(s *page.Section)) page.Page {
		p := sample("text")
		change(&p.Sections[0])
		return p
	}
	picture := func(svg string) page.Page {
		return with(func(s *page.Section) { s.Pictures = []page.Picture{drawn(svg)} })
	}
	require.Contains(t, write(t, picture(box)), box)
	inside := func(text string) page.Page { return picture(strings.Replace(box, "<rect", text+"<rect", 1)) }
	for want, p := range map[string]page.Page{
		"no sections":                     {Title: "t"},
		`ID ""`:                           with(func(s *page.Section) { s.ID = "" }),
		`ID "A b"`:                        with(func(s *page.Section) { s.ID = "A b" }),
		`ID "split-brain" is there twice`: with(func(s *page.Section) { s.ID = "split-brain" }),
		`ID "contents" is there twice`:    with(func(s *page.Section) { s.ID = "contents" }),
		"row 1 of the table has 1 cells":  with(func(s *page.Section) { s.Table.Rows[0] = []string{"a"} }),
		"picture 1 is nil":                with(func(s *page.Section) { s.Pictures[0] = nil }),
		"the run of \"x\" has no picture": with(func(s *page.Section) { s.Stories = []page.Story{{ID: "s", Runs: []page.Run{{Name: "x"}}}} }),
		"there is no paper":               with(func(s *page.Section) { s.Pictures = []page.Picture{broken{}} }),
		"there is <script>":               inside("<script/>"),
		"there is <foreignObject>":        inside("<foreignObject/>"),
		"there is <a>":                    inside(`<a href="x"/>`),
		"there is <svg>":                  inside(`<svg/>`),
		`has onload="x"`:                  inside(`<g onload="x"/>`),
		`has href="#a"`:                   inside(`<g href="#a"/>`),
		`has fill="URL(x)"`:               inside(`<g fill="URL(x)"/>`),
		"its style has more than rules":   inside(`<style>@import 'x';</style>`),
		"its style has more than":         inside(`<style>a{b:url(x)}</style>`),
		"there is <! in it":               inside(`<![CDATA[><script>]]>`),
		"there is a xml.ProcInst":         picture("<?xml version='1.0'?>" + box),
		"there are 2 pictures":            picture(box + box),
		"there are 0 pictures":            picture(""),
		"it is not XML":                   picture(box[:40]),
		"there is text outside":           picture(box + "x"),
		"there is <g> where it does not":  picture("<g/>"),
	} {
		var b bytes.Buffer
		require.ErrorContains(t, page.Write(&b, p), want)
		require.Zero(t, b.Len(), "nothing is written of a page that is not valid")
	}
}
