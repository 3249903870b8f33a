// Package counted has a test that sees how many methods there are.
package counted

// Counter counts.
type Counter struct{ n int }

// Next returns the next number, from 1 on.
func (c *Counter) Next() int {
	c.n++
	return c.n
}

// Left returns how many numbers are left before a hundred.
func (c *Counter) Left() int { return 100 - c.n }
