package storage_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec"
)

// A node saves each promise before it speaks of it, and finds the last one when it is started again.
func Example() {
	dir, err := os.MkdirTemp("", "bully")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	members := []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}

	for range 2 {
		store, err := storage.Open(dir, members[1], members)
		if err != nil {
			fmt.Println(err)
			return
		}
		promise, found, err := store.Load()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(found, promise.Epoch, promise.Grantee)
		if err := store.Save(spec.Durable{Epoch: promise.Epoch + 4, Grantee: members[2]}); err != nil {
			fmt.Println(err)
			return
		}
		store.Close()
	}
	// Output:
	// false 0 none
	// true 4 3
}

// A record that is no good is never taken for a first start. A person says how the node goes on.
func ExampleRaise() {
	dir, err := os.MkdirTemp("", "bully")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "record"), make([]byte, 106), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	members := []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}

	_, err = storage.Open(dir, members[1], members)
	if bad, ok := errors.AsType[*storage.RecordError](err); ok {
		fmt.Println(bad.Kind, "-", bad.Problem)
	}
	// The records of nodes 1 and 3 say epochs 6 and 7.
	aside, err := storage.Raise(dir, members[1], members, 1007)
	fmt.Println(filepath.Base(aside), err)
	store, err := storage.Open(dir, members[1], members)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	promise, _, err := store.Load()
	fmt.Println(promise.Epoch, promise.Grantee, err)
	// Output:
	// torn - all its 106 bytes are zero
	// record.bad-1 <nil>
	// 1007 none <nil>
}

// A cluster of changing members begins with a record at each of its first nodes, made once. What its nodes come to know
// of members is kept with their promises.
func ExampleInit() {
	dir, err := os.MkdirTemp("", "bully")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	var members []spec.Member
	for id := range uint64(3) {
		members = append(members, spec.Member{ID: spec.IntegerID(id + 1), Kind: spec.Voter, Address: fmt.Sprintf("10.0.0.%d:7400", id+1)})
	}
	first, err := spec.NewConfiguration(0, 1, members)
	if err != nil {
		fmt.Println(err)
		return
	}
	who := storage.Identity{ID: spec.IntegerID(2), Cluster: "demo", Incarnation: storage.NewIncarnation()}
	fmt.Println(storage.Init(dir, who, first))
	fmt.Println(errors.Is(storage.Init(dir, who, first), storage.ErrExists))

	for range 2 {
		store, err := storage.OpenChanging(dir)
		if err != nil {
			fmt.Println(err)
			return
		}
		promise, found, err := store.Load()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(found, promise.Epoch, promise.Grantee, promise.Configuration)
		next := spec.Durable{Epoch: 4, Grantee: spec.IntegerID(3), Configuration: promise.Configuration.At(4, 1)}
		if err := store.Save(next); err != nil {
			fmt.Println(err)
			return
		}
		store.Close()
	}
	// Output:
	// <nil>
	// true
	// false 0 none epoch:0 version:1 {1 2 3}
	// true 4 3 epoch:4 version:1 {1 2 3}
}
