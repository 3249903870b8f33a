package bully

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// The schemes of Search.Where.
const (
	schemeSRV       = "dns+srv://"
	schemeAddresses = "dns://"
)

// place is where members are looked up.
type place struct {
	text string // as it was given
	name string
	port string        // of all members; "" if SRV records say it
	by   *net.Resolver // nil for that of the system
}

// parsePlace reads Search.Where.
func parsePlace(text string) (p place, err error) {
	wrong := func(problem string, about ...any) (place, error) {
		return place{}, fmt.Errorf("%q: "+problem, append([]any{text}, about...)...)
	}
	rest, srv := strings.CutPrefix(text, schemeSRV)
	if !srv {
		var plain bool
		if rest, plain = strings.CutPrefix(text, schemeAddresses); !plain {
			return place{}, fmt.Errorf("%q is no place of members: give dns+srv://NAME, or dns://NAME:PORT", text)
		}
	}
	p = place{text: text, name: rest}
	if server, name, given := strings.Cut(rest, "/"); given {
		if problem := transport.CheckAddress(server); problem != "" {
			return wrong("the name server: %s", problem)
		}
		p.name, p.by = name, asking(server)
	}
	if !srv {
		if problem := transport.CheckAddress(p.name); problem != "" {
			return wrong("%s", problem)
		}
		p.name, p.port, _ = net.SplitHostPort(p.name)
	}
	_, notAddress := netip.ParseAddr(p.name)
	switch {
	case p.name == "" || strings.ContainsAny(p.name, "/:#, "):
		return wrong("no name to look up: give dns+srv://NAME, where SRV records say the port, or dns://NAME:PORT")
	case notAddress == nil:
		return wrong("%s is an address, and no name: give -members as a list of id=host:port", p.name)
	}
	return p, nil
}

// asking returns what looks names up at one name server.
func asking(server string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server)
	}}
}

// notYetError says why members cannot be told yet.
type notYetError struct{ why string }

func (e *notYetError) Error() string { return e.why }

func notYet(format string, about ...any) error { return &notYetError{fmt.Sprintf(format, about...)} }

// withoutAddresses takes from an error of DNS between which addresses the question was asked, such as 10.0.0.1:4711->10.0.0.2:53. That which it was asked from has
// another port each time, and so would be told each time.
func withoutAddresses(text string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(text), func(word string) bool { return strings.Contains(word, "->") && strings.HasSuffix(word, ":") }), " ")
}

// unanswered says why a question has no answer.
func unanswered(what string, err error) error {
	failed, ok := errors.AsType[*net.DNSError](err)
	switch {
	case ok && failed.IsNotFound:
		return notYet("DNS has no %s", what)
	case ok && failed.IsTimeout, errors.Is(err, context.DeadlineExceeded):
		return notYet("no name server answers a question for %s", what)
	}
	why := err.Error()
	if ok {
		why = withoutAddresses(failed.Err)
	}
	return notYet("DNS does not say %s: %s", what, why)
}

// lookUp returns the members that DNS names now, and where they listen.
func (p place) lookUp(ctx context.Context) (map[spec.NodeID]string, error) {
	if p.port == "" {
		return p.services(ctx)
	}
	return p.hosts(ctx)
}

// services looks up SRV records, which name hosts and ports.
func (p place) services(ctx context.Context) (map[spec.NodeID]string, error) {
	_, records, err := p.by.LookupSRV(ctx, "", "", p.name)
	if err != nil {
		return nil, unanswered("SRV records of "+p.name, err)
	}
	found := map[spec.NodeID]string{}
	for _, r := range records {
		if err := p.add(found, r.Target, strconv.Itoa(int(r.Port))); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// hosts looks up addresses, and the name of each. An address alone does not tell who is there.
func (p place) hosts(ctx context.Context) (map[spec.NodeID]string, error) {
	addresses, err := p.by.LookupHost(ctx, p.name)
	if err != nil {
		return nil, unanswered("addresses of "+p.name, err)
	}
	found := map[spec.NodeID]string{}
	for _, address := range addresses {
		names, err := p.by.LookupAddr(ctx, address)
		if err != nil {
			return nil, unanswered("name of "+address+", which "+p.name+" has", err)
		}
		// A hosts file may say a short one too.
		longest := slices.MaxFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
		if err := p.add(found, longest, p.port); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// add adds a host. One that has two addresses is there twice, and is one member.
func (p place) add(found map[spec.NodeID]string, host, port string) error {
	host = strings.TrimSuffix(host, ".")
	text, err := ordinalID(host)
	if err != nil {
		return fmt.Errorf("%s: %w", p.text, err)
	}
	id, err := spec.ParseNodeID(text)
	if err != nil {
		return fmt.Errorf("%s: %w", p.text, err)
	}
	address := net.JoinHostPort(host, port)
	if other, twice := found[id]; twice && other != address {
		return fmt.Errorf("%s: %s and %s are both node %s: each member needs an ordinal, and one port, of its own", p.text, min(other, address), max(other, address), id)
	}
	found[id] = address
	return nil
}
