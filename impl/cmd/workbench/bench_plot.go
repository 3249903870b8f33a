package main

import (
	"encoding/xml"
	"fmt"
	"math"
	"os"
	"strings"
)

// The picture, in pixels: names on the left, then the times by a logarithmic scale, then their numbers.
const (
	plotNames  = 290
	plotTimes  = 560
	plotRight  = 190
	plotRow    = 26
	plotHeight = 46 // of what is above the rows
)

// drawFailovers writes a picture of every failover that was measured into a file.
func drawFailovers(file string, results []failoverResult) error {
	return os.WriteFile(file, []byte(plotFailovers(results)), 0o644)
}

// plotFailovers draws a row for each program, size and fault: a dot for each failover, a line at their median, and a triangle at the floor.
func plotFailovers(results []failoverResult) string {
	at, last := scale(results)
	bottom := plotHeight + plotRow*len(results)
	var b strings.Builder
	draw := func(format string, args ...any) { _, _ = fmt.Fprintf(&b, format+"\n", args...) }
	width, height := plotNames+plotTimes+plotRight, bottom+44
	draw(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="12">`, width, height, width, height)
	draw(`<title>From the fault until the last survivor names the next leader</title>`)
	draw(`<rect width="%d" height="%d" fill="#fff"/>`, width, height)
	draw(`<text x="%d" y="18" fill="#222">From the fault until the last survivor names the next leader, milliseconds</text>`, plotNames)
	for t := 1.0; t <= last*1.001; t *= 10 {
		for _, step := range []float64{1, 2, 5} {
			if t*step > last*1.001 {
				break
			}
			draw(`<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#ddd"/>`, at(t*step), at(t*step), plotHeight-8, bottom)
			draw(`<text x="%.1f" y="%d" text-anchor="middle" fill="#555">%g</text>`, at(t*step), plotHeight-12, t*step)
		}
	}
	for i, r := range results {
		y := plotHeight + plotRow*i + plotRow/2
		color := "#1f5fa8"
		if r.Guarded {
			color = "#b3541e"
		}
		draw(`<text x="%d" y="%d" text-anchor="end" fill="#222">%s</text>`, plotNames-12, y+4, escaped(fmt.Sprintf("%s, %d nodes: %s", r.Fault, r.Nodes, r.Program)))
		for _, sample := range r.Samples {
			draw(`<circle cx="%.1f" cy="%d" r="3" fill="%s" fill-opacity="0.35"/>`, at(sample), y, color)
		}
		draw(`<line class="median" x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="%s" stroke-width="2"/>`, at(r.Median), at(r.Median), y-9, y+9, color)
		says := fmt.Sprintf("%.1f", r.Median)
		if r.Floor > 0 {
			draw(`<path class="floor" d="M%.1f %dl4 8h-8z" fill="#222"/>`, at(r.Floor), y+2)
			says += fmt.Sprintf(", %.1f times the floor", r.Median/r.Floor)
		}
		draw(`<text x="%d" y="%d" fill="#222">%s</text>`, plotNames+plotTimes+10, y+4, says)
	}
	draw(`<text x="%d" y="%d" fill="#555">A dot is a failover, the line their median, the triangle the floor of the same run. Orange is with a guard.</text>`, plotNames, bottom+20)
	draw(`<text x="%d" y="%d" fill="#555">%s.</text>`, plotNames, bottom+36, escaped(thisMachine().String()))
	draw(`</svg>`)
	return b.String()
}

// scale returns where a time is in the picture, and the longest that it has room for.
func scale(results []failoverResult) (at func(ms float64) float64, last float64) {
	const first = 1.0 // what takes less is drawn there
	last = 10.0
	for _, r := range results {
		last = max(last, r.Max, r.Floor)
	}
	last *= 1.1
	return func(ms float64) float64 {
		return plotNames + plotTimes*math.Log(max(ms, first)/first)/math.Log(last/first)
	}, last
}

// escaped returns text as it is written in XML.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes all
	return b.String()
}
