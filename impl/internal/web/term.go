package web

import (
	"context"
	"crypto/rand"
	"net"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
)

// limits say how silent a program that leads may be, and what the end of its node says.
type limits struct {
	hold     bool          // it holds the address of the node, by a connection that ends when it acts no more
	fenced   bool          // what it writes to refuses older epochs: it may be taken to act no more when its node is dead
	lease    time.Duration // without asking for its lease
	progress time.Duration // without having come further; 0 if it need not say
}

// A term is the time in which a program beside the node leads.
//
// The program acts only while a lease holds, which it dates from when it has sent the question. The node has answered later, so by its
// clock whatever it has granted ends no earlier than the program thinks: granted is a bound of when the program acts. Before that the
// term does not end, unless the program says that it has stopped.
type term struct {
	id      string
	reign   host.Reign
	work    context.Context // ends when the program is to stop, as the reign is over or is to end
	stopped chan struct{}   // closed when the program has said that it does not act any more
	stop    func()          // closes it
	address Lent            // that the program holds; or nil, if nobody takes its refusals for proof
	held    chan struct{}   // closed when the program holds the address
	gone    chan struct{}   // closed when the term is over
	limits

	mu      sync.Mutex
	granted time.Time // until when the program acts at most
	asked   time.Time // when it has asked last
	further time.Time // when it has said last that it has come further
	ended   bool
	alone   bool     // who has asked to lead has gone, and the program may act yet
	holder  net.Conn // by which the program holds the address, or nil
	unlent  error    // why it does not, though it would
}

func newTerm(reign host.Reign, work context.Context, l limits, address Lent) *term {
	now := time.Now()
	t := &term{id: rand.Text(), reign: reign, work: work, limits: l, granted: now, asked: now, further: now, stopped: make(chan struct{}),
		address: address, held: make(chan struct{}), gone: make(chan struct{})}
	t.stop = sync.OnceFunc(func() { close(t.stopped) })
	return t
}

// ask returns how long the program may act from now on: 0 once the term is over, or is to end.
func (t *term) ask(now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if silent, _ := t.silence(now); silent <= 0 || t.ended || t.isToStop() || !t.reign.Valid() {
		return 0
	}
	holds := ahead(t.reign.Deadline(), now).Truncate(time.Millisecond)
	if until := now.Add(holds); until.After(t.granted) {
		t.granted = until
	}
	t.asked = now
	return holds
}

// comeFurther notes that the program has made progress, unless that is too late.
func (t *term) comeFurther(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if silent, _ := t.silence(now); silent <= 0 {
		return false
	}
	t.further = now
	return true
}

// end ends the term if the program does not act any more, and says why if it has been silent for too long. Else it returns how long
// the program may be silent yet, or act.
func (t *term) end() (left time.Duration, why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	left, why = t.left(time.Now())
	t.ended = left <= 0
	return left, why
}

// isSilent reports whether the program has been silent for too long.
func (t *term) isSilent() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	silent, _ := t.silence(time.Now())
	return silent <= 0 && !t.isToStop()
}

// notLent returns why the program does not hold the address, though it would; or nil.
func (t *term) notLent() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.unlent
}

// takeBack ends the last lease, as the program does not act any more.
func (t *term) takeBack() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.granted = time.Now()
}

// leave notes that who has asked to lead has gone. The program may act yet.
func (t *term) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.alone = true
}

// isToStop reports whether the program is given no lease any more, for who holds the lock.
func (t *term) isToStop() bool { return t.alone || t.work.Err() != nil }

// left returns when the term ends if nothing more is heard of the program: not before its last lease does. Once it is to stop, that is all.
func (t *term) left(now time.Time) (left time.Duration, why string) {
	acts := t.granted.Sub(now)
	if t.isToStop() {
		return acts, ""
	}
	left, why = t.silence(now)
	return max(left, acts), why
}

// silence returns how long the program may be silent yet, and of what.
func (t *term) silence(now time.Time) (left time.Duration, why string) {
	left, why = t.asked.Add(t.lease).Sub(now), "it has not asked for its lease for "+t.lease.String()
	if t.progress > 0 {
		if further := t.further.Add(t.progress).Sub(now); further < left {
			left, why = further, "it has made no progress for "+t.progress.String()
		}
	}
	return left, why
}

// terms are those of now.
type terms struct {
	mu  sync.Mutex
	now map[string]*term
}

func (s *terms) add(t *term) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		s.now = map[string]*term{}
	}
	s.now[t.id] = t
}

// remove ends a term, whoever may have found it before.
func (s *terms) remove(t *term) {
	s.mu.Lock()
	delete(s.now, t.id)
	s.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	close(t.gone)
	if t.holder != nil {
		_ = t.holder.Close()
	}
}

func (s *terms) find(id string) *term {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now[id]
}
