package web

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

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
