// Package small has something to break.
package small

// Limit is the greatest that Clamp returns.
const Limit = 9

// Clamp returns n, but at most Limit.
func Clamp(n int) int {
	if n > Limit {
		return Limit
	}
	return n
}

// Sum returns the sum of 1 to n.
func Sum(n int) (total int) {
	for i := 1; i <= n; i++ {
		total += i
	}
	return total
}

// Untested is what no test looks at.
func Untested(n int) int {
	return n * 2
}
