package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	library "github.com/seed-fdf591db/bully/impl"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

const certHelp = `
Makes the files by which the nodes of a cluster know each other: an authority, once, and a certificate for each node.

  bully cert ca -dir ca                                    # ca/ca.crt goes to every node, ca/ca.key to none
  bully cert node -ca ca -cluster jobs -id 3 -dir node-3   # node-3/node.crt, node.key and ca.crt go to node 3
  bully cert node -ca ca -cluster jobs -id 3 -dir node-3 -renew

Keep the folder of the authority where no node is: whoever has its key can make himself any node. A certificate says
bully://jobs/3: it is of use to that node of that cluster alone. Copy a renewed one over the old: a node that runs takes it within a
minute, or at once on SIGHUP (not under nohup), and logs that. A node that is removed keeps its certificate until that ends. Who knows that it
is no member does not believe what it says. A node that was down then believes it, and the others believe that node: if somebody else may have
the key, start all nodes before you remove it, or replace the authority.

To replace the authority, make another one, give every node both (cat old/ca.crt new/ca.crt) and restart one after the other; then do
the same with certificates of the new one, and at last without the old.

`

// certificates makes certificates.
func certificates(_ context.Context, p program, args []string) error {
	if len(args) == 0 {
		return cli.Usage("say what is to be made: bully cert ca, or bully cert node (\"bully help cert\" says more)")
	}
	kinds := map[string]func(*flag.FlagSet) func() error{"ca": p.certOfAuthority, "node": p.certOfNode}
	switch args[0] {
	case "-h", "-help", "--help":
		_, _ = fmt.Fprint(p.Out, "Usage: bully cert ca|node [flags]\n"+certHelp)
		for _, kind := range []string{"ca", "node"} {
			flags := p.Flags("cert " + kind)
			kinds[kind](flags)
			_, _ = fmt.Fprintf(p.Out, "bully cert %s:\n", kind)
			flags.SetOutput(p.Out)
			flags.PrintDefaults()
		}
		return nil
	}
	define, ok := kinds[args[0]]
	if !ok {
		return cli.Usage(fmt.Sprintf("unknown %q%s (there are ca and node)", args[0], cli.Suggest(args[0], []string{"ca", "node"})))
	}
	flags := p.Flags("cert")
	run := define(flags)
	if err := p.Parse(flags, args[1:]); err != nil {
		return err
	}
	return run()
}

// days reads how long a certificate is to be good.
func days(n int) (time.Duration, error) {
	if n < 1 || n > 36500 {
		return 0, cli.Usage(fmt.Sprintf("-days: %d is not from 1 to 36500", n))
	}
	return time.Duration(n) * 24 * time.Hour, nil
}

// certOfAuthority defines the flags of bully cert ca, and returns what does it.
func (p program) certOfAuthority(flags *flag.FlagSet) func() error {
	var dir, name string
	var valid int
	flags.StringVar(&dir, "dir", "", "make the authority in this `folder`")
	flags.StringVar(&name, "name", "bully", "the `name` of the authority, for people to read")
	flags.IntVar(&valid, "days", 3650, "how many `days` it is valid")
	return func() error { return p.makeAuthority(dir, name, valid) }
}

// makeAuthority makes the files of an authority.
func (p program) makeAuthority(dir, name string, valid int) error {
	if dir == "" {
		return cli.Usage("-dir is missing: give the folder of the authority, as in -dir ca")
	}
	duration, err := days(valid)
	if err != nil {
		return err
	}
	if _, err := library.NewAuthority(dir, name, duration); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Out, "Made %s, which every node is given, and its key, which none is.\nNow make a certificate for each node: bully cert node -ca %s -cluster NAME -id ID -dir node-ID\n",
		filepath.Join(dir, library.AuthorityFile), dir)
	return err
}

// A nodeCertificate is what bully cert node is told.
type nodeCertificate struct {
	ca, dir, cluster, id string
	valid                int
	renew                bool
}

