package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// nonMemberOf returns what the i-th non-member says.
func nonMemberOf(i int) hello {
	o := offerOf(spec.IntegerID(uint64(1000 + i)))
	o.boot = uint64(1 + i)
	return o
}

// meetMany connects non-members until so many were welcome, and returns their connections and how many had to wait.
func meetMany(t *testing.T, node *TCP, count int) (conns []net.Conn, busy int) {
	for len(conns) < count {
		conn := connect(t, node)
		switch a := greetAs(t, conn, nonMemberOf(len(conns))); a.code {
		case welcome:
			conns = append(conns, conn)
		case busyRefusal:
			busy++
			ends(t, conn)
		default:
			require.FailNow(t, "another answer", a.code.String())
		}
	}
	return conns, busy
}

// There are never more non-members than allowed: the one that has been quiet for longest gives way. No member does.
func TestNonMembersAreBounded(t *testing.T) {
	node := aloneChanging(t, nil)
	node.SetMembers(map[spec.NodeID]string{two: "two"})
	member := meetAs(t, node, offerOf(two))
	conns, _ := meetMany(t, node, maxNonMembers)
	for i, conn := range conns {
		write(t, conn, claim(nonMemberOf(i).from, one, i))
		untilEpoch(t, node, i)
	}
	write(t, conns[0], claim(nonMemberOf(0).from, one, 100), claim(nonMemberOf(0).from, one, 101)) // and so 1 is the quietest
	untilEpoch(t, node, 101)
	write(t, conns[1], claim(nonMemberOf(1).from, one, 102))
	eventually(t, "it has come", func() bool { return node.Stats().Received == maxNonMembers+3 })
	write(t, conns[0], claim(nonMemberOf(0).from, one, 103))
	for i := 2; i < maxNonMembers; i++ {
		write(t, conns[i], claim(nonMemberOf(i).from, one, 200+i))
	}
	eventually(t, "it has come", func() bool { return node.Stats().Received == 2*maxNonMembers+2 })

	before := len(conns)
	for i := before; i < before+1; i++ {
		conn := connect(t, node)
		for greetAs(t, conn, nonMemberOf(i)).code == busyRefusal {
			conn = connect(t, node)
		}
		conns = append(conns, conn)
	}
	ends(t, conns[1])
	write(t, conns[before], claim(nonMemberOf(before).from, one, 300))
	events := untilEpoch(t, node, 300)
	require.Empty(t, epochs(events, nonMemberOf(1).from), "what is not delivered of it is dropped")
	require.Equal(t, []int{103}, epochs(events, nonMemberOf(0).from))
	stats := node.Stats()
	require.Len(t, stats.NonMembers, maxNonMembers)
	require.Equal(t, uint64(2*maxNonMembers+3), stats.Received, "what has come of it is counted still")
	require.Len(t, stats.Links, 1)
	require.True(t, stats.Links[0].Hears, "a member must stay connected")
	write(t, member, claim(two, one, 301))
	untilEpoch(t, node, 301)
	node.Send(claim(one, nonMemberOf(1).from, 1))
	require.Equal(t, uint64(1), node.Stats().Unsendable, "it is not known any more")
}

// Nor do they come more often than allowed; a member comes whenever it likes.
func TestNonMembersComeAtAPace(t *testing.T) {
	node := aloneChanging(t, nil)
	node.SetMembers(map[spec.NodeID]string{two: "two"})
	begun := time.Now()
	_, busy := meetMany(t, node, maxNonMembers+5)
	require.GreaterOrEqual(t, time.Since(begun), 4*meetEvery)
	require.Equal(t, uint64(busy), node.Stats().Refused[busyRefusal])
	for range 3 * maxNonMembers {
		o := offerOf(two)
		meetAs(t, node, o)
	}
	require.Equal(t, uint64(busy), node.Stats().Refused[busyRefusal])
}

