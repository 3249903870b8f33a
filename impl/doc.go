// Package bully runs one node of a cluster that elects a leader. It is what a program imports that wants to do something on one machine at a
// time:
//
//	node, err := bully.Open(bully.Config{ID: "3", Cluster: "jobs", Folder: "/var/lib/jobs", TLS: certificates,
//		Members: map[string]string{"1": "10.0.0.1:7000", "2": "10.0.0.2:7000", "3": "10.0.0.3:7000"}})
//	go func() { ended <- node.Run(ctx) }() // when ctx ends it waits for the work, resigns, and stops
//	err = node.Lead(ctx, func(ctx context.Context, reign bully.Reign) error {
//		for job := range jobs(ctx) { // ctx ends with the reign
//			if err := resource.Write(reign.Epoch(), job); err != nil { // the epoch is the fencing token
//				return err
//			}
//		}
//		return nil
//	})
//
// Work that may outlive its reign, and writes to something that refuses no old epoch, is to end the process: see Overrun of host.Config.
//
// Members may also be found: [FindMembers] asks DNS, and waits until all are there. Watch tells who leads, Status and Check are for scrapers and health checks, AddMember and its like change the members of a cluster whose
// members come and go. They are those of package host, which says what a reign is, and how long things take.
//
// Links need certificates, unless all nodes are on one host: bully cert or an [Authority] makes them, and [LoadCertificate] reads and renews
// that of a node.
//
// # What it is made of
//
// [Open] puts the parts together: the record of package storage, the links of package transport, and the host. A program that wants another
// disk, network, clock or metrics sets what it wants in the functions Links and Host of [Config], or takes the parts itself.
//
// What operators do, from upgrades and certificates to a lost disk, is in impl/OPERATING.md.
package bully
