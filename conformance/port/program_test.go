package port

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAnswer has a port answer never, at the last moment, and not any more.
func TestAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &program{lines: make(chan line, 1)}
		begin := time.Now()
		_, _, came := g.answer(5 * time.Second)
		require.False(t, came)
		require.Equal(t, 5*time.Second, time.Since(begin))

		go func() {
			time.Sleep(5*time.Second - 1)
			g.lines <- line{text: []byte("here")}
		}()
		l, more, came := g.answer(5 * time.Second)
		require.True(t, came && more)
		require.Equal(t, "here", string(l.text))

		close(g.lines)
		_, more, came = g.answer(5 * time.Second)
		require.True(t, came)
		require.False(t, more)
	})
}
