package failing

import "testing"

func TestFails(t *testing.T) { t.Fatal("as it should") }
