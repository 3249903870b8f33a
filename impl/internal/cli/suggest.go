package cli

import (
	"cmp"
	"slices"
	"strings"
)

// suggested is how many names are suggested at most.
const suggested = 3

// Suggest returns the names that may have been meant, as the end of an error message.
func Suggest(meant string, names []string) string {
	distance := func(name string) int {
		short := name[strings.LastIndexByte(name, '/')+1:]
		if strings.Contains(strings.ToLower(name), strings.ToLower(meant)) {
			return 0
		}
		return min(edits(meant, name), edits(meant, short))
	}
	var near []string
	for _, name := range names {
		if distance(name) <= 1+len(meant)/4 {
			near = append(near, name)
		}
	}
	if len(near) == 0 {
		return ""
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(distance(a), distance(b)) })
	return "; did you mean " + strings.Join(near[:min(len(near), suggested)], " or ") + "?"
}

// edits returns how many letters must be put in, taken out or changed to get from a to b.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
