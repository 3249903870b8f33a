package port

import (
	"bytes"
	"fmt"
)

// misspelt says what is wrong with the names of fields in a line of valid JSON, or "": package json takes one twice, and any letters
// for those of a name. All names of a reply are small letters.
func misspelt(line []byte) string {
	var seen [][]byte // of all objects that are open
	var opened []int  // where in seen those of each begin; -1 for a list
	isName := false   // whether a text that comes now is a name
	for k := 0; k < len(line); k++ {
		switch line[k] {
		case '{':
			opened, isName = append(opened, len(seen)), true
		case '[':
			opened, isName = append(opened, -1), false
		case '}', ']':
			if from := opened[len(opened)-1]; from >= 0 {
				seen = seen[:from]
			}
			opened, isName = opened[:len(opened)-1], false
		case ',':
			isName = opened[len(opened)-1] >= 0
		case '"':
			end := k + 1
			for line[end] != '"' {
				if line[end] == '\\' {
					end++
				}
				end++
			}
			if isName {
				name := line[k+1 : end]
				if bytes.ContainsFunc(name, func(c rune) bool { return c < 'a' || c > 'z' }) {
					return fmt.Sprintf("there is no field \"%s\": names are as conformance/README.md spells them", short(name))
				}
				for _, other := range seen[opened[len(opened)-1]:] {
					if bytes.Equal(other, name) {
						return fmt.Sprintf("the field %q is there twice", name)
					}
				}
				seen = append(seen, name)
			}
			k, isName = end, false
		}
	}
	return ""
}
