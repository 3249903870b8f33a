package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec"
)

const statusHelp = `
Asks nodes what they are, at the addresses that they were given by -http, and prints a table. It exits with 0 if
all of them have answered and follow one leader, or are it, and with 1 if not.

Of nodes of many groups whose members change (bully run -group) this is the cluster's own election, which says who its members are; beside it
stands how many groups each node leads, of how many, and below which have not followed the last change of members, and why. Who leads which
group, and whether each has a leader, bully groups says.

`

// answered is what a node has said, or why it has not.
type answered struct {
	URL    string      `json:"url"`
	Status *nodeStatus `json:"status"` // null if it has not answered
	Error  string      `json:"error,omitempty"`
}

// nodeStatus is what a node says of its host, and what web adds to that and is for people to see.
type nodeStatus struct {
	host.Status
	Version  string    `json:"version"`
	Expires  time.Time `json:"certificate_expires,omitzero"`
	EndsSoon bool      `json:"certificate_ends_soon,omitempty"`

	Groups *web.GroupsNow `json:"groups,omitempty"` // of a node of many groups: all else is of the cluster's own election
}

// statusOf prints what nodes are.
func statusOf(ctx context.Context, p program, args []string) error {
	var urls []string
	var asJSON, all bool
	var timeout time.Duration
	flags := p.Flags("status")
	nodesFlag(flags, &urls)
	flags.BoolVar(&all, "all", false, "also ask the nodes that the first one lists in its -view")
	flags.BoolVar(&asJSON, "json", false, "print everything that the nodes say, as JSON")
	flags.DurationVar(&timeout, "timeout", 2*time.Second, "give up on a node after this `time`")
	if err := p.ParseSome(flags, args, cli.Manual{Arguments: " [address…]", Text: statusHelp}); err != nil {
		return err
	}
	urls, err := p.nodesAsked("status", append(urls, flags.Args()...), timeout)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if all {
		urls = web.Views(ctx, urls)
	}
	answers := askAll(ctx, urls)
	if asJSON {
		if err := p.JSON(answers); err != nil {
			return err
		}
	} else if err := printAnswers(p.Out, answers); err != nil {
		return err
	}
	return agreed(answers)
}

// nodesFlag defines the flag that says which nodes are asked.
func nodesFlag(flags *flag.FlagSet, into *[]string) {
	flags.Func("http", "ask the node at this `address`; repeat the flag or separate addresses by commas", func(text string) error {
		for part := range strings.SplitSeq(text, ",") {
			*into = append(*into, strings.TrimSpace(part))
		}
		return nil
	})
}

// nodesAsked returns the URLs of the nodes that were given, or of the one in the environment, which are to be waited for so long.
func (p program) nodesAsked(command string, given []string, timeout time.Duration) ([]string, error) {
	if timeout <= 0 {
		return nil, cli.Usage(fmt.Sprintf("-timeout: %v is no time to wait", timeout))
	}
	if len(given) == 0 && p.Getenv != nil && p.Getenv(variable("http")) != "" {
		given = []string{p.Getenv(variable("http"))}
	}
	if len(given) == 0 {
		return nil, cli.Usage(fmt.Sprintf("no node is given: bully %s -http 127.0.0.1:8000", command))
	}
	for i, text := range given {
		var err error
		if given[i], err = web.URL(text); err != nil {
			return nil, cli.Usage(err.Error())
		}
	}
	return given, nil
}

// askAll asks all nodes at once. The answers are by id, and those who have not answered come last.
func askAll(ctx context.Context, urls []string) []answered {
	answers := make([]answered, len(urls))
	var asking sync.WaitGroup
	for i, url := range urls {
		asking.Go(func() {
			answers[i].URL = url
			var s nodeStatus
			if err := web.Get(ctx, url+"/status", &s); err != nil {
				answers[i].Error = err.Error()
				if web.Get(ctx, url+"/groups", &web.Placed{}) == nil {
					answers[i].Error = "it runs many elections: ask bully groups"
				}
				return
			}
			answers[i].Status = &s
		})
	}
	asking.Wait()
	sort.SliceStable(answers, func(i, j int) bool {
		switch a, b := &answers[i], &answers[j]; {
		case a.Status == nil && b.Status == nil:
			return a.URL < b.URL
		case a.Status == nil || b.Status == nil:
			return b.Status == nil
		default:
			return a.Status.ID.Compare(b.Status.ID) < 0
		}
	})
	return answers
}

