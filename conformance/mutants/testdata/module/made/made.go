// Package made has what can be broken in ways that nobody has written down.
package made

// Half returns half of n, and whether that is all of it.
func Half(n int) (int, bool) {
	if n%2 == 1 {
		return n / 2, false
	}
	return n / 2, true
}

// Text returns a text that is named as errors are.
func Text() (err string) {
	err = "text"
	return err
}

// Cap returns n, and at most 9.
func Cap(n int) int {
	if n >= 9 {
		n = 9
	}
	return n
}
