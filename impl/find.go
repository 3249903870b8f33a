package bully

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// Search says where the members of a cluster are found, and how many there are. All fields but the last two must be given.
type Search struct {
	// Where is dns+srv://NAME, whose SRV records name hosts and ports, or dns://NAME:PORT, whose addresses have names (PTR records). Of the
	// names OrdinalID makes ids. With dns+srv://SERVER:PORT/NAME another name server is asked than those of the system.
	Where string
	// Expect is how many members there are, the same at each: nobody begins with fewer, nor with more.
	Expect int
	// ID is this node, one of them.
	ID string
	// Folder is that of the node. Who the members are is kept there once they are found.
	Folder string

	// Waits, if given, is told what is waited for each time that this is another thing.
	Waits func(why string)
	// Logger is told the same, and what has become of members. Default: nobody is.
	Logger *slog.Logger
}

// Found are members that FindMembers has found. They are fixed, and stay who they are.
type Found struct {
	// Members are all nodes, and where they listen. A host name is looked up each time that it is dialled.
	Members map[string]string

	by *net.Resolver // looks their names up
}

const (
	// lookUpEvery lies between two questions to DNS while members are missing.
	lookUpEvery = 500 * time.Millisecond
	// lookUpTimeout bounds one lookup, and lookAgainTimeout that of a node that knows its members.
	lookUpTimeout, lookAgainTimeout = 5 * time.Second, time.Second
)

// FindMembers finds the members of a cluster, and waits until there are as many as are expected, or ctx ends. It does that once in the
// life of a node: who the members are is kept in its folder, and not changed by what DNS says later. That says where they are, and no more.
// An error says what is wrong, and will not become right by itself.
func FindMembers(ctx context.Context, s Search) (*Found, error) {
	f, err := s.finder()
	if err != nil {
		return nil, err
	}
	members, err := readSettled(s.Folder)
	if err != nil {
		return nil, err
	}
	if members == nil {
		members, err = f.first(ctx)
	} else if err = f.still(members); err == nil {
		f.again(ctx, members)
	}
	if err != nil {
		return nil, err
	}
	found := &Found{Members: map[string]string{}, by: f.place.by}
	for id, address := range members {
		found.Members[id.String()] = address
	}
	return found, nil
}

// Validate says what is wrong with a search, without doing it.
func (s Search) Validate() error {
	_, err := s.finder()
	return err
}

// finder is a search, understood.
type finder struct {
	Search
	place place
	id    spec.NodeID
	last  string // what was waited for
}

func (s Search) finder() (f *finder, err error) {
	f = &finder{Search: s}
	if f.Logger == nil {
		f.Logger = slog.New(slog.DiscardHandler)
	}
	if f.place, err = parsePlace(s.Where); err != nil {
		return nil, fmt.Errorf("bully: Where: %w", err)
	}
	if f.id, err = spec.ParseNodeID(s.ID); err != nil {
		return nil, fmt.Errorf("bully: ID: %w", err)
	}
	switch {
	case s.Expect < 1 || s.Expect > storage.MaxMembers:
		return nil, fmt.Errorf("bully: Expect: %d is not from 1 to %d: give how many members there are", s.Expect, storage.MaxMembers)
	case s.Folder == "":
		return nil, errors.New("bully: Folder is missing: it keeps who the members are")
	}
	return f, nil
}

// first finds the members, and settles who they are.
func (f *finder) first(ctx context.Context) (map[spec.NodeID]string, error) {
	for {
		found, err := f.lookUp(ctx, lookUpTimeout)
		if err == nil {
			err = f.enough(found)
		}
		if err == nil {
			if found, err = settle(f.Folder, found); err != nil {
				return nil, err
			}
			return found, f.still(found)
		}
		if _, waits := errors.AsType[*notYetError](err); !waits {
			return nil, fmt.Errorf("bully: %w", err)
		}
		f.wait(err.Error())
		timer := time.NewTimer(lookUpEvery)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
}

// lookUp asks DNS once.
func (f *finder) lookUp(ctx context.Context, timeout time.Duration) (map[spec.NodeID]string, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return f.place.lookUp(ctx)
}

// enough returns nil if these are all members.
func (f *finder) enough(found map[spec.NodeID]string) error {
	_, member := found[f.id]
	switch {
	case len(found) < f.Expect:
		return notYet("%s names %d of %d members: %s", f.place.text, len(found), f.Expect, listed(found))
	case len(found) > f.Expect:
		return fmt.Errorf("%s names %d members, and %d are expected: %s; all of them must expect as many, and each cluster needs a name of its own",
			f.place.text, len(found), f.Expect, listed(found))
	case !member:
		return fmt.Errorf("%s names all %d members, and this node, %s, is not among them: %s", f.place.text, len(found), f.id, listed(found))
	}
	return nil
}

// wait tells what is waited for, once.
func (f *finder) wait(why string) {
	if why == f.last {
		return
	}
	f.last = why
	f.Logger.Info("waits for members before it starts for the first time", "because", why)
	if f.Waits != nil {
		f.Waits(why)
	}
}

// still returns nil if members that were settled are those that are asked for.
func (f *finder) still(members map[spec.NodeID]string) error {
	settled := func(problem string, about ...any) error {
		return fmt.Errorf("bully: %s: members are settled, and are %s; %s", settledPath(f.Folder), listed(members), fmt.Sprintf(problem, about...))
	}
	if len(members) != f.Expect {
		return settled("%d are expected: they do not change any more, unless bully init -from-fixed lets them come and go", f.Expect)
	}
	if _, member := members[f.id]; !member {
		return settled("this node, %s, is not among them: the folder is another node's", f.id)
	}
	return nil
}

// again looks where the members are that were settled before.
func (f *finder) again(ctx context.Context, members map[spec.NodeID]string) {
	found, err := f.lookUp(ctx, lookAgainTimeout)
	if err != nil {
		f.Logger.Warn("members could not be looked up: they are dialled where they were", "err", err)
		return
	}
	var others []string
	for _, id := range ascending(found) {
		address, member := members[id]
		switch {
		case !member:
			others = append(others, id.String()+"="+found[id])
		case address != found[id]:
			f.Logger.Info("a member is elsewhere now", "member", id, "was", address, "is", found[id])
			members[id] = found[id]
		}
	}
	if others != nil {
		f.Logger.Warn("DNS names nodes that are no members: who the members are was settled when this node began", "nodes", strings.Join(others, ","), "members", listed(members))
	}
}

// SettledFile is the file in a folder that says who the members are, if they were found: see FindMembers.
const SettledFile = "members"

func settledPath(dir string) string { return filepath.Join(dir, SettledFile) }

// readSettled returns the members that were settled, or nil if none were yet.
func readSettled(dir string) (map[spec.NodeID]string, error) {
	text, err := os.ReadFile(settledPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("bully: %w", err)
	}
	members, err := transport.ParseMembers(strings.TrimSpace(string(text)), nil)
	if err != nil {
		return nil, fmt.Errorf("bully: %s is damaged: %w; write there who the members are, as another node has them", settledPath(dir), err)
	}
	if err := folder.SyncNames(dir); err != nil {
		return nil, fmt.Errorf("bully: %w", err)
	}
	return members, nil
}

// settle makes it durable who the members are, and returns them. If they were settled meanwhile, by another process, it is those.
func settle(dir string, members map[spec.NodeID]string) (map[spec.NodeID]string, error) {
	err := folder.WriteOnce(dir, SettledFile, []byte(listed(members)+"\n"))
	if errors.Is(err, fs.ErrExist) {
		return readSettled(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("bully: who the members are could not be kept: %w", err)
	}
	return members, nil
}
