package slowtest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// TestOnly runs a slow test with each value of the variable. Only "yes" runs it.
func TestOnly(t *testing.T) {
	for value, runs := range map[string]bool{"": false, "no": false, "1": false, "yes": true} {
		t.Setenv(slowtest.Variable, value)
		ran, name := false, "variable is "+value
		require.True(t, t.Run(name, func(t *testing.T) {
			slowtest.Only(t, "it is an example")
			ran = true
		}))
		require.Equal(t, runs, ran, name)
		require.Equal(t, runs, slowtest.Wanted(), name)
	}
}

// TestNoRace sees that the short form alone leaves out what cannot race.
func TestNoRace(t *testing.T) {
	ran := false
	require.True(t, t.Run("one goroutine", func(t *testing.T) {
		slowtest.NoRace(t, "it is an example")
		ran = true
	}))
	require.NotEqual(t, testing.Short(), ran)
}
