package localcluster

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// nuisances is what a flood does, and how often.
type nuisances struct {
	Silent   int64 // connections that say nothing, all of them kept open
	Garbage  int64 // connections that send random bytes
	Half     int64 // connections that send half a handshake and no more
	Slow     int64 // connections that send a byte now and then
	Frames   int64 // connections that send frames without a handshake
	Refused  int64 // attempts that were not even accepted
	Sent     int64 // bytes
	Survived int64 // connections that the node still has at the end
}

// runFlood is a nuisance to the node at an address for some seconds, and prints what it did.
func runFlood(addr string) int {
	var done nuisances
	var conns []net.Conn
	var mu sync.Mutex
	open := func(count *int64) net.Conn {
		conn, err := net.DialTimeout("tcp", addr, patience)
		if err != nil {
			atomic.AddInt64(&done.Refused, 1)
			return nil
		}
		atomic.AddInt64(count, 1)
		mu.Lock()
		conns = append(conns, conn)
		mu.Unlock()
		return conn
	}
	send := func(conn net.Conn, b []byte) bool {
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
		n, err := conn.Write(b)
		atomic.AddInt64(&done.Sent, int64(n))
		return err == nil
	}
	garbage := make([]byte, 64<<10)
	_, _ = rand.Read(garbage)
	handshake := append([]byte("BULLY\x01\x60"), make([]byte, 96)...)
	kinds := []struct {
		count   *int64
		workers int
		each    int
		do      func(net.Conn)
	}{
		{&done.Silent, 10, 1000, func(net.Conn) {}},
		{&done.Garbage, 2, 100, func(c net.Conn) { send(c, garbage) }},
		{&done.Half, 2, 100, func(c net.Conn) { send(c, handshake[:20]) }},
		{&done.Slow, 50, 1, func(c net.Conn) {
			for _, b := range handshake {
				if !send(c, []byte{b}) {
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
		}},
		{&done.Frames, 2, 100, func(c net.Conn) {
			for range 10 {
				send(c, []byte{0, 0, 0, 45, 1, 4, 0, 0, 0, 0, 0, 0, 0, 1})
			}
		}},
	}
	var all sync.WaitGroup
	for _, kind := range kinds {
		for range kind.workers {
			all.Go(func() {
				for range kind.each {
					if conn := open(kind.count); conn != nil {
						kind.do(conn)
					}
				}
			})
		}
	}
	all.Wait()
	for _, conn := range conns {
		_ = conn.SetReadDeadline(time.Now().Add(time.Millisecond))
		if _, err := conn.Read(make([]byte, 1)); err != nil && os.IsTimeout(err) {
			done.Survived++
		}
	}
	_ = json.NewEncoder(os.Stdout).Encode(done)
	return 0
}

// TestFlood is a nuisance to the leader and to a follower, with garbage, half frames, very slow senders and ten
// thousand connections. No reign may end of it, a node that restarts meanwhile must find its way, and memory must stay
// bounded.
func TestFlood(t *testing.T) {
	t.Parallel()
	const silent = 10_000
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	if limit.Max < silent+1000 {
		t.Skipf("needs more files: this process may open %d, and the test opens %d", limit.Max, silent+1000)
	}
	calmly(t, Config{Nodes: 5, Command: steadyCommand(t, "-preempt", "300ms")}, ids(1, 5), 5, func(c *Cluster, old Reign) error {
		heard := len(c.Events(0))
		_, err := c.Kill(2)
		require.NoError(t, err)
		var floods []*exec.Cmd
		var outs []*os.File
		for _, id := range []int{5, 1} {
			out, err := os.CreateTemp(t.TempDir(), "flood")
			require.NoError(t, err)
			flood := exec.Command("nice", "-n", "10", os.Args[0])
			flood.Env = append(os.Environ(), floodVariable+"="+c.Addr(id))
			flood.Stdout, flood.Stderr, flood.SysProcAttr = out, os.Stderr, attributes()
			require.NoError(t, flood.Start())
			floods, outs = append(floods, flood), append(outs, out)
		}
		require.NoError(t, sleep(t.Context(), 500*time.Millisecond))
		require.NoError(t, c.Start(2))
		agree(t, c, old.Epoch-1, c.IDs()...)
		for i, flood := range floods {
			require.NoError(t, flood.Wait())
			_, err := outs[i].Seek(0, 0)
			require.NoError(t, err)
			var done nuisances
			require.NoError(t, json.NewDecoder(outs[i]).Decode(&done))
			require.NoError(t, outs[i].Close())
			t.Logf("%+v", done)
			require.EqualValues(t, silent, done.Silent+done.Refused)
			require.Zero(t, done.Refused, "a node stopped to accept")
		}
		last := agree(t, c, old.Epoch-1, c.IDs()...)
		for _, id := range c.IDs() {
			u, err := c.Usage(id)
			require.NoError(t, err)
			t.Logf("node %d: %.1f MiB, at most %.1f MiB", id, float64(u.Resident)/(1<<20), float64(u.Peak)/(1<<20))
			require.Less(t, u.Peak, int64(48<<20), "bytes of node %d", id)
		}
		if epochs := epochsSince(c.Events(heard)); last.Epoch != old.Epoch || len(epochs) > 1 {
			return fmt.Errorf("it cost a reign: epochs %v after %d", epochs, old.Epoch)
		}
		return nil
	})
}
