package storage

import (
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/spec"
)

// inspectLimit is how much of a file Inspect reads, shownBytes how much of that it shows, and foreignBytes how much of what is no record: enough
// to see what it is.
const (
	inspectLimit = 32 << 10
	shownBytes   = 4 << 10
	foreignBytes = 64
)

// Report is what there is in the folder of a node.
type Report struct {
	Path    string        // of the record
	Found   bool          // whether there is something by that name
	Problem *RecordError  // what is wrong with it, without regard to whose it is; nil if it is good, or there never was one
	Node    spec.NodeID   // whose record it is, if it is good
	Members []spec.NodeID // … of which fixed members; nil if they change
	Promise spec.Durable  // … and what it says; with a configuration if members change

	Identity Identity // whose record it is, if it is good and members change; zero otherwise
	Started  bool     // whether the node has started at all; a record of changing members is there before

	Bytes   []byte   // what is there, at most 4 KiB of it; nil if it is in slots
	Saves   string   // how a record is written in this folder, and for which file system that is
	Slots   []string // what is in each copy of each slot, in a few words, if the record is written in place
	Spoiled int      // sectors of them that are not as they were written: the disk goes bad, or a power cut has spoiled them
	Marked  bool     // whether there has been a record at any time
	Locked  bool     // whether a process has the folder open
	Holder  int      // that process, as it has said itself; 0 if not known
	Others  []Other  // all else in the folder, ascending by name

	Groups        string       // the path of the log in which the node has promised in many groups; "" if there is none, and has never been one
	GroupsProblem *RecordError // what is wrong with that; nil if it is good
	GroupsSay     string       // what it says, in a few words
}

// Other is a file beside the record: the next one, cut short by a crash, one that Raise or Disown has put aside, or something
// that does not belong there.
type Other struct {
	Name string
	Says string // what is known of it, in a few words
}

// Inspect looks at the folder of a node and changes nothing. It may be called while the node runs. An error means that
// the folder itself cannot be read; all that is wrong with the record is in the Report.
func Inspect(dir string) (Report, error) {
	view, err := folder.Look(dir, recordName, inspectLimit)
	if err != nil {
		return Report{}, fmt.Errorf("storage: cannot inspect %s: %w", dir, err)
	}
	r := Report{
		Path: filepath.Join(dir, recordName), Found: view.Found, Bytes: view.Data[:min(shownBytes, len(view.Data))],
		Marked: view.Marked, Locked: view.Locked, Holder: view.Holder, Saves: view.System.String(),
	}
	c, inSlots, f := decodeFile(view.Data)
	switch {
	case view.Err != nil && !(inSlots && errors.Is(view.Err, folder.ErrPartly)):
		r.Problem = unread(r.Path, view.Err)
	case view.Found:
		if inSlots {
			r.Bytes = nil
			r.Slots, r.Spoiled = slotLines(view.Data)
		}
		if f != nil {
			r.Problem = &RecordError{Path: r.Path, Kind: f.kind, Problem: f.problem}
		}
		r.Node, r.Members, r.Promise, r.Identity, r.Started = c.id, c.members, c.promise, c.identity, c.started
	case view.Marked:
		r.Problem = unread(r.Path, fmt.Errorf("%s %w", r.Path, folder.ErrLost))
	}
	r.inspectGroups(dir)
	for _, name := range view.Others {
		if r.Groups != "" && (name == groupsName || name == groupsName+folder.MarkerSuffix) {
			continue
		}
		r.Others = append(r.Others, Other{name, describe(dir, name)})
	}
	return r, nil
}

