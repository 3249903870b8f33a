package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/spec"
)

const groupsHelp = `
Shows who leads what in a cluster of many groups: of nodes that run with -group (bully help run), each of whose groups has a leader of
its own. It exits with 0 if all nodes that were asked say the same, and each group has a leader, and with 1 if not.

  bully groups 10.0.0.1:8000                    what is, and what is not as planned

With -wait TIME it asks again, until they also say that each group is led as planned, that none lags behind the members of the cluster, and that all take part in
all; it prints what is then, or when that time is over, and exits with 1 if it is not so by then. So a script waits before it goes on to the next node:

  bully groups -wait 1m -http 10.0.0.1:8000,10.0.0.2:8000,10.0.0.3:8000

Where members change it also names the groups that have not followed the last change of the cluster's members, and says why: ask all nodes, as
the one that leads a group knows that best.

-plan says who would lead what, before it is so, and needs no node:

  bully groups -plan -members 1,2,3 -group 'orders-[0-999]'
  bully groups -plan -members 1,2,3 -group @groups.txt -down 3     what moves if node 3 goes
  bully groups -plan -members 1,2,3 -group @groups.txt -add 4      what moves if node 4 comes
  bully groups -plan -http 10.0.0.1:8000 -down 2,3                 of a cluster that runs, with its groups, weights and pins

Nobody decides the plan: it follows from the names of groups and nodes (weighted rendezvous hashing), so it is the same everywhere. What moves
is what was led by who goes, or is to be led by who comes; all else stays. With -list each group is named.
` + groupsText + `
`

// planFlags are the flags of bully groups.
type planFlags struct {
	groupFlags
	plan, list, asJSON bool
	members, down, add string
	urls               []string
	timeout, wait      time.Duration
}

// groupsOf shows who leads what, or would.
func groupsOf(ctx context.Context, p program, args []string) error {
	var f planFlags
	flags := p.Flags("groups")
	flags.BoolVar(&f.plan, "plan", false, "say who would lead what, and what would move with -down and -add")
	flags.BoolVar(&f.list, "list", false, "name each group")
	flags.BoolVar(&f.asJSON, "json", false, "print all as JSON")
	flags.StringVar(&f.members, "members", "", "of -plan: the members, `id,…`, or as bully run has them")
	flags.StringVar(&f.group, "group", "", "of -plan: the `groups`; see above")
	flags.StringVar(&f.weight, "weight", "", "of -plan: how much nodes are to lead, `id=weight,…`, if not all the same")
	flags.StringVar(&f.down, "down", "", "of -plan: what would move if these members, `id,…`, went")
	flags.StringVar(&f.add, "add", "", "of -plan: what would move if these nodes, `id,…`, came")
	nodesFlag(flags, &f.urls)
	flags.DurationVar(&f.timeout, "timeout", 2*time.Second, "give up on a node after this `time`")
	flags.DurationVar(&f.wait, "wait", 0, "wait for this `time` until each group is led as planned; 0 means that it need not be")
	if err := p.ParseSome(flags, args, cli.Manual{Arguments: " [address…]", Text: groupsHelp}); err != nil {
		return err
	}
	if f.wait < 0 || f.wait > 0 && f.plan {
		return cli.Usage("-wait is a time such as 1m, and not of a plan, which waits for nothing")
	}
	f.urls = append(f.urls, flags.Args()...)
	if f.plan {
		return p.planGroups(ctx, &f)
	}
	return p.showGroups(ctx, &f, flags)
}

