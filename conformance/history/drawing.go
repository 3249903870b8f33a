package history

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// drawn is a drawing of parts, and the same as a table.
type drawn struct {
	Title, Says, Listed string
	Rows                []string // who, from the top to the bottom
	SVG                 template.HTML
	Table               []listed
}

// listed is an operation in a table.
type listed struct{ Place, Who, What, Called, Returned, Holds string }

// placed is an operation in a drawing.
type placed struct {
	item
	call, back int64
	row        int
	place      int // in the order of its part, from 1; 0 if it is in none
	misfit     bool
	holds      string // what its register holds then
}

// draw draws parts, on one line of time; and operations that were not searched.
func draw(title string, parts []part, unsearched []porcupine.Operation, limit time.Duration) drawn {
	var all []placed
	var orders [][]int // of each part: places in all
	misfits := 0
	for n := range parts {
		found, order := parts[n].ordered(limit)
		for i := range order {
			order[i] += len(all)
		}
		all, orders = append(all, found...), append(orders, order)
	}
	for i := range all {
		if all[i].misfit {
			misfits++
		}
	}
	says := fmt.Sprintf("One order explains all %d operations.", len(all))
	if misfits > 0 {
		says = fmt.Sprintf("%d of %d operations are in no order that explains the others: they have a red edge.", misfits, len(all))
	}
	if len(parts) > 1 {
		says += fmt.Sprintf(" Each of the %d epochs has an order of its own.", len(parts))
	}
	for _, op := range unsearched {
		all = append(all, placed{item: op.Input.(item), call: op.Call, back: op.Return})
	}
	if len(unsearched) > 0 {
		says += fmt.Sprintf(" %d more had no answer; nobody has read them, and nothing depends on them.", len(unsearched))
	}
	d := drawn{Title: title, Says: says, Rows: putInRows(all)}
	d.SVG = template.HTML(drawSVG(title, all, orders, len(d.Rows)))
	d.list(all)
	return d
}

// ordered returns the operations of a part, and the longest order of them that was found.
func (p *part) ordered(limit time.Duration) (all []placed, order []int) {
	misfit := false
	if len(p.ops) <= maxExplained {
		result, info := porcupine.CheckOperationsVerbose(historyModel, p.ops, limit)
		for _, some := range info.PartialLinearizations() {
			for _, one := range some {
				if len(one) > len(order) {
					order = one
				}
			}
		}
		misfit = result == porcupine.Illegal
	}
	for _, op := range p.ops {
		all = append(all, placed{item: op.Input.(item), call: op.Call, back: op.Return, misfit: misfit})
	}
	var state content
	for place, id := range order {
		_, state = all[id].step(state)
		all[id].place, all[id].misfit, all[id].holds = place+1, false, state.String()
	}
	return all, slices.Clone(order)
}

// putInRows says in which row of a drawing each operation is, and who each row is of: those of a client are together, nodes first by their ids, and none is
// on top of another.
func putInRows(all []placed) (who []string) {
	clients := map[string][]*placed{}
	for i := range all {
		name := all[i].op.who()
		clients[name] = append(clients[name], &all[i])
	}
	byID := func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }
	names := slices.SortedFunc(maps.Keys(clients), func(a, b string) int {
		isA, isB := strings.HasPrefix(a, "node "), strings.HasPrefix(b, "node ")
		if isA != isB {
			return map[bool]int{true: -1, false: 1}[isA]
		}
		return byID(a, b)
	})
	for _, name := range names {
		ops := clients[name]
		slices.SortStableFunc(ops, func(a, b *placed) int { return cmp.Compare(a.call, b.call) })
		first := len(who)
		var free []int64 // when the last operation of each row of the client has returned
		for _, op := range ops {
			row := slices.IndexFunc(free, func(back int64) bool { return back < op.call })
			if row < 0 {
				row, free, who = len(free), append(free, 0), append(who, name)
			}
			free[row] = op.back
			op.row = first + row
		}
	}
	return who
}

// scale says where in a drawing a moment is: moments are apart by a little more the longer it is from one to the next.
type scale struct {
	moments []int64
	at      []float64
	width   float64
}

const (
	rowHigh  = 34.0
	head     = 28.0 // of the times
	leastBox = 12.0
)

func scaleOf(all []placed) (s scale) {
	for i := range all {
		s.moments = append(s.moments, all[i].call)
		if all[i].back != Never {
			s.moments = append(s.moments, all[i].back)
		}
	}
	slices.Sort(s.moments)
	s.moments = slices.Compact(s.moments)
	few, many := 900/float64(len(s.moments)+1), 60_000/float64(len(s.moments)+1)
	step := math.Max(3, math.Min(math.Min(90, math.Max(26, few)), many))
	x := 10.0
	for i, at := range s.moments {
		if i > 0 {
			x += step * (0.6 + 0.12*math.Log2(1+float64(at-s.moments[i-1])/1000))
		}
		s.at = append(s.at, x)
	}
	s.width = x + 150 // for the words of the last
	return s
}

func (s scale) x(at int64) float64 {
	if at == Never {
		return s.width - 8
	}
	i, _ := slices.BinarySearch(s.moments, at)
	return s.at[i]
}

