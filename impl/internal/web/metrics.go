package web

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/spec"
)

// family is one metric, in the text format of Prometheus.
type family struct {
	name, kind, help string
	samples          []sample
}

type sample struct {
	label, value string // of the one label; none if label is ""
	number       float64
}

// one returns the family of a metric without labels.
func one[N uint64 | float64 | int | int64](name, kind, help string, number N) family {
	return family{name, kind, help, []sample{{number: float64(number)}}}
}

// labelled returns the family of a metric with one label, in the order of its values.
func labelled[K ~string, N uint64 | float64](name, kind, help, label string, numbers map[K]N) family {
	f := family{name: name, kind: kind, help: help}
	for _, value := range slices.Sorted(maps.Keys(numbers)) {
		f.samples = append(f.samples, sample{label, string(value), float64(numbers[value])})
	}
	return f
}

// print prints a family.
func (f family) print(w io.Writer) {
	_, _ = fmt.Fprintf(w, "# HELP bully_%s %s\n# TYPE bully_%s %s\n", f.name, f.help, f.name, f.kind)
	for _, s := range f.samples {
		label := ""
		if s.label != "" {
			label = fmt.Sprintf("{%s=%q}", s.label, s.value)
		}
		_, _ = fmt.Fprintf(w, "bully_%s%s %v\n", f.name, label, s.number)
	}
}

func toNumber(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// metrics writes all metrics. Ids, causes and types need no escapes.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	var text strings.Builder
	for _, f := range append(s.ofNode(), s.ofTransport()...) {
		f.print(&text)
	}
	_, _ = io.WriteString(w, text.String())
}

// ofNode returns the metrics of the host.
func (s *Server) ofNode() []family {
	now := s.config.Node.Status()
	roles := map[spec.Role]float64{}
	for _, role := range spec.Roles() {
		roles[role] = toNumber(role == now.Role)
	}
	up, dead, lost, heard := map[string]float64{}, map[string]float64{}, map[string]float64{}, map[string]float64{}
	phi := 0.0
	for _, l := range now.Links {
		id := l.Node.String()
		up[id], dead[id], lost[id] = toNumber(l.Up), toNumber(l.Dead), toNumber(l.LostDisk)
		if l.LastHeardMS >= 0 {
			heard[id] = float64(l.LastHeardMS) / 1000
		}
		phi = max(phi, l.Phi)
	}
	changing := s.ofMembers(now)
	memory := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(memory)
	const counter, gauge = "counter", "gauge"
	if hasStarted(now) { // before that there is no epoch, and it never goes back
		changing = append(changing,
			one("leading", gauge, "Whether this node leads.", toNumber(now.Leading)),
			one("has_leader", gauge, "Whether this node knows of a leader (R39).", toNumber(!now.Leader.IsNone())),
			one("epoch", gauge, "The highest epoch that this node has promised or learned.", float64(now.Epoch)))
	}
	if s.config.Own != nil {
		changing = append(changing, one("certificate_expires_timestamp_seconds", gauge, "When the certificate of this node ends, in seconds since 1970.", s.config.Own.Expires().Unix()))
	}
	return append(changing,
		one("epochs_exhausted", gauge, "Whether the epochs are used up: when nobody leads, nobody ever will again.", toNumber(now.Exhausted)),
		one("unbelieved_total", counter, "Messages of nodes that are no members, and claim that there are newer ones.", now.Counters.Unbelieved),
		one("stopped", gauge, "Whether the node has stopped.", toNumber(now.Stopped)),
		labelled("role", gauge, "1 for the role that the node has.", "role", roles),
		labelled("link_up", gauge, "Whether the connection to a member is open.", "node", up),
		labelled("link_dead", gauge, "Whether a member is proved dead.", "node", dead),
		labelled("link_lost_disk", gauge, "Whether a member does not remember what it has said: its disk is lost, or an old copy.", "node", lost),
		labelled("link_heard_seconds", gauge, "How long ago a member was heard.", "node", heard),
		one("leader_phi", gauge, "How suspicious the silence of the leader is.", phi),
		one("steps_total", counter, "Steps taken.", now.Counters.Steps),
		labelled("ignored_total", counter, "Inputs ignored, by cause (R33, R34, R35).", "cause", now.Counters.Ignored),
		labelled("sent_total", counter, "Messages sent, by type.", "type", now.Counters.Sent),
		labelled("received_total", counter, "Messages received, by type.", "type", now.Counters.Received),
		one("saves_total", counter, "Promises made durable.", now.Counters.Saves),
		one("slow_saves_total", counter, "Promises that took the disk longer than it may.", now.Counters.SlowSaves),
		one("pauses_total", counter, "How often the node was held up for longer than it may be.", now.Counters.Pauses),
		one("trace_errors_total", counter, "Steps that could not be recorded.", now.Counters.TraceErrors),
		one("log_dropped_total", counter, "Lines of the log that were dropped, as whoever reads it was too slow.", s.dropped()),
		one("goroutines", gauge, "Goroutines that there are.", runtime.NumGoroutine()),
		one("memory_bytes", gauge, "Memory had from the operating system.", memory[0].Value.Uint64()),
	)
}