// planGroups prints a plan, and what would move.
func (p program) planGroups(ctx context.Context, f *planFlags) error {
	placement, names, err := p.planned(ctx, f)
	if err != nil {
		return err
	}
	down, err := parseIDs("down", f.down)
	if err != nil {
		return err
	}
	added, err := parseIDs("add", f.add)
	if err != nil {
		return err
	}
	for _, id := range down {
		if !slices.Contains(placement.Members, id) {
			return cli.Usage(fmt.Sprintf("-down: node %s is not one of the members, which are %s", id, placement.Members))
		}
	}
	for _, id := range added {
		if slices.Contains(placement.Members, id) {
			return cli.Usage(fmt.Sprintf("-add: node %s is a member already: give nodes that are to come", id))
		}
	}
	then := placement
	then.Members = slices.Concat(placement.Members, added)
	if err := then.Validate(); err != nil {
		return cli.Usage(strings.TrimPrefix(err.Error(), "groups: "))
	}
	left := len(then.Members) - len(down)
	if 2*left <= len(then.Members) {
		down = then.Members // nobody is elected
	}
	before, after := placement.Plan(names), then.Plan(names, down...)
	moves := groups.Moves(before, after)
	if f.asJSON {
		return p.JSON(planJSON{before, after, moves})
	}
	changed := len(down)+len(added) > 0
	if err := p.printPlan(&then, len(names), before, after, changed); err != nil {
		return err
	}
	if changed {
		p.printMoves(moves, len(names))
	}
	if 2*left <= len(then.Members) {
		_, _ = fmt.Fprintf(p.Out, "with %d of %d nodes nobody is elected: that takes more than half of them\n", left, len(then.Members))
	}
	if f.list && changed {
		for _, m := range moves {
			_, _ = fmt.Fprintf(p.Out, "%s: %s to %s\n", m.Group, orNobody(m.From), orNobody(m.To))
		}
	} else if f.list {
		for _, name := range names {
			_, _ = fmt.Fprintf(p.Out, "%s: %s\n", name, placement.Order(name)[0])
		}
	}
	return nil
}

// planJSON is a plan as JSON: which groups each node leads, and what would move.
type planJSON struct {
	Plan  map[spec.NodeID][]string `json:"plan"`
	Then  map[spec.NodeID][]string `json:"then"` // with -down and -add
	Moves []groups.Move            `json:"moves"`
}

// planned returns the placement, and the groups, of a node that is asked, or of the flags.
func (p program) planned(ctx context.Context, f *planFlags) (groups.Placement, []string, error) {
	if len(f.urls) > 0 {
		if f.members != "" || f.group != "" || f.weight != "" {
			return groups.Placement{}, nil, cli.Usage("-members, -group and -weight are of a cluster that is asked nothing: leave them out, or -http")
		}
		answers, err := p.askPlaced(ctx, f)
		if err != nil {
			return groups.Placement{}, nil, err
		}
		for _, a := range answers {
			if a.placed != nil {
				return placementOf(a.placed), a.placed.Names, nil
			}
		}
		return groups.Placement{}, nil, fmt.Errorf("no node has answered: %s: %s", answers[0].url, answers[0].problem)
	}
	if f.members == "" {
		return groups.Placement{}, nil, cli.Usage("-members is missing: give the nodes, as in -members 1,2,3, or with -http ask one that runs")
	}
	if f.group == "" {
		return groups.Placement{}, nil, cli.Usage("-group is missing: say which groups there are, as in -group orders-[0-999], or with -http ask a node that runs")
	}
	var ids []string
	for part := range strings.SplitSeq(f.members, ",") {
		id, _, _ := strings.Cut(part, "=")
		ids = append(ids, id)
	}
	members, err := parseIDs("members", strings.Join(ids, ","))
	if err != nil {
		return groups.Placement{}, nil, err
	}
	placement, list, err := f.placement(members)
	if err != nil {
		return placement, nil, err
	}
	return placement, list.names, nil
}

// placementOf returns the placement that a node has told.
func placementOf(placed *web.Placed) groups.Placement {
	p := groups.Placement{Weights: map[spec.NodeID]int{}, Pins: map[string]spec.NodeID{}}
	for _, m := range placed.Members {
		if !m.Out {
			p.Members = append(p.Members, m.ID)
			p.Weights[m.ID] = m.Weight
		}
	}
	for _, i := range placed.Pinned {
		p.Pins[placed.Names[i]] = placed.Members[placed.Wanted[i]].ID
	}
	return p
}

