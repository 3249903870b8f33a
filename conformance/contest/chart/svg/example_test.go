package svg_test

import (
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/contest/chart/svg"
)

func Example() {
	var d svg.Drawing
	style := svg.Style{Size: 12, Class: svg.Ink}
	y := 20.0
	for _, line := range svg.Wrap("five nodes & a partition", 90, style) {
		d.Text(8, y, style, line)
		y += style.Line()
	}
	document := d.Document(svg.Head{Title: "Example", Description: "Two lines of text.", Width: 120, Height: y})

	fmt.Println(svg.Check(document))
	_, drawn, _ := strings.Cut(string(document), "</style>\n")
	fmt.Print(drawn)
	// Output:
	// <nil>
	// <rect width="120" height="51.2" class="paper"/>
	// <text x="8" y="20" font-size="12" class="ink">five nodes &amp; a</text>
	// <text x="8" y="35.6" font-size="12" class="ink">partition</text>
	// </svg>
}
