package hold

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// programLinks is how many connections the program has that dies.
const programLinks = 32

// TestProgramWithLinks is the program that dies: it says where it listens, and when it has all its connections.
func TestProgramWithLinks(t *testing.T) {
	if os.Getenv("BULLY_PROGRAM_WITH_LINKS") == "" {
		t.Skip("another test starts it")
	}
	listener, err := Listen("127.0.0.1:0")
	require.NoError(t, err)
	fmt.Println("listens", listener.Addr())
	var held []net.Conn
	for range programLinks {
		link, err := listener.Accept()
		require.NoError(t, err)
		held = append(held, link)
	}
	for _, link := range held {
		require.Less(t, descriptorOf(t, link.(*net.TCPConn)), descriptorOf(t, listener))
	}
	fmt.Println("has", len(held))
	_, _ = listener.Accept()
	require.Fail(t, "it is to be killed")
}

// descriptorOf returns the number of a socket's descriptor.
func descriptorOf(t *testing.T, of syscall.Conn) (number uintptr) {
	t.Helper()
	raw, err := of.SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Control(func(fd uintptr) { number = fd }))
	return number
}

// TestAddressGoesFirst: whoever sees its connection to a process break that was killed is refused at once.
func TestAddressGoesFirst(t *testing.T) {
	program := exec.Command(os.Args[0], "-test.run=^TestProgramWithLinks$", "-test.v")
	program.Env = append(os.Environ(), "BULLY_PROGRAM_WITH_LINKS=yes")
	out, err := program.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, program.Start())
	t.Cleanup(func() {
		_ = program.Process.Kill()
		_ = program.Wait()
	})
	lines := bufio.NewScanner(out)
	said := func(word string) string {
		for lines.Scan() {
			if words := strings.Fields(lines.Text()); len(words) == 2 && words[0] == word {
				return words[1]
			}
		}
		require.Fail(t, "it does not say it", word)
		return ""
	}
	address := said("listens")
	dialled := make(chan error, programLinks)
	for range programLinks {
		link, err := net.Dial("tcp", address)
		require.NoError(t, err)
		go func() {
			_, _ = io.Copy(io.Discard, link)
			again, err := net.Dial("tcp", address)
			if err == nil {
				_ = again.Close()
			}
			dialled <- err
		}()
	}
	said("has")
	require.NoError(t, program.Process.Kill())
	for range programLinks {
		require.ErrorIs(t, <-dialled, syscall.ECONNREFUSED)
	}
}
