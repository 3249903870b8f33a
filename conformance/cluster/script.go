package cluster

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
)

// Script is a cluster, and what happens to it. As text it is lines: who the members are; which records are on disk, if
// nodes are not to begin with a first start; whether the ops start the nodes; then the ops.
//
//	# The highest comes to lead.
//	members 1 2 3
//	record 2 epoch 4 grantee 3
//	unstarted
//	start 3
//	end 3 patience
//
// Where members change, a second line says who the first members are, and the first just which nodes there are. Voters are
// said by their ids; all others with their kind; and an address comes after @.
//
//	members 1 2 3 4
//	first 1 2 witness:3@10.0.0.3:7400
//	record 2 epoch 4 grantee 3 with epoch 3 version 2 of 1 2 3
//
// A comment begins with # at the beginning of a line or after a space, and ends with its line. A semicolon stands for the end of
// a line, and so no address may have one.
type Script struct {
	Comment   string // the comment before all else: its lines without # and the space after it
	Members   []spec.NodeID
	First     spec.Configuration // as in Options
	Records   []*spec.Durable    // as in Options
	Unstarted bool               // as in Options
	Ops       []Op
}

// String returns the script as text, which ParseScript reads.
func (s *Script) String() string {
	var lines []string
	if s.Comment != "" {
		for line := range strings.SplitSeq(s.Comment, "\n") {
			lines = append(lines, strings.TrimRight("# "+line, " "))
		}
	}
	return strings.Join(append(lines, s.lines()...), "\n") + "\n"
}

// OneLine returns the script as one line of text, without its comment.
func (s *Script) OneLine() string { return strings.Join(s.lines(), "; ") }

func (s *Script) lines() []string {
	words := []string{"members"}
	for _, id := range s.Members {
		words = append(words, id.String())
	}
	lines := []string{strings.Join(words, " ")}
	if !s.First.IsNone() {
		lines = append(lines, "first "+membersText(s.First))
	}
	for i, record := range s.Records {
		if record == nil {
			continue
		}
		line := fmt.Sprintf("record %s epoch %d grantee %s", s.Members[i], record.Epoch, record.Grantee)
		if c := record.Configuration; !c.IsNone() {
			line += " with " + configurationText(c)
		}
		lines = append(lines, line)
	}
	if s.Unstarted {
		lines = append(lines, "unstarted")
	}
	for _, op := range s.Ops {
		lines = append(lines, op.String())
	}
	return lines
}

// ParseScript reads a script. The error says in which line something is wrong, and what.
func ParseScript(text string) (*Script, error) { return parseScript(strings.Split(text, "\n"), 1) }

// parseScript reads lines, the first of which has a number.
func parseScript(lines []string, first int) (*Script, error) {
	s := &Script{}
	var comment []string
	for i, line := range lines {
		said, remark, isComment := cutComment(line)
		if isComment && strings.TrimSpace(said) == "" && s.Members == nil {
			comment = append(comment, strings.TrimSpace(remark))
		}
		for part := range strings.SplitSeq(said, ";") {
			if strings.TrimSpace(part) == "" {
				continue
			}
			if err := s.parse(part); err != nil {
				return nil, fmt.Errorf("line %d: %w", first+i, err)
			}
		}
	}
	if s.Members == nil {
		return nil, fmt.Errorf("there is no line that says who the members are, such as: members 1 2 3")
	}
	s.Comment = strings.Join(comment, "\n")
	return s, nil
}

// cutComment returns what a line says before its comment, and that. A # within a word begins none: an address may have one.
func cutComment(line string) (said, remark string, isComment bool) {
	for i, c := range line {
		if c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return line[:i], line[i+1:], true
		}
	}
	return line, "", false
}

// parse reads one line that is not empty.
func (s *Script) parse(line string) error {
	words := strings.Fields(line)
	switch {
	case words[0] == "members":
		return s.parseMembers(words[1:])
	case s.Members == nil:
		return fmt.Errorf("%q comes before the members", strings.TrimSpace(line))
	case words[0] == "first":
		return s.parseFirst(words[1:])
	case words[0] == "record":
		return s.parseRecord(words[1:])
	case len(words) == 1 && words[0] == "unstarted" && len(s.Ops) == 0:
		s.Unstarted = true
		return nil
	}
	op, err := ParseOp(line)
	if err != nil {
		return err
	}
	for _, id := range op.ids() {
		if !slices.Contains(s.Members, id) {
			return fmt.Errorf("%s: %s is no member", op.Kind, id)
		}
	}
	s.Ops = append(s.Ops, op)
	return nil
}

