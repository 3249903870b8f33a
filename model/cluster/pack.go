package cluster

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// A packed state is, in this order:
//
//	3 bytes a node    from the lowest bit: role 3, leader 3, grantee 3, support 7; epoch 8
//	3 bytes a node    its configuration
//	5 bytes           the nodes that are up; the cut; the budget, 4 bits a fault
//	1 byte a node     where there are users: acts
//	1 byte            the number of epochs in reigns, then a byte for each: its leaders
//	5 bytes a message by link and then first sent first; link 8; type 4, epoch 5, configuration 23
//
// What is 0 at the end of reigns is left out, so that a state has one form. Where the configuration never changes it is left out
// of the nodes, and the messages have 2 bytes: link 7, type 4, epoch 5.
const maxPacked = (11+2*MaxNodes)*MaxNodes + 5 + 1 + (MaxEpoch + 1) + 9*maxLinks*MaxQueue

// packedConf is a configuration. From the lowest bit: epoch 5, version 5, and 13 for the place of its members among the lists of
// the cluster.
type packedConf uint32

// maxLists is how many lists of members there may be in a cluster, with the empty one.
const maxLists = 1 << 13

// payload is a message on its link. From the lowest bit: type 4, epoch 5, configuration 23, question 8, lease kept 3; claim granted:
// by 3, epoch 5, question 8; who is named 3. A cluster has no clock, and so nothing of Hold.
type payload uint64

func (p payload) kind() rules.MessageType  { return rules.MessageType(p & 15) }
func (p payload) epoch() spec.Epoch        { return spec.Epoch(p >> 4 & 31) }
func (p payload) conf() packedConf         { return packedConf(p >> 9 & (1<<23 - 1)) }
func (p payload) question() rules.Question { return rules.Question(p >> 32 & 255) }
func (p payload) keeps() rules.ID          { return rules.ID(p >> 40 & 7) }
func (p payload) names() rules.ID          { return rules.ID(p >> 59 & 7) }
func (p payload) granted() rules.Granted {
	return rules.Granted{By: rules.ID(p >> 43 & 7), Epoch: spec.Epoch(p >> 46 & 31), Question: rules.Question(p >> 51 & 255)}
}

// asked returns p with question n.
func (p payload) asked(n rules.Question) payload { return p&^(255<<32) | payload(smallQuestion(n))<<32 }

// grantedAs returns p with the claim g.
func (p payload) grantedAs(g rules.Granted) payload {
	return p&^((1<<16-1)<<43) | payload(g.By)<<43 | payload(smallEpoch(g.Epoch))<<46 | payload(smallQuestion(g.Question))<<51
}

// smallQuestion returns n as it is packed.
func smallQuestion(n rules.Question) uint8 {
	if n > 60 {
		panic("cluster: question above 60")
	}
	return uint8(n)
}

func (c *cluster) payload(said *rules.Said, conf rules.Configuration) payload {
	p := payload(said.Type) | payload(smallEpoch(said.Epoch))<<4 | payload(said.Keeps)<<40 | payload(said.Names)<<59
	p = p.asked(said.Question).grantedAs(said.Granted)
	if !c.static {
		p |= payload(packConf(conf)) << 9
	}
	return p
}

func packConf(c rules.Configuration) packedConf {
	if c.Version > MaxVersion {
		panic(fmt.Sprintf("cluster: version %d is above MaxVersion = %d", c.Version, MaxVersion))
	}
	return packedConf(smallEpoch(c.Epoch)) | packedConf(c.Version)<<5 | packedConf(c.Members().Place)<<10
}

// unpackConf returns the configuration that p is the packed form of.
func (c *cluster) unpackConf(p packedConf) rules.Configuration {
	if c.static {
		return c.first
	}
	return rules.Configuration{Epoch: spec.Epoch(p & 31), Version: uint64(p >> 5 & 31), Of: c.lists[p>>10]}
}

// smallEpoch returns e as it is packed.
func smallEpoch(e spec.Epoch) uint8 {
	if e > MaxEpoch {
		panic(fmt.Sprintf("cluster: epoch %d is above MaxEpoch = %d", e, MaxEpoch))
	}
	return uint8(e)
}