// printAnswers prints a table.
func printAnswers(out io.Writer, answers []answered) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	of := "" // many groups
	if slices.ContainsFunc(answers, func(a answered) bool { return a.Status != nil && a.Status.Groups != nil }) {
		of = "groups\t"
	}
	_, _ = fmt.Fprintf(w, "node\trole\tleader\tepoch\tfor\tlinks\tsteps\tsaves\t%sat\n", of)
	for _, a := range answers {
		s := a.Status
		if s == nil {
			_, _ = fmt.Fprintf(w, "?\tunreachable\t\t\t\t\t\t\t%s%s\n", strings.Repeat("\t", strings.Count(of, "\t")), a.URL)
			continue
		}
		led := ""
		if s.Groups != nil {
			led = fmt.Sprintf("%d/%d", s.Groups.Led, s.Groups.All)
		}
		if of != "" {
			led += "\t"
		}
		role, since, up := cli.PrintableText(string(s.Role)), "", 0
		switch {
		case s.Error != "":
			role = "stopped for good"
		case s.Waits != "":
			role = "waiting"
		case s.Stopped:
			role = "stopped"
		case s.Leading:
			role = "LEADER"
		}
		if s.Membership != "" && s.Membership != string(spec.Voter) {
			role += " (" + cli.PrintableText(s.Membership) + ")"
		}
		switch {
		case s.Guard != nil && s.Guard.Stopped:
			role += " (its guard is stopped)"
		case s.Guard != nil:
			role += " (guarded)"
		}
		if !s.Since.IsZero() {
			since = time.Since(s.Since).Round(100 * time.Millisecond).String()
		}
		for _, l := range s.Links {
			if l.Up {
				up++
			}
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%d/%d\t%d\t%d\t%s%s\n", s.ID, role, s.Leader, s.Epoch, since, up, len(s.Links),
			s.Counters.Steps, s.Counters.Saves, led, a.URL)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if versions := versionsOf(answers); versions != "" {
		_, _ = fmt.Fprintln(out, versions)
	}
	for _, a := range answers {
		if a.Error != "" {
			_, _ = fmt.Fprintf(out, "%s: %s\n", a.URL, cli.PrintableText(a.Error))
		} else if a.Status.Error != "" {
			_, _ = fmt.Fprintf(out, "%s: %s\n", a.URL, cli.PrintableText(a.Status.Error))
		}
		for _, said := range a.Status.warnings() {
			_, _ = fmt.Fprintf(out, "%s: %s\n", a.URL, said)
		}
	}
	return nil
}

// versionsOf says which node runs which version of the program, if that is not one: nodes of two may run together while a cluster is upgraded.
func versionsOf(answers []answered) string {
	all, first, differ := "", "", false
	for _, a := range answers {
		if a.Status == nil {
			continue
		}
		version := cli.PrintableText(a.Status.Version)
		if all == "" {
			first = version
		}
		differ = differ || version != first
		all += ", node " + a.Status.ID.String() + " " + version
	}
	if !differ {
		return ""
	}
	return "more than one version runs, as in the midst of an upgrade: " + all[2:]
}

// warnings says what people should look into, though the node runs.
func (s *nodeStatus) warnings() (all []string) {
	if s == nil {
		return nil
	}
	if s.Waits != "" {
		all = append(all, "it waits, and takes no part in elections yet: "+cli.PrintableText(s.Waits))
	}
	switch {
	case s.Exhausted:
		all = append(all, "the epochs are used up: when nobody leads, nobody ever will again; bully repair says the way back")
	case s.Epoch > storage.MaxRaise:
		all = append(all, "more than half of all epochs are used up, and no elections lead so far: something else has sent this one; bully repair says the way back")
	}
	if s.EndsSoon {
		all = append(all, "its certificate ends on "+s.Expires.Format("2006-01-02 15:04:05 UTC")+": renew it")
	}
	if s.Guard != nil && s.Guard.Stopped {
		all = append(all, fmt.Sprintf("its guard, process %d, is stopped: until it goes on, nobody kills this node if it hangs (kill -CONT %d)", s.Guard.Guard, s.Guard.Guard))
	}
	if s.Guard != nil && s.Guard.Restarts > 0 {
		all = append(all, guarded(s.Guard))
	}
	if q := s.Quiet; q != nil {
		all = append(all, fmt.Sprintf("its work reported no progress for %v, and it resigned from epoch %d at %s", q.For.Round(time.Millisecond), q.Epoch,
			q.At.UTC().Format("2006-01-02 15:04:05 UTC")))
	}
	if g := s.Groups; g != nil && g.Lagging > 0 {
		all = append(all, fmt.Sprintf("%d of %d groups have other members than the cluster, as yet, and its next change waits for them; bully groups names them", g.Lagging, g.All))
		all = append(all, byReason(g.Lags)...)
	}
	for _, id := range s.Unbelieved {
		all = append(all, fmt.Sprintf("node %s says that there are other members, and is not believed, as it is no member that this node knows", id))
	}
	return all
}

// lostDisks returns the nodes that one knows to have lost their disks.
func lostDisks(s *nodeStatus) (nodes []spec.NodeID) {
	if s != nil {
		for _, l := range s.Links {
			if l.LostDisk {
				nodes = append(nodes, l.Node)
			}
		}
	}
	return nodes
}

// agreed returns nil if all have answered and name one leader in one epoch.
func agreed(answers []answered) error {
	silent, without, exhausted, lost := 0, 0, 0, map[spec.NodeID]bool{}
	reigns := map[string]bool{}
	for _, a := range answers {
		switch {
		case a.Status == nil:
			silent++
		case a.Status.Leader.IsNone():
			without++
		default:
			reigns[fmt.Sprintf("%s in epoch %d", a.Status.Leader, a.Status.Epoch)] = true
		}
		for _, node := range lostDisks(a.Status) {
			lost[node] = true
		}
		if a.Status != nil && a.Status.Exhausted {
			exhausted++
		}
	}
	var wrong []string
	if silent > 0 {
		wrong = append(wrong, fmt.Sprintf("%d of %d nodes have not answered", silent, len(answers)))
	}
	if without > 0 {
		wrong = append(wrong, fmt.Sprintf("%d of %d nodes know of no leader", without, len(answers)))
	}
	for _, node := range slices.SortedFunc(maps.Keys(lost), spec.NodeID.Compare) {
		wrong = append(wrong, fmt.Sprintf("node %s has lost its disk, or runs on an old copy, and is not heeded", node))
	}
	if exhausted > 0 {
		wrong = append(wrong, fmt.Sprintf("%d of %d nodes have used up all epochs", exhausted, len(answers)))
	}
	if len(reigns) > 1 {
		wrong = append(wrong, fmt.Sprintf("%d leaders are named", len(reigns)))
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}
