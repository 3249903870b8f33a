// Package breaks is no program.
package breaks

import "testing"

func TestNothing(*testing.T) { missing() }
