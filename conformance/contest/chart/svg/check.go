package svg

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// slack is by how much a drawing may be wrong.
const slack = 0.5

// extent is where a text is.
type extent struct {
	style                    Style
	text                     string
	left, right, top, bottom float64
}

// Check says what is wrong with a drawing, for those who test theirs: it must be one SVG document with a role, a title and a
// description; nothing may lie outside of it, be no number or be infinite; and no text may lie on another, or be cut off.
func Check(document []byte) error {
	d := xml.NewDecoder(bytes.NewReader(document))
	var (
		problems      []error
		texts         []extent
		open          *extent
		named         = map[string]bool{}
		width, height float64
		path          []string
	)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("svg: not well-formed: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			path = append(path, t.Name.Local)
			if len(path) == 1 {
				if width, height, err = root(t); err != nil {
					return err
				}
				continue
			}
			problems = append(problems, within(t, width, height))
			if t.Name.Local == "text" {
				e, err := begin(t)
				problems, open = append(problems, err), &e
			}
		case xml.EndElement:
			path = path[:len(path)-1]
			if t.Name.Local == "text" && open != nil {
				texts, open = append(texts, *open), nil
			}
		case xml.CharData:
			if open != nil {
				open.text += string(t)
			}
			if len(path) == 2 && strings.TrimSpace(string(t)) != "" {
				named[path[1]] = true
			}
		}
	}
	if !named["title"] || !named["desc"] {
		problems = append(problems, errors.New("svg: no title, or no description"))
	}
	problems = append(problems, apart(texts, width, height)...)
	return errors.Join(problems...)
}

// root reads the size of a drawing.
func root(e xml.StartElement) (width, height float64, err error) {
	if e.Name.Local != "svg" || attribute(e, "role") != "img" || attribute(e, "aria-label") == "" {
		return 0, 0, fmt.Errorf("svg: the root is <%s> with role %q and label %q", e.Name.Local, attribute(e, "role"), attribute(e, "aria-label"))
	}
	if n, err := fmt.Sscanf(attribute(e, "viewBox"), "0 0 %f %f", &width, &height); n != 2 || err != nil || !(width > 0) || !(height > 0) {
		return 0, 0, fmt.Errorf("svg: the view box is %q", attribute(e, "viewBox"))
	}
	return width, height, nil
}

// within says whether all coordinates of an element are numbers within the drawing.
func within(e xml.StartElement, width, height float64) error {
	var problems []error
	see := func(name, text string, most float64) {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v >= -slack) || !(v <= most+slack) {
			problems = append(problems, fmt.Errorf("svg: <%s> has %s=%q, which is not from 0 to %v", e.Name.Local, name, text, most))
		}
	}
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "x", "x1", "x2", "cx", "width":
			see(a.Name.Local, a.Value, width)
		case "y", "y1", "y2", "cy", "height":
			see(a.Name.Local, a.Value, height)
		case "r", "rx", "stroke-width", "font-size":
			see(a.Name.Local, a.Value, 100)
		case "points":
			for _, point := range strings.Fields(a.Value) {
				x, y, _ := strings.Cut(point, ",")
				see("points", x, width)
				see("points", y, height)
			}
		}
	}
	return errors.Join(problems...)
}

// begin reads where a text is put.
func begin(e xml.StartElement) (extent, error) {
	x, err1 := strconv.ParseFloat(attribute(e, "x"), 64)
	y, err2 := strconv.ParseFloat(attribute(e, "y"), 64)
	size, err3 := strconv.ParseFloat(attribute(e, "font-size"), 64)
	if err := errors.Join(err1, err2, err3); err != nil {
		return extent{}, fmt.Errorf("svg: a text has no place: %w", err)
	}
	s := Style{Size: size, Bold: attribute(e, "font-weight") != "", Anchor: Anchor(attribute(e, "text-anchor"))}
	return extent{style: s, left: x, right: x, top: y - s.Rise(), bottom: y + s.Fall()}, nil
}

// set finds the left and the right end of a text, once it has been read.
func (e *extent) set() {
	w := Width(e.text, e.style)
	switch e.style.Anchor {
	case Middle:
		e.left -= w / 2
	case Right:
		e.left -= w
	}
	e.right = e.left + w
}

// apart says which texts are cut off, and which lie on another.
func apart(texts []extent, width, height float64) (problems []error) {
	for i := range texts {
		e := &texts[i]
		e.set()
		if math.IsNaN(e.left) || e.left < -slack || e.right > width+slack || e.top < -slack || e.bottom > height+slack {
			problems = append(problems, fmt.Errorf("svg: %q is cut off: it is from %.1f,%.1f to %.1f,%.1f of %v,%v", e.text, e.left, e.top, e.right, e.bottom, width, height))
		}
		for k := range i {
			o := &texts[k]
			if min(e.right, o.right)-max(e.left, o.left) > slack && min(e.bottom, o.bottom)-max(e.top, o.top) > slack {
				problems = append(problems, fmt.Errorf("svg: %q lies on %q", e.text, o.text))
			}
		}
	}
	return problems
}

// attribute returns the value of an attribute, or "".
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
