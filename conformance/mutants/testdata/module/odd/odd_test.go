package odd

import "testing"

func TestOdd(t *testing.T) {
	var s stack[int]
	s.push(4, 5)
	got, ok := first[int](s.items)
	_, none := first[int]([]int{})
	var noted int
	note(&noted)
	one, _ := first[int]([]int{1})
	if repeat("two", 1) != "t" || one != 1 || got != 4 || !ok || none || s.steps(0, 3) != 6 || apply(1, "") != 3 || noted != 7 || len(s.items) != 2 {
		t.Fatal(got, ok, none, s.steps(0, 3), noted)
	}
}
