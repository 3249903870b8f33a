package cli

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// maxLine is how many bytes of a line are printed. No line of ours is as long.
const maxLine = 64 << 10

// PrintableWriter writes text with every character escaped that is not to be seen, but for the ends of lines and tabulators. The escapes are
// those of JSON, so that JSON stays JSON.
type PrintableWriter struct {
	w    io.Writer
	part []byte // the beginning of a character whose end has not been written yet
	line int    // bytes of this line so far
	cut  bool   // the rest of the line is left out
}

// Printable returns a PrintableWriter in front of w. It is for one goroutine at a time.
func Printable(w io.Writer) *PrintableWriter { return &PrintableWriter{w: w} }

// Write implements io.Writer. An error is that of the writer behind it, and then nothing of p counts as written.
func (w *PrintableWriter) Write(p []byte) (int, error) {
	text := append(w.part, p...)
	out := make([]byte, 0, len(text)+16)
	for utf8.FullRune(text) {
		r, size := utf8.DecodeRune(text)
		out = w.append(out, r)
		text = text[size:]
	}
	w.part = append([]byte(nil), text...)
	if _, err := w.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// maxText is how many characters of a text are shown that should be a word or a sentence.
const maxText = 300

// PrintableText returns the beginning of a text, on one line, for a cell of a table or the end of a sentence: nobody can make it look like
// other lines.
func PrintableText(text string) string {
	var out []byte
	n := 0
	for _, r := range text {
		if n++; n > maxText {
			return string(out) + "…"
		}
		if r == '\t' {
			r = ' '
		}
		if out = appendRune(out, r); r == '\n' {
			out = append(out[:len(out)-len(`\u000a`)], `\n`...)
		}
	}
	return string(out)
}

// append appends one character, as far as the line has room.
func (w *PrintableWriter) append(out []byte, r rune) []byte {
	switch {
	case r == '\n':
		w.line, w.cut = 0, false
		return append(out, '\n')
	case w.cut:
		return out
	case w.line >= maxLine:
		w.cut = true
		return append(out, "… (the line goes on)"...)
	}
	before := len(out)
	out = appendRune(out, r)
	w.line += len(out) - before
	return out
}

// appendRune appends a character, or its escape.
func appendRune(out []byte, r rune) []byte {
	switch high, low := utf16.EncodeRune(r); {
	case unicode.IsPrint(r) || r == '\t':
		return utf8.AppendRune(out, r)
	case r > 0xFFFF:
		return fmt.Appendf(out, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(out, `\u%04x`, r)
}
