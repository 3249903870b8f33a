package main

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/spec"
)

// groupFlags say which groups there are, and who is to lead them.
type groupFlags struct{ group, weight string }

// groupsText is what is said of these flags wherever they are.
const groupsText = `
-group LIST says which groups there are, separated by commas; the same at every node:

  orders          a group of that name: letters, digits, and . _ : / -, up to 128
  orders-[0-999]  a thousand groups, orders-0 to orders-999
  billing=3       a group that node 3 is to lead whenever it runs: it is pinned to it
  @FILE           what is in the file, a line for each of the above; # begins a comment

Where members come and go, a group begins with those that the cluster was founded with, and comes to have the others. One that is added after founders have gone needs
others: behind its name, in a file, say first=2,3,4, members that are there now; the same at every node, and for good.

-weight 1=2,3=0 says that node 1 is to lead twice as much as others, which have the weight 1, and node 3 only what nobody else can.
`

// mostGroups is how many groups a list may have: a slip such as [0-9999999] is not to take all memory.
const mostGroups = 100_000

// groupList is a list of groups, understood.
type groupList struct {
	names  []string                 // in the order given, each once
	pins   map[string]spec.NodeID   // of those that are pinned
	firsts map[string][]spec.NodeID // the first members of those that name them
	files  bool                     // some of it was read from files
}

// groupEntry is one entry of a list: a name, with perhaps a range in it, and perhaps a pin.
type groupEntry struct {
	name        string // without a range, the whole name; else what is before the numbers
	ranged      bool
	first, last int
	rest        string // behind the numbers
	pin         string // a node; "" if the group is not pinned
}

// nameMarks may stand in the name of a group beside letters and digits, but not at its begin.
const nameMarks = "._:/-"

// readEntry reads an entry such as orders, orders-[0-999], or billing=3, and reports whether it has that form. Package regexp would be a fortieth of the program.
func readEntry(text string) (e groupEntry, ok bool) {
	text, pin, pinned := strings.Cut(text, "=")
	if e.pin = pin; pinned && pin == "" || text == "" {
		return e, false
	}
	e.name, text, e.ranged = strings.Cut(text, "[")
	if e.ranged {
		numbers, rest, closed := strings.Cut(text, "]")
		first, last, both := strings.Cut(numbers, "-")
		if e.rest = rest; !closed || !both || !isNumber(first) || !isNumber(last) {
			return e, false
		}
		e.first, _ = strconv.Atoi(first)
		e.last, _ = strconv.Atoi(last)
	}
	begins := e.name == "" || strings.Trim(e.name[:1], lettersAndDigits) == ""
	return e, begins && strings.Trim(e.name+e.rest, nameMarks+lettersAndDigits) == ""
}

// isNumber reports whether a text is a number of up to nine digits, which any int holds.
func isNumber(text string) bool {
	return text != "" && len(text) <= 9 && strings.Trim(text, "0123456789") == ""
}

