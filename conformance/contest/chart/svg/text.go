package svg

import "strings"

// Anchor says which point of a line of text stands where the text is put.
type Anchor string

const (
	Left   Anchor = "" // its left end
	Middle Anchor = "middle"
	Right  Anchor = "end"
)

// Style is how a text looks.
type Style struct {
	Size   float64 // of the font, in units of the drawing
	Bold   bool
	Anchor Anchor
	Class  string // its colour: one of the classes that Ink lists
}

// Line returns how far the base lines of two lines are apart.
func (s Style) Line() float64 { return 1.3 * s.Size }

// Rise returns how far a line reaches above its base line.
func (s Style) Rise() float64 { return 0.8 * s.Size }

// Fall returns how far a line reaches below its base line.
func (s Style) Fall() float64 { return 0.25 * s.Size }

// advances are the widths of the characters from space to tilde in DejaVu Sans, in thousandths of the size of the font.
var advances = [95]int{318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636,
	636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863,
	748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,
	635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838}

// wider is by how much bold text is wider. The widest words of DejaVu Sans Bold come near it.
const wider = 1.2

// Width returns how wide a text is at most, for nearly all fonts and texts.
func Width(text string, s Style) float64 {
	sum := 0
	for _, r := range text {
		switch {
		case r >= ' ' && r <= '~':
			sum += advances[r-' ']
		case r == NoBreak:
			sum += advances[0]
		case r >= 0x1F000: // emoji
			sum += 1350
		default:
			sum += 1000
		}
	}
	width := float64(sum) / 1000 * s.Size
	if s.Bold {
		width *= wider
	}
	return width
}

// Wrap returns a text as lines of which none is wider than a width, unless a single character is. It breaks
// lines at spaces, but for NoBreak, then behind hyphens and the like, then anywhere. Text without any visible character has no lines.
func Wrap(text string, width float64, s Style) []string {
	var lines []string
	line := ""
	for _, word := range strings.Split(Clean(text), " ") {
		if line != "" && Width(line+" "+word, s) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		pieces := split(word, width, s)
		lines = append(lines, pieces[:len(pieces)-1]...)
		line = pieces[len(pieces)-1]
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// split cuts a word into pieces that are not too wide.
func split(word string, width float64, s Style) []string {
	var pieces []string
	for Width(word, s) > width {
		fits, after := 0, 0 // how many bytes fit, and how many up to the last good place that fits
		for i, r := range word {
			end := i + len(string(r))
			if Width(word[:end], s) > width && fits > 0 {
				break
			}
			fits = end
			if strings.ContainsRune("-/_,;:)→", r) {
				after = end
			}
		}
		if after == 0 {
			after = fits
		}
		if after == len(word) {
			break
		}
		pieces, word = append(pieces, word[:after]), word[after:]
	}
	return append(pieces, word)
}