// packNode appends the packed form of a node's state to b, but for its configuration.
func packNode(b []byte, s *rules.State) []byte {
	small := uint16(s.Role) | uint16(s.Leader)<<3 | uint16(s.Grantee)<<6 | uint16(s.Support)<<9
	return append(b, byte(small), byte(small>>8), smallEpoch(s.Epoch), smallQuestion(s.Lease), smallQuestion(s.Asked),
		smallQuestion(s.Latest), smallQuestion(s.Dated))
}

// unpackNode returns the state of a node whose packed form b begins with, but for its configuration.
func unpackNode(b []byte) rules.State {
	small := binary.LittleEndian.Uint16(b)
	return rules.State{
		Role:    rules.Role(small & 7),
		Leader:  rules.ID(small >> 3 & 7),
		Grantee: rules.ID(small >> 6 & 7),
		Support: rules.Set(small >> 9),
		Epoch:   spec.Epoch(b[2]),
		Lease:   rules.Question(b[3]),
		Asked:   rules.Question(b[4]),
		Latest:  rules.Question(b[5]),
		Dated:   rules.Question(b[6]),
	}
}

func appendConf(b []byte, c packedConf) []byte { return append(b, byte(c), byte(c>>8), byte(c>>16)) }

func confOf(b []byte) packedConf {
	return packedConf(b[0]) | packedConf(b[1])<<8 | packedConf(b[2])<<16
}

// pack appends the packed form of s to b.
func (c *cluster) pack(s *clusterState, b []byte) []byte {
	nodes := s.node[1 : c.n+1]
	for k := range nodes {
		b = packNode(b, &nodes[k])
		if nodes[k].Role == rules.Leader {
			for i := range c.n {
				b = append(b, smallQuestion(nodes[k].Answered.Of(i+1)))
			}
		} else if nodes[k].Leader != rules.None {
			for _, n := range s.since[k+1][1 : c.n+1] {
				b = append(b, smallQuestion(n))
			}
		}
	}
	if !c.static {
		for k := range nodes {
			b = appendConf(b, packConf(nodes[k].Conf))
		}
	}
	budget := uint64(0)
	for f, left := range s.budget {
		budget |= uint64(left) << (4 * f)
	}
	b = append(b, byte(s.up), s.cut, byte(budget), byte(budget>>8), byte(budget>>16), byte(budget>>24), byte(budget>>32))
	if c.users != nil {
		for _, with := range s.acts[1 : c.n+1] {
			b = append(b, byte(with))
		}
	}
	epochs := len(s.reigns)
	for epochs > 0 && s.reigns[epochs-1] == 0 {
		epochs--
	}
	b = append(b, byte(epochs))
	for _, leaders := range s.reigns[:epochs] {
		b = append(b, byte(leaders))
	}
	if s.quiet() {
		return b
	}
	return c.packMessages(s, b)
}

// packMessages appends the packed form of what is under way to b.
func (c *cluster) packMessages(s *clusterState, b []byte) []byte {
	for l := range c.links {
		q := &s.net[l]
		for _, p := range q.at[:q.n] {
			b = binary.LittleEndian.AppendUint64(append(b, byte(l)), uint64(p))
		}
	}
	return b
}

// unpack sets s to the state that b is the packed form of.
func (c *cluster) unpack(b []byte, s *clusterState) {
	nodes := s.node[1 : c.n+1]
	for k := range nodes {
		nodes[k] = unpackNode(b)
		nodes[k].Conf = c.first
		b = b[7:]
		s.since[k+1] = [MaxNodes + 1]rules.Question{}
		if nodes[k].Role == rules.Leader {
			for i := c.n; i > 0; i-- { // the last first, whose answers are the longest
				if n := rules.Question(b[i-1]); n != 0 {
					nodes[k].Answered = nodes[k].Answered.With(i, n)
				}
			}
			b = b[c.n:]
		} else if nodes[k].Leader != rules.None {
			for i := range c.n {
				s.since[k+1][i+1] = rules.Question(b[i])
			}
			b = b[c.n:]
		}
	}
	if !c.static {
		for k := range nodes {
			nodes[k].Conf = c.unpackConf(confOf(b))
			b = b[3:]
		}
	}
	s.up, s.cut = rules.Set(b[0]), b[1]
	budget := uint64(b[2]) | uint64(b[3])<<8 | uint64(b[4])<<16 | uint64(b[5])<<24 | uint64(b[6])<<32
	for f := range s.budget {
		s.budget[f] = uint8(budget >> (4 * f) & 15)
	}
	b = b[7:]
	if c.users != nil {
		for i := range c.n {
			s.acts[i+1] = rules.Set(b[i])
		}
		b = b[c.n:]
	}
	epochs := int(b[0])
	b = b[1:]
	s.reigns = [MaxEpoch + 1]smallSet{}
	for e := range epochs {
		s.reigns[e] = smallSet(b[e])
	}
	c.unpackMessages(b[epochs:], s)
}

