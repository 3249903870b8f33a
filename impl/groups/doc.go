// Package groups is many elections over one set of nodes: a leader for each of thousands of shards, partitions or jobs, over one connection between each two
// nodes, with one disk, one proof of death and one beat for all. This is a service with shards:
//
//	node, err := groups.Open(groups.Config{ID: me, Cluster: "orders", Addresses: addresses, Dir: dir, TLS: certificates})
//	if err != nil {
//		return err
//	}
//	for i := range 1000 {
//		go node.Lead(ctx, fmt.Sprintf("orders-%d", i), func(ctx context.Context, reign groups.Reign) error {
//			return serve(ctx, i, reign.Epoch()) // until ctx ends; the epoch is the fencing token of this shard (R38)
//		})
//	}
//	<-ctx.Done()
//	return node.Stop(context.Background())
//
// # Who leads what
//
// In each group the highest member leads that runs, and each group ranks the members in an order of its own ([Placement]): by weighted rendezvous hashing, so that
// groups spread over the nodes and nobody has to balance them; weights and pins may be given. When a node is lost, what it led goes to the next of each order, and so to all others
// evenly. When it comes back it takes that back, in some groups at once (Config.Preemptions). [Placement.Plan] and [Moves] say so before it happens.
//
// # What is proved holds
//
// n groups are n cores of package bully, untouched: each takes its own steps, has its own epochs, promises and leases, and is fenced by itself. What is here is around them, and
// only what rules leave to a host (R36, R37, section 10):
//
//   - A step that promises something waits for its save, and its group with it. Groups that wait are saved together, by one wait for the disk ([storage.Groups]); all others go
//     on. So a slow disk costs the groups that elect, and nobody else.
//   - In each turn of its loop a node says all that it has to say to another in one bundle, after the saves. While nothing happens that is as many frames as with one group, of
//     some ten bytes: the beats of last time once more, and one answer to them all. Each beat is a step of its group all the same. A core that
//     does not step does not beat.
//   - Timers are those of policy. Heartbeats end early, so that all groups beat in one turn; pre-emptions may end late.
//   - A proof of death is one of the node, and so told to all of its groups (R41): to few at first, so that the first have another leader before the last begin.
//   - Deadlines of reigns are kept by a goroutine of its own, though the loop hangs ([Reign]).
//
// # A group that is stuck
//
// Work that hangs does not make its node fall silent, which is well, and leads other groups. So it reports [Reign.Progress], and if it has not for Config.Progress, its context ends,
// and the node resigns from that group alone: at once if the work returns, else at the deadline. While it hangs the node takes no part in that
// group, as if it had crashed there, and so does not come to lead it again.
//
// # Groups come and go
//
// All nodes should [Groups.Add] the same groups; where a node has not yet, it is in that group as one that is down. A group that is removed leaves nothing on disk but that
// what comes after begins above its epochs and numbers: no promise is made twice.
//
// Weights and pins are those of the start: to change them, start one node after the other. Where members are fixed nodes rank differently until the last has been, which costs nothing but that
// a group may be led by another than the plan says; where they change all groups are ranked otherwise when the last has been.
//
// # Operators
//
// bully run -group and bully exec -group run such a node without a program of one's own, and bully groups -plan says who would lead what, and what would move, before it is so.
// A program that embeds one registers its metrics by package impl/host/prometheus (Config.Groups); none has the name of a group as a label. A service of a thousand shards, as
// a new user would write it, is in impl/groups/example. What ten thousand groups cost is in impl/FIGURES.md; workbench bench groups measures it.
//
// # Members that change
//
// With Config.Addresses the members are fixed, and the same in all groups: a node whose record is of others does not open.
//
// Without them they come and go, and the record in Config.Dir says who the node is (storage.Init, or bully init and join):
//
//	node, err := groups.Open(groups.Config{Dir: dir, TLS: certificates})
//	…
//	node.Own.AddMember(ctx, spec.Member{ID: four, Address: "10.0.0.4:7000"}, 0) // at the node that leads the cluster's own election
//
// That election ([Groups.Own]) is always there, and is a [host.Host] as any other. Its members are those of the cluster. Each group has a configuration of its own, and its leader brings
// it to those, one member at a time (R47): so nothing of what is proved rests on it. A node that was removed leads nothing any more, and ends with an error that wraps host.ErrRemoved when no group has it: do not
// stop it before. No further member is changed until the groups at the leader have followed: so all nodes should have the same groups. [Groups.Status] says of each how many members it has otherwise, and why (Pending, Lags).
//
// A group begins with the members that the cluster was founded with, and comes to have all others. Once founders have gone, Config.First has to name others for groups that are new: members that are there, the same at
// every node. Nodes that name different ones say so (GroupStatus.Problem), and take no part in the group unless it is led already. A node that knows no first members waits until the group's leader adds it.
//
// Ranks follow from weights and pins, which may be of nodes that come later. They change when all nodes that are connected have been given the same.
//
// Groups should be there from a cluster's first start on: a founding node that has run without does not know any more with whom it was founded. Decision 0050 says why it is so.
package groups
