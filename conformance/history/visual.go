package history

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/seed-fdf591db/bully/spec"
)

// maxDrawn is how many operations a page has at most: browsers draw them all.
const maxDrawn = 20_000

// maxListed is how many a table of them has at most.
const maxListed = 1000

//go:embed page.css
var style string

//go:embed page.html
var form string

var pageForm = template.Must(template.New("page").Parse(form))

// Visualise writes an HTML page with what was checked, and the operations that the searches look at: those on the epochs, and those on each resource, by
// client and time, and the order that was found; or the longest ones where there is none, and what does not fit into them. A box is where an
// operation can have taken effect, by all the others; who points at it sees when it was called, and when it returned. Clients that are nodes have
// their ids. The page needs no network, and runs no script. The error says what is not well formed, or that there is too much to draw, or nothing.
func Visualise(w io.Writer, h Header, ops []Op, o Options) error {
	report, err := Check(h, ops, o)
	if err != nil {
		return err
	}
	registers, resources := registerParts(ops), fenceParts(h, ops)
	total := 0
	for _, p := range append(registers[:len(registers):len(registers)], resources...) {
		total += len(p.ops)
	}
	switch {
	case total == 0:
		return fmt.Errorf("history: the history has no operations: there is nothing to draw")
	case total > maxDrawn:
		return fmt.Errorf("history: the history has %d operations to draw, and more than %d are too many for a page: record less", total, maxDrawn)
	}
	page := struct {
		Header
		Style    template.CSS
		Findings []foundOut
		Drawings []drawn
	}{Header: h, Style: template.CSS(style)}
	for _, f := range report.Findings {
		page.Findings = append(page.Findings, findOut(f))
	}
	limit := cmp.Or(o.Timeout, DefaultTimeout)
	if len(registers) > 0 {
		page.Drawings = append(page.Drawings, draw("Who led, and who was told", registers, nil, limit))
	}
	for _, p := range resources {
		page.Drawings = append(page.Drawings, draw("Resource "+p.name, []part{p}, unsearched(ops, p), limit))
	}
	var out bytes.Buffer
	if err := pageForm.Execute(&out, page); err != nil {
		return fmt.Errorf("history: cannot draw the history: %w", err)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("history: cannot write the page: %w", err)
	}
	return nil
}

// foundOut is a finding, as the page says it.
type foundOut struct {
	Class, Sign, Check, Means, Says string
	Verdict                         Verdict
	Operations                      int
}

func findOut(f Finding) foundOut {
	means := map[string]string{
		"registers": "Each epoch has one leader, and nobody is told of another, or of one who does not lead yet.", string(spec.NoStaleWrite): "No resource admits an epoch below one that it has admitted.",
		"fence": "Each resource takes what its fence lets in, and reads return what was written last.",
	}
	signs := map[Verdict]string{Linearizable: "✓", Refused: "✕", Inconclusive: "?", Nothing: "–"}
	out := foundOut{Class: string(f.Verdict), Sign: signs[f.Verdict], Check: f.Check, Means: means[f.Check], Verdict: f.Verdict, Operations: f.Operations, Says: f.Explanation}
	if f.Verdict == Nothing {
		out.Class = ""
	}
	if f.Broken != "" && f.Broken != f.Check {
		out.Says = f.Broken + ": " + f.Explanation
	}
	return out
}

// String returns the item as it is written into a box.
func (i item) String() string {
	switch o := i.op; {
	case o.Kind == FollowedOp:
		return fmt.Sprintf("is told: %s leads epoch %d", o.Leader, o.Epoch)
	case i.as == leads:
		return fmt.Sprintf("leads epoch %d", o.Epoch)
	case o.Kind == ReadOp:
		return fmt.Sprintf("read → value %d, epoch %d", o.Value, o.Epoch)
	case o.Outcome == Fenced:
		return fmt.Sprintf("write value %d, epoch %d → fenced by epoch %d", o.Value, o.Epoch, o.Admitted)
	default:
		return fmt.Sprintf("write value %d, epoch %d → %s", o.Value, o.Epoch, o.Outcome)
	}
}

// who returns who did an operation: a node, or whoever reads.
func (o *Op) who() string {
	if o.Kind == ReadOp {
		return o.Client
	}
	return "node " + o.Client
}

// unsearched returns the unknown writes on a resource that its search does without: nobody has read them, and nothing depends on them.
func unsearched(ops []Op, p part) (all []porcupine.Operation) {
	searched := map[*Op]bool{}
	for _, op := range p.ops {
		searched[op.Input.(item).op] = true
	}
	for i := range ops {
		if op := &ops[i]; op.Resource == p.name && op.Outcome == Unknown && !searched[op] {
			all = append(all, item{lost, op}.operation(op.Call, Never))
		}
	}
	return all
}

// moment returns a time of a history as people read it.
func moment(at int64) string {
	if at == Never {
		return "never"
	}
	return time.Duration(at).String()
}
