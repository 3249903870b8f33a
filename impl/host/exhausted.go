package host

import (
	"errors"
	"log/slog"

	"github.com/seed-fdf591db/bully/spec"
)

// ErrExhausted is what Check returns when the epochs are used up and nobody leads: this node knows of the last epoch there is, 2^53-1,
// so that it never claims one again (R2), and whoever hears it does not either. That does not come by itself in 285,000 years: a
// program that is no node of this cluster, or a broken one, has sent that epoch. The way back is what bully repair says of such a record.
var ErrExhausted = errors.New("host: the epochs are used up, and nobody can be elected any more: bully repair says the way back")

// exhausted reports whether there is no epoch left to claim.
func exhausted(s *spec.State) bool { return s.Epoch == spec.MaxEpoch }

// noteExhausted says once that the epochs are used up.
func (h *Host) noteExhausted() {
	if exhausted(&h.state) && !h.saidExhausted {
		h.saidExhausted = true
		h.config.Logger.Error("the epochs are used up: when nobody leads, nobody ever will again. Something that is no node of this cluster, or is broken, has sent this epoch; bully repair says the way back",
			slog.String("node", h.config.ID.String()), slog.Uint64("epoch", uint64(h.state.Epoch)))
	}
}
