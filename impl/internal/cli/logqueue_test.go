package cli

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
)

func ExampleLogQueue() {
	log := NewLogQueue(os.Stdout, nil)
	logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{} // the same each time
		}
		return a
	}}))
	logger.Info("leads", "epoch", 3)
	fmt.Println(log.Close(time.Second), log.Dropped())
	// Output:
	// level=INFO msg=leads epoch=3
	// true 0
}

// stuck is a writer that waits until it may go on.
type stuck struct {
	free chan struct{}
	text bytes.Buffer
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.free
	return s.text.Write(p)
}

// TestNeverWaits writes ten times as much as there is room for, to a reader that has stopped: what was first is kept, the rest is
// counted, and both are said when the reader goes on.
func TestNeverWaits(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		s := &stuck{free: make(chan struct{})}
		q := NewLogQueue(s, nil)
		begin := time.Now()
		const written = 10 * maxLogWrites
		for i := range written {
			n, err := fmt.Fprintf(q, "line %d\n", i)
			require.NoError(t, err)
			require.NotZero(t, n)
			if i == 0 {
				synctest.Wait() // it is with the reader now
			}
		}
		require.Zero(t, time.Since(begin))
		kept := 1 + maxLogWrites
		require.EqualValues(t, written-kept, q.Dropped())
		require.False(t, q.Close(time.Second), "the reader still sleeps")
		require.Equal(t, time.Second, time.Since(begin))
		_, err := io.WriteString(q, "too late\n")
		require.NoError(t, err)
		require.EqualValues(t, written-kept+1, q.Dropped())
		close(s.free)
		require.True(t, q.Close(time.Second), "Close must report that all lines are written")
		lines := strings.Split(strings.TrimSpace(s.text.String()), "\n")
		require.Len(t, lines, kept+1)
		require.Equal(t, "line 0", lines[0])
		require.Equal(t, fmt.Sprintf("log: %d lines were dropped: whoever reads this log was too slow", written-kept+1), lines[1])
		require.Equal(t, fmt.Sprintf("line %d", kept-1), lines[kept])
	})
}

// TestSays: whoever reads a log by a program has what was dropped said in his own words.
func TestSays(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		s := &stuck{free: make(chan struct{})}
		q := NewLogQueue(s, func(n uint64) string { return fmt.Sprintf("%d gone\n", n) })
		_, err := q.Write([]byte("first\n"))
		require.NoError(t, err)
		synctest.Wait()
		_, err = q.Write(make([]byte, maxLogBytes+1))
		require.NoError(t, err)
		close(s.free)
		require.True(t, q.Close(time.Second), "Close must report that all lines are written")
		require.Equal(t, "first\n1 gone\n", s.text.String())
	})
}

// TestFewGreatLines bounds what is held by its bytes too.
func TestFewGreatLines(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		s := &stuck{free: make(chan struct{})}
		q := NewLogQueue(s, nil)
		great := bytes.Repeat([]byte("x"), maxLogBytes/4)
		for range 6 {
			_, err := q.Write(great)
			require.NoError(t, err)
			synctest.Wait()
		}
		require.EqualValues(t, 1, q.Dropped(), "one is with the reader, four are held")
		close(s.free)
		require.True(t, q.Close(time.Second), "Close must report that all lines are written")
	})
}

// TestWriteIsCopied gives a buffer that is used again, as loggers do, from many goroutines.
func TestWriteIsCopied(t *testing.T) {
	var out bytes.Buffer
	q := NewLogQueue(&out, nil)
	var all sync.WaitGroup
	for k := range 4 {
		all.Go(func() {
			line := []byte("aaaa\n")
			for range 100 {
				for i := range 4 {
					line[i] = byte('a' + k)
				}
				_, _ = q.Write(line)
				copy(line, "----")
			}
		})
	}
	all.Wait()
	require.True(t, q.Close(time.Minute), "Close must report that all lines are written")
	require.Zero(t, q.Dropped())
	for line := range strings.Lines(out.String()) {
		require.Equal(t, strings.Repeat(line[:1], 4)+"\n", line)
		require.NotEqual(t, '-', line[0])
	}
}
