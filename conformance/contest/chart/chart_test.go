package chart_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/conformance/contest/chart"
	"github.com/seed-fdf591db/bully/conformance/contest/chart/svg"
)

// picture is a chart of either kind.
type picture interface {
	SVG(width int) ([]byte, error)
}

// golden compares a drawing with the one that is kept, and keeps it instead if UPDATE_GOLDEN is set. Look at it before you
// commit it.
func golden(t *testing.T, name string, drawing []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".svg")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, drawing, 0o644))
	}
	kept, err := os.ReadFile(path)
	require.NoError(t, err, "UPDATE_GOLDEN=1 go test ./conformance/contest/chart writes it")
	require.Equal(t, string(kept), string(drawing), "if the change is meant: UPDATE_GOLDEN=1 go test ./conformance/contest/chart, and look at %s", path)
}

// messages is a chart with all that a logarithmic one can have.
func messages() chart.Lines {
	l := chart.Lines{
		Title: "Messages of an election: the worst start", Note: "Nothing is lost; each point is one run.",
		X: chart.Axis{Label: "nodes", Log: true}, Y: chart.Axis{Label: "messages per election", Log: true},
		Bounds: []chart.Curve{
			{Name: "n\u00a0−\u00a01", At: func(n float64) float64 { return n - 1 }},
			{Name: "n²\u00a0−\u00a01", At: func(n float64) float64 { return n*n - 1 }},
		},
	}
	for _, s := range []struct {
		name string
		of   func(n float64) float64
	}{
		{"textbook", func(n float64) float64 { return n*n - 1 }},
		{"textbook-no-tcoord", func(n float64) float64 { return n*n - 1 }},
		{"raft", func(n float64) float64 { return 3 * (n - 1) }},
		{"bully", func(n float64) float64 { return 6 * (n - 1) }},
	} {
		series := chart.Series{Name: s.name, Strong: s.name == "bully"}
		for _, n := range []float64{101, 3, 5, 11, 31} { // in any order
			if s.name != "bully" || n <= 64 {
				series.Points = append(series.Points, chart.Point{X: n, Y: s.of(n)})
			}
		}
		l.Series = append(l.Series, series)
	}
	return l
}

// failover is a chart with ranges, and with what was never and what is not known.
func failover() chart.Lines {
	l := chart.Lines{
		Title: "Time to a new leader", Note: "Median; from the fastest run to the 99th percentile.",
		X: chart.Axis{Label: "messages lost", Unit: "%", Even: true}, Y: chart.Axis{Label: "time", Unit: "ms"},
	}
	for i, name := range []string{"textbook", "ring", "raft", "bully"} {
		series := chart.Series{Name: name, Strong: name == "bully"}
		for k, x := range []float64{0, 1, 2, 5, 10, 20} {
			y := 300 + 40*float64(i) + x*x
			p := chart.Point{X: x, Y: y, Low: y * 0.8, High: y * 1.4, N: 100}
			switch {
			case i == 0 && k > 3, i == 1 && k > 4:
				p = chart.Point{X: x, Y: chart.Never, N: 100}
			case i == 2 && k == 2:
				p = chart.Point{X: x, Y: chart.Unknown}
			case i == 2 && k == 5:
				p.High = chart.Never
			}
			series.Points = append(series.Points, p)
		}
		l.Series = append(l.Series, series)
	}
	return l
}

// leaders is a chart of bars with a limit, zeros, what was never, and what is not known.
func leaders() chart.Bars {
	return chart.Bars{
		Title: "The most leaders at once", Note: "Of 100 runs each.", Value: chart.Axis{Label: "leaders"},
		Categories: []string{"partition", "pause", "asymmetric link"}, Limit: 1, LimitName: "at most one is right",
		Rows: []chart.Row{
			{Name: "textbook", Values: []float64{2, 3, 0}, Notes: []string{"seed 3", "", ""}},
			{Name: "a-name-that-does-not-fit-on-one-line", Values: []float64{1, chart.Unknown, chart.Never}},
			{Name: "bully", Values: []float64{1, 1, 1}, Strong: true},
		},
	}
}

func TestGolden(t *testing.T) {
	for name, p := range map[string]picture{"messages": messages(), "failover": failover(), "leaders": leaders()} {
		for _, width := range []int{360, 760} {
			drawing, err := p.SVG(width)
			require.NoError(t, err)
			require.NoError(t, svg.Check(drawing), "%s, %d", name, width)
			again, err := p.SVG(width)
			require.NoError(t, err)
			require.Equal(t, string(drawing), string(again), "the same chart, the same bytes")
			if width == 360 {
				golden(t, name, drawing)
			}
		}
	}
}

