package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/impl/internal/interactive"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// Engine is what is open. The zero Engine has nothing open. It is for one goroutine.
type Engine struct {
	open map[int]*playing
	last int    // the handle given last
	text string // of the file that is to be opened, while that is asked
}

// playing is a recording that is open.
type playing struct {
	recording recording.Recording // with all frames that the page has been given
	run       *interactive.Run
	live      *Live
	trace     []byte
	long      bool // a live recording has become so long that its frames are kept no more
}

// maxLive is how many frames of a live recording are kept for saving it: a variable for the sake of tests.
var maxLive = 100_000

// opened, more and exported are what the page is answered.
type opened struct {
	Handle  int                  `json:"handle"`
	Header  recording.Header     `json:"header"`
	Frames  []recording.Frame    `json:"frames"`
	Ended   bool                 `json:"ended"`
	RunSpec *interactive.RunSpec `json:"runSpec,omitempty"`
	Problem *Problem             `json:"problem,omitempty"`
}

type more struct {
	Frames  []recording.Frame `json:"frames"`
	Ended   bool              `json:"ended"`
	Problem *Problem          `json:"problem,omitempty"`
}

type exported struct {
	Name    string   `json:"name"`
	Text    string   `json:"text"`
	Problem *Problem `json:"problem,omitempty"`
}

type sketched struct {
	Rows    []string `json:"rows"`
	Problem *Problem `json:"problem,omitempty"`
}

// method is something that an Engine is asked.
type method struct {
	arguments int
	call      func(e *Engine, a arguments) any
	failed    func(p *Problem) any // the answer if it comes to nothing
}

var methods = map[string]method{
	"gallery":    {0, func(*Engine, arguments) any { return Look() }, noGallery},
	"begin":      {1, (*Engine).begin, notOpened},
	"next":       {2, (*Engine).next, noMore},
	"do":         {2, (*Engine).do, noMore},
	"open":       {1, (*Engine).openText, notOpened},
	"openGolden": {1, (*Engine).openGolden, notOpened},
	"feed":       {2, (*Engine).feed, noMore},
	"live":       {2, (*Engine).live, notOpened},
	"trace":      {1, (*Engine).trace, notExported},
	"testCase":   {1, (*Engine).testCase, notExported},
	"sketch":     {2, (*Engine).sketch, func(p *Problem) any { return sketched{Rows: []string{}, Problem: p} }},
	"close":      {1, (*Engine).close, func(p *Problem) any { return more{Frames: []recording.Frame{}, Ended: true, Problem: p} }},
}

func noGallery(p *Problem) any {
	return struct {
		Gallery
		Problem *Problem `json:"problem"`
	}{Problem: p}
}

func notOpened(p *Problem) any {
	return opened{Header: recording.Header{Recording: recording.Version, Source: recording.Trace, Nodes: []string{}}, Frames: []recording.Frame{}, Ended: true, Problem: p}
}

func noMore(p *Problem) any { return more{Frames: []recording.Frame{}, Ended: true, Problem: p} }

func notExported(p *Problem) any { return exported{Problem: p} }

// Call asks the engine something. The arguments are a JSON array, and the answer is JSON. The text of a file that is to be opened stands behind
// them, as it is: what is large takes long to be read, and is to be read once.
func (e *Engine) Call(name, args string, text ...string) (answer string) {
	m, known := methods[name]
	if !known {
		return encode(more{Frames: []recording.Frame{}, Ended: true, Problem: problem("the engine knows no %q", name)})
	}
	defer func() {
		if p := recover(); p != nil {
			said, isSaid := p.(*Problem)
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
	e.text = strings.Join(text, "")
	defer func() { e.text = "" }()
	return encode(m.call(e, a))
}

func problem(format string, a ...any) *Problem {
	return &Problem{Problem: fmt.Sprintf(format, a...)}
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

// playing returns the recording of the handle that is the first argument.
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
func (e *Engine) add(o Opened, live *Live) any {
	if o.Recording == nil {
		return notOpened(o.Problem)
	}
	if e.open == nil {
		e.open = map[int]*playing{}
	}
	e.last++
	e.open[e.last] = &playing{recording: *o.Recording, run: o.Run, live: live, trace: o.Trace}
	answer := opened{Handle: e.last, Header: o.Recording.Header, Frames: o.Recording.Frames, Ended: e.open[e.last].ended(), Problem: o.Problem}
	if o.Run != nil {
		runSpec := o.Run.RunSpec()
		answer.RunSpec = &runSpec
	}
	if answer.Frames == nil {
		answer.Frames = []recording.Frame{}
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
func (p *playing) more(frames []recording.Frame, wrong *Problem) more {
	if p.live != nil && len(p.recording.Frames)+len(frames) > maxLive {
		p.recording.Frames, p.long = nil, true
	}
	if !p.long {
		p.recording.Frames = append(p.recording.Frames, frames...)
	}
	if frames == nil {
		frames = []recording.Frame{}
	}
	return more{Frames: frames, Ended: p.ended(), Problem: wrong}
}

func (e *Engine) begin(a arguments) any { return e.add(openRunSpec(a[0]), nil) }

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
	var d interactive.Intervention
	a.read(1, &d)
	frames, err := p.run.Do(d)
	if err != nil {
		return p.more(nil, problem("%v", err))
	}
	return p.more(frames, nil)
}

func (e *Engine) openText(a arguments) any {
	return e.add(Open([]byte(e.text), a.text(0)), nil)
}

func (e *Engine) openGolden(a arguments) any { return e.add(OpenGolden(a.text(0)), nil) }

func (e *Engine) live(a arguments) any {
	var nodes []string
	changing := false
	a.read(0, &nodes)
	a.read(1, &changing)
	live, err := Listen(nodes, changing)
	if err != nil {
		return notOpened(problem("%v", err))
	}
	return e.add(Opened{Recording: &recording.Recording{Header: live.Header()}}, live)
}

func (e *Engine) feed(a arguments) any {
	p := e.playing(a)
	if p.live == nil {
		return p.more(nil, problem("feed: this is no live recording"))
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
		return notExported(problem("the recording is longer than %d frames: begin it anew, and save it sooner", maxLive))
	}
	name, text, err := ExportTrace(&p.recording, p.run, p.trace)
	return export(name, text, err)
}

func (e *Engine) testCase(a arguments) any {
	p := e.playing(a)
	name, text, err := ExportCase(&p.recording, p.run, p.trace)
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
