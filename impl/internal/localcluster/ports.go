package localcluster

import (
	"fmt"
	"math/rand/v2"
	"os"
)

// attempts is how many ports are tried before there is none.
const attempts = 1000

// Reserve finds a free port of 127.0.0.1, and returns its address and what gives it back. A port that was only looked
// at could be taken by somebody else before the node listens there, or while the node is down; so a socket stays bound
// to it. It does not listen, so that connections are refused until a node does; and both it and the node's listener say
// SO_REUSEADDR, as net.Listen does, so that the node may.
//
// The port is below those that the kernel gives to outgoing connections. Above, a node that dials the port of a dead
// one for long enough is connected to itself.
func Reserve() (addr string, release func(), err error) {
	low := ephemeral()
	for range attempts {
		port := 10_000 + rand.IntN(low-10_000)
		if release, err = bind(port); err == nil {
			return fmt.Sprintf("127.0.0.1:%d", port), release, nil
		}
	}
	return "", nil, fmt.Errorf("no free port of 127.0.0.1 in %d attempts from 10000 to %d: %w", attempts, low, err)
}

// ephemeral returns the lowest port that the kernel gives to outgoing connections.
func ephemeral() int {
	const usual, least = 32_768, 12_000
	low := usual
	if text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range"); err == nil {
		if _, err := fmt.Sscan(string(text), &low); err != nil || low < least {
			low = usual
		}
	}
	return low
}
