package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTable holds the table of this repository to fit its source: a mutant that is stale is found without running any.
func TestTable(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	_, all := repositoryTable(t)
	areas := map[string]int{}
	for _, m := range all {
		for _, area := range []string{"impl/bully/", "model/", "impl/storage/", "impl/host/", "spec/policy/", "impl/transport/", "impl/resource/", "impl/trace/", "conformance/"} {
			if strings.HasPrefix(m.File, area) {
				areas[area]++
			}
		}
	}
	for area, least := range map[string]int{
		"impl/bully/": 40, "model/": 10, "impl/storage/": 5, "impl/host/": 10, "spec/policy/": 10, "impl/transport/": 4, "impl/resource/": 3, "impl/trace/": 3, "conformance/": 5,
	} {
		require.GreaterOrEqual(t, areas[area], least, area)
	}
}
