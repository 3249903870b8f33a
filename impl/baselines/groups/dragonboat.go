package main

import (
	"io"
	"path/filepath"

	"github.com/lni/dragonboat/v4"
	"github.com/lni/dragonboat/v4/config"
	"github.com/lni/dragonboat/v4/logger"
	"github.com/lni/dragonboat/v4/raftio"
	"github.com/lni/dragonboat/v4/statemachine"
)

const (
	// roundTrip is dragonboat's unit of time, in ms; with electionRTT a follower waits for 150 to 300 ms, where the profile lan of ours waits for 154.
	roundTrip, heartbeatRTT, electionRTT = 10, 5, 15
	// firstShard is the number of the first group: 0 is none.
	firstShard = 1
)

// runDragonboat starts a Raft group for each group. Who leads one is whom its members elect: nobody is wanted.
func runDragonboat(n *node) error {
	for _, of := range []string{"dragonboat", "raft", "rsm", "transport", "grpc", "logdb", "raftdb", "util", "config", "tan", "registry", "settings", "order", "id", "pebblekv", "server", "fileutil"} {
		logger.GetLogger(of).SetLevel(logger.ERROR)
	}
	host, err := dragonboat.NewNodeHost(config.NodeHostConfig{NodeHostDir: filepath.Join(n.dir, "dragonboat"), RTTMillisecond: roundTrip, RaftAddress: n.addresses[n.id-1],
		RaftEventListener: (*listener)(n)})
	if err != nil {
		return err
	}
	members := map[uint64]string{}
	for i, address := range n.addresses {
		members[uint64(i+1)] = address
	}
	for group := range n.groups {
		c := config.Config{ReplicaID: uint64(n.id), ShardID: uint64(group + firstShard), HeartbeatRTT: heartbeatRTT, ElectionRTT: electionRTT, CheckQuorum: true, PreVote: true}
		n.mu.Lock()
		n.whole[group] = true
		n.mu.Unlock()
		if err := host.StartReplica(members, false, func(uint64, uint64) statemachine.IStateMachine { return nothing{} }, c); err != nil {
			return err
		}
	}
	return nil
}

// listener is told who leads.
type listener node

// LeaderUpdated implements raftio.IRaftEventListener.
func (l *listener) LeaderUpdated(info raftio.LeaderInfo) {
	(*node)(l).tell(int(info.ShardID)-firstShard, int(info.LeaderID))
}

// nothing is a state machine that keeps nothing.
type nothing struct{}

func (nothing) Update(statemachine.Entry) (statemachine.Result, error) {
	return statemachine.Result{}, nil
}
func (nothing) Lookup(any) (any, error) { return nil, nil }
func (nothing) SaveSnapshot(io.Writer, statemachine.ISnapshotFileCollection, <-chan struct{}) error {
	return nil
}
func (nothing) RecoverFromSnapshot(io.Reader, []statemachine.SnapshotFile, <-chan struct{}) error {
	return nil
}
func (nothing) Close() error { return nil }
