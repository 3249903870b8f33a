package main

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
)

// The picture of a run, for those who show what is behind a link: drawn from its sketch. A line of each node, the highest at the top: a crown where it
// comes to lead, and a bar in the colour of its epoch while it does; a lower bar while it wants to; a thin line while it follows; none while it is down.
// There are no letters but the numbers of the nodes: the title stands beside the picture.
const (
	pictureWidth  = 1200
	pictureHeight = 630
	margin        = 48.0
	labels        = 110.0 // of the discs with the numbers
)

// light are the light colours of traces/viewer/src/palette.css, as far as the picture needs them; a test compares them.
var light = map[string]color.RGBA{
	"--paper": hex(0xf7f6f2), "--card": hex(0xffffff), "--ink": hex(0x1b1f24), "--line": hex(0xd3d5d9), "--edge": hex(0x7d8590), "--leads": hex(0x0a62a9),
	"--stands": hex(0xa84a00), "--waits": hex(0x9a3f75), "--follows": hex(0x00704f), "--down": hex(0x6b6f76),
	"--epoch-0": hex(0x7cc4ec), "--epoch-1": hex(0xe9a820), "--epoch-2": hex(0x4db894), "--epoch-3": hex(0xdb9cc0),
	"--epoch-4": hex(0xede05a), "--epoch-5": hex(0x84a9e4), "--epoch-6": hex(0xee8e55), "--epoch-7": hex(0xb4b9c0),
}

func hex(rgb uint32) color.RGBA {
	return color.RGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 0xff}
}

// drawSketch draws a sketch (interactive.Sketch) as a PNG.
func drawSketch(rows []string) []byte {
	c := canvas{image.NewRGBA(image.Rect(0, 0, pictureWidth, pictureHeight))}
	c.box(0, 0, pictureWidth, pictureHeight, light["--paper"])
	high := (pictureHeight - 2*margin) / float64(max(3, len(rows)))
	top := (pictureHeight - high*float64(len(rows))) / 2
	for node, row := range rows {
		y := top + high*(float64(len(rows)-1-node)+0.5)
		c.lane(row, y, high)
		c.label(node+1, row, y, math.Min(34, high*0.4))
	}
	var out bytes.Buffer
	_ = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, c.to) // a buffer takes all; what is so even is small all the same
	return out.Bytes()
}

// lane draws the line of a node.
func (c canvas) lane(row string, y, high float64) {
	left, wide := margin+labels, (pictureWidth-2*margin-labels)/math.Max(1, float64(len(row)))
	for from, to := 0, 0; from < len(row); from = to {
		for to = from; to < len(row) && row[to] == row[from]; to++ {
		}
		x, w := left+wide*float64(from), wide*float64(to-from)
		bar := func(share float64, of color.RGBA) { c.box(x, y-high*share/2, w, high*share, of) }
		switch is := row[from]; {
		case is >= '0' && is <= '7':
			bar(0.62, light["--epoch-"+string(is)])
			if size := math.Min(22, high*0.24); w > 2.2*size {
				c.crown(x+1.5*size, y, size, light["--leads"])
			}
		case is == 's':
			bar(0.3, light["--stands"])
		case is == 'w':
			bar(0.12, light["--waits"])
		case is == 'p':
			bar(0.36, light["--line"])
		case is == 'f':
			c.box(x, y-2, w, 4, light["--edge"])
		}
	}
}

// label draws a disc with a number, in the colour of what the node is at the end.
func (c canvas) label(number int, row string, y, r float64) {
	x, of := margin+labels/2-8, light["--follows"]
	switch end := row[max(0, len(row)-1):]; {
	case end >= "0" && end <= "7":
		of = light["--leads"]
	case end == "s":
		of = light["--stands"]
	case end == "d" || end == "p":
		of = light["--down"]
	}
	c.disc(x, y, r, of)
	c.disc(x, y, r-math.Max(2, r*0.11), light["--card"])
	c.number(number, x, y, r*0.95, light["--ink"])
}

// canvas is a picture that is drawn on.
type canvas struct{ to *image.RGBA }

// box fills an upright rectangle, to whole pixels.
func (c canvas) box(x, y, w, h float64, of color.RGBA) {
	at := image.Rect(int(math.Round(x)), int(math.Round(y)), int(math.Round(x+w)), int(math.Round(y+h)))
	draw.Draw(c.to, at, image.NewUniform(of), image.Point{}, draw.Src)
}

// fill fills what is inside within a box, with soft edges: inside is asked for sixteen points of each pixel.
func (c canvas) fill(left, top, right, bottom float64, of color.RGBA, inside func(x, y float64) bool) {
	const fine = 4
	for py := int(math.Floor(top)); py <= int(math.Ceil(bottom)); py++ {
		for px := int(math.Floor(left)); px <= int(math.Ceil(right)); px++ {
			hits := 0
			for k := range fine * fine {
				if inside(float64(px)+(float64(k%fine)+0.5)/fine, float64(py)+(float64(k/fine)+0.5)/fine) {
					hits++
				}
			}
			if hits > 0 {
				c.to.SetRGBA(px, py, mix(c.to.RGBAAt(px, py), of, float64(hits)/(fine*fine)))
			}
		}
	}
}

