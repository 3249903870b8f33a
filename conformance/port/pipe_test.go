package port

import (
	"bytes"
	"io"
	"os"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// TestPipe holds that a pipe is one of the system, as far as ports can tell: it holds 64 KiB, and whoever waits at it goes on when either end
// is closed.
func TestPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := newPipe()
		n, err := w.Write(make([]byte, pipeSize))
		require.NoError(t, err)
		require.Equal(t, pipeSize, n)
		written := make(chan error, 1)
		go func() {
			_, err := w.Write([]byte("more"))
			written <- err
		}()
		synctest.Wait()
		require.Empty(t, written, "it is full")
		_, err = io.ReadFull(r, make([]byte, pipeSize))
		require.NoError(t, err)
		require.NoError(t, <-written)

		require.NoError(t, w.Close())
		require.ErrorIs(t, w.Close(), os.ErrClosed)
		rest, err := io.ReadAll(r)
		require.NoError(t, err)
		require.Equal(t, "more", string(rest), "what was written before can be read")
		_, err = w.Write([]byte("x"))
		require.ErrorIs(t, err, os.ErrClosed)

		r, w = newPipe()
		go func() {
			_, err := w.Write(make([]byte, 2*pipeSize))
			written <- err
		}()
		synctest.Wait()
		require.NoError(t, r.Close())
		require.ErrorIs(t, <-written, io.ErrClosedPipe)
		_, err = r.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrClosed)

		r, w = newPipe()
		read := make(chan error, 1)
		go func() {
			_, err := io.Copy(&bytes.Buffer{}, r)
			read <- err
		}()
		synctest.Wait()
		require.NoError(t, w.Close())
		require.NoError(t, <-read)
	})
}
