package viewer

import (
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// comparison is the page that draws what workbench compare has found, as the build has left it.
//
//go:embed dist/compare.html
var comparison string

// answersMark is where the answers go, in that page.
const answersMark = `<script type="application/json" id="answers">`

// WriteComparison writes the page that draws answers: one file, which asks the network for nothing. Answers are what becomes
// JSON of the form that src/compare/types.ts says. An error is that of w, or says why answers cannot become JSON.
func WriteComparison(w io.Writer, answers any) error {
	before, after, ok := strings.Cut(comparison, answersMark)
	if !ok || strings.Contains(after, answersMark) {
		return errors.New("viewer: the page of comparisons must have one place for answers: run make viewer")
	}
	text, err := json.Marshal(answers) // no text in it can end the element: see New
	if err != nil {
		return err
	}
	for _, part := range []string{before, answersMark, string(text), after} {
		if _, err := io.WriteString(w, part); err != nil {
			return err
		}
	}
	return nil
}