// unpackMessages sets what is under way in s to what b is the packed form of.
func (c *cluster) unpackMessages(b []byte, s *clusterState) {
	for l := range c.links {
		s.net[l].n = 0
	}
	s.underWay = 0
	for ; len(b) > 0; b = b[9:] {
		s.push(int(b[0]), payload(binary.LittleEndian.Uint64(b[1:])))
	}
}

// String returns the link as a TLA+ tuple.
func (l link) String() string { return fmt.Sprintf("<<%d, %d>>", l.from, l.to) }

// renderQueue returns the queue as a TLA+ sequence, or as a set where messages are kept.
func (c *cluster) renderQueue(q *queue) string {
	begin, end := "<<", ">>"
	if c.kept {
		begin, end = "{", "}"
	}
	return begin + list(int(q.n), func(k int) string {
		p := q.at[k]
		return fmt.Sprintf("[type |-> %q, epoch |-> %d, question |-> %d, keeps |-> %d, granted |-> %v, names |-> %d, conf |-> %v]", p.kind(), p.epoch(),
			p.question(), p.keeps(), p.granted(), p.names(), c.unpackConf(p.conf()))
	}) + end
}

// list returns what each says of k, from 0 to n-1, with commas between.
func list(n int, each func(k int) string) string {
	var all []string
	for k := range n {
		all = append(all, each(k))
	}
	return strings.Join(all, ", ")
}

// render returns the variables of s, in the order of VARIABLES in tla/Cluster.tla.
func (c *cluster) render(s *clusterState) []explore.Variable {
	nodes := list(int(c.n), func(k int) string { return s.node[k+1].Among(c.n) })
	since := list(int(c.n), func(i int) string {
		return "<<" + list(int(c.n), func(k int) string { return strconv.FormatUint(uint64(s.since[i+1][k+1]), 10) }) + ">>"
	})
	budget := list(int(faults), func(f int) string { return fmt.Sprintf("%s |-> %d", faultWords[f], s.budget[f]) })
	var net, lost, reigns []string
	for l, ends := range c.links {
		net = append(net, ends.String()+" :> "+c.renderQueue(&s.net[l]))
		if c.cuts[s.cut].has(ends.from, ends.to) {
			lost = append(lost, ends.String())
		}
	}
	for e, leaders := range s.reigns {
		for leader := range rules.Set(leaders).All() {
			reigns = append(reigns, fmt.Sprintf("[epoch |-> %d, leader |-> %d]", e, leader))
		}
	}
	network := "<<>>" // the function without links
	if len(net) > 0 {
		network = "(" + strings.Join(net, " @@ ") + ")"
	}
	variables := []explore.Variable{
		{Name: "node", Value: "<<" + nodes + ">>"},
		{Name: "up", Value: s.up.String()},
		{Name: "net", Value: network},
		{Name: "cut", Value: "{" + strings.Join(lost, ", ") + "}"},
		{Name: "budget", Value: "[" + budget + "]"},
		{Name: "reigns", Value: "{" + strings.Join(reigns, ", ") + "}"},
		{Name: "since", Value: "<<" + since + ">>"},
	}
	if c.users != nil {
		acts := list(int(c.n), func(k int) string { return s.acts[k+1].String() })
		variables = append(variables, explore.Variable{Name: "acts", Value: "<<" + acts + ">>"})
	}
	return variables
}
