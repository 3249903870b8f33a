package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	library "github.com/seed-fdf591db/bully/impl"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec"
)

const repairHelp = `
Shows what is in the data folder of a node, and changes nothing, unless -raise is given. It exits with 0 if the node
can start with it, and with 1 if not.

With -raise, -id and -members it gives the node, which must not run, a new record that has promised this epoch to
nobody. That is for a record that is lost or damaged, and you must answer for it: the epoch must be above every epoch
that the node has ever promised. It is if it is at least two above the highest epoch on the disks of all other
members, those that are down too. A thousand more cost nothing. Too low, and there may be two leaders in one epoch.

If members come and go, a node whose record is lost or damaged is removed, and one with a new id added in its place: bully
member replace. A record of such a node that is in order, but perhaps an old copy, is raised without -id and -members.

`

// repair shows the record of a node, or gives it a new one.
func repair(_ context.Context, p program, args []string) error {
	var data, id, members string
	var epoch uint64
	flags := p.Flags("repair")
	flags.StringVar(&data, "data", "", "the data `folder` of the node")
	flags.Uint64Var(&epoch, "raise", 0, "give the node a new record with this `epoch`; see above")
	flags.StringVar(&id, "id", "", "the `id` of the node, for -raise")
	flags.StringVar(&members, "members", "", "all nodes, for -raise: `id,…` or what bully run was given")
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
		return o.Name == library.AddressFile && report.Identity != storage.Identity{}
	})
	if _, err := fmt.Fprint(p.Out, report); err != nil {
		return err
	}
	if report.Problem != nil {
		return fmt.Errorf("%s is %s", report.Path, report.Problem.Kind)
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
