package page

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
)

// draw returns a picture for a page, if there is nothing but a picture in it.
func draw(p Picture, width int) (template.HTML, error) {
	drawing, err := p.SVG(width)
	if err != nil {
		return "", err
	}
	if err := harmless(drawing); err != nil {
		return "", fmt.Errorf("a picture of %T: %w", p, err)
	}
	return template.HTML(drawing), nil
}

// elements are those that a picture may have.
var elements = []string{"svg", "title", "desc", "style", "g", "rect", "line", "polyline", "polygon", "circle", "path", "text", "tspan"}

// harmless says what of a drawing has no place in a page: what is not SVG, runs, or is loaded from elsewhere.
func harmless(drawing []byte) error {
	if bytes.Contains(drawing, []byte("<!")) {
		return errors.New("there is <! in it: in HTML that does not mean what it means in XML")
	}
	d := xml.NewDecoder(bytes.NewReader(drawing))
	depth, roots, style := 0, 0, false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("it is not XML: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth == 0 {
				roots++
			}
			if depth == 0 != (t.Name.Local == "svg") {
				return fmt.Errorf("there is <%s> where it does not belong: a picture is one <svg>", t.Name.Local)
			}
			if err := harmlessElement(t); err != nil {
				return err
			}
			depth, style = depth+1, t.Name.Local == "style"
		case xml.EndElement:
			depth, style = depth-1, false
		case xml.CharData:
			if text := string(t); style && !harmlessStyle(text) {
				return errors.New("its style has more than rules and @media: it might load something")
			} else if depth == 0 && strings.TrimSpace(text) != "" {
				return errors.New("there is text outside of the picture")
			}
		default:
			return fmt.Errorf("there is a %T: a picture has elements and text", token)
		}
	}
	if roots != 1 {
		return fmt.Errorf("there are %d pictures in it", roots)
	}
	return nil
}

// harmlessElement says what of an element has no place in a page.
func harmlessElement(e xml.StartElement) error {
	if !slices.Contains(elements, e.Name.Local) {
		return fmt.Errorf("there is <%s>: a picture for a page has only %s", e.Name.Local, strings.Join(elements, ", "))
	}
	for _, a := range e.Attr {
		name := strings.ToLower(a.Name.Local)
		if strings.HasPrefix(name, "on") || name == "href" || name == "src" || strings.Contains(strings.ToLower(a.Value), "url(") {
			return fmt.Errorf("<%s> has %s=%q: a picture for a page must not run or load anything", e.Name.Local, a.Name.Local, a.Value)
		}
	}
	return nil
}

// harmlessStyle says whether a style sheet loads nothing: it has no rule with @ but @media, and no url.
func harmlessStyle(text string) bool {
	return strings.Count(text, "@") == strings.Count(text, "@media") && !strings.ContainsAny(text, "<\\") &&
		!strings.Contains(strings.ToLower(text), "url(")
}

// paragraphs returns a text in paragraphs.
func paragraphs(text string) (all []string) {
	for _, part := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}
