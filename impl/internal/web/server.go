package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// Node is what the server shows. A host.Host is one.
type Node interface {
	Status() host.Status
	Check(ctx context.Context) error
	Resign(ctx context.Context) error
	// HandOver is Resign of who names the node that is to lead next, and for how long no higher one pre-empts that.
	HandOver(ctx context.Context, to spec.NodeID, hold time.Duration) error
}

// Certificate is what is shown of the certificate of a node.
type Certificate interface {
	Expires() time.Time
	EndsSoon(now time.Time) bool
}

// Config says what a Server shows. Node and Events must be given, or Groups.
type Config struct {
	Node    Node
	Groups  Groups // a node of many groups; Node, Events, Changer and Page are then of the cluster's own election, where members change, and else nil
	Events  *Events
	Control bool                         // whoever reaches the server may make the node resign, and change members
	Changer Changer                      // changes members; nil if they are fixed
	Cluster string                       // the name of the cluster
	Views   map[spec.NodeID]string       // where browsers find the servers of other nodes: http://host:port, without a path
	Stats   func() transport.Stats       // of the transport; nil if there are none
	Dropped func() uint64                // how many lines of its log have been dropped; nil if none is
	Own     Certificate                  // of the node; nil if it has none
	Page    func() (http.Handler, error) // makes the page for people; nil if there is none
	Most    int                          // connections that are open at once; 0 means 512
	Version string                       // of the program
	Logger  *slog.Logger                 // is told of requests that fail; nil tells nobody
}

// Server serves the HTTP face of one node.
type Server struct {
	config Config
	page   http.Handler
	server *http.Server
	slots  *slots

	streams atomic.Int64 // that are open
}

const (
	// maxConnections is how many connections are open at once, unless Config says otherwise.
	maxConnections = 512
	// longest is how long a request may take that waits for the node.
	longest = 10 * time.Second
)

// New returns a server that does not serve yet. An error says which view is no address.
func New(c Config) (*Server, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{config: c}
	var origins []string
	for _, view := range c.Views {
		origins = append(origins, view)
	}
	slices.Sort(origins)
	guard := http.NewCrossOriginProtection()
	for _, origin := range origins {
		if err := guard.AddTrustedOrigin(origin); err != nil {
			return nil, fmt.Errorf("view %q: give it as http://host:port: %w", origin, err)
		}
	}
	s.page = http.HandlerFunc(http.NotFound)
	if c.Page != nil {
		var err error
		if s.page, err = c.Page(); err != nil {
			return nil, err
		}
	}
	if s.config.Most == 0 {
		s.config.Most = maxConnections
	}
	s.slots = &slots{most: s.config.Most}
	s.server = &http.Server{
		ConnState:         s.slots.note,
		ConnContext:       withSlot,
		Handler:           inTurn(guard.Handler(s.handler())),
		ReadHeaderTimeout: patience,
		ReadTimeout:       patience,
		IdleTimeout:       30 * time.Second,
		MaxHeaderBytes:    8 << 10,
		ErrorLog:          slog.NewLogLogger(c.Logger.Handler(), slog.LevelDebug),
	}
	return s, nil
}