// What is never has a mark above the plot, the line breaks, and the word is there.
func TestNever(t *testing.T) {
	drawing, err := failover().SVG(760)
	require.NoError(t, err)
	text := string(drawing)
	require.Equal(t, 1, strings.Count(text, ">never</text>"))
	require.Equal(t, 3, strings.Count(text, "<title>textbook: never at")+strings.Count(text, "<title>ring: never at"))
	require.Contains(t, text, "<title>some never</title>")
	whole := failover()
	for i := range whole.Series {
		for k := range whole.Series[i].Points {
			whole.Series[i].Points[k].Y = 400
			whole.Series[i].Points[k].Low, whole.Series[i].Points[k].High = 0, 0
		}
	}
	drawing, err = whole.SVG(760)
	require.NoError(t, err)
	require.NotContains(t, string(drawing), ">never</text>")
	require.Less(t, strings.Count(string(drawing), "<polyline"), strings.Count(text, "<polyline"), "raft's line has no break now")
}

// Zeros are written, and have no bar; those above the limit are wrong.
func TestBars(t *testing.T) {
	drawing, err := leaders().SVG(760)
	require.NoError(t, err)
	text := string(drawing)
	require.Contains(t, text, ">0</text>")
	require.NotContains(t, text, "<title>textbook, asymmetric link: 0</title>", "a bar without length")
	require.Contains(t, text, `<rect class="bad"`)
	require.Contains(t, text, "<title>textbook, partition: 2, seed 3</title>")
	require.Contains(t, text, ">never</text>")
	require.Contains(t, text, ">–</text>")
	zeros := chart.Bars{Title: "t", Categories: []string{"c"}, Rows: []chart.Row{{Name: "a", Values: []float64{0}}}}
	drawing, err = zeros.SVG(360)
	require.NoError(t, err)
	require.NoError(t, svg.Check(drawing))
}

func TestBadLines(t *testing.T) {
	point := func(x, y float64) chart.Lines {
		return chart.Lines{Title: "t", Series: []chart.Series{{Name: "s", Points: []chart.Point{{X: x, Y: y}}}}}
	}
	logged := func(l chart.Lines) chart.Lines {
		l.X.Log, l.Y.Log = true, true
		return l
	}
	with := func(change func(l *chart.Lines)) chart.Lines {
		l := point(1, 2)
		change(&l)
		return l
	}
	for want, l := range map[string]chart.Lines{
		"no series: give":                 {Title: "t"},
		"no series has a point":           {Series: []chart.Series{{Name: "s"}}},
		"there is nothing to draw":        point(1, chart.Unknown),
		`"s", point 1: X is not a number`: point(math.NaN(), 1),
		"X is +Inf":                       point(chart.Never, 1),
		"Y is -Inf":                       point(1, math.Inf(-1)),
		"Y is 1e+300":                     point(1, 1e300),
		"Y is 0, and a logarithmic axis":  logged(point(1, 0)),
		"X is -3, and a logarithmic axis": logged(point(-3, 1)),
		"goes down to 1e-09":              logged(point(1, 1e-300)),
		"is not round Y, which is 2":      with(func(l *chart.Lines) { l.Series[0].Points[0].Low, l.Series[0].Points[0].High = 3, 4 }),
		"Low is not a number":             with(func(l *chart.Lines) { l.Series[0].Points[0].Low, l.Series[0].Points[0].High = math.NaN(), 4 }),
		"High is not a number":            with(func(l *chart.Lines) { l.Series[0].Points[0].High = math.NaN() }),
		"Style is -1":                     with(func(l *chart.Lines) { l.Series[0].Style = -1 }),
		"Lines.Y.Even":                    with(func(l *chart.Lines) { l.Y.Even = true }),
		`bound "b": At is nil`:            with(func(l *chart.Lines) { l.Bounds = []chart.Curve{{Name: "b"}} }),
	} {
		_, err := l.SVG(360)
		require.ErrorContains(t, err, want)
	}
	for _, width := range []int{0, -1, chart.Narrowest - 1, chart.Widest + 1} {
		_, err := point(1, 2).SVG(width)
		require.ErrorContains(t, err, "it must be from 280 to 2000")
	}
}

func TestBadBars(t *testing.T) {
	with := func(change func(b *chart.Bars)) chart.Bars {
		b := leaders()
		change(&b)
		return b
	}
	for want, b := range map[string]chart.Bars{
		"no categories":            with(func(b *chart.Bars) { b.Categories = nil }),
		"no rows":                  with(func(b *chart.Bars) { b.Rows = nil }),
		"has 1 values: it needs":   with(func(b *chart.Bars) { b.Rows[0].Values = []float64{1} }),
		"has 1 notes for 3 values": with(func(b *chart.Bars) { b.Rows[0].Notes = []string{""} }),
		"the value is -1":          with(func(b *chart.Bars) { b.Rows[0].Values[0] = -1 }),
		"the value is 1e+16":       with(func(b *chart.Bars) { b.Rows[0].Values[0] = 1e16 }),
		"the value is -Inf":        with(func(b *chart.Bars) { b.Rows[0].Values[0] = math.Inf(-1) }),
		"Bars.Value.Log":           with(func(b *chart.Bars) { b.Value.Log = true }),
		"Bars.Limit is NaN":        with(func(b *chart.Bars) { b.Limit = math.NaN() }),
	} {
		_, err := b.SVG(360)
		require.ErrorContains(t, err, want)
	}
	_, err := leaders().SVG(10)
	require.ErrorContains(t, err, "a width of 10")
}

