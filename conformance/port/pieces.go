package port

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// AskPieces asks many things at once, as text that arrives in pieces: cut is given all lines, and returns what is written, piece by
// piece, with a pause between two. Every line that is there as a whole must be answered before the next piece is written. It returns
// the lines that were answered, of which there are fewer than requests if one failed. A piece must be shorter than what a pipe holds. All go to the first program, whatever Config.Isolate says.
func (p *Process) AskPieces(requests []Request, cut func(text []byte) [][]byte, pause time.Duration) (answers []string, err error) {
	if p.failed != nil {
		return nil, p.failed
	}
	g := p.programs[0]
	var text []byte
	var lines []string
	for k := range requests {
		p.next++
		requests[k].ID = p.next
		line, err := json.Marshal(&requests[k])
		if err != nil {
			return nil, fmt.Errorf("port: %s: %w", requests[k].Op, err)
		}
		lines = append(lines, string(line))
		text = append(append(text, line...), '\n')
	}
	for k, piece := range cut(text) {
		if k > 0 {
			time.Sleep(pause)
		}
		if _, err := g.in.Write(piece); err != nil {
			return answers, p.give(Died, lines[len(answers)], "", g.gone(err))
		}
		for range bytes.Count(piece, []byte("\n")) {
			n := len(answers)
			p.remember(g, lines[n])
			if _, failure := p.take(g, &requests[n], lines[n], p.config.Answer); failure != nil {
				return answers, failure
			}
			answers = append(answers, p.answered)
		}
	}
	return answers, nil
}

// Leave ends the port, which is of no more use then, and says what is wrong with how it ends: within some time, with status 0, and
// without another word. If bye, it is told so, and its input stays open; if not, its input ends. The rest is what it is sent behind bye, or
// before the end: it must not be answered.
func (p *Process) Leave(bye bool, rest string, within time.Duration) error {
	g, after := p.programs[0], "after bye"
	if bye {
		if err := p.bye(g, rest); err != nil {
			return err
		}
	} else {
		after = "after the end of its input, which is as good as bye"
		_, _ = g.in.Write([]byte(rest)) // if it has ended already, its status says so
		_ = g.in.Close()
	}
	over := time.NewTimer(within)
	defer over.Stop()
	wrong := func(kind Kind, problem string) error {
		_ = g.in.Close()
		p.Kill()
		return p.give(kind, p.lastRequest(), "", problem)
	}
	ended := make(chan error, 1)
	lines := g.lines
	for {
		select {
		case l, more := <-lines:
			switch {
			case more && (l.err == nil || len(l.text) > 0):
				return wrong(Nonsense, fmt.Sprintf("it goes on writing %s: %s", after, short(l.text)))
			case lines != nil: // nothing more comes
				lines = nil
				go func() { ended <- g.wait() }()
			}
		case err := <-ended:
			var status *exec.ExitError
			switch {
			case errors.As(err, &status):
				return wrong(Wrong, fmt.Sprintf("its exit status is %d %s, and must be 0 (%v)", status.ExitCode(), after, err))
			case err != nil:
				return wrong(Wrong, fmt.Sprintf("it does not end well %s: %v", after, err))
			}
			return nil
		case <-over.C:
			return wrong(Wrong, fmt.Sprintf("it has not ended %.3g s %s", within.Seconds(), after))
		}
	}
}

// bye tells a program that it must end, and in the same breath something more.
func (p *Process) bye(g *program, rest string) error {
	p.next++
	request := Request{ID: p.next, Op: Bye}
	text := fmt.Sprintf(`{"id":%d,"op":%q}`, request.ID, request.Op)
	p.remember(g, text)
	if _, err := g.in.Write([]byte(text + "\n" + rest)); err != nil {
		return p.give(Died, text, "", g.gone(err))
	}
	if _, failure := p.take(g, &request, text, p.config.Answer); failure != nil {
		return failure
	}
	return nil
}

// CountFrom lets the ids of requests go on from a number, which must be higher than all that there have been: they are integers, up to 2^53-1.
func (p *Process) CountFrom(id uint64) { p.next = max(p.next, id-1) }
