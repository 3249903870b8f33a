package lease_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/impl/baselines/lease"
)

// place is a small world: candidates, a store, and messages that take any time, overtake each other and get lost. Time is
// whole units. A TTL is 3 ticks of 10, as the store counts them, and a deadline 24 at the candidate, whose clock may need up
// to 30 for that.
type place struct {
	now        int
	store      *lease.Store
	saved      lease.Saved
	tick       int // when it ends
	candidates []*lease.Candidate
	timers     []map[lease.Timer]int
	cut        []int // until when each is cut off from the store
	rates      []int // tenths of a unit of time in a unit of each clock
	flying     []flying
	lives      uint64
	config     lease.Config
	random     *rand.Rand
	sequential bool
	calm       bool
	reigns     map[int]int // who led in a revision
	highest    int
}

type flying struct {
	at int
	m  lease.Message
}

var lengths = map[lease.Timer]int{0: 24, 1: 24, 2: 24, 3: 24, lease.Renewal: 7, lease.Rewatch: 20}

func newPlace(t require.TestingT, seed uint64, n int, sequential, careless bool) *place {
	p := &place{sequential: sequential, config: lease.Config{NoDeadline: careless}, reigns: map[int]int{}}
	p.random = rand.New(rand.NewPCG(seed, 0))
	p.restartStore(t, n)
	for range n {
		p.candidates, p.timers, p.cut = append(p.candidates, nil), append(p.timers, nil), append(p.cut, 0)
		p.rates = append(p.rates, 8+p.random.IntN(5))
	}
	for i := range n {
		p.restart(t, i)
	}
	return p
}

func (p *place) restartStore(t require.TestingT, n int) {
	var err error
	p.store, err = lease.NewStore(lease.StoreConfig{Candidates: n, Ticks: 3})
	require.NoError(t, err)
	p.tick = p.now + 10
	p.store.Step(lease.Restart(p.saved))
}

func (p *place) restart(t require.TestingT, i int) {
	c := p.config
	c.ID = i + 1
	if p.sequential {
		c.Key = c.ID
	}
	p.lives++
	c.Session = p.lives
	var err error
	p.candidates[i], err = lease.New(c)
	require.NoError(t, err)
	p.timers[i] = map[lease.Timer]int{}
	p.step(t, i, lease.Start())
}

func (p *place) step(t require.TestingT, i int, in lease.Input) {
	out := p.candidates[i].Step(in)
	for _, timer := range out.Stop {
		delete(p.timers[i], timer)
	}
	for _, timer := range out.Set {
		p.timers[i][timer] = p.now + lengths[timer]*p.rates[i]/10
	}
	p.send(t, out.Send)
}

func (p *place) send(t require.TestingT, messages []lease.Message) {
	for _, m := range messages {
		if p.calm {
			p.flying = append(p.flying, flying{p.now + 1, m})
			continue
		}
		// Often fast, often lost, sometimes slower than anything.
		delays := []int{0, 0, 1, 1, 2, 5, 10, 20, 90, -1}
		if d := delays[p.random.IntN(len(delays))]; d >= 0 && p.now >= p.cut[max(m.From, m.To)-1] {
			p.flying = append(p.flying, flying{p.now + d, m})
		}
	}
}

func (p *place) storeStep(t require.TestingT, in lease.Input) {
	out := p.store.Step(in)
	if out.Save != nil {
		p.saved = *out.Save
	}
	p.send(t, out.Send)
}

// pass lets a unit of time pass. Timers of candidates come first: they are urgent.
func (p *place) pass(t require.TestingT) {
	p.now++
	for i := range p.candidates {
		for timer := lease.Timer(0); timer <= lease.Rewatch; timer++ {
			if due, runs := p.timers[i][timer]; runs && due <= p.now {
				delete(p.timers[i], timer)
				p.step(t, i, lease.Timeout(timer))
			}
		}
	}
	for k := 0; k < len(p.flying); k++ {
		f := p.flying[k]
		if f.at > p.now {
			continue
		}
		p.flying = append(p.flying[:k], p.flying[k+1:]...)
		k--
		if f.m.To == lease.StoreID {
			p.storeStep(t, lease.Receive(f.m))
		} else {
			p.step(t, f.m.To-1, lease.Receive(f.m))
		}
	}
	if p.tick <= p.now {
		p.tick = p.now + 10
		p.storeStep(t, lease.Timeout(lease.Tick))
	}
}

// leaders returns who leads now, after the check that a revision is of one candidate, and no new reign has a lower one.
func (p *place) leaders(t require.TestingT) (leaders []int) {
	for i, c := range p.candidates {
		if !c.Leads() {
			continue
		}
		leaders = append(leaders, i+1)
		id, revision := c.Leader()
		require.Equal(t, i+1, id)
		if first, known := p.reigns[revision]; known {
			require.Equal(t, first, id, "revision %d", revision)
			continue
		}
		require.Greater(t, revision, p.highest)
		p.reigns[revision], p.highest = id, revision
	}
	return leaders
}

// run lets time pass, with crashes and cuts of anybody, and returns how many led at once.
func (p *place) run(t require.TestingT, n int) (atOnce int) {
	for range 600 {
		switch who := 1 + p.random.IntN(n); p.random.IntN(200) {
		case 0:
			p.restart(t, who-1)
		case 1:
			p.restartStore(t, n)
		case 2:
			p.step(t, who-1, lease.Suspect())
		case 3:
			p.step(t, who-1, lease.Resign())
			p.restart(t, who-1)
		case 4, 5, 6, 7, 8, 9:
			p.cut[who-1] = p.now + p.random.IntN(80)
		}
		p.pass(t)
		atOnce = max(atOnce, len(p.leaders(t)))
	}
	return atOnce
}

// Whatever happens to messages, nodes and the store, at most one candidate leads, each revision is of one, and reigns have
// ascending revisions: as long as a deadline, by the slowest clock, is shorter than the TTL. When messages come in time again,
// one leads and all follow. Draws of rapid prefer small numbers, which would make a quiet world: it draws the seed of the world.
func TestOneLeads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "n")
		p := newPlace(t, rapid.Uint64().Draw(t, "seed"), n, rapid.Bool().Draw(t, "sequential"), false)
		require.LessOrEqual(t, p.run(t, n), 1)
		p.calm = true
		for range 300 {
			p.pass(t)
		}
		leaders := p.leaders(t)
		require.Len(t, leaders, 1)
		for _, c := range p.candidates {
			leader, _ := c.Leader()
			require.Equal(t, leaders[0], leader)
		}
	})
}

// The world is one in which much happens: leaders come and go, and without the local deadline two lead at once in many runs,
// though never in one revision.
func TestWorldIsRough(t *testing.T) {
	const seeds = 50
	for _, sequential := range []bool{false, true} {
		reigns, two := 0, 0
		for seed := range uint64(seeds) {
			p := newPlace(t, seed, 4, sequential, false)
			require.LessOrEqual(t, p.run(t, 4), 1, "seed %d", seed)
			reigns += len(p.reigns)
			if newPlace(t, seed, 4, sequential, true).run(t, 4) > 1 {
				two++
			}
		}
		require.Greater(t, reigns, 3*seeds)
		require.Greater(t, two, seeds/4)
	}
}