// inspectGroups looks at the log of groups, if there is one.
func (r *Report) inspectGroups(dir string) {
	at := groupsFolder(dir)
	saves, number, found, err := folder.LookLog(at, groupsName, groupsHead)
	if !found {
		return
	}
	r.Groups = filepath.Join(at, groupsName)
	if err != nil {
		r.GroupsProblem = unread(r.Groups, err)
		return
	}
	r.GroupsProblem = &RecordError{Path: r.Groups, Kind: damagedKind, Problem: "it does not say whose it is"}
	if first := saves[0]; len(first) == 0 || len(first) < 1+(1+int(first[0]))*idSize {
		return
	}
	of, _ := ownerOf(saves[0])
	g := &Groups{log: folder.LogOn(nil, at, groupsName, groupsHead), owner: of, kept: map[uint64]GroupPromise{}}
	if err := g.readAll(saves); err != nil {
		r.GroupsProblem, _ = errors.AsType[*RecordError](err)
		return
	}
	r.GroupsProblem = nil
	whose := fmt.Sprintf("node %v of %v", of.id, of.members)
	if g.changing() {
		whose = fmt.Sprintf("node %v, whose members change", of.id)
	}
	r.GroupsSay = fmt.Sprintf("%s: %d groups, epochs to %d, %d saves", whose, len(g.kept), g.highest(), number)
}

// describe says what is known of a file beside the record.
func describe(dir, name string) string {
	data, err := folder.LookAt(dir, name, inspectLimit)
	if err != nil {
		return "cannot be read: " + err.Error()
	}
	what := "does not belong here"
	switch {
	case name == recordName+folder.TempSuffix:
		what = "left by a crash, will be overwritten"
	case strings.HasPrefix(name, recordName+folder.AsideSuffix):
		what = "put aside by a repair, or disowned by other nodes"
	}
	c, _, f := decodeFile(data)
	if f != nil {
		return fmt.Sprintf("%s; %s: %s", what, f.kind, f.problem)
	}
	return fmt.Sprintf("%s; a good record: %s, %s", what, c.whose(), say(c.promise))
}

// String says all of it, and what may be done, in lines for a person to read.
func (r Report) String() string {
	var b strings.Builder
	line := func(name, format string, a ...any) {
		fmt.Fprintf(&b, "%-8s %s\n", name, fmt.Sprintf(format, a...))
	}
	switch {
	case !r.Found && r.Problem == nil && r.Groups != "": // it is a node of groups alone
	case r.Problem != nil:
		line("record", "%s is %s: %s", r.Path, r.Problem.Kind, r.Problem.Problem)
	case r.Found:
		if r.Spoiled > 0 {
			line("record", "%s is in order, as a good copy is left; but %d of its 32 sectors are spoiled", r.Path, r.Spoiled)
		} else {
			line("record", "%s is in order", r.Path)
		}
		r.good(line)
	default:
		line("record", "there is none at %s, and no sign that there has been one", r.Path)
	}
	switch {
	case r.Groups == "":
	case r.GroupsProblem != nil:
		line("groups", "%s is %s: %s", r.Groups, r.GroupsProblem.Kind, r.GroupsProblem.Problem)
	default:
		line("groups", "%s is in order: %s", r.Groups, r.GroupsSay)
	}
	switch {
	case r.Locked && r.Holder != 0:
		line("in use", "by process %d", r.Holder)
	case r.Locked:
		line("in use", "by some process")
	default:
		line("in use", "no")
	}
	line("saves", "%s", r.Saves)
	for _, slot := range r.Slots {
		line("", "%s", slot)
	}
	for _, other := range r.Others {
		line("beside", "%s: %s", other.Name, other.Says)
	}
	if r.Problem != nil && len(r.Bytes) > 0 {
		shown := r.Bytes
		if r.Problem.Kind == foreignKind {
			shown = shown[:min(len(shown), foreignBytes)]
		}
		b.WriteString(hex.Dump(shown))
		if len(shown) < len(r.Bytes) {
			b.WriteString("…\n")
		}
	}
	line("to do", "%s", r.Advice())
	return b.String()
}

