package cluster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// checkFirst says what is wrong with who the first members are, if members change.
func (c *Cluster) checkFirst() error {
	first := c.options.First
	if first.IsNone() {
		return nil
	}
	if err := first.Validate(); err != nil {
		return err
	}
	if first.Epoch != 0 || first.Version != 1 {
		return fmt.Errorf("a configuration of version 1 and epoch 0 is wanted, not %s", first)
	}
	return checkKnown(first, c.members)
}

// checkKnown says which member of a configuration is not one of the nodes that there are.
func checkKnown(c spec.Configuration, nodes []spec.NodeID) error {
	for _, m := range c.Members() {
		if !slices.Contains(nodes, m.ID) {
			return fmt.Errorf("%s is no member", m.ID)
		}
	}
	return nil
}

// The text of configurations in scripts.

// membersText returns, such as: 1 2 witness:3@10.0.0.3:7400.
func membersText(c spec.Configuration) string {
	var words []string
	for _, m := range c.Members() {
		word := m.ID.String()
		if m.Kind != spec.Voter {
			word = string(m.Kind) + ":" + word
		}
		if m.Address != "" {
			word += "@" + m.Address
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// configurationText returns, such as: epoch 4 version 2 of 1 2 witness:3; or nobody, for the empty one.
func configurationText(c spec.Configuration) string {
	if c.IsEmpty() {
		return "nobody"
	}
	return fmt.Sprintf("epoch %d version %d of %s", c.Epoch, c.Version, membersText(c))
}

// wantedText is configurationText of what a node is called to change to: of the next version it says the members alone.
func wantedText(c spec.Configuration) string {
	if c.Epoch == 0 {
		return membersText(c)
	}
	return configurationText(c)
}

// parseConfiguration reads what configurationText writes, from the beginning of words, and returns those after it.
func parseConfiguration(words []string) (c spec.Configuration, rest []string, err error) {
	if len(words) > 0 && words[0] == "nobody" {
		return spec.EmptyConfiguration(), words[1:], nil
	}
	if len(words) < 5 || words[0] != "epoch" || words[2] != "version" || words[4] != "of" {
		return c, nil, fmt.Errorf("%q does not say a configuration so: epoch 4 version 2 of 1 2 witness:3", strings.Join(words, " "))
	}
	epoch, notEpoch := strconv.ParseUint(words[1], 10, 64)
	version, notVersion := strconv.ParseUint(words[3], 10, 64)
	if notEpoch != nil || notVersion != nil {
		return c, nil, fmt.Errorf("%s or %s is no number", words[1], words[3])
	}
	return parseMembers(words[5:], spec.Epoch(epoch), version)
}

// parseMembers reads what membersText writes, to the end or to the word crash.
func parseMembers(words []string, epoch spec.Epoch, version uint64) (c spec.Configuration, rest []string, err error) {
	end := slices.Index(words, "crash")
	if end < 0 {
		end = len(words)
	}
	if end == 0 {
		return c, nil, fmt.Errorf("there must be members, such as: 1 2 witness:3")
	}
	var members []spec.Member
	for _, word := range words[:end] {
		m := spec.Member{Kind: spec.Voter}
		word, m.Address, _ = strings.Cut(word, "@")
		if kind, id, said := strings.Cut(word, ":"); said {
			m.Kind, word = spec.MemberKind(kind), id
		}
		if m.ID, err = spec.ParseNodeID(word); err != nil {
			return c, nil, err
		}
		members = append(members, m)
	}
	c, err = spec.NewConfiguration(epoch, version, members)
	return c, words[end:], err
}
