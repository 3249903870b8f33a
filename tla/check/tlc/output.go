package tlc

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/tla"
)

// Report is what TLC's output says about one configuration.
type Report struct {
	// Result has the verdict, the property and the counts; seconds are TLC's caller's.
	tla.Result
	// Run is the counterexample: the text of each state, led by its number and action.
	Run []string
	// Loop says how the counterexample to a liveness property goes on for ever.
	Loop string
	// Printed is what the modules print, by PrintT, and whatever else is said outside of TLC's messages: a line each.
	Printed []string
	// Message says what went wrong, if the verdict is tla.Failed.
	Message string
}

// The codes of the messages that we read. TLC's tlc2.output.EC lists all.
const (
	codeInitialInvariant = 2107
	codeInitialProperty  = 2108
	codeInvariant        = 2110
	codeStepProperty     = 2112
	codeDeadlock         = 2114
	codeTemporal         = 2116
	codeBackTo           = 2122
	codeFinished         = 2186
	codeSuccess          = 2193
	codeDepth            = 2194
	codeCounts           = 2199
	codeState            = 2217
	codeStuttering       = 2218
)

var (
	header   = regexp.MustCompile(`^@!@!@STARTMSG (\d+):(\d) @!@!@$`)
	counts   = regexp.MustCompile(`^(\d+) states? generated, (\d+) distinct states? found, (\d+) states? left`)
	depth    = regexp.MustCompile(`search is (\d+)\.`)
	violated = regexp.MustCompile(`^(?:Invariant|Action property|Property) (.+) is violated`)
	place    = regexp.MustCompile(`^line \d+, col \d+`)
	progress = regexp.MustCompile(`^(Parsing file|Semantic processing of|TLC2 Version) `)
)

// Parse reads the output of TLC's option -tool and its exit status. The names of the
// properties that the configuration checks help where TLC does not name the one violated.
func Parse(output string, exit int, properties []string) Report {
	s := scan(output)
	r := Report{Result: tla.Result{Verdict: tla.Failed, Exit: exit}, Run: s.run, Loop: s.loop}
	r.Distinct, r.Generated, r.Depth = s.distinct, s.generated, s.depth
	r.Printed = s.plain
	verdict, property := s.verdict, s.property
	switch {
	case place.MatchString(property) || property == unnamed:
		property = onlyOne(properties, property)
	case property != "" && strings.Contains(property, " "):
		verdict = "" // A sentence of TLC that we do not know is no name.
	}
	switch {
	case !s.finished:
		r.Message = "TLC did not end its output: it was killed, or ran out of memory"
	case verdict == tla.Holds && exit == 0 && s.left == 0 && s.errors == "":
		r.Verdict = tla.Holds
	case verdict == tla.Violates && exitOf(s.code) == exit:
		r.Verdict, r.Property = tla.Violates, property
		// In the state space of a violation, what counts is how long the way there is.
		r.Depth = max(1, len(s.run))
	default:
		r.Message = s.explain(exit)
	}
	return r
}

// unnamed stands for the property of a violation that TLC does not name.
const unnamed = "a temporal property"

// onlyOne returns the only property, or else says that TLC does not name it.
func onlyOne(properties []string, said string) string {
	if len(properties) == 1 {
		return properties[0]
	}
	return fmt.Sprintf("%s, one of %s", said, strings.Join(properties, " or "))
}

// exitOf returns the exit status that belongs to a violation.
func exitOf(code int) int {
	switch code {
	case codeDeadlock:
		return 11
	case codeInitialInvariant, codeInvariant:
		return 12
	}
	return 13
}

// scanner is what was read of an output.
type scanner struct {
	verdict                          tla.Verdict
	code                             int // of the message that gives the verdict
	property                         string
	distinct, generated, left, depth int
	run                              []string
	loop                             string
	errors                           string   // messages of severity 1, the first first
	plain                            []string // lines outside messages, without progress
	finished                         bool
}

// scan reads all messages of output.
func scan(output string) scanner {
	var s scanner
	code, severity := 0, 0
	var body []string
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		switch m := header.FindStringSubmatch(line); {
		case m != nil:
			code, _ = strconv.Atoi(m[1])
			severity, _ = strconv.Atoi(m[2])
			body = nil
		case strings.HasPrefix(line, "@!@!@ENDMSG "):
			s.message(code, severity, strings.TrimSpace(strings.Join(body, "\n")))
			code = 0
		case code != 0:
			body = append(body, line)
		case line != "" && !progress.MatchString(line):
			s.plain = append(s.plain, line)
		}
	}
	return s
}

// message takes one message.
func (s *scanner) message(code, severity int, body string) {
	switch code {
	case codeInitialInvariant, codeInitialProperty:
		s.violation(code, body)
		_, state, _ := strings.Cut(body, "\n")
		s.run = append(s.run, "1: <Initial predicate>\n"+state)
	case codeInvariant, codeStepProperty, codeDeadlock, codeTemporal:
		s.violation(code, body)
	case codeState:
		s.run = append(s.run, body)
	case codeBackTo:
		number, _, _ := strings.Cut(body, ":")
		s.loop = "back to state " + number
	case codeStuttering:
		s.loop = "nothing ever changes again"
	case codeFinished:
		s.finished = true
	case codeSuccess:
		s.verdict, s.code = tla.Holds, code
	case codeCounts:
		if m := counts.FindStringSubmatch(body); m != nil {
			s.generated, _ = strconv.Atoi(m[1])
			s.distinct, _ = strconv.Atoi(m[2])
			s.left, _ = strconv.Atoi(m[3])
		}
	case codeDepth:
		if m := depth.FindStringSubmatch(body); m != nil {
			s.depth, _ = strconv.Atoi(m[1])
		}
	default:
		if severity == 1 && body != "" {
			s.errors += body + "\n"
		}
	}
}

// violation takes the message that something is violated. Only the first one counts.
func (s *scanner) violation(code int, body string) {
	if s.verdict != "" {
		return
	}
	s.verdict, s.code = tla.Violates, code
	first, _, _ := strings.Cut(body, "\n")
	switch m := violated.FindStringSubmatch(first); {
	case code == codeDeadlock:
		s.property = tla.Deadlock
	case code == codeTemporal:
		s.property = unnamed
	case m != nil:
		s.property = m[1]
	default:
		s.property = first
	}
}

// maxExplained bounds the lines of an explanation.
const maxExplained = 20

// explain says why there is no verdict, in TLC's words.
func (s *scanner) explain(exit int) string {
	said := strings.Split(strings.TrimSpace(strings.Join(s.plain, "\n")+"\n"+s.errors), "\n")
	if len(said) > maxExplained {
		said = append(said[:maxExplained], "…")
	}
	return fmt.Sprintf("TLC exits with %d and says:\n%s", exit, strings.Join(said, "\n"))
}
