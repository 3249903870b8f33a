//go:build !linux

package child

import (
	"errors"
	"fmt"
)

// BecomeGuard has no guard to become: elsewhere the kernel neither ends a program with its guard, nor says who waits for a processor.
func BecomeGuard(string, []string, bool) error {
	return fmt.Errorf("a guard needs Linux: %w", errors.ErrUnsupported)
}

// Guarded reports whether this process was started by a guard.
func Guarded() bool { return false }
