package trace_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/trace"
)

func TestPlain(t *testing.T) {
	require.Equal(t, "a b!~c", trace.Plain("\x1fa b!~\x7fc\"\\é\n"))
	require.Equal(t, strings.Repeat("x", 255), trace.Plain("é"+strings.Repeat("x", 256)))
}
