package main

import (
	"crypto/tls"
	"flag"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-fdf591db/bully/impl/internal/certs"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// linkFlags say how the links between nodes are kept from strangers.
type linkFlags struct {
	certFile, keyFile, caFile string
	insecure                  bool
}

func (f *linkFlags) define(flags *flag.FlagSet) {
	flags.StringVar(&f.certFile, "tls-cert", "", "the certificate of this node, a PEM `file`, as bully cert makes it; it is read again each minute and on SIGHUP")
	flags.StringVar(&f.keyFile, "tls-key", "", "the key of the certificate, a PEM `file`")
	flags.StringVar(&f.caFile, "tls-ca", "", "who vouches for the other nodes, a PEM `file`")
	flags.BoolVar(&f.insecure, "insecure", false, "let links be plain where an address is not of loopback: whoever reaches a node can say that he is a member")
}

// certificate reads the certificate of a node, or returns nil if its links are to be plain. They are not unless all its addresses are of
// loopback, or the flags say so: an error says what is wanted.
func (f *linkFlags) certificate(cluster string, node spec.NodeID, addresses map[string]string) (*certs.Own, error) {
	switch given := f.certFile != "" || f.keyFile != "" || f.caFile != ""; {
	case given && f.insecure:
		return nil, cli.Usage("-insecure: links are not plain with -tls-…: leave out one of the two")
	case given && (f.certFile == "" || f.keyFile == "" || f.caFile == ""):
		return nil, cli.Usage("-tls-cert, -tls-key and -tls-ca: give all three, or none")
	case given:
		own, err := certs.Load(certs.Files{Certificate: f.certFile, Key: f.keyFile, Authorities: f.caFile}, cluster, node)
		if err != nil {
			return nil, fmt.Errorf("-tls-…: %w", err)
		}
		return own, nil
	case f.insecure:
		return nil, nil
	}
	for _, what := range slices.Sorted(maps.Keys(addresses)) {
		if at := addresses[what]; !transport.IsLoopback(at) {
			return nil, cli.Usage(fmt.Sprintf("%s at %s, which is no loopback address: give -tls-cert, -tls-key and -tls-ca (bully cert makes these files), or say with -insecure that links are to be plain, where whoever reaches a node can say that he is a member", what, at))
		}
	}
	return nil, nil
}

// again returns the flags as they are to be given to bully run, with a space before them.
func (f *linkFlags) again() string {
	switch {
	case f.insecure:
		return " -insecure"
	case f.certFile != "":
		return fmt.Sprintf(" -tls-cert %s -tls-key %s -tls-ca %s", f.certFile, f.keyFile, f.caFile)
	}
	return ""
}

// tlsOf returns what a transport is given.
func tlsOf(own *certs.Own) *tls.Config {
	if own == nil {
		return nil
	}
	return own.TLS()
}

// linksOf returns how links are, in words, for the line that a node logs at its start.
func linksOf(own *certs.Own, insecure bool) string {
	switch {
	case own != nil:
		return "TLS, with a certificate until " + own.Expires().UTC().Format("2006-01-02 15:04:05 UTC")
	case insecure:
		return "plain, and -insecure: whoever reaches this node can say that he is a member"
	}
	return "plain, within this host"
}

// checkCluster says what is wrong with -cluster, which has no default: two clusters that have not been told apart are one.
func checkCluster(name string) error {
	if name == "" {
		return cli.Usage("-cluster is missing: give all nodes of this cluster the same name, and no other cluster, as in -cluster jobs")
	}
	if err := transport.CheckCluster(name); err != nil {
		return cli.Usage(fmt.Sprintf("-cluster: %v", err))
	}
	return nil
}