// good says what a good record says.
func (r Report) good(line func(name, format string, a ...any)) {
	changing := r.Identity != Identity{}
	if changing {
		line("node", "%v of cluster %s, incarnation %016x", r.Identity.ID, r.Identity.Cluster, r.Identity.Incarnation)
	} else {
		line("node", "%v of %v", r.Node, r.Members)
	}
	line("epoch", "%d", r.Promise.Epoch)
	line("grantee", "%v", r.Promise.Grantee)
	if r.Promise.Reserved != 0 {
		line("numbers", "to %d", r.Promise.Reserved)
	}
	if !changing {
		return
	}
	c := r.Promise.Configuration
	if c.IsEmpty() {
		line("members", "none yet: it waits to be added")
	} else {
		line("members", "of epoch %d, version %d:", c.Epoch, c.Version)
	}
	for _, m := range c.Members() {
		rank := ""
		if m.Rank != 0 {
			rank = fmt.Sprintf(" rank %d", m.Rank)
		}
		line("", "%s %v%s %s", m.Kind, m.ID, rank, m.Address)
	}
	if !r.Started {
		line("started", "never")
	}
}

// Exhausted reports whether a good record has the last epoch that there is: nobody who knows of it can ever be elected again.
func (r Report) Exhausted() bool { return r.Problem == nil && r.Promise.Epoch == spec.MaxEpoch }

// exhausted and halfUsed are what a person reads of a record with the last epoch, and of one with an epoch that no elections lead to.
const (
	exhausted = `this is the last epoch there is, 2^53-1, and nobody can be elected after it. Nobody gets there in 285,000 years: a
         broken program, or a non-member on links without TLS, has sent it, and all nodes know of it by now. ` + wayBack
	halfUsed = `more than half of all epochs are used up, and nobody can be elected after the last, 2^53-1. Nobody gets so far
         in 140,000 years: a broken program, or a non-member on links without TLS, has sent this one, and may have left only a
         few. As long as there are some, nodes elect leaders; go this way before they are used up. ` + wayBack
	wayBack = `The way back:
         1. Keep whoever did it out: give the nodes certificates (bully help cert).
         2. Find the highest epoch in which anybody has led before it came: in logs (leadership … epoch=), traces, and the fences of
            what the leaders write to. Take a number N well above all of them.
         3. Stop ALL nodes of the cluster; none may run before step 5.
         4. At each: with fixed members, move the file record away, and bully repair -data DIR -raise N -id ID -members …; with
            members that come and go, bully init -epoch N with an EMPTY folder.
         5. Start them.
         If a fence has been given such an epoch too, it admits nobody after the way back, and must be made anew.`
)

// Advice says what may be done.
func (r Report) Advice() string {
	switch {
	case r.Exhausted():
		return exhausted
	case r.Problem == nil && r.Promise.Epoch > MaxRaise:
		return halfUsed
	case r.Problem == nil && r.Spoiled > 0:
		return "the next start writes them anew; unless the machine has lost its power meanwhile, look after the disk: it loses what it had written"
	case r.Problem == nil && r.GroupsProblem != nil && r.Found: // members change, as else there is no record beside it
		return "put no older copy of what it has promised in groups in its place: remove the node, and add one with another id in its place (bully help member)"
	case r.Problem == nil && r.GroupsProblem != nil:
		return "put no older copy in its place; raise the epoch" + strings.Replace(howToRaise, "in the records", "in any group, in the logs", 1)
	case r.Problem == nil && (r.Found || r.Groups != ""):
		return "nothing"
	case r.Problem == nil:
		return "nothing, if this node has never run; if it has, do not start it: raise its epoch first"
	case !r.Problem.Kind.raisable():
		return r.Problem.Advice()
	case r.Problem.Kind == Lost:
		return "put the file back if it was moved, but no older copy of it, and not one that other nodes have disowned; else raise the epoch" + howToRaise
	default:
		return "do not remove it, and put no older copy in its place; raise the epoch" + howToRaise
	}
}

// howToRaise is what a person must know before raising.
const howToRaise = ", to more than the highest epoch in the records of all other members plus one; " +
	"if any of them cannot be seen, to well above all that is known. With less there may be two leaders in one epoch. " +
	"If its members come and go, do not raise what is lost: add a node with another id in its place (bully help member)."
