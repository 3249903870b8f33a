package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	library "github.com/seed-fdf591db/bully/impl"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

const initHelp = `
Makes the record of one of the first nodes of a cluster whose members come and go. It is done once, at each of the first
members, with the same -cluster and -members at all; a record that is there is never touched. Each is a voter at first.
After that, bully run -data DIR runs the node: id, cluster and members come from its record, which keeps up with them.
Nodes are added later by bully join and bully member add.

With -epoch N the cluster begins above epoch N, and not at 1: give it at each of the first members. It is for a cluster that takes the
place of another, whose quorum is lost for good: what its leaders write to has seen the epochs of the old one, and refuses lower ones.
Take N well above every epoch of the old cluster, in fences, logs, metrics and the records that are left; a million more costs nothing.
Give the new cluster another name, and let no node of the old one run again.

With -from-fixed it is for a cluster whose members have been fixed: the record in the folder becomes one of a node whose
members come and go, with the epoch and the promise that it has. Stop all nodes; do it at each, with the same -cluster and
-members at all, those of before; then start them all. There is no way back: keep no copy of the old record. It is refused,
and the record stays as it is, if the node runs, if it has other members, or if they come and go already.

`

const joinHelp = `
Makes the record of a node that is to be added to a cluster whose members come and go. It knows of no members, and waits,
until bully member add has made it one; the line to be run for that is printed. -members says whose word it is to take for that: who
the members are it believes these alone, as anybody else who reaches it, or has a certificate of the cluster, could say what he likes.

` + oneDisk + `
`

// oneDisk is what is to be said to everybody who gives ids to disks.
const oneDisk = `An id belongs to one disk for life, and the highest voter leads. So an empty folder takes an id that no node of the cluster has ever
had. A node that was removed comes back under its id with the folder that it had: start it, and add it again. Without that folder
it comes back as another node: bully join with a new id, and bully member add or replace.
`

// setup makes the record of a first member.
func setup(_ context.Context, p program, args []string) error {
	var data, id, cluster, members string
	var fromFixed bool
	var epoch uint64
	var links linkFlags
	flags := p.Flags("init")
	flags.StringVar(&data, "data", "", "make the record in this `folder`; it must survive restarts")
	flags.StringVar(&id, "id", "", "the `id` of this node: an integer from 1 on or a UUID of version 4; the highest leads")
	flags.StringVar(&cluster, "cluster", "", "the `name` of the cluster; must be identical on every node, and differ from that of any other cluster")
	links.define(flags)
	flags.StringVar(&members, "members", "", "the first members, `id=host:port,…`; must be identical on every node")
	flags.Uint64Var(&epoch, "epoch", 0, "begin above this `epoch`: for a cluster that takes the place of another, the same at each of its nodes; see above")
	flags.BoolVar(&fromFixed, "from-fixed", false, "convert the record of a node with fixed members, so that members can come and go; its -id is in the record")
	if err := p.ParseSome(flags, args, cli.Manual{Text: initHelp}); err != nil {
		return err
	}
	switch {
	case fromFixed && epoch != 0:
		return cli.Usage("-epoch: with -from-fixed the epoch of the record stays; leave out one of the two")
	case epoch > uint64(storage.MaxRaise):
		return cli.Usage(fmt.Sprintf("-epoch: %d is above 2^52, %d: above it as many epochs are left as below, and no cluster gets there", epoch, storage.MaxRaise))
	case fromFixed:
		return p.fromFixed(flags.Args(), data, id, cluster, members, links)
	}
	who, err := identity(flags.Args(), data, id, cluster)
	if err != nil {
		return err
	}
	first, addresses, err := firstMembers(members)
	if err != nil {
		return err
	}
	if _, member := addresses[who.ID]; !member {
		return cli.Usage(fmt.Sprintf("-id: node %s is not one of -members, which are %s; if it is to be added to them later, bully join is what makes its record", who.ID, first))
	}
	if _, err := links.certificate(cluster, who.ID, named(addresses)); err != nil {
		return err
	}
	if err := makeFirst(data, who, first, spec.Epoch(epoch)); err != nil {
		return err
	}
	if err := keepAddress(data, addresses[who.ID]); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(p.Out, "Made the record of %s in %s.\nMembers: %s\n", who, data, first)
	same := "-cluster and -members"
	if epoch != 0 {
		same = "-cluster, -members and -epoch"
		_, _ = fmt.Fprintf(p.Out, "The first leader has an epoch above %d.\n", epoch)
	}
	if others := othersOf(first, who.ID); others != "" {
		_, _ = fmt.Fprintf(p.Out, "Do the same at node %s, with its own -id and the same %s.\n", others, same)
	}
	_, err = fmt.Fprintf(p.Out, "Then run it: bully run -data %s%s\n", data, links.again())
	return err
}

