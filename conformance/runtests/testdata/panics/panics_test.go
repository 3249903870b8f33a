// Package panics has a test that ends the program.
package panics

import "testing"

func TestPanics(*testing.T) { panic("the program ends") }
