// Package vectors has cases that every port must pass, as text: what a port is asked, line by line, and what it must answer. None
// of what is asked depends on an answer, so that a case can be piped into a port by hand. A case is named after the rule that it
// is about, is never changed, and its name is never used again (manifest.json).
//
//	report, err := kit.Run(ctx, vectors.Cases(), kit.Options{Port: port.Config{Command: command}})
//
// A case is NDJSON: who it is, then a request and its reply in turn, then how many requests there were.
//
//	{"case":"R22-claim-timer-ends","title":"…","source":["R22","B13"],"rules":["R22"],"level":"MUST","suite":"rules","spec":"2.0"}
//	{"id":3,"op":"load","node":"n2","me":"2","members":["1","2","3"],"state":{…}}
//	{"id":3,"state":{…}}
//	{"id":4,"op":"end","node":"n2","timer":"claim"}
//	{"id":4,"effects":[{"arm":"patience"}],"state":{…}}
//	{"end":{"requests":2}}
//
// The source says from what a case that was written by hand is: a rule, a flaw or a lesson of the specification, a question of its table, a point
// of conformance/CERTIFYING.md, or a broken port that no case before had refused. Runs of clusters have none.
//
// Some say besides what a port "needs" to be asked them: "fence" (R38), "members" (R42 to R49), "names" (R51), or "members names".
//
// Ids begin with 3, as hello and reset come first. A reply is right if it says the same: fields in any order, timers cancelled
// and armed in any order, the timer whose end is the input cancelled or not, and any text where text is for people.
//
// The answers are the model's, and those of the questions of package conformance were written by hand. What is asked comes
// from scripts/*.txt, from those questions, and from the scripts of package cluster. A suite is a file, one case after the other, but
// for that of clusters, whose cases are made when they are asked for. Write writes each case to a file of its own.
package vectors