// makeFirst makes the record of a first member, which begins above an epoch if that is not 0. Such a record is one that is raised: of a
// node that has learned the epoch, and is started again. So it is written once, and one that is there is refused as without an epoch.
func makeFirst(data string, who storage.Identity, first spec.Configuration, epoch spec.Epoch) error {
	report, err := storage.Inspect(data)
	if epoch == 0 || err == nil && (report.Found || report.Marked || report.Locked) {
		return storage.Init(data, who, first)
	}
	_, err = storage.RaiseChanging(data, who, first, epoch)
	return err
}

// firstMembers reads the first members, and where they listen.
func firstMembers(text string) (first spec.Configuration, addresses map[spec.NodeID]string, err error) {
	if text == "" {
		return first, nil, cli.Usage("-members is missing: give all first members, as in -members 1=10.0.0.1:7000,2=10.0.0.2:7000,3=10.0.0.3:7000")
	}
	addresses, ids, err := parsePairs("members", text, nil)
	if err != nil {
		return first, nil, err
	}
	var all []spec.Member
	for _, id := range ids {
		all = append(all, spec.Member{ID: id, Kind: spec.Voter, Address: addresses[id]})
	}
	if first, err = spec.NewConfiguration(0, 1, all); err != nil {
		return first, nil, cli.Usage(fmt.Sprintf("-members: %v", err))
	}
	return first, addresses, nil
}

// named returns the addresses of nodes, by whose they are.
func named(addresses map[spec.NodeID]string) map[string]string {
	all := map[string]string{}
	for id, address := range addresses {
		all["node "+id.String()+" is"] = address
	}
	return all
}

// othersOf lists the members of a configuration but one.
func othersOf(c spec.Configuration, but spec.NodeID) string {
	var others []string
	for _, m := range c.Members() {
		if m.ID != but {
			others = append(others, m.ID.String())
		}
	}
	return strings.Join(others, ", ")
}

// fromFixed makes the record of a node of fixed members one of changing members. Who it is, is in the record; -id may say so
// too.
func (p program) fromFixed(arguments []string, data, id, cluster, members string, links linkFlags) error {
	switch {
	case len(arguments) > 0:
		return cli.Usage(fmt.Sprintf("unexpected argument %q", arguments[0]))
	case data == "":
		return cli.Usage("-data is missing: give the folder of the record, as in -data /var/lib/bully")
	}
	first, addresses, err := firstMembers(members)
	if err != nil {
		return err
	}
	if err := checkCluster(cluster); err != nil {
		return err
	}
	report, err := storage.Inspect(data)
	if err == nil && id != "" && !report.Node.IsNone() && report.Node.String() != id {
		return cli.Usage(fmt.Sprintf("-id: the record in %s is that of node %s, not of %s", data, report.Node, id))
	}
	if err == nil && !report.Node.IsNone() { // who it is nobody knows else, and FromFixed says why
		if _, err := links.certificate(cluster, report.Node, named(addresses)); err != nil {
			return err
		}
	}
	who, promise, err := storage.FromFixed(data, cluster, first)
	if err != nil {
		return err
	}
	if err := keepAddress(data, addresses[who.ID]); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(p.Out, "The members of %s come and go from now on. Its epoch is %d, as before.\nMembers: %s\n", who, promise.Epoch, first)
	if others := othersOf(first, who.ID); others != "" {
		_, _ = fmt.Fprintf(p.Out, "Do the same at node %s, with the same -cluster and -members, before you start any.\n", others)
	}
	_, err = fmt.Fprintf(p.Out, "Then run it: bully run -data %s%s\n", data, links.again())
	return err
}

