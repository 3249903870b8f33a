// Package storage keeps the promise of a node on disk: its epoch and its grantee, and its configuration if members
// change, which must survive every crash. A File does, and a Memory stands in for it in tests (R4, R42).
//
// The host saves before it sends, and stops for good when a save fails:
//
//	store, err := storage.Open("/var/lib/bully", id, members)
//	if err != nil {
//		return err // such as: /var/lib/bully/record is torn: … to go on, see: bully repair
//	}
//	defer store.Close()
//	promise, found, err := store.Load() // found is false at the first start (R32)
//	if err != nil {
//		return err
//	}
//	for {
//		output := node.Step(next(promise, found))
//		if output.Save {
//			if err := store.Save(output.Promise); err != nil {
//				return err // final (R4.4): every later Save returns it too
//			}
//		}
//		send(output.Send)
//	}
//
// That is a node of fixed members. One of changing members has a record before it first starts, made once by [Init], and
// asks it who it is and who the members are:
//
//	store, err := storage.OpenChanging("/var/lib/bully") // made by: storage.Init("/var/lib/bully", who, first)
//	if err != nil {
//		return err // such as: /var/lib/bully/record is missing: … make one: bully init …
//	}
//	defer store.Close()
//	promise, found, err := store.Load() // promise.Configuration is there at the first start, too (R49)
//
// # The record
//
// The record is one file, named record. Integers are big-endian. That of fixed members has 74 + 16·n bytes for n members:
//
//	offset  bytes
//	     0      8  magic: "BULLYREC"
//	     8      2  version of this layout: 3
//	    10      2  length of the whole record in bytes
//	    12      8  epoch
//	    20     16  grantee; zeros for none
//	    36      8  up to which number the node has reserved: at most 2^52
//	    44     16  id of the node
//	    60      8  zeros
//	    68      2  n, the number of members: 1 to 64
//	    70   16·n  ids of the members, ascending
//	 70+16n      4  CRC-32C of all before
//
// That of changing members has an incarnation in the place of the zeros, and from there on is another:
//
//	offset  bytes
//	    60      8  incarnation, not 0: see [Identity]
//	    68      1  whether the node has started at least once: 0 or 1
//	    69      1  c, the length of the name of the cluster: 1 to 64
//	    70      c  name of the cluster
//	  70+c      8  epoch of the configuration
//	  78+c      8  version of the configuration
//	  86+c      1  n, the number of members: 0 to 50
//	  87+c         the members, ascending by id: of each
//	                 16  id
//	                  1  kind: voter 1, witness 2, observer 3; 128 more if it has a rank that is not 0
//	                  2  rank, only then
//	                  1  length of the address
//	                     address
//	   end      4  CRC-32C of all before
//
// Every later version keeps the first twelve bytes, and ends with the checksum of all before it. So a record of a
// later version is told from a damaged one. Versions 1 and 2 were of protocol 1, and are refused: it had no numbers.
//
// # In place
//
// On ext2, ext3, ext4 and xfs, and on tmpfs, the file has two slots, each with two copies of such a record, and a save writes one slot where it is. Its
// first 4 KiB say that to other programs: for them it is a record of version 4. A record that is not in slots is put into slots when it is
// opened, at once or not at all, and on any other file system the other way round. Which way a record is written is said by
// [Inspect] (Saves). What is lost by then, and what is not, says spec/decisions/0042-a-save-is-written-in-place.md.
//
// How the file is written, locked, and known to be lost is said in package folder.
//
// # What is refused
//
// Open takes nothing but a good record of this node and this membership, or no record where there has never been
// one. All else is a RecordError, whose Kind says what is wrong; nothing is repaired, and nothing is reset (R32).
// Save too refuses what no node may ask for: an epoch that goes back, or is above the bound (R2), a grantee that
// is no member, an epoch promised to a second grantee (R17), numbers that go back (R50), a configuration that is older than the one that is kept
// (ConfigurationMonotonic) or has its epoch and version and other members (OneConfiguration).
//
// A record of the one kind is refused where one of the other kind is wanted: nothing turns fixed members into changing
// ones by the way. To do so stop all nodes, and call FromFixed at each.
//
// A record in slots of which nobody can say what was saved last is damaged: an older promise is never taken for it.
//
// A record is taken for lost if it is missing and the marker record.kept is there, which the first Save leaves. Not
// seen is: a folder that is lost as a whole, an old copy put in the place of the record, and a disk that says that it
// has written and has not. To start such a node again is what R32 forbids; the other nodes may notice (package transport).
//
// # The way out
//
// Inspect says what there is. A node whose record is gone for good can be given a new one by Raise or RaiseChanging, with
// an epoch above all that it can have promised: see there what makes that safe.
package storage
