package detector

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// text writes events as a file of testdata.
func text(comment string, events ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", comment)
	for i, event := range events {
		b.WriteString(event)
		if i%15 == 14 || i == len(events)-1 {
			b.WriteByte('\n')
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// repeat returns events n times over.
func repeat(n int, events ...string) []string {
	var all []string
	for range n {
		all = append(all, events...)
	}
	return all
}

// constructed returns the series that are made up, by name.
func constructed() map[string]string {
	const beats = "50000*1000"
	random := rand.New(rand.NewPCG(1, 2))
	var jittery, drift []string
	for range 2000 {
		jittery = append(jittery, fmt.Sprint(max(int(50_000+15_000*random.NormFloat64()), 100)))
	}
	for i := range 150 {
		drift = append(drift, fmt.Sprintf("%d*20", 50_000+i*1000))
	}
	with := func(comment string, events ...string) string { return text(comment, append(events, "death")...) }
	return map[string]string{
		"steady":          with("A beat of 50 ms without any jitter: the deviation is 0.", beats),
		"jittery":         with("A beat of 50 ms with a normal jitter of 15 ms.", jittery...),
		"bursty":          with("A network that delivers eight beats at once, every 400 ms.", repeat(200, "400000", "10*7")...),
		"drift":           with("A beat that becomes slower by 1 ms every 20 beats, from 50 to 199 ms.", drift...),
		"pause-15s":       with("The node that is waited for pauses for 15 s, as in a garbage collection.", beats, "15000000", beats),
		"death-at-once":   with("The node dies before anything was heard of it."),
		"death-after-one": with("The node is heard once, and dies.", "50000"),
		"local-pause-15s": with("The follower itself is stopped for 15 s: 300 beats are queued.", beats, "pause=15s", beats),
		"local-pauses": with("The follower itself is stopped for 400 ms, again and again.",
			append(repeat(20, "50000*100", "pause=400ms"), "50000*100")...),
		"suspended": with("The follower's machine is suspended for 10 min, and the others' beats are lost.", beats, "suspend=10m", beats),
		"slower":    with("The beat becomes 400 ms, and stays so.", beats, "400000*1000"),
		"faster":    with("The beat becomes 400 ms, and then 50 ms again.", beats, "400000*500", beats, beats),
		"gc-pauses": with("The node that is waited for pauses for 350 ms every 100 beats, as in a garbage collection.",
			repeat(20, "50000*100", "350000")...),
	}
}

// recordSeries records beats over a TCP connection on the loopback: as the machine is, and with twice as many busy
// goroutines as it has processors.
func recordSeries(t *testing.T) {
	const beats = 800
	write := func(name, comment string) {
		events := append(beatsOverLoopback(t, beats), "death")
		file := filepath.Join("testdata", name+".txt")
		require.NoError(t, os.WriteFile(file, []byte(text(comment, events...)), 0o644))
	}
	write("recorded-loopback", "800 beats of 50 ms over TCP on the loopback, as they arrived.")
	var done atomic.Bool
	defer done.Store(true)
	for range 2 * runtime.GOMAXPROCS(0) {
		go func() {
			for busy := 0; !done.Load(); busy++ {
			}
		}()
	}
	write("recorded-under-load", "800 beats of 50 ms over TCP on the loopback, with two busy goroutines for each processor.")
}

// beatsOverLoopback sends n beats of 50 ms through a connection, and returns when they arrived.
func beatsOverLoopback(t *testing.T, n int) []string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	failed := make(chan error, 1)
	go func() {
		connection, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			failed <- err
			return
		}
		defer connection.Close()
		ticker := time.NewTicker(50 * ms)
		defer ticker.Stop()
		for range n {
			<-ticker.C
			if _, err := connection.Write(make([]byte, 46)); err != nil {
				failed <- err
				return
			}
		}
		failed <- nil
	}()
	connection, err := listener.Accept()
	require.NoError(t, err)
	defer connection.Close()
	var events []string
	frame := make([]byte, 46)
	last := time.Now()
	for range n {
		_, err := connection.Read(frame)
		require.NoError(t, err)
		now := time.Now()
		events = append(events, fmt.Sprint(now.Sub(last).Microseconds()))
		last = now
	}
	require.NoError(t, <-failed)
	return events
}
