package storage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/spec"
)

// MaxRaise is the greatest epoch that Raise takes, 2^52. Above it are as many again: a slip of the finger does not use
// up all epochs of a cluster (R2).
const MaxRaise spec.Epoch = 1 << 52

// Raise gives a node of fixed members whose record is lost or no longer good a new one, with the given epoch and no grantee. The node
// must not be running. It is the only way back under the same id, and a person must answer for it:
//
//	The epoch must be above every epoch that the node has ever promised.
//
// Raise cannot check that; whoever calls it must. Then it is safe. The node could have come to the new record by itself:
// by learning the epoch (R7), and restarting (R30). It grants no epoch again that it has granted before, and its
// silence after the restart outlasts the leases that it has forgotten. With an epoch that is too low there may be two
// leaders in one epoch.
//
// What it has promised has come from other members' records, and is at most one above them: a claimant claims one
// above its own epoch (R16), and all else that is learned was durable where it came from. So an epoch is high
// enough if it is at least two above the highest epoch in the record of every other member. All of them count, those
// that do not run too. If some cannot be seen, go well above all that is known, from resources (R38) and logs too.
// Epochs are plenty: a thousand to spare cost nothing, and gaps do no harm.
//
// Its numbers must be above those that it has used, too (R50): as many blocks are reserved as seconds have passed since 1970, and so
// more than it has used if it has not been started more often than once a second in all its life. The clock of the machine must
// not be far behind.
//
// A record that is beyond reading is kept, and renamed: aside is its new path. A good one of this node is raised too,
// if the epoch is above its own: it may be an old copy. A record that cannot be read, or is of a future version, of another node or
// of another membership is refused with its RecordError: there is a better way with each of them. If Raise fails on the way,
// the node is not startable, and Raise can be called again.
//
// What a node has promised in many groups is raised too, or alone if that is all there is in the folder: all groups, and those that never were. The epoch must then be above every one in any group.
func Raise(dir string, id spec.NodeID, members []spec.NodeID, epoch spec.Epoch) (aside string, err error) {
	o, err := newOwner(id, members)
	if err != nil {
		return "", err
	}
	if err := checkRaise(epoch); err != nil {
		return "", err
	}
	if hasGroups(dir) {
		aside, err = raiseGroups(groupsFolder(dir), o, epoch)
		if report, wrong := Inspect(dir); err != nil || wrong == nil && !report.Found && !report.Marked {
			return aside, err
		}
	}
	kept, err := openFolder(dir)
	if err != nil {
		return "", fmt.Errorf("storage: %w", err)
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	return raiseOn(kept, o, epoch)
}

// groupsFolder returns where the log of groups of a node is: beside its record, or where members change, in a folder of its own.
func groupsFolder(dir string) string {
	inner := filepath.Join(dir, groupsName)
	if info, err := os.Stat(inner); err == nil && info.IsDir() {
		return inner
	}
	return dir
}

// hasGroups reports whether a node has, or has had, a log of groups.
func hasGroups(dir string) bool {
	_, _, found, _ := folder.LookLog(groupsFolder(dir), groupsName, groupsHead)
	return found
}

// raiseGroups has a node promise an epoch to nobody, in all groups. A log of fixed members that is lost or beyond reading begins anew; one of members that change cannot, as nobody knows any more which they were.
func raiseGroups(dir string, o owner, epoch spec.Epoch) (aside string, err error) {
	log, err := folder.OpenLog(dir, groupsName, groupsHead)
	if err != nil {
		return "", fmt.Errorf("storage: %w", err)
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	return raiseGroupsOn(log, o, epoch)
}

func raiseGroupsOn(log *folder.Log, o owner, epoch spec.Epoch) (aside string, err error) {
	g, err := groupsOn(log, o)
	bad, isBad := errors.AsType[*RecordError](err)
	switch {
	case err == nil && g.highest() >= epoch:
		return "", fmt.Errorf("storage: %s is in order, and its highest epoch is %d: only a higher one can be set", log.Path(), g.highest())
	case err == nil:
	case !isBad || !bad.Kind.raisable():
		return "", err
	case len(o.members) == 0:
		return "", fmt.Errorf("%w; nobody knows any more which members its groups had: remove this node from the cluster, and add one with another id in its place", err)
	default:
		if bad.Kind != Lost {
			if aside, err = log.SetAside(); err != nil {
				return "", fmt.Errorf("storage: %w", err)
			}
		}
		g = &Groups{log: log, owner: o}
	}
	numbers := freshNumbers(clock())
	raise := func(p spec.Durable) spec.Durable {
		return spec.Durable{Epoch: epoch, Reserved: max(p.Reserved, numbers), Configuration: p.Configuration}
	}
	g.floor = raise(g.floor)
	for group, p := range g.kept {
		p.Promise = raise(p.Promise)
		g.kept[group] = p
	}
	log.Above = uint64(numbers / spec.Block)
	if err := log.Begin(g.snapshot()); err != nil {
		return aside, fmt.Errorf("storage: %w", err)
	}
	return aside, nil
}

func checkRaise(epoch spec.Epoch) error {
	if epoch == 0 || epoch > MaxRaise {
		return fmt.Errorf("storage: the epoch %d is not from 1 to 2^52", epoch)
	}
	return nil
}

func raiseOn(kept *folder.Folder, o owner, epoch spec.Epoch) (aside string, err error) {
	f, err := openOn(kept, o)
	return raised(kept, f, err, content{owner: o}, spec.Durable{Epoch: epoch})
}

// raised gives the node whose record was opened as f, or could not be for err, a record with the promise p. If nothing can be
// read of the old one, the new one is that of blank.
func raised(kept *folder.Folder, f *File, err error, blank content, p spec.Durable) (aside string, _ error) {
	bad, isBad := errors.AsType[*RecordError](err)
	p.Reserved = freshNumbers(clock())
	switch {
	case err == nil:
		p.Reserved = max(p.Reserved, f.record.promise.Reserved)
		if f.record.started && p.Epoch <= f.record.promise.Epoch {
			return "", fmt.Errorf("storage: %s is in order, and its epoch is %d: only a higher one can be set", kept.Path(), f.record.promise.Epoch)
		}
		return "", f.Save(p)
	case !isBad || !bad.Kind.raisable():
		return "", err
	case bad.Kind != Lost:
		if aside, err = kept.SetAside(); err != nil {
			return "", fmt.Errorf("storage: %w", err)
		}
	}
	f = &File{folder: kept, record: blank}
	return aside, f.Save(p)
}

// clock tells Raise the time.
var clock = time.Now

// freshNumbers returns up to which number a node has reserved at most that has been started once a second since 1970, and no more often.
func freshNumbers(now time.Time) spec.Question {
	blocks := min(max(now.Unix(), 0), int64(spec.MaxReserved/spec.Block)-1)
	return spec.Question(blocks) * spec.Block
}

// RaiseChanging is Raise for a node of changing members. With who and c left zero they are those of the record, if that
// is good. If it is lost or beyond reading they must be given, and the person must answer for c too:
//
//	The configuration must not be older than any that the node has held.
//
// It is not if it is the newest in the records of all other nodes that are, or were, members with this one: what no
// other node has was never settled. With an older one the node might help to a leader those whom a later configuration
// has passed over. Mostly there is a better way: remove the member, and let the node join anew under another id.
//
// The configuration is of no epoch above the one to be set. A good record's own is replaced by a newer one only, and its
// identity cannot be changed. What the node has promised in many groups is raised before, if that is in order, with the members that each has; else nothing is.
func RaiseChanging(dir string, who Identity, c spec.Configuration, epoch spec.Epoch) (aside string, err error) {
	if who != (Identity{}) {
		if err := who.validate(); err != nil {
			return "", fmt.Errorf("storage: %w", err)
		}
	}
	if err := checkRaise(epoch); err != nil {
		return "", err
	}
	p := spec.Durable{Epoch: epoch, Configuration: c}
	if err := p.Validate(); err != nil {
		return "", fmt.Errorf("storage: the record to be written is not valid: %w", err)
	}
	if report, err := Inspect(dir); err == nil && report.Problem == nil && report.Identity.ID.Valid() && hasGroups(dir) {
		if _, err := raiseGroups(groupsFolder(dir), owner{id: report.Identity.ID}, epoch); err != nil {
			return "", err
		}
	}
	kept, err := openFolder(dir)
	if err != nil {
		return "", fmt.Errorf("storage: %w", err)
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	return raiseChangingOn(kept, who, p)
}

func raiseChangingOn(kept *folder.Folder, who Identity, p spec.Durable) (aside string, err error) {
	f, err := openChangingOn(kept)
	bad, isBad := errors.AsType[*RecordError](err)
	switch {
	case err == nil:
		if err := f.isOf(who); err != nil {
			return "", err
		}
		old := f.record.promise.Configuration
		if p.Configuration.IsNone() {
			p.Configuration = old
		}
		if err := followsConfiguration(old, p.Configuration); err != nil {
			return "", fmt.Errorf("storage: %s is in order: %w", kept.Path(), err)
		}
	case isBad && (bad.Kind.raisable() || bad.Kind == Missing):
		if who == (Identity{}) || p.Configuration.IsNone() {
			return "", fmt.Errorf("%w; to raise it say whose record it was, and give the newest configuration of the others", err)
		}
		if bad.Kind == Missing {
			f, err = &File{folder: kept, record: content{identity: who}}, nil
		}
	}
	return raised(kept, f, err, content{identity: who}, p)
}
