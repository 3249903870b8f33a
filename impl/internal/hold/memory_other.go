//go:build !linux || !(amd64 || arm64)

package hold

import (
	"errors"
	"fmt"
)

// Memory starts nothing: elsewhere nobody has measured what a death takes.
func Memory() error {
	return fmt.Errorf("no process holds the memory of this one: that needs Linux on amd64 or arm64: %w", errors.ErrUnsupported)
}
