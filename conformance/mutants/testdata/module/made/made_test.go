package made

import "testing"

func TestAll(t *testing.T) {
	if n, whole := Half(5); n != 2 || whole {
		t.Fatal(n, whole)
	}
	if n, whole := Half(4); n != 2 || !whole {
		t.Fatal(n, whole)
	}
	if Text() != "text" || Cap(10) != 9 {
		t.Fatal(Text(), Cap(10))
	}
}