// join makes the record of a node that is to be added.
func join(_ context.Context, p program, args []string) error {
	var data, id, cluster, address, members string
	var links linkFlags
	flags := p.Flags("join")
	flags.StringVar(&data, "data", "", "make the record in this `folder`; it must survive restarts")
	flags.StringVar(&id, "id", "", "the `id` of this node; no node of the cluster may ever have had it")
	flags.StringVar(&cluster, "cluster", "", "the `name` of the cluster")
	links.define(flags)
	flags.StringVar(&address, "address", "", "where the other nodes reach this one: `host:port`")
	flags.StringVar(&members, "members", "", "the `ids` of the members, with commas between, as bully member list shows them; while it waits this node believes nobody else")
	if err := p.ParseSome(flags, args, cli.Manual{Text: joinHelp}); err != nil {
		return err
	}
	who, err := identity(flags.Args(), data, id, cluster)
	if err != nil {
		return err
	}
	if address == "" {
		return cli.Usage("-address is missing: give where the others reach this node, as in -address 10.0.0.4:7000")
	}
	if problem := transport.CheckAddress(address); problem != "" {
		return cli.Usage("-address: " + problem)
	}
	if members == "" {
		return cli.Usage("-members is missing: give the ids of the members, as in -members 1,2,3; bully member list shows them")
	}
	by, err := parseIDs("members", members)
	if err != nil {
		return err
	}
	if slices.Contains(by, who.ID) {
		return cli.Usage(fmt.Sprintf("-members: node %s is the one that is to be added: give those who are members", who.ID))
	}
	if _, err := links.certificate(cluster, who.ID, map[string]string{"this node is": address}); err != nil {
		return err
	}
	if err := storage.Init(data, who, spec.EmptyConfiguration()); err != nil {
		return err
	}
	if err := keepAddress(data, address, by...); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Out, "Made the record of %s in %s.\nRun it:     bully run -data %s%s\nThen add it: bully member add -http ADDRESS %s=%s\n"+
		"where ADDRESS is the -http addresses of members, with commas between: of all, as the leader must be among them.\n", who, data, data, links.again(), who.ID, transport.JoinAddress(address, who.Incarnation))
	return err
}

// identity returns whose record is to be made.
func identity(arguments []string, data, idText, cluster string) (storage.Identity, error) {
	switch {
	case len(arguments) > 0:
		return storage.Identity{}, cli.Usage(fmt.Sprintf("unexpected argument %q", arguments[0]))
	case data == "":
		return storage.Identity{}, cli.Usage("-data is missing: give the folder of the record, as in -data /var/lib/bully")
	case idText == "":
		return storage.Identity{}, cli.Usage("-id is missing: give the id of this node, as in -id 3")
	}
	id, err := spec.ParseNodeID(idText)
	if err != nil {
		return storage.Identity{}, cli.Usage(fmt.Sprintf("-id: %v", err))
	}
	if err := checkCluster(cluster); err != nil {
		return storage.Identity{}, err
	}
	return storage.Identity{ID: id, Cluster: cluster, Incarnation: storage.NewIncarnation()}, nil
}

// keepAddress keeps where a node listens, whose record has just been made.
func keepAddress(data, address string, by ...spec.NodeID) error {
	if err := library.KeepAddress(data, address, by...); err != nil {
		return fmt.Errorf("the record is made, but not where the node listens: give -listen to bully run: %w", err)
	}
	return nil
}

// ofRecord fills in what a record of changing members says, if there is one and -members does not say otherwise, and
// reports whether there is.
func (s *settings) ofRecord(flags givenFlags) (bool, error) {
	if s.data == "" || s.nodeFlags.members != "" {
		return false, nil
	}
	report, err := storage.Inspect(s.data)
	switch {
	case err != nil:
		return false, nil // opening it says what is wrong
	case report.Problem != nil && s.nodeFlags.id == "":
		return false, report.Problem
	case report.Identity == storage.Identity{}:
		return false, nil
	}
	s.identity = report.Identity
	if given := s.nodeFlags.id; given != "" && given != s.identity.ID.String() {
		return false, cli.Usage(fmt.Sprintf("-id: the record in %s is that of node %s, not of %s", s.data, s.identity.ID, given))
	}
	if flags["cluster"] && s.cluster != s.identity.Cluster {
		return false, cli.Usage(fmt.Sprintf("-cluster: the record in %s is of cluster %s, not of %s", s.data, s.identity.Cluster, s.cluster))
	}
	s.id, s.cluster = s.identity.ID, s.identity.Cluster
	now := report.Promise.Configuration
	for _, m := range now.Members() {
		s.members = append(s.members, m.ID)
	}
	if s.address, err = library.ListensAt(s.data); err != nil {
		return false, err
	}
	if s.address == "" {
		s.address = s.listen
	}
	if s.address == "" {
		return false, cli.Usage("-listen is missing: neither the record nor " + filepath.Join(s.data, library.AddressFile) + " says where this node listens")
	}
	return true, nil
}

