package main

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

// pageText is the page with the places of what was measured.
//
//go:embed FIGURES.tmpl
var pageText string

// pageOf returns the page of records.
func pageOf(records map[string]*record) (string, error) {
	of := func(name string) (*record, error) {
		if r := records[name]; r != nil {
			return r, nil
		}
		return nil, fmt.Errorf("there is no record %s", name)
	}
	t, err := template.New("FIGURES.tmpl").Funcs(template.FuncMap{
		"has":    func(name string) bool { return records[name] != nil },
		"record": of, "table": failoverTable, "faults": faultTable, "ballast": ballastTable, "outlived": outlivedTable, "groups": groupsTable, "added": groupsAdded, "messages": messages, "idle": idle, "guard": idleGuard, "falseKills": falseKills, "span": span, "rates": rates, "ms": ms, "thousands": thousands,
		"thousand": func(n int) string { return thousands(float64(n)) },
		"median":   median, "times": times,
		"part": func(a, b int64) string { return fmt.Sprintf("1/%.0f", float64(a)/float64(b)) },
		"MiB":  func(bytes int64) string { return thousands(float64(bytes) / (1 << 20)) },
		"minutes": func(seconds float64) string {
			return fmt.Sprintf("%.0fm%02.0f", float64(int(seconds)/60), float64(int(seconds)%60))
		},
	}).Parse(pageText)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, nil)
	return b.String(), err
}

// programs are how the page calls the programs that workbench bench measures, in the order of its rows.
var programs = []struct{ command, name string }{
	{"bully", "bully, LAN profile"},
	{"bully version 1", "bully, LAN profile, version 1"},
	{"bully run -cluster bench -profile local -preempt never", "bully, Local profile"},
	{"bully version 1, local", "bully, Local profile, version 1"},
	{"raftnode -profile default", "hashicorp/raft, defaults"},
	{"raftnode -profile fast", "hashicorp/raft, 50 ms timeouts"},
	{"etcdnode -profile default", "etcd's election, an etcd embedded in each node, defaults"},
	{"etcdnode -profile fast", "the same, as low as holds"},
	{"leasenode -profile default", "client-go's leader election on a Lease, defaults"},
	{"leasenode -profile fast", "the same, as low as holds"},
	{"groups etcd", "etcd's election, one for each group, an etcd embedded in each node"},
	{"groups dragonboat", "a Raft group for each, dragonboat"},
}

// nameOf returns how the page calls a program; "" if it has no name for it.
func nameOf(command string) string {
	for _, p := range programs {
		if p.command == command {
			return p.name
		}
	}
	return ""
}

// faults are how the page calls the faults, in the order of its columns.
var faults = []struct{ fault, name string }{{"kill", "`kill -9`"}, {"stop", "SIGSTOP"}}

// failoverTable returns a row for each program, and a column for each fault and number of nodes.
func failoverTable(r *record) (string, error) {
	var sizes []int
	for _, f := range r.Failovers {
		if nameOf(f.Program) == "" {
			return "", fmt.Errorf("%s measures %q, which has no name for people: add it in page.go", r.Command, f.Program)
		}
		if !slices.Contains(sizes, f.Nodes) {
			sizes = append(sizes, f.Nodes)
		}
	}
	var b strings.Builder
	head, line := "| |", "|---|"
	for _, fault := range faults {
		for _, n := range sizes {
			head += fmt.Sprintf(" %s, %d nodes |", fault.name, n)
			line += "---|"
		}
	}
	b.WriteString(head + "\n" + line)
	for _, p := range programs {
		row, found := "\n| "+p.name+" |", false
		for _, fault := range faults {
			for _, n := range sizes {
				f := r.find(p.command, fault.fault, n)
				if found = found || f != nil; f == nil {
					row += " |"
				} else {
					row += fmt.Sprintf(" %s |", f)
				}
			}
		}
		if found {
			b.WriteString(row)
		}
	}
	return b.String(), nil
}

// hangs are how the page calls what can befall a leader, in the order of its rows.
var hangs = []struct{ fault, name string }{
	{"kill", "`kill -9`"}, {"stop", "SIGSTOP"}, {"stuck", "its loop is stuck, while its process runs on"},
	{"disk", "`kill -9`, where each save takes 20 ms longer"}, {"cut", "it is off the network"},
}

