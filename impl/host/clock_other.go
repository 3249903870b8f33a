//go:build !linux

package host

import (
	"errors"
	"time"
)

// newKernelTimer has no timer to give.
func newKernelTimer(time.Duration) (Timer, error) { return nil, errors.ErrUnsupported }
