// Package odd has functions of every form.
package odd

// Step is a constant, outside of any function.
const Step = 2

type stack[T any] struct{ items []T }

func (s *stack[T]) push(items ...T) { s.items = append(s.items, items...) }

func (*stack[T]) steps(_ int, by int) int { return Step * by }

func first[T any, S ~[]T](all S) (item T, ok bool) {
	if len(all) > 0 {
		return all[0], true
	}
	return item, false
}

func apply(int, string) (n int) {
	add := func(m int) int { return n + m }
	return add(3)
}

func note(into *int) {
	*into = 7
}

func repeat(text string, n int) string { return (func() string { return again(text, n) })() }

func again(text string, n int) string { return text[:n] }
