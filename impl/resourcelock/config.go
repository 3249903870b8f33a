package resourcelock

import (
	"fmt"
	"log/slog"
	"time"

	"k8s.io/client-go/tools/leaderelection"
)

// Config says how long things take, in the words of client-go. All nodes must be given the same durations, and the elector too: see Lock.Elector.
type Config struct {
	// LeaseDuration is how long who leads next waits before its elector may act. At least 1 s: client-go tells others of whole seconds. Default: 1 s.
	LeaseDuration time.Duration
	// RenewDeadline is how long the elector tries to renew before it gives up. Default: 600 ms.
	RenewDeadline time.Duration
	// RetryPeriod is the time between two tries. Default: 100 ms.
	RetryPeriod time.Duration
	// Name is what the lock is called in logs and metrics of client-go. Default: "bully".
	Name string
	// Logger is told what the elector has done. Default: nobody is.
	Logger *slog.Logger
}

// withDefaults returns the configuration that is meant, or what is wrong with it.
func (c Config) withDefaults() (Config, error) {
	if c.LeaseDuration == 0 && c.RenewDeadline == 0 && c.RetryPeriod == 0 {
		c.LeaseDuration, c.RenewDeadline, c.RetryPeriod = time.Second, 600*time.Millisecond, 100*time.Millisecond
	}
	if c.Name == "" {
		c.Name = "bully"
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	switch {
	case c.LeaseDuration < time.Second:
		return c, fmt.Errorf("resourcelock: LeaseDuration is %v, but must be at least 1s: client-go writes it in whole seconds", c.LeaseDuration)
	case c.RetryPeriod <= 0:
		return c, fmt.Errorf("resourcelock: RetryPeriod is %v, but must be positive: give all three durations, or none", c.RetryPeriod)
	case c.RenewDeadline <= time.Duration(leaderelection.JitterFactor*float64(c.RetryPeriod)):
		return c, fmt.Errorf("resourcelock: RenewDeadline is %v, but must be more than %v times RetryPeriod, as client-go wants it", c.RenewDeadline, leaderelection.JitterFactor)
	case c.acts() > c.LeaseDuration/10*9:
		return c, fmt.Errorf("resourcelock: RetryPeriod + RenewDeadline is %v, but must be at most %v: who leads next waits for LeaseDuration alone, and the elector must have stopped by then",
			c.acts(), c.LeaseDuration/10*9)
	}
	return c, nil
}

// acts is how long an elector acts after its last renewal, if nothing holds it up.
func (c Config) acts() time.Duration { return c.RetryPeriod + c.RenewDeadline }

// seconds is LeaseDuration as client-go writes it into a record.
func (c Config) seconds() int { return int(c.LeaseDuration / time.Second) }

// Config returns the configuration of the lock, with its defaults: for the durations of controller-runtime's manager.
func (l *Lock) Config() Config { return l.config }

// Elector returns what client-go makes an elector from that goes by this lock, with its durations. It releases the lock when its context ends.
func (l *Lock) Elector(callbacks leaderelection.LeaderCallbacks) leaderelection.LeaderElectionConfig {
	return leaderelection.LeaderElectionConfig{
		Lock: l, LeaseDuration: l.config.LeaseDuration, RenewDeadline: l.config.RenewDeadline, RetryPeriod: l.config.RetryPeriod,
		Callbacks: callbacks, ReleaseOnCancel: true, Name: l.config.Name,
	}
}
