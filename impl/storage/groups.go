package storage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/impl/internal/membership"
	"github.com/seed-fdf591db/bully/spec"
)

// groupsName is the name of the record of many groups in its folder.
const groupsName = "groups"

// groupsHead says to every program what the file is. It is in no form of a record of one node, which therefore is never taken for it, nor it for one.
var groupsHead = []byte("BULLYGRP\x00\x01\x10\x00\n\nThe promises of a node of bully in many groups are in this file, from byte 4096 on.\n" +
	"Never put an older copy of this file in its place.\n")

// GroupPromise is what a node promises in one group. Groups have numbers, which whoever names them gives; not 0.
type GroupPromise struct {
	Group   uint64
	Promise spec.Durable
	// First tells the members that the group began with from others, where members change; 0 where they are fixed, and of a node that has not been told yet.
	First uint64
}

// Groups keeps the promises of one node in many groups, in one file: as many as one likes are saved at once, and cost one wait for the disk. The members are
// fixed, and the same in all groups; or they come and go, in each group by themselves, and each promise has a configuration. What Open says of records and locks holds here too. Its
// methods may be called from several goroutines; one should save.
//
// A group that is gone takes no place, and a group that comes again never promises an epoch twice: of all that are gone together it is kept which epochs and
// numbers none of them has come beyond, and a group of which nothing else is kept begins there. So do groups that never were. A group whose configuration has been changed stays, though it is
// gone: a node must not forget the newest that it has held (R42), or it would begin with members that the group has no more.
//
// The file is described in package folder, see Log. A save is a series of entries: the number of the group in 8 bytes, big-endian; the place of the grantee among the members,
// ascending, from 1 on, or 0, in a byte; and as varints the epoch, and how many blocks of numbers are reserved. The entry of group 0 is
// where others begin. An entry whose place is 255 says that the group is gone. The snapshot begins with how many members there are, in a byte, the id of the node, and those of the
// members, ascending.
//
// Where members change that number is 0. Each save then begins with the nodes that its entries name, and places are places there, as varints, 0 for none; an entry goes on with First, in 8
// bytes, and the configuration (package packed). None is ever gone: what is left of it is where others begin, and an entry says so by a configuration that is none.
type Groups struct {
	mu    sync.Mutex
	log   *folder.Log
	owner owner // without members where these change
	kept  map[uint64]GroupPromise
	floor spec.Durable // where groups begin of which nothing is kept
	began uint64       // the number of the last save when the file was opened
	err   error
}

// OpenGroups is Open for a node in many groups: it makes the folder dir if there is none, and locks it. Without members these come and go.
func OpenGroups(dir string, id spec.NodeID, members []spec.NodeID) (*Groups, error) {
	o := owner{id: id}
	if len(members) > 0 {
		var err error
		if o, err = newOwner(id, members); err != nil {
			return nil, err
		}
	} else if !id.Valid() {
		return nil, fmt.Errorf("storage: the node %v is no id (R1)", id)
	}
	log, err := folder.OpenLog(dir, groupsName, groupsHead)
	if err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	g, err := groupsOn(log, o)
	if err != nil {
		_ = log.Close() // the first error says it all
		return nil, err
	}
	return g, nil
}

// groupsOn reads a log that is open, and begins a new file with what it says.
func groupsOn(log *folder.Log, o owner) (*Groups, error) {
	g := &Groups{log: log, owner: o, kept: map[uint64]GroupPromise{}}
	saves, _, err := log.Load()
	if err != nil {
		return nil, unread(log.Path(), err)
	}
	if err := g.readAll(saves); err != nil {
		return nil, err
	}
	g.began = log.Number()
	if err := log.Begin(g.snapshot()); err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	return g, nil
}

// readAll goes by all saves.
func (g *Groups) readAll(saves [][]byte) (err error) {
	for i, save := range saves {
		if i == 0 {
			if save, err = g.readOwner(save); err != nil {
				return err
			}
		}
		if err := g.read(save); err != nil {
			return &RecordError{Path: g.log.Path(), Kind: damagedKind, Problem: err.Error()}
		}
	}
	return nil
}

