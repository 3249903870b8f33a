package vectors

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/port"
)

// sized returns the cases about clusters of many members, and about long lines, which are too long for a file of scripts.
func sized(t *testing.T) (all []*script) {
	add := func(suite, id, title string, rules []string, lines ...string) {
		s := newScript(suite, id, title)
		s.Rules = append(s.Rules, rules...)
		for _, line := range lines {
			require.NoError(t, s.line(line), line)
		}
		all = append(all, s)
	}
	for _, n := range []int{8, 10, port.MaxMembers} {
		add("rules", fmt.Sprintf("R3-half-of-%d-is-none", n), fmt.Sprintf("Half of %d members are no quorum, and one more is.", n),
			[]string{"R14", "R15", "R20", "R26"}, half(n)...)
	}
	add("rules", "R3-seven-of-thirteen", "Members whose ids are not 1, 2, 3 …: what counts is how many there are.", []string{"R20"},
		"members 2 3 5 7 11 13 17 19 23 29 31 37 41", "17 is claimant - 4 41 2 3 5 7 11", "17 hears GRANT 41 4", "17 hears GRANT 11 5", "17 hears GRANT 41 5")
	for _, n := range []int{9, 10, 11, port.MaxMembers} {
		add("ids", fmt.Sprintf("R1-%d-members", n), fmt.Sprintf("%d members: the highest is %d, not 9; broadcasts ascend, 9 before 10, and support does.", n, n),
			[]string{"R8", "R9", "R10", "R11", "R13", "R18", "R30"}, many(n)...)
	}
	long := strings.Repeat("A", 70_000)
	add("input", "R34-type-of-70000-letters", "A type as no version has one: the line is longer than 64 KiB, and the node goes on.", []string{"R33"},
		"2 is follower - 4 1", `2 hears {"type":"`+long+`","from":"3","to":"2","epoch":5,"question":4}`, "2 hears CLAIM 3 5")
	add("input", "R33-from-of-70000-digits", "An id of 70,000 digits is none.", nil,
		"2 is follower - 4 1", `2 hears {"type":"CLAIM","from":"`+strings.Repeat("3", 70_000)+`","to":"2","epoch":5,"question":4}`, "2 hears CLAIM 3 5")
	add("input", "R33-epoch-of-4000-digits", "An integer of 4,000 digits is no epoch.", nil,
		"2 is follower - 4 1", `2 hears {"type":"CLAIM","from":"3","to":"2","epoch":`+strings.Repeat("5", 4000)+`,"question":4}`, "2 hears CLAIM 3 5")
	add("input", "R33-lists-in-lists", "A message of lists in lists: a line is nested 32 deep at most, and this one is.", nil,
		"2 is follower - 4 1", "2 hears "+strings.Repeat("[", 31)+strings.Repeat("]", 31), "2 hears CLAIM 3 5")
	add("input", "protocol-long-case", "The longest lines are 1 MiB long. What a case is called is for people, however long it is.", nil,
		"2 is follower - 4 1", `ask {"op":"reset","case":"`+strings.Repeat("long ", 200_000)+`"}`, "2 is follower - 4 1", "2 hears CLAIM 3 5")
	return all
}

// integersTo writes members 1 to n.
func integersTo(n int) string {
	return "members " + strings.Join(numbers(1, n), " ")
}

// numbers writes integers, both included.
func numbers(from, to int) (words []string) {
	for i := from; i <= to; i++ {
		words = append(words, fmt.Sprint(i))
	}
	return words
}

// half has half of n members behind a node, wherever a quorum is asked for, itself included; then one more.
func half(n int) []string {
	before := fmt.Sprintf("%d@%%s is %%s %%s 4 %%s %s", n, strings.Join(numbers(1, n/2-1), " "))
	more := fmt.Sprint(n / 2)
	is := func(name, role, leader, grantee string) string {
		return fmt.Sprintf(before, name, role, leader, grantee)
	}
	me := fmt.Sprint(n)
	hears := func(name, message string) string { return fmt.Sprintf("%d@%s hears %s", n, name, message) }
	return []string{
		integersTo(n),
		is("claims", "claimant", "-", "1"), hears("claims", "GRANT 1 5"), hears("claims", "GRANT "+more+" 5"),
		is("asks", "candidate", "-", "1"), hears("asks", "ASSENT 1 4"), hears("asks", "ASSENT "+more+" 4"),
		fmt.Sprintf("%d@rests is candidate - 4 1 %s", n-1, strings.Join(numbers(1, n/2-1), " ")), fmt.Sprintf("%d@rests ends election", n-1),
		fmt.Sprintf("%d@stands is candidate - 4 1 %s", n-1, strings.Join(numbers(1, n/2), " ")), fmt.Sprintf("%d@stands ends election", n-1),
		is("waits", "electing", "-", "1"), fmt.Sprintf("%d@waits ends coordinator", n),
		is("leads", "leader", me, me), hears("leads", "ACK "+more+" 4 #4"), // what supporters have answered is 4, and this makes them a quorum
	}
}

// many has n members do what depends on who is higher, and on the order of all.
func many(n int) []string {
	last, low := fmt.Sprint(n), 9
	if n == 9 {
		low = 8
	}
	backers := slices.DeleteFunc(numbers(1, n/2+1), func(word string) bool { return word == fmt.Sprint(low) }) // with itself, a quorum
	at := func(id int, name, what string) string { return fmt.Sprintf("%d@%s %s", id, name, what) }
	return []string{
		integersTo(n),
		at(n, "new", "starts"), at(n, "new", "ends patience"),
		at(5, "back", "restarts 4 "+last), at(5, "back", "hears HEARTBEAT "+last+" 4"),
		at(low, "waits", "is follower - 4 -"), at(low, "waits", "hears ELECTION "+last+" 4"), // R11
		at(n, "takes", "is follower - 4 -"), at(n, "takes", fmt.Sprintf("hears ELECTION %d 4", low)), // R10
		at(low, "asks", "is candidate - 4 - "+strings.Join(backers, " ")), at(low, "asks", "hears ASSENT "+last+" 4"), // R13: not the highest
		at(n, "claims", "is candidate - 4 - "+strings.Join(numbers(1, (n-1)/2), " ")), at(n, "claims", fmt.Sprintf("hears ASSENT %d 4", low)), // R13, R16
		at(low, "leads", fmt.Sprintf("is leader %d 4 %d", low, low)), at(low, "leads", fmt.Sprintf("hears ACK %s 4", last)),
		at(low, "leads", "hears ACK 2 4"), at(low, "leads", "hears ACK 7 4"), at(low, "leads", "ends heartbeat"),
		at(low, "leads", fmt.Sprintf("hears CLAIM %s 5", last)), // R18
		at(n, "keeps", "is leader "+last+" 4 "+last), at(n, "keeps", fmt.Sprintf("hears CLAIM %d 5", low)),
		at(n, "pre-empts", fmt.Sprintf("is follower %d 4 %d", low, low)), at(n, "pre-empts", "ends preempt"), // R9
		at(low, "follows", "is follower "+last+" 4 "+last), at(low, "follows", "ends preempt"),
	}
}
