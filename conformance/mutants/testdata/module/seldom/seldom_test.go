package seldom

import (
	"flag"
	"os"
	"testing"
)

// TestDouble is slow, and so runs only if it is asked for.
func TestDouble(t *testing.T) {
	if os.Getenv("BULLY_SLOW") != "yes" || testing.Short() {
		t.Skip("slow")
	}
	if got := Double(3); got != 6 {
		t.Fatalf("Double(3) = %d", got)
	}
}

func TestCommonForm(t *testing.T) {
	if soak := os.Getenv("BULLY_SOAK"); soak != "" {
		t.Fatalf("BULLY_SOAK=%s", soak)
	}
	if most := flag.Lookup("test.parallel").Value.String(); most != "2" {
		t.Fatalf("-parallel=%s", most)
	}
}
