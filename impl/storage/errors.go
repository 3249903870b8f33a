package storage

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
)

// ErrLocked is wrapped by the error of Open and of Raise if the folder is in use by another process, or is open
// already in this one.
var ErrLocked = folder.ErrLocked

// ErrExists is wrapped by the error of Init if there is a record already, of whatever kind.
var ErrExists = errors.New("is there already")

// RecordError says that there is a record that this node must not start with, and what to do. It unwraps to the error
// of the file system if there was one.
type RecordError struct {
	Path    string // of the record
	Kind    Kind
	Problem string // what exactly is wrong, in a few words
	err     error
}

// Error says what is wrong, and what to do.
func (e *RecordError) Error() string {
	return fmt.Sprintf("storage: %s is %s: %s; %s", e.Path, e.Kind, e.Problem, e.Advice())
}

// Unwrap returns the error of the file system, if there was one.
func (e *RecordError) Unwrap() error { return e.err }

// Advice says what may be done.
func (e *RecordError) Advice() string {
	switch e.Kind {
	case unreadableKind:
		return "let this user read it, or bring back the disk"
	case futureKind:
		return "run the version of the program that wrote it, or a later one"
	case pastKind:
		return "this protocol cannot go on from it: stop all nodes, give each an empty folder, and epochs that no resource has seen (R40)"
	case wrongNodeKind:
		return "give this node its own folder, or its own id: two nodes never share a record"
	case WrongMembers:
		return "start the node with the members of its record: they must not change while any node has one (R40)"
	case Missing:
		return "make one: bully init at each of the first members, bully join at a node that is to be added"
	case wrongClusterKind:
		return "give this node its own folder, or the name of its cluster"
	case changingKind:
		return "start the node without a list of members, as its record has them (storage.OpenChanging)"
	case fixedKind:
		return "start the node with its members, as before (storage.Open); to let them change see bully init -from-fixed (storage.FromFixed)"
	case Lost:
		return "put the file back if it was moved, but no older copy of it, and not one that other nodes have disowned; else raise the node's epoch: see bully repair"
	default:
		return "do not remove it, and put no older copy in its place (R32); to give the node a new record see bully repair"
	}
}

// raisable reports whether a record of this kind is beyond reading, so that Raise may put a new one in its place.
func (k Kind) raisable() bool {
	return !slices.Contains([]Kind{Missing, unreadableKind, pastKind, futureKind, wrongNodeKind, WrongMembers, wrongClusterKind, changingKind, fixedKind}, k)
}

// judge returns what a record says, or the RecordError for it.
func judge(path string, data []byte) (content, error) {
	c, f := decode(data)
	if f != nil {
		return content{}, &RecordError{Path: path, Kind: f.kind, Problem: f.problem}
	}
	return c, nil
}

// unread returns the RecordError for a record that cannot be read.
func unread(path string, err error) *RecordError {
	if errors.Is(err, folder.ErrLost) {
		return &RecordError{Path: path, Kind: Lost, Problem: "there is none, and the marker beside it says that there has been one", err: err}
	}
	return &RecordError{Path: path, Kind: kindOf(err), Problem: problemOf(err), err: err}
}
