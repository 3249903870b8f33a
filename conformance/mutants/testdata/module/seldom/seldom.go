// Package seldom is tested by a slow test alone.
package seldom

const two = 2

// Double returns twice n.
func Double(n int) int { return two * n }
