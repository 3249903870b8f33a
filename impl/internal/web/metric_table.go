package web

import (
	"slices"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// hasStarted reports whether the node has taken its first step: before it there is no epoch, and that never goes back.
func hasStarted(s *host.Status) bool { return s.Role != "" }

func changing(s *host.Status) bool { return s.Configuration != nil }

// These are told of a node of many groups too.
var (
	linkUp   = labelled("link_up", Gauge, "node", "Whether the connection to a member is open.", ofLink(func(l *host.LinkStatus) float64 { return number(l.Up) }))
	linkDead = labelled("link_dead", Gauge, "node", "Whether a member is proved dead.", ofLink(func(l *host.LinkStatus) float64 { return number(l.Dead) }))
	pauses   = one("pauses_total", Counter, "How often the node was held up for longer than it may be.", func(s *host.Status) float64 { return float64(s.Counters.Pauses) })
)

// ofNode is what a host tells. Every series with a label of a closed set is there from the beginning, at 0, so that rate and absent say
// what they should.
var ofNode = []row[host.Status]{
	where(hasStarted, one("leading", Gauge, "Whether this node leads.", func(s *host.Status) float64 { return number(s.Leading) })),
	where(hasStarted, one("has_leader", Gauge, "Whether this node knows of a leader (R39).", func(s *host.Status) float64 { return number(!s.Leader.IsNone()) })),
	where(hasStarted, one("epoch", Gauge, "The highest epoch that this node has promised or learned.", func(s *host.Status) float64 { return float64(s.Epoch) })),
	one("epochs_exhausted", Gauge, "Whether the epochs are used up: when nobody leads, nobody ever will again.",
		func(s *host.Status) float64 { return number(s.Exhausted) }),
	where(hasStarted, one("latest_question", Gauge, "The latest number of a question that this node has used (R50).", func(s *host.Status) float64 { return float64(s.Numbers.Latest) })),
	one("leadership_changes_total", Counter, "How often who leads, or in which epoch, has changed.", func(s *host.Status) float64 { return float64(s.Counters.Changes) }),
	one("leadership_since_timestamp_seconds", Gauge, "When who leads has last changed, in seconds since 1970; 0 if it never has.", func(s *host.Status) float64 {
		if s.Since.IsZero() {
			return 0
		}
		return float64(s.Since.UnixMicro()) / 1e6
	}),
	one("stopped", Gauge, "Whether the node has stopped.", func(s *host.Status) float64 { return number(s.Stopped) }),
	labelled("role", Gauge, "role", "1 for the role that the node has.", roles),
	linkUp,
	linkDead,
	labelled("link_lost_disk", Gauge, "node", "Whether a member does not remember what it has said: its disk is lost, or an old copy.",
		ofLink(func(l *host.LinkStatus) float64 { return number(l.LostDisk) })),
	labelled("link_heard_seconds", Gauge, "node", "How long ago a member was heard.", heard),
	one("leader_phi", Gauge, "How suspicious the silence of the leader is.", phi),
	labelled("steps_total", Counter, "action", "Steps taken, by action.", func(s *host.Status) map[spec.Action]uint64 { return s.Counters.Actions }),
	labelled("ignored_total", Counter, "cause", "Inputs ignored, by cause (R33, R34, R35).", func(s *host.Status) map[bully.Cause]uint64 { return s.Counters.Ignored }),
	labelled("messages_sent_total", Counter, "type", "Messages given to the transport, by type.", func(s *host.Status) map[spec.MessageType]uint64 { return s.Counters.Sent }),
	labelled("messages_received_total", Counter, "type", "Messages that the transport has delivered, ignored or not, by type.",
		func(s *host.Status) map[spec.MessageType]uint64 { return s.Counters.Received }),
	{Metric{metricPrefix + "save_seconds", Histogram, "", "How long it took to make a promise durable (R4)."}, saves},
	one("slow_saves_total", Counter, "Promises that took the disk longer than it may.", func(s *host.Status) float64 { return float64(s.Counters.SlowSaves) }),
	pauses,
	one("quiet_total", Counter, "How often work reported no progress, and the node resigned.", func(s *host.Status) float64 { return float64(s.Counters.Quiets) }),
	one("guarded", Gauge, "Whether the node has a guard, and that is not stopped.", func(s *host.Status) float64 { return number(s.Guard != nil && !s.Guard.Stopped) }),
	one("guard_kills_total", Counter, "How often its guard has killed the node, since the guard began.", ofGuard(func(g *host.GuardStatus) int { return g.Kills })),
	one("guard_restarts_total", Counter, "How often its guard has started the node again, since the guard began.", ofGuard(func(g *host.GuardStatus) int { return g.Restarts })),
	one("lost_disks_total", Counter, "How often another node did not remember what it has said.", func(s *host.Status) float64 { return float64(s.Counters.LostDisks) }),
	one("unbelieved_total", Counter, "Messages of nodes that are no members, and claim that there are newer ones.", func(s *host.Status) float64 { return float64(s.Counters.Unbelieved) }),
	one("trace_errors_total", Counter, "Steps that could not be recorded.", func(s *host.Status) float64 { return float64(s.Counters.TraceErrors) }),
	where(changing, one("configuration_epoch", Gauge, "The epoch of the configuration of this node.", func(s *host.Status) float64 { return float64(s.Configuration.Epoch) })),
	where(changing, one("configuration_version", Gauge, "The version of the configuration of this node.", func(s *host.Status) float64 { return float64(s.Configuration.Version) })),
	where(changing, one("configuration_settled", Gauge, "Whether this node leads, and a quorum is known to hold its configuration (R47).", func(s *host.Status) float64 { return number(s.Settled) })),
	where(changing, labelled("members", Gauge, "kind", "Members, by kind.", kinds)),
	where(changing, one("member", Gauge, "Whether this node is a member.", func(s *host.Status) float64 { return number(slices.Contains(s.Members, s.ID)) })),
}

// ofGuard reads what the guard has told; without one that is 0.
func ofGuard(read func(*host.GuardStatus) int) func(*host.Status) float64 {
	return func(s *host.Status) float64 {
		if s.Guard == nil {
			return 0
		}
		return float64(read(s.Guard))
	}
}

func roles(s *host.Status) map[spec.Role]float64 {
	all := map[spec.Role]float64{}
	for _, role := range spec.Roles() {
		all[role] = number(role == s.Role)
	}
	return all
}

// ofLink reads a number of each link, by the node at its other end.
func ofLink(read func(*host.LinkStatus) float64) func(*host.Status) map[string]float64 {
	return func(s *host.Status) map[string]float64 {
		all := map[string]float64{}
		for i := range s.Links {
			all[s.Links[i].Node.String()] = read(&s.Links[i])
		}
		return all
	}
}

func heard(s *host.Status) map[string]float64 {
	all := map[string]float64{}
	for _, l := range s.Links {
		if l.LastHeardMS >= 0 {
			all[l.Node.String()] = float64(l.LastHeardMS) / 1000
		}
	}
	return all
}

func phi(s *host.Status) (most float64) {
	for _, l := range s.Links {
		most = max(most, l.Phi)
	}
	return most
}

func saves(s *host.Status) Reading {
	times := &Times{All: s.Counters.Saves, Sum: s.Counters.SaveTime.Seconds(), Within: map[float64]uint64{}}
	for bound, n := range s.Counters.SavedWithin {
		times.Within[bound.Seconds()] = n
	}
	return Reading{Times: times}
}

func kinds(s *host.Status) map[spec.MemberKind]float64 {
	all := map[spec.MemberKind]float64{}
	for _, kind := range spec.MemberKinds() {
		all[kind] = 0
	}
	for _, m := range s.Configuration.Members() {
		all[m.Kind]++
	}
	return all
}

// counted is a counter of the transport.
func counted(name, help string, read func(*transport.Stats) uint64) row[transport.Stats] {
	return one("transport_"+name, Counter, help, func(s *transport.Stats) float64 { return float64(read(s)) })
}

// ofLinks is what a transport tells.
var ofLinks = []row[transport.Stats]{
	counted("sent_total", "Messages written.", func(s *transport.Stats) uint64 { return s.Sent }),
	counted("received_total", "Messages read.", func(s *transport.Stats) uint64 { return s.Received }),
	counted("sent_bytes_total", "Bytes of frames written.", func(s *transport.Stats) uint64 { return s.BytesOut }),
	counted("received_bytes_total", "Bytes of frames read.", func(s *transport.Stats) uint64 { return s.BytesIn }),
	counted("lost_total", "Messages sent while there was no connection.", func(s *transport.Stats) uint64 { return s.Lost }),
	counted("dropped_total", "Messages dropped from full queues.", func(s *transport.Stats) uint64 { return s.Dropped }),
	counted("accepted_total", "Connections accepted.", func(s *transport.Stats) uint64 { return s.Accepted }),
	one("transport_pending", Gauge, "Connections that have not shown yet of which member they are.", func(s *transport.Stats) float64 { return float64(s.Pending) }),
	counted("evicted_total", "Connections closed before they could show it.", func(s *transport.Stats) uint64 { return s.Evicted }),
	counted("shed_total", "TLS handshakes not begun, as too many had been lately.", func(s *transport.Stats) uint64 { return s.Shed }),
	labelled("transport_refused_total", Counter, "reason", "Connections refused, by reason.", func(s *transport.Stats) map[string]uint64 {
		all := map[string]uint64{}
		for refusal, n := range s.Refused {
			all[refusal.String()] = n
		}
		return all
	}),
	counted("malformed_total", "Connections closed for a frame that is none (R33).", func(s *transport.Stats) uint64 { return s.Malformed }),
	counted("stalled_total", "Connections closed because they were too slow.", func(s *transport.Stats) uint64 { return s.Stalled }),
	counted("unknown_total", "Frames of unknown version or type, passed over.", func(s *transport.Stats) uint64 { return s.Unknown }),
	counted("spoofed_total", "Connections closed for a message of another sender.", func(s *transport.Stats) uint64 { return s.Spoofed }),
	counted("misaddressed_total", "Connections closed for a message to another node.", func(s *transport.Stats) uint64 { return s.Misaddressed }),
}

// ofGroups is what a node of many groups tells. None has the name of a group as a label: there may be ten thousand of them, at each node.
var ofGroups = []row[groups.Status]{
	one("groups", Gauge, "Groups in which this node takes part.", func(s *groups.Status) float64 { return float64(len(s.Groups)) }),
	one("groups_led", Gauge, "Groups that this node leads.", func(s *groups.Status) float64 { return float64(s.Leading) }),
	one("groups_followed", Gauge, "Groups that another leads, as far as this node knows.",
		those(func(s *groups.Status, g *groups.GroupStatus) bool { return !g.Leader.IsNone() && g.Leader != s.ID })),
	one("groups_without_leader", Gauge, "Groups of which this node knows no leader.", those(func(_ *groups.Status, g *groups.GroupStatus) bool { return g.Leader.IsNone() })),
	one("groups_elsewhere", Gauge, "Groups that another node leads than the one that does while all run.",
		those(func(_ *groups.Status, g *groups.GroupStatus) bool { return !g.Leader.IsNone() && g.Leader != g.Wanted })),
	one("groups_stuck", Gauge, "Groups whose work hangs at this node, which takes no part in them meanwhile.", those(func(_ *groups.Status, g *groups.GroupStatus) bool { return g.Stuck })),
	one("groups_lagging", Gauge, "Groups that have other members than the cluster, as this node has both: they have not followed its last change yet.",
		those(func(_ *groups.Status, g *groups.GroupStatus) bool { return g.Pending > 0 })),
	one("groups_pending_changes", Gauge, "Members that the groups which this node leads have otherwise than the cluster: each takes a change or two yet.", func(s *groups.Status) (n float64) {
		for i := range s.Groups {
			if g := &s.Groups[i]; g.Leader == s.ID {
				n += float64(g.Pending)
			}
		}
		return n
	}),
	countedInGroups("changes_total", "How often who leads a group, or in which epoch, has changed: twice in each failover.", func(c *groups.Counters) uint64 { return c.Changes }),
	countedInGroups("quiet_total", "How often the work of a group reported no progress, and the node resigned in that group.", func(c *groups.Counters) uint64 { return c.Quiets }),
	countedInGroups("steps_total", "Steps taken, in all groups.", func(c *groups.Counters) uint64 { return c.Steps }),
	countedInGroups("messages_sent_total", "Messages said, in all groups.", func(c *groups.Counters) uint64 { return c.Messages }),
	countedInGroups("frames_sent_total", "Frames in which they were said: each has what one node says to another, in all groups.", func(c *groups.Counters) uint64 { return c.Bundles }),
	countedInGroups("frames_sent_bytes_total", "Bytes of these frames.", func(c *groups.Counters) uint64 { return c.Bytes }),
	countedInGroups("frames_received_total", "Frames heard.", func(c *groups.Counters) uint64 { return c.Heard }),
	countedInGroups("saves_total", "Waits for the disk: each has the promises of all groups that had any (R4).", func(c *groups.Counters) uint64 { return c.Saves }),
	countedInGroups("unknown_total", "Messages heard of groups in which this node takes no part.", func(c *groups.Counters) uint64 { return c.Unknown }),
}

// those counts groups.
func those(is func(*groups.Status, *groups.GroupStatus) bool) func(*groups.Status) float64 {
	return func(s *groups.Status) (n float64) {
		for i := range s.Groups {
			n += number(is(s, &s.Groups[i]))
		}
		return n
	}
}

// countedInGroups is a counter of a node of many groups.
func countedInGroups(name, help string, read func(*groups.Counters) uint64) row[groups.Status] {
	return one("groups_"+name, Counter, help, func(s *groups.Status) float64 { return float64(read(&s.Counters)) })
}

// asHost is a node of many groups as far as it tells what a host does.
func asHost(s *groups.Status, others []spec.NodeID) *host.Status {
	h := &host.Status{Counters: host.Counters{Pauses: s.Counters.Pauses}}
	for _, id := range others {
		h.Links = append(h.Links, host.LinkStatus{Node: id, Up: slices.Contains(s.Up, id), Dead: slices.Contains(s.Dead, id)})
	}
	return h
}

// ofProcess is what the command tells.
var ofProcess = []row[process]{
	where(func(p *process) bool { return !p.Expires.IsZero() },
		one("certificate_expires_timestamp_seconds", Gauge, "When the certificate of this node ends, in seconds since 1970.", func(p *process) float64 { return float64(p.Expires.Unix()) })),
	one("log_dropped_total", Counter, "Lines of the log that were dropped, as whoever reads it was too slow.", func(p *process) float64 { return float64(p.Dropped) }),
	one("goroutines", Gauge, "Goroutines that there are.", func(p *process) float64 { return float64(p.Goroutines) }),
	one("memory_bytes", Gauge, "Memory had from the operating system.", func(p *process) float64 { return float64(p.Memory) }),
}