// faultTable returns a row for each fault of one size of cluster: ours without a guard and with one, each beside its floor, and another program.
func faultTable(r *record, other string) (string, error) {
	nodes := r.Failovers[0].Nodes
	var b strings.Builder
	fmt.Fprintf(&b, "| | without a guard | times its floor | with a guard | times its floor | %s |\n|---|---|---|---|---|---|", nameOf(other))
	for _, hang := range hangs {
		fmt.Fprintf(&b, "\n| %s |", hang.name)
		for _, program := range []string{"bully", "bully, guarded"} {
			f := r.find(program, hang.fault, nodes)
			if f == nil {
				return "", fmt.Errorf("%s has not measured %s of %s", r.Command, hang.fault, program)
			}
			fmt.Fprintf(&b, " %s | %s |", f, timesFloor(f))
		}
		if f := r.find(other, hang.fault, nodes); f != nil {
			fmt.Fprintf(&b, " %s |", f)
		} else {
			b.WriteString(" |")
		}
	}
	return b.String(), nil
}

// ballastTable returns a row for each size of program: the leader within it dies, with its memory held and not.
func ballastTable(r *record) (string, error) {
	var b strings.Builder
	b.WriteString("| memory | the leader within it dies | of that, until its address refuses | the same, its memory held | of that, until its address refuses |\n|---|---|---|---|---|")
	for _, f := range r.Failovers {
		size, within := strings.CutPrefix(f.Program, "bully and ")
		if !within || strings.HasSuffix(size, ", held") {
			continue
		}
		held := r.find("bully and "+size+", held", "kill", f.Nodes)
		if held == nil {
			return "", fmt.Errorf("%s has not measured %s whose memory is held: that is -hold", r.Command, size)
		}
		fmt.Fprintf(&b, "\n| %s | %s | %s ms | %s | %s ms |", size, &f, ms(f.Teardown), held, ms(held.Teardown))
	}
	return b.String(), nil
}

// outlivedTable returns a row for each size of program beside the leader: which of both dies, with the program's memory held and not.
func outlivedTable(r *record) (string, error) {
	var b strings.Builder
	b.WriteString("| memory | the node dies | the program dies | the same, its memory held | both die at once | the same, its memory held |\n|---|---|---|---|---|---|")
	for _, f := range r.Failovers {
		size, beside := strings.CutPrefix(f.Program, "bully beside ")
		if !beside || strings.HasSuffix(size, ", held") || f.Fault != "kill" {
			continue
		}
		fmt.Fprintf(&b, "\n| %s | %s |", size, &f)
		for _, fault := range []string{"program", "both"} {
			for _, program := range []string{f.Program, f.Program + ", held"} {
				of := r.find(program, fault, f.Nodes)
				if of == nil {
					return "", fmt.Errorf("%s has not measured %s of %s: that is -fault kill,program,both -beside -hold", r.Command, fault, program)
				}
				fmt.Fprintf(&b, " %s |", of)
			}
		}
	}
	return b.String(), nil
}

// timesFloor says how many times its floor a failover takes.
func timesFloor(f *failover) string {
	if f.Floor == 0 {
		return ""
	}
	return times(f.Median, f.Floor)
}

// times says how many times as much a is as b.
func times(a, b float64) string { return strconv.FormatFloat(a/b, 'f', 1, 64) }

// find returns what was measured of a program, or nil.
func (r *record) find(program, fault string, nodes int) *failover {
	for i, f := range r.Failovers {
		if f.Program == program && f.Fault == fault && f.Nodes == nodes {
			return &r.Failovers[i]
		}
	}
	return nil
}

// String returns the median, and the worst if that is known.
func (f *failover) String() string {
	if f.Max == 0 {
		return ms(f.Median) + " ms"
	}
	return fmt.Sprintf("%s ms (%s)", ms(f.Median), ms(f.Max))
}

// median returns the median of a program, in milliseconds.
func median(r *record, program, fault string, nodes int) (string, error) {
	f := r.find(program, fault, nodes)
	if f == nil {
		return "", fmt.Errorf("%s has not measured %s of %s on %d nodes", r.Command, fault, program, nodes)
	}
	return ms(f.Median) + " ms", nil
}