// parseGroups reads -group. The error says where in it, or in which line of which file, is what cannot be read.
func parseGroups(text string) (*groupList, error) {
	l := &groupList{pins: map[string]spec.NodeID{}, firsts: map[string][]spec.NodeID{}}
	seen := map[string]string{} // where a name was given
	for entry := range strings.SplitSeq(text, ",") {
		entry = strings.TrimSpace(entry)
		name, ofFile := strings.CutPrefix(entry, "@")
		if !ofFile {
			if err := l.add(entry, nil, "-group", seen); err != nil {
				return nil, err
			}
			continue
		}
		if err := l.addFile(name, seen); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// addFile adds what is in a file.
func (l *groupList) addFile(name string, seen map[string]string) (err error) {
	l.files = true
	file, err := os.Open(name)
	if err != nil {
		return cli.Usage(fmt.Sprintf("-group: %v: after the @ give a file with one group a line", err))
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	at := 1
	for ; lines.Scan(); at++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		where := fmt.Sprintf("%s:%d", name, at)
		entry, words := line, ""
		if end := strings.IndexAny(line, " \t"); end >= 0 {
			entry, words = line[:end], line[end:]
		}
		first, err := readFirst(words, where)
		if err != nil {
			return err
		}
		if err := l.add(entry, first, where, seen); err != nil {
			return err
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return cli.Usage(fmt.Sprintf("%s:%d: the line has more than %d bytes: give one group a line", name, at, bufio.MaxScanTokenSize))
	} else if err != nil {
		return cli.Usage(fmt.Sprintf("-group: %s: %v", name, err))
	}
	return nil
}

// readFirst reads what is behind the name of a group in a file: its first members, or nothing.
func readFirst(words, where string) ([]spec.NodeID, error) {
	if words = strings.TrimSpace(words); words == "" {
		return nil, nil
	}
	ids, found := strings.CutPrefix(words, "first=")
	if !found || ids == "" {
		return nil, cli.Usage(fmt.Sprintf("%s: %q: behind a group may be its first members, as in first=2,3,4, and nothing else", where, words))
	}
	first, err := parseIDs("group", ids)
	if err != nil {
		return nil, cli.Usage(fmt.Sprintf("%s: %q: %s", where, words, strings.TrimPrefix(err.Error(), "-group: ")))
	}
	return first, nil
}

// add adds the groups of an entry, with their first members if it names any.
func (l *groupList) add(entry string, first []spec.NodeID, where string, seen map[string]string) error {
	e, ok := readEntry(entry)
	if !ok {
		return cli.Usage(fmt.Sprintf("%s: %q is no group: give a name such as orders, a range such as orders-[0-999], or billing=3, which pins it to node 3", where, entry))
	}
	var pin spec.NodeID
	if e.pin != "" {
		var err error
		if pin, err = spec.ParseNodeID(e.pin); err != nil {
			return cli.Usage(fmt.Sprintf("%s: %q: what is behind = is the node to which the group is pinned: %v", where, entry, err))
		}
	}
	if e.last < e.first {
		return cli.Usage(fmt.Sprintf("%s: %q: the range ends before it begins: give the lower number first", where, entry))
	}
	if len(l.names)+e.last-e.first+1 > mostGroups {
		return cli.Usage(fmt.Sprintf("%s: with %q there are more than %d groups", where, entry, mostGroups))
	}
	for n := e.first; n <= e.last; n++ {
		name := e.name
		if e.ranged {
			name += strconv.Itoa(n) + e.rest
		}
		if len(name) > groups.MaxName {
			return cli.Usage(fmt.Sprintf("%s: the name %q has %d bytes: give at most %d", where, name, len(name), groups.MaxName))
		}
		if was, there := seen[name]; there {
			return cli.Usage(fmt.Sprintf("%s: group %q is there twice, first at %s: leave one out", where, name, was))
		}
		seen[name] = where
		l.names = append(l.names, name)
		if first != nil {
			l.firsts[name] = first
		}
		if !pin.IsNone() {
			l.pins[name] = pin
		}
	}
	return nil
}

// parseWeights reads -weight.
func parseWeights(text string) (map[spec.NodeID]int, error) {
	weights := map[spec.NodeID]int{}
	if text == "" {
		return weights, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		node, number, _ := strings.Cut(strings.TrimSpace(part), "=")
		id, err := spec.ParseNodeID(node)
		weight, wrong := strconv.Atoi(number)
		if err != nil || wrong != nil {
			return nil, cli.Usage(fmt.Sprintf("-weight: %q is not ID=WEIGHT, as in 1=2,3=0: a node, and a number from 0 to 1000", part))
		}
		if _, there := weights[id]; there {
			return nil, cli.Usage(fmt.Sprintf("-weight: node %s is there twice: leave one out", id))
		}
		weights[id] = weight
	}
	return weights, nil
}

// checkWeights returns what is wrong with weights, whoever the members are.
func checkWeights(weights map[spec.NodeID]int) error {
	if len(weights) == 0 {
		return nil
	}
	if err := (groups.Placement{Members: slices.Collect(maps.Keys(weights)), Weights: weights}).Validate(); err != nil {
		return cli.Usage("-weight: " + strings.TrimPrefix(err.Error(), "groups: "))
	}
	return nil
}

// placement returns who is to lead what, of such members; of none if they come and go: then weights and pins may be of nodes that come later.
func (f *groupFlags) placement(members []spec.NodeID) (groups.Placement, *groupList, error) {
	list, err := parseGroups(f.group)
	if err != nil {
		return groups.Placement{}, nil, err
	}
	weights, err := parseWeights(f.weight)
	if err != nil {
		return groups.Placement{}, nil, err
	}
	if len(members) == 0 {
		return groups.Placement{Weights: weights, Pins: list.pins}, list, checkWeights(weights)
	}
	if len(list.firsts) > 0 {
		return groups.Placement{}, nil, cli.Usage("-group: the members are fixed, and so every group begins with all of them: leave first= out")
	}
	for _, id := range slices.SortedFunc(maps.Keys(weights), spec.NodeID.Compare) {
		if !slices.Contains(members, id) {
			return groups.Placement{}, nil, cli.Usage(fmt.Sprintf("-weight: node %s is not one of the members, which are %s", id, members))
		}
	}
	for _, name := range list.names {
		if pin := list.pins[name]; !pin.IsNone() && !slices.Contains(members, pin) {
			return groups.Placement{}, nil, cli.Usage(fmt.Sprintf("-group: %q is pinned to node %s, which is not one of the members, which are %s", name, pin, members))
		}
	}
	p := groups.Placement{Members: members, Weights: weights, Pins: list.pins}
	if err := p.Validate(); err != nil {
		return p, nil, cli.Usage(strings.TrimPrefix(err.Error(), "groups: "))
	}
	return p, list, nil
}
