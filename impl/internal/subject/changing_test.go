package subject_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/impl/internal/subject"
	"github.com/seed-fdf591db/bully/spec"
)

var model = conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })

// TestChangesLikeTheModel lets all happen to clusters whose members change: each step of the core is that of the model.
func TestChangesLikeTheModel(t *testing.T) {
	changes, adopted := 0, 0
	for seed := range uint64(60) {
		choose := rand.New(rand.NewPCG(seed, 4)).IntN
		s := cluster.DrawScript(choose).DrawFirst(choose)
		c, err := cluster.New(s.Members, subject.New, cluster.Options{First: s.First, Records: s.Records, Like: model, Observe: func(c *conformance.Case) {
			switch {
			case c.Want.Ignored || c.Before.Configuration == c.Want.State.Configuration:
			case c.Input.Call == spec.ChangeCall:
				changes++
			default:
				adopted++
			}
		}})
		require.NoError(t, err)
		for range 250 {
			if err := c.Do(c.Draw(choose)); err != nil {
				s.Ops = c.Done()
				require.NoError(t, err, s.Explain(subject.New, cluster.Options{Like: model}))
			}
		}
	}
	require.Greater(t, changes, 100)
	require.Greater(t, adopted, 300)
	t.Log(changes, adopted)
}

// TestKnownLikeTheModel lets the scripts that are kept happen to the core.
func TestKnownLikeTheModel(t *testing.T) {
	known, err := cluster.Known()
	require.NoError(t, err)
	require.Greater(t, len(known), 120)
	for i := range known {
		_, violation, err := known[i].Try(subject.New, cluster.Options{Like: model})
		require.NoError(t, err, known[i].Where())
		require.Nil(t, violation, known[i].Where())
	}
}
