// Package svg writes drawings as SVG documents: elements in the order in which they are added, text of known extent, and
// colours for light and dark. What it writes is well-formed XML whatever the texts are, has no outside resource, no script and
// no identifiers, so that many drawings can stand in one HTML page; and the same calls give the same bytes.
//
// This is the loop that its user writes:
//
//	var d svg.Drawing
//	y := 20.0
//	for _, row := range rows {
//		style := svg.Style{Size: 13, Class: svg.Ink}
//		for _, line := range svg.Wrap(row.Name, 120, style) {
//			d.Text(8, y, style, line)
//			y += style.Line()
//		}
//		d.Titled("rect", row.Told, "x", svg.N(130), "y", svg.N(y), "width", svg.N(row.Value), "height", "12", "class", "s0")
//	}
//	return d.Document(svg.Head{Title: "Rows", Width: 360, Height: y})
//
// # Text
//
// Nobody who writes an SVG document knows the fonts of who reads it. [Width] takes the widths of DejaVu Sans, which is among
// the widest of the fonts that systems choose: what fits by it fits everywhere, and has some room to the right.
//
// # Colours
//
// Elements have classes, not colours; [Head] lists the classes. A reader who prefers dark gets the dark ones. The colours of
// series follow Okabe and Ito, "Color Universal Design" (2008), so that people who see few colours can tell them apart; those
// too pale for white paper are darkened to a contrast of at least 3 to 1 (WCAG 2.2, 1.4.11).
package svg