// highest returns the highest epoch in any group, and where groups begin of which nothing is kept.
func (g *Groups) highest() spec.Epoch {
	highest := g.floor.Epoch
	for _, p := range g.kept {
		highest = max(highest, p.Promise.Epoch)
	}
	return highest
}

// Began returns what a transport is to be told of this disk (transport.Config.Saves): the number of the last save when the file was opened. With all epochs and numbers that it has, it rises.
func (g *Groups) Began() uint64 { return g.began }

// Number returns the number of the last save. It only rises, over restarts too.
func (g *Groups) Number() uint64 { return g.log.Number() }

// Load returns the promise in a group that was saved last, or where a group begins of which nothing is kept. If there is neither, found is false: the group
// starts for the first time (R32).
//
// Where members change, the configuration of the latter is none: the node is to be given a first one, or the empty one (R49).
func (g *Groups) Load(group uint64) (promise GroupPromise, found bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if promise, found = g.kept[group]; found {
		return promise, true
	}
	return GroupPromise{Group: group, Promise: g.floor}, g.floor != spec.Durable{}
}

// Save makes all promises of a batch durable, by one wait for the disk. When it returns nil all are; after an error any of them may be or not: the node must
// stop for good (R4.4), and every later call returns the same error. A group is in a batch once at most.
func (g *Groups) Save(batch []GroupPromise) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.change(func() ([]byte, error) {
		for _, p := range batch {
			if err := g.next(p); err != nil {
				return nil, fmt.Errorf("group %016x: %s: %w", p.Group, say(p.Promise), err)
			}
			g.kept[p.Group] = p
		}
		return g.appendEntries(nil, batch, nil), nil
	})
}

// next returns an error if a promise cannot follow on the last one of its group.
func (g *Groups) next(p GroupPromise) error {
	if p.Group == 0 {
		return errors.New("0 is no group")
	}
	if err := g.check(p.Promise); err != nil {
		return err
	}
	if p.Promise.Reserved%spec.Block != 0 {
		return fmt.Errorf("the numbers reserved go to %d, which is no whole number of blocks (R50)", p.Promise.Reserved)
	}
	last, found := g.kept[p.Group]
	if !found {
		last.Promise = g.floor
	}
	if last.First != 0 && last.First != p.First {
		return errors.New("the group has begun with other members (R49)")
	}
	if err := followsConfiguration(last.Promise.Configuration, p.Promise.Configuration); err != nil {
		return err
	}
	return follows(last.Promise, p.Promise)
}

// changing reports whether members come and go.
func (g *Groups) changing() bool { return len(g.owner.members) == 0 }

// check returns an error for what this node cannot promise.
func (g *Groups) check(p spec.Durable) error {
	if g.changing() {
		return Identity{}.check(p)
	}
	return g.owner.check(p)
}

// Forget frees the place of groups that are gone. The node must take no step in them any more.
func (g *Groups) Forget(groups []uint64) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.change(func() ([]byte, error) {
		var gone []uint64
		for _, group := range groups {
			if p, found := g.kept[group]; found && g.mayForget(p.Promise) {
				g.floor = above(g.floor, p.Promise)
				delete(g.kept, group)
				gone = append(gone, group)
			}
		}
		return g.appendEntries(nil, []GroupPromise{{Promise: g.floor}}, gone), nil
	})
}

// above returns where groups begin when one more is gone: with an epoch that it has promised to nobody.
func above(floor, gone spec.Durable) spec.Durable {
	return spec.Durable{Epoch: max(floor.Epoch, gone.Epoch+1), Reserved: max(floor.Reserved, gone.Reserved)}
}

// mayForget reports whether a group may begin anew where others do. Above the last epoch there is none, and the members that a group has come to have are not those that it would begin with.
func (g *Groups) mayForget(p spec.Durable) bool {
	return p.Epoch < spec.MaxEpoch && p.Configuration.Version <= 1
}

