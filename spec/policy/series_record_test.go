package policy

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

// text writes events as a file of testdata has them.
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
	const heartbeats = "50000*1000"
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
		"steady":          with("Heartbeats every 50 ms without any jitter: the deviation is 0.", heartbeats),
		"jittery":         with("Heartbeats every 50 ms with a normal jitter of 15 ms.", jittery...),
		"bursty":          with("A network that delivers eight heartbeats at once, every 400 ms.", repeat(200, "400000", "10*7")...),
		"drift":           with("A heartbeat interval that becomes longer by 1 ms every 20 heartbeats, from 50 to 199 ms.", drift...),
		"pause-15s":       with("The node that is waited for pauses for 15 s, as in a garbage collection.", heartbeats, "15000000", heartbeats),
		"death-at-once":   with("The node dies before anything was heard of it."),
		"death-after-one": with("The node is heard once, and dies.", "50000"),
		"local-pause-15s": with("The follower itself is stopped for 15 s: 300 heartbeats are queued.", heartbeats, "pause=15s", heartbeats),
		"local-pauses": with("The follower itself is stopped for 400 ms, again and again.",
			append(repeat(20, "50000*100", "pause=400ms"), "50000*100")...),
		"suspended": with("The follower's machine is suspended for 10 min, and the others' heartbeats are lost.", heartbeats, "suspend=10m", heartbeats),
		"slower":    with("The heartbeat interval becomes 400 ms, and stays so.", heartbeats, "400000*1000"),
		"faster":    with("The heartbeat interval becomes 400 ms, and then 50 ms again.", heartbeats, "400000*500", heartbeats, heartbeats),
		"gc-pauses": with("The node that is waited for pauses for 350 ms every 100 heartbeats, as in a garbage collection.",
			repeat(20, "50000*100", "350000")...),
	}
}

// recordSeries records heartbeats over a TCP connection on the loopback: as the machine is, and with twice as many busy
// goroutines as it has processors.
func recordSeries(t *testing.T) {
	const heartbeats = 800
	write := func(name, comment string) {
		events := append(heartbeatsOverLoopback(t, heartbeats), "death")
		file := filepath.Join("testdata", name+".txt")
		require.NoError(t, os.WriteFile(file, []byte(text(comment, events...)), 0o644))
	}
	write("recorded-loopback", "800 heartbeats, every 50 ms, over TCP on the loopback, as they arrived.")
	var done atomic.Bool
	defer done.Store(true)
	for range 2 * runtime.GOMAXPROCS(0) {
		go func() {
			for busy := 0; !done.Load(); busy++ {
			}
		}()
	}
	write("recorded-under-load", "800 heartbeats, every 50 ms, over TCP on the loopback, with two busy goroutines for each processor.")
}

// heartbeatsOverLoopback sends n heartbeats, every 50 ms, through a connection, and returns when they arrived.
func heartbeatsOverLoopback(t *testing.T, n int) []string {
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
