package certificate

import (
	"cmp"
	"regexp"
	"strings"
)

// number matches what of a version is compared as a number.
var number = regexp.MustCompile(`[0-9]+|[^0-9]+`)

// compareVersions compares versions part by part: 1.9 is before 1.10, and 2.0-rc.1 before 2.0. Leading zeros do not count.
func compareVersions(a, b string) int {
	x, y := number.FindAllString(a, -1), number.FindAllString(b, -1)
	for k := range min(len(x), len(y)) {
		both := x[k][0] <= '9' && x[k][0] >= '0' && y[k][0] <= '9' && y[k][0] >= '0'
		one, other := x[k], y[k]
		if both {
			one, other = strings.TrimLeft(one, "0"), strings.TrimLeft(other, "0")
			if byLength := cmp.Compare(len(one), len(other)); byLength != 0 {
				return byLength
			}
		}
		if order := strings.Compare(one, other); order != 0 {
			return order
		}
	}
	longer, is := x, 1
	if len(y) > len(x) {
		longer, is = y, -1
	}
	if rest := longer[min(len(x), len(y)):]; len(rest) > 0 && strings.HasPrefix(rest[0], "-") { // what is before a release
		return -is
	}
	return cmp.Compare(len(x), len(y))
}
