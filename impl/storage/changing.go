package storage

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/spec"
)

// The layout of a record of changing members: see the package's comment. Up to the incarnation it is that of fixed members.
const (
	startedAt   = restAt
	clusterAt   = startedAt + 1
	memberSize  = idSize + 2 // without the rank and the address
	rankSize    = 2
	ranked      = 0x80 // added to the kind of a member whose rank follows
	stampSize   = 8 + 8 + 1
	minChanging = clusterAt + 1 + stampSize + checksumSize
	maxCluster  = 64
	// A configuration fits into a message.
	maxChanging = clusterAt + 1 + maxCluster + spec.MaxFrame - spec.MessageSize + checksumSize
)

// Identity is whose a record of changing members is.
type Identity struct {
	ID      spec.NodeID
	Cluster string // the name of the cluster: 1 to 64 of the characters A-Z a-z 0-9 . _ -
	// Incarnation tells this disk from any other that has, or has had, the same id: see NewIncarnation. It is not 0.
	Incarnation uint64
}

// NewIncarnation returns a random number that is not 0. Whoever makes a record draws one: a node whose disk was lost and
// that is given a new one under the same id is then told from the node that it was.
func NewIncarnation() uint64 {
	var b [8]byte
	for {
		_, _ = rand.Read(b[:]) // ends the program rather than fail
		if n := binary.BigEndian.Uint64(b[:]); n != 0 {
			return n
		}
	}
}

// String returns i as in: node 3 of cluster demo, incarnation 00c0ffee00c0ffee.
func (i Identity) String() string {
	return fmt.Sprintf("node %v of cluster %s, incarnation %016x", i.ID, i.Cluster, i.Incarnation)
}

func (i Identity) validate() error {
	switch {
	case !i.ID.Valid():
		return fmt.Errorf("the node %v is no id (R1)", i.ID)
	case !validCluster(i.Cluster):
		return fmt.Errorf("the name %q of the cluster is not 1 to %d characters of A-Z a-z 0-9 . _ -", i.Cluster, maxCluster)
	case i.Incarnation == 0:
		return errors.New("the incarnation is 0: draw one with NewIncarnation")
	}
	return nil
}