// change saves what a function returns, after which g is as it is to be on disk.
func (g *Groups) change(entries func() ([]byte, error)) error {
	if g.err != nil {
		return g.err
	}
	content, err := entries()
	if err == nil {
		var fits bool
		if fits, err = g.log.Append(content); !fits && err == nil {
			err = g.log.Begin(g.snapshot())
		}
	}
	if err != nil {
		g.err = fmt.Errorf("storage: could not save in %s: %w; this node must stop (R4)", g.log.Path(), err)
	}
	return g.err
}

// Disown puts the record out of use, as it is not what the node has promised last: see File.Disown. Every later call returns an error.
func (g *Groups) Disown() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err != nil {
		return g.err
	}
	g.err = fmt.Errorf("storage: %s is disowned: other nodes know of later promises", g.log.Path())
	if _, err := g.log.SetAside(); err != nil {
		return fmt.Errorf("storage: could not put the record aside: %w", err)
	}
	return nil
}

// Close releases the folder. To close it again does nothing.
func (g *Groups) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err == nil {
		g.err = fmt.Errorf("storage: %s: %w", g.log.Path(), fs.ErrClosed)
	}
	return g.log.Close()
}

// goneAt is the place of no grantee: the group is gone.
const goneAt = 255

// appendEntries appends an entry for each promise, and for each group that is gone.
func (g *Groups) appendEntries(b []byte, all []GroupPromise, gone []uint64) []byte {
	if g.changing() {
		for _, group := range gone {
			all = append(all, GroupPromise{Group: group})
		}
		return appendChanging(b, all)
	}
	for _, p := range all {
		b = append(binary.BigEndian.AppendUint64(b, p.Group), byte(slices.Index(g.owner.members, p.Promise.Grantee)+1))
		b = appendPromise(b, p.Promise)
	}
	for _, group := range gone {
		b = append(binary.BigEndian.AppendUint64(b, group), goneAt)
	}
	return b
}

func appendPromise(b []byte, p spec.Durable) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(p.Epoch)), uint64(p.Reserved/spec.Block))
}

// snapshot returns all that is kept.
func (g *Groups) snapshot() []byte {
	b := append([]byte{byte(len(g.owner.members))}, g.owner.id[:]...)
	for _, member := range g.owner.members {
		b = append(b, member[:]...)
	}
	all := []GroupPromise{{Promise: g.floor}}
	for _, group := range slices.Sorted(maps.Keys(g.kept)) {
		all = append(all, g.kept[group])
	}
	return g.appendEntries(b, all, nil)
}

// readOwner reads whose the file is, and returns the rest of a snapshot.
func (g *Groups) readOwner(b []byte) ([]byte, error) {
	wrong := func(k Kind, problem string, about ...any) ([]byte, error) {
		return nil, &RecordError{Path: g.log.Path(), Kind: k, Problem: fmt.Sprintf(problem, about...)}
	}
	if len(b) == 0 || len(b) < 1+(1+int(b[0]))*idSize {
		return wrong(damagedKind, "it does not say whose it is")
	}
	of, rest := ownerOf(b)
	count := len(of.members)
	switch {
	case of.id != g.owner.id:
		return wrong(wrongNodeKind, "it is that of node %v, and this is node %v", of.id, g.owner.id)
	case g.changing() && count > 0:
		return wrong(fixedKind, "its members are %v, and those of this node come and go", of.members)
	case !g.changing() && count == 0:
		return wrong(WrongMembers, "its members come and go, and this node's are %v", g.owner.members)
	case !slices.Equal(of.members, g.owner.members):
		return wrong(WrongMembers, "its members are %v, and this node's are %v", of.members, g.owner.members)
	}
	return rest, nil
}

// ownerOf returns whose a snapshot that is long enough says it is, and the rest of it.
func ownerOf(b []byte) (of owner, rest []byte) {
	ids := b[1 : 1+(1+int(b[0]))*idSize]
	of.id = spec.NodeID(ids[:idSize])
	for at := idSize; at < len(ids); at += idSize {
		of.members = append(of.members, spec.NodeID(ids[at:at+idSize]))
	}
	return of, b[1+len(ids):]
}

