// Package chart draws measurements as SVG: [Lines] of what grows with something, and [Bars] of what can be counted. Each line
// has its name at its end, each bar its number; nobody has to look for colours in a legend, and all can be read in black
// and white, on a phone, and in the dark.
//
// This is the loop that its user writes:
//
//	lines := chart.Lines{
//		Title: "Messages of an election", Note: "median of 100 runs",
//		X: chart.Axis{Label: "nodes", Log: true}, Y: chart.Axis{Label: "messages", Log: true},
//		Bounds: []chart.Curve{{Name: "n² − 1", At: func(n float64) float64 { return n*n - 1 }}},
//	}
//	for _, algorithm := range algorithms {
//		series := chart.Series{Name: algorithm.Name}
//		for _, m := range measured[algorithm.Name] {
//			series.Points = append(series.Points, chart.Point{X: m.Nodes, Y: m.Median, Low: m.Least, High: m.P99, N: m.Runs})
//		}
//		lines.Series = append(lines.Series, series)
//	}
//	wide, err := lines.SVG(760)
//	if err != nil {
//		return err
//	}
//	narrow, err := lines.SVG(360)
//
// # What was never and what is not known
//
// [Never] as a value says that something never came: a failover after which nobody led. The line breaks there, and the mark
// of its series stands above the plot, beside the word "never". [Unknown] says that nothing was measured: the line breaks.
//
// # Determinism
//
// The same chart and width give the same bytes.
package chart