// Serve serves on l until Close. It closes l. Its error is nil after Close.
func (s *Server) Serve(l net.Listener) error {
	s.slots.Listener = l
	if err := s.server.Serve(s.slots); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Close ends all connections, at once.
func (s *Server) Close() error {
	if s.config.Events != nil {
		s.config.Events.close()
	}
	return s.server.Close()
}

// handler returns what serves each path.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", s.metrics)
	if s.config.Groups != nil {
		s.showGroups(mux)
	} else {
		s.showNode(mux)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			h.Set("Access-Control-Allow-Origin", "*") // pages of other nodes look here too
		}
		// A stream sets later ones.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(longest + patience))
		if s.misnamed(r) {
			http.Error(w, "this server is not known by that name: go to its address, or give the name with -view", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// showNode serves what there is to see of a node of one election.
func (s *Server) showNode(mux *http.ServeMux) {
	mux.Handle("GET /{$}", s.page)
	mux.HandleFunc("GET /leader", s.leader)
	mux.HandleFunc("GET /groups", noGroups)
	mux.HandleFunc("GET /healthz", s.health)
	s.showElection(mux)
}

// showElection serves what there is to see of an election, and what can be done to it: of the only one, or of the cluster's own beside many groups.
func (s *Server) showElection(mux *http.ServeMux) {
	mux.HandleFunc("GET /views", s.views)
	mux.HandleFunc("GET /status", s.status)
	mux.HandleFunc("GET /leading", s.leading)
	mux.HandleFunc("POST /resign", s.resign)
	mux.HandleFunc("GET /members", s.members)
	mux.HandleFunc("POST /members", s.change)
	if s.config.Events != nil {
		mux.HandleFunc("GET /events", s.stream(s.config.Events.serve))
		mux.HandleFunc("GET /steps", s.stream(s.config.Events.steps.serve))
	}
}

// stream serves what lasts: no more of them at once than half of the connections, so that questions are answered besides.
func (s *Server) stream(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		defer s.streams.Add(-1)
		if s.streams.Add(1) > int64(max(1, s.config.Most/2)) {
			refuse(w)
			return
		}
		serve(w, r)
	}
}

// answer writes v as JSON.
func answer(w http.ResponseWriter, code int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(append(data, '\n'))
}

// status is the host's status, with what the transport has counted.
type status struct {
	host.Status
	Cluster  string   `json:"cluster"`
	Version  string   `json:"version"`
	Expires  string   `json:"certificate_expires,omitempty"`   // of the node, in UTC; "" if it has none
	EndsSoon bool     `json:"certificate_ends_soon,omitempty"` // it is time to renew it
	Counters counters `json:"counters"`

	Groups *GroupsNow `json:"groups,omitempty"` // of a node of many groups, whose members change: all else is of the cluster's own election
}

// counters are the host's, with what the transport has counted.
type counters struct {
	host.Counters
	BytesSent     uint64 `json:"bytes_sent"`     // by the transport, in frames
	BytesReceived uint64 `json:"bytes_received"` // by the transport, in frames
	Lost          uint64 `json:"lost"`           // messages sent while there was no connection
	Dropped       uint64 `json:"dropped"`        // messages dropped from full queues
}

func (s *Server) status(w http.ResponseWriter, _ *http.Request) {
	all := status{Status: s.config.Node.Status(), Cluster: s.config.Cluster, Version: s.config.Version}
	all.Counters.Counters = all.Status.Counters
	if own := s.config.Own; own != nil {
		all.Expires, all.EndsSoon = own.Expires().UTC().Format(time.RFC3339), own.EndsSoon(time.Now())
	}
	if s.config.Stats != nil {
		stats := s.config.Stats()
		all.Counters.BytesSent, all.Counters.BytesReceived = stats.BytesOut, stats.BytesIn
		all.Counters.Lost, all.Counters.Dropped = stats.Lost, stats.Dropped
	}
	if s.config.Groups != nil {
		now := s.config.Groups.Status()
		all.Groups = groupsNow(&now)
	}
	answer(w, http.StatusOK, all)
}

// notStarted answers for a node that knows nothing yet: an epoch that it said now would be one that goes back.
func notStarted(w http.ResponseWriter) {
	http.Error(w, "the node has not started yet", http.StatusServiceUnavailable)
}

// leader answers who leads. Before the node has started it knows nothing: not even the epoch, which never goes back.
func (s *Server) leader(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Has("group") {
		noGroups(w, r)
		return
	}
	now := s.config.Node.Status()
	if !hasStarted(&now) {
		notStarted(w)
		return
	}
	code := http.StatusOK
	if now.Leader.IsNone() {
		code = http.StatusServiceUnavailable
	}
	answer(w, code, struct {
		Leader spec.NodeID `json:"leader"`
		Epoch  spec.Epoch  `json:"epoch"`
	}{now.Leader, now.Epoch})
}

func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	if err := s.config.Node.Check(ctx); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	_, _ = w.Write([]byte("ok\n"))
}

// notControlled is what is said to whoever wants what Config.Control does not allow.
const notControlled = "this node lets nobody %s by HTTP, where nobody is asked who he is: run it with -http-control, or with an -http address of loopback"

func (s *Server) views(w http.ResponseWriter, _ *http.Request) {
	now := s.config.Node.Status()
	answer(w, http.StatusOK, struct {
		Node    spec.NodeID            `json:"node"`
		Cluster string                 `json:"cluster"`
		Members []spec.NodeID          `json:"members"`
		Views   map[spec.NodeID]string `json:"views"`
	}{now.ID, s.config.Cluster, now.Members, s.config.Views})
}

// misnamed reports whether a browser asks for something to be done at a name that is not known to be this server's. A page of
// anybody's can have its own name lead here, to loopback too, and is then of the same origin as far as the browser can tell
// (DNS rebinding). Nobody has such a hold of an address, of localhost, or of the name of a view. What is no browser goes
// where it is sent, by any name.
func (s *Server) misnamed(r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Header.Get("Origin") == "" && r.Header.Get("Sec-Fetch-Site") == "" {
		return false
	}
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil || strings.EqualFold(name, "localhost") {
		return false
	}
	for _, view := range s.config.Views {
		if u, err := url.Parse(view); err == nil && strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	return true
}
