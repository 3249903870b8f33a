package behaviour

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/traces/recording"
)

// coherent requires that what can be read of a text becomes a recording that is coherent, and perhaps a trace.
func coherent(t testing.TB, text []byte) (isRecording, isTrace bool) {
	b, err := Read(text)
	if err != nil {
		return false, false
	}
	made, err := b.Recording()
	if err == nil {
		isRecording = true
		checker, err := recording.NewChecker(&made.Header)
		require.NoError(t, err, "%q", text)
		for i := range made.Frames {
			require.NoError(t, checker.Frame(&made.Frames[i]), "%q", text)
		}
		require.NoError(t, checker.End())
	}
	_, err = b.Trace()
	return isRecording, err == nil
}

// TestMutatedTexts changes bytes of what TLC has printed, leaves some out, and doubles some.
func TestMutatedTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	recordings, traces := 0, 0
	for _, name := range []string{"TextbookB01Partition.txt", "ClusterGrantsTwice.txt", "invariant-tool.txt", "check-v.txt"} {
		whole, err := os.ReadFile("../engine/testdata/tlc/" + name)
		require.NoError(t, err)
		for range 60 {
			text := bytes.Clone(whole)
			for range 1 + random.IntN(4) {
				i := random.IntN(len(text))
				j := min(len(text), i+random.IntN(60))
				switch random.IntN(3) {
				case 0:
					text[i] = byte(' ' + random.IntN(95))
				case 1:
					text = append(text[:i], text[j:]...)
				case 2:
					text = append(text[:j:j], append(bytes.Clone(text[i:j]), text[j:]...)...)
				}
			}
			isRecording, isTrace := coherent(t, text)
			if isRecording {
				recordings++
			}
			if isTrace {
				traces++
			}
		}
	}
	require.Greater(t, recordings, 50)
	require.Positive(t, traces)
	t.Logf("%d recordings, %d traces", recordings, traces)
}
