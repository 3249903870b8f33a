package check

import "testing"

func TestConfigurationMonotonic(t *testing.T) {
	breaks(t, &configurationMonotonic, "the configuration of node 1 becomes epoch:0 version:1 {1}, which is not newer than epoch:0 version:2 {1 2}",
		listed(t, 1, 0, 2, 1, 2), listed(t, 1, 0, 1, 1))
}
