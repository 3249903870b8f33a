package web

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/spec"
)

// Leading is what GET /leading answers: whether the node acts as leader now, and who does if not.
type Leading struct {
	Leading bool        `json:"leading"`
	Node    spec.NodeID `json:"node"`
	Leader  spec.NodeID `json:"leader"`         // or null
	Epoch   spec.Epoch  `json:"epoch"`          // the highest that the node knows
	HoldsMS int64       `json:"holds_ms"`       // how long it leads at least, whatever happens, from when it was asked; 0 if it does not
	View    string      `json:"view,omitempty"` // where the leader is seen, if it is another and Config.Views says so
}

// leading answers whether this node acts as leader. The deadline is looked at after all else: it may have passed since the node has
// looked, as when the process was stopped meanwhile.
func (s *Server) leading(w http.ResponseWriter, _ *http.Request) {
	now := s.config.Node.Status()
	if !hasStarted(&now) {
		notStarted(w)
		return
	}
	says := Leading{Node: now.ID, Leader: now.Leader, Epoch: now.Epoch}
	if now.Leader != now.ID {
		says.View = s.config.Views[now.Leader]
	}
	code := http.StatusServiceUnavailable
	if says.HoldsMS = holds(now, time.Now()).Milliseconds(); says.HoldsMS > 0 {
		says.Leading, code = true, http.StatusOK
	} else if now.Leader == now.ID {
		says.Leader = spec.NodeID{} // it did lead
	}
	answer(w, code, says)
}

// holds returns how long a node leads at least, by the monotonic and by the wall clock, as host.Reign.Valid has it; 0 if it does not.
func holds(s host.Status, now time.Time) time.Duration {
	if !s.Leading || s.Stopped || s.Deadline.IsZero() {
		return 0
	}
	return ahead(s.Deadline, now)
}

// ahead returns how far a deadline lies ahead, by the monotonic or the wall clock, whichever it comes first by; 0 once it has passed.
func ahead(deadline, now time.Time) time.Duration {
	return max(0, min(deadline.Sub(now), deadline.Round(0).Sub(now.Round(0))))
}

// Resigned is what POST /resign answers.
type Resigned struct {
	Resigned bool        `json:"resigned"` // the node has led, and does no longer
	Leader   spec.NodeID `json:"leader"`   // who leads, if this node did not; or null
	Epoch    spec.Epoch  `json:"epoch"`    // that it has led, or the highest that it knows
}

func (s *Server) resign(w http.ResponseWriter, r *http.Request) {
	if !s.config.Control {
		http.Error(w, fmt.Sprintf(notControlled, "make it resign"), http.StatusForbidden)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), longest)
	defer cancel()
	to, hold, err := named(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.config.Logger.Info("asked to resign", "by", r.RemoteAddr, "names", to.String())
	now := s.config.Node.Status()
	if !now.Leading && !now.Stopped {
		answer(w, http.StatusConflict, Resigned{Leader: now.Leader, Epoch: now.Epoch})
		return
	}
	if to.IsNone() {
		err = s.config.Node.Resign(ctx)
	} else {
		err = s.config.Node.HandOver(ctx, to, hold)
	}
	if err != nil {
		code := http.StatusServiceUnavailable
		if !to.IsNone() && ctx.Err() == nil && s.config.Node.Status().Leading { // that one cannot be named: it leads on
			code = http.StatusUnprocessableEntity
		}
		http.Error(w, err.Error(), code)
		return
	}
	answer(w, http.StatusOK, Resigned{Resigned: true, Epoch: now.Epoch})
}

// named returns whom POST /resign?to=ID&hold=TIME names, and for how long that one is not to be pre-empted; none if it names nobody.
func named(r *http.Request) (to spec.NodeID, hold time.Duration, err error) {
	asked := r.URL.Query()
	if !asked.Has("to") {
		if asked.Has("hold") {
			return to, 0, fmt.Errorf("hold is for who is named: say to as well")
		}
		return to, 0, nil
	}
	if to, err = spec.ParseNodeID(asked.Get("to")); err != nil {
		return to, 0, fmt.Errorf("to: %w", err)
	}
	if text := asked.Get("hold"); text != "" {
		if hold, err = time.ParseDuration(text); err != nil || hold < 0 || hold > host.MaxHold {
			return to, 0, fmt.Errorf("hold: %q is no time from 0 to %v, such as 30s", text, host.MaxHold)
		}
	}
	return to, hold, nil
}
