// Package value reads TLA+ values, as TLC prints them and as the Go models write them, and
// brings them into one form: two texts mean the same value if and only if their forms are
// equal. On that rests the comparison of sets of states.
//
// The loop to write:
//
//	states := value.NewStates()
//	for _, s := range reachable {
//		state := value.State{}
//		for _, v := range s {
//			if err := state.Set(v.Name, v.Value); err != nil {
//				return err
//			}
//		}
//		states.Add(state)
//	}
//	fmt.Println(states.Digest())
package value

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Value is a value: its form, and what is in it.
type Value struct {
	Text  string
	Open  byte     // '{', '<', '[' or '(' of a set, a tuple, a record or another function; 0 of anything else
	Items []Value  // elements, or the results of a function
	Keys  []string // the arguments of a record, as they are written there, or of another function that is no tuple
}

// canonical returns the form of the value that text means.
func canonical(text string) (string, error) {
	v, err := Parse(text)
	return v.Text, err
}

// Parse returns the value that text means, in its form. Sets are sorted and rid of
// duplicates, records and functions are sorted by their arguments. A function is written as
// a tuple if its domain is 1..n, and as a record if its domain is one of strings, since
// TLA+ does not tell those apart.
//
// It knows numbers, strings, TRUE and FALSE, model values, sets, intervals, tuples, records
// and functions given by their pairs. Errors say at which byte the text cannot be read.
func Parse(text string) (Value, error) {
	p := parser{text: text}
	v, err := p.value()
	if err != nil {
		return Value{}, err
	}
	if p.space(); p.at < len(p.text) {
		return Value{}, p.unexpected("the end")
	}
	return v, nil
}

const (
	// maxInterval bounds the sets that are written as first..last.
	maxInterval = 1 << 16
	// maxNesting bounds the values within values, so that no text can exhaust the stack.
	maxNesting = 1000
)

// parser is a place in a text.
type parser struct {
	text   string
	at     int
	nested int
}

// pair is one argument of a function, and its value there.
type pair struct {
	argument string
	result   Value
}

// value reads one value and what may follow it to make a larger one: first..last.
func (p *parser) value() (Value, error) {
	if p.nested++; p.nested > maxNesting {
		return Value{}, fmt.Errorf("byte %d: more than %d values within one another", p.at, maxNesting)
	}
	defer func() { p.nested-- }()
	p.space()
	switch rest := p.text[p.at:]; {
	case strings.HasPrefix(rest, "<<"):
		items, err := p.items("<<", ">>")
		return tuple(items), err
	case strings.HasPrefix(rest, "{"):
		items, err := p.items("{", "}")
		return set(items), err
	case strings.HasPrefix(rest, "["):
		return p.pairs("[", "|->", ",", "]", (*parser).field)
	case strings.HasPrefix(rest, "("):
		return p.pairs("(", ":>", "@@", ")", (*parser).argument)
	case strings.HasPrefix(rest, `"`):
		text, err := p.quoted()
		return Value{Text: text}, err
	case rest != "" && (isDigit(rest[0]) || rest[0] == '-'):
		return p.number()
	case rest != "" && isLetter(rest[0]):
		return Value{Text: p.word()}, nil
	}
	return Value{}, p.unexpected("a value")
}

// items reads values with commas between them.
func (p *parser) items(open, shut string) ([]Value, error) {
	p.at += len(open)
	var items []Value
	if p.accept(shut) {
		return items, nil
	}
	for {
		item, err := p.value()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
		if p.accept(shut) {
			return items, nil
		}
		if !p.accept(",") {
			return nil, p.unexpected(", or " + shut)
		}
	}
}

// pairs reads a function given by its pairs.
func (p *parser) pairs(open, to, between, shut string, argument func(*parser) (string, error)) (Value, error) {
	p.at += len(open)
	var pairs []pair
	for {
		a, err := argument(p)
		if err != nil {
			return Value{}, err
		}
		if !p.accept(to) {
			return Value{}, p.unexpected(to)
		}
		r, err := p.value()
		if err != nil {
			return Value{}, err
		}
		pairs = append(pairs, pair{a, r})
		if p.accept(shut) {
			return function(pairs), nil
		}
		if !p.accept(between) {
			return Value{}, p.unexpected(between + " or " + shut)
		}
	}
}

// argument reads the argument of a function, and returns its form.
func (p *parser) argument() (string, error) {
	v, err := p.value()
	return v.Text, err
}

// field reads the name of a field, and returns the string that it stands for.
func (p *parser) field() (string, error) {
	p.space()
	if p.at == len(p.text) || !isLetter(p.text[p.at]) {
		return "", p.unexpected("a field")
	}
	return `"` + p.word() + `"`, nil
}

