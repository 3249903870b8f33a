package engine

import (
	"regexp"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// shows says what a golden trace is about, where that is not its first fault: the first frame whose node, text and note are so.
var shows = map[string]string{
	"ack-of-an-earlier-reign":                 `does not count: it is not of a reign of now`,
	"another-leads-what-i-promised":           `^3 takes \w+ of epoch 1 from 5 .*; follows`,
	"claim-lost-to-a-rival":                   `gives up its claim`,
	"claim-won-by-a-resign":                   `is called to resign`,
	"claimant-gives-way-to-a-higher-epoch":    `gives up its claim`,
	"claimant-goes-on":                        `goes on with its own`,
	"claimant-grants-a-rival":                 `above the one that it claimed itself`,
	"claimant-refuses-a-lower-one":            `it claims that epoch itself, and is higher`,
	"crash-between-save-and-send":             `^\d+ crashes`,
	"grant-of-an-earlier-claim":               `does not count: it is of another claim`,
	"hand-over":                               `hands over to`,
	"hand-over-asks-twice":                    `it has promised it to`,
	"hand-over-whose-grant-is-lost":           `GRANT .* is lost`,
	"last-epoch":                              `2 of 3, .* claims nothing`,
	"late-assent":                             `takes ASSENT .*does not learn of epoch`,
	"late-election-and-claim":                 `taken for lost, or comes once more`,
	"late-first-start":                        `^3 starts`,
	"late-heartbeat-and-ack":                  `taken for lost, or comes once more`,
	"late-im-back":                            `the lease goes on`,
	"late-resign":                             `the lease goes on`,
	"leader-asks":                             `takes ELECTION .*does not lead, then`,
	"leader-back-unnoticed":                   `is back`,
	"leader-gives-way":                        `leads no more; gives way`,
	"leader-hands-over-to-who-follows":        `hands over to`,
	"leader-learns-from-an-old-claim":         `leads no more`,
	"leader-resigns-while-pre-empted":         `is called to resign`,
	"leader-rests-and-asks":                   `leads no more; is higher`,
	"leader-returns-while-pre-empted":         `is back`,
	"lost-in-the-claim":                       `CLAIM .* is lost`,
	"lower-leader-asks":                       `takes ELECTION .*does not lead, then`,
	"middle-of-a-star":                        `^1 has waited .* better node .*claims epoch`,
	"news-of-its-own-claim":                   `^5 takes IM_BACK`,
	"ok-of-a-claimant":                        `says OK, it has it in hand`,
	"old-grant-counts-for-nothing":            `takes GRANT .*does not count`,
	"old-heartbeat-is-refused":                `takes HEARTBEAT .*refuses`,
	"pre-emption-beyond-the-claim":            `has followed`,
	"pre-emption-by-the-second":               `has followed`,
	"pre-emption-overtaken":                   `has followed`,
	"pre-emption-refused":                     `has followed`,
	"proof-of-death-of-a-claimant":            `is told that`,
	"proof-of-death-of-a-leader-claimed-from": `is told that`,
	"proof-of-death-of-a-leader-pre-empted":   `is told that`,
	"refusal-beyond-the-claim":                `takes REFUSE`,
	"refusal-of-an-earlier-claim":             `takes REFUSE`,
	"resigns-before-it-is-followed":           `is called to resign`,
	"restart-of-a-follower":                   `is back`,
	"restart-silence":                         `is back`,
	"returning-higher-node":                   `is back`,
	"split-claim":                             `takes CLAIM .*refuses`,
	"stale-leader-is-refused":                 `takes HEARTBEAT .*refuses`,
	"stale-restart":                           `is back`,
	"succession-and-a-higher-candidate":       `is called to resign|hands over to`,
	"succession-refused":                      `hands over to`,
	"three-pre-empt-at-once":                  `has followed`,
}

// aboutGolden returns how many frames of a golden trace have happened when people see what it is about; ok is false if there is
// nothing in particular.
func aboutGolden(f *recording.Recording, name string) (open int, ok bool) {
	pattern, ok := shows[name]
	if !ok {
		return 0, false
	}
	wanted := regexp.MustCompile(pattern)
	for i := range f.Frames {
		g, node := &f.Frames[i], ""
		if g.Node >= 0 {
			node = f.Nodes[g.Node]
		}
		if wanted.MatchString(node + " " + g.Text + "; " + g.Note) {
			return i + 1, true
		}
	}
	return 0, false
}

// interesting returns how many frames have happened where people should begin to look: up to the first fault, or what else
// there is to see, included; but of an indicator that goes red, up to the frame before.
func interesting(f *recording.Recording) int {
	is := []func(*recording.Frame) bool{
		func(g *recording.Frame) bool {
			return g.Kind == recording.Crash || g.Kind == recording.Links || g.Kind == recording.Lose && !g.Upkeep || g.Kind == recording.Call ||
				g.State != nil && g.State.Unheard
		},
		func(g *recording.Frame) bool { return g.Action == string(spec.PreemptTimeout) },
		func(g *recording.Frame) bool {
			return len(g.Sends) > 0 && g.Sends[0].Kind == string(spec.Refuse)
		},
		func(g *recording.Frame) bool { return g.Kind != recording.Start },
	}
	for i := range f.Frames {
		for _, indicator := range f.Frames[i].Indicators {
			if indicator.Light == recording.Red {
				return i
			}
		}
	}
	for _, found := range is {
		for i := range f.Frames {
			if found(&f.Frames[i]) {
				return i + 1
			}
		}
	}
	return 0
}
