package nameserver_test

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/nameserver"
)

// TestServer asks for each kind of record with the resolver of the standard library.
func TestServer(t *testing.T) {
	names, err := nameserver.Start()
	require.NoError(t, err)
	defer func() { require.NoError(t, names.Close()) }()
	by := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, names.Address())
	}}
	names.Serve("_peer._tcp.bully.test", nameserver.Target{Host: "bully-0.bully.test", Port: 7000})
	names.Host("bully-0.bully.test", "127.0.0.2")
	for _, b := range []nameserver.Behaviour{nameserver.Answers, nameserver.Truncates} {
		names.Behave(b)
		_, services, err := by.LookupSRV(t.Context(), "", "", "_peer._tcp.bully.test")
		require.NoError(t, err)
		require.Len(t, services, 1)
		require.Equal(t, net.SRV{Target: "bully-0.bully.test.", Port: 7000, Priority: 1, Weight: 1}, *services[0])
		hosts, err := by.LookupHost(t.Context(), "Bully-0.bully.test")
		require.NoError(t, err)
		require.Equal(t, []string{"127.0.0.2"}, hosts)
		back, err := by.LookupAddr(t.Context(), "127.0.0.2")
		require.NoError(t, err)
		require.Equal(t, []string{"bully-0.bully.test."}, back)
	}
	once := names.Asked()
	_, err = by.LookupAddr(t.Context(), "127.0.0.2")
	require.NoError(t, err)
	require.Equal(t, once+2, names.Asked(), "what was cut short is asked for again")
	names.Pool("pool.test", "127.0.0.2", "127.0.0.3")
	pool, err := by.LookupHost(t.Context(), "pool.test")
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"127.0.0.2", "127.0.0.3"}, pool)
	back, err := by.LookupAddr(t.Context(), "127.0.0.2")
	require.NoError(t, err)
	require.Equal(t, []string{"bully-0.bully.test."}, back, "a pool is nobody's own name")
	for _, name := range []string{"none.test", "_peer._tcp.bully.test"} {
		_, err = by.LookupHost(t.Context(), name)
		failed, ok := err.(*net.DNSError)
		require.True(t, ok && failed.IsNotFound, "%v", err)
	}
	names.Forget("bully-0.bully.test")
	_, err = by.LookupHost(t.Context(), "bully-0.bully.test")
	require.Error(t, err)
	require.Positive(t, names.Asked())
}