// parseIDs reads a list of ids.
func parseIDs(name, text string) (ids []spec.NodeID, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		id, err := spec.ParseNodeID(strings.TrimSpace(part))
		if err != nil {
			return nil, cli.Usage(fmt.Sprintf("-%s: %v: give ids, as in -%s 1,2,3", name, err, name))
		}
		if slices.Contains(ids, id) {
			return nil, cli.Usage(fmt.Sprintf("-%s: node %s is there twice: leave one out", name, id))
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// printPlan prints how much each node leads, and would.
func (p program) printPlan(then *groups.Placement, all int, before, after map[spec.NodeID][]string, changed bool) error {
	w := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	head := "node\tweight\tleads\tshare"
	if changed {
		head += "\tthen\tshare"
	}
	_, _ = fmt.Fprintln(w, head)
	for _, id := range slices.SortedFunc(slices.Values(then.Members), spec.NodeID.Compare) {
		weight, given := then.Weights[id]
		if !given {
			weight = 1
		}
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%s", id, weight, len(before[id]), share(len(before[id]), all))
		if changed {
			_, _ = fmt.Fprintf(w, "\t%d\t%s", len(after[id]), share(len(after[id]), all))
		}
		_, _ = fmt.Fprintln(w)
	}
	return w.Flush()
}

func share(n, all int) string {
	if all == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(all))
}

// printMoves says what would move, from whom to whom.
func (p program) printMoves(moves []groups.Move, all int) {
	ways, ends := map[[2]spec.NodeID]int{}, map[spec.NodeID]bool{}
	for _, m := range moves {
		ways[[2]spec.NodeID{m.From, m.To}]++
		ends[m.From], ends[m.To] = true, true
	}
	ids := slices.SortedFunc(maps.Keys(ends), spec.NodeID.Compare)
	_, _ = fmt.Fprintf(p.Out, "%d of %d groups would move (%s):\n", len(moves), all, share(len(moves), all))
	for _, from := range ids {
		for _, to := range ids {
			if n := ways[[2]spec.NodeID{from, to}]; n > 0 {
				_, _ = fmt.Fprintf(p.Out, "  %d from %s to %s\n", n, orNobody(from), orNobody(to))
			}
		}
	}
}

func orNobody(id spec.NodeID) string {
	if id.IsNone() {
		return "nobody"
	}
	return id.String()
}

// placedAnswer is what a node has said of its groups, or why it has not.
type placedAnswer struct {
	url     string
	placed  *web.Placed
	problem string
}

// askPlaced asks all nodes that were given.
func (p program) askPlaced(ctx context.Context, f *planFlags) ([]placedAnswer, error) {
	urls, err := p.nodesAsked("groups", f.urls, f.timeout)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	answers, told := make([]placedAnswer, len(urls)), make(chan int)
	for i, url := range urls {
		answers[i].url = url
		go func() {
			var placed web.Placed
			if err := web.Get(ctx, url+"/groups", &placed); err != nil {
				answers[i].problem = err.Error()
			} else if err := placed.Check(); err != nil {
				answers[i].problem = err.Error()
			} else {
				answers[i].placed = &placed
			}
			told <- i
		}()
	}
	for range urls {
		<-told
	}
	return answers, nil
}

// showGroups prints who leads what, as the first node that answers knows it, and whether all that were asked say the same.
func (p program) showGroups(ctx context.Context, f *planFlags, flags *flag.FlagSet) error {
	for _, only := range []string{"members", "group", "weight", "down", "add"} {
		if given(flags)[only] {
			return cli.Usage(fmt.Sprintf("-%s is of a plan: give -plan too", only))
		}
	}
	answers, wrong, err := p.waitPlaced(ctx, f)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(answers, func(a placedAnswer) bool { return a.placed != nil })
	if at >= 0 && f.asJSON {
		err = p.JSON(answers[at].placed)
	} else if at >= 0 {
		err = p.printPlaced(answers[at].placed, f.list, whyLagging(answers))
	}
	return errors.Join(err, wrong)
}

// askPlacedAgain lies between two questions of who waits until groups are led as planned.
const askPlacedAgain = 100 * time.Millisecond

// waitPlaced asks all nodes, and again until -wait is over or nothing is wrong. It returns the last answers, and what is wrong.
func (p program) waitPlaced(ctx context.Context, f *planFlags) (answers []placedAnswer, wrong, err error) {
	for begun := time.Now(); ; {
		if answers, err = p.askPlaced(ctx, f); err != nil {
			return nil, nil, err
		}
		if wrong = agreedGroups(answers); wrong == nil && f.wait > 0 {
			wrong = plannedGroups(answers)
		}
		if left := f.wait - time.Since(begun); wrong == nil || left <= 0 {
			return answers, wrong, nil
		}
		select {
		case <-time.After(askPlacedAgain):
		case <-ctx.Done():
			return answers, wrong, nil
		}
	}
}

// printPlaced prints who leads what, and which groups have other members than the cluster, and why.
func (p program) printPlaced(placed *web.Placed, list bool, lags map[string]string) error {
	w := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "node\tstate\tweight\tleads\tplanned")
	for _, m := range placed.Members {
		weight := strconv.Itoa(m.Weight)
		if m.Out { // it comes, or goes
			weight = "-"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\n", m.ID, cli.PrintableText(m.State), weight, m.Leads, m.Wanted)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	without, elsewhere := 0, 0
	for i, name := range placed.Names {
		leader, wanted := placed.Leaders[i], placed.Wanted[i]
		switch {
		case leader < 0:
			without++
		case leader != wanted:
			elsewhere++
		}
		if list || leader != wanted && without+elsewhere <= mostNamed {
			_, _ = fmt.Fprintf(p.Out, "%s: %s\n", cli.PrintableText(name), placedText(placed, leader, wanted, placed.Epochs[i]))
		}
	}
	if !list && without+elsewhere > mostNamed {
		_, _ = fmt.Fprintf(p.Out, "… and %d others; -list names all\n", without+elsewhere-mostNamed)
	}
	said := 0
	for i, name := range placed.Names {
		if problem := placed.Problems[i]; problem != "" {
			if said++; list || said <= mostNamed {
				_, _ = fmt.Fprintf(p.Out, "%s, at node %s: %s\n", cli.PrintableText(name), placed.Node, cli.PrintableText(problem))
			}
		}
	}
	if !list && said > mostNamed {
		_, _ = fmt.Fprintf(p.Out, "… and of %d others there is something to say; -list says it of all\n", said-mostNamed)
	}
	if len(lags) > 0 {
		_, _ = fmt.Fprintf(p.Out, "%d groups have other members than the cluster, as yet:\n", len(lags))
		var all []web.Lag
		var lines []string
		for _, name := range slices.Sorted(maps.Keys(lags)) {
			all = append(all, web.Lag{Group: name, Why: lags[name]})
			lines = append(lines, cli.PrintableText(name+": "+lags[name]))
		}
		if !list {
			lines = byReason(all)
		}
		for _, line := range lines {
			_, _ = fmt.Fprintf(p.Out, "  %s\n", line)
		}
	}
	_, err := fmt.Fprintf(p.Out, "%d groups: %d led as planned, %d by another node, %d without a leader\n", len(placed.Names), len(placed.Names)-without-elsewhere, elsewhere, without)
	return err
}

// byReason says why groups lag behind: those of one reason on one line, which names the first of them; and no more than so many lines.
func byReason(lags []web.Lag) (lines []string) {
	const most = 5
	groups := map[string][]string{}
	var reasons []string
	for _, lag := range lags {
		if groups[lag.Why] == nil {
			reasons = append(reasons, lag.Why)
		}
		groups[lag.Why] = append(groups[lag.Why], lag.Group)
	}
	for n, why := range reasons {
		if n == most {
			return append(lines, fmt.Sprintf("… and for %d other reasons", len(reasons)-n))
		}
		names := groups[why]
		text := strings.Join(names[:min(len(names), most)], ", ")
		if more := len(names) - most; more > 0 {
			text += fmt.Sprintf(" and %d others", more)
		}
		lines = append(lines, cli.PrintableText(text+": "+why))
	}
	return lines
}

// whyLagging returns the groups that have other members than the cluster, as any of the nodes says that were asked, and why: as the node says that leads them, if that was.
func whyLagging(answers []placedAnswer) map[string]string {
	why, sure := map[string]string{}, map[string]bool{}
	for _, a := range answers {
		if a.placed == nil {
			continue
		}
		for i, name := range a.placed.Names {
			leads := a.placed.Leaders[i] >= 0 && a.placed.Members[a.placed.Leaders[i]].ID == a.placed.Node
			if !slices.Contains(a.placed.Changing, i) {
				if leads { // it has followed, and the others are about to hear of it
					delete(why, name)
					sure[name] = true
				}
				continue
			}
			if text := a.placed.Lags[i]; leads || !sure[name] {
				why[name], sure[name] = text, leads
			}
		}
	}
	return why
}

// mostNamed is how many groups are named, without -list, that are not led as planned.
const mostNamed = 20

func placedText(placed *web.Placed, leader, wanted int, epoch spec.Epoch) string {
	switch {
	case wanted < 0 && leader < 0:
		return "nobody"
	case wanted < 0:
		return fmt.Sprintf("%s in epoch %d", placed.Members[leader].ID, epoch)
	case leader < 0:
		return fmt.Sprintf("nobody, and not %s", placed.Members[wanted].ID)
	case leader != wanted:
		return fmt.Sprintf("%s in epoch %d, and not %s", placed.Members[leader].ID, epoch, placed.Members[wanted].ID)
	}
	return fmt.Sprintf("%s in epoch %d", placed.Members[leader].ID, epoch)
}

// agreedGroups returns nil if all have answered, each group has a leader, and all name the same.
func agreedGroups(answers []placedAnswer) error {
	var wrong []string
	type leader struct {
		id    spec.NodeID
		epoch spec.Epoch
	}
	said, differ, without := map[string]leader{}, map[string]bool{}, 0
	for _, a := range answers {
		if a.placed == nil {
			wrong = append(wrong, fmt.Sprintf("%s has not answered: %s", a.url, a.problem))
			continue
		}
		none := 0
		for i, name := range a.placed.Names {
			if a.placed.Leaders[i] < 0 {
				none++
				continue
			}
			is := leader{a.placed.Members[a.placed.Leaders[i]].ID, a.placed.Epochs[i]}
			if was, there := said[name]; there && was != is {
				differ[name] = true
			}
			said[name] = is
		}
		without = max(without, none)
	}
	if without > 0 {
		wrong = append(wrong, fmt.Sprintf("%d groups have no leader that is known", without))
	}
	if len(differ) > 0 {
		wrong = append(wrong, fmt.Sprintf("nodes name different leaders of %d groups", len(differ)))
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}

// plannedGroups returns nil if all that have answered say of each group that it is led as planned, has the members of the cluster, and is one in which they take part.
func plannedGroups(answers []placedAnswer) error {
	elsewhere, apart := map[string]bool{}, map[string]bool{}
	for _, a := range answers {
		for i, name := range a.placed.Names {
			if a.placed.Leaders[i] != a.placed.Wanted[i] {
				elsewhere[name] = true
			}
			if a.placed.Problems[i] != "" {
				apart[name] = true
			}
		}
	}
	var wrong []string
	for _, w := range []struct {
		groups int
		text   string
	}{
		{len(elsewhere), "are led by another node than planned"},
		{len(whyLagging(answers)), "have other members than the cluster, as yet"},
		{len(apart), "are not taken part in by all nodes"},
	} {
		if w.groups > 0 {
			wrong = append(wrong, fmt.Sprintf("%d groups %s", w.groups, w.text))
		}
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}