// dropped returns how many lines of the log have been dropped.
func (s *Server) dropped() uint64 {
	if s.config.Dropped == nil {
		return 0
	}
	return s.config.Dropped()
}

// ofMembers returns the metrics of members that come and go.
func (s *Server) ofMembers(now host.Status) []family {
	if now.Configuration == nil {
		return nil
	}
	kinds := map[spec.MemberKind]float64{}
	for _, kind := range spec.MemberKinds() {
		kinds[kind] = 0
	}
	for _, m := range now.Configuration.Members() {
		kinds[m.Kind]++
	}
	const gauge = "gauge"
	return []family{
		one("configuration_epoch", gauge, "The epoch of the configuration of this node.", float64(now.Configuration.Epoch)),
		one("configuration_version", gauge, "The version of the configuration of this node.", float64(now.Configuration.Version)),
		one("configuration_settled", gauge, "Whether this node leads, and a quorum is known to hold its configuration.", toNumber(now.Settled)),
		labelled("members", gauge, "Members, by kind.", "kind", kinds),
		one("member", gauge, "Whether this node is a member.", toNumber(slices.Contains(now.Members, now.ID))),
	}
}

// ofTransport returns the metrics of the transport.
func (s *Server) ofTransport() []family {
	if s.config.Stats == nil {
		return nil
	}
	stats := s.config.Stats()
	refused := map[string]uint64{}
	for refusal, n := range stats.Refused {
		refused[refusal.String()] = n
	}
	const counter, gauge = "counter", "gauge"
	return []family{
		one("transport_sent_total", counter, "Messages written.", stats.Sent),
		one("transport_received_total", counter, "Messages read.", stats.Received),
		one("transport_sent_bytes_total", counter, "Bytes of frames written.", stats.BytesOut),
		one("transport_received_bytes_total", counter, "Bytes of frames read.", stats.BytesIn),
		one("transport_lost_total", counter, "Messages sent while there was no connection.", stats.Lost),
		one("transport_dropped_total", counter, "Messages dropped from full queues.", stats.Dropped),
		one("transport_accepted_total", counter, "Connections accepted.", stats.Accepted),
		one("transport_pending", gauge, "Connections that have not shown yet of which member they are.", stats.Pending),
		one("transport_evicted_total", counter, "Connections closed before they could show it.", stats.Evicted),
		one("transport_shed_total", counter, "TLS handshakes not begun, as too many had been lately.", stats.Shed),
		labelled("transport_refused_total", counter, "Connections refused, by reason.", "reason", refused),
		one("transport_malformed_total", counter, "Connections closed for a frame that is none (R33).", stats.Malformed),
		one("transport_stalled_total", counter, "Connections closed because they were too slow.", stats.Stalled),
		one("transport_unknown_total", counter, "Frames of unknown version or type, passed over.", stats.Unknown),
		one("transport_spoofed_total", counter, "Connections closed for a message of another sender.", stats.Spoofed),
		one("transport_misaddressed_total", counter, "Connections closed for a message to another node.", stats.Misaddressed),
	}
}
