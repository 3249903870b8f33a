package pagecalls

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/impl/internal/stage"
	"github.com/seed-fdf591db/bully/traces/film"
)

// Engine is what is open. The zero Engine has nothing open. It is for one goroutine.
type Engine struct {
	open map[int]*playing
	last int // the handle given last
}

// playing is a film that is open.
type playing struct {
	film  film.Film // with all frames that the page has been given
	run   *stage.Stage
	live  *stage.Live
	trace []byte
	long  bool // a live film has become so long that its frames are kept no more
}

// maxLive is how many frames of a live film are kept for saving it: a variable for the sake of tests.
var maxLive = 100_000

// opened, more and exported are what the page is answered.
type opened struct {
	Handle  int            `json:"handle"`
	Header  film.Header    `json:"header"`
	Frames  []film.Frame   `json:"frames"`
	Ended   bool           `json:"ended"`
	Recipe  *stage.Recipe  `json:"recipe,omitempty"`
	Problem *stage.Problem `json:"problem,omitempty"`
}

type more struct {
	Frames  []film.Frame   `json:"frames"`
	Ended   bool           `json:"ended"`
	Problem *stage.Problem `json:"problem,omitempty"`
}

type exported struct {
	Name    string         `json:"name"`
	Text    string         `json:"text"`
	Problem *stage.Problem `json:"problem,omitempty"`
}

// method is something that an Engine is asked.
type method struct {
	arguments int
	call      func(e *Engine, a arguments) any
	failed    func(p *stage.Problem) any // the answer if it comes to nothing
}

var methods = map[string]method{
	"gallery":    {0, func(*Engine, arguments) any { return stage.Look() }, noGallery},
	"begin":      {1, (*Engine).begin, notOpened},
	"next":       {2, (*Engine).next, noMore},
	"do":         {2, (*Engine).do, noMore},
	"open":       {2, (*Engine).openText, notOpened},
	"openGolden": {1, (*Engine).openGolden, notOpened},
	"feed":       {2, (*Engine).feed, noMore},
	"live":       {2, (*Engine).live, notOpened},
	"trace":      {1, (*Engine).trace, notExported},
	"testCase":   {1, (*Engine).testCase, notExported},
	"close":      {1, (*Engine).close, func(p *stage.Problem) any { return more{Frames: []film.Frame{}, Ended: true, Problem: p} }},
}

func noGallery(p *stage.Problem) any {
	return struct {
		stage.Gallery
		Problem *stage.Problem `json:"problem"`
	}{Problem: p}
}

func notOpened(p *stage.Problem) any {
	return opened{Header: film.Header{Film: film.Version, Source: film.Trace, Nodes: []string{}}, Frames: []film.Frame{}, Ended: true, Problem: p}
}

func noMore(p *stage.Problem) any { return more{Frames: []film.Frame{}, Ended: true, Problem: p} }

func notExported(p *stage.Problem) any { return exported{Problem: p} }

// Call asks the engine something. The arguments are a JSON array, and the answer is JSON.
func (e *Engine) Call(name, args string) (answer string) {
	m, known := methods[name]
	if !known {
		return encode(more{Frames: []film.Frame{}, Ended: true, Problem: problem("the engine knows no %q", name)})
	}
	defer func() {
		if p := recover(); p != nil {
			said, isSaid := p.(*stage.Problem)
			if !isSaid {
				said = problem("the engine has made a mistake in %s: %v. Please report it with what you have opened or done.", name, p)
			}
			answer = encode(m.failed(said))
		}
	}()
	var a arguments
	if err := json.Unmarshal([]byte(args), &a); err != nil || len(a) != m.arguments {
		return encode(m.failed(problem("%s takes %d arguments, as a JSON array", name, m.arguments)))
	}
	return encode(m.call(e, a))
}

func problem(format string, a ...any) *stage.Problem {
	return &stage.Problem{Problem: fmt.Sprintf(format, a...)}
}

func encode(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return `{"problem":{"problem":"the engine cannot say it"},"frames":[],"ended":true}`
	}
	return string(bytes.TrimSpace(text.Bytes()))
}

// arguments are those of one call. What cannot be read ends the call, by a panic with a Problem.
type arguments []json.RawMessage

func (a arguments) read(i int, into any) {
	if err := json.Unmarshal(a[i], into); err != nil {
		panic(problem("argument %d cannot be read: %s", i+1, strings.TrimPrefix(err.Error(), "json: ")))
	}
}

func (a arguments) text(i int) (text string) {
	a.read(i, &text)
	return text
}

