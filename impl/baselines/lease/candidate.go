package lease

import "fmt"

// Config is what a candidate is told.
type Config struct {
	ID         int    // 1 or above
	Key        int    // SharedKey, which all want; or the ID, as all have a key of their own: the sequential form
	Session    uint64 // of this life: another one than in any former life
	NoDeadline bool   // it believes that it holds its entry until the store says otherwise, which is not safe
}

// Candidate is a candidate. It is not safe for concurrent use: it takes one step at a time.
type Candidate struct {
	config        Config
	started, over bool  // over: it has resigned
	asking        bool  // it has sent CREATE, and waits for the answer
	mine          Entry // that it holds; none while it asks
	first         Entry // whose this is leads, as far as it knows
	watched       Entry // of which it wants to hear the end

	last      int // the number of the last CREATE or RENEW that it has sent
	confirmed int // the last whose answer gave it its entry or renewed it: the deadline of this one counts
	settled   int // answers up to here are worth nothing: they have come, or their deadlines have ended
}

// New returns a candidate that has not started. The error says what of the config cannot be.
func New(c Config) (*Candidate, error) {
	if c.ID < 1 || c.Key != SharedKey && c.Key != c.ID {
		return nil, fmt.Errorf("lease: candidate %d with key %d: give an id of 1 or above, and SharedKey or the id as key", c.ID, c.Key)
	}
	return &Candidate{config: c}, nil
}

// Leads reports whether the candidate leads: it holds the first entry, and the deadline of that has not ended.
func (c *Candidate) Leads() bool { return c.mine.exists() && c.mine == c.first }

// Stands reports whether it waits for an answer that may make it the leader.
func (c *Candidate) Stands() bool { return c.asking }

// Leader returns the leader that it knows of, itself if it leads, and the revision of its entry; or 0 and 0.
func (c *Candidate) Leader() (id, revision int) { return c.first.Holder, c.first.Revision }

// Step takes an input. One that is bad or late is ignored, and Output.Ignored says why.
func (c *Candidate) Step(in Input) (out Output) {
	switch {
	case in.kind == start && !c.started:
		c.started = true
		c.stand("", &out)
	case !c.started || c.over:
		out.Ignored = "it has not started, or has resigned"
	case in.kind == receive:
		c.receive(&in.message, &out)
	case in.kind == ended:
		c.ended(in.timer, &out)
	case in.kind == suspect && !c.asking && !c.Leads():
		c.stand("", &out)
	case in.kind == resign:
		c.send(Delete, 0, c.mine, &out)
		c.drop()
		c.over, out.Note = true, "resigns"
	default:
		out.Ignored = "not for a candidate, or not now"
	}
	return out
}

// stand asks for an entry, and goes on until there is an answer. It may have one already, if it has heard that the one before
// it is gone: then the answer says where it stands now (ZooKeeper, Recipes: getChildren again).
func (c *Candidate) stand(why string, out *Output) {
	c.drop()
	c.asking = true
	out.Stop, out.Set, out.Note = append(out.Stop, Rewatch), append(out.Set, Renewal), why
	c.ask(out)
}

// drop forgets the entry. Deadlines that still run, and answers that still come, mean nothing any more.
func (c *Candidate) drop() {
	c.asking, c.mine, c.first, c.watched, c.settled = false, Entry{}, Entry{}, Entry{}, c.last
}

// ask sends a CREATE or a RENEW, with a deadline that begins now. If all deadlines are taken, and the oldest is the one that
// counts, it asks with the last number again: its deadline has begun earlier, which is safe.
func (c *Candidate) ask(out *Output) {
	if c.config.NoDeadline {
		c.last++
	} else if c.asking || c.last-c.confirmed < Deadlines-1 {
		c.last++
		c.settled = max(c.settled, c.last-Deadlines)
		out.Set = append(out.Set, deadline(c.last))
	}
	if c.asking {
		c.send(Create, c.last, Entry{Key: c.config.Key, Session: c.config.Session}, out)
	} else {
		c.send(Renew, c.last, c.mine, out)
	}
}

// send sends a message about an entry, if there is one, or to make one.
func (c *Candidate) send(kind Kind, number int, e Entry, out *Output) {
	if e.exists() || kind == Create {
		out.Send = append(out.Send, Message{Kind: kind, From: c.config.ID, Number: number, Entry: e})
	}
}

func deadline(number int) Timer { return Timer(number % Deadlines) }

func (c *Candidate) receive(m *Message, out *Output) {
	answers := m.Number > c.settled && m.Number <= c.last && m.Entry.exists() && (c.asking || m.Entry == c.mine)
	switch {
	case m.To != c.config.ID || m.From != StoreID:
		out.Ignored = "non-member"
	case answers && m.Kind == Held && c.asking:
		c.asking, c.first = false, m.First
		out.Stop, out.Set = append(out.Stop, Renewal), append(out.Set, Rewatch)
		c.watch(m.Entry, out)
	case answers && (m.Kind == Created || m.Kind == Renewed) && m.Entry.Session == c.config.Session:
		c.holds(m, out)
	case m.Kind == Gone && m.Entry.exists() && m.Entry == c.mine:
		c.stand("its lease is gone, says the store", out)
	case m.Kind == Gone && m.Entry.exists() && m.Entry == c.watched:
		c.stand("", out)
	default:
		out.Ignored = "unknown, or late"
	}
}

// holds takes note of an entry that the store has made or renewed. If none is before it, the candidate leads, and that will
// not change, as later ones have higher revisions; else it watches the one before (ZooKeeper, Recipes, Leader Election).
func (c *Candidate) holds(m *Message, out *Output) {
	for k := max(1, c.last-Deadlines+1); k < m.Number && !c.config.NoDeadline; k++ {
		out.Stop = append(out.Stop, deadline(k))
	}
	c.asking, c.mine, c.first, c.confirmed, c.settled = false, m.Entry, m.First, m.Number, m.Number
	if m.Before != c.watched {
		c.watch(m.Before, out)
	}
}

// watch asks to hear the end of an entry, if there is one.
func (c *Candidate) watch(e Entry, out *Output) {
	c.watched = e
	c.send(Watch, 0, e, out)
}

func (c *Candidate) ended(t Timer, out *Output) {
	switch {
	case t >= 0 && t < Deadlines && !c.config.NoDeadline:
		number := c.last - (c.last-int(t)+Deadlines)%Deadlines // the last that has this deadline
		c.settled = max(c.settled, number)
		if c.mine.exists() && number == c.confirmed {
			// For a Rewatch it keeps silent: to ask at once, in the same session, would renew its entry, and keep all others out for as
			// long as no answer reaches it (client-go: Run returns).
			c.drop()
			out.Stop, out.Set, out.Note = append(out.Stop, Renewal), append(out.Set, Rewatch), "gives up: its lease was not renewed in time"
		}
	case t == Renewal && (c.asking || c.mine.exists()):
		out.Set = append(out.Set, Renewal)
		c.ask(out)
	case t == Rewatch && !c.asking && !c.mine.exists() && !c.watched.exists():
		c.stand("has kept silent for long enough", out)
	case t == Rewatch && c.watched.exists():
		out.Set = append(out.Set, Rewatch)
		c.watch(c.watched, out)
	default:
		out.Ignored = "that timer does not run"
	}
}
