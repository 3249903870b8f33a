package counted

import (
	"reflect"
	"testing"
)

func TestMethods(t *testing.T) {
	c := &Counter{1}
	if n := reflect.TypeOf(c).NumMethod(); n != 2 || c.Left() != 99 {
		t.Fatal(n, c.Left())
	}
}

func TestNext(t *testing.T) {
	if c := (&Counter{1}); c.Next() != 2 {
		t.Fatal(c)
	}
}