// read goes by the entries of a save.
func (g *Groups) read(b []byte) error {
	if g.changing() {
		return g.readChanging(b)
	}
	r := bytes.NewReader(b)
	for r.Len() > 0 {
		var head [9]byte
		if n, _ := r.Read(head[:]); n < len(head) {
			return errors.New("an entry is cut short")
		}
		group := binary.BigEndian.Uint64(head[:])
		if head[8] == goneAt {
			delete(g.kept, group)
			continue
		}
		epoch, err := binary.ReadUvarint(r)
		if err != nil {
			return errors.New("an entry is cut short")
		}
		blocks, err := binary.ReadUvarint(r)
		if err != nil || blocks > uint64(spec.MaxReserved/spec.Block) || int(head[8]) > len(g.owner.members) {
			return errors.New("an entry is none")
		}
		p := spec.Durable{Epoch: spec.Epoch(epoch), Reserved: spec.Question(blocks) * spec.Block}
		if at := int(head[8]); at > 0 {
			p.Grantee = g.owner.members[at-1]
		}
		if err := g.owner.check(p); err != nil {
			return err
		}
		if group == 0 {
			g.floor = p
		} else {
			g.kept[group] = GroupPromise{Group: group, Promise: p}
		}
	}
	return nil
}

// appendChanging is appendEntries where members change.
func appendChanging(b []byte, all []GroupPromise) []byte {
	var names []spec.NodeID
	places := map[spec.NodeID]int{}
	name := func(id spec.NodeID) {
		if _, there := places[id]; !there && !id.IsNone() {
			places[id] = len(names)
			names = append(names, id)
		}
	}
	for _, p := range all {
		name(p.Promise.Grantee)
		for _, m := range p.Promise.Configuration.Members() {
			name(m.ID)
		}
	}
	b = membership.AppendNames(b, names)
	for _, p := range all {
		b = binary.BigEndian.AppendUint64(b, p.Group)
		grantee := 0
		if !p.Promise.Grantee.IsNone() {
			grantee = places[p.Promise.Grantee] + 1
		}
		b = appendPromise(binary.AppendUvarint(b, uint64(grantee)), p.Promise)
		b = binary.BigEndian.AppendUint64(b, p.First)
		b = membership.Append(b, p.Promise.Configuration, func(id spec.NodeID) int { return places[id] })
	}
	return b
}

// readChanging is read where members change.
func (g *Groups) readChanging(b []byte) error {
	names, b, ok := membership.ReadNames(b)
	for ok && len(b) > 0 {
		var p GroupPromise
		if p, b, ok = readEntry(b, names); !ok {
			break
		}
		switch {
		case p.Group == 0:
			g.floor = p.Promise
		case p.Promise.Configuration.IsNone():
			delete(g.kept, p.Group)
		default:
			if err := g.check(p.Promise); err != nil {
				return err
			}
			g.kept[p.Group] = p
		}
	}
	if !ok {
		return errors.New("an entry is none")
	}
	return nil
}

// readEntry reads an entry from the front of b, and returns what follows.
func readEntry(b []byte, names []spec.NodeID) (p GroupPromise, rest []byte, ok bool) {
	if len(b) < 8 {
		return p, nil, false
	}
	p.Group, b = binary.BigEndian.Uint64(b), b[8:]
	var numbers [3]uint64 // the grantee, the epoch, the blocks
	for i := range numbers {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			return p, nil, false
		}
		numbers[i], b = n, b[size:]
	}
	if numbers[0] > uint64(len(names)) || numbers[2] > uint64(spec.MaxReserved/spec.Block) || len(b) < 8 {
		return p, nil, false
	}
	if numbers[0] > 0 {
		p.Promise.Grantee = names[numbers[0]-1]
	}
	p.Promise.Epoch, p.Promise.Reserved = spec.Epoch(numbers[1]), spec.Question(numbers[2])*spec.Block
	p.First, b = binary.BigEndian.Uint64(b), b[8:]
	p.Promise.Configuration, b, ok = membership.Read(b, names)
	return p, b, ok
}
