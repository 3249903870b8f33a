package catalogue

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/explore"
)

// TestOpen sees that the model of each module is asked, and that it refuses what it does not know.
func TestOpen(t *testing.T) {
	for _, module := range Modules() {
		_, err := Open(explore.Configuration{Module: module, Specification: "Spec",
			Constants: map[string]string{"Nonsense": "1"}})
		require.Error(t, err, module)
		require.NotContains(t, err.Error(), "has no model in Go", module)
	}
	_, err := Open(explore.Configuration{Module: "MCNode"})
	require.EqualError(t, err, `catalogue: module "MCNode" has no model in Go; `+
		`these have one: MCCluster, MCFencing, MCLease, MCMembers, MCPromises, MCRaftElection, MCRing, MCTextbook, MCTextbookStamp, MCUsers`)
}
