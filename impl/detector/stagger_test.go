package detector

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStagger(t *testing.T) {
	for _, test := range []struct {
		rank int
		unit time.Duration
		want time.Duration
	}{
		{0, 30 * ms, 0},
		{1, 30 * ms, 30 * ms},
		{63, 30 * ms, 1890 * ms},
		{-1, 30 * ms, 0},
		{1, 0, 0},
		{1, -1, 0},
		{math.MinInt, math.MinInt64, 0},
		{1, math.MaxInt64, math.MaxInt64},
		{2, math.MaxInt64/2 + 1, math.MaxInt64},
		{2, math.MaxInt64 / 2, math.MaxInt64 - 1},
		{math.MaxInt, math.MaxInt64, math.MaxInt64},
	} {
		require.Equal(t, test.want, Stagger(test.rank, test.unit), "%d · %v", test.rank, test.unit)
	}
}
