package svg_test

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/conformance/contest/chart/svg"
)

var style = svg.Style{Size: 12, Class: svg.Ink}

// Whatever a text is, it is written as text, and read as what can be seen of it.
func TestAnyTextIsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"<script>alert(1)</script>", "a]]>b", "\"'&<>", "\x00\x1b[0m",
			"\xff\xfe", "\u202egnp.exe", "&lt;", "</text></svg>", "\u00a0", "a\nb"})).Draw(t, "text")
		var d svg.Drawing
		d.Titled("circle", text, "r", "1", "class", text)
		d.Text(1, 20, style, text)
		document := d.Document(svg.Head{Title: text + "title", Description: "d" + text, Width: 10000, Height: 30})
		require.NoError(t, svg.Check(document))
		reader, read := xml.NewDecoder(strings.NewReader(string(document))), ""
		for in := ""; ; {
			token, err := reader.Token()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			switch e := token.(type) {
			case xml.StartElement:
				in = e.Name.Local
				require.Contains(t, []string{"svg", "title", "desc", "style", "rect", "circle", "text"}, in)
			case xml.EndElement:
				in = ""
			case xml.CharData:
				if in == "text" {
					read += string(e)
				}
			}
		}
		require.Equal(t, svg.Clean(text), read)
	})
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"a\nb\t c": "a b c", " ": "", "\x00x\x1b[0m": "x [0m", "\u202ea": "a", "a\u00a0b": "a\u00a0b", "\xffa": "a", "é→🙂": "é→🙂", "\uffff": "",
	} {
		require.Equal(t, want, svg.Clean(text), "%q", text)
	}
}

// Lines are never too wide, and nothing that can be seen is lost.
func TestWrap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-z]{1,30}[-/ ,→]{0,2}){0,12}`).Draw(t, "text")
		width := rapid.Float64Range(15, 300).Draw(t, "width")
		lines := svg.Wrap(text, width, style)
		for _, line := range lines {
			require.NotEmpty(t, line)
			require.LessOrEqual(t, svg.Width(line, style), width)
		}
		joined := strings.ReplaceAll(strings.Join(lines, ""), " ", "")
		require.Equal(t, strings.ReplaceAll(svg.Clean(text), " ", ""), joined)
	})
	require.Equal(t, []string{"textbook-no-", "tcoord"}, svg.Wrap("textbook-no-tcoord", 85, style))
	require.Equal(t, []string{"worst:", "n\u00a0−\u00a01"}, svg.Wrap("worst: n\u00a0−\u00a01", 50, style))
	require.Equal(t, []string{"a", "b"}, svg.Wrap("ab", 1, style), "a line has at least a character")
	require.Empty(t, svg.Wrap(" \n", 50, style))
	bold := style
	bold.Bold = true
	require.Greater(t, svg.Width("text", bold), svg.Width("text", style))
	require.Greater(t, svg.Width("五", style), svg.Width("w", style))
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", -0.001: "0", 1.005: "1", 10: "10", 100: "100", 0.5: "0.5", 12.346: "12.35", -3.1: "-3.1"} {
		require.Equal(t, want, svg.N(v))
	}
	require.Equal(t, "1,2 3,4.5", svg.Points(1, 2, 3, 4.5))
}

// Check must see each thing that can be wrong.
func TestCheckSees(t *testing.T) {
	draw := func(add func(d *svg.Drawing)) []byte {
		var d svg.Drawing
		d.Text(10, 20, style, "first")
		add(&d)
		return d.Document(svg.Head{Title: "t", Description: "d", Width: 100, Height: 50})
	}
	require.NoError(t, svg.Check(draw(func(*svg.Drawing) {})))
	for want, add := range map[string]func(d *svg.Drawing){
		"lies on":          func(d *svg.Drawing) { d.Text(30, 22, style, "second") },
		"is cut off":       func(d *svg.Drawing) { d.Text(80, 40, style, "too long") },
		"not from 0 to 50": func(d *svg.Drawing) { d.Add("line", "y1", "51") },
		`"NaN"`:            func(d *svg.Drawing) { d.Add("circle", "cx", "NaN") },
		`"+Inf"`:           func(d *svg.Drawing) { d.Add("polygon", "points", "1,+Inf") },
		"has no place":     func(d *svg.Drawing) { d.Begin("text"); d.End() },
	} {
		require.ErrorContains(t, svg.Check(draw(add)), want)
	}
	right := svg.Style{Size: 12, Anchor: svg.Right}
	require.ErrorContains(t, svg.Check(draw(func(d *svg.Drawing) { d.Text(10, 40, right, "left of it") })), "is cut off")
	whole := string(draw(func(*svg.Drawing) {}))
	require.ErrorContains(t, svg.Check([]byte(whole[:len(whole)-8])), "not well-formed")
	require.ErrorContains(t, svg.Check([]byte(strings.Replace(whole, "<desc>d", "<desc>", 1))), "no description")
	require.ErrorContains(t, svg.Check([]byte(strings.Replace(whole, `role="img"`, "", 1))), "role")
	require.ErrorContains(t, svg.Check([]byte("<svg role='img' aria-label='a'/>")), "view box")
	require.Error(t, svg.Check(nil))
}

// What a drawing has no classes for would be black, in the dark too.
func TestColours(t *testing.T) {
	var d svg.Drawing
	document := string(d.Document(svg.Head{Title: "t", Description: "d", Width: 1, Height: 1}))
	light, dark, ok := strings.Cut(document, "@media (prefers-color-scheme:dark)")
	require.True(t, ok)
	for _, class := range []string{"paper", svg.Ink, svg.Soft, svg.Bad, "grid", "axis", "bound", "wrong", "alarm", "shade", "mild", "arrow", "head", "s0", "f0", "s8", "f8"} {
		require.Contains(t, light, "."+class+"{")
		require.Contains(t, dark, "."+class+"{")
	}
	require.True(t, utf8.ValidString(document))
	require.NotContains(t, document, "url(")
	require.NotContains(t, document, "id=")
}

// Ends that are missing are added, and those that are too many do nothing.
func TestBeginAndEnd(t *testing.T) {
	var d svg.Drawing
	d.End()
	d.Begin("g", "class", "head", "stroke", "")
	d.Begin("g")
	d.End()
	document := d.Document(svg.Head{Title: "t", Description: "d", Width: 1, Height: 1})
	require.NoError(t, svg.Check(document))
	require.Contains(t, string(document), "<g class=\"head\">\n<g>\n</g>\n</g>\n</svg>")
}
