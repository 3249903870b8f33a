package rules

import "github.com/seed-fdf591db/bully/spec"

// What a node takes a step on: a message, the end of a timer, a call, and a start.

// Hear returns what node i does in state s with the message m. First it adopts a configuration that is newer than its own
// (R43); then only a member hears a member (R44). It ignores a message that is misaddressed, or of no known type (R34).
func (r *Rules) Hear(i ID, s State, m Message) Step {
	if m.To != i || m.From == i || m.From == None || m.From > MaxIDs || m.Type > ImBack {
		return ignored(s)
	}
	s = r.adopted(s, m)
	if !r.meets(i, m.From, s.Conf) {
		return r.outsideHeard(i, s, m)
	}
	switch m.Type {
	case Election:
		return r.electionHeard(i, s, m)
	case OK:
		return r.okHeard(i, s, m)
	case Assent:
		return r.assentHeard(i, s, m)
	case Claim:
		return r.claimHeard(i, s, m)
	case Grant:
		return r.grantHeard(i, s, m)
	case Refuse:
		return r.refuseHeard(i, s, m)
	case Ack:
		return r.ackHeard(i, s, m)
	case Resign:
		return r.resignHeard(i, s, m)
	case ImBack:
		return r.imBackHeard(i, s, m)
	default: // Coordinator and Heartbeat
		return r.reignHeard(i, s, m)
	}
}

// Adopted returns s with the configuration of m, if that is newer. R43.
func (r *Rules) Adopted(s State, m Message) State { return r.adopted(s, m) }

// adoptIt is what s becomes with configuration c in the place of its own. Who stood in the old one stands no more. R43.
func (r *Rules) adoptIt(s State, c Configuration) State {
	if s.Role == Candidate || s.Role == Claimant {
		s = rest(s)
	}
	s = r.learn(s, c.Epoch)
	s.Support, s.Asked, s.Conf, s.Answered = 0, 0, c, s.Answered.among(c.All())
	return s
}

// asks are the types of messages that are answered.
const asks = 1<<Election | 1<<Claim | 1<<Coordinator | 1<<Heartbeat | 1<<ImBack

// outsideHeard tells who asks with an older configuration of the newer one: so a node learns that it is no member any more. R44.
func outsideHeard(i ID, s State, m Message) Step {
	if s.Conf.Newer(m.Conf) && asks>>m.Type&1 == 1 {
		return answer(i, s, Refuse, &m, s.Epoch)
	}
	return quietly(s)
}

// Runs reports whether timer t belongs to node i in state s. R36, R46: the patience of a node that is no member runs only
// while it follows somebody.
func (r *Rules) Runs(i ID, s State, t Timer) bool {
	switch t {
	case PatienceTimer:
		return r.watches(i, s)
	case PreemptTimer:
		return s.Role == Follower && s.Leader != None && r.mayStand(i, s) && r.outranked(s.Leader, i, s.Conf)
	case ElectionTimer:
		return s.Role == Candidate
	case CoordinatorTimer:
		return s.Role == Electing
	case ClaimTimer:
		return s.Role == Claimant
	case ReignTimer, HeartbeatTimer:
		return s.Role == Leader
	}
	return false
}

// Timeout returns what node i does in state s when its timer t ends. It ignores a timer that does not run (R35).
func (r *Rules) Timeout(i ID, s State, t Timer) Step {
	if !r.Runs(i, s, t) {
		return ignored(s)
	}
	switch t {
	case PatienceTimer:
		return r.patienceEnded(i, s)
	case PreemptTimer:
		return r.preemptEnded(i, s)
	case ElectionTimer:
		return r.electionEnded(i, s)
	case CoordinatorTimer:
		return r.coordinatorEnded(i, s)
	case ClaimTimer:
		return r.claimEnded(s)
	case ReignTimer:
		return r.reignEnded(s)
	default: // HeartbeatTimer: no other timer runs
		return r.heartbeatEnded(i, s)
	}
}

// Resign returns what node i does in state s when it is told to lead no longer, or to stop in good order. Only a leader does: a
// claimant could claim the same epoch again, and count a GRANT whose lease it had set free. R28.
func (r *Rules) Resign(i ID, s State) Step {
	if !r.MayResign(s) {
		return ignored(s)
	}
	return r.resigned(i, s)
}

// HandOver returns what node i does in state s when it is told to lead no longer, and to name node k, who is to stand first, and is not to
// be pre-empted for so long; if k is None it is Resign. It is no step unless i may name k. R51.
func (r *Rules) HandOver(i ID, s State, k ID, hold spec.Hold) Step {
	if !r.MayResign(s) || k != None && !r.mayName(i, s, k) {
		return ignored(s)
	}
	return r.handedTo(i, s, k, hold)
}

// HolderDead returns what node i does in state s when it is told that the node whose lease it keeps is proved dead: that one
// leads no more, as if it had said so. Without a lease of another node it is no step. R41.
func (r *Rules) HolderDead(i ID, s State) Step {
	if !r.hasHolder(i, s) {
		return ignored(s)
	}
	return quietly(freed(s))
}

// Change returns what node i does in state s when it is asked to make c the configuration of the cluster. It is no step
// unless it may. R47.
func (r *Rules) Change(i ID, s State, c Configuration) Step {
	if !r.mayChange(i, s, c) {
		return ignored(s)
	}
	return r.changed(i, s, c)
}

// Survives returns what is left of s after a crash: what is durable. R4, R42.
func (r *Rules) Survives(s State) State { return r.survives(s) }

// Restart returns what node i does when it starts with s on disk, of which only what survives counts. R30.
func (r *Rules) Restart(i ID, s State) Step {
	t := r.afterRestart(i, s)
	t.Latest++
	return tell(i, t, latest(ImBack, t.Conf.All(), t))
}
