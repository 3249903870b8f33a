package chart_test

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/contest/chart"
)

func ExampleLines() {
	lines := chart.Lines{
		Title: "Messages of an election",
		X:     chart.Axis{Label: "nodes", Log: true},
		Y:     chart.Axis{Label: "messages", Log: true},
		Series: []chart.Series{
			{Name: "textbook", Points: []chart.Point{{X: 3, Y: 8}, {X: 5, Y: 24}, {X: 11, Y: 120}}},
			{Name: "bully", Points: []chart.Point{{X: 3, Y: 12}, {X: 5, Y: 24}, {X: 11, Y: chart.Never}}, Strong: true},
		},
		Bounds: []chart.Curve{{Name: "n² − 1", At: func(n float64) float64 { return n*n - 1 }}},
	}
	drawing, err := lines.SVG(360)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, rest, _ := strings.Cut(string(drawing), "<desc>")
	description, _, _ := strings.Cut(rest, "</desc>")
	fmt.Println(description)

	lines.Series[0].Points[0].Y = 0
	_, err = lines.SVG(360)
	fmt.Println(err)
	// Output:
	// messages against nodes, a line each: textbook, from 8 at 3 to 120 at 11; bully, from 12 at 3 to never at 11. Bounds: n² − 1.
	// chart: series "textbook", point 1: Y is 0, and a logarithmic axis has only numbers above 0: leave the point out, or Log
}

func ExampleBars() {
	bars := chart.Bars{
		Title:      "The most leaders at once",
		Value:      chart.Axis{Label: "leaders"},
		Categories: []string{"partition", "pause"},
		Rows: []chart.Row{
			{Name: "textbook", Values: []float64{2, 0}},
			{Name: "bully", Values: []float64{1, 1}, Strong: true},
		},
		Limit: 1, LimitName: "at most one is right",
	}
	drawing, err := bars.SVG(360)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, number := range regexp.MustCompile(`class="(\w+)">(\d)</text>`).FindAllStringSubmatch(string(drawing), -1) {
		fmt.Println(number[1], number[2])
	}
	// Output:
	// bad 2
	// ink 0
	// ink 1
	// ink 1
}
