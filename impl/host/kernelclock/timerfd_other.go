//go:build !linux

package kernelclock

import (
	"errors"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
)

// newKernelTimer has no timer to give.
func newKernelTimer(time.Duration) (host.Timer, error) { return nil, errors.ErrUnsupported }
