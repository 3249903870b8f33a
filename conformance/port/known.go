package port

import (
	"bytes"
	"strconv"
)

const (
	mostKnown    = 1 << 12 // replies: more than what is soon there again
	longestKnown = 1 << 10 // bytes of one
)

// knownReplies are replies of a port that were read before, by what stands behind their ids. Most replies of a long run say what another has
// said, and to read one with all that is asked of its form costs more than all else that the kit does with it.
type knownReplies map[string]*Reply

// parse is parseReply.
func (k knownReplies) parse(line []byte, to *Request) (*Reply, error) {
	said, plain := bytes.CutPrefix(line, append(strconv.AppendUint([]byte(`{"id":`), to.ID, 10), ','))
	if !plain || len(said) > longestKnown {
		return parseReply(line, to)
	}
	if known := k[string(said)]; known != nil {
		reply := known.clone()
		reply.ID = to.ID
		return reply, reply.fits(to)
	}
	reply, err := parseReply(line, to)
	if err == nil {
		if len(k) == mostKnown {
			clear(k)
		}
		k[string(said)] = reply.clone()
	}
	return reply, err
}

// clone returns a copy whose state whoever has it may change.
func (r *Reply) clone() *Reply {
	c := *r
	if r.State != nil {
		state := r.State.Clone()
		c.State = &state
	}
	return &c
}