// A non-member who says much is read at a pace, and nobody waits for it.
func TestNonMemberIsReadAtAPace(t *testing.T) {
	node := aloneChanging(t, func(c *Config) { c.Inbox = 1000 })
	node.SetMembers(map[spec.NodeID]string{two: "two"})
	member, nonMember := meetAs(t, node, offerOf(two)), meetAs(t, node, offerOf(nine))
	begun := time.Now()
	for i := range nonMemberBurst + 100 {
		write(t, nonMember, claim(nine, one, i))
	}
	for i := range 200 {
		write(t, member, claim(two, one, 1000+i))
	}
	untilEpoch(t, node, 1199)
	heard := node.Stats().NonMembers[0].Received
	require.LessOrEqual(t, heard, nonMemberBurst+2+uint64(time.Since(begun)/nonMemberEvery))
	require.LessOrEqual(t, node.Stats().NonMembers[0].Waiting, nonMemberInbox)
	take(t, node, func(e Event) bool { return e.Node == nine && e.Message.Epoch >= nonMemberBurst+5 }) // it is read all the same
	require.GreaterOrEqual(t, time.Since(begun), 4*nonMemberEvery)
}

// What a node has to say as a member has the room that a member's has.
func TestNonMemberThatJoinsHasAMembersRoom(t *testing.T) {
	node := aloneChanging(t, nil)
	conn := meetAs(t, node, offerOf(two))
	node.SetMembers(map[spec.NodeID]string{two: "two"})
	for i := range nonMemberInbox + 10 {
		write(t, conn, claim(two, one, i))
	}
	require.Len(t, untilCounted(t, node, nonMemberInbox+10), nonMemberInbox+10)
}

// untilCounted waits until so many messages have come, and returns them.
func untilCounted(t *testing.T, node *TCP, count uint64) (events []Event) {
	eventually(t, "all have come", func() bool { return node.Stats().Received == count })
	for e, ok := node.Next(); ok; e, ok = node.Next() {
		events = append(events, e)
	}
	return events
}

