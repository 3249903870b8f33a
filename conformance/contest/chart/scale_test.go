package chart

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/conformance/contest/chart/svg"
)

// A scale holds all numbers, in order, and its ticks lie within, apart from each other; on a linear one they enclose them.
func TestScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Axis{Log: rapid.Bool().Draw(t, "log")}
		from := -largest
		if a.Log {
			from = smallest
		}
		numbers := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(from, largest), rapid.Float64Range(0.1, 100), rapid.Just(7.0)), 1, 9).Draw(t, "numbers")
		s := newScale(a, numbers).rounded(5)
		s.from, s.to = 0, 100
		require.Less(t, s.min, s.max)
		last := math.Inf(-1)
		for _, v := range slices.Sorted(slices.Values(numbers)) {
			at := s.at(v)
			require.GreaterOrEqual(t, at, -1e-6, "%v on %v to %v", v, s.min, s.max)
			require.LessOrEqual(t, at, 100+1e-6)
			require.GreaterOrEqual(t, at, last)
			last = at
		}
		ticks := s.ticks(5)
		require.GreaterOrEqual(t, len(ticks), 2, "%v to %v", s.min, s.max)
		require.LessOrEqual(t, len(ticks), 14, "%v to %v", s.min, s.max)
		require.True(t, slices.IsSorted(ticks))
		require.Equal(t, len(ticks), len(slices.Compact(slices.Clone(ticks))))
		require.GreaterOrEqual(t, s.at(ticks[0]), -1e-6)
		require.LessOrEqual(t, s.at(ticks[len(ticks)-1]), 100+1e-6)
		if !a.Log {
			require.LessOrEqual(t, ticks[0], slices.Min(numbers)+1e-6*(s.max-s.min))
			require.GreaterOrEqual(t, ticks[len(ticks)-1], slices.Max(numbers)-1e-6*(s.max-s.min))
		}
	})
}

func TestTicks(t *testing.T) {
	linear := newScale(Axis{}, []float64{0.1, 4.2}).rounded(5)
	require.Equal(t, []float64{0, 1, 2, 3, 4, 5}, linear.ticks(5))
	require.Equal(t, []float64{0, 0.1, 0.2, 0.3}, newScale(Axis{}, []float64{0, 0.3}).ticks(4), "not 0.30000000000000004")
	require.Equal(t, []float64{1, 10, 100, 1000}, newScale(Axis{Log: true}, []float64{1, 2000}).ticks(4))
	require.Equal(t, []float64{10, 100, 1000, 10000}, newScale(Axis{Log: true}, []float64{2, 10200}).ticks(4))
	require.Equal(t, []float64{1e-4, 1e-2, 1, 100}, newScale(Axis{Log: true}, []float64{1e-5, 900}).ticks(4))
	require.Equal(t, []float64{5, 10, 20, 50}, newScale(Axis{Log: true}, []float64{3, 60}).ticks(6))
	even := newScale(Axis{Even: true, Log: true}, []float64{0, 1, 2, 5, 10})
	even.to = 100
	for i, v := range []float64{0, 1, 2, 5, 10} {
		require.InDelta(t, 25*i, even.at(v), 1e-9)
		require.InDelta(t, v, even.mid(float64(i)/4), 1e-9)
	}
	require.InDelta(t, 62.5, even.at(3.5), 1e-9)
}

// What is measured is written below the plot if it fits, the ends always.
func TestXTicks(t *testing.T) {
	numbers := []float64{3, 5, 7, 11, 31, 101}
	style := svg.Style{Size: 12}
	s := newScale(Axis{Log: true}, numbers)
	s.to = 500
	texts := func(width float64) (all []string) {
		s.to = width
		for _, tick := range s.xTicks(numbers, style) {
			all = append(all, Number(tick.value))
		}
		return all
	}
	require.Equal(t, []string{"3", "5", "7", "11", "31", "101"}, texts(500))
	require.Equal(t, []string{"3", "7", "101"}, texts(70))
	require.Equal(t, []string{"3"}, texts(10))
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 5: "5", 1234567: "1,234,567", 999.96: "1,000", 0.25: "0.25", 12.3456: "12.35", -3: "−3", 9999999999: "9,999,999,999", 1e10: "1e+10",
		0.00123: "0.00123", 1e-7: "1e-07", 2e15: "2e+15", 1234.5: "1,234", Never: "never", math.Inf(-1): "−∞"} {
		require.Equal(t, want, Number(v))
	}
	require.Equal(t, "–", Number(Unknown))
}

// Labels do not overlap, stay within bounds if they fit, keep their order, and do not move if they need not.
func TestSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var labels []*label
		total := 0.0
		for range rapid.IntRange(1, 15).Draw(t, "n") {
			l := &label{wanted: rapid.Float64Range(-50, 450).Draw(t, "wanted"), height: rapid.Float64Range(5, 40).Draw(t, "height")}
			labels, total = append(labels, l), total+l.height
		}
		const top, bottom = 0.0, 400.0
		spread(labels, top, bottom)
		for i, a := range labels {
			if total <= bottom-top {
				require.GreaterOrEqual(t, a.y-a.height/2, top-1e-6)
				require.LessOrEqual(t, a.y+a.height/2, bottom+1e-6)
			}
			for _, b := range labels[:i] {
				require.GreaterOrEqual(t, math.Abs(a.y-b.y), (a.height+b.height)/2-1e-6)
				if a.wanted < b.wanted {
					require.Less(t, a.y, b.y)
				}
			}
		}
	})
	one, other := &label{wanted: 100, height: 20}, &label{wanted: 200, height: 20}
	spread([]*label{other, one}, 0, 400)
	require.Equal(t, []float64{100, 200}, []float64{one.y, other.y})
	other.wanted = 110
	spread([]*label{other, one}, 0, 400)
	require.Equal(t, []float64{95, 115}, []float64{one.y, other.y})
}

// Each style differs from each other of the first 36 in colour, mark, filling or dashes; the first nine in the mark alone.
func TestStyles(t *testing.T) {
	seen := map[string]int{}
	for style := range 36 {
		var d svg.Drawing
		mark(&d, point{x: 50, y: 50, style: style}, 0)
		text := string(d.Document(svg.Head{Title: "t", Description: "d", Width: 100, Height: 100}))
		key := text + dash(style)
		same, ok := seen[key]
		require.False(t, ok, "styles %d and %d are the same", style, same)
		seen[key] = style
	}
	shapes := map[string]bool{}
	for style := 1; style < svg.Hues; style++ {
		shapes[svg.Points(outline(0, 0, 4, style)...)] = true
	}
	require.Len(t, shapes, svg.Hues-1)
}
