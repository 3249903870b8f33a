package storage

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
	"github.com/seed-fdf591db/bully/spec"
)

func TestMemory(t *testing.T) {
	m := NewMemory()
	_, found, err := m.Load()
	require.NoError(t, err)
	require.False(t, found, "a new Memory holds no promise")
	require.NoError(t, m.Save(promise(0, 0)))
	require.NoError(t, m.Save(promise(2, 5)))
	p, found, err := m.Load()
	require.NoError(t, err)
	require.True(t, found, "Memory keeps a promise")
	require.Equal(t, promise(2, 5), p)
	require.Equal(t, 2, m.Saves())
}

func TestMemoryFails(t *testing.T) {
	fault := errors.New("no space left on device")
	fail := func(spec.Durable) error { return fault }
	for _, c := range []struct {
		name  string
		spoil func(*Memory)
		save  spec.Durable
		says  string
		after spec.Durable // what a restart finds
	}{
		{"before", func(m *Memory) { m.Before(fail) }, promise(3, 1), "no space left", promise(2, 5)},
		{"after", func(m *Memory) { m.After(fail) }, promise(3, 1), "no space left", promise(3, 1)},
		{"epoch back", func(*Memory) {}, promise(1, 5), "would go back from 2", promise(2, 5)},
		{"second grantee", func(*Memory) {}, promise(2, 4), "is promised to 5", promise(2, 5)},
		{"epoch above the bound", func(*Memory) {}, promise(spec.MaxEpoch+1, 4), "above 2^53-1", promise(2, 5)},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := NewMemory()
			require.NoError(t, m.Save(promise(2, 5)))
			c.spoil(m)
			first := m.Save(c.save)
			require.ErrorContains(t, first, c.says)
			m.Before(nil)
			m.After(nil)
			require.Same(t, first, m.Save(promise(9, 1)))
			_, found, err := m.Load()
			require.Same(t, first, err)
			require.False(t, found, "Memory returns nothing after a save has failed")

			again := m.Restart()
			p, found, err := again.Load()
			require.NoError(t, err)
			require.True(t, found, "a restart finds the promise that was saved")
			require.Equal(t, c.after, p)
			require.NoError(t, again.Save(promise(9, 1)))
		})
	}
}

func TestMemoryOnADiskThatHangs(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		m, begun := NewMemory(), time.Now()
		m.Before(func(spec.Durable) error { time.Sleep(time.Minute); return nil })
		require.NoError(t, m.Save(promise(1, 5)))
		require.Equal(t, time.Minute, time.Since(begun))
	})
}
