package bully

import (
	"context"
	"log/slog"
	"os"
	"time"
)

// How often a node looks for another certificate, and says that its own ends.
const (
	lookEvery  = time.Minute
	warnEvery  = 24 * time.Hour
	alarmEvery = time.Hour
	alarmAt    = 24 * time.Hour // before the end
)

// Keep reads the certificate again each minute, and whenever asked (nil: nobody asks), until ctx ends. It logs that there is another one, that a new one is
// of no use, and, in time, that the one that there is ends.
func (c *Certificate) Keep(ctx context.Context, asked <-chan os.Signal, logger *slog.Logger) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	k := keeper{own: c, logger: logger}
	k.look(time.Now(), false)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			k.look(time.Now(), false)
		case <-asked:
			k.look(time.Now(), true)
		}
	}
}

// A keeper is what Keep knows.
type keeper struct {
	own    *Certificate
	logger *slog.Logger
	said   time.Time // when it was said last that the certificate ends
	failed string    // why the files could not be read
}

// look looks at the files once. Who has asked for it is answered even if nothing has changed.
func (k *keeper) look(now time.Time, asked bool) {
	changed, err := k.own.reload(now)
	expires := slog.Time("expires", k.own.Expires())
	switch {
	case err != nil && (asked || err.Error() != k.failed):
		k.logger.Error("the new certificate of this node is not taken, and the old one stays", slog.Any("err", err), expires)
	case changed:
		k.said = time.Time{}
		k.logger.Info("this node has another certificate from now on", expires)
	case err == nil && asked:
		k.logger.Info("the certificate of this node has not changed", expires)
	}
	if k.failed = ""; err != nil {
		k.failed = err.Error()
	}
	k.warn(now, expires)
}

// warn says that the certificate ends, or has ended, once in a while.
func (k *keeper) warn(now time.Time, expires slog.Attr) {
	left, every, level := k.own.Expires().Sub(now), warnEvery, slog.LevelWarn
	if left < alarmAt {
		every, level = alarmEvery, slog.LevelError
	}
	if !k.own.EndsSoon(now) || !k.said.IsZero() && now.Sub(k.said) < every {
		return
	}
	k.said = now
	text := "the certificate of this node ends: renew it"
	if left <= 0 {
		text = "the certificate of this node has ended: no other node connects to it any more; renew it"
	}
	k.logger.Log(context.Background(), level, text, expires, slog.String("file", k.own.files.Certificate))
}