func validCluster(name string) bool {
	for _, c := range []byte(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return len(name) >= 1 && len(name) <= maxCluster
}

// check returns an error for what no node of changing members can promise.
func (i Identity) check(p spec.Durable) error {
	if p.Configuration.IsNone() {
		return errors.New("it has no configuration, and a node of changing members has one always (R42)")
	}
	return p.Validate()
}

// followsConfiguration returns an error if a node whose configuration was old cannot come to have c: it never gets older
// (ConfigurationMonotonic), and an epoch and version name one list of members (OneConfiguration).
func followsConfiguration(old, c spec.Configuration) error {
	switch {
	case old.IsNone():
		return nil
	case old.Newer(c):
		return fmt.Errorf("the configuration would go back from %v (ConfigurationMonotonic)", old)
	case !c.Newer(old) && !c.SameMembers(old):
		return fmt.Errorf("the configuration of this epoch and version is %v (OneConfiguration)", old)
	}
	return nil
}

// checkFirst says what is wrong with what a record is to be made of.
func checkFirst(who Identity, first spec.Configuration) error {
	if err := who.validate(); err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	if err := first.Validate(); err != nil {
		return fmt.Errorf("storage: the first configuration is not valid: %w", err)
	}
	if first.IsEmpty() {
		return nil
	}
	if first.Epoch != 0 || first.Version != 1 {
		return fmt.Errorf("storage: the first configuration is of epoch %d and version %d, and must be of 0 and 1 (R49)", first.Epoch, first.Version)
	}
	if _, member := first.Member(who.ID); !member {
		return fmt.Errorf("storage: node %v is no member of the first configuration, %v: a node that is added later begins with the empty one", who.ID, first)
	}
	return nil
}

// Init makes the record of a node of changing members in the folder dir, which it makes if there is none: this, and
// nothing else, makes one. The configuration first is the same at all nodes that the cluster begins with, of version 1
// and epoch 0; a node that is to be added later begins with the empty one (R49). When Init returns nil the record is
// durable; the node has not started yet, as Load says.
//
// The error wraps ErrExists if there is a record of any kind already, ErrLocked if the folder is in use, and is a
// RecordError if there was a record and it is lost. After any other error there may be a record or not: Open says.
func Init(dir string, who Identity, first spec.Configuration) (err error) {
	if err := checkFirst(who, first); err != nil {
		return err
	}
	kept, err := openFolder(dir)
	if err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	return initOn(kept, who, first)
}

func initOn(kept *folder.Folder, who Identity, first spec.Configuration) error {
	data, found, err := kept.Load(maxRecord + 1)
	if err != nil && kindOf(err) == unreadableKind {
		return unread(kept.Path(), err)
	}
	if found || err != nil {
		c, f := decode(data)
		what := "that of " + c.whose()
		switch {
		case err != nil:
			what = string(kindOf(err))
		case f != nil:
			what = string(f.kind)
		}
		return fmt.Errorf("storage: %s %w, and is %s: a record is made once; start the node, or give the new one a folder of its own",
			kept.Path(), ErrExists, what)
	}
	if err := kept.Replace(encodeChanging(who, false, spec.Durable{Configuration: first})); err != nil {
		return fmt.Errorf("storage: could not make a record: %w", err)
	}
	return nil
}

// OpenChanging locks the folder dir until Close or the end of the process, and reads the record of a node of changing
// members. On a disk that hangs it hangs.
//
// The error wraps ErrLocked if the folder is in use, and is a RecordError if there is no record that a node of changing
// members may start with; its Kind is Missing if there never was one, and says so if it is one of fixed members.
func OpenChanging(dir string) (*File, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, missing(dir, "there is no such folder")
	}
	kept, err := openFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	f, err := openChangingOn(kept)
	if err != nil {
		_ = kept.Close() // the first error says it all
		return nil, err
	}
	return f, nil
}

func openChangingOn(kept *folder.Folder) (*File, error) {
	c, found, err := read(kept)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, missing(kept.Path(), "there is none, and no sign that there has been one")
	case !c.isChanging():
		return nil, &RecordError{Path: kept.Path(), Kind: fixedKind, Problem: "it is that of " + c.whose()}
	}
	if err := kept.Mark(); err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	return &File{folder: kept, record: c}, nil
}

func missing(path, problem string) error {
	return &RecordError{Path: path, Kind: Missing, Problem: problem}
}

// Identity returns whose record it is. It is zero if members are fixed.
func (f *File) Identity() Identity { return f.record.identity }

// isOf returns nil if the record is that of this node of this cluster and this incarnation, and else a RecordError. None, "" and 0 are any.
func (f *File) isOf(who Identity) error {
	wrong := func(k Kind, what string, wanted any) error {
		return &RecordError{Path: f.folder.Path(), Kind: k, Problem: fmt.Sprintf("it is that of %s, and this is %s %v", f.record.whose(), what, wanted)}
	}
	switch is := f.record.identity; {
	case !who.ID.IsNone() && who.ID != is.ID:
		return wrong(wrongNodeKind, "node", who.ID)
	case who.Cluster != "" && who.Cluster != is.Cluster:
		return wrong(wrongClusterKind, "cluster", who.Cluster)
	case who.Incarnation != 0 && who.Incarnation != is.Incarnation:
		return wrong(wrongNodeKind, "incarnation", fmt.Sprintf("%016x", who.Incarnation))
	}
	return nil
}

