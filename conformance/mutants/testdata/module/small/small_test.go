package small

import "testing"

func TestClamp(t *testing.T) {
	for n, want := range map[int]int{3: 3, 12: 9} {
		if got := Clamp(n); got != want {
			t.Fatalf("Clamp(%d) = %d, and should be %d", n, got, want)
		}
	}
}

func TestSum(t *testing.T) {
	if got := Sum(3); got != 6 {
		t.Fatalf("Sum(3) = %d", got)
	}
}

// TestSmallest looks for the least n that is summed wrongly.
func TestSmallest(t *testing.T) {
	for n := range 5 {
		if Sum(n) != n*(n+1)/2 {
			t.Fatalf("smallest run: n = %d", n)
		}
	}
}
