package conformance_test

import (
	"fmt"
	"iter"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
)

// firstOf returns all but the last so many cases.
func firstOf(all iter.Seq[*conformance.Case], n int) iter.Seq[*conformance.Case] {
	return func(yield func(*conformance.Case) bool) {
		for c := range all {
			if n--; n < 0 || !yield(c) {
				return
			}
		}
	}
}

// TestFewerThanPinned takes cases out of a group: it passes with all, and with one less or half of them it does not.
func TestFewerThanPinned(t *testing.T) {
	g := conformance.Groups()[0]
	for _, n := range []int{1, g.Pinned / 2, g.Pinned - 1} {
		less := conformance.Group{Name: "less", Pinned: g.Pinned, All: firstOf(g.All, n)}
		cases, err := less.Check(&conformance.Model{})
		require.Equal(t, n, cases)
		require.EqualError(t, err, fmt.Sprintf("there are %d cases, and there should be %d: if the change is meant, pin the new number", n, g.Pinned))
	}
	cases, err := g.Check(&conformance.Model{})
	require.NoError(t, err)
	require.Equal(t, g.Pinned, cases)
}

// TestReadmeCounts: the page says how many cases there are.
func TestReadmeCounts(t *testing.T) {
	page, err := os.ReadFile("README.md")
	require.NoError(t, err)
	fixed, changing := 0, 0
	for _, g := range conformance.Groups() {
		fixed += g.Pinned
	}
	for _, g := range conformance.ChangingGroups() {
		changing += g.Pinned
	}
	thousands := regexp.MustCompile(`(\d)(\d{3})(\D|$)`)
	for _, n := range []int{fixed, changing, fixed + changing} {
		text := fmt.Sprint(n)
		for thousands.MatchString(text) {
			text = thousands.ReplaceAllString(text, "$1,$2$3")
		}
		require.Contains(t, string(page), " "+text+" ")
	}
	require.Contains(t, string(page), fmt.Sprintf("%d and %d of them are answered by hand", conformance.Groups()[0].Pinned, conformance.ChangingGroups()[0].Pinned))
}
