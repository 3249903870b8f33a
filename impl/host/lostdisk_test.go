package host

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// TestLostDisk: people see that another node has lost its disk, until it is connected again.
func TestLostDisk(t *testing.T) {
	play(t, 1, 3, false, func(t *testing.T, p *fakeHost) {
		lost := func() (nodes []spec.NodeID) {
			for _, l := range p.Status().Links {
				if l.LostDisk {
					nodes = append(nodes, l.Node)
				}
			}
			return nodes
		}
		p.learn(transport.LostDisk, 3)
		require.Equal(t, []spec.NodeID{id(3)}, lost())
		p.learn(transport.Up, 2)
		require.Equal(t, []spec.NodeID{id(3)}, lost())
		p.learn(transport.Up, 3)
		require.Empty(t, lost())
		p.learn(transport.LostDisk, 3)
		require.Equal(t, []spec.NodeID{id(3)}, lost())
		p.learn(transport.Twice, 3)
		require.Empty(t, lost(), "it was another program, and the one that is heeded goes on")
		p.learn(transport.LostDisk, 9) // who is no member is counted
		require.Empty(t, lost())
		require.EqualValues(t, 3, p.Status().Counters.LostDisks)
		require.NoError(t, p.Check(t.Context()))
	})
}

// A forgetful is a Memory whose record others may disown.
type forgetful struct {
	*storage.Memory
	disowned int
	fails    error
}

func (f *forgetful) Disown() error {
	f.disowned++
	return f.fails
}

// TestDisowned: a node that is disowned stops for good at once, before its first step too, and puts its record out of use.
func TestDisowned(t *testing.T) {
	for name, fails := range map[string]error{"": nil, "and the disk fails": errors.New("full")} {
		t.Run("at its start "+name, func(t *testing.T) {
			bubbletest.Run(t, func(t *testing.T) {
				store, links := &forgetful{storage.NewMemory(), 0, fails}, &scripted{wake: make(chan struct{}, 1)}
				links.give(transport.Event{Kind: transport.Disowned, Node: id(2)})
				h, err := New(Config{ID: id(1), Members: []spec.NodeID{id(1), id(2), id(3)}, Storage: store, Transport: links})
				require.NoError(t, err)
				err = h.Run(t.Context())
				require.ErrorIs(t, err, ErrLostDisk)
				require.ErrorIs(t, err, ErrStopped)
				require.ErrorContains(t, err, "node 2 remembers")
				if fails != nil {
					require.ErrorIs(t, err, fails)
				}
				require.Equal(t, 1, store.disowned)
				require.Empty(t, links.sent)
				_, found, _ := store.Load()
				require.False(t, found, "it has taken no step")
				require.Contains(t, h.Status().Error, "an old copy")
			})
		})
	}
	t.Run("later", func(t *testing.T) {
		store := &forgetful{storage.NewMemory(), 0, nil}
		bubbletest.Run(t, func(t *testing.T) {
			links := &scripted{wake: make(chan struct{}, 1)}
			h, err := New(Config{ID: id(1), Members: []spec.NodeID{id(1)}, Storage: store, Transport: links})
			require.NoError(t, err)
			ended := make(chan error)
			go func() { ended <- h.Run(t.Context()) }()
			synctest.Wait()
			require.True(t, h.Status().Leading, "a node that is alone must lead")
			links.give(transport.Event{Kind: transport.Disowned, Node: id(2)})
			require.ErrorIs(t, <-ended, ErrLostDisk)
			require.False(t, h.Status().Leading, "a disowned node must not lead")
		})
	})
}

// A remembering is a transport that tells the others how far the record had come, and that the first step is taken.
type remembering struct {
	*scripted
	record spec.Durable
	begun  func()
}

func (r remembering) Record() spec.Durable { return r.record }

func (r remembering) Begun() { r.begun() }

// TestRecordIsTold: a transport that was not told what the record is would have the node disowned. It is told of the first
// step once, when that is on disk.
func TestRecordIsTold(t *testing.T) {
	kept := spec.Durable{Epoch: 4, Grantee: id(1), Reserved: spec.Block}
	for told, works := range map[spec.Durable]bool{
		{}: false, kept: true, {Epoch: 4, Reserved: spec.Block}: false, {Epoch: 4, Grantee: id(1), Reserved: 2 * spec.Block}: false,
	} {
		bubbletest.Run(t, func(t *testing.T) {
			store := storage.NewMemory()
			require.NoError(t, store.Save(kept))
			var begun []spec.Question
			h, err := New(Config{ID: id(1), Members: []spec.NodeID{id(1)}, Storage: store,
				Transport: remembering{&scripted{wake: make(chan struct{}, 1)}, told, func() {
					kept, _, _ := store.Load()
					begun = append(begun, kept.Reserved)
				}}})
			require.NoError(t, err)
			ended := make(chan error, 1)
			go func() { ended <- h.Run(t.Context()) }()
			synctest.Wait()
			require.NoError(t, h.Close())
			if works {
				require.Equal(t, []spec.Question{2 * spec.Block}, begun)
				require.NoError(t, <-ended)
				return
			}
			require.ErrorContains(t, <-ended, "give transport.Config.Record what Storage.Load returns")
			require.Empty(t, begun)
		})
	}
}
