// Package passes has tests that pass, and one that is skipped.
package passes

import "testing"

func TestPasses(t *testing.T) { t.Log("nobody needs to read this") }

func TestSkipped(t *testing.T) { t.Skip("needs strace: it counts calls") }

func TestParts(t *testing.T) {
	t.Run("part", func(t *testing.T) { t.Skip("needs a unicorn") })
}

func TestLong(t *testing.T) { t.Skip("long: it runs without the race detector") }