// encodeChanging returns the record of a promise, which must be valid, as who must be.
func encodeChanging(who Identity, started bool, p spec.Durable) []byte {
	members := p.Configuration.Members()
	size := minChanging + len(who.Cluster) + len(members)*memberSize
	for _, m := range members {
		size += len(m.Address)
		if m.Rank != 0 {
			size += rankSize
		}
	}
	b := append(appendHead(size, p, who), 0)
	if started {
		b[startedAt] = 1
	}
	b = append(append(b, byte(len(who.Cluster))), who.Cluster...)
	b = binary.BigEndian.AppendUint64(b, uint64(p.Configuration.Epoch))
	b = binary.BigEndian.AppendUint64(b, p.Configuration.Version)
	b = append(b, byte(len(members)))
	kinds := spec.MemberKinds()
	for _, m := range members {
		b = append(append(b, m.ID[:]...), byte(slices.Index(kinds, m.Kind)+1))
		if m.Rank != 0 {
			b[len(b)-1] |= ranked
			b = binary.BigEndian.AppendUint16(b, m.Rank)
		}
		b = append(append(b, byte(len(m.Address))), m.Address...)
	}
	return seal(b)
}

// parseChanging reads a record of this version that has an incarnation, and whose checksum is right.
func parseChanging(data []byte) (c content, err error) {
	if err := checkSize(data, minChanging, "a cluster and members"); err != nil {
		return c, err
	}
	rest := data[clusterAt+1 : len(data)-checksumSize]
	name := int(data[clusterAt])
	if len(rest) < name+stampSize {
		return c, fmt.Errorf("it has no room for a cluster's name of %d bytes, and a configuration", name)
	}
	if data[startedAt] > 1 {
		return c, fmt.Errorf("whether it has started is neither 0 nor 1, but %d", data[startedAt])
	}
	c.started = data[startedAt] == 1
	c.promise, c.id, c.identity.Incarnation = readHead(data)
	c.identity.ID, c.identity.Cluster = c.id, string(rest[:name])
	if err := c.identity.validate(); err != nil {
		return content{}, err
	}
	c.promise.Configuration, err = parseConfiguration(rest[name:])
	if err != nil {
		return content{}, err
	}
	return c, c.identity.check(c.promise)
}

// parseConfiguration reads a configuration whose stamp is there.
func parseConfiguration(data []byte) (spec.Configuration, error) {
	epoch, version := spec.Epoch(binary.BigEndian.Uint64(data)), binary.BigEndian.Uint64(data[8:])
	count, rest, kinds := int(data[16]), data[stampSize:], spec.MemberKinds()
	var members []spec.Member
	for i := range count {
		head := memberSize
		if len(rest) >= memberSize && rest[idSize]&ranked != 0 {
			head += rankSize
		}
		if len(rest) < head || len(rest) < head+int(rest[head-1]) {
			return spec.Configuration{}, fmt.Errorf("it ends within member %d of %d", i+1, count)
		}
		m := spec.Member{ID: spec.NodeID(rest[:idSize]), Address: string(rest[head : head+int(rest[head-1])])}
		if kind := int(rest[idSize] &^ ranked); kind >= 1 && kind <= len(kinds) {
			m.Kind = kinds[kind-1]
		}
		if head > memberSize {
			if m.Rank = binary.BigEndian.Uint16(rest[idSize+1:]); m.Rank == 0 {
				return spec.Configuration{}, fmt.Errorf("the member %v has a rank of 0, which is left out", m.ID)
			}
		}
		if i > 0 && members[i-1].ID.Compare(m.ID) >= 0 {
			return spec.Configuration{}, fmt.Errorf("the member %v is given twice, or out of order", m.ID)
		}
		members, rest = append(members, m), rest[head+len(m.Address):]
	}
	if len(rest) > 0 {
		return spec.Configuration{}, fmt.Errorf("%d bytes follow on the last member", len(rest))
	}
	c, err := spec.NewConfiguration(epoch, version, members)
	if err != nil {
		return spec.Configuration{}, fmt.Errorf("its configuration is not valid: %w", err)
	}
	return c, nil
}
