package host

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// A fakeHost is a host whose transport a test plays: it says what comes, and sees what leaves and when.
type fakeHost struct {
	*Host
	t     *testing.T
	me    int
	links *scripted
	clock *gate
	judge *told
	first spec.Configuration // what it and all others go by, if members come and go
	asked spec.Question      // the latest number of all others
}

// told is a detector that says what it was told.
type told struct {
	heard, resets int
	patience      time.Duration
	quiet         time.Time
}

func (d *told) Heard(time.Time)                  { d.heard++ }
func (d *told) Patience(time.Time) time.Duration { return d.patience }
func (d *told) Reset()                           { d.resets++ }
func (d *told) Phi(time.Time) float64            { return float64(d.heard) }
func (d *told) Paused(until time.Time)           { d.quiet = until }

// play runs a test on node me of n, in virtual time. If it has started before, it has a record.
func play(t *testing.T, me, n int, before bool, f func(t *testing.T, p *fakeHost)) {
	t.Helper()
	var members []spec.NodeID
	for i := range n {
		members = append(members, id(i+1))
	}
	disk := storage.NewMemory()
	if before {
		require.NoError(t, disk.Save(spec.Durable{}))
	}
	playAs(t, &fakeHost{me: me}, Config{Members: members, Storage: disk}, f)
}

// playChanging runs a test on node me of a cluster whose members come and go.
func playChanging(t *testing.T, me int, first spec.Configuration, f func(t *testing.T, p *fakeHost)) {
	t.Helper()
	disk, err := storage.NewChangingMemory(storage.Identity{ID: id(me), Cluster: "test", Incarnation: 1}, first)
	require.NoError(t, err)
	playAs(t, &fakeHost{me: me, first: first}, Config{Storage: disk}, f)
}

func playAs(t *testing.T, p *fakeHost, config Config, f func(t *testing.T, p *fakeHost)) {
	t.Helper()
	bubbletest.Run(t, func(t *testing.T) {
		p.t, p.links, p.clock, p.judge = t, &scripted{wake: make(chan struct{}, 1)}, &gate{readings: fakeReadings(t)}, &told{}
		config.ID, config.Transport, config.Clock, config.Detector, config.Rand = id(p.me), p.links, p.clock, p.judge, rand.New(rand.NewPCG(1, 2))
		if len(config.Members) == 0 {
			config.Transport = roaming{p.links}
		}
		h, err := New(config)
		require.NoError(t, err)
		p.Host = h
		ended := make(chan error)
		go func() { ended <- h.Run(t.Context()) }()
		defer func() {
			p.clock.open()
			require.NoError(t, h.Close())
			require.NoError(t, <-ended)
		}()
		synctest.Wait()
		if _, before, _ := config.Storage.Load(); !before {
			time.Sleep(h.config.Timing.Heartbeat) // it waits so long for links, and a test begins with its first step
			synctest.Wait()
		}
		f(t, p)
	})
}

// says returns what another node says: with a new number, or with that of the last question if it answers.
func (p *fakeHost) says(m spec.MessageType, from int, epoch spec.Epoch) spec.Message {
	p.asked++
	said := spec.Message{Type: m, From: id(from), To: id(p.me), Epoch: epoch, Question: p.asked, Configuration: p.first}
	switch m {
	case spec.OK, spec.Assent, spec.Grant, spec.Refuse, spec.Ack:
		said.Question = max(1, p.links.lastAsked())
	}
	return said
}

// comes lets a message come, and does not wait until it has been taken.
func (p *fakeHost) comes(m spec.Message) {
	p.links.give(transport.Event{Kind: transport.Received, Node: m.From, Message: m})
}

// hear lets a message come, and returns when it has been taken.
func (p *fakeHost) hear(m spec.MessageType, from int, epoch spec.Epoch) {
	p.comes(p.says(m, from, epoch))
	synctest.Wait()
}

// learn lets a link event come.
func (p *fakeHost) learn(kind transport.Kind, node int) {
	p.links.give(transport.Event{Kind: kind, Node: id(node)})
	synctest.Wait()
}

// until waits until a message of a type leaves, and returns how long that took.
func (p *fakeHost) until(m spec.MessageType, most time.Duration) time.Duration {
	p.t.Helper()
	p.links.forget()
	began := time.Now()
	for !p.links.has(m) {
		require.Less(p.t, time.Since(began), most, "no %s", m)
		time.Sleep(100 * time.Microsecond)
	}
	return time.Since(began)
}

// within requires that d is as long as wanted, or little longer.
func within(t *testing.T, want, d time.Duration) {
	t.Helper()
	require.GreaterOrEqual(t, d, want)
	require.LessOrEqual(t, d, want+200*time.Microsecond)
}
