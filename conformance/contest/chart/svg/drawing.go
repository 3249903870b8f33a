package svg

import (
	"bytes"
	"encoding/xml"
	"strconv"
	"strings"
	"unicode"
)

// Drawing is a drawing to which elements are added, each over those before it. The zero value is empty.
type Drawing struct {
	body bytes.Buffer
	open []string
}

// Head is what a document says of itself.
type Head struct {
	Title         string  // what is drawn: the name of the picture for who cannot see it
	Description   string  // what there is to see, for who cannot see it
	Width, Height float64 // of the drawing, whose left top corner is 0,0
}

// Add adds an element without content. Attributes are names and values in turn; those with an empty value are left out.
func (d *Drawing) Add(name string, attributes ...string) {
	d.begin(name, attributes)
	d.body.WriteString("/>\n")
}

// Titled adds an element that tells its title to who points at it.
func (d *Drawing) Titled(name, title string, attributes ...string) {
	d.begin(name, attributes)
	d.body.WriteString("><title>")
	d.escape(title)
	d.body.WriteString("</title></" + name + ">\n")
}

// Begin adds an element whose content is what is added until End.
func (d *Drawing) Begin(name string, attributes ...string) {
	d.begin(name, attributes)
	d.body.WriteString(">\n")
	d.open = append(d.open, name)
}

// End ends what has begun last. It does nothing if nothing has.
func (d *Drawing) End() {
	if last := len(d.open) - 1; last >= 0 {
		d.body.WriteString("</" + d.open[last] + ">\n")
		d.open = d.open[:last]
	}
}

// Text adds a line of text at a point: its left end, its middle or its right end, as the style says, on its base line. Empty
// text adds nothing.
func (d *Drawing) Text(x, y float64, s Style, line string) {
	line = Clean(line)
	if line == "" {
		return
	}
	weight := ""
	if s.Bold {
		weight = "600"
	}
	d.begin("text", []string{"x", N(x), "y", N(y), "font-size", N(s.Size), "font-weight", weight,
		"text-anchor", string(s.Anchor), "class", s.Class})
	d.body.WriteString(">")
	d.escape(line)
	d.body.WriteString("</text>\n")
}

// Document returns the whole document, and ends what has begun.
func (d *Drawing) Document(h Head) []byte {
	for len(d.open) > 0 {
		d.End()
	}
	var all Drawing
	all.begin("svg", []string{"xmlns", "http://www.w3.org/2000/svg", "class", "contest", "role", "img", "aria-label", Clean(h.Title),
		"width", N(h.Width), "height", N(h.Height), "viewBox", "0 0 " + N(h.Width) + " " + N(h.Height)})
	all.body.WriteString(">\n<title>")
	all.escape(Clean(h.Title))
	all.body.WriteString("</title>\n<desc>")
	all.escape(Clean(h.Description))
	all.body.WriteString("</desc>\n<style>")
	all.body.WriteString(sheet)
	all.body.WriteString("</style>\n")
	all.Add("rect", "width", N(h.Width), "height", N(h.Height), "class", "paper")
	all.body.Write(d.body.Bytes())
	all.body.WriteString("</svg>\n")
	return all.body.Bytes()
}

// begin writes an element up to the end of its attributes.
func (d *Drawing) begin(name string, attributes []string) {
	d.body.WriteString("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		if attributes[i+1] == "" {
			continue
		}
		d.body.WriteString(" " + attributes[i] + `="`)
		d.escape(attributes[i+1])
		d.body.WriteString(`"`)
	}
}

// escape writes text so that it is nothing but text. A write to a bytes.Buffer has no error.
func (d *Drawing) escape(text string) {
	_ = xml.EscapeText(&d.body, []byte(text))
}

// N writes a number as a coordinate, to a hundredth.
func N(v float64) string {
	text := strconv.FormatFloat(v, 'f', 2, 64)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "-0" || text == "" {
		return "0"
	}
	return text
}

// Points writes points, x and y in turn, as polyline and polygon have them.
func Points(coordinates ...float64) string {
	var b strings.Builder
	for i := 0; i+1 < len(coordinates); i += 2 {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(N(coordinates[i]) + "," + N(coordinates[i+1]))
	}
	return b.String()
}

// NoBreak is a space at which no line is broken.
const NoBreak = '\u00a0'

// Clean returns text as one line without what cannot be seen: control characters and those that turn the direction of
// writing become spaces, and so does what is not UTF-8. A space that is not to be broken stays.
func Clean(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) && r != NoBreak || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar || !isXML(r)
	}), " ")
}

// isXML says whether XML has a character (XML 1.0, section 2.2).
func isXML(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= 0x10FFFF
}
