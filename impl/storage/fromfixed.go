package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/spec"
)

// FromFixed makes the record of a node of fixed members in the folder dir one of changing members: of the same node, with the
// same epoch and grantee, and the configuration first. So the node goes on in a cluster of changing members where it has
// been in one of fixed ones: it grants no epoch again, and epochs go on rising (R40). It is done at every node, with
// the same cluster and first, before any is started again. There is no way back: a copy of the old record knows nothing of
// what is promised from here on.
//
// First is as Init wants it, and its members are those of the record, all of them voters. It returns whose record it is now,
// and what has been promised.
//
// The error wraps ErrLocked if the node runs, and is a RecordError if there is no good record of a node of fixed members: its
// Kind is Changing if it is one of changing members already. Unless it is one of the file system, the record is as it was;
// else it is either of the two.
func FromFixed(dir, cluster string, first spec.Configuration) (who Identity, promise spec.Durable, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return who, promise, missing(dir, "there is no such folder")
	}
	kept, err := openFolder(dir)
	if err != nil {
		return who, promise, fmt.Errorf("storage: %w", err)
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	return fromFixedOn(kept, cluster, first)
}

func fromFixedOn(kept *folder.Folder, cluster string, first spec.Configuration) (who Identity, promise spec.Durable, err error) {
	c, found, err := read(kept)
	switch {
	case err != nil:
		return who, promise, err
	case !found:
		return who, promise, missing(kept.Path(), "there is none, and no sign that there has been one")
	case c.isChanging():
		return who, promise, &RecordError{Path: kept.Path(), Kind: changingKind, Problem: "it is that of " + c.whose() + " already"}
	}
	who = Identity{ID: c.id, Cluster: cluster, Incarnation: NewIncarnation()}
	if err := sameAsFixed(kept.Path(), &c, first); err != nil {
		return who, promise, err
	}
	if err := checkFirst(who, first); err != nil {
		return who, promise, err
	}
	promise = spec.Durable{Epoch: c.promise.Epoch, Grantee: c.promise.Grantee, Reserved: c.promise.Reserved, Configuration: first}
	if err := kept.Replace(encodeChanging(who, c.started, promise)); err != nil {
		return who, promise, fmt.Errorf("storage: could not write the record: %w", err)
	}
	return who, promise, nil
}

// sameAsFixed returns an error unless the members of a configuration are those of a record of fixed members.
func sameAsFixed(path string, c *content, first spec.Configuration) error {
	same := first.Len() == len(c.members)
	for _, id := range c.members {
		m, member := first.Member(id)
		same = same && member && m.Kind == spec.Voter
	}
	if same {
		return nil
	}
	return fmt.Errorf("storage: %s is that of %s, and the first configuration is to be %v: it must have the same members, each a voter",
		path, c.whose(), first)
}