// number reads a number or an interval.
func (p *parser) number() (Value, error) {
	first, err := p.integer()
	if err != nil || !p.accept("..") {
		return Value{Text: strconv.Itoa(first)}, err
	}
	p.space()
	last, err := p.integer()
	if err != nil {
		return Value{}, err
	}
	if last-first >= maxInterval {
		return Value{}, fmt.Errorf("byte %d: an interval of more than %d numbers", p.at, maxInterval)
	}
	var items []Value
	for i := first; i <= last; i++ {
		items = append(items, Value{Text: strconv.Itoa(i)})
	}
	return set(items), nil
}

// integer reads digits and the sign before them.
func (p *parser) integer() (int, error) {
	begin := p.at
	if p.at < len(p.text) && p.text[p.at] == '-' {
		p.at++
	}
	for p.at < len(p.text) && isDigit(p.text[p.at]) {
		p.at++
	}
	// TLC's numbers have 32 bits.
	n, err := strconv.ParseInt(p.text[begin:p.at], 10, 32)
	if err != nil {
		return 0, fmt.Errorf("byte %d: %q is no number", begin, p.text[begin:p.at])
	}
	return int(n), nil
}

// quoted reads a string, and leaves its escapes as they are.
func (p *parser) quoted() (string, error) {
	begin := p.at
	for p.at++; p.at < len(p.text); p.at++ {
		switch p.text[p.at] {
		case '\\':
			p.at++
		case '"':
			p.at++
			return p.text[begin:p.at], nil
		}
	}
	p.at = begin
	return "", p.unexpected("a string that ends")
}

// word reads an identifier.
func (p *parser) word() string {
	begin := p.at
	for p.at < len(p.text) && (isLetter(p.text[p.at]) || isDigit(p.text[p.at])) {
		p.at++
	}
	return p.text[begin:p.at]
}

// accept reads token if it is next.
func (p *parser) accept(token string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.at:], token) {
		return false
	}
	p.at += len(token)
	return true
}

// space passes over white space.
func (p *parser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// unexpected says what should have been next.
func (p *parser) unexpected(wanted string) error {
	rest := p.text[p.at:]
	if len(rest) > 20 {
		rest = rest[:20] + "…"
	}
	return fmt.Errorf("byte %d: found %q where %s should be", p.at, rest, wanted)
}

// joined returns the texts of values, each behind its key if there are any.
func joined(items []Value, keys []string, to, between string) string {
	texts := make([]string, len(items))
	for i := range items {
		if texts[i] = items[i].Text; keys != nil {
			texts[i] = keys[i] + to + texts[i]
		}
	}
	return strings.Join(texts, between)
}

// tuple returns a tuple. Without items, it is the function of no arguments.
func tuple(items []Value) Value {
	return Value{Text: "<<" + joined(items, nil, "", ", ") + ">>", Open: '<', Items: items}
}

// set returns a set.
func set(items []Value) Value {
	slices.SortFunc(items, func(a, b Value) int { return order(a.Text, b.Text) })
	items = slices.CompactFunc(items, func(a, b Value) bool { return a.Text == b.Text })
	return Value{Text: "{" + joined(items, nil, "", ", ") + "}", Open: '{', Items: items}
}

// function returns a function. As with TLC's @@, the first of two pairs with the same argument counts.
func function(pairs []pair) Value {
	slices.SortStableFunc(pairs, func(a, b pair) int { return order(a.argument, b.argument) })
	pairs = slices.CompactFunc(pairs, func(a, b pair) bool { return a.argument == b.argument })
	results, keys := make([]Value, len(pairs)), make([]string, len(pairs))
	isTuple, isRecord := true, true
	for i, x := range pairs {
		results[i], keys[i] = x.result, x.argument
		isTuple = isTuple && x.argument == strconv.Itoa(i+1)
		isRecord = isRecord && isField(x.argument)
	}
	switch {
	case isTuple:
		return tuple(results)
	case !isRecord:
		return Value{Text: "(" + joined(results, keys, " :> ", " @@ ") + ")", Open: '(', Items: results, Keys: keys}
	}
	for i := range keys {
		keys[i] = strings.Trim(keys[i], `"`)
	}
	return Value{Text: "[" + joined(results, keys, " |-> ", ", ") + "]", Open: '[', Items: results, Keys: keys}
}

// isField reports whether form is that of a string that may be the field of a record.
func isField(form string) bool {
	if len(form) < 3 || form[0] != '"' || !isLetter(form[1]) {
		return false
	}
	for _, c := range []byte(form[1 : len(form)-1]) {
		if !isLetter(c) && !isDigit(c) {
			return false
		}
	}
	return true
}

// order compares forms: shorter ones first, so that numbers are in their own order.
func order(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}
