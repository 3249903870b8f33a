// Package cluster is a cluster of nodes of package rules under faults and changes of its members: the twin of tla/Cluster.tla and
// tla/MCCluster.tla, action for action.
//
// [New] builds the model of a configuration: so many nodes, one FIFO queue per directed link, a topology, first members and wanted
// ones, and a budget of faults. Package explore visits all its states:
//
//	m, err := cluster.New(configuration)
//	if err != nil {
//		return err
//	}
//	result, err := explore.Run(ctx, m, explore.Options{})
//
// States, steps and counts are those of TLC for the same configuration. [Transitions] explores a configuration for the steps that
// single nodes take there, and [Unpack] says what a packed state is.
//
// Members never change if all nodes are the first members, nobody wants others (Wanted <- Nothing), and who wins leaves the
// configuration as it is (Stamped <- Unstamped). Then it is the same in all nodes and messages for ever, and no state has it.
//
// # Beside the TLA+
//
// The replacements of a configuration take the names of tla/MCCluster.tla. The variables, the network and the receipts are in
// cluster.go, when a timer is on time in ontime.go, the actions in timers.go and faults.go, the properties in properties.go,
// still.go and witnesses.go, and the constants in topology.go and constants.go. What a cluster comes to in the end the explorer asks
// of the states that last (still.go); liveness is TLC's.
package cluster
