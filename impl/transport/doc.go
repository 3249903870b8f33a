// Package transport carries the messages of spec/README.md section 7 between the nodes of a cluster: over TCP, with
// [TCP], and within one program, for tests, with [Network]. Both keep what section 2 asks of links, and both tell
// their host, in one order, what has come: messages, and what is known of the links. This is the loop of a host:
//
//	links, err := transport.NewTCP(transport.Config{ID: me, Cluster: "demo", Members: addresses, TLS: certificates})
//	if err != nil {
//		return err
//	}
//	defer links.Close()
//	for {
//		select {
//		case <-links.Wake():
//			for event, ok := links.Next(); ok; event, ok = links.Next() {
//				switch event.Kind {
//				case transport.Received: // give event.Message to the node
//				case transport.Up: // what is sent to event.Node may arrive
//				case transport.Down: // what is sent to event.Node is lost
//				case transport.Dead: // event.Node has ended: its lease may end at once (R37)
//				case transport.Disowned: // our disk is lost, or an old copy: stop
//				}
//			}
//		case <-timer.C:
//			links.Send(message) // never blocks
//		}
//	}
//
// # Links
//
// There is one connection for each direction between two members. Who dials it sends its messages on it, and who
// accepts it only reads; so each link is FIFO and breaks alone. What is sent while there is no connection is lost, and
// what is queued when one breaks is lost with it: a message never reaches a node that has restarted since it was sent.
// When a member is connected anew, the old connection, and what of it Next has not returned yet, are dropped. A
// connection that breaks is dialled again at once, and after that with growing pauses.
//
// # Changing members
//
// With [Config].Changing the members are those that SetMembers has said last:
//
//	links, err := transport.NewTCP(transport.Config{ID: me, Cluster: "demo", TLS: certificates,
//		Changing: &transport.Changing{Incarnation: who.Incarnation, Address: "10.0.0.3:7400"}})
//	…
//	links.SetMembers(addresses) // whenever the configuration of the node is another one
//
// A node of the same cluster that is no member (a non-member) is heard too: the host answers it (R44), and decides whether to
// believe it who the members are (R43). What is sent to a non-member goes to where it has said that it is, if it has connected here, and to that run
// of its program alone; the connection is closed when it has been idle. Up, Down and Dead are told of members only.
//
// The address of a member may name the incarnation of its disk, as in 10.0.0.3:7400#00c0ffee00c0ffee: a node of that id
// with another disk is then refused, as who dials and as who is dialled. So no id comes back with an empty disk unnoticed.
//
// # Many groups
//
// With [Config].Bundles the nodes are of many groups, and say what they have to say in all of them at once: after a welcome frames are bundles
// ([TCP.SendBundle]), and what comes is told as [Bundle]. Where members change, messages come between them. What is said here of links, proofs and lost disks holds for them too: see package groups.
//
// # Proof of death
//
// [Dead] says that the program that was a member has ended. It is told when the address of the member refuses a dial,
// while no connection from that member is open and nothing of it has come since the dial began. A node listens before
// it dials and as long as it runs, so whoever sent what has come before has ended; what its successor sends comes
// after Dead, in the order of Next. A reset, an end of the stream, a time-out and silence prove nothing. Dead may come
// for a member that this node has not reached yet, without a Down before it.
//
// The proof is as good as the addresses: a firewall that rejects, a proxy, a load balancer or a wrong address may
// refuse for a member that runs. [Config].NoProof is for such networks. A node resigns before it closes its transport.
//
// # The handshake
//
// Integers are big-endian. The end that dials says
//
//	"BULLY"  version: 3  length of what follows: 2 bytes, 91 to 282; 8 more of a node of many groups
//	from: 16 bytes  to: 16 bytes  incarnation of from: 8 bytes  incarnation or members that to is to have, or 0: 8 bytes
//	boot of from: 8 bytes  record of from: 33 bytes, or 41
//	length of cluster: 1 byte, 1 to 64  cluster  address of from: the rest, 0 to 128 bytes
//
// and waits for the other end to say, once,
//
//	"BULLY"  version: 3  length: 2 bytes, 66, or 74
//	code: 1 byte  id: 16 bytes  incarnation: 8 bytes  boot: 8 bytes  record: 33 bytes, or 41, all of who answers
//
// A record, as Config.Record was given, is
//
//	reserved: 8 bytes  epoch: 8 bytes  epoch and version of the configuration, or 0 where members are fixed: 8 bytes each
//	1 byte: 1 if the epoch is promised to somebody, and 2 more if the node is of many groups: saves in these, as Config.Saves was given: 8 bytes
//
// Code 0 is a welcome, after which the dialler sends frames (section 7) until the connection ends; any other code is
// the [Refusal], and the end of the connection. The incarnation is 0 where members are fixed, and only there. What to is to have
// is there the first 8 bytes of the SHA-256 of the ids of all members, ascending: whoever has others refuses. The boot is
// a number that is drawn when a program begins, and is not 0. With [RecordLost] the record is what is remembered of that of
// the dialler. Every later version keeps the first eight bytes, and the answer to a version that is not known is that of
// version 3. Versions 1 and 2 were of protocol 1.
//
// # Lost disks
//
// The numbers of a node only rise, over restarts too (R50), and so do its epoch, the promise of it, and its configuration. So
// whoever has heard a node, if only the frame 00000002 0300 that says that it has taken its first step ([TCP.Begun]), knows of
// a record below which no later run of it begins: with each message comes what its sender has on disk, but for the epoch of a
// CLAIM, which is one more (R4, R16). A run that begins below has lost its record, or has an old copy of it, and does not know
// what it has promised (R32). It is refused, at either end: [LostDisk] tells the host of who remembers, and [Disowned] that of
// the node itself, which must stop. If the run that was heard before says something after that, two programs run as one node,
// and [Twice] is told, and logged with the addresses of both. What each remembers ends with its program. If all nodes to which a
// node has said what its record lacks have ended since, or none is reached, nobody can know.
//
// # TLS
//
// With [Config].TLS each end shows a certificate that the other end's authorities vouch for, RootCAs and ClientCAs,
// and that names the node: by a DNS name that is the text of its id, as 3, or, which also binds the cluster, by the
// URI bully://cluster/3. It is used at both ends of connections, so that its extended key usage, if it has any, is to
// allow both. Without TLS the ids are what the other end says they are: so links without it stay within this host, at loopback
// addresses, unless [Config].Insecure says that they need not.
//
// # What it withstands
//
// Of non-members at most 16 are known at a time, of which the one that has been quiet for longest gives way to the next;
// they come, and are read, at a pace. None of them takes the place of a member, unless it can show that it is that member.
//
// Bytes that are no frame, a frame that does not end, a sender that is not the node at the other end: each costs its
// connection only, and is counted in [Stats]. Connections that have not shown who they are are bounded in number and
// time; the oldest gives way. Handshakes of TLS are begun at a pace, of which the hosts of members have a share. Queues are bounded, in both directions, for each member alone: the oldest message is
// dropped, and counted.
package transport