const repairHelp = `
Shows what is in the data folder of a node, and changes nothing, unless -raise is given. It exits with 0 if the node
can start with it, and with 1 if not.

With -raise, -id and -members it gives the node, which must not run, a new record that has promised this epoch to
nobody. That is for a record that is lost or damaged, and you must answer for it: the epoch must be above every epoch
that the node has ever promised. It is if it is at least two above the highest epoch on the disks of all other
members, those that are down too. A thousand more cost nothing. Too low, and there may be two leaders in one epoch.

What a node has promised in many groups is shown, and raised, like a record, with it or alone: to above every epoch in any group.

If members come and go, a node whose record, or what it has promised in groups, is lost or damaged is removed, and one with a new id added in its place: bully
member replace. A record of such a node that is in order, but perhaps an old copy, is raised without -id and -members.

`

// repair shows the record of a node, or gives it a new one.
func repair(_ context.Context, p program, args []string) error {
	var data, id, members string
	var epoch uint64
	flags := p.Flags("repair")
	flags.StringVar(&data, "data", "", "the data `folder` of the node")
	flags.Uint64Var(&epoch, "raise", 0, "make a new record with this `epoch`; see above")
	flags.StringVar(&id, "id", "", "the `id` of the node, for -raise")
	flags.StringVar(&members, "members", "", "all nodes, for -raise: `id,…`, or the -members of bully run")
	if err := p.ParseSome(flags, args, cli.Manual{Text: repairHelp}); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return cli.Usage(fmt.Sprintf("unexpected argument %q: the folder is given as in -data %s", flags.Arg(0), flags.Arg(0)))
	case data == "":
		return cli.Usage("-data is missing: give the data folder of the node")
	case epoch == 0 && (id != "" || members != ""):
		return cli.Usage("-id and -members are for -raise only")
	}
	changing := epoch != 0 && id == "" && members == "" && isChanging(data)
	if epoch != 0 && !changing && (id == "" || members == "") {
		return cli.Usage("-raise needs -id and -members too")
	}
	if changing {
		if _, err := storage.RaiseChanging(data, storage.Identity{}, spec.Configuration{}, spec.Epoch(epoch)); err != nil {
			return err
		}
	} else if epoch != 0 {
		if err := raise(p, data, id, members, spec.Epoch(epoch)); err != nil {
			return err
		}
	}
	report, err := storage.Inspect(data)
	if err != nil {
		return err
	}
	report.Others = slices.DeleteFunc(report.Others, func(o storage.Other) bool {
		return o.Name == library.SettledFile || o.Name == library.AddressFile && report.Identity != storage.Identity{}
	})
	if _, err := fmt.Fprint(p.Out, report); err != nil {
		return err
	}
	if report.Problem != nil {
		return fmt.Errorf("%s is %s", report.Path, report.Problem.Kind)
	}
	if report.GroupsProblem != nil {
		return fmt.Errorf("%s is %s", report.Groups, report.GroupsProblem.Kind)
	}
	if report.Exhausted() {
		return fmt.Errorf("%s has used up all epochs", report.Path)
	}
	return nil
}

// isChanging reports whether there is a good record of a node whose members come and go.
func isChanging(data string) bool {
	report, err := storage.Inspect(data)
	return err == nil && report.Identity != storage.Identity{}
}

// raise gives a node a new record.
func raise(p program, data, idText, membersText string, epoch spec.Epoch) error {
	id, err := spec.ParseNodeID(idText)
	if err != nil {
		return cli.Usage(fmt.Sprintf("-id: %v", err))
	}
	var members []spec.NodeID
	for part := range strings.SplitSeq(membersText, ",") {
		text, _, _ := strings.Cut(strings.TrimSpace(part), "=")
		member, err := spec.ParseNodeID(text)
		if err != nil {
			return cli.Usage(fmt.Sprintf("-members: %v", err))
		}
		members = append(members, member)
	}
	if _, err := os.Stat(filepath.Join(data, library.AddressFile)); err == nil && !isChanging(data) {
		return fmt.Errorf("the members that node %s was one of come and go, as %s says, and nothing was written: without its record it comes back as another node; see bully help join",
			id, filepath.Join(data, library.AddressFile))
	}
	aside, err := storage.Raise(data, id, members, epoch)
	if err != nil {
		return err
	}
	if aside != "" {
		_, _ = fmt.Fprintf(p.Out, "The old record is now %s.\n", aside)
	}
	_, err = fmt.Fprintf(p.Out, "Node %s has a new record, of epoch %d.\n", id, epoch)
	return err
}
