// Package none has no tests.
package none

// One is a number.
func One() int { return 1 }
