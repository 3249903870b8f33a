package svg

import (
	"fmt"
	"strings"
)

// The classes of text, and of some elements.
const (
	Ink  = "ink"  // what is to be read first
	Soft = "soft" // what is to be read last
	Bad  = "bad"  // what is wrong
)

// Hues is how many series have a colour of their own: the classes s0 to s8 stroke with it, and f0 to f8 fill with it.
const Hues = 9

// colours are what a class draws with.
type colours struct {
	class    string
	property string // "fill" or "stroke"
	light    string
	dark     string
}

// hues are the colours of series, light and dark. The light ones are those of Okabe and Ito, without yellow, some darkened
// for white paper; wine is Tol's.
var hues = [Hues][2]string{
	{"#0072b2", "#56b4e9"}, // blue
	{"#d55e00", "#ff8f3f"}, // vermillion
	{"#00875f", "#2fc99a"}, // bluish green
	{"#b0508c", "#e39cc4"}, // reddish purple
	{"#a06f00", "#f0b429"}, // orange
	{"#222222", "#f2f2f2"}, // black
	{"#882255", "#ff6f91"}, // wine
	{"#3b8fc4", "#9fd3f5"}, // sky blue
	{"#5b5bd0", "#a9a6ff"}, // indigo
}

// classes returns all classes with their colours.
func classes() []colours {
	all := []colours{
		{"paper", "fill", "#ffffff", "#15181c"},
		{Ink, "fill", "#1a1a1a", "#ececec"},
		{Soft, "fill", "#595959", "#a8adb3"},
		{Bad, "fill", "#b00020", "#ff7b86"},
		{"grid", "stroke", "#e2e2e2", "#31363c"},
		{"axis", "stroke", "#767676", "#8b9198"},
		{"bound", "stroke", "#6b6b6b", "#9aa0a6"},
		{"wrong", "stroke", "#b00020", "#ff7b86"},
		{"alarm", "fill", "#fbdfe2", "#4a1c22"},
		{"shade", "fill", "#e6e6e6", "#343a41"},
		{"mild", "fill", "#9dbbd0", "#3f6f92"},
		{"arrow", "stroke", "#4a4a4a", "#c3c8ce"},
		{"head", "fill", "#4a4a4a", "#c3c8ce"},
	}
	for i, hue := range hues {
		all = append(all, colours{fmt.Sprintf("s%d", i), "stroke", hue[0], hue[1]},
			colours{fmt.Sprintf("f%d", i), "fill", hue[0], hue[1]})
	}
	return all
}

// sheet is the style sheet of all drawings. It says the colours themselves, since not every program that shows SVG knows
// variables; those that know nothing of dark show the light ones.
var sheet = makeSheet()

// makeSheet writes the style sheet.
func makeSheet() string {
	var b strings.Builder
	b.WriteString("\n.contest{max-width:100%;height:auto}\n" +
		".contest text{font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",Arial,sans-serif}\n" +
		".contest .line{fill:none;stroke-linejoin:round;stroke-linecap:round}\n")
	all := classes()
	for _, c := range all {
		b.WriteString(".contest ." + c.class + "{" + c.property + ":" + c.light + "}\n")
	}
	b.WriteString("@media (prefers-color-scheme:dark){\n")
	for _, c := range all {
		b.WriteString(".contest ." + c.class + "{" + c.property + ":" + c.dark + "}\n")
	}
	b.WriteString("}\n")
	return b.String()
}
