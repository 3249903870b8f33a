package kit

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Select returns the cases whose ids match one of the globs, such as R17-*, separated by commas, and that are about the rule. ""
// matches all. If there are none, or none matches one of the globs, the error says which there are that look alike.
func Select(cases []Case, globs, rule string) ([]Case, error) {
	if rule != "" && RuleText(rule) == "" {
		return nil, fmt.Errorf("there is no rule %q: rules are R1 to R49, see spec/README.md", rule)
	}
	patterns := strings.Split(globs, ",")
	for _, pattern := range patterns {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("%q is no glob: * stands for any characters, ? for one, [a-z] for one of these", pattern)
		}
		if globs != "" && !slices.ContainsFunc(cases, func(c Case) bool { matches, _ := path.Match(pattern, c.ID); return matches }) {
			return nil, fmt.Errorf("no case matches %q, of %d; bullytest list shows them%s", pattern, len(cases), Alike(cases, pattern))
		}
	}
	var some []Case
	for _, c := range cases {
		named := globs == "" || slices.ContainsFunc(patterns, func(pattern string) bool {
			matches, _ := path.Match(pattern, c.ID)
			return matches
		})
		if named && (rule == "" || slices.Contains(c.Rules, rule)) {
			some = append(some, c)
		}
	}
	if len(some) > 0 {
		return some, nil
	}
	about := ""
	if rule != "" {
		about = " that is about " + rule
	}
	if globs == "" {
		return nil, fmt.Errorf("there is no case%s, of %d", about, len(cases))
	}
	return nil, fmt.Errorf("no case%s matches %q, of %d; bullytest list -rule %s shows which there are", about, globs, len(cases), rule)
}

// Alike says which cases have names like one that is none, or "".
func Alike(cases []Case, name string) string {
	name = strings.ToLower(strings.Trim(name, "*"))
	var alike []string
	for n := len(name); n > 2 && len(alike) == 0; n-- {
		for _, c := range cases {
			if strings.Contains(strings.ToLower(c.ID), name[:n]) {
				alike = append(alike, c.ID)
			}
		}
	}
	if len(alike) == 0 {
		return ""
	}
	const most = 5
	if len(alike) > most {
		alike = append(alike[:most], "…")
	}
	return ", such as " + strings.Join(alike, ", ")
}