// messages returns how many a failover of ours takes after kill -9, on 3, 5 and 7 nodes.
func messages(r *record) (string, error) {
	var all []string
	for _, n := range []int{3, 5, 7} {
		f := r.find("bully", "kill", n)
		if f == nil || f.Messages == 0 {
			return "", fmt.Errorf("%s has not counted the messages of bully on %d nodes", r.Command, n)
		}
		all = append(all, strconv.FormatFloat(f.Messages, 'f', 0, 64))
	}
	return fmt.Sprintf("%s, %s and %s messages", all[0], all[1], all[2]), nil
}

// idle says what our follower and our leader take.
func idle(r *record) (string, error) {
	var follower, leader, bytes float64
	if len(r.Idle) == 0 {
		return "", errors.New("bench idle has measured nothing")
	}
	for _, n := range r.Idle[0].Nodes {
		bytes = max(bytes, float64(n.Resident))
		if n.Leading {
			leader = n.CPU
		} else {
			follower = max(follower, n.CPU)
		}
	}
	return fmt.Sprintf("a follower takes %.2f %% of a core, the leader %.2f %%; each has %.0f MiB", 100*follower, 100*leader, bytes/(1<<20)), nil
}

// idleGuard says what the guard of a node takes at most.
func idleGuard(r *record) (string, error) {
	for _, one := range r.Idle {
		if one.Program != "its guard" {
			continue
		}
		var cpu, resident, private float64
		for _, n := range one.Nodes {
			cpu, resident, private = max(cpu, n.CPU), max(resident, float64(n.Resident)), max(private, float64(n.Private))
		}
		return fmt.Sprintf("%.2f %% of a core, and %.1f MiB, of which %.1f MiB are its own", 100*cpu, resident/(1<<20), private/(1<<20)), nil
	}
	return "", fmt.Errorf("%s has measured no guard: that is -guard", r.Command)
}

// falseKills says how often guards have killed nodes to which nothing was done.
func falseKills(r *record) (string, error) {
	if len(r.Guarded) == 0 {
		return "", fmt.Errorf("%s has measured no guards", r.Command)
	}
	var all []string
	for _, g := range r.Guarded {
		all = append(all, fmt.Sprintf("%d with profile `%s`, whose nodes were late %d times", g.Kills, g.Profile, g.HeldUp))
	}
	return fmt.Sprintf("in %.0f minutes, five nodes each: %s", r.Guarded[0].Minutes, strings.Join(all, "; ")), nil
}

// within returns the values of the benchmarks that a pattern names, in a unit, from the lowest to the highest.
func within(r *record, pattern, unit string) ([]float64, error) {
	name, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	var all []float64
	for _, b := range r.Benchmarks {
		if name.MatchString(b.Name) && b.Unit == unit {
			all = append(all, b.Values...)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no benchmark that %q names says %s", pattern, unit)
	}
	slices.Sort(all)
	return all, nil
}

// span returns from where to where the benchmarks that a pattern names are.
func span(r *record, pattern, unit string) (string, error) {
	all, err := within(r, pattern, unit)
	if err != nil {
		return "", err
	}
	return fromTo(fmt.Sprintf("%.0f", all[0]), fmt.Sprintf("%.0f", all[len(all)-1])), nil
}

// rates returns the same in millions a second; a unit of nanoseconds is turned around.
func rates(r *record, pattern, unit string) (string, error) {
	all, err := within(r, pattern, unit)
	if err != nil {
		return "", err
	}
	low, high := all[0], all[len(all)-1]
	if strings.HasPrefix(unit, "ns/") {
		low, high = 1e9/high, 1e9/low
	}
	return fromTo(fmt.Sprintf("%.1f", low/1e6), fmt.Sprintf("%.1f", high/1e6)) + " million", nil
}

func fromTo(low, high string) string {
	if low == high {
		return low
	}
	return low + " to " + high
}

// ms writes milliseconds: a digit after the point where that says anything.
func ms(t float64) string {
	if t < 20 {
		return strconv.FormatFloat(t, 'f', 1, 64)
	}
	return thousands(t)
}

// thousands writes a number with commas.
func thousands(x float64) string {
	text := strconv.FormatFloat(x, 'f', 0, 64)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
