//go:build !linux

package host

import "time"

// FindGuard finds nobody: a guard needs Linux, and so does systemd.
func FindGuard() (*Guard, error) { return nil, nil }

// isStopped is for Linux alone.
func isStopped(int) bool { return false }

// bell is none.
type bell struct{}

func (*bell) set(_, _ time.Duration)       {}
func (*bell) stop()                        {}
func (*bell) rouses(instant, ring) instant { return never }

// systemd is nobody.
type systemd struct{}

func (*systemd) alive(time.Time)        {}
func (*systemd) ends()                  {}
func (*systemd) rouses(instant) instant { return never }