// playing returns the film of the handle that is the first argument.
func (e *Engine) playing(a arguments) *playing {
	var handle int
	a.read(0, &handle)
	p := e.open[handle]
	if p == nil {
		panic(problem("nothing with the handle %d is open", handle))
	}
	return p
}

// add opens what came of a file, or of anything else.
func (e *Engine) add(o stage.Opened, live *stage.Live) any {
	if o.Film == nil {
		return notOpened(o.Problem)
	}
	if e.open == nil {
		e.open = map[int]*playing{}
	}
	e.last++
	e.open[e.last] = &playing{film: *o.Film, run: o.Run, live: live, trace: o.Trace}
	answer := opened{Handle: e.last, Header: o.Film.Header, Frames: o.Film.Frames, Ended: e.open[e.last].ended(), Problem: o.Problem}
	if o.Run != nil {
		recipe := o.Run.Recipe()
		answer.Recipe = &recipe
	}
	if answer.Frames == nil {
		answer.Frames = []film.Frame{}
	}
	return answer
}

// ended reports whether no frames come any more, unless somebody does something.
func (p *playing) ended() bool {
	if p.run != nil {
		return p.run.Ended()
	}
	return p.live == nil
}

// more gives frames to the page.
func (p *playing) more(frames []film.Frame, wrong *stage.Problem) more {
	if p.live != nil && len(p.film.Frames)+len(frames) > maxLive {
		p.film.Frames, p.long = nil, true
	}
	if !p.long {
		p.film.Frames = append(p.film.Frames, frames...)
	}
	if frames == nil {
		frames = []film.Frame{}
	}
	return more{Frames: frames, Ended: p.ended(), Problem: wrong}
}

func (e *Engine) begin(a arguments) any {
	r, err := stage.ReadRecipe(a[0])
	if err != nil {
		return notOpened(problem("%v", err))
	}
	run, err := stage.Begin(r)
	if err != nil {
		return notOpened(problem("%v", err))
	}
	return e.add(stage.OfRun(run), nil)
}

// maxNext is how many frames can be asked for at once.
const maxNext = 100_000

func (e *Engine) next(a arguments) any {
	p, k := e.playing(a), 0
	a.read(1, &k)
	switch {
	case k < 0 || k > maxNext:
		return p.more(nil, problem("next: %d is not from 0 to %d frames", k, maxNext))
	case p.run == nil:
		return p.more(nil, nil)
	}
	frames, _ := p.run.Next(k)
	return p.more(frames, nil)
}

func (e *Engine) do(a arguments) any {
	p := e.playing(a)
	if p.run == nil {
		return p.more(nil, problem("this is no run: nothing can be done to what has been recorded"))
	}
	var d stage.Doing
	a.read(1, &d)
	frames, err := p.run.Do(d)
	if err != nil {
		return p.more(nil, problem("%v", err))
	}
	return p.more(frames, nil)
}

func (e *Engine) openText(a arguments) any {
	return e.add(stage.Open([]byte(a.text(0)), a.text(1)), nil)
}

func (e *Engine) openGolden(a arguments) any { return e.add(stage.OpenGolden(a.text(0)), nil) }

func (e *Engine) live(a arguments) any {
	var nodes []string
	changing := false
	a.read(0, &nodes)
	a.read(1, &changing)
	live, err := stage.Listen(nodes, changing)
	if err != nil {
		return notOpened(problem("%v", err))
	}
	return e.add(stage.Opened{Film: &film.Film{Header: live.Header()}}, live)
}

func (e *Engine) feed(a arguments) any {
	p := e.playing(a)
	if p.live == nil {
		return p.more(nil, problem("feed: this is no live film"))
	}
	frames, err := p.live.Feed([]byte(a.text(1)))
	if err != nil {
		return p.more(nil, problem("%v", err))
	}
	return p.more(frames, nil)
}

func (e *Engine) trace(a arguments) any {
	p := e.playing(a)
	if p.long {
		return notExported(problem("the film is longer than %d frames: begin it anew, and save it sooner", maxLive))
	}
	name, text, err := stage.ExportTrace(&p.film, p.run, p.trace)
	return export(name, text, err)
}

func (e *Engine) testCase(a arguments) any {
	p := e.playing(a)
	name, text, err := stage.ExportCase(&p.film, p.run, p.trace)
	return export(name, text, err)
}

func export(name string, text []byte, err error) any {
	if err != nil {
		return notExported(problem("%v", err))
	}
	return exported{Name: name, Text: string(text)}
}

func (e *Engine) close(a arguments) any {
	var handle int
	a.read(0, &handle)
	delete(e.open, handle)
	return struct{}{}
}