// names are names of series, of any kind.
func names() *rapid.Generator[string] {
	return rapid.OneOf(rapid.StringMatching(`[a-z]{1,12}(-[a-z]{1,12}){0,4}`), rapid.String(), rapid.Just("<b>&\"'</b>"), rapid.Just(strings.Repeat("W", 90)))
}

// numbers are numbers that can be drawn, far apart and near each other.
func numbers(least float64) *rapid.Generator[float64] {
	return rapid.OneOf(rapid.Float64Range(least, 1e15), rapid.Float64Range(least, 1+least), rapid.SampledFrom([]float64{1, 3, 5, 7, 11, 101, 1e15, 0.1, 1 + 1e-12}))
}

// Whatever can be drawn is drawn well: no text on another or cut off, nothing outside, all ticks readable.
func TestAnyLinesAreDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := chart.Lines{Title: names().Draw(t, "title") + "t", Note: names().Draw(t, "note"),
			X: chart.Axis{Label: names().Draw(t, "x"), Log: rapid.Bool().Draw(t, "logx"), Even: rapid.Bool().Draw(t, "even")},
			Y: chart.Axis{Label: names().Draw(t, "y"), Unit: "ms", Log: rapid.Bool().Draw(t, "logy")}}
		x, y := numbers(0), numbers(0)
		if l.X.Log && !l.X.Even {
			x = numbers(1e-9)
		}
		if l.Y.Log {
			y = numbers(1e-9)
		}
		l.Series = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) chart.Series {
			return chart.Series{Name: names().Draw(t, "name"), Strong: rapid.Bool().Draw(t, "strong"), Style: rapid.IntRange(0, 30).Draw(t, "style"),
				Points: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) chart.Point {
					p := chart.Point{X: x.Draw(t, "x"), Y: y.Draw(t, "y")}
					switch rapid.IntRange(0, 5).Draw(t, "kind") {
					case 0:
						p.Y = chart.Never
					case 1:
						p.Y = chart.Unknown
					case 2:
						p.Low, p.High = p.Y/2, min(p.Y*2, 1e15)
					case 3:
						p.Low, p.High = 0, chart.Never
					}
					return p
				}), 0, 12).Draw(t, "points")}
		}), 1, 14).Draw(t, "series")
		slope := rapid.Float64Range(-10, 1e6).Draw(t, "slope")
		l.Bounds = []chart.Curve{
			{Name: "bound", At: func(x float64) float64 { return slope * x }},
			{Name: "pole", At: func(x float64) float64 { return 1 / (x - 5) }},
			{Name: "none", At: func(float64) float64 { return math.NaN() }},
		}[:rapid.IntRange(0, 3).Draw(t, "bounds")]
		drawing, err := l.SVG(rapid.SampledFrom([]int{chart.Narrowest, 360, 499, 500, 760, 1200}).Draw(t, "width"))
		if err != nil {
			require.ErrorContains(t, err, "there is nothing to draw")
			return
		}
		require.NoError(t, svg.Check(drawing))
		require.NotContains(t, string(drawing), "NaN")
		require.NotContains(t, string(drawing), "Inf")
	})
}

func TestAnyBarsAreDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := chart.Bars{Title: names().Draw(t, "title") + "t", Note: names().Draw(t, "note"), Value: chart.Axis{Label: names().Draw(t, "label")},
			Categories: rapid.SliceOfN(names(), 1, 6).Draw(t, "categories"), Apart: rapid.Bool().Draw(t, "apart"),
			Limit: rapid.SampledFrom([]float64{0, 1, 1e15}).Draw(t, "limit"), LimitName: rapid.SampledFrom([]string{"", "at most so many"}).Draw(t, "limit name")}
		value := rapid.OneOf(numbers(0), rapid.SampledFrom([]float64{0, 0, chart.Never, chart.Unknown}))
		for range rapid.IntRange(1, 10).Draw(t, "rows") {
			b.Rows = append(b.Rows, chart.Row{Name: names().Draw(t, "name"), Strong: rapid.Bool().Draw(t, "strong"),
				Values: rapid.SliceOfN(value, len(b.Categories), len(b.Categories)).Draw(t, "values")})
		}
		drawing, err := b.SVG(rapid.SampledFrom([]int{chart.Narrowest, 360, 760, 1200}).Draw(t, "width"))
		require.NoError(t, err)
		require.NoError(t, svg.Check(drawing))
		require.NotContains(t, string(drawing), "Inf")
	})
}