// drawSVG draws operations, and through those of each order a line.
func drawSVG(title string, all []placed, orders [][]int, rows int) string {
	s := scaleOf(all)
	high := head + rowHigh*float64(max(1, rows)) + 6
	var out strings.Builder
	_, _ = fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" role="img" aria-label="%s: %d operations"><title>%[3]s</title>`,
		s.width, high, html.EscapeString(title), len(all))
	s.ticks(&out, high)
	next := nextInRow(all)
	for i := range all {
		all[i].draw(&out, s, next[i])
	}
	for _, order := range orders {
		s.drawOrder(&out, all, order)
	}
	out.WriteString("</svg>")
	return out.String()
}

// ticks writes times, as far apart as their words need.
func (s scale) ticks(out *strings.Builder, high float64) {
	last := -100.0
	for i, at := range s.moments {
		if x := s.at[i]; x-last >= 90 {
			last = x
			_, _ = fmt.Fprintf(out, `<line class="tick" x1="%.1f" y1="%.0f" x2="%.1f" y2="%.0f"/><text class="time" x="%.1f" y="16">%s</text>`, x, head-8, x, high, x, moment(at))
		}
	}
}

// nextInRow returns for each operation when the next of its row is called; Never if none is.
func nextInRow(all []placed) []int64 {
	next := make([]int64, len(all))
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[b].call, all[a].call) })
	coming := map[int]int64{}
	for _, i := range order {
		at, known := coming[all[i].row]
		if !known {
			at = Never
		}
		next[i], coming[all[i].row] = at, all[i].call
	}
	return next
}

func (p *placed) box(s scale) (x, wide, y float64) {
	x = s.x(p.call)
	return x, math.Max(leastBox, s.x(p.back)-x), head + rowHigh*float64(p.row) + 4
}

// draw draws an operation: its words are in its box, or right of it where nothing comes for long.
func (p *placed) draw(out *strings.Builder, s scale, next int64) {
	x, wide, y := p.box(s)
	classes := []string{"op"}
	fenced, unknown := p.as == refused, p.as > follows && p.op.Outcome == Unknown // who writes says that it leads, whatever comes of the write
	for class, is := range map[string]bool{"told": p.as == follows, "fenced": fenced, "unknown": unknown, "misfit": p.misfit} {
		if is {
			classes = append(classes, class)
		}
	}
	slices.Sort(classes[1:])
	fill := ""
	if p.op.Epoch > 0 && !fenced && !unknown {
		fill = fmt.Sprintf(` style="fill: var(--epoch-%d)"`, p.op.Epoch%8)
	} else if p.op.Epoch == 0 {
		fill = ` style="fill: var(--card)"`
	}
	says := p.op.String()
	if p.holds != "" {
		says += fmt.Sprintf("; number %d, after which it holds %s", p.place, p.holds)
	}
	if p.misfit {
		says += "; it fits into no order that explains the others"
	}
	_, _ = fmt.Fprintf(out, `<g class="%s"><title>%s</title><rect x="%.1f" y="%.1f" width="%.1f" height="%.0f" rx="4"%s/>`, strings.Join(classes, " "), html.EscapeString(says), x, y, wide, rowHigh-10, fill)
	words := p.item.String()
	if p.misfit {
		words = "✕ " + words
	}
	const letter = 6.2
	room := math.Max(wide, s.x(next)-x) - 6
	for _, short := range []string{words, p.short()} {
		if need := letter * float64(len([]rune(short))); need <= room {
			at := x + 5
			if need > wide-6 { // it stands beside the box
				at = x + wide + 4
				if at+need > x+room+4 {
					continue
				}
			}
			_, _ = fmt.Fprintf(out, `<text x="%.1f" y="%.1f">%s</text>`, at, y+16, html.EscapeString(short))
			break
		}
	}
	out.WriteString("</g>")
}

// short says in as little as can be what an operation is.
func (p *placed) short() string {
	switch p.as {
	case leads:
		return fmt.Sprintf("leads %d", p.op.Epoch)
	case follows:
		return fmt.Sprintf("%s, %d", p.op.Leader, p.op.Epoch)
	case reads:
		return fmt.Sprintf("r %d", p.op.Value)
	}
	return fmt.Sprintf("w %d", p.op.Value)
}

// drawOrder draws where each operation of an order takes effect, and the line through them.
func (s scale) drawOrder(out *strings.Builder, all []placed, order []int) {
	const dot, apart = 3.0, 2.0
	last := 0.0
	var line, dots strings.Builder
	for i, id := range order {
		x, wide, y := all[id].box(s)
		at := math.Min(math.Max(last+apart, x+dot+1), x+wide-dot)
		last = math.Max(last, at)
		_, _ = fmt.Fprintf(&line, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[i == 0], at, y+rowHigh-14)
		_, _ = fmt.Fprintf(&dots, `<circle class="effect" cx="%.1f" cy="%.1f" r="%.0f"/>`, at, y+rowHigh-14, dot)
	}
	if len(order) > 0 {
		_, _ = fmt.Fprintf(out, `<path class="order" d="%s"/>%s`, line.String(), dots.String())
	}
}

// list fills the table: by part and place, what is in no order by its call.
func (d *drawn) list(all []placed) {
	shown := all[:min(len(all), maxListed)]
	d.Listed = fmt.Sprintf("All %d operations as a table", len(all))
	if len(shown) < len(all) {
		d.Listed = fmt.Sprintf("The first %d of %d operations as a table", len(shown), len(all))
	}
	for i := range shown {
		p := &shown[i]
		place := "–"
		if p.place > 0 {
			place = fmt.Sprint(p.place)
		}
		d.Table = append(d.Table, listed{place, p.op.who(), p.item.String(), moment(p.op.Call), moment(p.op.Return), cmp.Or(p.holds, "–")})
	}
}
