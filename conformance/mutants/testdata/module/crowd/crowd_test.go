package crowd

import "testing"

func TestRun(t *testing.T) {
	if err := Run(); err != nil {
		t.Fatal(err)
	}
}