// certOfNode defines the flags of bully cert node, and returns what does it.
func (p program) certOfNode(flags *flag.FlagSet) func() error {
	c := &nodeCertificate{}
	flags.StringVar(&c.ca, "ca", "", "the `folder` of the authority")
	flags.StringVar(&c.cluster, "cluster", "", "the `name` of the cluster")
	flags.StringVar(&c.id, "id", "", "the `id` of the node")
	flags.StringVar(&c.dir, "dir", "", "put the files of the node into this `folder`")
	flags.IntVar(&c.valid, "days", 365, "how many `days` it is valid; never longer than the authority")
	flags.BoolVar(&c.renew, "renew", false, "replace the files that are there")
	return func() error { return p.makeOfNode(c) }
}

// makeOfNode makes the certificate of a node, if all is said that must be.
func (p program) makeOfNode(c *nodeCertificate) error {
	for _, required := range []struct{ flag, value, like string }{{"ca", c.ca, "ca"}, {"id", c.id, "3"}, {"dir", c.dir, "node-3"}} {
		if required.value == "" {
			return cli.Usage(fmt.Sprintf("-%s is missing: give it as in -%s %s", required.flag, required.flag, required.like))
		}
	}
	if err := checkCluster(c.cluster); err != nil {
		return err
	}
	node, err := spec.ParseNodeID(c.id)
	if err != nil {
		return cli.Usage(fmt.Sprintf("-id: %v", err))
	}
	valid, err := days(c.valid)
	if err != nil {
		return err
	}
	return p.issue(c, node, valid)
}

// issue makes the files of a node.
func (p program) issue(c *nodeCertificate, node spec.NodeID, valid time.Duration) error {
	authority, err := library.OpenAuthority(c.ca)
	if err != nil {
		return err
	}
	vouches, err := os.ReadFile(filepath.Join(c.ca, library.AuthorityFile))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	links := linkFlags{certFile: filepath.Join(c.dir, "node.crt"), keyFile: filepath.Join(c.dir, "node.key"), caFile: filepath.Join(c.dir, library.AuthorityFile)}
	made, err := authority.Issue(links.certFile, links.keyFile, c.cluster, node, valid, c.renew)
	if err != nil {
		if !c.renew && errors.Is(err, os.ErrExist) {
			err = fmt.Errorf("%w; -renew replaces it", err)
		}
		return err
	}
	if err := os.WriteFile(links.caFile, vouches, 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Out, "Made the certificate of node %s of cluster %s, good until %s. Give the node these files, and these flags:%s\n",
		node, c.cluster, made.NotAfter.Format(time.DateOnly), links.again())
	return err
}

// linkFlags say how the links between nodes are kept from non-members.
type linkFlags struct {
	certFile, keyFile, caFile string
	insecure                  bool
}

func (f *linkFlags) define(flags *flag.FlagSet) {
	flags.StringVar(&f.certFile, "tls-cert", "", "the certificate of this node, a PEM `file` such as bully cert makes; it is reloaded each minute and on SIGHUP")
	flags.StringVar(&f.keyFile, "tls-key", "", "the key of the certificate, a PEM `file`")
	flags.StringVar(&f.caFile, "tls-ca", "", "the certificates of the authorities that vouch for the other nodes, a PEM `file`")
	flags.BoolVar(&f.insecure, "insecure", false, "allow links without TLS beyond this host: then whoever can reach a node can pose as a member, and stop other nodes for good")
}

// certificate reads the certificate of a node, or returns nil if its links are to be plain. They are not unless all its addresses are of
// loopback, or the flags say so: an error says what is wanted.
func (f *linkFlags) certificate(cluster string, node spec.NodeID, addresses map[string]string) (*library.Certificate, error) {
	switch given := f.certFile != "" || f.keyFile != "" || f.caFile != ""; {
	case given && f.insecure:
		return nil, cli.Usage("-insecure: links are not plain with -tls-…: leave out one of the two")
	case given && (f.certFile == "" || f.keyFile == "" || f.caFile == ""):
		return nil, cli.Usage("-tls-cert, -tls-key and -tls-ca: give all three, or none")
	case given:
		own, err := library.LoadCertificate(library.CertificateFiles{Certificate: f.certFile, Key: f.keyFile, Authorities: f.caFile}, cluster, node)
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
func tlsOf(own *library.Certificate) *tls.Config {
	if own == nil {
		return nil
	}
	return own.TLS()
}

// linksOf returns how links are, in words, for the line that a node logs at its start.
func linksOf(own *library.Certificate, insecure bool) string {
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
