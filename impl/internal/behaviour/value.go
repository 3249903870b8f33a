package behaviour

import (
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/tla/check/value"
)

// term is a TLA+ value. Its text is the canonical one: two terms are the same if their texts are.
type term struct {
	text  string
	open  byte   // '{', '<', '[' or '(' of a set, a tuple, a record or another function; 0 of anything else
	items []term // elements, or the results of a function
	keys  []string
}

// parse reads a value as TLC writes it.
func parse(text string) (term, error) {
	form, err := value.Canonical(text)
	if err != nil {
		return term{}, err
	}
	r := termReader{form}
	return r.term(), nil
}

// termReader reads a canonical form, which has no mistakes.
type termReader struct{ rest string }

func (r *termReader) take(token string) bool {
	if strings.HasPrefix(r.rest, token) {
		r.rest = r.rest[len(token):]
		return true
	}
	return false
}

// term reads one value, with all that is in it.
func (r *termReader) term() (t term) {
	whole := r.rest
	switch {
	case r.take("<<"):
		t.open = '<'
		r.list(&t, ">>", "", ", ")
	case r.take("{"):
		t.open = '{'
		r.list(&t, "}", "", ", ")
	case r.take("["):
		t.open = '['
		r.list(&t, "]", " |-> ", ", ")
	case r.take("("):
		t.open = '('
		r.list(&t, ")", " :> ", " @@ ")
	default:
		r.atom()
	}
	t.text = whole[:len(whole)-len(r.rest)]
	return t
}

// list reads items up to the end of their list, each with its key if there is an arrow.
func (r *termReader) list(t *term, end, arrow, between string) {
	for !r.take(end) {
		if len(t.items) > 0 && !r.take(between) {
			return // no canonical form comes here
		}
		if arrow != "" {
			key := r.term()
			t.keys = append(t.keys, key.text)
			r.take(arrow)
		}
		t.items = append(t.items, r.term())
	}
}

// atom passes over a number, a word or a string.
func (r *termReader) atom() {
	if strings.HasPrefix(r.rest, `"`) {
		for i := 1; i < len(r.rest); i++ {
			switch r.rest[i] {
			case '\\':
				i++
			case '"':
				r.rest = r.rest[i+1:]
				return
			}
		}
	}
	end := strings.IndexAny(r.rest, ",>}]) ")
	if end < 0 {
		end = len(r.rest)
	}
	r.rest = r.rest[max(end, min(1, len(r.rest))):]
}

// field returns what a function is at a key, such as role of a record; the zero term if it has no such key.
func (t term) field(key string) term {
	for i, k := range t.keys {
		if k == key {
			return t.items[i]
		}
	}
	return term{}
}

// at returns what a function of 1..n is at i.
func (t term) at(i int) term {
	if t.open == '<' && i >= 1 && i <= len(t.items) {
		return t.items[i-1]
	}
	return t.field(strconv.Itoa(i))
}

// has reports whether a set has an element.
func (t term) has(text string) bool {
	for i := range t.items {
		if t.items[i].text == text {
			return true
		}
	}
	return false
}

// number returns the number that a term is; 0 if it is none.
func (t term) number() int {
	n, err := strconv.Atoi(t.text)
	if err != nil {
		return 0 // Atoi would return the largest there is for one that is too large
	}
	return n
}

// word returns a string without its quotes, and any other term as it is.
func (t term) word() string { return strings.Trim(t.text, `"`) }

// pair returns the two numbers of a tuple such as <<1, 2>>, or of the text of one.
func pair(text string) (a, b int, ok bool) {
	first, second, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(text, "<<"), ">>"), ", ")
	a, err1 := strconv.Atoi(first)
	b, err2 := strconv.Atoi(second)
	return a, b, ok && err1 == nil && err2 == nil
}