func mix(below, above color.RGBA, share float64) color.RGBA {
	part := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-share) + float64(b)*share)) }
	return color.RGBA{part(below.R, above.R), part(below.G, above.G), part(below.B, above.B), 0xff}
}

func (c canvas) disc(x, y, r float64, of color.RGBA) {
	c.fill(x-r, y-r, x+r, y+r, of, func(px, py float64) bool { return square(px-x)+square(py-y) <= square(r) })
}

func square(x float64) float64 { return x * x }

// point is a place in a picture, or in a glyph.
type point struct{ x, y float64 }

// crownShape is the crown of the page, round its middle, a unit to each side.
var crownShape = []point{{-0.88, 0.7}, {-1, -0.4}, {-0.47, 0.1}, {0, -0.75}, {0.47, 0.1}, {1, -0.4}, {0.88, 0.7}}

func (c canvas) crown(x, y, size float64, of color.RGBA) {
	c.fill(x-size, y-size, x+size, y+size, of, func(px, py float64) bool {
		in := false
		for i, a := range crownShape {
			b := crownShape[(i+1)%len(crownShape)]
			ax, ay, bx, by := x+a.x*size, y+a.y*size, x+b.x*size, y+b.y*size
			if (ay > py) != (by > py) && px < (bx-ax)*(py-ay)/(by-ay)+ax {
				in = !in
			}
		}
		return in
	})
}

// digits are strokes in a box of 0.6 by 1, from its upper left corner.
var digits = [10][]point{
	{{0.3, 0}, {0.1, 0.12}, {0, 0.5}, {0.1, 0.88}, {0.3, 1}, {0.5, 0.88}, {0.6, 0.5}, {0.5, 0.12}, {0.3, 0}},
	{{0.1, 0.2}, {0.36, 0}, {0.36, 1}},
	{{0.02, 0.24}, {0.12, 0.05}, {0.3, 0}, {0.5, 0.07}, {0.57, 0.27}, {0.48, 0.48}, {0, 1}, {0.6, 1}},
	{{0.03, 0.1}, {0.28, 0}, {0.5, 0.08}, {0.55, 0.26}, {0.44, 0.43}, {0.24, 0.48}, {0.46, 0.53}, {0.58, 0.73}, {0.5, 0.93}, {0.28, 1}, {0, 0.9}},
	{{0.42, 1}, {0.42, 0}, {0, 0.7}, {0.6, 0.7}},
	{{0.54, 0}, {0.08, 0}, {0.04, 0.45}, {0.28, 0.38}, {0.52, 0.48}, {0.59, 0.7}, {0.5, 0.92}, {0.27, 1}, {0, 0.9}},
	{{0.5, 0.05}, {0.3, 0.03}, {0.08, 0.3}, {0, 0.65}, {0.1, 0.92}, {0.3, 1}, {0.5, 0.92}, {0.59, 0.7}, {0.5, 0.5}, {0.3, 0.43}, {0.1, 0.52}, {0.02, 0.68}},
	{{0, 0}, {0.6, 0}, {0.2, 1}},
	{{0.3, 0.46}, {0.1, 0.36}, {0.06, 0.16}, {0.3, 0}, {0.54, 0.16}, {0.5, 0.36}, {0.3, 0.46}, {0.06, 0.58}, {0, 0.78}, {0.1, 0.94}, {0.3, 1}, {0.5, 0.94}, {0.6, 0.78}, {0.54, 0.58}, {0.3, 0.46}},
	{{0.1, 0.95}, {0.3, 0.97}, {0.52, 0.7}, {0.6, 0.35}, {0.5, 0.08}, {0.3, 0}, {0.1, 0.08}, {0.01, 0.3}, {0.1, 0.5}, {0.3, 0.57}, {0.5, 0.48}, {0.58, 0.32}},
}

// number draws a number round a place, as high as is said.
func (c canvas) number(n int, x, y, high float64, of color.RGBA) {
	var text []int
	for ; n > 0; n /= 10 {
		text = append([]int{n % 10}, text...)
	}
	const wide, apart = 0.6, 0.25
	left := x - high*(wide*float64(len(text))+apart*float64(len(text)-1))/2
	for _, digit := range text {
		c.stroke(digits[digit], left, y-high/2, high, of)
		left += high * (wide + apart)
	}
}

// stroke draws a line through points, with round ends.
func (c canvas) stroke(through []point, left, top, high float64, of color.RGBA) {
	thick := math.Max(1.2, high*0.075)
	c.fill(left-thick, top-thick, left+high*0.6+thick, top+high+thick, of, func(px, py float64) bool {
		for i := 1; i < len(through); i++ {
			a := point{left + through[i-1].x*high, top + through[i-1].y*high}
			b := point{left + through[i].x*high, top + through[i].y*high}
			along := ((px-a.x)*(b.x-a.x) + (py-a.y)*(b.y-a.y)) / ((b.x-a.x)*(b.x-a.x) + (b.y-a.y)*(b.y-a.y))
			along = math.Max(0, math.Min(1, along))
			if square(px-a.x-along*(b.x-a.x))+square(py-a.y-along*(b.y-a.y)) <= square(thick) {
				return true
			}
		}
		return false
	})
}