func (s *Script) parseMembers(words []string) error {
	if s.Members != nil {
		return errors.New("the members have been said before")
	}
	var members []spec.NodeID
	for _, word := range words {
		id, err := spec.ParseNodeID(word)
		if err != nil {
			return fmt.Errorf("members: %w", err)
		}
		members = append(members, id)
	}
	if err := checkMembers(members); err != nil {
		return fmt.Errorf("members: %w", err)
	}
	s.Members = members
	return nil
}

// parseFirst reads who the first members are, such as: 1 2 witness:3.
func (s *Script) parseFirst(words []string) error {
	if !s.First.IsNone() || s.Records != nil || len(s.Ops) > 0 {
		return errors.New("the first members are said once, before all records and ops")
	}
	c, rest, err := parseMembers(words, 0, 1)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%q is one word too many", rest[0])
	}
	if err == nil {
		err = checkKnown(c, s.Members)
	}
	if err != nil {
		return fmt.Errorf("first: %w", err)
	}
	s.First = c
	return nil
}

// parseRecord reads, such as: 2 epoch 4 grantee 3.
func (s *Script) parseRecord(words []string) error {
	if len(words) < 5 || words[1] != "epoch" || words[3] != "grantee" || len(words) > 5 && words[5] != "with" || len(s.Ops) > 0 {
		return errors.New("a record is said before all ops, and so: record 2 epoch 4 grantee 3")
	}
	id, err := spec.ParseNodeID(words[0])
	if err != nil || !slices.Contains(s.Members, id) {
		return fmt.Errorf("record: %s is no member", words[0])
	}
	epoch, err := strconv.ParseUint(words[2], 10, 64)
	if err != nil || !spec.Epoch(epoch).Valid() {
		return fmt.Errorf("record: %s is no epoch", words[2])
	}
	record := &spec.Durable{Epoch: spec.Epoch(epoch), Reserved: spec.Block} // it has run before
	if words[4] != "none" {
		if record.Grantee, err = spec.ParseNodeID(words[4]); err != nil || !slices.Contains(s.Members, record.Grantee) {
			return fmt.Errorf("record: %s is no member", words[4])
		}
	}
	if len(words) > 5 {
		c, rest, err := parseConfiguration(words[6:])
		if err == nil && len(rest) > 0 {
			err = fmt.Errorf("%q is one word too many", rest[0])
		}
		if err == nil {
			err = checkKnown(c, s.Members)
		}
		if err != nil {
			return fmt.Errorf("record: %w", err)
		}
		record.Configuration = c
	}
	if s.Records == nil {
		s.Records = make([]*spec.Durable, len(s.Members))
	}
	s.Records[slices.Index(s.Members, id)] = record
	return nil
}

// ids returns the nodes that an op names.
func (op *Op) ids() (ids []spec.NodeID) {
	for _, l := range append([]spec.Link{op.Link}, op.Cut...) {
		ids = append(ids, l.From, l.To)
	}
	for _, m := range append(op.Configuration.Members(), op.State.Configuration.Members()...) {
		ids = append(ids, m.ID)
	}
	return slices.DeleteFunc(append(ids, op.Node, op.State.Leader), spec.NodeID.IsNone)
}

// Run makes a cluster of the members and lets the ops happen to it, one after the other. It returns the cluster as it is
// then, and the first error: the ops after it have not happened. What the options say of the start, the script
// says.
func (s *Script) Run(newNode conformance.Maker, o Options) (*Cluster, error) {
	o.First, o.Records, o.Unstarted = s.First, s.Records, s.Unstarted
	c, err := New(s.Members, newNode, o)
	if err != nil {
		return nil, err
	}
	for i, op := range s.Ops {
		if err := c.Do(op); err != nil {
			return c, fmt.Errorf("op %d of the script: %w", i+1, err)
		}
	}
	return c, nil
}

// Try is Run, but leaves out what is not possible. It returns what has been done, each Settle as what it came to, and the
// violation that ended it, if any did. The error is of what could not even begin.
func (s *Script) Try(newNode conformance.Maker, o Options) (done []Op, violation *Violation, err error) {
	o.First, o.Records, o.Unstarted = s.First, s.Records, s.Unstarted
	c, err := New(s.Members, newNode, o)
	for i := 0; err == nil && i < len(s.Ops); i++ {
		err = c.Do(s.Ops[i])
		var not *NotPossible
		if errors.As(err, &not) {
			err = nil
		}
	}
	if c != nil {
		done = c.Done()
	}
	if errors.As(err, &violation) {
		err = nil
	}
	return done, violation, err
}
