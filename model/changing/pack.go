package changing

import (
	"encoding/binary"
	"fmt"

	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/spec"
)

// A packed state is, in this order:
//
//	7 bytes a node    from the lowest bit: role 3, leader 3, grantee 3, support 7; epoch 8; configuration 32
//	5 bytes           the nodes that are up; the cut; the budget, 4 bits a fault
//	1 byte            the number of epochs in reigns, then a byte for each: its leaders
//	6 bytes a message by link and then first sent first; link 6, kind 4, epoch 6 (5 are used); configuration 32
//
// In sets, bit i-1 stands for node i. What is 0 at the end of reigns is left out, so that a state has one form.
const maxPacked = 7*model.MaxNodes + 5 + 1 + (MaxEpoch + 1) + 6*maxLinks*MaxQueue

// packedConf is a configuration without addresses. From the lowest bit: voters 7, witnesses 7, observers 7; version 5;
// epoch 5.
type packedConf uint32

func packConf(c Configuration) packedConf {
	if c.Version > MaxVersion {
		panic(fmt.Sprintf("changing: version %d is above MaxVersion = %d", c.Version, MaxVersion))
	}
	return packedConf(c.Voters>>1) | packedConf(c.Witnesses>>1)<<7 | packedConf(c.Observers>>1)<<14 |
		packedConf(c.Version)<<21 | packedConf(smallEpoch(c.Epoch))<<26
}

func (c packedConf) unpack() Configuration {
	return Configuration{
		Voters: Set(c&127) << 1, Witnesses: Set(c>>7&127) << 1, Observers: Set(c>>14&127) << 1,
		Version: uint64(c >> 21 & 31), Epoch: spec.Epoch(c >> 26),
	}
}

// smallEpoch returns e as it is packed.
func smallEpoch(e spec.Epoch) uint8 {
	if e > MaxEpoch {
		panic(fmt.Sprintf("changing: epoch %d is above MaxEpoch = %d", e, MaxEpoch))
	}
	return uint8(e)
}

// packNode appends the packed form of a node's state to b.
func packNode(b []byte, s *State) []byte {
	small := uint16(s.Role) | uint16(s.Leader)<<3 | uint16(s.Grantee)<<6 | uint16(s.Support>>1)<<9
	b = append(b, byte(small), byte(small>>8), smallEpoch(s.Epoch))
	return binary.LittleEndian.AppendUint32(b, uint32(packConf(s.Conf)))
}

// unpackNode returns the state of a node whose packed form b begins with.
func unpackNode(b []byte) State {
	small := binary.LittleEndian.Uint16(b)
	return State{
		Role:    model.Role(small & 7),
		Leader:  ID(small >> 3 & 7),
		Grantee: ID(small >> 6 & 7),
		Support: Set(small>>9) << 1,
		Epoch:   spec.Epoch(b[2]),
		Conf:    packedConf(binary.LittleEndian.Uint32(b[3:])).unpack(),
	}
}

// pack appends the packed form of s to b.
func (c *cluster) pack(s *clusterState, b []byte) []byte {
	for i := ID(1); i <= c.n; i++ {
		b = packNode(b, &s.node[i])
	}
	budget := uint32(0)
	for f, left := range s.budget {
		budget |= uint32(left) << (4 * f)
	}
	b = append(b, byte(s.up>>1), s.cut, byte(budget), byte(budget>>8), byte(budget>>16))
	epochs := len(s.reigns)
	for epochs > 0 && s.reigns[epochs-1] == 0 {
		epochs--
	}
	b = append(b, byte(epochs))
	for _, leaders := range s.reigns[:epochs] {
		b = append(b, byte(leaders>>1))
	}
	if s.quiet() {
		return b
	}
	for l := range c.links {
		q := &s.net[l]
		for _, p := range q.at[:q.n] {
			b = binary.LittleEndian.AppendUint16(b, uint16(l)|uint16(p.kind)<<6|uint16(p.epoch)<<10)
			b = binary.LittleEndian.AppendUint32(b, uint32(p.conf))
		}
	}
	return b
}

// unpack sets s to the state that b is the packed form of.
func (c *cluster) unpack(b []byte, s *clusterState) {
	for i := ID(1); i <= c.n; i++ {
		s.node[i] = unpackNode(b)
		b = b[7:]
	}
	s.up, s.cut = Set(b[0])<<1, b[1]
	budget := uint32(b[2]) | uint32(b[3])<<8 | uint32(b[4])<<16
	for f := range s.budget {
		s.budget[f] = uint8(budget >> (4 * f) & 15)
	}
	epochs := int(b[5])
	b = b[6:]
	s.reigns = [MaxEpoch + 1]Set{}
	for e := range epochs {
		s.reigns[e] = Set(b[e]) << 1
	}
	b = b[epochs:]
	for l := range c.links {
		s.net[l].n = 0
	}
	s.underWay = 0
	for ; len(b) > 0; b = b[6:] {
		m := binary.LittleEndian.Uint16(b)
		s.push(int(m&63), payload{model.MessageType(m >> 6 & 15), uint8(m >> 10), packedConf(binary.LittleEndian.Uint32(b[2:]))})
	}
}
