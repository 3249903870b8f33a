package storage

import (
	"fmt"
	"sync"

	"github.com/seed-fdf591db/bully/spec"
)

// Memory keeps a promise in memory, for tests. It is as strict as a File, but for fixed members, which it does not
// know; and it fails when told to. Its methods may be called from several goroutines.
type Memory struct {
	mu            sync.Mutex
	identity      Identity // zero if members are fixed
	promise       spec.Durable
	found         bool
	saves         int
	before, after func(spec.Durable) error
	err           error
}

// NewMemory returns a Memory of a node of fixed members that has no promise yet.
func NewMemory() *Memory { return &Memory{} }

// NewChangingMemory returns a Memory of a node of changing members as Init and OpenChanging make a File. The error is
// that of Init.
func NewChangingMemory(who Identity, first spec.Configuration) (*Memory, error) {
	if err := checkFirst(who, first); err != nil {
		return nil, err
	}
	return &Memory{identity: who, promise: spec.Durable{Configuration: first}}, nil
}

// Identity returns whose Memory it is; it is zero if members are fixed.
func (m *Memory) Identity() Identity { return m.identity }

// Load returns the promise saved last; found is false if there is none. After an error of Save it returns that.
func (m *Memory) Load() (promise spec.Durable, found bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return spec.Durable{}, false, m.err
	}
	return m.promise, m.found, nil
}

// Save keeps p. After the first error it returns that error for ever.
func (m *Memory) Save(p spec.Durable) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return m.err
	}
	if err := m.save(p); err != nil {
		m.err = fmt.Errorf("storage: could not save %s: %w; this node must stop (R4)", say(p), err)
	}
	return m.err
}

func (m *Memory) save(p spec.Durable) error {
	if err := p.Validate(); err != nil {
		return err
	}
	record := content{identity: m.identity, promise: m.promise, started: m.found}
	if !record.isChanging() {
		// Its members are not known: whoever is promised an epoch is one.
		record.members = []spec.NodeID{p.Grantee}
	}
	if err := record.next(p); err != nil {
		return err
	}
	if m.before != nil {
		if err := m.before(p); err != nil {
			return err
		}
	}
	m.promise, m.found = p, true
	m.saves++
	if m.after != nil {
		return m.after(p)
	}
	return nil
}

// Before makes every Save call hook before it keeps the promise. An error of hook fails the Save, and the promise is
// not kept. A hook may block, as a slow disk does; it must not call the Memory.
func (m *Memory) Before(hook func(spec.Durable) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.before = hook
}

// After makes every Save call hook after it has kept the promise. An error of hook fails the Save, and the promise is
// kept all the same, as may be on a disk. It must not call the Memory.
func (m *Memory) After(hook func(spec.Durable) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.after = hook
}

// Saves returns how many promises have been kept.
func (m *Memory) Saves() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.saves
}

// Restart returns what a node finds that is started again: a Memory with the promise kept last, that does not fail.
func (m *Memory) Restart() *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	return &Memory{identity: m.identity, promise: m.promise, found: m.found}
}