// dialsOf makes a node dial by the hands of the test, whoever it is to.
func dialsOf(c *Config) <-chan dial {
	dials := byHand(c)
	to := c.Dial
	c.Dial = func(ctx context.Context, address string) (net.Conn, error) {
		if address != "two" {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return to(ctx, address)
	}
	return dials
}

// answerAs answers a dial as node 2 of a cluster of changing members, and returns its end of the connection.
func (d dial) answerAs(t *testing.T, incarnation, boot uint64) net.Conn {
	here, there := net.Pipe()
	t.Cleanup(func() { here.Close() })
	d.result <- dialled{conn: there}
	_, err := readHello(here)
	require.NoError(t, err)
	_, err = here.Write(answer{welcome, two, life{incarnation: incarnation, boot: boot}}.append(nil))
	require.NoError(t, err)
	return here
}

// alwaysIdle is so short that a connection to a non-member is closed once all is written.
const alwaysIdle = time.Millisecond

// saidAt makes an offer of node 2 that says where the test answers dials.
func saidAt(boot uint64) hello {
	o := offerOf(two)
	o.address, o.boot = "two", boot
	return o
}

// What is sent to a non-member waits for a connection to where it says that it is; that is closed when it is idle.
func TestNonMemberIsAnswered(t *testing.T) {
	var dials <-chan dial
	node := aloneChanging(t, func(c *Config) { dials = dialsOf(c); c.Changing.Idle = alwaysIdle })
	node.Send(claim(one, two, 1))
	require.Equal(t, uint64(1), node.Stats().Unsendable, "nobody knows who that is")
	meetAs(t, node, saidAt(7))
	for round := range 3 {
		node.Send(claim(one, two, 10*round))
		node.Send(claim(one, two, 10*round+1))
		conn := next(t, dials).answerAs(t, disk(two), 7)
		for i := range 2 {
			m, err := spec.ReadFrame(conn)
			require.NoError(t, err)
			require.Equal(t, claim(one, two, 10*round+i), m)
		}
		ends(t, conn)
		eventually(t, "it has ended", func() bool { return !node.Stats().NonMembers[0].Up })
	}
	nothing(t, node)
	require.Equal(t, uint64(6), node.Stats().Sent)
}

// What was sent to a non-member before it restarted is lost, and what it cannot be reached for too.
func TestNonMemberHearsNothingOld(t *testing.T) {
	var dials <-chan dial
	node := aloneChanging(t, func(c *Config) { dials = dialsOf(c); c.BackoffMin, c.BackoffMax = time.Millisecond, time.Millisecond })
	lost := uint64(0)
	loses := func(why string, n uint64) {
		t.Helper()
		lost += n
		eventually(t, why, func() bool { return node.Stats().Lost == lost })
	}

	meetAs(t, node, saidAt(7))
	node.Send(claim(one, two, 1))
	d := next(t, dials)
	conn := d.answerAs(t, disk(two), 8) // another run of its program answers
	loses("it was for the one before", 1)
	node.Send(claim(one, two, 2))
	m, err := spec.ReadFrame(conn)
	require.NoError(t, err)
	require.Equal(t, claim(one, two, 2), m)
	require.NoError(t, conn.Close())
	eventually(t, "that is known", func() bool { return !node.Stats().NonMembers[0].Up })

	node.Send(claim(one, two, 3))
	d = next(t, dials)
	meetAs(t, node, saidAt(9)) // another run of its program has come
	loses("it was for the one before", 1)
	node.Send(claim(one, two, 4))
	conn = d.answerAs(t, disk(two), 9)
	m, err = spec.ReadFrame(conn)
	require.NoError(t, err)
	require.Equal(t, claim(one, two, 4), m)
	require.NoError(t, conn.Close())
	eventually(t, "that is known", func() bool { return !node.Stats().NonMembers[0].Up })

	node.Send(claim(one, two, 5))
	next(t, dials).fail(errRefused)
	loses("it cannot be reached", 1)
	node.Send(claim(one, two, 6))
	next(t, dials).answerAs(t, disk(two)+1, 9) // another disk is there
	loses("it is not who has come", 1)
	nothing(t, node) // that it is refused proves nothing about a non-member

	node.Send(claim(one, two, 7))
	next(t, dials)
	for range maxWaiting + 2 {
		node.Send(claim(one, two, 8))
	}
	require.Equal(t, uint64(3), node.Stats().Dropped)
	require.Equal(t, maxWaiting, node.Stats().NonMembers[0].Queued)
}

// When it comes anew after a restart, the connection to what it was before is closed.
func TestNonMemberThatRestartsIsDialledAnew(t *testing.T) {
	var dials <-chan dial
	node := aloneChanging(t, func(c *Config) { dials = dialsOf(c); c.Changing.Idle = never })
	for boot := range uint64(3) {
		meetAs(t, node, saidAt(7+boot))
		node.Send(claim(one, two, int(boot)))
		conn := next(t, dials).answerAs(t, disk(two), 7+boot)
		m, err := spec.ReadFrame(conn)
		require.NoError(t, err)
		require.Equal(t, claim(one, two, int(boot)), m)
		require.Zero(t, node.Stats().Lost)
		meetAs(t, node, saidAt(7+boot))
		require.True(t, node.Stats().NonMembers[0].Up, "that was the same")
	}
}

// A dial that has failed costs what was sent to the run that it was for, by then, and nothing else.
func TestGivingUp(t *testing.T) {
	var dials <-chan dial
	node := aloneChanging(t, func(c *Config) { dials = dialsOf(c) })
	meetAs(t, node, saidAt(7))
	for i := range 4 {
		node.Send(claim(one, two, i))
	}
	next(t, dials)
	l := node.byNode[two]
	for _, c := range []struct{ boot, owed, left int }{{6, 4, 4}, {7, 1, 3}, {7, 0, 3}, {7, 9, 0}} {
		node.giveUp(l, attempt{boot: uint64(c.boot), owed: c.owed})
		require.Equal(t, c.left, node.Stats().NonMembers[0].Queued)
		require.Equal(t, uint64(4-c.left), node.Stats().Lost)
	}
}

// One that has given way is not connected any more, however far that is.
func TestNonMemberGivesWayWhileItIsDialled(t *testing.T) {
	var dials <-chan dial
	node := aloneChanging(t, func(c *Config) { dials = dialsOf(c); c.Changing.Idle = never })
	meetAs(t, node, saidAt(7))
	node.Send(claim(one, two, 1))
	here, there := net.Pipe()
	t.Cleanup(func() { here.Close() })
	require.NoError(t, here.SetDeadline(time.Now().Add(patience)))
	next(t, dials).result <- dialled{conn: there}
	_, err := readHello(here)
	require.NoError(t, err)
	meetMany(t, node, maxNonMembers)
	_, err = here.Write(answer{welcome, two, life{incarnation: disk(two), boot: 7}}.append(nil))
	require.NoError(t, err)
	ends(t, here)
	eventually(t, "what waited is lost", func() bool { return node.Stats().Lost == 1 })
}

// TestRemembers: which disk a node had is known from when it has said something, whether it is a member or was one. A disk that
// knows as much as a new one does is nothing to remember.
func TestRemembers(t *testing.T) {
	node := aloneChanging(t, nil)
	conn := meetAs(t, node, offerOf(nine))
	_, remembers := node.Remembers(nine)
	require.False(t, remembers, "it has said nothing")
	write(t, conn, claim(nine, one, 1))
	until(t, node, Received, nine)
	incarnation, remembers := node.Remembers(nine)
	require.True(t, remembers, "a node that has sent a message is remembered")
	require.Equal(t, disk(nine), incarnation)
	_, remembers = node.Remembers(two)
	require.False(t, remembers, "nobody has heard of it")
}

// A non-member who does not say where it is cannot be answered.
func TestNonMemberWithoutAddress(t *testing.T) {
	node := aloneChanging(t, nil)
	o := offerOf(nine)
	o.address = ""
	meetAs(t, node, o)
	node.Send(claim(one, nine, 1))
	require.Equal(t, uint64(1), node.Stats().Lost)
	require.Zero(t, node.Stats().NonMembers[0].Dials)
}

// Non-members by the thousand, each under another name and with something to say, do the members no harm.
func TestFloodOfNonMembers(t *testing.T) {
	g := newChangingTCP(t, nil, one, two, three)
	nodes := make(map[spec.NodeID]*TCP)
	for _, id := range []spec.NodeID{one, two, three} {
		nodes[id] = begin(g, id, one, two, three).(*TCP)
	}
	for _, node := range nodes {
		up := 0
		take(t, node, func(e Event) bool {
			if e.Kind == Up {
				up++
			}
			return up == 2
		})
	}
	before, goroutines := heap(), runtime.NumGoroutine()
	const flood = 3000
	for i := range flood {
		conn, err := net.Dial("tcp", nodes[one].Addr().String())
		require.NoError(t, err)
		o := nonMemberOf(i)
		o.address = loopback() + ":1" // nobody is there
		frames := framed(claim(o.from, one, 1_000_000+i))
		_, _ = conn.Write(append(o.append(nil), frames...))
		t.Cleanup(func() { conn.Close() })
		if i%100 == 0 {
			nodes[two].Send(claim(two, one, i))
			for _, e := range untilEpoch(t, nodes[one], i) {
				if e.Node != two {
					nodes[one].Send(claim(one, e.Node, 1)) // as a node that refuses
				}
			}
			nodes[one].Send(claim(one, three, i))
			untilEpoch(t, nodes[three], i)
			eventually(t, "there are few goroutines", func() bool { return runtime.NumGoroutine() <= goroutines+defaultPending+3*maxNonMembers+10 })
		}
	}
	eventually(t, "all have been accepted", func() bool { return nodes[one].Stats().Accepted >= flood+2 })
	stats := nodes[one].Stats()
	require.LessOrEqual(t, len(stats.NonMembers), maxNonMembers)
	for _, l := range stats.Links {
		require.True(t, l.Up && l.Hears, l)
		require.Zero(t, l.Replaced+l.Dropped+l.Overrun)
	}
	require.Less(t, heap()-before, int64(4<<20)+flood*400, "400 bytes are what the test holds of each")
	t.Logf("%d busy, %d evicted, %d heard", stats.Refused[busyRefusal], stats.Evicted, stats.Received)
	g.kill(two)
	until(t, nodes[one], Dead, two)
	begin(g, two, one, two, three)
	until(t, nodes[one], Up, two)
}

// With TLS a non-member shows a certificate of the cluster that names it, as any member does.
func TestNonMembersAndTLS(t *testing.T) {
	a := newAuthority(t)
	names := map[spec.NodeID]func(*x509.Certificate){one: dnsName("1"), nine: uriName("bully://test/9")}
	g := newChangingTCP(t, secure(t, a, names), one, nine)
	first, nonMember := begin(g, one, one), begin(g, nine, one)
	until(t, nonMember, Up, one)
	nonMember.Send(claim(nine, one, 1))
	untilEpoch(t, first, 1)
	first.Send(claim(one, nine, 2))
	untilEpoch(t, nonMember, 2)

	imposter := a.config(t, dnsName("9"))
	imposter.ServerName = "1"
	conn := tls.Client(connect(t, first.(*TCP)), imposter)
	require.Equal(t, wrongNameRefusal, greetAs(t, conn, offerOf(two)).code)
	require.Len(t, first.(*TCP).Stats().NonMembers, 1)
}
